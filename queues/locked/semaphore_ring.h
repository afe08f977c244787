/* A locked ring between two counting semaphores: one counts its room, the other its messages; a third one is the lock. The including
 * file sets SEMAPHORE_BATCHES: whether a stage holds a batch, or one message.
 *
 * An endpoint first takes permits (of room, of messages), as many as it has use for and can get, then moves as many messages under the
 * lock, then hands as many permits to the other side. Permits taken are room (messages) that no other endpoint can take. sem_post gives
 * one permit a call: a batch costs one lock, but as many calls as it has messages on either side.
 *
 * Permits are given after the lock is left, as in the paper, and are nobody's in particular: where a producer has put a message in but
 * not given its permit yet, a consumer with the permit of another's later message takes the earlier one, and the later one has no permit
 * until the first producer goes on. A poll may thus find nothing while a flushed message is there. */
#ifndef QUEUES_SEMAPHORE_RING_H
#define QUEUES_SEMAPHORE_RING_H

#include <limits.h>
#include <semaphore.h>

#include "locked_ring.h"

/* The most permits that a semaphore counts. */
#define SEMAPHORE_CAPACITY_MAX ((size_t)INT_MAX)

struct semaphore_queue {
	struct locked_queue common QUEUE_ALIGNED;
	sem_t lock QUEUE_ALIGNED;
	struct locked_ring ring; /* the lock's holder's */
	sem_t room QUEUE_ALIGNED;
	sem_t messages QUEUE_ALIGNED;
};

_Static_assert(offsetof(struct semaphore_queue, common) == 0, "an instance is a struct locked_queue");

static int semaphore_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	if (config->capacity > SEMAPHORE_CAPACITY_MAX)
		return -22; /* −EINVAL */
	return locked_footprint(config, SEMAPHORE_BATCHES, sizeof(struct semaphore_queue), bytes);
}

static void semaphore_destroy(void *instance)
{
	struct semaphore_queue *queue = (struct semaphore_queue *)instance;

	sem_destroy(&queue->messages);
	sem_destroy(&queue->room);
	sem_destroy(&queue->lock);
	locked_destroy(queue);
}

static int semaphore_create(const struct queue_config *config, void **instance)
{
	struct semaphore_queue *queue;
	int status;

	if (config->capacity > SEMAPHORE_CAPACITY_MAX)
		return -22; /* −EINVAL */
	status = locked_create(config, SEMAPHORE_BATCHES, sizeof(struct semaphore_queue), instance);
	if (status)
		return status;
	queue = (struct semaphore_queue *)*instance;
	queue->ring = locked_ring(&queue->common, config);
	sem_init(&queue->lock, 0, 1);
	sem_init(&queue->room, 0, (unsigned)config->capacity);
	sem_init(&queue->messages, 0, 0);
	return 0;
}

/* Sleeps until it has a permit. */
QUEUE_INLINE void semaphore_take(sem_t *semaphore)
{
	while (sem_wait(semaphore)) /* a signal came between */
		;
}

/* Takes up to `max` permits; `wait`: at least one. Returns how many. */
QUEUE_INLINE size_t semaphore_take_some(sem_t *semaphore, size_t max, bool wait)
{
	size_t taken = 0;

	if (wait) {
		semaphore_take(semaphore);
		taken = 1;
	}
	while (taken < max && !sem_trywait(semaphore))
		taken++;
	return taken;
}

QUEUE_INLINE void semaphore_give(sem_t *semaphore, size_t permits)
{
	for (; permits; permits--)
		sem_post(semaphore);
}

QUEUE_INLINE enum queue_flush semaphore_put(struct locked_endpoint *producer, bool wait)
{
	struct semaphore_queue *queue = (struct semaphore_queue *)producer->queue;

	while (producer->stage.staged) {
		size_t permits = semaphore_take_some(&queue->room, producer->stage.staged, wait);

		if (!permits)
			return QUEUE_FULL;
		semaphore_take(&queue->lock);
		locked_put(&queue->ring, producer, permits);
		semaphore_give(&queue->lock, 1);
		semaphore_give(&queue->messages, permits);
	}
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool semaphore_get(struct locked_endpoint *consumer, bool wait)
{
	struct semaphore_queue *queue = (struct semaphore_queue *)consumer->queue;
	size_t permits;

	if (consumer->stage.staged)
		return true;
	permits = semaphore_take_some(&queue->messages, consumer->stage.room, wait);
	if (!permits)
		return false;
	semaphore_take(&queue->lock);
	locked_take(&queue->ring, consumer, permits);
	semaphore_give(&queue->lock, 1);
	semaphore_give(&queue->room, permits);
	return true;
}

static inline enum queue_flush semaphore_flush(void *producer)
{
	return semaphore_put((struct locked_endpoint *)producer, false);
}

static inline bool semaphore_preread(void *consumer)
{
	return semaphore_get((struct locked_endpoint *)consumer, false);
}

static inline void semaphore_flush_wait(void *producer)
{
	semaphore_put((struct locked_endpoint *)producer, true);
}

static inline void semaphore_preread_wait(void *consumer)
{
	semaphore_get((struct locked_endpoint *)consumer, true);
}

#define SEMAPHORE_OPERATIONS                                                                                           \
	.footprint = semaphore_footprint, .create = semaphore_create, .destroy = semaphore_destroy,                    \
	.producer = locked_producer, .consumer = locked_consumer, .prewrite_span = locked_prewrite_span,               \
	.flush = semaphore_flush, .preread = semaphore_preread, .read_span = locked_read_span,                         \
	.flush_wait = semaphore_flush_wait, .preread_wait = semaphore_preread_wait

#endif
