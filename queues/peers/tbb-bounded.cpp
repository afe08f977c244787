/* tbb-bounded: oneTBB's concurrent_bounded_queue; it waits by its own means. */
#include <oneapi/tbb/concurrent_queue.h>

#define PEER_BATCHES false
#define PEER_NATIVE 1
#include "peer_cxx.h"

enum { TBB_PAGE = 4096 }; /* as in tbb-queue */

struct peer_queue {
	tbb::concurrent_bounded_queue<struct peer_record> queue;

	explicit peer_queue(size_t capacity)
	{
		queue.set_capacity((std::ptrdiff_t)capacity);
	}
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, 2 * sizeof(struct peer_record), sizeof(peer_queue) + 16 * TBB_PAGE, bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	return peer_new<peer_queue>(config->capacity);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.try_push(*(const struct peer_record *)messages);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.try_pop(*(struct peer_record *)messages);
}

QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	endpoint->queue->queue.push(*(const struct peer_record *)messages);
	return 1;
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	endpoint->queue->queue.pop(*(struct peer_record *)messages);
	return 1;
}

QUEUE_TABLE(tbb_bounded) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("tbb-bounded"),
	.summary = "oneTBB concurrent_bounded_queue: push, pop",
	.source = "Intel, oneTBB, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1, .capacity_max = 1u << 30, PEER_MESSAGES,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL, .blocks_natively = true, .calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
