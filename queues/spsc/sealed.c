/* sealed: a bounded queue for one writer and one reader whose lines each say themselves that they are written.
 *
 * Source: a word beside the data instead of a shared index: J. Giacomoni, T. Moseley, M. Vachharajani, 2008 (fastforward); a number that
 * tells the lap: D. Vyukov, 2010. Whole lines written past the cache: x86's write combining.
 * Promise: no operation ever waits; order is kept; never more than `capacity` messages in it. A batch becomes visible line by line.
 *
 * How it works. The ring consists of lines of 64 bytes: seven words of messages, and a seal, which is the lap that wrote the line and how
 * many of its words count. A flush cuts what is staged into lines, whatever the messages' size, and writes each line whole, with its seal,
 * by stores that need not fetch it first (stream.h): no index is shared, no fence is needed, and nothing of the line before it has to
 * travel to the writer. The reader knows the next line's place and lap; as long as lines bear that, it copies their words to a buffer of
 * its own, where messages lie in a row again. It publishes how many messages were read, of which the writer keeps a past value, so that
 * this one shared line is looked at once a lap.
 *
 * No flush takes more lines than its messages would one by one, and whatever lines hold of a released message were copied: so `capacity`
 * times the lines of one message are enough. What a line holds until it is written anew is of the lap before: no other seal can be mistaken
 * for the one that is waited for.
 *
 * Limits: two copies for each message, both within a core's own cache but for the one transfer. A batch of one 8-byte message takes a line
 * of its own. Between cores that share a cache ordinary stores are as quick or quicker. That a line's halves are seen whole rests on how
 * processors do it, and not on a promise of theirs (stream.h).
 */
#include "stream.h"

enum {
	SEALED_WORDS = STREAM_PAYLOAD, /* of messages, in a line */
	SEALED_COUNT_BITS = 3,         /* a seal's lowest bits: words that count, 1 … 7; above: the lap, as far as it has room */
	/* The reader's buffer holds so many words beyond a batch: more were copied before they are read leave the cache's first level, and
	 * lines that could be fetched meanwhile are not: 1.2 times as fast as with 512 (AMD family 26, 8-byte messages). */
	SEALED_NOTED_WORDS = 128,
	SEALED_AHEAD = 16,             /* lines: so far ahead the reader fetches */
};

_Static_assert(SEALED_WORDS < 1 << SEALED_COUNT_BITS, "a seal's lowest bits count a line's words");

struct sealed_writer {
	uint64_t line;        /* number of the next line to be written */
	uint64_t flushed;     /* messages so far */
	uint64_t read_seen;   /* a past value of `read` */
	size_t first, staged; /* messages in the stage: the index of the first, their number */
	size_t room;          /* constant: messages that the stage holds */
	size_t words, capacity, mask; /* constant: words of a message; mask: of a line's number, gives its place */
	unsigned lap;         /* constant: the bits of a line's number above so many are its lap */
	uint64_t *stage, *lines;
	struct sealed *queue;
};

struct sealed_reader {
	uint64_t line;         /* number of the next line to be looked at */
	uint64_t read, released; /* messages handed out; as the writer knows */
	size_t next, whole;    /* in the buffer: the next message to be handed out; those that are there whole */
	size_t filled, room;   /* words of the buffer: so many are filled; a line is taken only below room (constant) */
	size_t words, mask;    /* constant, as the writer's */
	unsigned shift, lap;   /* constant: words is 2^shift; else NO_SHIFT. lap: as the writer's */
	uint64_t *buffer;
	const uint64_t *lines;
	struct sealed *queue;
};

struct sealed {
	struct sealed_writer writer QUEUE_ALIGNED;
	struct sealed_reader reader QUEUE_ALIGNED;
	uint64_t read QUEUE_ALIGNED; /* reader's: messages released so far; runs freely */
	struct queue_memory *memory QUEUE_ALIGNED; /* constant from here on */
	size_t stage_bytes, buffer_bytes, lines_bytes;
};

#define NO_SHIFT 64u

