/* Two queues that differ in one thing: the one works for 200 ns before it publishes. What is measured of them must differ by that. */
#ifndef BENCH_TESTS_FAULTY_LATE_H
#define BENCH_TESTS_FAULTY_LATE_H

#include "busy.h"
#include "faulty_ring.h"

enum { LATE_NS = 200 };

static uint64_t late_steps; /* that take as long */

static int late_create(const struct queue_config *config, void **queue)
{
	double took_ns;

	late_steps = busy_calibrate(LATE_NS, &took_ns);
	return ring_create(config, queue);
}

QUEUE_INLINE enum queue_flush late_flush(void *producer)
{
	busy_work(1, late_steps);
	return ring_flush(producer);
}

#endif
