/* From stamps to rates and latencies. All in ticks; sums are exact. */
#ifndef BENCH_ANALYSIS_H
#define BENCH_ANALYSIS_H

#include "endpoint.h"
#include "histogram.h"

/* Which of an endpoint's points: outer (write, read), inner (flush, preread), outmost (intended, handled). */
enum analysis_depth { ANALYSIS_OUTER, ANALYSIS_INNER, ANALYSIS_OUTMOST };

struct analysis_point {
	const struct stamps *stamps;
	enum analysis_depth depth;
};

/* The time at a stamp's point, by its index. */
static inline uint64_t analysis_ticks(struct analysis_point point, size_t i)
{
	return point.depth == ANALYSIS_OUTMOST ? point.stamps->outmost[i] :
	       point.depth == ANALYSIS_INNER   ? point.stamps->at[i].inner :
						 point.stamps->at[i].outer;
}

/* Joins the stamps of two points by sequence number, which ascends in both, and adds to − from of each message found in both to the
 * histogram. Returns how many stamps found no partner. */
uint64_t analysis_latency(struct analysis_point from, struct analysis_point to, struct histogram *histogram);

/* The same where several producers' messages are stamped in `to`, each with its producer's number above the sequence number: of those of
 * this one alone. Returns how many were found in both. */
uint64_t analysis_latency_of(struct analysis_point from, unsigned producer, struct analysis_point to, struct histogram *histogram);

/* Both points are of one endpoint: adds to − from of each of its stamps. */
void analysis_latency_within(struct analysis_point from, struct analysis_point to, struct histogram *histogram);

/* Visits each message that is found in both, by its stamps' indices. Returns their number. producer: as above; 0 where there is but one. */
uint64_t analysis_visit_of(const struct stamps *from, unsigned producer, const struct stamps *to,
			   void (*visit)(void *context, size_t from_index, size_t to_index), void *context);

/* Whether sequence numbers ascend, each producer's for themselves, and times don't descend. */
bool analysis_ascends_each(struct analysis_point point);

/* Latencies of messages at each place in their batch. Of batches of the full size alone: in others a place means something else. */
struct analysis_positions {
	uint64_t batch;     /* places 1 … batch */
	uint64_t batches;   /* of that size: so many latencies has each place */
	uint64_t others;    /* messages in batches of another size */
	uint64_t alone;     /* of the full batches' stamps, those without a partner: then there are none at all */
	int64_t *latencies; /* ticks; batches of each place, place by place */
};

/* from: a producer's point, each of its messages stamped, flushes too: messages that were flushed at one time are one batch. False: no
 * memory. The caller frees latencies. */
bool analysis_by_position(struct analysis_point from, struct analysis_point to, uint64_t batch, struct analysis_positions *positions);

/* Jain's index of fairness over rates (R. Jain, D. Chiu, W. Hawe, 1984): 1 where all are equal, 1 / n where one has all; < 0: all are 0. */
double analysis_fairness(const double *rates, size_t n);

/* Whether sequence numbers ascend and times don't descend. */
bool analysis_ascends(struct analysis_point point);

/* Messages per second between two marks at one point; < 0: fewer than two distinct ones. */
double analysis_rate(const struct mark *first, const struct mark *last, double ticks_per_s);

/* The same between the two ends of a time that was set beforehand: where nothing passed in it, that is a rate of 0. */
double analysis_rate_of_time(const struct mark *begin, const struct mark *end, double ticks_per_s);

/* Whether the time from one mark to another is that of the measured phase, at least half of it: a rate of less says nothing of the rest. */
bool analysis_covers(const struct mark *first, const struct mark *last, uint64_t measured_ticks);

#endif
