/* conflate: only the newest message is kept; a triple buffer.
 *
 * Source: what it does is libzmq's ZMQ_CONFLATE, which keeps two buffers under a mutex; that three will do with one atomic word for the
 * exchange: J. Chen and A. Burns, 1997, after H. R. Simpson's four slots, 1990.
 * Promise: both sides are wait-free; what is read is whole, and was the newest message at its preread; the order is kept. Nothing tells
 * the writer that its message was replaced unread: only where each message waits for its answer is none lost (pingpong).
 *
 * How it works. Of three slots one is the writer's, one the reader's, and one lies between them. `middle` says which, and whether what
 * is in it is fresh. flush puts the writer's slot there, fresh, and takes the one that was there; preread does the same with the
 * reader's slot if what it will get is fresh. Each side writes and reads its slot in place and at leisure: nobody else knows of it.
 *
 * Limits: one message at a time; an exchange per flush, and one per preread that finds something. Three messages' memory.
 */
#include "queue.h"

enum {
	FRESH = 4, /* beside the index in `middle`: nobody has read it yet */
	SLOTS = 3,
};

struct conflate {
	struct conflate_writer {
		unsigned char *slot; /* where the next message is written */
		uint32_t index;      /* its number */
		bool staged;
		struct conflate *conflate;
		unsigned char *slots;
		size_t slot_bytes;
	} writer QUEUE_ALIGNED;

	struct conflate_reader {
		unsigned char *slot; /* the message noted last */
		uint32_t index;      /* its number */
		bool noted;          /* and not yet handed out */
		struct conflate *conflate;
		unsigned char *slots;
		size_t slot_bytes;
	} reader QUEUE_ALIGNED;

	uint32_t middle QUEUE_ALIGNED; /* both: the number of the slot between them, with FRESH by the writer */
	struct queue_memory *memory QUEUE_ALIGNED;
};

_Static_assert(offsetof(struct conflate, middle) - offsetof(struct conflate, reader) >= QUEUE_LINE_PAIR,
	       "the shared word must not lie on a line that one side writes for itself");

/* Slots of different owners lie on line pairs of their own. */
static size_t conflate_slot_bytes(size_t message_bytes)
{
	return (message_bytes + QUEUE_LINE_PAIR - 1) & ~(size_t)(QUEUE_LINE_PAIR - 1);
}

static int conflate_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(SLOTS, conflate_slot_bytes(config->message_bytes), sizeof(struct conflate), bytes);
}

static void conflate_destroy(void *instance)
{
	struct conflate *conflate = instance;
	struct queue_memory *memory = conflate->memory;

	memory->release(memory, conflate->writer.slots, SLOTS * conflate->writer.slot_bytes);
	memory->release(memory, conflate, sizeof(*conflate));
}

static int conflate_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t slot_bytes = conflate_slot_bytes(config->message_bytes);
	struct conflate *conflate = memory->allocate(memory, sizeof(*conflate), QUEUE_LINE_PAIR);
	unsigned char *slots = conflate ? memory->allocate(memory, SLOTS * slot_bytes, QUEUE_LINE_PAIR) : NULL;

	if (!slots) {
		if (conflate)
			memory->release(memory, conflate, sizeof(*conflate));
		return -12; /* −ENOMEM */
	}
	*conflate = (struct conflate){
		.writer = {.slot = slots, .index = 0, .conflate = conflate, .slots = slots, .slot_bytes = slot_bytes},
		.reader = {.slot = slots + 2 * slot_bytes, .index = 2, .conflate = conflate, .slots = slots,
			   .slot_bytes = slot_bytes},
		.middle = 1,
		.memory = memory,
	};
	*instance = conflate;
	return 0;
}

static void *conflate_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct conflate *)instance)->writer;
}

static void *conflate_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct conflate *)instance)->reader;
}

QUEUE_INLINE void *conflate_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct conflate_writer *writer = producer;

	*n = max && !writer->staged;
	writer->staged = writer->staged || max;
	return *n ? writer->slot : NULL;
}

QUEUE_INLINE enum queue_flush conflate_flush(void *producer)
{
	struct conflate_writer *writer = producer;

	if (!writer->staged)
		return QUEUE_FLUSHED;
	writer->staged = false;
	/* P0 release: pairs with P1 in conflate_preread(): makes the slot's contents visible.
	 * R1 acquire: pairs with R0 there: the reader is done with the slot that comes back. */
	writer->index = exchange_acq_rel(&writer->conflate->middle, writer->index | FRESH) & ~(uint32_t)FRESH;
	writer->slot = writer->slots + writer->index * writer->slot_bytes;
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool conflate_preread(void *consumer)
{
	struct conflate_reader *reader = consumer;

	/* relaxed: only whether to exchange; once fresh, `middle` stays so until this side takes it. */
	if (load_relaxed(&reader->conflate->middle) & FRESH) {
		/* P1 acquire: pairs with P0 in conflate_flush().
		 * R0 release: pairs with R1 there: what was read of the slot is read before it is written anew. */
		reader->index = exchange_acq_rel(&reader->conflate->middle, reader->index) & ~(uint32_t)FRESH;
		reader->slot = reader->slots + reader->index * reader->slot_bytes;
		reader->noted = true;
	}
	return reader->noted;
}

QUEUE_INLINE const void *conflate_read_span(void *consumer, size_t max, size_t *n)
{
	struct conflate_reader *reader = consumer;

	*n = max && reader->noted;
	reader->noted = reader->noted && !max;
	return reader->slot;
}

QUEUE_TABLE(conflate) = {
	.contract = QUEUE_CONTRACT,
	.name = "conflate",
	.summary = "keeps the newest message alone: a triple buffer, an exchange per flush",
	.source = "ZMQ_CONFLATE of libzmq 4; three slots: J. Chen and A. Burns, 1997",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1, .capacity_max = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.in_place = true, .lossy = true,
	},
	.footprint = conflate_footprint,
	.create = conflate_create,
	.destroy = conflate_destroy,
	.producer = conflate_producer,
	.consumer = conflate_consumer,
	.prewrite_span = conflate_prewrite_span,
	.flush = conflate_flush,
	.preread = conflate_preread,
	.read_span = conflate_read_span,
};
