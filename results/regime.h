/* Regimes: trials filed by the round trip of one cache line while they ran. */
#ifndef RESULTS_REGIME_H
#define RESULTS_REGIME_H

#include <stdbool.h>
#include <stddef.h>

struct regime {
	double line_ns; /* the median of its trials' round trips */
	char name[16];  /* "r560" */
	size_t trials;
};

/* Medians of two sets of trials that lie within a factor of 1.25: the same regime, in one run or in two. */
bool regime_is_same(double a_ns, double b_ns);

/* Parts the round trips (ns, > 0) into regimes: what spans more than a factor of 1.4 is cut in two, and each half again, as long as a cut
 * leaves medians that are not the same; of several cuts, the one where trials differ least from their half's mean on a log scale. regime_of[n]
 * receives each one's index into *regimes, which are ordered by line_ns. *regimes is allocated; the caller frees it.
 * Returns the number of regimes (0 for n = 0), or -errno. */
long regime_find(const double *line_ns, size_t n, size_t *regime_of, struct regime **regimes);

#endif
