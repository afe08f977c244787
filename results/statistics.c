#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of 2,000 ordered medians, the 50th from below and the 50th from above enclose 95 %. */
enum { RESAMPLES = 2000, LOW_RANK = RESAMPLES / 40 - 1, HIGH_RANK = RESAMPLES - 1 - LOW_RANK };

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* 0 … n−1; off even by less than n in 2^64 */
static size_t random_below(uint64_t *state, size_t n)
{
	return (size_t)(((unsigned __int128)random_next(state) * n) >> 64);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Where the middle two of a resample lie among the ordered values; low == high where their number is odd. */
struct middle {
	uint32_t low, high;
	uint32_t times; /* resamples that have it */
};

struct statistics_draws {
	size_t n, middle_count;
	struct middle middles[RESAMPLES];
};

/* Draws n of n with replacement and finds the middle. counts[n] is scratch. */
static struct middle draw_middle(uint64_t *state, uint32_t *counts, size_t n)
{
	size_t low_rank = (n - 1) / 2, high_rank = n / 2, below = 0, i = 0;
	struct middle middle = { .times = 1 };

	memset(counts, 0, n * sizeof(*counts));
	for (size_t k = 0; k < n; k++)
		counts[random_below(state, n)]++;
	while (below + counts[i] <= low_rank)
		below += counts[i++];
	middle.low = (uint32_t)i;
	while (below + counts[i] <= high_rank)
		below += counts[i++];
	middle.high = (uint32_t)i;
	return middle;
}

static double middle_value(struct middle middle, const double *sorted)
{
	return sorted[middle.low] / 2 + sorted[middle.high] / 2;
}

static double *values_sort(const double *values, size_t n)
{
	double *sorted = malloc((n ? n : 1) * sizeof(*sorted));

	if (!sorted)
		return NULL;
	memcpy(sorted, values, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	return sorted;
}

double statistics_median(const double *values, size_t n)
{
	double *sorted = values_sort(values, n), median;

	if (!sorted)
		return NAN;
	median = middle_value((struct middle){ .low = (uint32_t)((n - 1) / 2), .high = (uint32_t)(n / 2) }, sorted);
	free(sorted);
	return median;
}

static int compare_middles(const void *a, const void *b)
{
	const struct middle *x = a, *y = b;

	if (x->low != y->low)
		return x->low < y->low ? -1 : 1;
	return (x->high > y->high) - (x->high < y->high);
}

struct statistics_draws *statistics_draws_make(size_t n, uint64_t seed)
{
	struct statistics_draws *draws = NULL;
	uint32_t *counts = NULL;
	size_t distinct = 0;

	if (n < STATISTICS_INTERVAL_TRIALS || n > UINT32_MAX)
		return NULL;
	draws = malloc(sizeof(*draws));
	counts = malloc(n * sizeof(*counts));
	if (!draws || !counts) {
		free(draws);
		free(counts);
		return NULL;
	}
	for (size_t i = 0; i < RESAMPLES; i++)
		draws->middles[i] = draw_middle(&seed, counts, n);
	free(counts);
	/* few values have few middles: together they are quicker to order by value, set after set */
	qsort(draws->middles, RESAMPLES, sizeof(draws->middles[0]), compare_middles);
	for (size_t i = 1; i < RESAMPLES; i++)
		if (compare_middles(&draws->middles[distinct], &draws->middles[i]) == 0)
			draws->middles[distinct].times++;
		else
			draws->middles[++distinct] = draws->middles[i];
	draws->n = n;
	draws->middle_count = distinct + 1;
	return draws;
}

void statistics_draws_free(struct statistics_draws *draws)
{
	free(draws);
}

/* A median that came about, and in how many resamples. */
struct weighted {
	double value;
	uint32_t times;
};

static int compare_weighted(const void *a, const void *b)
{
	return compare_doubles(&((const struct weighted *)a)->value, &((const struct weighted *)b)->value);
}

/* The value of a rank, from 0, among ordered values that each stand `times` times. */
static double weighted_rank(const struct weighted *ordered, uint32_t rank)
{
	uint32_t below = 0;

	while (below + ordered->times <= rank)
		below += (ordered++)->times;
	return ordered->value;
}

struct interval statistics_draws_interval(const struct statistics_draws *draws, const double *values)
{
	struct weighted medians[RESAMPLES];
	struct interval interval = { .known = false };
	double *sorted = draws ? values_sort(values, draws->n) : NULL;

	if (!sorted)
		return interval;
	for (size_t i = 0; i < draws->middle_count; i++)
		medians[i] = (struct weighted){ middle_value(draws->middles[i], sorted), draws->middles[i].times };
	free(sorted);
	qsort(medians, draws->middle_count, sizeof(medians[0]), compare_weighted);
	interval.known = true;
	interval.low = weighted_rank(medians, LOW_RANK);
	interval.high = weighted_rank(medians, HIGH_RANK);
	return interval;
}

struct interval statistics_median_interval(const double *values, size_t n, uint64_t seed)
{
	struct statistics_draws *draws = statistics_draws_make(n, seed);
	struct interval interval = statistics_draws_interval(draws, values);

	statistics_draws_free(draws);
	return interval;
}

struct statistics_ratio_draws {
	size_t n_over, n_under;
	struct {
		struct middle over, under;
	} middles[RESAMPLES];
};

struct statistics_ratio_draws *statistics_ratio_draws_make(size_t n_over, size_t n_under, uint64_t seed)
{
	size_t larger = n_over > n_under ? n_over : n_under;
	struct statistics_ratio_draws *draws;
	uint32_t *counts;

	if (n_over < STATISTICS_INTERVAL_TRIALS || n_under < STATISTICS_INTERVAL_TRIALS || larger > UINT32_MAX)
		return NULL;
	draws = malloc(sizeof(*draws));
	counts = malloc(larger * sizeof(*counts));
	for (size_t i = 0; draws && counts && i < RESAMPLES; i++) {
		draws->middles[i].over = draw_middle(&seed, counts, n_over);
		draws->middles[i].under = draw_middle(&seed, counts, n_under);
	}
	if (draws && counts) {
		draws->n_over = n_over;
		draws->n_under = n_under;
	} else {
		free(draws);
		draws = NULL;
	}
	free(counts);
	return draws;
}

void statistics_ratio_draws_free(struct statistics_ratio_draws *draws)
{
	free(draws);
}

struct interval statistics_ratio_draws_interval(const struct statistics_ratio_draws *draws, const double *over, const double *under)
{
	double *sorted_over = draws ? values_sort(over, draws->n_over) : NULL;
	double *sorted_under = draws ? values_sort(under, draws->n_under) : NULL;
	struct interval interval = { .known = false };
	double ratios[RESAMPLES];

	if (sorted_over && sorted_under) {
		for (size_t i = 0; i < RESAMPLES; i++)
			ratios[i] = middle_value(draws->middles[i].over, sorted_over) / middle_value(draws->middles[i].under, sorted_under);
		qsort(ratios, RESAMPLES, sizeof(ratios[0]), compare_doubles);
		interval = (struct interval){ .known = true, .low = ratios[LOW_RANK], .high = ratios[HIGH_RANK] };
	}
	free(sorted_over);
	free(sorted_under);
	return interval;
}

struct interval statistics_ratio_interval(const double *over, size_t n_over, const double *under, size_t n_under,
					  uint64_t seed)
{
	struct statistics_ratio_draws *draws = statistics_ratio_draws_make(n_over, n_under, seed);
	struct interval interval = statistics_ratio_draws_interval(draws, over, under);

	statistics_ratio_draws_free(draws);
	return interval;
}
