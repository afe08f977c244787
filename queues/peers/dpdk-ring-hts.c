/* dpdk-ring-hts: DPDK's ring whose ends are one thread's at a time: for more threads than CPUs. */
#define DPDK_RING_FLAGS (RING_F_MP_HTS_ENQ | RING_F_MC_HTS_DEQ)
#define DPDK_RING_ENQUEUE rte_ring_mp_hts_enqueue_burst_elem
#define DPDK_RING_DEQUEUE rte_ring_mc_hts_dequeue_burst_elem
#include "dpdk_burst.h"

QUEUE_TABLE(dpdk_ring_hts) = {
	.contract = QUEUE_CONTRACT,
	.name = "dpdk-ring-hts",
	.summary = "DPDK rte_ring, HTS (head and tail in step): bursts",
	.source = DPDK_RING_SOURCE,
	.traits = {DPDK_RING_TRAITS, .shape = QUEUE_MPMC, .progress = QUEUE_WAITS_FOR_PREEMPTED},
	PEER_OPERATIONS,
};
