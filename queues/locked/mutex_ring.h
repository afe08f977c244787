/* A locked ring under a mutex with two condition variables. The including file sets
 *
 *	MUTEX_BATCHES  whether one lock moves all that is staged (as much as the stage holds), or one message
 *	MUTEX_KIND     MUTEX_ADAPTIVE (so where nothing is set), MUTEX_NORMAL, MUTEX_INHERIT
 *	MUTEX_POLLS    how often one who waits looks, without the lock, before it sleeps; nothing set: never
 *
 * An honest baseline: messages are copied in and out while the lock is held, as any number of producers and consumers need it; nobody
 * signals unless somebody waits, each sleeper is signalled once, and signals are sent after unlocking. */
#ifndef QUEUES_MUTEX_RING_H
#define QUEUES_MUTEX_RING_H

#include <pthread.h>

#include "locked_ring.h"

#define MUTEX_NORMAL 0   /* the default: a waiter sleeps at once */
/* glibc's that spins a little for a holder who runs before it sleeps: 1.3 to 1.6 times the messages/s of the default kind in a stream
 * of 8 and 64 bytes on the two CPUs of an AMD EPYC virtual machine. */
#define MUTEX_ADAPTIVE 1
#define MUTEX_INHERIT 2  /* the holder runs at the priority of whoever waits for it */

#ifndef MUTEX_KIND
#define MUTEX_KIND MUTEX_ADAPTIVE
#endif
#ifndef MUTEX_POLLS
#define MUTEX_POLLS 0
#endif

struct mutex_queue {
	struct locked_queue common QUEUE_ALIGNED;
	pthread_mutex_t lock QUEUE_ALIGNED;
	/* the lock's holder's */
	struct locked_ring ring;
	unsigned writers_waiting, readers_waiting; /* not yet signalled */
	pthread_cond_t not_full QUEUE_ALIGNED;
	pthread_cond_t not_empty QUEUE_ALIGNED;
	struct locked_counters published; /* for those who poll */
};

_Static_assert(offsetof(struct mutex_queue, common) == 0, "an instance is a struct locked_queue");

static int mutex_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return locked_footprint(config, MUTEX_BATCHES, sizeof(struct mutex_queue), bytes);
}

static void mutex_destroy(void *instance)
{
	struct mutex_queue *queue = (struct mutex_queue *)instance;

	pthread_cond_destroy(&queue->not_empty);
	pthread_cond_destroy(&queue->not_full);
	pthread_mutex_destroy(&queue->lock);
	locked_destroy(queue);
}

/* 0, or −ENOSYS where the system has no such mutex. */
static int mutex_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;
	int status;

	pthread_mutexattr_init(&attributes);
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
	if (MUTEX_KIND == MUTEX_ADAPTIVE)
		pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
	if (MUTEX_KIND == MUTEX_INHERIT)
		pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT);
	status = pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return status ? -38 : 0; /* −ENOSYS */
}

static int mutex_create(const struct queue_config *config, void **instance)
{
	int status = locked_create(config, MUTEX_BATCHES, sizeof(struct mutex_queue), instance);
	struct mutex_queue *queue;

	if (status)
		return status;
	queue = (struct mutex_queue *)*instance;
	status = mutex_init(&queue->lock);
	if (status) {
		locked_destroy(queue);
		return status;
	}
	pthread_cond_init(&queue->not_full, NULL);
	pthread_cond_init(&queue->not_empty, NULL);
	queue->ring = locked_ring(&queue->common, config);
	queue->published.tail = queue->published.head = config->counter_start;
	return 0;
}

/* Under the lock: whether one of those that wait is to be signalled; it then counts as signalled. */
QUEUE_INLINE bool mutex_claim(unsigned *waiting)
{
	if (!*waiting)
		return false;
	--*waiting;
	return true;
}

