/* How much of an open load's schedule was written, by the number of messages alone. */
#ifndef RESULTS_OPEN_SHARE_H
#define RESULTS_OPEN_SHARE_H

#include <stdbool.h>
#include <stdint.h>

/* What all producers of a trial together offered. */
struct open_offer {
	double per_s, duration_ns;
	uint64_t burst;     /* messages due at once; 0 and 1: each by itself */
	uint64_t producers; /* each has a schedule of its own; 0 is 1 */
	bool random;        /* Poisson arrivals; else chance has no part in how many are due */
};

/* For a trial whose stamps tell no rate: messages written, over those that were due; < 0: unknown. It is told only where far fewer were
 * written than chance, and what a schedule has at its edges, let be due: one that has few messages tells nothing. */
double open_share_written(uint64_t written, const struct open_offer *offer);

#endif
