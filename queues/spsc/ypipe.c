/* ypipe: an unbounded queue for one writer and one reader, built for batches.
 *
 * Source: the pipe of ØMQ (Martin Sustrik, 2009): a chunked list with prewrite, flush and a reader that falls asleep.
 * Promise: prewrite, flush, preread and read never wait and never fail but for memory; order is kept; a batch becomes visible whole.
 *
 * How it works. Messages lie in linked chunks of 256 (or of 1 MiB, whichever is less). The writer fills slots that only it
 * knows, then publishes all of them by one exchange of `published`, the count of all messages flushed. The reader loads that count
 * and reads up to it. Per message there is no atomic operation. A reader that means to sleep sets the lowest bit of `published`, unless the
 * count has moved; the writer's next exchange finds the bit and so knows that somebody must be woken: once per sleep.
 * Chunks read to their end go back to the writer on a list, so that a steady flow allocates nothing.
 *
 * Differs from ØMQ's own: a load where that has a compare-and-swap in each preread (ypipe-packed has it); each field on a line
 * pair of its owner; all chunks are kept for reuse and not just one.
 *
 * Limits: 2^63 messages may be in it. Memory follows the longest queue there ever was, and is given back at the end.
 */
#include "queue.h"

enum {
	CHUNK_MESSAGES = 256,
	CHUNK_BYTES = 1 << 20,
	ASLEEP = 1,   /* the lowest bit of `published` */
	MESSAGE = 2,  /* what one message adds to a count */
};

struct chunk {
	struct chunk *next; /* writer's until it flushes beyond this chunk, then reader's; on the spare list: the list's */
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
		struct chunk *spares;   /* taken off the shared list, not yet used */
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
		struct ypipe *pipe;
	} reader QUEUE_ALIGNED;

	uint64_t published QUEUE_ALIGNED;    /* both: flushed messages × MESSAGE, with ASLEEP by the reader */
	struct chunk *spares QUEUE_ALIGNED;  /* both: chunks on their way back; pushed by the reader, taken whole by the writer */
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

/* The next chunk: from the writer's own spares, else all that the reader gave back, else a new one. */
static QUEUE_COLD bool ypipe_grow(struct writer *writer)
{
	struct chunk *chunk = writer->spares;

	if (!chunk)
		/* S1 acquire: pairs with S0 in ypipe_recycle(): the reader is done with the chunks that are taken here. */
		chunk = exchange_acquire(&writer->pipe->spares, NULL);
	if (chunk)
		writer->spares = chunk->next;
	else
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

	while (reader->held != reader->chunk) {
		struct chunk *done = reader->held;
		/* relaxed: a stale value only makes the exchange below fail; nothing is read through it. */
		struct chunk *top = load_relaxed(&pipe->spares);

		reader->held = done->next;
		do
			done->next = top;
		/* S0 release: pairs with S1 in ypipe_grow(): what this side read of the chunk is read before it is written anew. No ABA:
		 * the writer takes the list whole and never looks into a chunk that it has not taken. */
		while (!compare_exchange_acq_rel(&pipe->spares, &top, done));
	}
}

static void ypipe_destroy(void *instance)
{
	struct ypipe *pipe = instance;
	struct queue_memory *memory = pipe->writer.memory;
	size_t chunk_bytes = sizeof(struct chunk) + pipe->writer.chunk_messages * pipe->writer.stride;
	struct chunk *lists[] = {pipe->reader.held, pipe->writer.spares, pipe->spares};

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		while (lists[i]) {
			struct chunk *next = lists[i]->next;

			memory->release(memory, lists[i], chunk_bytes);
			lists[i] = next;
		}
	}
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

QUEUE_TABLE(ypipe) = {
	.contract = QUEUE_CONTRACT,
	.name = "ypipe",
	.summary = "unbounded list of chunks, one exchange per flush, none per message",
	.source = "the pipe of ØMQ, M. Sustrik, 2009; padded, sleeps by request",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true, .reports_sleeper = true,
	},
	.footprint = ypipe_footprint,
	.create = ypipe_create,
	.destroy = ypipe_destroy,
	.producer = ypipe_producer,
	.consumer = ypipe_consumer,
	.prewrite_span = ypipe_prewrite_span,
	.flush = ypipe_flush,
	.preread = ypipe_preread,
	.read_span = ypipe_read_span,
	.sleep = ypipe_sleep,
};
