/* ring-nt: a bounded queue for one writer and one reader that sends large batches by non-temporal stores.
 *
 * Source: none; the instruments are x86's write-combining stores. That a line need not be fetched before it is overwritten whole is
 * what stream-limit shows.
 * Promise: no operation ever waits; order is kept; a batch that finds room becomes visible whole; never more than `capacity` messages
 * in it.
 *
 * How it works. The counters are those of `ring`, with copies on both sides. The writer fills a stage that stays in its own cache, and
 * flush copies it into the slots: lines that are written whole by non-temporal stores, which take no line from the reader's cache and
 * leave none in the writer's; the rest, and flushes of fewer than RING_NT_BYTES, by ordinary ones. A fence, then the release of
 * `tail`. The reader reads in place.
 *
 * Limits: one copy for each message. A gain is to be had only by flushes of some KiB, and between cores that share no cache; where
 * they share one, ordinary stores move as much or more. On machines other than x86-64, and under ThreadSanitizer, which does not know
 * these stores, all are ordinary (stream.h).
 */
#include "stream.h"

/* From so many bytes on: the fence costs about 230 ns. Against ordinary stores, on two cores of an AMD family 26 virtual machine that
 * share no cache, 512 bytes a flush lost by it, 1 KiB came out even and 4 KiB was 2.2 times as fast. */
enum { RING_NT_BYTES = 2048, RING_NT_LINE = 64 };

struct ring_nt;

struct ring_nt_writer {
	uint64_t flushed;     /* messages so far */
	uint64_t head_seen;   /* a past value of head */
	size_t first, staged; /* messages in the stage: the index of the first, their number */
	size_t room;          /* constant: messages that the stage holds */
	size_t slot;          /* index of the next free one */
	size_t capacity, stride;
	unsigned char *stage, *slots;
	struct ring_nt *ring;
};

struct ring_nt_reader {
	uint64_t read;      /* messages handed out so far */
	uint64_t released;
	uint64_t tail_seen; /* a past value of tail */
	size_t slot;        /* index of the next one to read */
	size_t capacity, stride;
	const unsigned char *slots;
	struct ring_nt *ring;
};

struct ring_nt {
	struct ring_nt_writer writer QUEUE_ALIGNED;
	struct ring_nt_reader reader QUEUE_ALIGNED;
	uint64_t tail QUEUE_ALIGNED; /* writer's */
	uint64_t head QUEUE_ALIGNED; /* reader's */
	struct queue_memory *memory QUEUE_ALIGNED;
};

static size_t ring_nt_room(const struct queue_config *config)
{
	return config->batch < config->capacity ? config->batch : config->capacity;
}

static int ring_nt_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t messages;

	(void)outstanding;
	if (queue_size(1, config->capacity, ring_nt_room(config), &messages))
		return -75; /* −EOVERFLOW */
	return queue_size(messages, queue_stride(config->message_bytes), sizeof(struct ring_nt), bytes);
}

static void ring_nt_destroy(void *instance)
{
	struct ring_nt *ring = (struct ring_nt *)instance;
	struct queue_memory *memory = ring->memory;

	memory->release(memory, ring->writer.stage, ring->writer.room * ring->writer.stride);
	memory->release(memory, ring->writer.slots, ring->writer.capacity * ring->writer.stride);
	memory->release(memory, ring, sizeof(*ring));
}

static int ring_nt_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), room = ring_nt_room(config), bytes;
	uint64_t start = config->counter_start;
	unsigned char *slots, *stage;
	struct ring_nt *ring;

	if (ring_nt_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	bytes = config->capacity * stride;
	ring = (struct ring_nt *)memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	slots = ring ? (unsigned char *)memory->allocate(memory, bytes, QUEUE_LINE_PAIR) : NULL;
	stage = slots ? (unsigned char *)memory->allocate(memory, room * stride, QUEUE_LINE_PAIR) : NULL;
	if (!stage) {
		if (slots)
			memory->release(memory, slots, bytes);
		if (ring)
			memory->release(memory, ring, sizeof(*ring));
		return -12; /* −ENOMEM */
	}
	*ring = (struct ring_nt){
		.writer = {.flushed = start, .head_seen = start, .room = room, .capacity = config->capacity,
			   .stride = stride, .stage = stage, .slots = slots, .ring = ring},
		.reader = {.read = start, .released = start, .tail_seen = start, .capacity = config->capacity,
			   .stride = stride, .slots = slots, .ring = ring},
		.tail = start,
		.head = start,
		.memory = memory,
	};
	*instance = ring;
	return 0;
}

