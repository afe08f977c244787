/* mutex-poll-batch: the queue `mutex-poll`, locked once per flush and once per preread.
 *
 * Source and promise: as mutex-poll. It is there to tell what batching gains from what the kind of lock does.
 * How it works: mutex_ring.h.
 * Limits: as mutex-poll; the lock is held while a whole batch is copied.
 */
#define MUTEX_BATCHES true
#define MUTEX_POLLS 2048 /* about 40 us on a 3 GHz core */
#include "mutex_ring.h"

QUEUE_TABLE(mutex_poll_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "mutex-poll-batch",
	.summary = "mutex, polls before it sleeps, a batch per lock",
	.source = "bounded buffer, P. Brinch Hansen, 1973; C. A. R. Hoare, 1974; polling: A. R. Karlin et al., 1991; batched",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .blocks_natively = true, .calls_in_loop = true,
	},
	MUTEX_OPERATIONS,
};
