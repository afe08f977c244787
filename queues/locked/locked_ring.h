/* A bounded ring for any number of producers and consumers, to be guarded by a lock of the including file's.
 *
 * Each endpoint has a stage of its own: messages are copied into the ring and out of it while the lock is held. (A list has use for the
 * endpoints alone.) Nothing here
 * takes a lock: what needs one says so. All fields of struct locked_ring but the constants belong to the lock's holder. */
#ifndef QUEUES_LOCKED_RING_H
#define QUEUES_LOCKED_RING_H

#include "copy.h"
#include "queue.h"

struct locked_ring {
	uint64_t head, tail; /* messages taken out and put in so far; they run freely */
	size_t read_slot, write_slot;
	size_t capacity, stride; /* constant */
	unsigned char *slots;    /* constant */
};

struct locked_endpoint {
	size_t staged; /* producer: in the stage, not yet in the ring. consumer: in the stage, not yet handed out */
	size_t first;  /* index of the first of them in the stage */
	size_t room;   /* constant: messages that the stage holds */
	size_t stride; /* constant */
	unsigned char *stage;
	void *queue; /* the including file's */
#ifdef LOCKED_PLACE
	LOCKED_PLACE place QUEUE_ALIGNED; /* what the including file's lock or list gives each endpoint besides */
#endif
} QUEUE_ALIGNED;

/* How many messages a stage holds: what one flush, one preread may move. */
QUEUE_INLINE size_t locked_room(const struct queue_config *config, bool batches)
{
	size_t room = batches ? config->batch : 1;

	return !config->capacity || room < config->capacity ? room : config->capacity; /* 0: an unbounded queue */
}

/* Bytes of a queue whose own struct takes `own`, its ring and its endpoints. */
static inline int locked_footprint(const struct queue_config *config, bool batches, size_t own, size_t *bytes)
{
	size_t stride = queue_stride(config->message_bytes), endpoints = config->producers + config->consumers, stages;
	/* a stage is allocated for itself, at a line pair's beginning */
	size_t stage = locked_room(config, batches) * stride + QUEUE_LINE_PAIR;

	if (queue_size(endpoints, stage + sizeof(struct locked_endpoint), own, &stages) ||
	    queue_size(config->capacity, stride, stages, bytes))
		return -75; /* −EOVERFLOW */
	return 0;
}

static inline void locked_release_endpoints(struct queue_memory *memory, struct locked_endpoint *endpoints, size_t count)
{
	for (size_t i = 0; endpoints && i < count; i++)
		if (endpoints[i].stage)
			memory->release(memory, endpoints[i].stage, endpoints[i].room * endpoints[i].stride);
	if (endpoints)
		memory->release(memory, endpoints, count * sizeof(*endpoints));
}

/* The endpoints, producers first, with stages of `room` messages. NULL: no memory, and nothing kept. */
static inline struct locked_endpoint *locked_allocate_endpoints(const struct queue_config *config, size_t room, void *queue)
{
	struct queue_memory *memory = config->memory;
	size_t count = config->producers + config->consumers, stride = queue_stride(config->message_bytes);
	struct locked_endpoint *endpoints =
		(struct locked_endpoint *)memory->allocate(memory, count * sizeof(*endpoints), QUEUE_LINE_PAIR);
	bool complete = true;

	for (size_t i = 0; endpoints && i < count; i++) {
		struct locked_endpoint *endpoint = &endpoints[i];

		*endpoint = (struct locked_endpoint){.room = room, .stride = stride, .queue = queue};
		endpoint->stage = (unsigned char *)memory->allocate(memory, room * stride, QUEUE_LINE_PAIR);
		complete = complete && endpoint->stage;
	}
	if (complete)
		return endpoints;
	locked_release_endpoints(memory, endpoints, count);
	return NULL;
}

static inline void locked_release(struct queue_memory *memory, struct locked_ring *ring,
				  struct locked_endpoint *endpoints, size_t count)
{
	locked_release_endpoints(memory, endpoints, count);
	memory->release(memory, ring->slots, ring->capacity * ring->stride);
}

/* The ring's slots and the endpoints with their stages; producers first. 0, −ENOMEM or −EOVERFLOW, with nothing kept. */
static inline int locked_allocate(const struct queue_config *config, bool batches, void *queue,
				  struct locked_ring *ring, struct locked_endpoint **endpoints)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), bytes;

	if (locked_footprint(config, batches, 0, &bytes))
		return -75; /* −EOVERFLOW */
	*ring = (struct locked_ring){.head = config->counter_start, .tail = config->counter_start,
				     .capacity = config->capacity, .stride = stride};
	ring->slots = (unsigned char *)memory->allocate(memory, config->capacity * stride, QUEUE_LINE_PAIR);
	if (!ring->slots)
		return -12; /* −ENOMEM */
	*endpoints = locked_allocate_endpoints(config, locked_room(config, batches), queue);
	if (*endpoints)
		return 0;
	memory->release(memory, ring->slots, config->capacity * stride);
	return -12; /* −ENOMEM */
}

/* The producer's own: room in its stage. */
QUEUE_INLINE void *locked_prewrite_span(struct locked_endpoint *producer, size_t max, size_t *n)
{
	size_t used = producer->first + producer->staged;

	*n = producer->room - used;
	if (max < *n)
		*n = max;
	producer->staged += *n;
	return producer->stage + used * producer->stride;
}

/* Under the lock: moves up to `max` staged messages into the ring, as far as there is room. Returns how many. */
QUEUE_INLINE size_t locked_put(struct locked_ring *ring, struct locked_endpoint *producer, size_t max)
{
	size_t free = ring->capacity - (size_t)(ring->tail - ring->head), moved = 0, n;

	if (free < max)
		max = free;
	if (producer->staged < max)
		max = producer->staged;
	for (; moved < max; moved += n) {
		n = ring->capacity - ring->write_slot;
		if (max - moved < n)
			n = max - moved;
		copy_messages(ring->slots + ring->write_slot * ring->stride,
			    producer->stage + (producer->first + moved) * ring->stride, n * (ring->stride / 8));
		ring->write_slot += n;
		if (ring->write_slot == ring->capacity)
			ring->write_slot = 0;
	}
	ring->tail += max;
	producer->staged -= max;
	producer->first = producer->staged ? producer->first + max : 0;
	return max;
}

/* Under the lock: moves up to `max` messages into the consumer's empty stage, as many as it holds. Returns how many. */
QUEUE_INLINE size_t locked_take(struct locked_ring *ring, struct locked_endpoint *consumer, size_t max)
{
	size_t ready = (size_t)(ring->tail - ring->head), moved = 0, n;

	if (ready < max)
		max = ready;
	if (consumer->room < max)
		max = consumer->room;
	for (; moved < max; moved += n) {
		n = ring->capacity - ring->read_slot;
		if (max - moved < n)
			n = max - moved;
		copy_messages(consumer->stage + moved * ring->stride, ring->slots + ring->read_slot * ring->stride,
			    n * (ring->stride / 8));
		ring->read_slot += n;
		if (ring->read_slot == ring->capacity)
			ring->read_slot = 0;
	}
	ring->head += max;
	consumer->staged = max;
	consumer->first = 0;
	return max;
}

/* The consumer's own: messages out of its stage. */
QUEUE_INLINE const void *locked_read_span(struct locked_endpoint *consumer, size_t max, size_t *n)
{
	const unsigned char *slot = consumer->stage + consumer->first * consumer->stride;

	*n = max < consumer->staged ? max : consumer->staged;
	consumer->first += *n;
	consumer->staged -= *n;
	return slot;
}

#endif
