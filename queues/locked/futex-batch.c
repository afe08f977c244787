/* futex-batch: the queue `futex`, locked once per flush and once per preread.
 *
 * Source and promise: as futex. It is there to tell what batching gains from what the lock and its sleepers cost.
 * How it works: futex_ring.h.
 * Limits: as futex; the lock is held while a whole batch is copied.
 */
#define FUTEX_BATCHES true
#include "futex_ring.h"

QUEUE_TABLE(futex_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "futex-batch",
	.summary = "futex lock around a ring, sleeps on its counters, a batch per lock",
	.source = "lock of three states, U. Drepper, 2004, around a ring that is slept upon; batched",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .blocks_natively = true,
	},
	FUTEX_OPERATIONS,
};
