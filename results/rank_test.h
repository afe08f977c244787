/* Do two samples differ? The test of Mann and Whitney (1947), two-sided, and Holm's adjustment (1979) for many tests. */
#ifndef RESULTS_RANK_TEST_H
#define RESULTS_RANK_TEST_H

#include <stddef.h>

/* Samples of so many values together are tested exactly: the p is counted over all ways to part the values that there are into two such
 * samples, ties by their midranks. Larger ones have the normal approximation, corrected for ties and for continuity. */
enum { RANK_TEST_EXACT = 60 };

/* The probability that samples drawn from one distribution differ in their ranks at least as much as these. All values are finite, both
 * numbers ≥ 1. NAN: out of memory. */
double rank_test_p(const double *a, size_t a_n, const double *b, size_t b_n);

/* The smallest p that such samples can have: all of one below all of the other. */
double rank_test_least_p(size_t a_n, size_t b_n);

/* Of a_n × b_n pairs, how many must be ordered one way (a below b) for a p of level or less, where there are no ties. 0: no order
 * reaches it. (SIZE_MAX: out of memory.) */
size_t rank_test_needed_pairs(size_t a_n, size_t b_n, double level);

/* The number of values in each of two samples from which on one of `tests` tests can reach level by Holm's adjustment. */
size_t rank_test_needed_values(size_t tests, double level);

/* Adjusts the p of n tests made together, in place: where those of at most level are taken for differences, the probability of even one
 * false one among them is at most level. Returns 0 or -ENOMEM. */
int rank_test_adjust(double *p, size_t n);

#endif
