/* A locked ring for several producers and consumers, right but for the bug that its table names. Where a bug needs another thread to
 * come in between, the thread gives its CPU away right there: the window is as wide as can be, so that a check which looks will
 * see it. */
#include <sched.h>

#include "broken.h"
#include "locked/locked_ring.h"

enum bug {
	NO_BUG,
	FALSE_EMPTY,    /* a preread that finds the lock held says that there is nothing, though the traits promise better */
	TAKEN_TWICE,    /* consumers do not exclude each other */
	INVERTED,       /* a message overtakes the one before it where that is another producer's */
	COPIED_LATE,    /* flush publishes, then copies: the order of its source, not only the machine's */
	TORN,           /* preread gives the slots back half-way through its copy */
	REST_FORGOTTEN, /* what a full queue refused goes along with the next batch, and at the end nowhere */
};

struct shared_queue {
	struct locked_queue common QUEUE_ALIGNED;
	uint32_t locked QUEUE_ALIGNED;
	struct locked_ring ring; /* the lock's holder's */
};

static int shared_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return locked_footprint(config, true, sizeof(struct shared_queue), bytes);
}

static int shared_create(const struct queue_config *config, void **instance)
{
	int status = locked_create(config, true, sizeof(struct shared_queue), instance);

	if (!status) {
		struct shared_queue *queue = *instance;

		queue->ring = locked_ring(&queue->common, config);
	}
	return status;
}

static void shared_lock(struct shared_queue *queue)
{
	while (exchange_acquire(&queue->locked, 1)) /* L1 acquire: pairs with L0 in shared_unlock() */
		sched_yield();
}

static void shared_unlock(struct shared_queue *queue)
{
	store_release(&queue->locked, 0); /* L0 release: pairs with L1 in shared_lock() */
}

static uint64_t *slot_at(struct locked_ring *ring, size_t slot)
{
	return (uint64_t *)(void *)(ring->slots + slot % ring->capacity * ring->stride);
}

/* Exchanges the newest message with the one before, if that is there still and came from another producer. */
static void overtake(struct locked_ring *ring)
{
	uint64_t *newest = slot_at(ring, ring->write_slot + ring->capacity - 1);
	uint64_t *before = slot_at(ring, ring->write_slot + 2 * ring->capacity - 2);

	if (ring->tail - ring->head < 2 || *newest >> 48 == *before >> 48)
		return;
	for (size_t i = 0; i < ring->stride / 8; i++) {
		uint64_t word = newest[i];

		newest[i] = before[i];
		before[i] = word;
	}
}

/* As locked_put(), the wrong way round. */
static void put_and_copy_late(struct shared_queue *queue, struct locked_endpoint *producer)
{
	struct locked_ring *ring = &queue->ring;
	size_t free = ring->capacity - (size_t)(ring->tail - ring->head), slot = ring->write_slot;
	size_t count = producer->stage.staged < free ? producer->stage.staged : free;

	ring->tail += count;
	ring->write_slot = (slot + count) % ring->capacity;
	shared_unlock(queue);
	sched_yield();
	shared_lock(queue); /* so that no copy is torn as well */
	for (size_t i = 0; i < count; i++)
		copy_messages(slot_at(ring, slot + i), stage_first(&producer->stage) + i * ring->stride, ring->stride / 8);
	stage_shift(&producer->stage, count);
}

static enum queue_flush shared_flush(struct locked_endpoint *producer, enum bug bug)
{
	struct shared_queue *queue = producer->queue;

