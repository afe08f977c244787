#include "regime.h"
#include "statistics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double REGIME_GAP = 1.5; /* neighbours farther apart than this factor lie in different regimes */

struct place {
	double line_ns;
	size_t trial;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->line_ns != y->line_ns)
		return x->line_ns < y->line_ns ? -1 : 1;
	return (x->trial > y->trial) - (x->trial < y->trial);
}

/* The middle of ordered places. */
static double places_median(const struct place *places, size_t n)
{
	return places[(n - 1) / 2].line_ns / 2 + places[n / 2].line_ns / 2;
}

static void regime_name(struct regime *regime)
{
	snprintf(regime->name, sizeof(regime->name), "r%.0f", regime->line_ns);
}

/* Regimes as they are found, in ascending order. */
struct finding {
	size_t *regime_of;
	struct regime *regimes;
	size_t count;
};

/* Where two halves of n ≥ 2 ordered places differ least from their own means, on the log scale. */
static size_t places_split(const struct place *places, size_t n)
{
	double left = 0, all = 0, most = -1;
	size_t best = 1;

	for (size_t i = 0; i < n; i++)
		all += log(places[i].line_ns);
	for (size_t i = 1; i < n; i++) {
		double right, between;

		left += log(places[i - 1].line_ns);
		right = all - left;
		between = left * left / (double)i + right * right / (double)(n - i);
		if (between > most) {
			most = between;
			best = i;
		}
	}
	return best;
}

/* Neighbours that lie close may chain two regimes together by the few trials in between: what is wider than a gap is split where its
 * halves' medians are farther apart than one. */
static void regime_add(struct finding *finding, const struct place *places, size_t n)
{
	struct regime *regime;

	if (places[n - 1].line_ns > places[0].line_ns * REGIME_GAP) {
		size_t split = places_split(places, n);

		if (places_median(places + split, n - split) > places_median(places, split) * REGIME_GAP) {
			regime_add(finding, places, split);
			regime_add(finding, places + split, n - split);
			return;
		}
	}
	for (size_t i = 0; i < n; i++)
		finding->regime_of[places[i].trial] = finding->count;
	regime = &finding->regimes[finding->count++];
	regime->trials = n;
	regime->line_ns = places_median(places, n);
	regime_name(regime);
}

/* A quotient is a distance on the log scale. Returns the number of regimes. */
static long places_cut(const struct place *places, size_t n, size_t *regime_of, struct regime *regimes)
{
	struct finding finding = { regime_of, regimes, 0 };
	size_t first = 0;

	for (size_t i = 0; i < n; i++) {
		if (i + 1 < n && places[i + 1].line_ns <= places[i].line_ns * REGIME_GAP)
			continue;
		regime_add(&finding, places + first, i + 1 - first);
		first = i + 1;
	}
	return (long)finding.count;
}

long regime_find(const double *line_ns, size_t n, size_t *regime_of, struct regime **regimes)
{
	struct place *places;
	long count;

	*regimes = NULL;
	for (size_t i = 0; i < n; i++)
		if (!(line_ns[i] > 0.0) || !isfinite(line_ns[i]))
			return -EINVAL;
	if (n == 0)
		return 0;
	places = calloc(n, sizeof(*places));
	*regimes = calloc(n, sizeof(**regimes));
	if (!places || !*regimes) {
		free(places);
		free(*regimes);
		*regimes = NULL;
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		places[i] = (struct place){ line_ns[i], i };
	qsort(places, n, sizeof(*places), compare_places);
	count = places_cut(places, n, regime_of, *regimes);
	free(places);
	return count;
}
