/* dpdk-ring-mpmc: DPDK's ring for any number of both; each waits for those who claimed before it. */
#define DPDK_RING_FLAGS (0)
#define DPDK_RING_ENQUEUE rte_ring_mp_enqueue_burst_elem
#define DPDK_RING_DEQUEUE rte_ring_mc_dequeue_burst_elem
#include "dpdk_burst.h"

QUEUE_TABLE(dpdk_ring_mpmc) = {
	.contract = QUEUE_CONTRACT,
	.name = "dpdk-ring-mpmc",
	.summary = "DPDK rte_ring, MP/MC: bursts",
	.source = DPDK_RING_SOURCE,
	.traits = {DPDK_RING_TRAITS, .shape = QUEUE_MPMC, .progress = QUEUE_WAITS_FOR_PREEMPTED},
	PEER_OPERATIONS,
};
