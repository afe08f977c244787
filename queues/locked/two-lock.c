/* two-lock: an unbounded list with a lock at each end, a message per lock.
 *
 * Source: the two-lock queue of M. M. Michael and M. L. Scott, 1996.
 * Promise: any number of producers and consumers; order is kept; a producer never waits for a consumer, nor the other way round.
 * How it works: two_lock.h.
 * Limits: whoever loses its CPU while it holds a lock stops all others of its side. Each message costs a lock on either side and one
 * exchange for its node's way back. Memory follows the longest queue there ever was, and is given back at the end.
 */
#define TWO_LOCK_BATCHES false
#include "two_lock.h"

QUEUE_TABLE(two_lock) = {
	.contract = QUEUE_CONTRACT,
	.name = "two-lock",
	.summary = "unbounded list, a spinlock at each end, a message per lock",
	.source = "two-lock queue, M. M. Michael and M. L. Scott, 1996",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
	},
	TWO_LOCK_OPERATIONS,
};
