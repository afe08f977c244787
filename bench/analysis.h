/* From stamps to rates and latencies. All in ticks; sums are exact. */
#ifndef BENCH_ANALYSIS_H
#define BENCH_ANALYSIS_H

#include "endpoint.h"
#include "histogram.h"

/* One of an endpoint's two points: outer (write, read) or inner (flush, preread). */
struct analysis_point {
	const struct stamps *stamps;
	bool inner;
};

/* Joins the stamps of two points by sequence number, which ascends in both, and adds to − from of each message found in both to the
 * histogram. Returns how many stamps found no partner. */
uint64_t analysis_latency(struct analysis_point from, struct analysis_point to, struct histogram *histogram);

/* Whether sequence numbers ascend and times don't descend. */
bool analysis_ascends(struct analysis_point point);

/* Messages per second between two marks at one point; < 0: fewer than two distinct ones. */
double analysis_rate(const struct mark *first, const struct mark *last, double ticks_per_s);

#endif
