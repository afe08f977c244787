#include "rank_test.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Values of both samples, and where each is from. */
struct ranked {
	double value;
	bool is_a;
};

static int compare_ranked(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;

	return (x > y) - (x < y);
}

static struct ranked *samples_merge(const double *a, size_t a_n, const double *b, size_t b_n)
{
	struct ranked *all = malloc((a_n + b_n) * sizeof(*all));

	if (!all)
		return NULL;
	for (size_t i = 0; i < a_n; i++)
		all[i] = (struct ranked){ a[i], true };
	for (size_t i = 0; i < b_n; i++)
		all[a_n + i] = (struct ranked){ b[i], false };
	qsort(all, a_n + b_n, sizeof(*all), compare_ranked);
	return all;
}

/* What the test needs of the ordered values. Ranks are doubled: so the midrank of a tie is a whole number. */
struct ranks {
	uint64_t *doubled; /* by order */
	uint64_t sum;      /* of a's */
	double ties;       /* the sum of t³ − t over ties of t values */
};

static bool ranks_make(struct ranks *ranks, const struct ranked *all, size_t n)
{
	*ranks = (struct ranks){ .doubled = malloc(n * sizeof(*ranks->doubled)) };
	if (!ranks->doubled)
		return false;
	for (size_t first = 0, end; first < n; first = end) {
		double tied;

		for (end = first + 1; end < n && all[end].value == all[first].value; end++)
			;
		tied = (double)(end - first);
		ranks->ties += tied * tied * tied - tied;
		for (size_t i = first; i < end; i++) {
			ranks->doubled[i] = first + 1 + end; /* of ranks first + 1 … end the mean, twice */
			ranks->sum += all[i].is_a ? ranks->doubled[i] : 0;
		}
	}
	return true;
}

/* In how many ways `picked` of the n ranks add up to each sum; ranks ascend. Returns an array of *sums numbers, to be freed, or NULL. Whole
 * numbers beyond 2^53 are rounded, each sum by less than n parts in 2^53. */
static double *sums_count(const uint64_t *ranks, size_t n, size_t picked, size_t *sums)
{
	size_t most = 0;
	double *ways, *result;

	for (size_t i = n - picked; i < n; i++)
		most += ranks[i];
	*sums = most + 1;
	ways = calloc((picked + 1) * *sums, sizeof(*ways));
	result = malloc(*sums * sizeof(*result));
	if (!ways || !result) {
		free(ways);
		free(result);
		return NULL;
	}
	ways[0] = 1;
	for (size_t i = 0, reach = 0; i < n; i++) {
		reach = reach + ranks[i] < most ? reach + ranks[i] : most; /* no sum of the ranks so far is larger */
		for (size_t k = picked < i + 1 ? picked : i + 1; k > 0; k--) {
			double *to = ways + k * *sums;
			const double *from = to - *sums;

			for (size_t sum = ranks[i]; sum <= reach; sum++)
				to[sum] += from[sum - ranks[i]];
		}
	}
	memcpy(result, ways + picked * *sums, *sums * sizeof(*result));
	free(ways);
	return result;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* The share of ways whose sum is at least as far from the mean as that of a. */
static double exact_p(struct ranks *ranks, size_t a_n, size_t n)
{
	uint64_t mean = a_n * (n + 1), unit = ranks->ties > 0 ? 1 : 2; /* of doubled ranks, which without ties are even */
	double all = 0, far = 0, *ways;
	size_t sums;

	for (size_t i = 0; i < n; i++)
		ranks->doubled[i] /= unit;
	ways = sums_count(ranks->doubled, n, a_n, &sums);
	if (!ways)
		return NAN;
	for (size_t sum = 0; sum < sums; sum++) {
		all += ways[sum];
		if (distance(unit * sum, mean) >= distance(ranks->sum, mean))
			far += ways[sum];
	}
	free(ways);
	return far / all;
}

/* deviation: of U from its mean. */
static double normal_p(double deviation, size_t a_n, size_t b_n, double ties)
{
	double a = (double)a_n, b = (double)b_n, n = a + b;
	double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));

	if (!(variance > 0))
		return 1; /* all values are equal */
	return erfc(fmax(deviation - 0.5, 0) / sqrt(2 * variance));
}

