/* atomic-queue-optimist: any number of producers and consumers, push and pop, which wait where they are. */
#define ATOMIC_QUEUE_SPSC 0
#define ATOMIC_QUEUE_OPTIMIST 1
#include "atomic_queue.h"

QUEUE_TABLE(atomic_queue_optimist) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("atomic-queue-optimist"),
	.summary = "atomic_queue: push, pop, which claim a place and spin for it",
	.source = ATOMIC_QUEUE_SOURCE,
	.traits = {ATOMIC_QUEUE_TRAITS},
	PEER_OPERATIONS,
};
