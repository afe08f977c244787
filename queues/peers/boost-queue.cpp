/* boost-queue: Boost.Lockfree's queue, by T. Blechmann, after M. Michael and M. Scott. Its nodes are had before it begins, and bounded_push
 * takes none from elsewhere: that is what its documentation advises for a queue that is to be lock-free. */
#include <boost/lockfree/queue.hpp>

#define PEER_BATCHES false
#include "peer_cxx.h"

enum { BOOST_LINE = 64, BOOST_BLOCK = 32 /* what malloc adds, at most, to a node */ };

struct peer_queue {
	boost::lockfree::queue<struct peer_record> queue;

	explicit peer_queue(size_t capacity) : queue(capacity) {}
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, sizeof(struct peer_record) + BOOST_LINE + BOOST_BLOCK, sizeof(peer_queue), bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	return peer_new<peer_queue>(config->capacity);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.bounded_push(*(const struct peer_record *)messages);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.pop(*(struct peer_record *)messages);
}

QUEUE_TABLE(boost_queue) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("boost-queue"),
	.summary = "Boost.Lockfree queue: bounded_push, pop",
	.source = "T. Blechmann, Boost.Lockfree, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1, .capacity_max = 1u << 24, PEER_MESSAGES,
		.progress = QUEUE_LOCK_FREE, .order = QUEUE_ORDER_TOTAL, .calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
