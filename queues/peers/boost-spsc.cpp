/* boost-spsc: Boost.Lockfree's spsc_queue, by T. Blechmann; several messages are pushed and popped as ranges. */
#include <boost/lockfree/spsc_queue.hpp>

#define PEER_BATCHES true
#include "peer_cxx.h"

struct peer_queue {
	boost::lockfree::spsc_queue<struct peer_record> queue;

	explicit peer_queue(size_t capacity) : queue(capacity) {}
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, sizeof(struct peer_record), sizeof(peer_queue) + sizeof(struct peer_record), bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	return peer_new<peer_queue>(config->capacity);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	const struct peer_record *records = (const struct peer_record *)messages;

	return n == 1 ? endpoint->queue->queue.push(*records) : endpoint->queue->queue.push(records, n);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	struct peer_record *records = (struct peer_record *)messages;

	return n == 1 ? endpoint->queue->queue.pop(*records) : endpoint->queue->queue.pop(records, n);
}

QUEUE_TABLE(boost_spsc) = {
	.contract = QUEUE_CONTRACT,
	.name = PEER_NAME("boost-spsc"),
	.summary = "Boost.Lockfree spsc_queue: push and pop of ranges",
	.source = "T. Blechmann, Boost.Lockfree, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true, .capacity_min = 1,
		PEER_MESSAGES, .progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL, .batches = true, .calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
