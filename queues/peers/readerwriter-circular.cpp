/* readerwriter-circular: the bounded SPSC ring of moodycamel (C. Desrochers), with a semaphore at each end, on which its threads sleep. */
#include <readerwriterqueue/readerwritercircularbuffer.h>

#define PEER_BATCHES false
#define PEER_NATIVE 1
#include "peer_cxx.h"

struct peer_queue {
	moodycamel::BlockingReaderWriterCircularBuffer<struct peer_record> queue;

	explicit peer_queue(size_t capacity) : queue(capacity) {}
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	/* its slots are a power of two */
	return queue_size(config->capacity, 2 * sizeof(struct peer_record), sizeof(peer_queue) + 1024, bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	return peer_new<peer_queue>(config->capacity);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.try_enqueue(*(const struct peer_record *)messages);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.try_dequeue(*(struct peer_record *)messages);
}

QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	endpoint->queue->queue.wait_enqueue(*(const struct peer_record *)messages);
	return 1;
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	endpoint->queue->queue.wait_dequeue(*(struct peer_record *)messages);
	return 1;
}

QUEUE_TABLE(readerwriter_circular) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("readerwriter-circular"),
	.summary = "moodycamel::BlockingReaderWriterCircularBuffer: wait_enqueue, wait_dequeue",
	.source = "C. Desrochers, readerwriterqueue, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true, .capacity_min = 1,
		.capacity_max = 1u << 30, PEER_MESSAGES, .progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true, .calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
