/* mutex-normal: the queue `mutex`, with POSIX's default kind of mutex.
 *
 * Source: as mutex, with PTHREAD_MUTEX_NORMAL: the lock of U. Drepper's "Futexes are tricky", 2004, as glibc has it.
 * Promise: as mutex. It is there to tell what the adaptive kind's spinning gains.
 * How it works: mutex_ring.h.
 * Limits: as mutex; who does not get the lock at once goes to sleep, however soon it would be free.
 */
#define MUTEX_BATCHES false
#define MUTEX_KIND MUTEX_NORMAL
#include "mutex_ring.h"

QUEUE_TABLE(mutex_normal) = {
	.contract = QUEUE_CONTRACT,
	.name = "mutex-normal",
	.summary = "mutex of the default kind, a message per lock",
	.source = "bounded buffer, P. Brinch Hansen, 1973; C. A. R. Hoare, 1974; PTHREAD_MUTEX_NORMAL",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true, .calls_in_loop = true,
	},
	MUTEX_OPERATIONS,
};
