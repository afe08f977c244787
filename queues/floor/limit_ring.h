/* A ring whose writer fills a stage that stays in its own cache and copies it over in one go; one release store publishes 16 KiB. The
 * reader reads in place. The including file says by LIMIT_COPY(to, from, words) how it is copied: all that differs between the floors. */
#ifndef QUEUES_LIMIT_RING_H
#define QUEUES_LIMIT_RING_H

#include "stream.h"

enum { LIMIT_BATCH_BYTES = 16 << 10 };

struct limit {
	struct {
		uint64_t flushed;     /* messages so far */
		uint64_t head_seen;   /* a past value of head */
		size_t staged;        /* messages in the stage */
		size_t slot;          /* index of the next free one */
		size_t room, capacity, stride; /* constant, as what follows; room: messages that the stage holds */
		unsigned char *stage, *slots;
		struct limit *limit;
	} writer QUEUE_ALIGNED;
	struct {
		uint64_t read;      /* messages handed out so far */
		uint64_t released;  /* what `head` says */
		uint64_t tail_seen; /* what tail was at the last preread */
		size_t slot;        /* index of the next one to read */
		size_t capacity, stride; /* constant, as what follows */
		const unsigned char *slots;
		struct limit *limit;
	} reader QUEUE_ALIGNED;
	uint64_t tail QUEUE_ALIGNED; /* writer's: messages flushed so far; runs freely */
	uint64_t head QUEUE_ALIGNED; /* reader's: messages released so far; runs freely */
	struct queue_memory *memory QUEUE_ALIGNED; /* constant */
};

_Static_assert(offsetof(struct limit, head) - offsetof(struct limit, tail) == QUEUE_LINE_PAIR,
	       "each shared counter has a line pair of its own");

typedef __typeof__(((struct limit *)NULL)->writer) limit_writer;
typedef __typeof__(((struct limit *)NULL)->reader) limit_reader;

static size_t limit_room(const struct queue_config *config)
{
	return config->batch < config->capacity ? config->batch : config->capacity;
}

static int limit_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t messages;

	(void)outstanding;
	if (queue_size(1, config->capacity, limit_room(config), &messages))
		return -75; /* −EOVERFLOW */
	return queue_size(messages, queue_stride(config->message_bytes), sizeof(struct limit), bytes);
}

static void limit_destroy(void *instance)
{
	struct limit *limit = instance;
	struct queue_memory *memory = limit->memory;

	memory->release(memory, limit->writer.stage, limit->writer.room * limit->writer.stride);
	memory->release(memory, limit->writer.slots, limit->writer.capacity * limit->writer.stride);
	memory->release(memory, limit, sizeof(*limit));
}

static int limit_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), room = limit_room(config), bytes;
	uint64_t start = config->counter_start;
	unsigned char *slots, *stage;
	struct limit *limit;

	if (limit_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	limit = memory->allocate(memory, sizeof(*limit), QUEUE_LINE_PAIR);
	slots = limit ? memory->allocate(memory, config->capacity * stride, 4096) : NULL;
	stage = slots ? memory->allocate(memory, room * stride, 4096) : NULL;
	if (!stage) {
		if (slots)
			memory->release(memory, slots, config->capacity * stride);
		if (limit)
			memory->release(memory, limit, sizeof(*limit));
		return -12; /* −ENOMEM */
	}
	*limit = (struct limit){
		.writer = {.flushed = start, .head_seen = start, .room = room, .capacity = config->capacity, .stride = stride,
			   .stage = stage, .slots = slots, .limit = limit},
		.reader = {.read = start, .released = start, .tail_seen = start, .capacity = config->capacity,
			   .stride = stride, .slots = slots, .limit = limit},
		.tail = start,
		.head = start,
		.memory = memory,
	};
	*instance = limit;
	return 0;
}

static void *limit_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct limit *)instance)->writer;
}

static void *limit_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct limit *)instance)->reader;
}

QUEUE_INLINE void *limit_prewrite_span(void *producer, size_t max, size_t *n)
{
	limit_writer *writer = producer;
	unsigned char *slot = writer->stage + writer->staged * writer->stride;

	*n = writer->room - writer->staged;
	if (max < *n)
		*n = max;
	writer->staged += *n;
	return slot;
}

QUEUE_INLINE enum queue_flush limit_flush(void *producer)
{
	limit_writer *writer = producer;
	size_t first = writer->capacity - writer->slot, staged = writer->staged;

	if (!staged)
		return QUEUE_FLUSHED;
	if (writer->capacity - (size_t)(writer->flushed - writer->head_seen) < staged) {
		/* H1 acquire: pairs with H0 in limit_preread(): the reader is done with the slots that are written anew. */
		writer->head_seen = load_acquire(&writer->limit->head);
		if (writer->capacity - (size_t)(writer->flushed - writer->head_seen) < staged)
			return QUEUE_FULL;
	}
	if (staged < first)
		first = staged;
	LIMIT_COPY(writer->slots + writer->slot * writer->stride, writer->stage, first * (writer->stride / 8));
	if (staged > first)
		LIMIT_COPY(writer->slots, writer->stage + first * writer->stride, (staged - first) * (writer->stride / 8));
	writer->slot += staged;
	if (writer->slot >= writer->capacity)
		writer->slot -= writer->capacity;
	writer->flushed += staged;
	writer->staged = 0;
	/* T0 release: pairs with T1 in limit_preread(): makes the slots' contents visible. */
	store_release(&writer->limit->tail, writer->flushed);
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool limit_preread(void *consumer)
{
	limit_reader *reader = consumer;

	if (reader->read != reader->released) {
		reader->released = reader->read;
		/* H0 release: pairs with H1 in limit_flush(): what was read of the slots is read before they are written anew. */
		store_release(&reader->limit->head, reader->read);
	}
	/* T1 acquire: pairs with T0 in limit_flush(). */
	reader->tail_seen = load_acquire(&reader->limit->tail);
	return reader->tail_seen != reader->read;
}

QUEUE_INLINE const void *limit_read_span(void *consumer, size_t max, size_t *n)
{
	limit_reader *reader = consumer;
	size_t ready = (size_t)(reader->tail_seen - reader->read);
	const unsigned char *slot = reader->slots + reader->slot * reader->stride;

	*n = reader->capacity - reader->slot;
	if (ready < *n)
		*n = ready;
	if (max < *n)
		*n = max;
	reader->read += *n;
	reader->slot += *n;
	if (reader->slot == reader->capacity)
		reader->slot = 0;
	return slot;
}

#define LIMIT_TRAITS \
	{                                                                                                              \
		.role = QUEUE_FLOOR, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true,     \
		.capacity_min = 1, .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,                 \
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL, .batches = true,                              \
		.own_batch_bytes = LIMIT_BATCH_BYTES,                                                                  \
	}

#define LIMIT_OPERATIONS                                                                                               \
	.footprint = limit_footprint, .create = limit_create, .destroy = limit_destroy, .producer = limit_producer,    \
	.consumer = limit_consumer, .prewrite_span = limit_prewrite_span, .flush = limit_flush,                        \
	.preread = limit_preread, .read_span = limit_read_span

#endif
