/* The ring of ring.c, and of its kin: lamport, and those that put a stage before it. ring.c tells how it works.
 *
 * The including file may set RING_COPIES to 0: then the writer keeps no copy of the reader's counter, and each of its looks is one at the
 * counter itself. It may set RING_WRITER_FIELDS and RING_READER_FIELDS: what it adds to the two ends for itself; and RING_LOOK(writer): how
 * the writer looks at the reader's counter, by acquire. */
#ifndef QUEUES_SPSC_RING_CORE_H
#define QUEUES_SPSC_RING_CORE_H

#include "queue.h"

#ifndef RING_COPIES
#define RING_COPIES 1
#endif
#ifndef RING_LOOK
#define RING_LOOK(writer) load_acquire(&(writer)->ring->head)
#endif
#ifndef RING_WRITER_FIELDS
#define RING_WRITER_FIELDS
#endif
#ifndef RING_READER_FIELDS
#define RING_READER_FIELDS
#endif

struct ring {
	struct writer {
		uint64_t staged;    /* messages staged and flushed so far */
		uint64_t flushed;   /* what `tail` says */
		uint64_t head_seen; /* a past value of head */
		size_t slot;        /* index of the next free one */
		size_t capacity, stride; /* constant, as what follows */
		unsigned char *slots;
		struct ring *ring;
		RING_WRITER_FIELDS
	} writer QUEUE_ALIGNED;

	struct reader {
		uint64_t read;      /* messages handed out so far */
		uint64_t released;  /* what `head` says */
		uint64_t tail_seen; /* what tail was at the last preread */
		size_t slot;        /* index of the next one to read */
		size_t capacity, stride; /* constant, as what follows */
		const unsigned char *slots;
		struct ring *ring;
		RING_READER_FIELDS
	} reader QUEUE_ALIGNED;

	uint64_t tail QUEUE_ALIGNED; /* writer's: messages flushed so far; runs freely */
	uint64_t head QUEUE_ALIGNED; /* reader's: messages released so far; runs freely */
	struct queue_memory *memory QUEUE_ALIGNED; /* constant */
	size_t slots_bytes;
};

_Static_assert(offsetof(struct ring, reader) - offsetof(struct ring, writer) >= QUEUE_LINE_PAIR &&
	       offsetof(struct ring, tail) - offsetof(struct ring, reader) >= QUEUE_LINE_PAIR &&
	       offsetof(struct ring, head) - offsetof(struct ring, tail) == QUEUE_LINE_PAIR,
	       "each end's own, and each shared counter, have line pairs to themselves");

static int ring_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, queue_stride(config->message_bytes), sizeof(struct ring), bytes);
}

static void ring_destroy(void *instance)
{
	struct ring *ring = (struct ring *)instance;
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
	ring = (struct ring *)memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	slots = ring ? (unsigned char *)memory->allocate(memory, bytes, QUEUE_LINE_PAIR) : NULL;
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

/* How many slots are free, by the writer's copy of the reader's counter; 0 where it keeps none. */
QUEUE_INLINE size_t ring_free_by_copy(const struct writer *writer)
{
	return RING_COPIES ? writer->capacity - (size_t)(writer->staged - writer->head_seen) : 0;
}

/* How many slots are free. Looks at the reader's counter where by its copy fewer than `wanted` (at least 1) are. */
QUEUE_INLINE size_t ring_free(struct writer *writer, size_t wanted)
{
	size_t free = ring_free_by_copy(writer);

	if (free < wanted) {
		/* H1 acquire: pairs with H0 in ring_preread(): the reader is done with the slots that are written anew. */
		uint64_t head = RING_LOOK(writer);

		free = writer->capacity - (size_t)(writer->staged - head);
		if (RING_COPIES)
			writer->head_seen = head;
	}
	return free;
}

QUEUE_INLINE void *ring_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct writer *writer = (struct writer *)producer;
	size_t free = ring_free(writer, 1);
	unsigned char *slot;

	if (!free) {
		*n = 0;
		return NULL;
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
	struct writer *writer = (struct writer *)producer;

	if (writer->staged != writer->flushed) {
		writer->flushed = writer->staged;
		/* T0 release: pairs with T1 in ring_preread(): makes the slots' contents visible. */
		store_release(&writer->ring->tail, writer->staged);
	}
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool ring_preread(void *consumer)
{
	struct reader *reader = (struct reader *)consumer;

	if (reader->read != reader->released) {
		reader->released = reader->read;
		/* H0 release: pairs with H1 in ring_prewrite_span(): what was read of the slots is read before they are written anew. */
		store_release(&reader->ring->head, reader->read);
	}
	/* T1 acquire: pairs with T0 in ring_flush(): the slots' contents. */
	reader->tail_seen = load_acquire(&reader->ring->tail);
	return reader->tail_seen != reader->read;
}

QUEUE_INLINE const void *ring_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = (struct reader *)consumer;
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

#define RING_TRAITS                                                                                                    \
	.shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true, .capacity_min = 1,               \
	.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX, .progress = QUEUE_WAIT_FREE,               \
	.order = QUEUE_ORDER_TOTAL, .batches = true

#define RING_OPERATIONS                                                                                                \
	.footprint = ring_footprint, .create = ring_create, .destroy = ring_destroy, .producer = ring_producer,        \
	.consumer = ring_consumer, .prewrite_span = ring_prewrite_span, .flush = ring_flush, .preread = ring_preread,  \
	.read_span = ring_read_span

#endif