/* Without the lock: looks a while whether there is room (messages). It hints at best: who holds the lock looks again. */
QUEUE_INLINE void mutex_poll(const struct mutex_queue *queue, bool for_room)
{
	for (unsigned left = MUTEX_POLLS; left; left--) {
		if (for_room ? !locked_was_full(&queue->published, queue->common.capacity) : !locked_was_empty(&queue->published))
			break;
		cpu_relax();
	}
}

/* Under the lock, after the ring changed: for those who poll. */
QUEUE_INLINE void mutex_publish(struct mutex_queue *queue)
{
	if (!MUTEX_POLLS)
		return;
	/* C1 relaxed, both: hints; unlocking is the release */
	store_relaxed(&queue->published.tail, queue->ring.tail);
	store_relaxed(&queue->published.head, queue->ring.head);
}

QUEUE_INLINE enum queue_flush mutex_put(struct locked_endpoint *producer, bool wait)
{
	struct mutex_queue *queue = (struct mutex_queue *)producer->queue;
	bool wake = false, polled = false;

	pthread_mutex_lock(&queue->lock);
	for (;;) {
		if (locked_put(&queue->ring, producer, MUTEX_BATCHES ? SIZE_MAX : 1)) {
			mutex_publish(queue);
			wake = mutex_claim(&queue->readers_waiting);
		}
		if (!producer->stage.staged || !wait)
			break;
		/* what is in the ring must not sleep there while this side does */
		if (wake)
			pthread_cond_signal(&queue->not_empty);
		wake = false;
		if (MUTEX_POLLS && !polled) {
			pthread_mutex_unlock(&queue->lock);
			mutex_poll(queue, true);
			pthread_mutex_lock(&queue->lock);
		} else {
			queue->writers_waiting++;
			pthread_cond_wait(&queue->not_full, &queue->lock);
		}
		polled = !polled;
	}
	pthread_mutex_unlock(&queue->lock);
	if (wake)
		pthread_cond_signal(&queue->not_empty);
	return producer->stage.staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool mutex_take(struct locked_endpoint *consumer, bool wait)
{
	struct mutex_queue *queue = (struct mutex_queue *)consumer->queue;
	bool wake = false;

	if (consumer->stage.staged)
		return true;
	if (MUTEX_POLLS && wait)
		mutex_poll(queue, false);
	pthread_mutex_lock(&queue->lock);
	while (!locked_take(&queue->ring, consumer, SIZE_MAX) && wait) {
		queue->readers_waiting++;
		pthread_cond_wait(&queue->not_empty, &queue->lock);
	}
	if (consumer->stage.staged) {
		mutex_publish(queue);
		wake = mutex_claim(&queue->writers_waiting);
	}
	pthread_mutex_unlock(&queue->lock);
	if (wake)
		pthread_cond_signal(&queue->not_full);
	return consumer->stage.staged != 0;
}

static inline enum queue_flush mutex_flush(void *producer)
{
	return ((struct locked_endpoint *)producer)->stage.staged ? mutex_put((struct locked_endpoint *)producer, false) : QUEUE_FLUSHED;
}

static inline bool mutex_preread(void *consumer)
{
	return mutex_take((struct locked_endpoint *)consumer, false);
}

static inline void mutex_flush_wait(void *producer)
{
	if (((struct locked_endpoint *)producer)->stage.staged)
		mutex_put((struct locked_endpoint *)producer, true);
}

static inline void mutex_preread_wait(void *consumer)
{
	mutex_take((struct locked_endpoint *)consumer, true);
}

#define MUTEX_OPERATIONS                                                                                               \
	.footprint = mutex_footprint, .create = mutex_create, .destroy = mutex_destroy, .producer = locked_producer,   \
	.consumer = locked_consumer, .prewrite_span = locked_prewrite_span, .flush = mutex_flush,                      \
	.preread = mutex_preread, .read_span = locked_read_span, .flush_wait = mutex_flush_wait,                       \
	.preread_wait = mutex_preread_wait

#endif
