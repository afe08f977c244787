/* The round trip of one cache line between two threads, and how far apart their clocks are. */
#ifndef BENCH_LINE_H
#define BENCH_LINE_H

#include "clock.h"
#include "queue.h"

enum { LINE_GROUPS = 64, LINE_GROUP_TRIPS = 16, LINE_STAMPED_TRIPS = 256 };

/* Shared by the two sides; to be zeroed before each use. */
struct line_exchange {
	uint64_t word QUEUE_ALIGNED;
	uint64_t answered[LINE_STAMPED_TRIPS] QUEUE_ALIGNED; /* ticks on the answering side */
};

struct line_result {
	double median_ticks; /* over groups of trips without stamps */
	double least_ticks;
	/* the answering side's clock minus the asking side's lies between these, in ticks */
	int64_t offset_low, offset_high;
};

/* One side calls line_ask(), the other line_answer(), at about the same time. yields: both threads have one CPU, so each lets
 * the other run while it waits. */
void line_ask(struct line_exchange *exchange, enum clock_source clock, bool yields, struct line_result *result);
void line_answer(struct line_exchange *exchange, enum clock_source clock, bool yields);

#endif