	if (!producer->stage.staged)
		return QUEUE_FLUSHED;
	if (bug == REST_FORGOTTEN && producer->stage.first) {
		sched_yield();
		return QUEUE_FLUSHED;
	}
	shared_lock(queue);
	if (bug == COPIED_LATE)
		put_and_copy_late(queue, producer);
	else if (bug != INVERTED)
		locked_put(&queue->ring, producer, SIZE_MAX);
	else
		while (locked_put(&queue->ring, producer, 1))
			overtake(&queue->ring);
	if (bug == FALSE_EMPTY)
		sched_yield();
	shared_unlock(queue);
	return producer->stage.staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

/* As locked_take(), but the first half of the words, then room for the writer, then the others. */
static void take_torn(struct shared_queue *queue, struct locked_endpoint *consumer)
{
	struct locked_ring *ring = &queue->ring;
	size_t count = (size_t)(ring->tail - ring->head), slot = ring->read_slot, words = ring->stride / 8;

	if (count > consumer->stage.room)
		count = consumer->stage.room;
	for (size_t half = 0; half < 2; half++) {
		for (size_t i = 0; i < count; i++)
			for (size_t word = half * (words / 2); word < (half ? words : words / 2); word++)
				((uint64_t *)(void *)(consumer->stage.messages + i * ring->stride))[word] = slot_at(ring, slot + i)[word];
		if (half)
			break;
		ring->head += count;
		ring->read_slot = (slot + count) % ring->capacity;
		shared_unlock(queue);
		sched_yield();
		shared_lock(queue);
	}
	stage_fill(&consumer->stage, count);
}

/* As locked_take(), with all the time in the world for another consumer to take the same. */
static void take_unguarded(struct shared_queue *queue, struct locked_endpoint *consumer)
{
	struct locked_ring copy = queue->ring;

	locked_take(&copy, consumer, SIZE_MAX);
	shared_unlock(queue);
	sched_yield();
	shared_lock(queue);
	queue->ring.head += consumer->stage.staged; /* so that the counters at least stay sound */
	queue->ring.read_slot = (queue->ring.read_slot + consumer->stage.staged) % queue->ring.capacity;
	if (queue->ring.tail - queue->ring.head > queue->ring.capacity) { /* taken twice: more than there was */
		queue->ring.head = queue->ring.tail;
		queue->ring.read_slot = queue->ring.write_slot;
	}
}

static bool shared_preread(struct locked_endpoint *consumer, enum bug bug)
{
	struct shared_queue *queue = consumer->queue;

	if (consumer->stage.staged)
		return true;
	if (bug == FALSE_EMPTY && load_relaxed(&queue->locked))
		return false;
	shared_lock(queue);
	if (bug == TORN)
		take_torn(queue, consumer);
	else if (bug == TAKEN_TWICE)
		take_unguarded(queue, consumer);
	else
		locked_take(&queue->ring, consumer, SIZE_MAX);
	shared_unlock(queue);
	return consumer->stage.staged;
}

#define BROKEN(symbol, its_bug)                                                                                        \
	static enum queue_flush symbol##_flush(void *producer)                                                         \
	{                                                                                                              \
		return shared_flush(producer, its_bug);                                                                \
	}                                                                                                              \
	static bool symbol##_preread(void *consumer)                                                                   \
	{                                                                                                              \
		return shared_preread(consumer, its_bug);                                                              \
	}                                                                                                              \
	const struct queue broken_shared_##symbol = {                                                                  \
		.contract = QUEUE_CONTRACT,                                                                            \
		.name = "broken",                                                                                      \
		.summary = "a queue with a planted bug",                                                               \
		.source = "none",                                                                                      \
		.traits = {.shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,                                    \
			   .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,                         \
			   .progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL, .batches = true},                   \
		.footprint = shared_footprint, .create = shared_create, .destroy = locked_destroy,                     \
		.producer = locked_producer, .consumer = locked_consumer,                                              \
		.prewrite_span = locked_prewrite_span, .flush = symbol##_flush,                                        \
		.preread = symbol##_preread, .read_span = locked_read_span,                                            \
	}

BROKEN(no_bug, NO_BUG);
BROKEN(false_empty, FALSE_EMPTY);
BROKEN(taken_twice, TAKEN_TWICE);
BROKEN(inverted, INVERTED);
BROKEN(copied_late, COPIED_LATE);
BROKEN(torn, TORN);
BROKEN(rest_forgotten, REST_FORGOTTEN);