/* Everything's size. 0 or −EOVERFLOW. */
static int sealed_sizes(const struct queue_config *config, struct sealed *sizes)
{
	size_t words = queue_stride(config->message_bytes) / 8, lines = 1, least;
	size_t room = config->batch < config->capacity ? config->batch : config->capacity;

	if (queue_size(config->capacity, (words + SEALED_WORDS - 1) / SEALED_WORDS, 0, &least) || least > SIZE_MAX / 2)
		return -75; /* −EOVERFLOW */
	while (lines < least)
		lines *= 2;
	/* stage and buffer end in a line of slack: lines are copied whole */
	if (queue_size(lines, STREAM_LINE * 8, 0, &sizes->lines_bytes) ||
	    queue_size(room * 8, words, STREAM_LINE * 8, &sizes->stage_bytes) ||
	    queue_size((config->batch + 1) * 8, words, (SEALED_NOTED_WORDS + STREAM_LINE) * 8, &sizes->buffer_bytes))
		return -75;
	return 0;
}

static int sealed_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	struct sealed sizes;

	(void)outstanding;
	if (sealed_sizes(config, &sizes) || queue_size(1, sizes.lines_bytes, sizeof(struct sealed), bytes) ||
	    queue_size(1, sizes.stage_bytes, *bytes, bytes) || queue_size(1, sizes.buffer_bytes, *bytes, bytes))
		return -75; /* −EOVERFLOW */
	return 0;
}

static void sealed_destroy(void *instance)
{
	struct sealed *queue = (struct sealed *)instance;
	struct queue_memory *memory = queue->memory;

	if (queue->writer.lines)
		memory->release(memory, queue->writer.lines, queue->lines_bytes);
	if (queue->writer.stage)
		memory->release(memory, queue->writer.stage, queue->stage_bytes);
	if (queue->reader.buffer)
		memory->release(memory, queue->reader.buffer, queue->buffer_bytes);
	memory->release(memory, queue, sizeof(*queue));
}

/* A line's seal, without the number of words that count. */
QUEUE_INLINE uint32_t sealed_lap(uint64_t line, unsigned lap)
{
	return (uint32_t)(line >> lap) << SEALED_COUNT_BITS;
}

static int sealed_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t words = queue_stride(config->message_bytes) / 8, count, footprint;
	uint64_t start = config->counter_start, *lines;
	unsigned lap;
	struct sealed sizes = {.memory = memory}, *queue;

	if (sealed_footprint(config, 0, &footprint) || sealed_sizes(config, &sizes))
		return -75; /* −EOVERFLOW */
	queue = (struct sealed *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	if (!queue)
		return -12; /* −ENOMEM */
	*queue = sizes;
	queue->read = start;
	count = sizes.lines_bytes / (STREAM_LINE * 8);
	lap = (unsigned)__builtin_ctzll(count);
	lines = (uint64_t *)memory->allocate(memory, sizes.lines_bytes, QUEUE_LINE_PAIR);
	queue->writer = (struct sealed_writer){
		.line = start, .flushed = start, .read_seen = start,
		.room = config->batch < config->capacity ? config->batch : config->capacity,
		.words = words, .capacity = config->capacity, .mask = count - 1, .lap = lap,
		.stage = (uint64_t *)memory->allocate(memory, sizes.stage_bytes, QUEUE_LINE_PAIR), .lines = lines, .queue = queue};
	queue->reader = (struct sealed_reader){
		.line = start, .read = start, .released = start, .room = sizes.buffer_bytes / 8 - STREAM_LINE,
		.words = words, .mask = count - 1, .shift = words & (words - 1) ? NO_SHIFT : (unsigned)__builtin_ctzll(words), .lap = lap,
		.buffer = (uint64_t *)memory->allocate(memory, sizes.buffer_bytes, QUEUE_LINE_PAIR), .lines = lines, .queue = queue};
	if (!lines || !queue->writer.stage || !queue->reader.buffer) {
		sealed_destroy(queue);
		return -12;
	}
	for (uint64_t line = start - count; line != start; line++)
		stream_mark_line(lines + (line & (count - 1)) * STREAM_LINE, sealed_lap(line, lap)); /* the lap before, no words */
	*instance = queue;
	return 0;
}

static void *sealed_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct sealed *)instance)->writer;
}

static void *sealed_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct sealed *)instance)->reader;
}

QUEUE_INLINE void *sealed_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct sealed_writer *writer = (struct sealed_writer *)producer;
	size_t used = writer->first + writer->staged;

	*n = writer->room - used;
	if (max < *n)
		*n = max;
	writer->staged += *n;
	return writer->stage + used * writer->words;
}

