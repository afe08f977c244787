/* atomic-queue: any number of producers and consumers, try_push and try_pop. */
#define ATOMIC_QUEUE_SPSC 0
#define ATOMIC_QUEUE_OPTIMIST 0
#include "atomic_queue.h"

QUEUE_TABLE(atomic_queue) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("atomic-queue"),
	.summary = "atomic_queue: try_push, try_pop",
	.source = ATOMIC_QUEUE_SOURCE,
	.traits = {ATOMIC_QUEUE_TRAITS},
	PEER_OPERATIONS,
};
