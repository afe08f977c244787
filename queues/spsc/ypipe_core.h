/* What ypipe and its kin have in common: linked chunks, a published count, a reader that sleeps by request. ypipe.c tells how it works.
 *
 * The including file sets YPIPE_SPARES: how many chunks read to their end are kept for reuse; 0: all of them, on a list. It may set
 * YPIPE_FIELDS: fields that it adds to the pipe for itself. */
#ifndef QUEUES_YPIPE_CORE_H
#define QUEUES_YPIPE_CORE_H

#include "queue.h"

enum {
	CHUNK_MESSAGES = 256,
	CHUNK_BYTES = 1 << 20,
	ASLEEP = 1,   /* the lowest bit of `published` */
	MESSAGE = 2,  /* what one message adds to a count */
};

struct chunk {
	struct chunk *next; /* writer's until it flushes beyond this chunk, then reader's; on the list of spares: the list's */
	unsigned char messages[] QUEUE_ALIGNED;
};

struct ypipe {
	struct writer {
		struct chunk *chunk;
		unsigned char *slot;    /* the next free one in chunk */
		size_t free;            /* slots left in chunk */
		uint64_t written;       /* staged and flushed ones, × MESSAGE */
		uint64_t flushed;       /* × MESSAGE */
		size_t stride, chunk_messages;
#if YPIPE_SPARES
		size_t spare;           /* index of the place where the next spare chunk will be */
#else
		struct chunk *spares;   /* taken off the shared list, not yet used */
#endif
		struct queue_memory *memory;
		struct ypipe *pipe;
	} writer QUEUE_ALIGNED;

	struct reader {
		struct chunk *chunk;
		const unsigned char *slot; /* the next one to read in chunk */
		size_t left;               /* slots of chunk not yet read */
		uint64_t read, noted;      /* × MESSAGE */
		size_t stride, chunk_messages;
		struct chunk *held;        /* the oldest chunk not yet given back */
#if YPIPE_SPARES
		size_t spare;              /* index of the place for the next spare chunk */
		struct queue_memory *memory;
#endif
		struct ypipe *pipe;
	} reader QUEUE_ALIGNED;

	uint64_t published QUEUE_ALIGNED;    /* both: flushed messages × MESSAGE, with ASLEEP by the reader */
#if YPIPE_SPARES
	struct chunk *spares[YPIPE_SPARES] QUEUE_ALIGNED; /* both, in turn: the reader fills a place that is NULL, the writer empties it */
#else
	struct chunk *spares QUEUE_ALIGNED;  /* both: chunks on their way back; pushed by the reader, taken whole by the writer */
#endif
#ifdef YPIPE_FIELDS
	YPIPE_FIELDS
#endif
};

_Static_assert(offsetof(struct ypipe, published) - offsetof(struct ypipe, reader) >= QUEUE_LINE_PAIR,
	       "the shared count must not lie on a line that one side writes for itself");

static size_t ypipe_chunk_messages(size_t message_bytes)
{
	size_t fit = CHUNK_BYTES / queue_stride(message_bytes);

	return fit > CHUNK_MESSAGES ? CHUNK_MESSAGES : fit;
}

static size_t ypipe_chunk_bytes(size_t message_bytes)
{
	return sizeof(struct chunk) + ypipe_chunk_messages(message_bytes) * queue_stride(message_bytes);
}

static int ypipe_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	/* one chunk begun at each end, and one that the reader may still hold */
	size_t chunks = outstanding / ypipe_chunk_messages(config->message_bytes) + 3;

	return queue_size(chunks, ypipe_chunk_bytes(config->message_bytes), sizeof(struct ypipe), bytes);
}

#if YPIPE_SPARES

/* The spare chunk that was given back first, or NULL. */
static inline struct chunk *ypipe_take_spare(struct writer *writer)
{
	struct chunk **place = &writer->pipe->spares[writer->spare];
	/* S1 acquire: pairs with S0 in ypipe_give_back(): the reader is done with the chunk. */
	struct chunk *chunk = load_acquire(place);

	if (!chunk)
		return NULL;
	/* relaxed: nothing but the pointer is handed back, and this side has it. */
	store_relaxed(place, (struct chunk *)NULL);
	writer->spare = (writer->spare + 1) % YPIPE_SPARES;
	return chunk;
}

