/* Busy work: what a consumer does with a message, or a producer before the next one. A computation of so many steps, each of which needs
 * the one before. It reads no clock, which costs 10 to 30 ns a reading and slows a sibling thread, and touches no memory, so that the queue
 * keeps its cache; and a stall makes it late, as it makes real work late, where a wait for a time would count the stall as work. */
#ifndef BENCH_BUSY_H
#define BENCH_BUSY_H

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* x: any number; the first step needs it. Returns what became of it. */
static inline __attribute__((always_inline)) uint64_t busy_work(uint64_t x, uint64_t steps)
{
	for (; steps; steps--) {
		x = x * 0xd1342543de82ef95u + 1;
		__asm__ volatile("" : "+r"(x)); /* so that no step is left out, or done beforehand */
	}
	return x;
}

/* How many steps take so long on the calling thread's CPU, at least 1; *took_ns: how long they took, the median of some times. */
uint64_t busy_calibrate(uint64_t ns, double *took_ns);

#ifdef __cplusplus
}
#endif

#endif
