/* Queues with planted bugs: what the checks are checked with. */
#ifndef QUEUES_TESTS_BROKEN_H
#define QUEUES_TESTS_BROKEN_H

#include "queue.h"

/* Who must refuse it. */
enum {
	BROKEN_BY_CONFORMANCE = 1,
	BROKEN_BY_STRESS = 2,
	BROKEN_BY_HISTORIES = 4,
	BROKEN_BY_THREAD_SANITIZER = 8, /* stress under ThreadSanitizer: x86 hides this bug from all others */
};

struct broken {
	const char *bug;
	const struct queue *queue;
	unsigned caught_by; /* 0: it is not broken, and must pass */
	const char *called; /* what histories must call it; NULL: anything */
};

/* Ended by a NULL queue. */
extern const struct broken broken_list[];

#endif
