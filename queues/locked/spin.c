/* spin: a bounded ring under a spinlock, locked once per flush and once per preread.
 *
 * Source: test-and-test-and-set lock (L. Rudolph and Z. Segall, 1984) around one ring.
 * Promise: any number of producers and consumers; order is kept.
 *
 * How it works. Messages are copied in and out while the lock is held. An operation that doesn't get the lock after some tries gives up, as
 * if the queue were full (empty), so that the caller's way of waiting decides what comes next. Counters published beside the lock
 * spare an endpoint the lock where there is nothing to be had.
 *
 * Limits: whoever loses its CPU while it holds the lock stops all others.
 */
#include "locked_ring.h"

enum { SPIN_TRIES = 256 };

struct spin_queue {
	uint32_t locked QUEUE_ALIGNED; /* all */
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
	return locked_footprint(config, true, sizeof(struct spin_queue), bytes);
}

static void spin_destroy(void *instance)
{
	struct spin_queue *queue = instance;
	struct queue_memory *memory = queue->memory;

	locked_release(memory, &queue->ring, queue->endpoints, queue->producers + queue->consumers);
	memory->release(memory, queue, sizeof(*queue));
}

static int spin_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct spin_queue *queue = memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	int status;

	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct spin_queue){.tail = config->counter_start, .head = config->counter_start,
				     .producers = config->producers, .consumers = config->consumers,
				     .capacity = config->capacity, .memory = memory};
	status = locked_allocate(config, true, queue, &queue->ring, &queue->endpoints);
	if (status) {
		memory->release(memory, queue, sizeof(*queue));
		return status;
	}
	*instance = queue;
	return 0;
}

static void *spin_producer(void *instance, unsigned index)
{
	return &((struct spin_queue *)instance)->endpoints[index];
}

static void *spin_consumer(void *instance, unsigned index)
{
	struct spin_queue *queue = instance;

	return &queue->endpoints[queue->producers + index];
}

QUEUE_INLINE bool spin_try_lock(struct spin_queue *queue)
{
	for (unsigned tries = 0; tries < SPIN_TRIES; tries++) {
		/* relaxed: only a hint whether the exchange is worth its while
		 * L1 acquire: pairs with L0 in spin_unlock(): what the last holder wrote is seen by this one. */
		if (!load_relaxed(&queue->locked) && !exchange_acquire(&queue->locked, 1))
			return true;
		cpu_relax();
	}
	return false;
}

QUEUE_INLINE void spin_unlock(struct spin_queue *queue)
{
	/* L0 release: pairs with L1 in spin_try_lock(). */
	store_release(&queue->locked, 0);
}

QUEUE_INLINE void *spin_prewrite_span(void *producer, size_t max, size_t *n)
{
	return locked_prewrite_span(producer, max, n);
}

QUEUE_INLINE enum queue_flush spin_flush(void *endpoint)
{
	struct locked_endpoint *producer = endpoint;
	struct spin_queue *queue = producer->queue;

	if (!producer->staged)
		return QUEUE_FLUSHED;
	/* relaxed, both: a hint; the lock's holder looks again at the real ones. */
	if (load_relaxed(&queue->tail) - load_relaxed(&queue->head) == queue->capacity)
		return QUEUE_FULL;
	if (!spin_try_lock(queue))
		return QUEUE_FULL;
	if (locked_put(&queue->ring, producer, SIZE_MAX))
		store_relaxed(&queue->tail, queue->ring.tail);
	spin_unlock(queue);
	return producer->staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool spin_preread(void *endpoint)
{
	struct locked_endpoint *consumer = endpoint;
	struct spin_queue *queue = consumer->queue;

	if (consumer->staged)
		return true;
	/* relaxed, both: a hint, as above. A message flushed is seen at the latest by a later call. */
	if (load_relaxed(&queue->tail) == load_relaxed(&queue->head))
		return false;
	if (!spin_try_lock(queue))
		return false;
	if (locked_take(&queue->ring, consumer))
		store_relaxed(&queue->head, queue->ring.head);
	spin_unlock(queue);
	return consumer->staged != 0;
}

QUEUE_INLINE const void *spin_read_span(void *consumer, size_t max, size_t *n)
{
	return locked_read_span(consumer, max, n);
}

QUEUE_TABLE(spin) = {
	.contract = QUEUE_CONTRACT,
	.name = "spin",
	.summary = "spinlock around a ring, a batch per lock",
	.source = "test-and-test-and-set lock, L. Rudolph and Z. Segall, 1984",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	.footprint = spin_footprint,
	.create = spin_create,
	.destroy = spin_destroy,
	.producer = spin_producer,
	.consumer = spin_consumer,
	.prewrite_span = spin_prewrite_span,
	.flush = spin_flush,
	.preread = spin_preread,
	.read_span = spin_read_span,
};
