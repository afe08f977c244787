/* spin: a bounded ring under a spinlock, locked once per flush and once per preread.
 *
 * Source: test-and-test-and-set lock (L. Rudolph and Z. Segall, 1984) around one ring.
 * Promise: any number of producers and consumers; order is kept.
 * How it works: spin_ring.h, spin_lock.h.
 * Limits: whoever loses its CPU while it holds the lock stops all others.
 */
#define SPIN_BATCHES true
#include "spin_lock.h"
#include "spin_ring.h"

QUEUE_TABLE(spin) = {
	.contract = QUEUE_CONTRACT,
	.name = "spin",
	.summary = "spinlock around a ring, a batch per lock",
	.source = "test-and-test-and-set lock, L. Rudolph and Z. Segall, 1984",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	SPIN_OPERATIONS,
};
