/* mutex: a bounded ring under a mutex and two condition variables, a message per lock.
 *
 * Source: the textbook's bounded buffer (P. Brinch Hansen, 1973; C. A. R. Hoare, 1974), over POSIX threads.
 * Promise: any number of producers and consumers; order is kept; sleeps while it is full or empty.
 * How it works: mutex_ring.h.
 * Limits: each message costs a lock on either side, and a system call wherever a side slept.
 */
#define MUTEX_BATCHES false
#include "mutex_ring.h"

QUEUE_TABLE(mutex) = {
	.contract = QUEUE_CONTRACT,
	.name = "mutex",
	.summary = "mutex and condition variables, a message per lock",
	.source = "bounded buffer, P. Brinch Hansen, 1973; C. A. R. Hoare, 1974",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true, .calls_in_loop = true,
	},
	MUTEX_OPERATIONS,
};
