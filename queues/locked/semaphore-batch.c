/* semaphore-batch: the queue `semaphore`, locked once per flush and once per preread.
 *
 * Source and promise: as semaphore. It is there to tell what batching gains from what semaphores cost.
 * How it works: semaphore_ring.h.
 * Limits: the lock is held while a whole batch is copied. It saves the lock's calls only: a batch of n messages takes n permits and
 * gives n, a call each, and each of the latter may wake somebody.
 */
#define SEMAPHORE_BATCHES true
#include "semaphore_ring.h"

QUEUE_TABLE(semaphore_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "semaphore-batch",
	.summary = "counting semaphores around a ring, a batch per lock",
	.source = "bounded buffer by semaphores, E. W. Dijkstra, 1965; batched",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1, .capacity_max = SEMAPHORE_CAPACITY_MAX,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .blocks_natively = true, .calls_in_loop = true,
	},
	SEMAPHORE_OPERATIONS,
};
