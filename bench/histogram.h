/* A log-linear histogram of differences in ticks: 1,024 buckets for each doubling, so that a value is known to 0.1 %. */
#ifndef BENCH_HISTOGRAM_H
#define BENCH_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HISTOGRAM_LINEAR_BITS = 10,
	HISTOGRAM_TOP_BITS = 40, /* values from 2^40 on are counted as beyond: 7 minutes at 2.5 GHz */
	HISTOGRAM_BUCKETS = (HISTOGRAM_TOP_BITS - HISTOGRAM_LINEAR_BITS + 1) << HISTOGRAM_LINEAR_BITS,
	HISTOGRAM_BEYOND_SAMPLES = 10, /* a percentile is told only where so many samples lie beyond it */
};

struct histogram {
	uint64_t count;      /* of all values, the negative ones and those beyond included */
	uint64_t below_zero; /* counted here and in no bucket */
	uint64_t beyond;     /* at or above 2^HISTOGRAM_TOP_BITS, likewise */
	int64_t min, max;    /* exact; without meaning while count is 0 */
	__int128 sum;        /* exact, signed */
	uint64_t buckets[HISTOGRAM_BUCKETS];
};

/* Allocated, empty; NULL: no memory. free() ends it. */
struct histogram *histogram_new(void);
void histogram_add(struct histogram *histogram, int64_t ticks);

/* Whether count = below_zero + Σ buckets + beyond. */
bool histogram_is_consistent(const struct histogram *histogram);

/* The least value that at least the fraction p of all values does not exceed, to 0.1 %; never more than max. False: fewer than
 * HISTOGRAM_BEYOND_SAMPLES values lie beyond it. Where it lies beyond the top, *ticks is 2^HISTOGRAM_TOP_BITS. */
bool histogram_percentile(const struct histogram *histogram, double p, double *ticks);

/* The greatest value that falls into a bucket. */
uint64_t histogram_upper_edge(size_t bucket);

#endif
