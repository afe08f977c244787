/* tbb-queue: oneTBB's concurrent_queue, unbounded. */
#include <oneapi/tbb/concurrent_queue.h>

#define PEER_BATCHES false
#include "peer_cxx.h"

enum { TBB_PAGE = 4096 }; /* more than it takes at once for any of its 8 lanes */

struct peer_queue {
	tbb::concurrent_queue<struct peer_record> queue;
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)config;
	return queue_size(outstanding, 2 * sizeof(struct peer_record), sizeof(peer_queue) + 16 * TBB_PAGE, bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	(void)config;
	return peer_new<peer_queue>();
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	endpoint->queue->queue.push(*(const struct peer_record *)messages);
	return 1;
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.try_pop(*(struct peer_record *)messages);
}

QUEUE_TABLE(tbb_queue) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("tbb-queue"),
	.summary = "oneTBB concurrent_queue: push, try_pop",
	.source = "Intel, oneTBB, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_MPMC, PEER_MESSAGES, .progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