/* The oldest chunk held, to the spares while there is a place among them. */
static inline void ypipe_give_back(struct ypipe *pipe, struct reader *reader)
{
	struct chunk *done = reader->held, **place = &pipe->spares[reader->spare];

	reader->held = done->next;
	/* relaxed: a place is empty once the writer took what was there, and holds nothing else. */
	if (load_relaxed(place)) {
		reader->memory->release(reader->memory, done, sizeof(struct chunk) + reader->chunk_messages * reader->stride);
		return;
	}
	/* S0 release: pairs with S1 in ypipe_take_spare(): what this side read of the chunk is read before it is written anew. */
	store_release(place, done);
	reader->spare = (reader->spare + 1) % YPIPE_SPARES;
}

#else

/* One of the writer's own spares, else the first of all that the reader gave back; or NULL. */
static inline struct chunk *ypipe_take_spare(struct writer *writer)
{
	struct chunk *chunk = writer->spares;

	if (!chunk)
		/* S1 acquire: pairs with S0 in ypipe_give_back(): the reader is done with the chunks that are taken here. */
		chunk = exchange_acquire(&writer->pipe->spares, NULL);
	if (chunk)
		writer->spares = chunk->next;
	return chunk;
}

/* The oldest chunk held, to the list. */
static inline void ypipe_give_back(struct ypipe *pipe, struct reader *reader)
{
	struct chunk *done = reader->held;
	/* relaxed: a stale value only makes the exchange below fail; nothing is read through it. */
	struct chunk *top = load_relaxed(&pipe->spares);

	reader->held = done->next;
	do
		done->next = top;
	/* S0 release: pairs with S1 in ypipe_take_spare(): what this side read of the chunk is read before it is written anew. No ABA:
	 * the writer takes the list whole and never looks into a chunk that it has not taken. */
	while (!compare_exchange_acq_rel(&pipe->spares, &top, done));
}

#endif

/* The next chunk: a spare one, else a new one. */
static QUEUE_COLD bool ypipe_grow(struct writer *writer)
{
	struct chunk *chunk = ypipe_take_spare(writer);

	if (!chunk)
		chunk = writer->memory->allocate(
			writer->memory, sizeof(struct chunk) + writer->chunk_messages * writer->stride, QUEUE_LINE_PAIR);
	if (!chunk)
		return false;
	chunk->next = NULL;
	if (writer->chunk)
		writer->chunk->next = chunk; /* P0 in ypipe_flush() makes it visible together with the messages behind it */
	writer->chunk = chunk;
	writer->slot = chunk->messages;
	writer->free = writer->chunk_messages;
	return true;
}

/* Gives back all chunks before the one being read. */
static QUEUE_COLD void ypipe_recycle(struct reader *reader)
{
	struct ypipe *pipe = reader->pipe;

	while (reader->held != reader->chunk)
		ypipe_give_back(pipe, reader);
}

static void ypipe_destroy(void *instance)
{
	struct ypipe *pipe = instance;
	struct queue_memory *memory = pipe->writer.memory;
	size_t chunk_bytes = sizeof(struct chunk) + pipe->writer.chunk_messages * pipe->writer.stride;
#if YPIPE_SPARES
	struct chunk *chunk = pipe->reader.held;

	for (size_t i = 0; i < YPIPE_SPARES; i++)
		if (pipe->spares[i])
			memory->release(memory, pipe->spares[i], chunk_bytes);
	while (chunk) {
		struct chunk *next = chunk->next;

		memory->release(memory, chunk, chunk_bytes);
		chunk = next;
	}
#else
	struct chunk *lists[] = {pipe->reader.held, pipe->writer.spares, pipe->spares};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		while (lists[i]) {
			struct chunk *next = lists[i]->next;

			memory->release(memory, lists[i], chunk_bytes);
			lists[i] = next;
		}
	}
#endif
	memory->release(memory, pipe, sizeof(*pipe));
}

static int ypipe_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), chunk_messages = ypipe_chunk_messages(config->message_bytes);
	uint64_t start = config->counter_start & ~(uint64_t)ASLEEP;
	struct ypipe *pipe = memory->allocate(memory, sizeof(*pipe), QUEUE_LINE_PAIR);

	if (!pipe)
		return -12; /* −ENOMEM */
	*pipe = (struct ypipe){
		.writer = {.written = start, .flushed = start, .stride = stride, .chunk_messages = chunk_messages,
			   .memory = memory, .pipe = pipe},
		.reader = {.read = start, .noted = start, .stride = stride, .chunk_messages = chunk_messages,
			   .left = chunk_messages, .pipe = pipe},
		.published = start,
	};
	if (!ypipe_grow(&pipe->writer)) {
		memory->release(memory, pipe, sizeof(*pipe));
		return -12;
	}
