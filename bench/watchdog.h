/* How long a trial may take before it is called hung. */
#ifndef BENCH_WATCHDOG_H
#define BENCH_WATCHDOG_H

#include <stdint.h>

#include "cell.h"

/* From the start of its process: warm-up and duration; or, where a count or a schedule ends it, what its messages may take at most; what it
 * may take to fault in and to drain its memory; and watchdog_ns beyond all that. rate_per_s: what an open load offers, as schedule_rate()
 * has it. */
uint64_t watchdog_limit_ns(const struct cell *cell, uint64_t rate_per_s, uint64_t watchdog_ns);

#endif
