/* two-lock-batch: the queue `two-lock`, locked once per flush and once per preread.
 *
 * Source and promise: as two-lock. It is there to tell what batching gains from what the second lock does.
 * How it works: two_lock.h.
 * Limits: as two-lock; the head's lock is held while a whole batch is copied out, the tail's only while it is linked.
 */
#define TWO_LOCK_BATCHES true
#include "two_lock.h"

QUEUE_TABLE(two_lock_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "two-lock-batch",
	.summary = "unbounded list, a spinlock at each end, a batch per lock",
	.source = "two-lock queue, M. M. Michael and M. L. Scott, 1996; batched",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	TWO_LOCK_OPERATIONS,
};
