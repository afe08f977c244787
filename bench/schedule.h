/* From what a cell asks for to each producer's schedule; and whether a producer kept to it. */
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H

#include "arrivals.h"
#include "cell.h"
#include "endpoint.h"

/* The schedule of one producer of an open load. rate_per_s: of all producers together, ≥ 1; means nothing where the cell has a gap. The
 * producers' constant arrivals and bursts take turns. seed: of the trial. */
void schedule_make(struct arrivals *arrivals, const struct cell *cell, unsigned producer, uint64_t rate_per_s, double ticks_per_s,
		   uint64_t seed);

/* Messages per second that all producers together offer. */
double schedule_rate(const struct cell *cell, uint64_t rate_per_s);

/* Of a producer's stamps, how many don't say what the schedule says. */
uint64_t schedule_misses(const struct arrivals *arrivals, uint64_t start, const struct stamps *stamps);

#endif
