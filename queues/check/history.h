/* Histories: what threads did to a queue, when, and whether any queue could have behaved so.
 *
 * An operation takes effect at one instant between its begin and its end. A history that no order of such instants explains shows one
 * of four patterns: a value from nowhere, a value twice, two values in inverted order, a false "empty" (T. Henzinger, A. Sezgin, V.
 * Vafeiadis, "Aspect-oriented linearizability proofs", 2013; as conditions on the times alone: A. Bouajjani, M. Emmi, C. Enea, J.
 * Hamza, 2015). Searching for them takes n log n; it needs no search through orders. */
#ifndef QUEUES_CHECK_HISTORY_H
#define QUEUES_CHECK_HISTORY_H

#include "queue.h"

enum history_kind {
	/* From before the first flush that may publish the value (of a queue in place, before the prewrite that gave it its slot, and
	 * with it perhaps its place in the order) to the end of the flush that did. */
	HISTORY_ENQUEUE,
	HISTORY_DEQUEUE, /* the preread that noted the value */
	HISTORY_EMPTY,   /* a preread that found nothing */
};

struct history_operation {
	uint64_t begin, end; /* begin ≤ end; a ends before b begins only if that is so on any clock */
	uint64_t value;      /* not 0, and enqueued once; of HISTORY_EMPTY 0 */
	enum history_kind kind;
	unsigned endpoint;   /* the producer's, the consumer's index */
};

struct history {
	const struct history_operation *operations; /* each endpoint's in its own order */
	size_t count;
	unsigned consumers;
	bool drained;        /* read to the end when all was enqueued */
};

enum history_pattern {
	HISTORY_FINE,
	HISTORY_FROM_NOWHERE, /* dequeued, but never enqueued, or before that began */
	HISTORY_TWICE,        /* dequeued twice; of a multicast queue, by one consumer */
	HISTORY_LOST,         /* of a drained history: never dequeued (not of a lossy queue) */
	HISTORY_INVERTED,     /* a was enqueued before b began to be, but b was dequeued before a began to be */
	HISTORY_FALSE_EMPTY,  /* nothing found, though something was surely there all the while */
};

struct history_violation {
	enum history_pattern pattern;
	/* what shows it. inverted: a and b enqueued, b and a dequeued. false empty: the preread, a value's enqueue, perhaps its dequeue */
	struct history_operation operations[4];
	size_t count;
};

/* What is demanded follows from the traits:
 *	inverted     by order: of all values; of one producer's, as one consumer was handed them; of none
 *	false empty  not of lossy queues, nor of those where a preempted thread stops others (they may find nothing while it is
 *	             half-way), nor of those that the kernel fills in its own time. Where the order is total, different values may
 *	             prove it in turn; else, one must have been there all the while, and where there are lanes, in one of that
 *	             consumer's.
 *	multicast    all by consumer
 * Returns 0 with violation->pattern (HISTORY_FINE: none), −ENOMEM, or −EINVAL: a value is enqueued twice. */
int history_check(const struct history *history, const struct queue_traits *traits, struct history_violation *violation);

/* One line. */
char *history_violation_text(const struct history_violation *violation, char *text, size_t size);

#endif
