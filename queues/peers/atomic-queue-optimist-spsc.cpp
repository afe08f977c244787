/* atomic-queue-optimist-spsc: SPSC = true, push and pop, which wait where they are. */
#define ATOMIC_QUEUE_SPSC 1
#define ATOMIC_QUEUE_OPTIMIST 1
#include "atomic_queue.h"

QUEUE_TABLE(atomic_queue_optimist_spsc) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("atomic-queue-optimist-spsc"),
	.summary = "atomic_queue with SPSC = true: push, pop, which spin",
	.source = ATOMIC_QUEUE_SOURCE,
	.traits = {ATOMIC_QUEUE_TRAITS},
	PEER_OPERATIONS,
};
