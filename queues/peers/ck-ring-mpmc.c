/* ck-ring-mpmc: Concurrency Kit's ring for any number of both. */
#define CK_RING_ENQUEUE ck_ring_enqueue_mpmc_peer
#define CK_RING_DEQUEUE ck_ring_dequeue_mpmc_peer
#include "ck_ring.h"

QUEUE_TABLE(ck_ring_mpmc) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("ck-ring-mpmc"),
	.summary = "Concurrency Kit ck_ring, mpmc",
	.source = CK_SOURCE,
	.traits = {CK_RING_TRAITS, .shape = QUEUE_MPMC, .progress = QUEUE_WAITS_FOR_PREEMPTED},
	PEER_OPERATIONS,
};
