/* The ticket lock. As spin_ring.h wants it.
 *
 * Source: D. P. Reed and R. K. Kanodia, 1979 (sequencer and event count); with a pause by one's place in the row: J. M. Mellor-Crummey
 * and M. L. Scott, 1991.
 *
 * Served in the order of arrival: who has drawn a ticket can't give up, and a waiter that lost its CPU holds up all that came after it.
 * After some polls a waiter gives its CPU away, so that the threads of one CPU come to an end without burning time slices. */
#ifndef QUEUES_TICKET_LOCK_H
#define QUEUES_TICKET_LOCK_H

#include <sched.h>

#include "locked_ring.h"

enum {
	TICKET_POLLS = 256,    /* before each yield */
	TICKET_PAUSE_MOST = 32, /* waiters ahead that are paused for */
};

/* One line for both words: a thread that draws a ticket needs both, and the holder writes them both in turn. */
struct lock {
	uint32_t next;    /* all: tickets drawn */
	uint32_t serving; /* the holder's: the ticket that holds the lock */
};

static inline void lock_init(struct lock *lock, const struct queue_config *config)
{
	lock->next = lock->serving = (uint32_t)config->counter_start;
}

static QUEUE_COLD void ticket_yield(void)
{
	sched_yield();
}

QUEUE_INLINE bool lock_enter(struct lock *lock, struct locked_endpoint *self)
{
	/* relaxed: only the ticket counts; what the last holder wrote comes with L1. */
	uint32_t mine = fetch_add_relaxed(&lock->next, 1), ahead;
	unsigned polls = 0;

	(void)self;
	/* L1 acquire: pairs with L0 in lock_leave(): what the last holder wrote is seen by this one. */
	while ((ahead = mine - load_acquire(&lock->serving))) {
		if (queue_unlikely(++polls >= TICKET_POLLS)) {
			polls = 0;
			ticket_yield();
		}
		for (uint32_t i = 0; i < ahead && i < TICKET_PAUSE_MOST; i++)
			cpu_relax();
	}
	return true;
}

QUEUE_INLINE void lock_leave(struct lock *lock, struct locked_endpoint *self)
{
	(void)self;
	/* relaxed: this holder is the only one who writes it. L0 release: pairs with L1 in lock_enter(). */
	store_release(&lock->serving, load_relaxed(&lock->serving) + 1);
}

#endif
