/* Tells a hang from a slow machine: only time counts that the machine gave and the threads made nothing of.
 *
 * Counted is the time in which this process ran, or in which none of its threads waited for a CPU (they all slept: a lost wake-up). Time in
 * which they were ready and others had the CPUs does not count, nor does what passes while anything moves on. */
#ifndef QUEUES_CHECK_PATIENCE_H
#define QUEUES_CHECK_PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

struct patience {
	uint64_t limit_ns, counted_ns;
	uint64_t progress;                 /* as it was told last */
	uint64_t wall_ns, ran_ns, queued_ns; /* at the last look: of this process and its threads */
};

/* Of so much time passed, in which this process's threads ran and were kept waiting so much in all: how much counts. */
uint64_t patience_counted(uint64_t wall_ns, uint64_t ran_ns, uint64_t queued_ns);

struct patience patience_begin(uint64_t limit_ns);
/* To be called every so often, with a number that changes when anything moves on. True: too long nothing did. */
bool patience_ends(struct patience *patience, uint64_t progress);

#endif
