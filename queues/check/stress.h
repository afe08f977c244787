/* Contended stress: threads that write and read a queue with random batches and pauses, and wait as wait.h says. */
#ifndef QUEUES_CHECK_STRESS_H
#define QUEUES_CHECK_STRESS_H

#include "queue.h"
#include "verdict.h"
#include "wait.h"

enum { STRESS_ENDPOINTS_MAX = 4 }; /* of each kind */

struct stress_case {
	const struct queue *queue;
	enum wait_policy wait;
	size_t capacity, message_bytes, batch; /* as near as the queue's traits allow */
	unsigned producers, consumers;
	uint64_t messages;                     /* by each producer */
	uint64_t counter_start, seed;
	bool one_cpu;                          /* all threads share one */
	unsigned watchdog_seconds;
};

/* Whether the queue's traits allow such a case at all. */
bool stress_allows(const struct queue *queue, enum wait_policy wait, unsigned producers, unsigned consumers);

/* Runs one case in a process of its own. Nothing may be lost, read twice, invented, torn, or out of its producer's order; of a
 * lossy queue values must only never go backwards, and of a multicast one all this holds for each consumer. A failure's text names the queue and the case. */
struct verdict stress_run(const struct stress_case *stress);

/* All cases that make sense for a queue, `times` as many messages each; stops at the first that fails. *cases counts them. */
struct verdict stress_run_all(const struct queue *queue, unsigned times, unsigned watchdog_seconds, unsigned *cases);

#endif
