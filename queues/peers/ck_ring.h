/* The ring of Concurrency Kit, by S. Al Bahra. Its file sets CK_RING_ENQUEUE, CK_RING_DEQUEUE. It holds one message less than its size, and has
 * no call for several. */
#include <ck_ring.h>

#define PEER_BATCHES false
#include "peer.h"

CK_RING_PROTOTYPE(peer, peer_record)

struct peer_queue {
	struct ck_ring ring;
	struct peer_record *records;
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, sizeof(struct peer_record), sizeof(peer_queue), bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	peer_queue *queue = (peer_queue *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);

	if (!queue)
		return NULL;
	ck_ring_init(&queue->ring, (unsigned)config->capacity);
	queue->records = (struct peer_record *)memory->allocate(memory, config->capacity * sizeof(struct peer_record), QUEUE_LINE_PAIR);
	if (queue->records)
		return queue;
	memory->release(memory, queue, sizeof(*queue));
	return NULL;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	config->memory->release(config->memory, queue->records, config->capacity * sizeof(struct peer_record));
	config->memory->release(config->memory, queue, sizeof(*queue));
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	peer_queue *queue = endpoint->queue;

	(void)n;
	return CK_RING_ENQUEUE(&queue->ring, queue->records, (struct peer_record *)(uintptr_t)messages);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	peer_queue *queue = endpoint->queue;

	(void)n;
	return CK_RING_DEQUEUE(&queue->ring, queue->records, (struct peer_record *)messages);
}

#define CK_RING_TRAITS                                                                                                 \
	.role = QUEUE_PEER, .bounded = true, .capacity_min = 2, .capacity_max = 1u << 30, .capacity_power_of_two = true, \
	.capacity_approximate = true, PEER_MESSAGES, .order = QUEUE_ORDER_TOTAL

#define CK_SOURCE "S. Al Bahra, Concurrency Kit, " PEER_VERSION
