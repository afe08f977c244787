/* DPDK's ring, messages copied in and out: as many as there is room for go in, as many as there are come out ("burst"). Its file sets
 * DPDK_RING_FLAGS, DPDK_RING_ENQUEUE and DPDK_RING_DEQUEUE. Of 8 and of 64 bytes the size is a constant, as it is for who knows what he sends. */
#include "dpdk_ring.h"

#define PEER_BATCHES true
#include "peer.h"

struct peer_queue {
	struct rte_ring ring; /* its slots behind it */
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	ssize_t size = dpdk_ring_bytes(config);

	(void)outstanding;
	*bytes = (size_t)size;
	return size < 0 ? -22 : 0; /* −EINVAL */
}

static peer_queue *peer_open(const struct queue_config *config)
{
	return (peer_queue *)dpdk_ring_open(config, DPDK_RING_FLAGS);
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	dpdk_ring_close(&queue->ring, config);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	struct rte_ring *ring = &endpoint->queue->ring;
	const unsigned stride = (unsigned)endpoint->stage.stride;

	return stride == 8    ? DPDK_RING_ENQUEUE(ring, messages, 8, (unsigned)n, NULL)
	       : stride == 64 ? DPDK_RING_ENQUEUE(ring, messages, 64, (unsigned)n, NULL)
			      : DPDK_RING_ENQUEUE(ring, messages, stride, (unsigned)n, NULL);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	struct rte_ring *ring = &endpoint->queue->ring;
	const unsigned stride = (unsigned)endpoint->stage.stride;

	return stride == 8    ? DPDK_RING_DEQUEUE(ring, messages, 8, (unsigned)n, NULL)
	       : stride == 64 ? DPDK_RING_DEQUEUE(ring, messages, 64, (unsigned)n, NULL)
			      : DPDK_RING_DEQUEUE(ring, messages, stride, (unsigned)n, NULL);
}
