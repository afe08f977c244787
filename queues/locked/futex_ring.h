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
	struct locked_queue common QUEUE_ALIGNED;
	uint32_t lock QUEUE_ALIGNED; /* all: enum futex_lock */
	/* the lock's holder's */
	struct locked_ring ring;
	unsigned writers_waiting, readers_waiting; /* not yet taken off to be woken */
	struct locked_counters published; /* slept upon as well */
};

_Static_assert(offsetof(struct futex_queue, common) == 0, "an instance is a struct locked_queue");

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

static int futex_create(const struct queue_config *config, void **instance)
{
	int status = locked_create(config, FUTEX_BATCHES, sizeof(struct futex_queue), instance);
	struct futex_queue *queue;

	if (status)
		return status;
	queue = (struct futex_queue *)*instance;
	queue->lock = FUTEX_FREE;
	queue->ring = locked_ring(&queue->common, config);
	queue->published.tail = queue->published.head = config->counter_start;
	return 0;
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
	bool wake_writer = futex_claim(&queue->writers_waiting, inside != queue->common.capacity);

	futex_unlock(queue);
	if (queue_unlikely(wake_reader))
		futex_wake(futex_word(&queue->published.tail));
	if (queue_unlikely(wake_writer))
		futex_wake(futex_word(&queue->published.head));
}

QUEUE_INLINE enum queue_flush futex_put(struct locked_endpoint *producer, bool wait)
{
	struct futex_queue *queue = (struct futex_queue *)producer->queue;
	uint32_t ticket;

	for (;;) {
		futex_lock(queue);
		if (locked_put(&queue->ring, producer, SIZE_MAX))
			/* C1 relaxed: L0 follows. Before anybody is woken, or a sleeper could find it unmoved and sleep again. */
			store_relaxed(&queue->published.tail, queue->ring.tail);
		if (!producer->stage.staged || !wait)
			break;
		futex_count(&queue->writers_waiting, queue->common.producers);
		ticket = (uint32_t)queue->ring.head;
		futex_leave(queue);
		futex_sleep(futex_word(&queue->published.head), ticket);
	}
	futex_leave(queue);
	return producer->stage.staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool futex_take(struct locked_endpoint *consumer, bool wait)
{
	struct futex_queue *queue = (struct futex_queue *)consumer->queue;
	uint32_t ticket;

	for (;;) {
		futex_lock(queue);
		if (locked_take(&queue->ring, consumer, SIZE_MAX))
			store_relaxed(&queue->published.head, queue->ring.head); /* as C1 */
		if (consumer->stage.staged || !wait)
			break;
		futex_count(&queue->readers_waiting, queue->common.consumers);
		ticket = (uint32_t)queue->ring.tail;
		futex_leave(queue);
		futex_sleep(futex_word(&queue->published.tail), ticket);
	}
	futex_leave(queue);
	return consumer->stage.staged != 0;
}

QUEUE_INLINE enum queue_flush futex_flush(void *endpoint)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;
	struct futex_queue *queue = (struct futex_queue *)producer->queue;

	if (!producer->stage.staged)
		return QUEUE_FLUSHED;
	if (locked_was_full(&queue->published, queue->common.capacity))
		return QUEUE_FULL;
	return futex_put(producer, false);
}

QUEUE_INLINE bool futex_preread(void *endpoint)
{
	struct locked_endpoint *consumer = (struct locked_endpoint *)endpoint;
	struct futex_queue *queue = (struct futex_queue *)consumer->queue;

	if (consumer->stage.staged)
		return true;
	if (locked_was_empty(&queue->published))
		return false;
	return futex_take(consumer, false);
}

QUEUE_INLINE void futex_flush_wait(void *endpoint)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;

	if (producer->stage.staged)
		futex_put(producer, true);
}

QUEUE_INLINE void futex_preread_wait(void *endpoint)
{
	struct locked_endpoint *consumer = (struct locked_endpoint *)endpoint;

	if (!consumer->stage.staged)
		futex_take(consumer, true);
}

#define FUTEX_OPERATIONS                                                                                               \
	.footprint = futex_footprint, .create = futex_create, .destroy = locked_destroy, .producer = locked_producer,  \
	.consumer = locked_consumer, .prewrite_span = locked_prewrite_span, .flush = futex_flush,                      \
	.preread = futex_preread, .read_span = locked_read_span, .flush_wait = futex_flush_wait,                       \
	.preread_wait = futex_preread_wait

#endif
