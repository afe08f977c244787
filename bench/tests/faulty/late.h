/* Two queues that differ in one thing: the one waits for 200 ns before it publishes, by a clock of its own. What is measured of them must differ
 * by that. (Whether the counter of the processor may be trusted is not asked.) */
#ifndef BENCH_TESTS_FAULTY_LATE_H
#define BENCH_TESTS_FAULTY_LATE_H

#include "clock.h"
#include "faulty_ring.h"

enum { LATE_NS = 200 };

static uint64_t late_ticks; /* as many as that */

static int late_create(const struct queue_config *config, void **queue)
{
	struct clock_pair from = clock_read_pair(CLOCK_COUNTER), to;

	do
		to = clock_read_pair(CLOCK_COUNTER);
	while (to.raw_ns - from.raw_ns < 10000000);
	late_ticks = (uint64_t)(clock_rate(&from, &to) * LATE_NS * 1e-9);
	return ring_create(config, queue);
}

/* `late`: known to the compiler. */
QUEUE_INLINE enum queue_flush late_or_not_flush(void *producer, bool late)
{
	if (late) {
		uint64_t end = clock_ticks(CLOCK_COUNTER) + late_ticks;

		while (clock_ticks(CLOCK_COUNTER) < end)
			;
	}
	return ring_flush(producer);
}

QUEUE_INLINE enum queue_flush late_flush(void *producer)
{
	return late_or_not_flush(producer, true);
}

QUEUE_INLINE enum queue_flush prompt_flush(void *producer)
{
	return late_or_not_flush(producer, false);
}

#endif
