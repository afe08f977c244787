#include "change_point.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS_MOST = 19999, EXCEEDED_ENOUGH = 50 };

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* 0 … below - 1, each as often as the other (Lemire 2019, without the last step: off by less than 2^-32 of itself). */
static size_t random_below(uint64_t *state, size_t below)
{
	return (size_t)(((random_next(state) >> 32) * (uint64_t)below) >> 32);
}

static int by_value(const void *left, const void *right)
{
	const double *a = *(const double *const *)left, *b = *(const double *const *)right;

	return (*a > *b) - (*a < *b);
}

/* Twice the midranks less n + 1, whole numbers that add up to 0. Returns whether there are two different ones; -1: out of memory. */
static int ranks_make(int64_t *ranks, const double *values, size_t n)
{
	const double **order = calloc(n, sizeof(*order));

	if (!order)
		return -1;
	for (size_t i = 0; i < n; i++)
		order[i] = &values[i];
	qsort(order, n, sizeof(*order), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && *order[end] == *order[i];)
			end++;
		for (size_t k = i; k < end; k++)
			ranks[order[k] - values] = (int64_t)(i + 1 + end) - (int64_t)(n + 1);
	}
	free(order);
	for (size_t i = 1; i < n; i++)
		if (ranks[i] != ranks[0])
			return 1;
	return 0;
}

/* Pettitt's K: of all ways to part the series in two, the most by which the pairs ordered one way outnumber those ordered the other. */
static int64_t statistic(const int64_t *ranks, size_t n, size_t *at)
{
	int64_t sum = 0, most = -1;

	for (size_t t = 0; t + 1 < n; t++) {
		int64_t size;

		sum += ranks[t];
		size = sum < 0 ? -sum : sum;
		if (size > most) {
			most = size;
			*at = t + 1;
		}
	}
	return most;
}

static void shuffle(int64_t *ranks, size_t n, uint64_t *state)
{
	for (size_t left = n; left > 1; left--) {
		size_t drawn = random_below(state, left);
		int64_t last = ranks[left - 1];

		ranks[left - 1] = ranks[drawn];
		ranks[drawn] = last;
	}
}

bool change_point_find(const double *values, size_t n, uint64_t seed, struct change_point *point)
{
	int64_t *ranks = n < CHANGE_POINT_VALUES ? NULL : calloc(n, sizeof(*ranks)), seen;
	size_t exceeded = 0, draws = 0, anywhere;
	int differ;

	*point = (struct change_point){ 0, NAN };
	if (n < CHANGE_POINT_VALUES)
		return false;
	differ = ranks ? ranks_make(ranks, values, n) : -1;
	if (differ <= 0) {
		free(ranks);
		return differ < 0;
	}
	seen = statistic(ranks, n, &point->at);
	while (draws < DRAWS_MOST && exceeded < EXCEEDED_ENOUGH) {
		shuffle(ranks, n, &seed);
		exceeded += statistic(ranks, n, &anywhere) >= seen;
		draws++;
	}
	point->p = exceeded == EXCEEDED_ENOUGH ? (double)exceeded / (double)draws : (double)(exceeded + 1) / (double)(draws + 1);
	free(ranks);
	return true;
}
