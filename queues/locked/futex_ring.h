/* A locked ring that needs nothing but futexes: a lock of three states, and sleep on the ring's own counters. The including file sets
 * FUTEX_BATCHES: whether one lock moves all that is staged (as much as the stage holds), or one message.
 *
 * The lock is free, held, or held and waited for. Who finds it held makes it waited for before it sleeps, and holds it as waited for
 * afterwards, since others may sleep still; who leaves it as that wakes one. Where nobody waits neither makes a system call.
 *
 * A reader that finds nothing counts itself under the lock as waiting, notes the count of messages put in, leaves, and sleeps unless
 * that count has moved meanwhile (which the kernel compares as it puts the sleeper into its row). A writer waits for the count of
 * messages taken out, likewise. Whoever leaves messages (room) behind and finds one counted takes it off the count and wakes one of
 * those that sleep. So nobody is woken while nobody waits, a batch wakes one reader, and who leaves part of it there wakes the next.
 * Why none is forgotten: a waiter counts itself while there is nothing for it; what comes afterwards moves the counter. Taken off the
 * count, it either sleeps and is woken, or wakes by itself as the counter has moved. The count may be too high (one that did not sleep
 * after all counts again; but no higher than there are endpoints): a system call in vain. It is never too low. queues/tests/futex.pml
 * is a model of both.
 *
 * Limits: the kernel compares 32 bits: 2^32 messages between a waiter's look and its sleep would pass unnoticed. */
#ifndef QUEUES_FUTEX_RING_H
#define QUEUES_FUTEX_RING_H

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "locked_ring.h"

enum futex_lock { FUTEX_FREE, FUTEX_HELD, FUTEX_WAITED_FOR };

struct futex_queue {
	uint32_t lock QUEUE_ALIGNED; /* all: enum futex_lock */
	/* the lock's holder's */
	struct locked_ring ring;
	unsigned writers_waiting, readers_waiting; /* not yet taken off to be woken */
	/* the ring's counters as they were when the lock was last released: written by its holder, read by all, slept upon */
	uint64_t tail QUEUE_ALIGNED;
	uint64_t head QUEUE_ALIGNED;
	/* constant */
	struct locked_endpoint *endpoints QUEUE_ALIGNED;
	unsigned producers, consumers;
	size_t capacity;
	struct queue_memory *memory;
};

/* A counter's lower half: the word that the kernel looks at. */
static uint32_t *futex_word(uint64_t *counter)
{
	return (uint32_t *)(void *)counter + (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
}

/* Sleeps while *word equals `seen`; may return early. */
static QUEUE_COLD void futex_sleep(uint32_t *word, uint32_t seen)
{
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

/* Wakes one of those that sleep on the word. */
static QUEUE_COLD void futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static int futex_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return locked_footprint(config, FUTEX_BATCHES, sizeof(struct futex_queue), bytes);
}

static void futex_destroy(void *instance)
{
	struct futex_queue *queue = (struct futex_queue *)instance;
	struct queue_memory *memory = queue->memory;

	locked_release(memory, &queue->ring, queue->endpoints, queue->producers + queue->consumers);
	memory->release(memory, queue, sizeof(*queue));
}

static int futex_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct futex_queue *queue = (struct futex_queue *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	int status;

	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct futex_queue){.tail = config->counter_start, .head = config->counter_start,
				      .producers = config->producers, .consumers = config->consumers,
				      .capacity = config->capacity, .memory = memory};
	status = locked_allocate(config, FUTEX_BATCHES, queue, &queue->ring, &queue->endpoints);
	if (status) {
		memory->release(memory, queue, sizeof(*queue));
		return status;
	}
	*instance = queue;
	return 0;
}

static void *futex_producer(void *instance, unsigned index)
{
	return &((struct futex_queue *)instance)->endpoints[index];
}

static void *futex_consumer(void *instance, unsigned index)
{
	struct futex_queue *queue = (struct futex_queue *)instance;

	return &queue->endpoints[queue->producers + index];
}

QUEUE_INLINE void *futex_prewrite_span(void *producer, size_t max, size_t *n)
{
	return locked_prewrite_span((struct locked_endpoint *)producer, max, n);
}

QUEUE_INLINE const void *futex_read_span(void *consumer, size_t max, size_t *n)
{
	return locked_read_span((struct locked_endpoint *)consumer, max, n);
}

static QUEUE_COLD void futex_lock_held(struct futex_queue *queue)
{
	/* L1 acquire, as in futex_lock(). */
	while (exchange_acquire(&queue->lock, FUTEX_WAITED_FOR) != FUTEX_FREE)
		futex_sleep(&queue->lock, FUTEX_WAITED_FOR);
}

QUEUE_INLINE void futex_lock(struct futex_queue *queue)
{
	uint32_t expected = FUTEX_FREE;

	/* L1 acquire: pairs with L0 in futex_unlock(): what the last holder wrote is seen by this one. */
	if (queue_unlikely(!compare_exchange_acq_rel(&queue->lock, &expected, FUTEX_HELD)))
		futex_lock_held(queue);
}

