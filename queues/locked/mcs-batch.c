/* mcs-batch: the queue `mcs`, locked once per flush and once per preread.
 *
 * Source and promise: as mcs. It is there to tell what batching gains from what the lock costs.
 * How it works: spin_ring.h, mcs_lock.h.
 * Limits: as mcs; the lock is held while a whole batch is copied.
 */
#define SPIN_BATCHES true
#include "mcs_lock.h"
#include "spin_ring.h"

QUEUE_TABLE(mcs_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "mcs-batch",
	.summary = "MCS lock around a ring, a batch per lock",
	.source = "MCS lock, J. M. Mellor-Crummey and M. L. Scott, 1991; batched",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	SPIN_OPERATIONS,
};