static void *ring_nt_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct ring_nt *)instance)->writer;
}

static void *ring_nt_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct ring_nt *)instance)->reader;
}

QUEUE_INLINE void *ring_nt_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct ring_nt_writer *writer = (struct ring_nt_writer *)producer;
	size_t used = writer->first + writer->staged;

	*n = writer->room - used;
	if (max < *n)
		*n = max;
	writer->staged += *n;
	return writer->stage + used * writer->stride;
}

/* A run of words into the slots. A line that is not written whole is no case for non-temporal stores: what it held would have to be
 * merged in memory. */
QUEUE_INLINE void ring_nt_copy(unsigned char *to, const unsigned char *from, size_t words)
{
	if (words * 8 >= RING_NT_BYTES) {
		size_t before = (RING_NT_LINE - (uintptr_t)to % RING_NT_LINE) % RING_NT_LINE;
		size_t lines = (words * 8 - before) / RING_NT_LINE * RING_NT_LINE;

		copy_messages(to, from, before / 8);
		stream_copy(to + before, from + before, lines / 8); /* comes before any later store when it returns: F0 in stream.h */
		to += before + lines;
		from += before + lines;
		words -= (before + lines) / 8;
	}
	copy_messages(to, from, words);
}

QUEUE_INLINE enum queue_flush ring_nt_flush(void *producer)
{
	struct ring_nt_writer *writer = (struct ring_nt_writer *)producer;
	size_t free = writer->capacity - (size_t)(writer->flushed - writer->head_seen), n = writer->staged, run;
	const unsigned char *from = writer->stage + writer->first * writer->stride;

	if (!n)
		return QUEUE_FLUSHED;
	if (free < n) {
		/* H1 acquire: pairs with H0 in ring_nt_preread(): the reader is done with the slots that are written anew. */
		writer->head_seen = load_acquire(&writer->ring->head);
		free = writer->capacity - (size_t)(writer->flushed - writer->head_seen);
		if (!free)
			return QUEUE_FULL;
		if (free < n)
			n = free;
	}
	run = writer->capacity - writer->slot;
	if (n < run)
		run = n;
	ring_nt_copy(writer->slots + writer->slot * writer->stride, from, run * (writer->stride / 8));
	if (n > run)
		ring_nt_copy(writer->slots, from + run * writer->stride, (n - run) * (writer->stride / 8));
	writer->slot += n;
	if (writer->slot >= writer->capacity)
		writer->slot -= writer->capacity;
	writer->flushed += n;
	/* T0 release: pairs with T1 in ring_nt_preread(): makes the slots' contents visible. */
	store_release(&writer->ring->tail, writer->flushed);
	writer->staged -= n;
	writer->first = writer->staged ? writer->first + n : 0;
	return writer->staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

QUEUE_INLINE bool ring_nt_preread(void *consumer)
{
	struct ring_nt_reader *reader = (struct ring_nt_reader *)consumer;

	if (reader->read != reader->released) {
		reader->released = reader->read;
		/* H0 release: pairs with H1 in ring_nt_flush(): what was read of the slots is read before they are written anew. */
		store_release(&reader->ring->head, reader->read);
	}
	/* T1 acquire: pairs with T0 in ring_nt_flush(). */
	reader->tail_seen = load_acquire(&reader->ring->tail);
	return reader->tail_seen != reader->read;
}

QUEUE_INLINE const void *ring_nt_read_span(void *consumer, size_t max, size_t *n)
{
	struct ring_nt_reader *reader = (struct ring_nt_reader *)consumer;
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

QUEUE_TABLE(ring_nt) = {
	.contract = QUEUE_CONTRACT,
	.name = "ring-nt",
	.summary = "bounded ring, large batches sent as whole lines by non-temporal stores",
	.source = "none",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	.footprint = ring_nt_footprint,
	.create = ring_nt_create,
	.destroy = ring_nt_destroy,
	.producer = ring_nt_producer,
	.consumer = ring_nt_consumer,
	.prewrite_span = ring_nt_prewrite_span,
	.flush = ring_nt_flush,
	.preread = ring_nt_preread,
	.read_span = ring_nt_read_span,
};
