/* line: one cache line, handed over; the least that a message between two cores can cost.
 *
 * Source: none.
 * Promise: the newest word is there for the reader as soon as the line can travel. Nothing tells the writer that it was read: only
 * where each message waits for its answer is none lost (pingpong).
 * How it works. The message is the flag: the reader waits until the word differs from the last one that it saw.
 *
 * The best way to wait is the loops' own, one pause between two looks: each look takes the line away from its writer, and each pause more
 * comes late. By itself, a line each way (Zen 3, near r105 / far r450, medians): looks without a pause 144 / 504 ns; one pause 119 / 384;
 * two 109 / 382; four 186 / 433; looks that take the line to themselves 121 / 374; no look before 70 ns are over 109; 300 ns: - / 333.
 * Within these loops one pause was the best: 216 / 581, two 230 / 601, a first look at the time learnt from the last ones 240 to 306 /
 * 581 to 821. Of one line for both ways, looks that take it for themselves would halve a far trip (449 to 220), but not a near one (114
 * to 108, with a pause 77): two queues have no line in common.
 *
 * Limits: messages of 8 bytes, no two in a row alike (they carry a sequence number).
 */
#include "queue.h"

struct line {
	uint64_t word QUEUE_ALIGNED; /* writer's; the reader only looks */
	struct {
		uint64_t staged; /* the word being written */
		bool ready;
		struct line *line;
	} writer QUEUE_ALIGNED;
	struct {
		uint64_t seen; /* the word noted last, handed out in place */
		bool noted;
		struct line *line;
	} reader QUEUE_ALIGNED;
	struct queue_memory *memory QUEUE_ALIGNED;
};

static int line_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)config, (void)outstanding;
	*bytes = sizeof(struct line);
	return 0;
}

static void line_destroy(void *instance)
{
	struct line *line = instance;

	line->memory->release(line->memory, line, sizeof(*line));
}

static int line_create(const struct queue_config *config, void **instance)
{
	struct line *line = config->memory->allocate(config->memory, sizeof(*line), QUEUE_LINE_PAIR);

	if (!line)
		return -12; /* −ENOMEM */
	*line = (struct line){.writer = {.line = line}, .reader = {.line = line}, .memory = config->memory};
	*instance = line;
	return 0;
}

static void *line_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct line *)instance)->writer;
}

static void *line_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct line *)instance)->reader;
}

QUEUE_INLINE void *line_prewrite_span(void *producer, size_t max, size_t *n)
{
	__typeof__(((struct line *)NULL)->writer) *writer = producer;

	*n = max && !writer->ready;
	writer->ready = writer->ready || max;
	return &writer->staged;
}

QUEUE_INLINE enum queue_flush line_flush(void *producer)
{
	__typeof__(((struct line *)NULL)->writer) *writer = producer;

	if (writer->ready)
		/* W0 release: pairs with W1 in line_preread(): all that the writer did before its message. */
		store_release(&writer->line->word, writer->staged);
	writer->ready = false;
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool line_preread(void *consumer)
{
	__typeof__(((struct line *)NULL)->reader) *reader = consumer;
	/* W1 acquire: pairs with W0 in line_flush(). */
	uint64_t word = load_acquire(&reader->line->word);

	if (word != reader->seen)
		reader->noted = true;
	reader->seen = word;
	return reader->noted;
}

QUEUE_INLINE const void *line_read_span(void *consumer, size_t max, size_t *n)
{
	__typeof__(((struct line *)NULL)->reader) *reader = consumer;

	*n = max && reader->noted;
	reader->noted = reader->noted && !max;
	return &reader->seen;
}

QUEUE_TABLE(line) = {
	.contract = QUEUE_CONTRACT,
	.name = "line",
	.summary = "one cache line handed over, without an answer: the floor of a round trip",
	.source = "none",
	.traits = {
		.role = QUEUE_FLOOR, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1, .capacity_max = 1,
		.message_min = 8, .message_max = 8,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.lossy = true,
	},
	.footprint = line_footprint,
	.create = line_create,
	.destroy = line_destroy,
	.producer = line_producer,
	.consumer = line_consumer,
	.prewrite_span = line_prewrite_span,
	.flush = line_flush,
	.preread = line_preread,
	.read_span = line_read_span,
};
