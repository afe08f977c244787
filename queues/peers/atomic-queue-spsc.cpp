/* atomic-queue-spsc: SPSC = true, try_push and try_pop. */
#define ATOMIC_QUEUE_SPSC 1
#define ATOMIC_QUEUE_OPTIMIST 0
#include "atomic_queue.h"

QUEUE_TABLE(atomic_queue_spsc) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("atomic-queue-spsc"),
	.summary = "atomic_queue with SPSC = true: try_push, try_pop",
	.source = ATOMIC_QUEUE_SOURCE,
	.traits = {ATOMIC_QUEUE_TRAITS},
	PEER_OPERATIONS,
};
