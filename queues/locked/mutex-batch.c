/* mutex-batch: the queue `mutex`, locked once per flush and once per preread.
 *
 * Source and promise: as mutex. It is there to tell what batching gains from what being lock-free gains.
 * How it works: mutex_ring.h.
 * Limits: the lock is held while a whole batch is copied.
 */
#define MUTEX_BATCHES true
#include "mutex_ring.h"

QUEUE_TABLE(mutex_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "mutex-batch",
	.summary = "mutex and condition variables, a batch per lock",
	.source = "bounded buffer, P. Brinch Hansen, 1973; C. A. R. Hoare, 1974; batched",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .blocks_natively = true, .calls_in_loop = true,
	},
	MUTEX_OPERATIONS,
};
