/* Regimes: trials filed by the round trip of one cache line while they ran. */
#ifndef RESULTS_REGIME_H
#define RESULTS_REGIME_H

#include <stddef.h>

struct regime {
	double line_ns; /* the median of its trials' round trips */
	char name[16];  /* "r560" */
	size_t trials;
};

/* Sorts the round trips (ns, > 0) on a log scale and cuts where neighbours differ by more than 1.5×,
 * and once more where a cluster falls into two halves whose medians do. regime_of[n]
 * receives each one's index into *regimes, which are ordered by line_ns. *regimes is allocated; the caller frees it.
 * Returns the number of regimes (0 for n = 0), or -errno. */
long regime_find(const double *line_ns, size_t n, size_t *regime_of, struct regime **regimes);

#endif
