/* dpdk-ring-spsc: DPDK's ring for one producer and one consumer. */
#define DPDK_RING_FLAGS (RING_F_SP_ENQ | RING_F_SC_DEQ)
#define DPDK_RING_ENQUEUE rte_ring_sp_enqueue_burst_elem
#define DPDK_RING_DEQUEUE rte_ring_sc_dequeue_burst_elem
#include "dpdk_burst.h"

QUEUE_TABLE(dpdk_ring_spsc) = {
	.contract = QUEUE_CONTRACT,
	.name = "dpdk-ring-spsc",
	.summary = "DPDK rte_ring, SP/SC: bursts",
	.source = DPDK_RING_SOURCE,
	.traits = {DPDK_RING_TRAITS, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .progress = QUEUE_WAIT_FREE},
	PEER_OPERATIONS,
};
