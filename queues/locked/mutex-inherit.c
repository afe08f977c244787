/* mutex-inherit: the queue `mutex`, with a mutex whose holder inherits priority.
 *
 * Source: as mutex; priority inheritance: L. Sha, R. Rajkumar and J. P. Lehoczky, 1990; PTHREAD_PRIO_INHERIT.
 * Promise: as mutex; a thread of middle priority can't keep the holder, and so a waiter of high priority, from running.
 * How it works: mutex_ring.h.
 * Limits: as mutex; each lock that is waited for is handed over by the kernel (FUTEX_LOCK_PI), to the first in the row.
 */
#define MUTEX_BATCHES false
#define MUTEX_KIND MUTEX_INHERIT
#include "mutex_ring.h"

QUEUE_TABLE(mutex_inherit) = {
	.contract = QUEUE_CONTRACT,
	.name = "mutex-inherit",
	.summary = "mutex whose holder inherits priority, a message per lock",
	.source = "bounded buffer, P. Brinch Hansen, 1973; C. A. R. Hoare, 1974; priority inheritance: L. Sha et al., 1990",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true, .calls_in_loop = true,
	},
	MUTEX_OPERATIONS,
};
