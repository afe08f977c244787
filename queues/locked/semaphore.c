/* semaphore: a bounded ring between two counting semaphores, a message per permit and per lock.
 *
 * Source: the bounded buffer of E. W. Dijkstra's "Cooperating sequential processes", 1965, over POSIX semaphores.
 * Promise: any number of producers and consumers; order is kept; sleeps while it is full or empty.
 * How it works: semaphore_ring.h.
 * Limits: each message costs three calls for permits on either side, which are read-modify-writes of three words; a system call besides
 * wherever a side slept. It sleeps for its lock, and who loses its CPU between the lock and the permits that it is to give hides a
 * message (or room) of another's.
 */
#define SEMAPHORE_BATCHES false
#include "semaphore_ring.h"

QUEUE_TABLE(semaphore) = {
	.contract = QUEUE_CONTRACT,
	.name = "semaphore",
	.summary = "counting semaphores around a ring, a message per lock",
	.source = "bounded buffer by semaphores, E. W. Dijkstra, 1965",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1, .capacity_max = SEMAPHORE_CAPACITY_MAX,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true, .calls_in_loop = true,
	},
	SEMAPHORE_OPERATIONS,
};
