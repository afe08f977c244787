/* A locked ring under a lock whose waiters spin. The including file sets SPIN_BATCHES (whether one lock moves all that is staged, or one
 * message), and includes the header of its lock before, which defines
 *
 *	struct lock, lock_init(lock, config)
 *	lock_enter(lock, endpoint)  false: not got, given up
 *	lock_leave(lock, endpoint)
 *
 * Messages are copied in and out while the lock is held. An operation that doesn't get the lock gives up, as if the queue were full
 * (empty), so that the caller's way of waiting decides what comes next. Counters published beside the lock spare an endpoint the lock
 * where there is nothing to be had. */
#ifndef QUEUES_SPIN_RING_H
#define QUEUES_SPIN_RING_H

#include "locked_ring.h"

struct spin_queue {
	struct lock lock QUEUE_ALIGNED;
	struct locked_ring ring QUEUE_ALIGNED; /* the lock's holder's */
	/* the ring's counters as they were when the lock was last released: written by its holder, read by all */
	uint64_t tail QUEUE_ALIGNED;
	uint64_t head QUEUE_ALIGNED;
	/* constant */
	struct locked_endpoint *endpoints QUEUE_ALIGNED;
	unsigned producers, consumers;
	size_t capacity;
	struct queue_memory *memory;
};

static int spin_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return locked_footprint(config, SPIN_BATCHES, sizeof(struct spin_queue), bytes);
}

static void spin_destroy(void *instance)
{
	struct spin_queue *queue = (struct spin_queue *)instance;
	struct queue_memory *memory = queue->memory;

	locked_release(memory, &queue->ring, queue->endpoints, queue->producers + queue->consumers);
	memory->release(memory, queue, sizeof(*queue));
}

static int spin_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct spin_queue *queue = (struct spin_queue *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	int status;

	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct spin_queue){.tail = config->counter_start, .head = config->counter_start,
				     .producers = config->producers, .consumers = config->consumers,
				     .capacity = config->capacity, .memory = memory};
	status = locked_allocate(config, SPIN_BATCHES, queue, &queue->ring, &queue->endpoints);
	if (status) {
		memory->release(memory, queue, sizeof(*queue));
		return status;
	}
	lock_init(&queue->lock, config);
	*instance = queue;
	return 0;
}

static void *spin_producer(void *instance, unsigned index)
{
	return &((struct spin_queue *)instance)->endpoints[index];
}

static void *spin_consumer(void *instance, unsigned index)
{
	struct spin_queue *queue = (struct spin_queue *)instance;

	return &queue->endpoints[queue->producers + index];
}

QUEUE_INLINE void *spin_prewrite_span(void *producer, size_t max, size_t *n)
{
	return locked_prewrite_span((struct locked_endpoint *)producer, max, n);
}

QUEUE_INLINE enum queue_flush spin_flush(void *endpoint)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;
	struct spin_queue *queue = (struct spin_queue *)producer->queue;
	uint64_t tail;

	if (!producer->staged)
		return QUEUE_FLUSHED;
	/* C0 acquire: only that the tail is read before the head, so that the queue was full when the latter was. No contents are read by
	 * it: the lock's holder looks again at the real ones. relaxed: as it is the later one. */
	tail = load_acquire(&queue->tail);
	if (tail - load_relaxed(&queue->head) == queue->capacity)
		return QUEUE_FULL;
	if (!lock_enter(&queue->lock, producer))
		return QUEUE_FULL;
	if (locked_put(&queue->ring, producer, SIZE_MAX))
		store_relaxed(&queue->tail, queue->ring.tail); /* C1 relaxed: a hint; lock_leave() is the release */
	lock_leave(&queue->lock, producer);
	return producer->staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool spin_preread(void *endpoint)
{
	struct locked_endpoint *consumer = (struct locked_endpoint *)endpoint;
	struct spin_queue *queue = (struct spin_queue *)consumer->queue;
	uint64_t head;

	if (consumer->staged)
		return true;
	/* as C0: the head first, so that the queue was empty when the tail was read. A message flushed is seen at the latest by a later
	 * call. */
	head = load_acquire(&queue->head);
	if (load_relaxed(&queue->tail) == head)
		return false;
	if (!lock_enter(&queue->lock, consumer))
		return false;
	if (locked_take(&queue->ring, consumer, SIZE_MAX))
		store_relaxed(&queue->head, queue->ring.head); /* as C1 */
	lock_leave(&queue->lock, consumer);
	return consumer->staged != 0;
}

QUEUE_INLINE const void *spin_read_span(void *consumer, size_t max, size_t *n)
{
	return locked_read_span((struct locked_endpoint *)consumer, max, n);
}

#define SPIN_OPERATIONS                                                                                                \
	.footprint = spin_footprint, .create = spin_create, .destroy = spin_destroy, .producer = spin_producer,        \
	.consumer = spin_consumer, .prewrite_span = spin_prewrite_span, .flush = spin_flush, .preread = spin_preread,  \
	.read_span = spin_read_span

#endif
