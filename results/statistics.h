/* Medians and their intervals. Values are finite doubles; n is their number. */
#ifndef RESULTS_STATISTICS_H
#define RESULTS_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	STATISTICS_INTERVAL_TRIALS = 6,     /* with fewer values no interval is given … */
	STATISTICS_INTERVAL_MOST = 1 << 20, /* … nor with more */
};

struct interval {
	bool known; /* false: too few values; low and high are then without meaning */
	double low, high;
};

/* The median of n ≥ 1 values; sorts a copy. Even n: the mean of the middle two. (NAN: out of memory.) */
double statistics_median(const double *values, size_t n);

/* Percentile bootstrap, 95 %, of the median. Nothing is drawn: where the middle two of a resample lie among the ordered values has a
 * probability that can be reckoned, and so have all medians of resamples (of an odd number: B. Efron, 1979; J. S. Maritz and R. G. Jarrett,
 * 1978). */
struct interval statistics_median_interval(const double *values, size_t n);

/* What all sets of n values have in common. NULL: out of memory, or too few values for an interval, or too many. */
struct statistics_middles;
struct statistics_middles *statistics_middles_make(size_t n);
void statistics_middles_free(struct statistics_middles *middles);

/* What statistics_median_interval() gives, for that n. */
struct interval statistics_interval(const struct statistics_middles *middles, const double *values);

/* The same for the ratio of the medians of two sets, each resampled for itself. All values > 0. */
struct interval statistics_ratio_interval(const struct statistics_middles *of_over, const double *over,
					  const struct statistics_middles *of_under, const double *under);

#endif
