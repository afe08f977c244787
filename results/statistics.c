#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What an interval leaves out on either side. */
static const double TAIL = 0.025;

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Where the middle two of a resample lie among the ordered values, counted from 0, and how likely that is. Their number being odd they are
 * one. */
struct middle {
	uint32_t low, high;
	double probability;
};

struct statistics_middles {
	size_t n, count;
	struct middle middles[];
};

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

/* ---- all resamples at once ---- */

/* Of n drawings, with what probability at least `least` come among the first i of n values. */
static double at_least(size_t n, size_t least, size_t i)
{
	double p = (double)i / (double)n, odds = p / (1 - p), term, sum;

	if (i == 0 || i == n)
		return i ? 1 : 0;
	term = exp(lgamma((double)n + 1) - lgamma((double)least + 1) - lgamma((double)(n - least) + 1) + (double)least * log(p) +
		   (double)(n - least) * log1p(-p));
	sum = term;
	for (size_t k = least; k < n && term > sum * 1e-17; k++) {
		term *= (double)(n - k) / (double)(k + 1) * odds;
		sum += term;
	}
	return sum;
}

/* Of m drawings, with what probability all come among the first i of n values, and one of them is the i-th, i >= 1: its logarithm. */
static double log_ends_at(size_t m, size_t i, size_t n)
{
	return (double)m * log((double)i / (double)n) + log(-expm1((double)m * log1p(-1 / (double)i)));
}

/* Less likely ones change nothing that is told. */
static void middle_add(struct statistics_middles *middles, size_t low, size_t high, double probability)
{
	static const double least = 1e-12;

	if (probability > least)
		middles->middles[middles->count++] = (struct middle){ (uint32_t)low - 1, (uint32_t)high - 1, probability };
}

/* The value of rank i, counted from 1, is the lower middle one: of an odd number it is the median, of an even one the upper middle one is it
 * as well, or a later one: n / 2 drawings lie up to i, and as many from there on. */
static void middles_add(struct statistics_middles *middles, size_t n, size_t i)
{
	size_t half = n / 2, least = (n + 1) / 2;
	double alone = at_least(n, least, i) - at_least(n, least, i - 1);

	if (n % 2 == 0) {
		/* half of them, whichever, up to i; the others beyond it */
		double below = lgamma((double)n + 1) - 2 * lgamma((double)half + 1) + log_ends_at(half, i, n);

		alone -= exp(below + (double)half * log((double)(n - i) / (double)n));
		for (size_t j = i + 1; j <= n && j <= i + 64; j++)
			middle_add(middles, i, j, exp(below + log_ends_at(half, n - j + 1, n)));
	}
	middle_add(middles, i, i, alone);
}

struct statistics_middles *statistics_middles_make(size_t n)
{
	/* ranks farther from the middle than nine standard deviations of the median's are left out */
	size_t reach = (size_t)(4.5 * sqrt((double)n)) + 1, from = n / 2 > reach ? n / 2 - reach : 1;
	size_t to = n / 2 + reach < n ? n / 2 + reach : n;
	struct statistics_middles *middles;

	if (n < STATISTICS_INTERVAL_TRIALS || n > STATISTICS_INTERVAL_MOST)
		return NULL;
	middles = malloc(sizeof(*middles) + (to - from + 1) * 65 * sizeof(middles->middles[0]));
	if (!middles)
		return NULL;
	middles->n = n;
	middles->count = 0;
	for (size_t i = from; i <= to; i++)
		middles_add(middles, n, i);
	return middles;
}

void statistics_middles_free(struct statistics_middles *middles)
{
	free(middles);
}

/* ---- intervals ---- */

/* A median that may come about. */
struct weighted {
	double value, probability;
};

static int compare_weighted(const void *a, const void *b)
{
	return compare_doubles(&((const struct weighted *)a)->value, &((const struct weighted *)b)->value);
}

/* All medians of resamples of these values, in order. NULL: no memory. */
static struct weighted *medians_make(const struct statistics_middles *middles, const double *values)
{
	double *sorted = middles ? values_sort(values, middles->n) : NULL;
	struct weighted *medians = sorted ? malloc(middles->count * sizeof(*medians)) : NULL;

	if (medians) {
		for (size_t i = 0; i < middles->count; i++)
			medians[i] = (struct weighted){ middle_value(middles->middles[i], sorted), middles->middles[i].probability };
		qsort(medians, middles->count, sizeof(*medians), compare_weighted);
	}
	free(sorted);
	return medians;
}

struct interval statistics_interval(const struct statistics_middles *middles, const double *values)
{
	struct weighted *medians = medians_make(middles, values);
	struct interval interval = { .known = medians };
	double below = 0, above = 0;
	size_t low = 0, high;

	if (!medians)
		return interval;
	high = middles->count - 1;
	while (low + 1 < middles->count && (below += medians[low].probability) < TAIL)
		low++;
	while (high > 0 && (above += medians[high].probability) < TAIL)
		high--;
	interval.low = medians[low].value;
	interval.high = medians[high].value;
	free(medians);
	return interval;
}

struct interval statistics_median_interval(const double *values, size_t n)
{
	struct statistics_middles *middles = statistics_middles_make(n);
	struct interval interval = statistics_interval(middles, values);

	statistics_middles_free(middles);
	return interval;
}

/* Two sets' medians, each set resampled for itself. */
struct pair {
	const struct weighted *over, *under;
	size_t over_count, under_count;
};

/* With what probability the ratio is at most `most`; *next: the least ratio beyond, *last: the greatest that is not. */
static double ratio_at_most(const struct pair *pair, double most, double *last, double *next)
{
	double sum = 0, below = 0;
	size_t i = 0;

	*last = 0;
	*next = INFINITY;
	for (size_t j = 0; j < pair->under_count; j++) {
		double under = pair->under[j].value;

		while (i < pair->over_count && pair->over[i].value / under <= most)
			below += pair->over[i++].probability;
		sum += pair->under[j].probability * below;
		*last = i ? fmax(*last, pair->over[i - 1].value / under) : *last;
		*next = i < pair->over_count ? fmin(*next, pair->over[i].value / under) : *next;
	}
	return sum;
}

/* The least ratio that is not exceeded with that probability. */
static double ratio_of(const struct pair *pair, double probability)
{
	double low = pair->over[0].value / pair->under[pair->under_count - 1].value / 2;
	double high = pair->over[pair->over_count - 1].value / pair->under[0].value, last, next;

	for (;;) {
		double middle = sqrt(low) * sqrt(high);

		if (middle <= low || middle >= high)
			return high;
		if (ratio_at_most(pair, middle, &last, &next) >= probability)
			high = last; /* a ratio that there is */
		else if (next >= high)
			return high;
		else
			low = middle;
	}
}

struct interval statistics_ratio_interval(const struct statistics_middles *of_over, const double *over,
					  const struct statistics_middles *of_under, const double *under)
{
	struct weighted *overs = medians_make(of_over, over), *unders = medians_make(of_under, under);
	struct interval interval = { .known = overs && unders };

	if (interval.known) {
		struct pair pair = { overs, unders, of_over->count, of_under->count };

		interval.low = ratio_of(&pair, TAIL);
		interval.high = ratio_of(&pair, 1 - TAIL);
	}
	free(overs);
	free(unders);
	return interval;
}
