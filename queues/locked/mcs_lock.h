/* The list-based queueing lock. As spin_ring.h wants it.
 *
 * Source: J. M. Mellor-Crummey and M. L. Scott, 1991.
 *
 * Waiters form a list, and each spins on a word of its own, which its predecessor writes once. Who is in the list can't give up, and a
 * waiter that lost its CPU holds up all that came after it. After some polls a waiter gives its CPU away, so that the threads of one
 * CPU come to an end without burning time slices. */
#ifndef QUEUES_MCS_LOCK_H
#define QUEUES_MCS_LOCK_H

#include <sched.h>

#include "queue.h"

enum { MCS_POLLS = 256 }; /* before each yield */

/* An endpoint's place in the list. */
struct mcs_place {
	struct mcs_place *next; /* the successor's, who writes it once */
	uint32_t waits;         /* its owner's, then the predecessor's, who writes it once */
};

#define LOCKED_PLACE struct mcs_place
#include "locked_ring.h"

struct lock {
	struct mcs_place *last; /* all: who came last; NULL: nobody holds the lock */
};

static inline void lock_init(struct lock *lock, const struct queue_config *config)
{
	(void)config;
	lock->last = NULL;
}

static QUEUE_COLD void mcs_yield(void)
{
	sched_yield();
}

/* One poll in vain. */
QUEUE_INLINE void mcs_pause(unsigned *polls)
{
	cpu_relax();
	if (queue_unlikely(++*polls >= MCS_POLLS)) {
		*polls = 0;
		mcs_yield();
	}
}

QUEUE_INLINE bool lock_enter(struct lock *lock, struct locked_endpoint *self)
{
	struct mcs_place *mine = &self->place, *before;
	unsigned polls = 0;

	/* relaxed, both: nobody knows of this place yet; L2 and N0 make it known. */
	store_relaxed(&mine->next, NULL);
	store_relaxed(&mine->waits, 1);
	/* L2 acq_rel. Release: pairs with itself in the successor, who gets to know this place by it. Acquire: pairs with L0 in
	 * lock_leave(): what the last holder wrote is seen by this one, where nobody holds the lock. */
	before = exchange_acq_rel(&lock->last, mine);
	if (!before)
		return true;
	/* N0 release: pairs with N1 in lock_leave(): makes this place's contents known. */
	store_release(&before->next, mine);
	/* H1 acquire: pairs with H0 in lock_leave(): what the last holder wrote is seen by this one. */
	while (load_acquire(&mine->waits))
		mcs_pause(&polls);
	return true;
}

QUEUE_INLINE void lock_leave(struct lock *lock, struct locked_endpoint *self)
{
	struct mcs_place *mine = &self->place, *expected = mine, *next;
	unsigned polls = 0;

	/* N1 acquire: pairs with N0 in lock_enter(). */
	next = load_acquire(&mine->next);
	if (!next) {
		/* L0 release: pairs with L2 in lock_enter(). */
		if (compare_exchange_acq_rel(&lock->last, &expected, NULL))
			return;
		/* somebody came, but has not told its place yet. N1, again. */
		while (!(next = load_acquire(&mine->next)))
			mcs_pause(&polls);
	}
	/* H0 release: pairs with H1 in lock_enter(). */
	store_release(&next->waits, 0);
}

#endif
