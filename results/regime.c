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

/* A quotient is a distance on the log scale. Returns the number of regimes. */
static long places_cut(const struct place *places, size_t n, size_t *regime_of, struct regime *regimes)
{
	size_t first = 0, count = 0;

	for (size_t i = 0; i < n; i++) {
		regime_of[places[i].trial] = count;
		if (i + 1 < n && places[i + 1].line_ns <= places[i].line_ns * REGIME_GAP)
			continue;
		regimes[count].trials = i + 1 - first;
		regimes[count].line_ns = places_median(places + first, i + 1 - first);
		regime_name(&regimes[count++]);
		first = i + 1;
	}
	return (long)count;
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
