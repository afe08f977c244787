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
	pthread_mutex_t lock QUEUE_ALIGNED;
	/* the lock's holder's */
	struct locked_ring ring;
	unsigned writers_waiting, readers_waiting; /* not yet signalled */
	pthread_cond_t not_full QUEUE_ALIGNED;
	pthread_cond_t not_empty QUEUE_ALIGNED;
#if MUTEX_POLLS
	/* the ring's counters as they were when the lock was last released: written by its holder, read by all */
	uint64_t tail QUEUE_ALIGNED;
	uint64_t head QUEUE_ALIGNED;
#endif
	/* constant */
	struct locked_endpoint *endpoints QUEUE_ALIGNED;
	unsigned producers, consumers;
	struct queue_memory *memory;
};

static int mutex_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return locked_footprint(config, MUTEX_BATCHES, sizeof(struct mutex_queue), bytes);
}

static void mutex_destroy(void *instance)
{
	struct mutex_queue *queue = (struct mutex_queue *)instance;
	struct queue_memory *memory = queue->memory;

	pthread_cond_destroy(&queue->not_empty);
	pthread_cond_destroy(&queue->not_full);
	pthread_mutex_destroy(&queue->lock);
	locked_release(memory, &queue->ring, queue->endpoints, queue->producers + queue->consumers);
	memory->release(memory, queue, sizeof(*queue));
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
	struct queue_memory *memory = config->memory;
	struct mutex_queue *queue = (struct mutex_queue *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	int status;

	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct mutex_queue){.producers = config->producers, .consumers = config->consumers, .memory = memory};
#if MUTEX_POLLS
	queue->tail = queue->head = config->counter_start;
#endif
	status = locked_allocate(config, MUTEX_BATCHES, queue, &queue->ring, &queue->endpoints);
	if (status)
		goto no_ring;
	status = mutex_init(&queue->lock);
	if (status)
		goto no_lock;
	pthread_cond_init(&queue->not_full, NULL);
	pthread_cond_init(&queue->not_empty, NULL);
	*instance = queue;
	return 0;

no_lock:
	locked_release(memory, &queue->ring, queue->endpoints, config->producers + config->consumers);
no_ring:
	memory->release(memory, queue, sizeof(*queue));
	return status;
}

static void *mutex_producer(void *instance, unsigned index)
{
	return &((struct mutex_queue *)instance)->endpoints[index];
}

static void *mutex_consumer(void *instance, unsigned index)
{
	struct mutex_queue *queue = (struct mutex_queue *)instance;

	return &queue->endpoints[queue->producers + index];
}

QUEUE_INLINE void *mutex_prewrite_span(void *producer, size_t max, size_t *n)
{
	return locked_prewrite_span((struct locked_endpoint *)producer, max, n);
}

QUEUE_INLINE const void *mutex_read_span(void *consumer, size_t max, size_t *n)
{
	return locked_read_span((struct locked_endpoint *)consumer, max, n);
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
QUEUE_INLINE void mutex_poll(struct mutex_queue *queue, bool for_room)
{
#if MUTEX_POLLS
	for (unsigned polls = 0; polls < MUTEX_POLLS; polls++) {
		/* relaxed, both: a hint */
		uint64_t inside = load_relaxed(&queue->tail) - load_relaxed(&queue->head);

		if (inside != (for_room ? queue->ring.capacity : 0))
			break;
		cpu_relax();
	}
#else
	(void)queue, (void)for_room;
#endif
}

/* Under the lock, after the ring changed: for those who poll. */
QUEUE_INLINE void mutex_publish(struct mutex_queue *queue)
{
#if MUTEX_POLLS
	/* relaxed, both: hints; unlocking is the release */
	store_relaxed(&queue->tail, queue->ring.tail);
	store_relaxed(&queue->head, queue->ring.head);
#else
	(void)queue;
#endif
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
		if (!producer->staged || !wait)
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
	return producer->staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool mutex_take(struct locked_endpoint *consumer, bool wait)
{
	struct mutex_queue *queue = (struct mutex_queue *)consumer->queue;
	bool wake = false;

	if (consumer->staged)
		return true;
	if (MUTEX_POLLS && wait)
		mutex_poll(queue, false);
	pthread_mutex_lock(&queue->lock);
	while (!locked_take(&queue->ring, consumer, SIZE_MAX) && wait) {
		queue->readers_waiting++;
		pthread_cond_wait(&queue->not_empty, &queue->lock);
	}
	if (consumer->staged) {
		mutex_publish(queue);
		wake = mutex_claim(&queue->writers_waiting);
	}
	pthread_mutex_unlock(&queue->lock);
	if (wake)
		pthread_cond_signal(&queue->not_full);
	return consumer->staged != 0;
}

static inline enum queue_flush mutex_flush(void *producer)
{
	return ((struct locked_endpoint *)producer)->staged ? mutex_put((struct locked_endpoint *)producer, false) : QUEUE_FLUSHED;
}

static inline bool mutex_preread(void *consumer)
{
	return mutex_take((struct locked_endpoint *)consumer, false);
}

static inline void mutex_flush_wait(void *producer)
{
	if (((struct locked_endpoint *)producer)->staged)
		mutex_put((struct locked_endpoint *)producer, true);
}

static inline void mutex_preread_wait(void *consumer)
{
	mutex_take((struct locked_endpoint *)consumer, true);
}

#define MUTEX_OPERATIONS                                                                                               \
	.footprint = mutex_footprint, .create = mutex_create, .destroy = mutex_destroy, .producer = mutex_producer,    \
	.consumer = mutex_consumer, .prewrite_span = mutex_prewrite_span, .flush = mutex_flush,                        \
	.preread = mutex_preread, .read_span = mutex_read_span, .flush_wait = mutex_flush_wait,                        \
	.preread_wait = mutex_preread_wait

#endif