double rank_test_p(const double *a, size_t a_n, const double *b, size_t b_n)
{
	size_t n = a_n + b_n;
	struct ranked *all;
	struct ranks ranks = { 0 };
	double p = NAN;

	if (a_n > b_n) /* there are fewer sums of fewer ranks */
		return rank_test_p(b, b_n, a, a_n);
	all = samples_merge(a, a_n, b, b_n);
	if (all && ranks_make(&ranks, all, n)) {
		if (n <= RANK_TEST_EXACT)
			p = exact_p(&ranks, a_n, n);
		else
			p = normal_p((double)distance(ranks.sum, a_n * (n + 1)) / 2, a_n, b_n, ranks.ties);
	}
	free(ranks.doubled);
	free(all);
	return p;
}

double rank_test_least_p(size_t a_n, size_t b_n)
{
	double ways = 1;

	if (a_n + b_n > RANK_TEST_EXACT)
		return normal_p((double)a_n * (double)b_n / 2, a_n, b_n, 0);
	for (size_t i = 1; i <= a_n; i++)
		ways *= (double)(b_n + i) / (double)i;
	return 2 / ways < 1 ? 2 / ways : 1;
}

/* The least U at and beyond which, with as many on the other side, no more than a share of `level` lies. */
static size_t exact_needed_pairs(size_t a_n, size_t b_n, double level)
{
	size_t n = a_n + b_n, least = a_n * (a_n + 1) / 2, sums, u = a_n * b_n + 1;
	double all = 0, beyond = 0, *ways;
	uint64_t ranks[RANK_TEST_EXACT];

	for (size_t i = 0; i < n; i++)
		ranks[i] = i + 1;
	ways = sums_count(ranks, n, a_n, &sums);
	if (!ways)
		return SIZE_MAX;
	for (size_t sum = 0; sum < sums; sum++)
		all += ways[sum];
	while (2 * u > a_n * b_n && 2 * (beyond + ways[least + u - 1]) <= level * all)
		beyond += ways[least + --u];
	free(ways);
	return u > a_n * b_n ? 0 : u;
}

size_t rank_test_needed_pairs(size_t a_n, size_t b_n, double level)
{
	size_t low = a_n * b_n / 2, high = a_n * b_n;

	if (a_n + b_n <= RANK_TEST_EXACT)
		return exact_needed_pairs(a_n, b_n, level);
	if (rank_test_least_p(a_n, b_n) > level)
		return 0;
	while (low + 1 < high) { /* high reaches the level, low does not */
		size_t middle = low + (high - low) / 2;

		if (normal_p((double)middle - (double)a_n * (double)b_n / 2, a_n, b_n, 0) <= level)
			high = middle;
		else
			low = middle;
	}
	return high;
}

size_t rank_test_needed_values(size_t tests, double level)
{
	size_t n = 1;

	while (rank_test_least_p(n, n) * (double)tests > level)
		n++;
	return n;
}

struct numbered {
	double p;
	size_t number;
};

static int compare_numbered(const void *a, const void *b)
{
	const struct numbered *x = a, *y = b;

	if (x->p != y->p)
		return x->p < y->p ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

int rank_test_adjust(double *p, size_t n)
{
	struct numbered *ordered = malloc((n + 1) * sizeof(*ordered));
	double reached = 0;

	if (!ordered)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		ordered[i] = (struct numbered){ p[i], i };
	qsort(ordered, n, sizeof(*ordered), compare_numbered);
	for (size_t i = 0; i < n; i++) {
		reached = fmax(reached, fmin((double)(n - i) * ordered[i].p, 1));
		p[ordered[i].number] = reached;
	}
	free(ordered);
	return 0;
}
