/* ck-fifo-spsc: Concurrency Kit's list for one producer and one consumer. A message is the word that an entry holds; entries that were read
 * are taken up again by the producer (ck_fifo_spsc_recycle), as its tests do, and there are no more than the capacity asks for. */
#include <ck_fifo.h>

#define PEER_BATCHES false
#include "peer.h"

struct peer_queue {
	struct ck_fifo_spsc fifo; /* has its ends on lines of their own */
	size_t fresh QUEUE_ALIGNED; /* producer's: entries that were used so far */
	size_t count;
	struct ck_fifo_spsc_entry *entries;
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t entries;

	(void)outstanding;
	return queue_size(1, config->capacity, 1, &entries) || queue_size(entries, sizeof(struct ck_fifo_spsc_entry), sizeof(peer_queue), bytes)
		       ? -75 /* −EOVERFLOW */
		       : 0;
}

static peer_queue *peer_open(const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	peer_queue *queue = (peer_queue *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	size_t count = config->capacity + 1;

	if (!queue)
		return NULL;
	queue->entries = (struct ck_fifo_spsc_entry *)memory->allocate(memory, count * sizeof(struct ck_fifo_spsc_entry), QUEUE_LINE_PAIR);
	if (!queue->entries) {
		memory->release(memory, queue, sizeof(*queue));
		return NULL;
	}
	queue->count = count;
	queue->fresh = 1;
	ck_fifo_spsc_init(&queue->fifo, &queue->entries[0]);
	return queue;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	config->memory->release(config->memory, queue->entries, queue->count * sizeof(struct ck_fifo_spsc_entry));
	config->memory->release(config->memory, queue, sizeof(*queue));
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	peer_queue *queue = endpoint->queue;
	struct ck_fifo_spsc_entry *entry = ck_fifo_spsc_recycle(&queue->fifo);

	(void)n;
	if (!entry && queue->fresh < queue->count)
		entry = &queue->entries[queue->fresh++];
	if (!entry)
		return 0;
	ck_fifo_spsc_enqueue(&queue->fifo, entry, *(void *const *)messages);
	return 1;
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return ck_fifo_spsc_dequeue(&endpoint->queue->fifo, messages);
}

QUEUE_TABLE(ck_fifo_spsc) = {
	.contract = QUEUE_CONTRACT,
	.name = "ck-fifo-spsc",
	.summary = "Concurrency Kit ck_fifo, spsc: a word an entry, entries recycled",
	.source = "S. Al Bahra, Concurrency Kit, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true, .capacity_min = 1,
		PEER_MESSAGES, .progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
	},
	PEER_OPERATIONS,
};