/* The first n staged messages, n ≥ 1, line by line. */
QUEUE_INLINE void sealed_write(struct sealed_writer *writer, size_t n)
{
	const uint64_t *from = writer->stage + writer->first * writer->words;
	uint64_t line = writer->line, *lines = writer->lines;
	size_t left = n * writer->words, mask = writer->mask;
	unsigned lap = writer->lap;

	for (; left > SEALED_WORDS; left -= SEALED_WORDS, from += SEALED_WORDS, line++)
		/* S0 release: pairs with S1 in sealed_preread(): the words of the line. */
		stream_seal_line(lines + (line & mask) * STREAM_LINE, from, sealed_lap(line, lap) | SEALED_WORDS);
	/* S0 release: as above. */
	stream_seal_words(lines + (line & mask) * STREAM_LINE, from, left, sealed_lap(line, lap) | (uint32_t)left);
	writer->line = line + 1;
	writer->flushed += n;
}

QUEUE_INLINE enum queue_flush sealed_flush(void *producer)
{
	struct sealed_writer *writer = (struct sealed_writer *)producer;
	size_t n = writer->staged, free = writer->capacity - (size_t)(writer->flushed - writer->read_seen);

	if (!n)
		return QUEUE_FLUSHED;
	if (queue_unlikely(free < n)) {
		/* R1 acquire: pairs with R0 in sealed_preread(): the lines of what was read may be written anew. */
		writer->read_seen = load_acquire(&writer->queue->read);
		free = writer->capacity - (size_t)(writer->flushed - writer->read_seen);
		if (free < n)
			n = free;
		if (!n)
			return QUEUE_FULL;
	}
	sealed_write(writer, n);
	if (queue_likely(n == writer->staged)) {
		writer->first = writer->staged = 0;
		return QUEUE_FLUSHED;
	}
	writer->first += n;
	writer->staged -= n;
	return QUEUE_FULL;
}

QUEUE_INLINE bool sealed_preread(void *consumer)
{
	struct sealed_reader *reader = (struct sealed_reader *)consumer;
	size_t filled = 0, part, mask = reader->mask;
	uint64_t line = reader->line, *buffer = reader->buffer;
	const uint64_t *lines = reader->lines;
	unsigned lap = reader->lap;

	if (reader->read != reader->released) {
		reader->released = reader->read;
		/* R0 release: pairs with R1 in sealed_flush(): what was copied of the lines is copied before they are written anew. */
		store_release(&reader->queue->read, reader->read);
	}
	if (reader->next < reader->whole)
		return true; /* what lines there are beyond is noted when these are read */
	/* the beginning of a message whose end was not there */
	for (part = reader->whole * reader->words; part < reader->filled; part++)
		buffer[filled++] = buffer[part];
	while (filled < reader->room) {
		const uint64_t *at = lines + (line & mask) * STREAM_LINE;
		uint32_t seal = stream_line_seal(at), count = seal - sealed_lap(line, lap);

		/* S1 acquire, in stream_line_is_whole(): pairs with S0 in sealed_write(). */
		if (count - 1 >= SEALED_WORDS || queue_unlikely(!stream_line_is_whole(at, seal)))
			break;
		stream_prefetch_line(lines + ((line + SEALED_AHEAD) & mask) * STREAM_LINE);
		stream_unseal_line(buffer + filled, at, count);
		filled += count;
		line++;
	}
	reader->line = line;
	reader->filled = filled;
	reader->next = 0;
	reader->whole = queue_likely(reader->shift != NO_SHIFT) ? filled >> reader->shift : filled / reader->words;
	return reader->whole;
}

QUEUE_INLINE const void *sealed_read_span(void *consumer, size_t max, size_t *n)
{
	struct sealed_reader *reader = (struct sealed_reader *)consumer;
	const uint64_t *slot = reader->buffer + reader->next * reader->words;

	*n = reader->whole - reader->next;
	if (max < *n)
		*n = max;
	reader->next += *n;
	reader->read += *n;
	return slot;
}

QUEUE_TABLE(sealed) = {
	.contract = QUEUE_CONTRACT,
	.name = "sealed",
	.summary = "bounded ring of lines that bear their own numbers, written whole past the cache",
	.source = "none; after J. Giacomoni, T. Moseley, M. Vachharajani, 2008",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	.footprint = sealed_footprint,
	.create = sealed_create,
	.destroy = sealed_destroy,
	.producer = sealed_producer,
	.consumer = sealed_consumer,
	.prewrite_span = sealed_prewrite_span,
	.flush = sealed_flush,
	.preread = sealed_preread,
	.read_span = sealed_read_span,
};