#if YPIPE_SPARES
	pipe->reader.memory = memory;
#endif
	pipe->reader.chunk = pipe->reader.held = pipe->writer.chunk;
	pipe->reader.slot = pipe->writer.chunk->messages;
	*instance = pipe;
	return 0;
}

static void *ypipe_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct ypipe *)instance)->writer;
}

static void *ypipe_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct ypipe *)instance)->reader;
}

QUEUE_INLINE void *ypipe_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct writer *writer = producer;
	unsigned char *slot;

	if (queue_unlikely(!writer->free) && !ypipe_grow(writer)) {
		*n = 0;
		return NULL;
	}
	slot = writer->slot;
	*n = max < writer->free ? max : writer->free;
	writer->free -= *n;
	writer->slot += *n * writer->stride;
	writer->written += *n * MESSAGE;
	return slot;
}

QUEUE_INLINE enum queue_flush ypipe_flush(void *producer)
{
	struct writer *writer = producer;
	uint64_t before;

	if (writer->written == writer->flushed)
		return QUEUE_FLUSHED;
	writer->flushed = writer->written;
	/* P0 release: pairs with P1 in ypipe_preread(): makes the slots' contents and the chunks' links visible.
	 * P2 acquire: pairs with P3 in ypipe_sleep(): what the reader did before it fell asleep comes before its being woken. */
	before = exchange_acq_rel(&writer->pipe->published, writer->written);
	return before & ASLEEP ? QUEUE_FLUSHED_READER_SLEEPS : QUEUE_FLUSHED;
}

QUEUE_INLINE bool ypipe_preread(void *consumer)
{
	struct reader *reader = consumer;

	if (queue_unlikely(reader->held != reader->chunk))
		ypipe_recycle(reader);
	/* P1 acquire: pairs with P0 in ypipe_flush(). */
	reader->noted = load_acquire(&reader->pipe->published) & ~(uint64_t)ASLEEP;
	return reader->noted != reader->read;
}

QUEUE_INLINE const void *ypipe_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = consumer;
	size_t ready = (reader->noted - reader->read) / MESSAGE;
	const unsigned char *slot;

	if (!ready) {
		*n = 0;
		return NULL;
	}
	if (queue_unlikely(!reader->left)) {
		reader->chunk = reader->chunk->next;
		reader->slot = reader->chunk->messages;
		reader->left = reader->chunk_messages;
	}
	slot = reader->slot;
	*n = max < ready ? max : ready;
	if (*n > reader->left)
		*n = reader->left;
	reader->left -= *n;
	reader->slot += *n * reader->stride;
	reader->read += *n * MESSAGE;
	return slot;
}

static inline bool ypipe_sleep(void *consumer)
{
	struct reader *reader = consumer;
	/* relaxed: only compared; what may be read is learnt by the next preread(). */
	uint64_t seen = load_relaxed(&reader->pipe->published);

	if ((seen & ~(uint64_t)ASLEEP) != reader->noted)
		return false;
	if (seen & ASLEEP)
		return true; /* still asleep after a wake-up that came from elsewhere */
	/* P3 release: pairs with P2 in ypipe_flush(). */
	return compare_exchange_acq_rel(&reader->pipe->published, &seen, seen | ASLEEP);
}

#define YPIPE_TRAITS                                                                                                   \
	.shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .message_min = QUEUE_MESSAGE_MIN,                 \
	.message_max = QUEUE_MESSAGE_MAX, .progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL, .batches = true,    \
	.in_place = true, .reports_sleeper = true

#define YPIPE_OPERATIONS                                                                                               \
	.footprint = ypipe_footprint, .create = ypipe_create, .destroy = ypipe_destroy, .producer = ypipe_producer,    \
	.consumer = ypipe_consumer, .prewrite_span = ypipe_prewrite_span, .flush = ypipe_flush,                        \
	.preread = ypipe_preread, .read_span = ypipe_read_span, .sleep = ypipe_sleep

#endif
