/* The MPMC queue of moodycamel (C. Desrochers): each producer has a queue of its own, and consumers go round them. Each endpoint has a token,
 * and several messages go in and out at once, as its README advises. Its file sets CONCURRENT_BLOCKING: whether it is the one with a semaphore,
 * on which consumers sleep. */
#include <concurrentqueue/blockingconcurrentqueue.h>

#define PEER_BATCHES true
#define PEER_NATIVE CONCURRENT_BLOCKING
#define PEER_HAS_PLACES
#include "peer_cxx.h"

enum { CONCURRENT_FIRST = 1024, CONCURRENT_BLOCK = 32 };

#if CONCURRENT_BLOCKING
typedef moodycamel::BlockingConcurrentQueue<struct peer_record> concurrent_queue;
#else
typedef moodycamel::ConcurrentQueue<struct peer_record> concurrent_queue;
#endif

struct peer_queue {
	concurrent_queue queue;

	explicit peer_queue(unsigned producers) : queue(CONCURRENT_FIRST, producers, 0) {}
};

/* A producer has the first, a consumer the second. */
struct peer_place {
	moodycamel::ProducerToken *producer;
	moodycamel::ConsumerToken *consumer;
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t own = sizeof(peer_queue) + 4096, blocks = outstanding / CONCURRENT_BLOCK + CONCURRENT_FIRST / CONCURRENT_BLOCK + 1;

	if (outstanding > SIZE_MAX / sizeof(struct peer_record) ||
	    queue_size(config->producers + config->consumers, 2048 + 2 * CONCURRENT_BLOCK * sizeof(struct peer_record), own, &own))
		return -75; /* −EOVERFLOW */
	return queue_size(blocks, CONCURRENT_BLOCK * (sizeof(struct peer_record) + 1) + 128, own, bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	return peer_new<peer_queue>(config->producers);
}

static bool peer_join(struct peer_endpoint *endpoint, const struct queue_config *config, bool producer, unsigned index)
{
	(void)config, (void)index;
	endpoint->place = peer_new<peer_place>();
	if (!endpoint->place)
		return false;
	if (producer)
		endpoint->place->producer = peer_new<moodycamel::ProducerToken, concurrent_queue &>(endpoint->queue->queue);
	else
		endpoint->place->consumer = peer_new<moodycamel::ConsumerToken, concurrent_queue &>(endpoint->queue->queue);
	return endpoint->place->producer ? endpoint->place->producer->valid() : endpoint->place->consumer != nullptr;
}

static void peer_leave(struct peer_endpoint *endpoint, const struct queue_config *config)
{
	(void)config;
	if (!endpoint->place)
		return;
	delete endpoint->place->producer;
	delete endpoint->place->consumer;
	delete endpoint->place;
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	const struct peer_record *records = (const struct peer_record *)messages;
	concurrent_queue &queue = endpoint->queue->queue;
	moodycamel::ProducerToken &token = *endpoint->place->producer;

	return (n == 1 ? queue.enqueue(token, *records) : queue.enqueue_bulk(token, records, n)) ? n : 0;
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	struct peer_record *records = (struct peer_record *)messages;
	concurrent_queue &queue = endpoint->queue->queue;
	moodycamel::ConsumerToken &token = *endpoint->place->consumer;

	return n == 1 ? queue.try_dequeue(token, *records) : queue.try_dequeue_bulk(token, records, n);
}

#if PEER_NATIVE
/* It grows: nobody waits for room. */
QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	return peer_push(endpoint, messages, n);
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	return endpoint->queue->queue.wait_dequeue_bulk(*endpoint->place->consumer, (struct peer_record *)messages, n);
}
#endif

#define CONCURRENT_SOURCE "C. Desrochers, concurrentqueue, " PEER_VERSION

#define CONCURRENT_TRAITS                                                                                              \
	.role = QUEUE_PEER, .shape = QUEUE_MPMC, PEER_MESSAGES,                                                        \
	.progress = CONCURRENT_BLOCKING ? QUEUE_BLOCKING : QUEUE_LOCK_FREE, .order = QUEUE_ORDER_PER_PRODUCER,         \
	.batches = true, .blocks_natively = PEER_NATIVE, .calls_in_loop = true
