/* Medians and their intervals. Values are finite doubles; n is their number. */
#ifndef RESULTS_STATISTICS_H
#define RESULTS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATISTICS_INTERVAL_TRIALS = 6 }; /* with fewer values no interval is given */

struct interval {
	bool known; /* false: too few values; low and high are then without meaning */
	double low, high;
};

/* The median of n ≥ 1 values; sorts a copy. Even n: the mean of the middle two. (NAN: out of memory.) */
double statistics_median(const double *values, size_t n);

/* Percentile bootstrap, 95 %, of the median: 2,000 resamples drawn with a seeded generator, so that the same values and
 * seed give the same interval. */
struct interval statistics_median_interval(const double *values, size_t n, uint64_t seed);

/* Many sets of the same size may share the drawing, which takes most of the time: statistics_draws_interval() gives
 * what statistics_median_interval() with the same seed gives. NULL: out of memory, or too few values for an interval.
 */
struct statistics_draws;
struct statistics_draws *statistics_draws_make(size_t n, uint64_t seed);
struct interval statistics_draws_interval(const struct statistics_draws *draws, const double *values);
void statistics_draws_free(struct statistics_draws *draws);

/* The same for the ratio of the medians of two sets, each resampled for itself. All values > 0. */
struct interval statistics_ratio_interval(const double *over, size_t n_over, const double *under, size_t n_under,
					  uint64_t seed);

/* Its drawing may be shared as well. NULL: out of memory, or too few values for an interval. */
struct statistics_ratio_draws;
struct statistics_ratio_draws *statistics_ratio_draws_make(size_t n_over, size_t n_under, uint64_t seed);
struct interval statistics_ratio_draws_interval(const struct statistics_ratio_draws *draws, const double *over, const double *under);
void statistics_ratio_draws_free(struct statistics_ratio_draws *draws);

#endif
