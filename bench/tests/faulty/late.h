/* Two queues that differ in one thing: the one works for 200 ns before it publishes. What is measured of them must differ by that.
 *
 * A processor that reorders would do the work beside the stores of the message, and fetch the line to publish in meanwhile: the two would
 * differ by what is left of the 200 ns, which is another number wherever the compiler lays the loop otherwise. So in both the message is
 * in memory first, then comes the work, if any, and the line that publishes is not known before. */
#ifndef BENCH_TESTS_FAULTY_LATE_H
#define BENCH_TESTS_FAULTY_LATE_H

#include "busy.h"
#include "clock.h"
#include "faulty_ring.h"

static uint64_t late_batches QUEUE_ALIGNED; /* of the one producer */

/* Returns `producer`, when all that this thread wrote is in memory and it has worked for so many steps after that. */
QUEUE_INLINE void *late_after_work(void *producer, uint64_t steps)
{
	uint64_t worked, same;

	__atomic_fetch_add(&late_batches, 1, __ATOMIC_SEQ_CST); /* pairs with nothing: it takes until the stores before it are done */
	worked = same = busy_work(clock_ticks_after(CLOCK_COUNTER), steps);

	__asm__ volatile("" : "+r"(same)); /* the difference is 0, but to be computed */
	return (unsigned char *)producer + (worked - same);
}

#endif
