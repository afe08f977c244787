/* mutex-poll: the queue `mutex`, whose waiters look for a while before they sleep.
 *
 * Source: as mutex; polling for about as long as a sleep and its wake-up cost: A. R. Karlin, K. Li, M. S. Manasse and S. Owicki, 1991.
 * Promise: as mutex.
 * How it works: mutex_ring.h.
 * Limits: as mutex; a waiter's CPU is busy for up to 2048 polls; where both sides share one CPU they are for nothing. Of use only to
 * those who wait by the queue's own means: flush and preread don't wait.
 */
#define MUTEX_BATCHES false
#define MUTEX_POLLS 2048 /* about 40 us on a 3 GHz core */
#include "mutex_ring.h"

QUEUE_TABLE(mutex_poll) = {
	.contract = QUEUE_CONTRACT,
	.name = "mutex-poll",
	.summary = "mutex, polls before it sleeps, a message per lock",
	.source = "bounded buffer, P. Brinch Hansen, 1973; C. A. R. Hoare, 1974; polling: A. R. Karlin et al., 1991",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true, .calls_in_loop = true,
	},
	MUTEX_OPERATIONS,
};
