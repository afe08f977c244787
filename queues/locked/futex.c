/* futex: a bounded ring under a lock of its own, made of futexes only, a message per lock.
 *
 * Source: the lock of three states of U. Drepper's "Futexes are tricky", 2004; sleep on the ring's own counters instead of condition
 * variables.
 * Promise: any number of producers and consumers; order is kept; sleeps while it is full or empty; no system call where nobody waits.
 * How it works: futex_ring.h.
 * Limits: each message costs a lock on either side. Who does not get the lock at once goes to sleep. Nobody is served in turn.
 */
#define FUTEX_BATCHES false
#include "futex_ring.h"

QUEUE_TABLE(futex) = {
	.contract = QUEUE_CONTRACT,
	.name = "futex",
	.summary = "futex lock around a ring, sleeps on its counters, a message per lock",
	.source = "lock of three states, U. Drepper, 2004, around a ring that is slept upon",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true,
	},
	FUTEX_OPERATIONS,
};
