/* A bounded ring for any number of producers and consumers, to be guarded by a lock of the including file's; and what else the queues
 * under locks have in common.
 *
 * Each endpoint has a stage of its own: messages are copied into the ring and out of it while the lock is held. (A list has use for the
 * endpoints alone.) Nothing here takes a lock: what needs one says so. The including file may set LOCKED_PLACE, the type of what its lock
 * or list gives each endpoint besides. */
#ifndef QUEUES_LOCKED_RING_H
#define QUEUES_LOCKED_RING_H

#include "copy.h"
#include "stage.h"

/* What each queue's struct begins with, as `common`: constant. */
struct locked_queue {
	struct locked_endpoint *endpoints; /* producers first */
	unsigned producers, consumers;
	size_t capacity;
	unsigned char *slots;              /* the ring's; NULL: it has none */
	size_t slots_bytes, bytes;         /* bytes: of the queue's struct */
	struct queue_memory *memory;
};

struct locked_endpoint {
	/* producer: what is not yet in the ring. consumer: what is not yet handed out */
	struct stage stage;
	void *queue; /* constant: the including file's */
#ifdef LOCKED_PLACE
	LOCKED_PLACE place QUEUE_ALIGNED;
#endif
} QUEUE_ALIGNED;

/* All fields but the constants are the lock's holder's. */
struct locked_ring {
	uint64_t head, tail; /* messages taken out and put in so far; they run freely */
	size_t read_slot, write_slot;
	size_t capacity, stride; /* constant, as what follows */
	unsigned char *slots;
};

/* The ring's counters as they were when the lock was last released: written by its holder, read by all. They spare an endpoint the lock
 * where there is nothing to be had. */
struct locked_counters {
	uint64_t tail QUEUE_ALIGNED;
	uint64_t head QUEUE_ALIGNED;
};

_Static_assert(sizeof(struct locked_counters) == 2 * QUEUE_LINE_PAIR, "each counter has a line pair of its own");

/* ---- made and unmade ---- */

/* How many messages a stage holds: what one flush, one preread may move. */
QUEUE_INLINE size_t locked_room(const struct queue_config *config, bool batches)
{
	return batches ? stage_room(config) : 1;
}

/* Bytes of a queue whose own struct takes `own`, its ring and its endpoints. */
static inline int locked_footprint(const struct queue_config *config, bool batches, size_t own, size_t *bytes)
{
	size_t stride = queue_stride(config->message_bytes), endpoint, all;

	if (queue_size(locked_room(config, batches), stride, sizeof(struct locked_endpoint), &endpoint) ||
	    queue_size((size_t)config->producers + config->consumers, endpoint, own, &all))
		return -75; /* −EOVERFLOW */
	return queue_size(config->capacity, stride, all, bytes);
}

static inline void locked_destroy(void *instance)
{
	struct locked_queue *queue = (struct locked_queue *)instance;
	struct queue_memory *memory = queue->memory;
	size_t count = (size_t)queue->producers + queue->consumers;

	for (size_t i = 0; queue->endpoints && i < count; i++)
		stage_close(&queue->endpoints[i].stage, memory);
	if (queue->endpoints)
		memory->release(memory, queue->endpoints, count * sizeof(struct locked_endpoint));
	if (queue->slots)
		memory->release(memory, queue->slots, queue->slots_bytes);
	memory->release(memory, queue, queue->bytes);
}

/* The ring's slots, where it is bounded, and the endpoints with their stages. False: memory ran out; what there is belongs to the queue. */
static inline bool locked_allocate(struct locked_queue *queue, const struct queue_config *config, bool batches)
{
	struct queue_memory *memory = config->memory;
	size_t count = (size_t)queue->producers + queue->consumers;
	bool complete;

	if (queue->slots_bytes)
		queue->slots = (unsigned char *)memory->allocate(memory, queue->slots_bytes, QUEUE_LINE_PAIR);
	queue->endpoints = (struct locked_endpoint *)memory->allocate(memory, count * sizeof(struct locked_endpoint), QUEUE_LINE_PAIR);
	complete = queue->endpoints && (queue->slots || !queue->slots_bytes);
	for (size_t i = 0; queue->endpoints && i < count; i++) {
		struct locked_endpoint *endpoint = &queue->endpoints[i];

		*endpoint = (struct locked_endpoint){.queue = queue};
		complete = stage_open(&endpoint->stage, config, locked_room(config, batches)) && complete;
	}
	return complete;
}

