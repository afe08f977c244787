/* The ring of ring.c: shared with a queue that adds to it how its ends wake each other. */
#ifndef QUEUES_RING_CORE_H
#define QUEUES_RING_CORE_H

#include "queue.h"

struct ring {
	struct writer {
		uint64_t staged;    /* messages staged and flushed so far */
		uint64_t flushed;
		uint64_t head_seen; /* a past value of head */
		size_t slot;        /* index of the next free one */
		size_t capacity, stride;
		unsigned char *slots;
		struct ring *ring;
	} writer QUEUE_ALIGNED;

	struct reader {
		uint64_t read;      /* messages handed out so far */
		uint64_t released;
		uint64_t tail_seen; /* a past value of tail */
		size_t slot;        /* index of the next one to read */
		size_t capacity, stride;
		const unsigned char *slots;
		struct ring *ring;
	} reader QUEUE_ALIGNED;

	uint64_t tail QUEUE_ALIGNED; /* writer's */
	uint64_t head QUEUE_ALIGNED; /* reader's */
	struct queue_memory *memory QUEUE_ALIGNED;
	size_t slots_bytes;
};

_Static_assert(offsetof(struct ring, head) - offsetof(struct ring, tail) == QUEUE_LINE_PAIR,
	       "each shared counter has a line pair of its own");

static int ring_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, queue_stride(config->message_bytes), sizeof(struct ring), bytes);
}

static void ring_destroy(void *instance)
{
	struct ring *ring = instance;
	struct queue_memory *memory = ring->memory;

	memory->release(memory, ring->writer.slots, ring->slots_bytes);
	memory->release(memory, ring, sizeof(*ring));
}

static int ring_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), bytes;
	uint64_t start = config->counter_start;
	unsigned char *slots;
	struct ring *ring;

	if (queue_size(config->capacity, stride, 0, &bytes))
		return -75; /* −EOVERFLOW */
	ring = memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	slots = ring ? memory->allocate(memory, bytes, QUEUE_LINE_PAIR) : NULL;
	if (!slots) {
		if (ring)
			memory->release(memory, ring, sizeof(*ring));
		return -12; /* −ENOMEM */
	}
	*ring = (struct ring){
		.writer = {.staged = start, .flushed = start, .head_seen = start, .capacity = config->capacity,
			   .stride = stride, .slots = slots, .ring = ring},
		.reader = {.read = start, .released = start, .tail_seen = start, .capacity = config->capacity,
			   .stride = stride, .slots = slots, .ring = ring},
		.tail = start,
		.head = start,
		.memory = memory,
		.slots_bytes = bytes,
	};
	*instance = ring;
	return 0;
}

static void *ring_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct ring *)instance)->writer;
}

static void *ring_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct ring *)instance)->reader;
}

QUEUE_INLINE void *ring_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct writer *writer = producer;
	size_t free = writer->capacity - (size_t)(writer->staged - writer->head_seen);
	unsigned char *slot;

	if (!free) {
		/* H1 acquire: pairs with H0 in ring_preread(): the reader is done with the slots that are written anew. */
		writer->head_seen = load_acquire(&writer->ring->head);
		free = writer->capacity - (size_t)(writer->staged - writer->head_seen);
		if (!free) {
			*n = 0;
			return NULL;
		}
	}
	*n = writer->capacity - writer->slot;
	if (free < *n)
		*n = free;
	if (max < *n)
		*n = max;
	slot = writer->slots + writer->slot * writer->stride;
	writer->staged += *n;
	writer->slot += *n;
	if (writer->slot == writer->capacity)
		writer->slot = 0;
	return slot;
}

QUEUE_INLINE enum queue_flush ring_flush(void *producer)
{
	struct writer *writer = producer;

	if (writer->staged != writer->flushed) {
		writer->flushed = writer->staged;
		/* T0 release: pairs with T1 in ring_preread(): makes the slots' contents visible. */
		store_release(&writer->ring->tail, writer->staged);
	}
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool ring_preread(void *consumer)
{
	struct reader *reader = consumer;

	if (reader->read != reader->released) {
		reader->released = reader->read;
		/* H0 release: pairs with H1 in ring_prewrite_span(): what was read of the slots is read before they are written anew. */
		store_release(&reader->ring->head, reader->read);
	}
	/* T1 acquire: pairs with T0 in ring_flush(). */
	reader->tail_seen = load_acquire(&reader->ring->tail);
	return reader->tail_seen != reader->read;
}

QUEUE_INLINE const void *ring_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = consumer;
	size_t ready = (size_t)(reader->tail_seen - reader->read);
	const unsigned char *slot;

	*n = reader->capacity - reader->slot;
	if (ready < *n)
		*n = ready;
	if (max < *n)
		*n = max;
	slot = reader->slots + reader->slot * reader->stride;
	reader->read += *n;
	reader->slot += *n;
	if (reader->slot == reader->capacity)
		reader->slot = 0;
	return slot;
}

#endif
