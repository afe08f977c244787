/* The ring of DPDK (rte_ring), used without its environment (EAL): in the queue's own memory, of elements of the message's size. Its number of
 * slots is a power of two, and it holds one message less. */
#ifndef QUEUES_PEERS_DPDK_RING_H
#define QUEUES_PEERS_DPDK_RING_H

#include <rte_config.h>

#include <rte_ring.h>
#include <rte_ring_elem.h>

#include "queue.h"

/* Bytes, or −EINVAL. */
static ssize_t dpdk_ring_bytes(const struct queue_config *config)
{
	return rte_ring_get_memsize_elem((unsigned)queue_stride(config->message_bytes), (unsigned)config->capacity);
}

/* NULL: no memory. The slots lie behind the ring. */
static struct rte_ring *dpdk_ring_open(const struct queue_config *config, unsigned flags)
{
	size_t bytes = (size_t)dpdk_ring_bytes(config);
	struct rte_ring *ring = (struct rte_ring *)config->memory->allocate(config->memory, bytes, QUEUE_LINE_PAIR);

	if (ring && rte_ring_init(ring, "twopoint", (unsigned)config->capacity, flags)) {
		config->memory->release(config->memory, ring, bytes);
		return NULL;
	}
	return ring;
}

static void dpdk_ring_close(struct rte_ring *ring, const struct queue_config *config)
{
	config->memory->release(config->memory, ring, (size_t)dpdk_ring_bytes(config));
}

#define DPDK_RING_SOURCE "DPDK, O. Matz et al., after FreeBSD's buf_ring, K. Macy; " PEER_VERSION

#define DPDK_RING_TRAITS                                                                                               \
	.role = QUEUE_PEER, .bounded = true, .capacity_min = 2, .capacity_max = 1u << 24, .capacity_power_of_two = true, \
	.capacity_approximate = true, .message_min = QUEUE_MESSAGE_MIN, .message_max = 4096,                           \
	.order = QUEUE_ORDER_TOTAL, .batches = true

#endif
