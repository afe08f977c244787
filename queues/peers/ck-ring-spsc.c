/* ck-ring-spsc: Concurrency Kit's ring for one producer and one consumer. */
#define CK_RING_ENQUEUE ck_ring_enqueue_spsc_peer
#define CK_RING_DEQUEUE ck_ring_dequeue_spsc_peer
#include "ck_ring.h"

QUEUE_TABLE(ck_ring_spsc) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("ck-ring-spsc"),
	.summary = "Concurrency Kit ck_ring, spsc",
	.source = CK_SOURCE,
	.traits = {CK_RING_TRAITS, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .progress = QUEUE_WAIT_FREE},
	PEER_OPERATIONS,
};
