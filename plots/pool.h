/* The samples of a row's trials as one distribution. */
#ifndef PLOTS_POOL_H
#define PLOTS_POOL_H

#include "sheet.h"
#include "summary.h"

/* With POOL_SAMPLES_LEAST samples POOL_BEYOND_LEAST lie beyond the median. */
enum { POOL_STEPS_A_DECADE = 8, POOL_BEYOND_LEAST = 10, POOL_SAMPLES_LEAST = 20, POOL_POINTS_MOST = 160 };

struct pool {
	struct record_bucket *buckets;
	size_t count;
	uint64_t samples, beyond; /* beyond: of the samples, above the histogram's top */
	size_t behind;            /* trials that are left out, because they fell behind their load */
};

/* Adds the histograms of that latency of all the row's trials but those that fell behind an open load. Returns 0, or -errno, complained
 * of. */
int pool_fill(struct pool *pool, struct sheet *sheet, const struct record *record, const struct summary_row *row,
	      const struct summary_latency *latency);
void pool_free(struct pool *pool);

/* The least edge that at least a share p of the samples lie at or below; NaN where that is above the top. */
double pool_percentile(const struct pool *pool, double p);

/* A curve of percentiles: eight points a decade of 1 / (1 - p), and p50, as far as ten samples lie beyond. */
struct pool_point {
	double tail, ns; /* 1 / (1 - p); NaN: beyond the top */
	bool marked;     /* it has a name: p50, p90, p99 … */
};
size_t pool_points(const struct pool *pool, struct pool_point points[POOL_POINTS_MOST]);

#endif
