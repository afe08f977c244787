/* A test-and-test-and-set lock that gives up after some tries. As spin_ring.h wants it.
 *
 * Source: L. Rudolph and Z. Segall, 1984. */
#ifndef QUEUES_SPIN_LOCK_H
#define QUEUES_SPIN_LOCK_H

#include "locked_ring.h"

enum { SPIN_TRIES = 256 };

struct lock {
	uint32_t locked; /* all */
};

static inline void lock_init(struct lock *lock, const struct queue_config *config)
{
	(void)config;
	lock->locked = 0;
}

/* False: given up. */
QUEUE_INLINE bool lock_enter(struct lock *lock, struct locked_endpoint *self)
{
	(void)self;
	for (unsigned tries = 0; tries < SPIN_TRIES; tries++) {
		/* relaxed: only a hint whether the exchange is worth its while
		 * L1 acquire: pairs with L0 in lock_leave(): what the last holder wrote is seen by this one. */
		if (!load_relaxed(&lock->locked) && !exchange_acquire(&lock->locked, 1))
			return true;
		cpu_relax();
	}
	return false;
}

QUEUE_INLINE void lock_leave(struct lock *lock, struct locked_endpoint *self)
{
	(void)self;
	/* L0 release: pairs with L1 in lock_enter(). */
	store_release(&lock->locked, 0);
}

#endif
