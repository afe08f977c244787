/* A locked ring under a lock whose waiters spin. The including file sets SPIN_BATCHES (whether one lock moves all that is staged, or one
 * message), and includes the header of its lock before, which defines
 *
 *	struct lock, lock_init(lock, config)
 *	lock_enter(lock, endpoint)  false: not got, given up
 *	lock_leave(lock, endpoint)
 *
 * Messages are copied in and out while the lock is held. An operation that doesn't get the lock gives up, as if the queue were full
 * (empty), so that the caller's way of waiting decides what comes next. */
#ifndef QUEUES_SPIN_RING_H
#define QUEUES_SPIN_RING_H

#include "locked_ring.h"

struct spin_queue {
	struct locked_queue common QUEUE_ALIGNED;
	struct lock lock QUEUE_ALIGNED;
	struct locked_ring ring QUEUE_ALIGNED; /* the lock's holder's */
	struct locked_counters published;
};

_Static_assert(offsetof(struct spin_queue, common) == 0, "an instance is a struct locked_queue");

static int spin_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return locked_footprint(config, SPIN_BATCHES, sizeof(struct spin_queue), bytes);
}

static int spin_create(const struct queue_config *config, void **instance)
{
	int status = locked_create(config, SPIN_BATCHES, sizeof(struct spin_queue), instance);
	struct spin_queue *queue;

	if (status)
		return status;
	queue = (struct spin_queue *)*instance;
	queue->ring = locked_ring(&queue->common, config);
	queue->published.tail = queue->published.head = config->counter_start;
	lock_init(&queue->lock, config);
	return 0;
}

QUEUE_INLINE enum queue_flush spin_flush(void *endpoint)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;
	struct spin_queue *queue = (struct spin_queue *)producer->queue;

	if (!producer->stage.staged)
		return QUEUE_FLUSHED;
	if (locked_was_full(&queue->published, queue->common.capacity) || !lock_enter(&queue->lock, producer))
		return QUEUE_FULL;
	if (locked_put(&queue->ring, producer, SIZE_MAX))
		store_relaxed(&queue->published.tail, queue->ring.tail); /* C1 relaxed: a hint; lock_leave() is the release */
	lock_leave(&queue->lock, producer);
	return producer->stage.staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool spin_preread(void *endpoint)
{
	struct locked_endpoint *consumer = (struct locked_endpoint *)endpoint;
	struct spin_queue *queue = (struct spin_queue *)consumer->queue;

	if (consumer->stage.staged)
		return true;
	if (locked_was_empty(&queue->published) || !lock_enter(&queue->lock, consumer))
		return false;
	if (locked_take(&queue->ring, consumer, SIZE_MAX))
		store_relaxed(&queue->published.head, queue->ring.head); /* as C1 */
	lock_leave(&queue->lock, consumer);
	return consumer->stage.staged != 0;
}

#define SPIN_OPERATIONS                                                                                                \
	.footprint = spin_footprint, .create = spin_create, .destroy = locked_destroy, .producer = locked_producer,    \
	.consumer = locked_consumer, .prewrite_span = locked_prewrite_span, .flush = spin_flush,                       \
	.preread = spin_preread, .read_span = locked_read_span

#endif
