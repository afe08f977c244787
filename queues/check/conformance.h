/* What every queue must do, checked by one thread. Which checks apply follows from the queue's traits: a queue adds no code. */
#ifndef QUEUES_CHECK_CONFORMANCE_H
#define QUEUES_CHECK_CONFORMANCE_H

#include "queue.h"
#include "verdict.h"

struct conformance_check {
	const char *name; /* a behaviour */
	void (*check)(const struct queue *queue, struct verdict *verdict);
};

/* In order of growing demands, ended by a NULL name. */
extern const struct conformance_check conformance_checks[];

/* Runs one check in a process of its own (verdict.h says what is asked of the caller), for no longer than that: a check takes well under a
 * second. */
struct verdict conformance_run(const struct queue *queue, const struct conformance_check *check, unsigned seconds);

#endif