QUEUE_INLINE void futex_unlock(struct futex_queue *queue)
{
	/* L0 release: pairs with L1 in futex_lock(). One exchange and not a load and a store: somebody may come in between. */
	if (queue_unlikely(exchange_acq_rel(&queue->lock, FUTEX_FREE) == FUTEX_WAITED_FOR))
		futex_wake(&queue->lock);
}

/* Under the lock: one more that waits, out of `endpoints`. */
QUEUE_INLINE void futex_count(unsigned *waiting, unsigned endpoints)
{
	if (*waiting < endpoints)
		++*waiting;
}

/* Under the lock: whether one of those that wait is to be woken, for there is something for it; it is then off the count. */
QUEUE_INLINE bool futex_claim(unsigned *waiting, bool something)
{
	if (queue_likely(!*waiting) || !something)
		return false;
	--*waiting;
	return true;
}

/* Leaves the lock and wakes whom the ring, as it is left, has something for. */
QUEUE_INLINE void futex_leave(struct futex_queue *queue)
{
	uint64_t inside = queue->ring.tail - queue->ring.head;
	bool wake_reader = futex_claim(&queue->readers_waiting, inside != 0);
	bool wake_writer = futex_claim(&queue->writers_waiting, inside != queue->capacity);

	futex_unlock(queue);
	if (queue_unlikely(wake_reader))
		futex_wake(futex_word(&queue->tail));
	if (queue_unlikely(wake_writer))
		futex_wake(futex_word(&queue->head));
}

QUEUE_INLINE enum queue_flush futex_put(struct locked_endpoint *producer, bool wait)
{
	struct futex_queue *queue = (struct futex_queue *)producer->queue;
	uint32_t ticket;

	for (;;) {
		futex_lock(queue);
		if (locked_put(&queue->ring, producer, SIZE_MAX))
			/* C1 relaxed: L0 follows. Before anybody is woken, or a sleeper could find it unmoved and sleep again. */
			store_relaxed(&queue->tail, queue->ring.tail);
		if (!producer->staged || !wait)
			break;
		futex_count(&queue->writers_waiting, queue->producers);
		ticket = (uint32_t)queue->ring.head;
		futex_leave(queue);
		futex_sleep(futex_word(&queue->head), ticket);
	}
	futex_leave(queue);
	return producer->staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool futex_take(struct locked_endpoint *consumer, bool wait)
{
	struct futex_queue *queue = (struct futex_queue *)consumer->queue;
	uint32_t ticket;

	for (;;) {
		futex_lock(queue);
		if (locked_take(&queue->ring, consumer, SIZE_MAX))
			store_relaxed(&queue->head, queue->ring.head); /* as C1 */
		if (consumer->staged || !wait)
			break;
		futex_count(&queue->readers_waiting, queue->consumers);
		ticket = (uint32_t)queue->ring.tail;
		futex_leave(queue);
		futex_sleep(futex_word(&queue->tail), ticket);
	}
	futex_leave(queue);
	return consumer->staged != 0;
}

QUEUE_INLINE enum queue_flush futex_flush(void *endpoint)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;
	struct futex_queue *queue = (struct futex_queue *)producer->queue;
	uint64_t tail;

	if (!producer->staged)
		return QUEUE_FLUSHED;
	/* C0 acquire: only that the tail is read before the head, so that the queue was full when the latter was. No contents are read
	 * by it: the lock's holder looks at the real ones. relaxed: as it is the later one. */
	tail = load_acquire(&queue->tail);
	if (tail - load_relaxed(&queue->head) == queue->capacity)
		return QUEUE_FULL;
	return futex_put(producer, false);
}

QUEUE_INLINE bool futex_preread(void *endpoint)
{
	struct locked_endpoint *consumer = (struct locked_endpoint *)endpoint;
	struct futex_queue *queue = (struct futex_queue *)consumer->queue;
	uint64_t head;

	if (consumer->staged)
		return true;
	/* as C0: the head first, so that the queue was empty when the tail was read. */
	head = load_acquire(&queue->head);
	if (load_relaxed(&queue->tail) == head)
		return false;
	return futex_take(consumer, false);
}

QUEUE_INLINE void futex_flush_wait(void *endpoint)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;

	if (producer->staged)
		futex_put(producer, true);
}

QUEUE_INLINE void futex_preread_wait(void *endpoint)
{
	struct locked_endpoint *consumer = (struct locked_endpoint *)endpoint;

	if (!consumer->staged)
		futex_take(consumer, true);
}

#define FUTEX_OPERATIONS                                                                                               \
	.footprint = futex_footprint, .create = futex_create, .destroy = futex_destroy, .producer = futex_producer,    \
	.consumer = futex_consumer, .prewrite_span = futex_prewrite_span, .flush = futex_flush,                        \
	.preread = futex_preread, .read_span = futex_read_span, .flush_wait = futex_flush_wait,                        \
	.preread_wait = futex_preread_wait

#endif