/* A queue's struct of so many bytes, all 0 but for its struct locked_queue. 0, −ENOMEM or −EOVERFLOW. */
static inline int locked_create(const struct queue_config *config, bool batches, size_t own, void **instance)
{
	struct locked_queue *queue;
	size_t bytes;

	if (locked_footprint(config, batches, own, &bytes))
		return -75; /* −EOVERFLOW */
	queue = (struct locked_queue *)config->memory->allocate(config->memory, own, QUEUE_LINE_PAIR);
	if (!queue)
		return -12; /* −ENOMEM */
	__builtin_memset(queue, 0, own);
	*queue = (struct locked_queue){.producers = config->producers, .consumers = config->consumers, .capacity = config->capacity,
				       .slots_bytes = config->capacity * queue_stride(config->message_bytes), .bytes = own,
				       .memory = config->memory};
	if (!locked_allocate(queue, config, batches)) {
		locked_destroy(queue);
		return -12;
	}
	*instance = queue;
	return 0;
}

/* The ring of a queue that was just created, empty. */
static inline struct locked_ring locked_ring(const struct locked_queue *queue, const struct queue_config *config)
{
	return (struct locked_ring){.head = config->counter_start, .tail = config->counter_start, .capacity = config->capacity,
				    .stride = queue_stride(config->message_bytes), .slots = queue->slots};
}

static inline void *locked_producer(void *instance, unsigned index)
{
	return &((struct locked_queue *)instance)->endpoints[index];
}

static inline void *locked_consumer(void *instance, unsigned index)
{
	struct locked_queue *queue = (struct locked_queue *)instance;

	return &queue->endpoints[queue->producers + index];
}

/* ---- an endpoint's own ---- */

QUEUE_INLINE void *locked_prewrite_span(void *producer, size_t max, size_t *n)
{
	return stage_prewrite_span(&((struct locked_endpoint *)producer)->stage, max, n);
}

QUEUE_INLINE const void *locked_read_span(void *consumer, size_t max, size_t *n)
{
	return stage_read_span(&((struct locked_endpoint *)consumer)->stage, max, n);
}

/* ---- without the lock ---- */

/* Whether it was full a moment ago. */
QUEUE_INLINE bool locked_was_full(const struct locked_counters *published, size_t capacity)
{
	/* C0 acquire: only that the tail is read before the head, so that the queue was full when the latter was. No contents are read by
	 * it: the lock's holder looks again at the real ones. relaxed: as it is the later one. */
	uint64_t tail = load_acquire(&published->tail);

	return tail - load_relaxed(&published->head) == capacity;
}

/* Whether it was empty a moment ago. A message that was flushed is seen at the latest by a later call. */
QUEUE_INLINE bool locked_was_empty(const struct locked_counters *published)
{
	/* as C0: the head first, so that the queue was empty when the tail was read. */
	uint64_t head = load_acquire(&published->head);

	return load_relaxed(&published->tail) == head;
}

/* ---- under the lock ---- */

/* Moves up to `max` staged messages into the ring, as far as there is room. Returns how many. */
QUEUE_INLINE size_t locked_put(struct locked_ring *ring, struct locked_endpoint *producer, size_t max)
{
	size_t free = ring->capacity - (size_t)(ring->tail - ring->head), moved = 0, n;

	if (free < max)
		max = free;
	if (producer->stage.staged < max)
		max = producer->stage.staged;
	for (; moved < max; moved += n) {
		n = ring->capacity - ring->write_slot;
		if (max - moved < n)
			n = max - moved;
		copy_messages(ring->slots + ring->write_slot * ring->stride, stage_first(&producer->stage) + moved * ring->stride,
			      n * (ring->stride / 8));
		ring->write_slot += n;
		if (ring->write_slot == ring->capacity)
			ring->write_slot = 0;
	}
	ring->tail += max;
	stage_shift(&producer->stage, max);
	return max;
}

/* Moves up to `max` messages into the consumer's empty stage, as many as it holds. Returns how many. */
QUEUE_INLINE size_t locked_take(struct locked_ring *ring, struct locked_endpoint *consumer, size_t max)
{
	size_t ready = (size_t)(ring->tail - ring->head), moved = 0, n;

	if (ready < max)
		max = ready;
	if (consumer->stage.room < max)
		max = consumer->stage.room;
	for (; moved < max; moved += n) {
		n = ring->capacity - ring->read_slot;
		if (max - moved < n)
			n = max - moved;
		copy_messages(consumer->stage.messages + moved * ring->stride, ring->slots + ring->read_slot * ring->stride,
			      n * (ring->stride / 8));
		ring->read_slot += n;
		if (ring->read_slot == ring->capacity)
			ring->read_slot = 0;
	}
	ring->head += max;
	stage_fill(&consumer->stage, max);
	return max;
}

#endif
