/* dpdk-ring-rts: DPDK's ring whose tail is moved by the last of those under way: for more threads than CPUs. */
#define DPDK_RING_FLAGS (RING_F_MP_RTS_ENQ | RING_F_MC_RTS_DEQ)
#define DPDK_RING_ENQUEUE rte_ring_mp_rts_enqueue_burst_elem
#define DPDK_RING_DEQUEUE rte_ring_mc_rts_dequeue_burst_elem
#include "dpdk_burst.h"

QUEUE_TABLE(dpdk_ring_rts) = {
	.contract = QUEUE_CONTRACT,
	.name = "dpdk-ring-rts",
	.summary = "DPDK rte_ring, RTS (relaxed tail): bursts",
	.source = DPDK_RING_SOURCE,
	.traits = {DPDK_RING_TRAITS, .shape = QUEUE_MPMC, .progress = QUEUE_WAITS_FOR_PREEMPTED},
	PEER_OPERATIONS,
};
