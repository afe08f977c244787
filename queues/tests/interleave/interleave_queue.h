/* A queue under the interleaver: producers that write a few messages, consumers that look a few times, and what must have come of it. */
#ifndef QUEUES_TESTS_INTERLEAVE_QUEUE_H
#define QUEUES_TESTS_INTERLEAVE_QUEUE_H

#include "interleave.h"
#include "queue.h"

struct interleave_case {
	unsigned producers, consumers;
	unsigned messages; /* by each producer, at most */
	size_t batch, capacity;
	unsigned looks;    /* a consumer's prereads; a producer's attempts at each batch */
	uint64_t counter_start;
	const struct queue *only; /* of this queue; NULL: of all */
	bool many;         /* schedules, also of a queue that has few in the other cases */
};

struct interleave_result interleave_queue(const struct queue *queue, const struct interleave_case *one,
					  const struct interleave_options *options);

#endif
