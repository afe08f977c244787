/* The SPSC queue of moodycamel (C. Desrochers), a ring of blocks of 512 that grows; room for 1024 is had before it begins. Its file sets
 * READERWRITER_BLOCKING: whether it is the one with a semaphore, on which the consumer sleeps. */
#include <readerwriterqueue/readerwriterqueue.h>

#define PEER_BATCHES false
#define PEER_NATIVE READERWRITER_BLOCKING
#include "peer_cxx.h"

enum { READERWRITER_FIRST = 1024, READERWRITER_BLOCK = 512 };

#if READERWRITER_BLOCKING
typedef moodycamel::BlockingReaderWriterQueue<struct peer_record> readerwriter_queue;
#else
typedef moodycamel::ReaderWriterQueue<struct peer_record> readerwriter_queue;
#endif

struct peer_queue {
	readerwriter_queue queue;

	peer_queue() : queue(READERWRITER_FIRST) {}
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t blocks = outstanding / (READERWRITER_BLOCK - 1) + READERWRITER_FIRST / READERWRITER_BLOCK + 3;

	(void)config;
	if (outstanding > SIZE_MAX / sizeof(struct peer_record))
		return -75; /* −EOVERFLOW */
	return queue_size(blocks, READERWRITER_BLOCK * sizeof(struct peer_record) + 256, sizeof(peer_queue), bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	(void)config;
	return peer_new<peer_queue>();
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.enqueue(*(const struct peer_record *)messages);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return endpoint->queue->queue.try_dequeue(*(struct peer_record *)messages);
}

#if PEER_NATIVE
/* It grows: nobody waits for room. */
QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	return peer_push(endpoint, messages, n);
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	endpoint->queue->queue.wait_dequeue(*(struct peer_record *)messages);
	return 1;
}
#endif

#define READERWRITER_SOURCE "C. Desrochers, readerwriterqueue, " PEER_VERSION

#define READERWRITER_TRAITS                                                                                            \
	.role = QUEUE_PEER, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, PEER_MESSAGES,                \
	.progress = READERWRITER_BLOCKING ? QUEUE_BLOCKING : QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,              \
	.blocks_natively = PEER_NATIVE, .calls_in_loop = true
