#include "regime.h"
#include "statistics.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* One state of a machine scatters by ± 15 %: its highest round trip is up to 1.35 times its lowest. */
static const double REGIME_SPAN = 1.4;
static const double REGIME_SAME = 1.25;

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

bool regime_is_same(double a_ns, double b_ns)
{
	return fmax(a_ns, b_ns) <= REGIME_SAME * fmin(a_ns, b_ns);
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

/* Where n ordered places, cut in two, differ least from their halves' means on the log scale; only cuts count whose halves' medians
 * are not the same regime. 0: there is none. A few trials in between two regimes hide no such cut, nor does one trial of another beside a
 * hundred. */
static size_t places_split(const struct place *places, size_t n)
{
	double left = 0, all = 0, most = -1;
	size_t best = 0;

	for (size_t i = 0; i < n; i++)
		all += log(places[i].line_ns);
	for (size_t i = 1; i < n; i++) {
		double right, between;

		left += log(places[i - 1].line_ns);
		if (regime_is_same(places_median(places, i), places_median(places + i, n - i)))
			continue;
		right = all - left;
		between = left * left / (double)i + right * right / (double)(n - i);
		if (between > most) {
			most = between;
			best = i;
		}
	}
	return best;
}

static void regime_add(struct finding *finding, const struct place *places, size_t n)
{
	size_t split = places[n - 1].line_ns > places[0].line_ns * REGIME_SPAN ? places_split(places, n) : 0;
	struct regime *regime;

	if (split > 0) {
		regime_add(finding, places, split);
		regime_add(finding, places + split, n - split);
		return;
	}
	for (size_t i = 0; i < n; i++)
		finding->regime_of[places[i].trial] = finding->count;
	regime = &finding->regimes[finding->count++];
	regime->trials = n;
	regime->line_ns = places_median(places, n);
	regime_name(regime);
}

long regime_find(const double *line_ns, size_t n, size_t *regime_of, struct regime **regimes)
{
	struct finding finding;
	struct place *places;

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
	finding = (struct finding){ regime_of, *regimes, 0 };
	regime_add(&finding, places, n);
	free(places);
	return (long)finding.count;
}
