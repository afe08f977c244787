/* mcs: a bounded ring under an MCS lock, a message per lock.
 *
 * Source: list-based queueing lock (J. M. Mellor-Crummey and M. L. Scott, 1991) around one ring.
 * Promise: any number of producers and consumers; order is kept; the lock is got in the order of arrival.
 * How it works: spin_ring.h, mcs_lock.h.
 * Limits: whoever loses its CPU while it holds the lock, or waits for it in the row, stops all others.
 * Each message costs a lock on either side.
 */
#define SPIN_BATCHES false
#include "mcs_lock.h"
#include "spin_ring.h"

QUEUE_TABLE(mcs) = {
	.contract = QUEUE_CONTRACT,
	.name = "mcs",
	.summary = "MCS lock around a ring, a message per lock",
	.source = "MCS lock, J. M. Mellor-Crummey and M. L. Scott, 1991",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
	},
	SPIN_OPERATIONS,
};
