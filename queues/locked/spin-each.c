/* spin-each: the queue `spin`, locked once per message.
 *
 * Source and promise: as spin. It is there to tell what batching gains from what the lock costs.
 * How it works: spin_ring.h, spin_lock.h.
 * Limits: as spin; each message costs a lock on either side.
 */
#define SPIN_BATCHES false
#include "spin_lock.h"
#include "spin_ring.h"

QUEUE_TABLE(spin_each) = {
	.contract = QUEUE_CONTRACT,
	.name = "spin-each",
	.summary = "spinlock around a ring, a message per lock",
	.source = "test-and-test-and-set lock, L. Rudolph and Z. Segall, 1984; one by one",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
	},
	SPIN_OPERATIONS,
};
