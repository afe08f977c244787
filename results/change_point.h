/* Where does a series change its level? The rank test of Pettitt (1979), with a p by permutation. */
#ifndef RESULTS_CHANGE_POINT_H
#define RESULTS_CHANGE_POINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* With fewer values no order of them is rare enough for more than a few tests at once: of ten, the two that part five low from five high
 * ones have a p of 0.008 or more. */
enum { CHANGE_POINT_VALUES = 10 };

struct change_point {
	size_t at; /* the first value behind it */
	double p;  /* that values in no order at all would part as clearly somewhere */
};

/* The one place where the values before differ most from those behind. Only ranks count: one wild value is no change, and no shape of
 * distribution is assumed. What is assumed is that without a change any order of the values is as likely as any other. Orders are drawn
 * from a generator with that seed until 50 of them part as clearly, 19,999 at most (Besag and Clifford 1991): the same values have the same
 * p. False: too few values, or they are all equal. n finite values. (p NAN: out of memory.) */
bool change_point_find(const double *values, size_t n, uint64_t seed, struct change_point *point);

#endif
