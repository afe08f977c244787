/* A ring for one writer and one reader without any shared index: a slot's own first word, which is 0 in no message, tells whether it
 * is empty. What the including file adds is how far each side looks: slot_ring_room() and slot_ring_note().
 *
 * Slots can't be handed out to the writer, for a message would be there as soon as its first word is: it fills a stage of its own, and
 * flush copies. (A flag apart from the message would spare the copy, but one line more would travel for each message or few; the copy
 * stays within the writer's cache but for the line that has to travel anyway.) flush writes all words but the first of each message;
 * then the first words, from the last message to the first: a reader goes in order, so that when it sees the first message it sees all
 * of the batch.
 * The reader reads in place. It empties the slots, from the first on, with the preread after. */
#ifndef QUEUES_SPSC_SLOT_RING_H
#define QUEUES_SPSC_SLOT_RING_H

#include "copy.h"
#include "stage.h"

/* Places in the ring are bytes from its beginning. */
struct slot_ring_writer {
	size_t place; /* of the next slot to be filled */
	size_t known; /* so many slots from there on are empty: for files that look ahead */
	struct stage stage;
	size_t stride, end, capacity, batch; /* constant; end: the ring's bytes; batch: the including file's */
	unsigned char *slots;
};

struct slot_ring_reader {
	size_t place;      /* of the next message to be handed out */
	size_t ready;      /* messages noted and not handed out */
	size_t next;       /* the place behind them */
	size_t emptied;    /* the place of the first slot handed out and not emptied */
	size_t unreleased; /* slots from there on */
	size_t stride, end, capacity, batch; /* constant */
	unsigned char *slots;
};

struct slot_ring {
	struct slot_ring_writer writer QUEUE_ALIGNED;
	struct slot_ring_reader reader QUEUE_ALIGNED;
	struct queue_memory *memory QUEUE_ALIGNED; /* constant */
};

/* The including file's: how many of the next `wanted` slots are empty, or fewer than that. Each look at a word that finds 0 is an
 * acquire: R1, pairs with R0 in slot_ring_preread(). */
QUEUE_INLINE size_t slot_ring_room(struct slot_ring_writer *writer, size_t wanted);
/* The including file's: by how many messages from reader->next on, at most `most`, the ring has more. All that were there at the call
 * must be among them. Each look at a word that finds a message is an acquire: M1, pairs with M0 in slot_ring_flush(). */
QUEUE_INLINE size_t slot_ring_note(const struct slot_ring_reader *reader, size_t most);
/* The including file's: its batch for this capacity. */
static size_t slot_ring_batch(size_t capacity);

QUEUE_INLINE uint64_t *slot_ring_word(unsigned char *slots, size_t place)
{
	return (uint64_t *)(void *)(slots + place);
}

/* The place so many bytes, at most a lap, behind another. */
QUEUE_INLINE size_t slot_ring_ahead(size_t place, size_t bytes, size_t end)
{
	place += bytes;
	return place >= end ? place - end : place;
}

static int slot_ring_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t messages;

	(void)outstanding;
	if (queue_size(1, config->capacity, stage_room(config), &messages))
		return -75; /* −EOVERFLOW */
	return queue_size(messages, queue_stride(config->message_bytes), sizeof(struct slot_ring), bytes);
}

static void slot_ring_destroy(void *instance)
{
	struct slot_ring *ring = (struct slot_ring *)instance;
	struct queue_memory *memory = ring->memory;

	stage_close(&ring->writer.stage, memory);
	if (ring->writer.slots)
		memory->release(memory, ring->writer.slots, ring->writer.end);
	memory->release(memory, ring, sizeof(*ring));
}

static int slot_ring_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), bytes;
	struct slot_ring *ring;
	unsigned char *slots;

	if (slot_ring_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	bytes = config->capacity * stride;
	ring = (struct slot_ring *)memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	if (!ring)
		return -12; /* −ENOMEM */
	slots = (unsigned char *)memory->allocate(memory, bytes, QUEUE_LINE_PAIR);
	*ring = (struct slot_ring){
		.writer = {.stride = stride, .end = bytes, .capacity = config->capacity,
			   .batch = slot_ring_batch(config->capacity), .slots = slots},
		.reader = {.stride = stride, .end = bytes, .capacity = config->capacity,
			   .batch = slot_ring_batch(config->capacity), .slots = slots},
		.memory = memory,
	};
	if (!slots || !stage_open(&ring->writer.stage, config, stage_room(config))) {
		slot_ring_destroy(ring);
		return -12;
	}
	for (size_t place = 0; place < bytes; place += stride)
		*slot_ring_word(slots, place) = 0;
	*instance = ring;
	return 0;
}

static void *slot_ring_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct slot_ring *)instance)->writer;
}

static void *slot_ring_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct slot_ring *)instance)->reader;
}

QUEUE_INLINE void *slot_ring_prewrite_span(void *producer, size_t max, size_t *n)
{
	return stage_prewrite_span(&((struct slot_ring_writer *)producer)->stage, max, n);
}

QUEUE_INLINE enum queue_flush slot_ring_flush(void *producer)
{
	struct slot_ring_writer *writer = (struct slot_ring_writer *)producer;
	const size_t stride = writer->stride, end = writer->end;
	unsigned char *from = stage_first(&writer->stage), *slots = writer->slots;
	size_t place = writer->place, n = writer->stage.staged;

	if (!n)
		return QUEUE_FLUSHED;
	n = slot_ring_room(writer, n);
	if (!n)
		return QUEUE_FULL;
	for (size_t i = 0; i < n; i++) {
		copy_messages(slot_ring_word(slots, place) + 1, slot_ring_word(from, i * stride) + 1, stride / 8 - 1);
		place = slot_ring_ahead(place, stride, end);
	}
	writer->place = place;
	for (size_t i = n; i--;) {
		place = (place ? place : end) - stride;
		/* M0 release: pairs with M1 in slot_ring_note(): makes the rest of the message visible, and all behind it in the batch. */
		store_release(slot_ring_word(slots, place), *slot_ring_word(from, i * stride));
	}
	return stage_shift(&writer->stage, n);
}

QUEUE_INLINE bool slot_ring_preread(void *consumer)
{
	struct slot_ring_reader *reader = (struct slot_ring_reader *)consumer;
	size_t more;

	for (; reader->unreleased; reader->unreleased--) {
		/* R0 release: pairs with R1 in slot_ring_room(): what was read of this slot, and of those before, is read before it is
		 * written anew. */
		store_release(slot_ring_word(reader->slots, reader->emptied), 0);
		reader->emptied = slot_ring_ahead(reader->emptied, reader->stride, reader->end);
	}
	more = slot_ring_note(reader, reader->capacity - reader->ready);
	reader->ready += more;
	reader->next = slot_ring_ahead(reader->next, more * reader->stride, reader->end);
	return reader->ready;
}

QUEUE_INLINE const void *slot_ring_read_span(void *consumer, size_t max, size_t *n)
{
	struct slot_ring_reader *reader = (struct slot_ring_reader *)consumer;
	const unsigned char *slot = reader->slots + reader->place;

	*n = reader->ready;
	if (max < *n)
		*n = max;
	if (*n * reader->stride > reader->end - reader->place)
		*n = (reader->end - reader->place) / reader->stride;
	reader->place = slot_ring_ahead(reader->place, *n * reader->stride, reader->end);
	reader->ready -= *n;
	reader->unreleased += *n;
	return slot;
}

#define SLOT_RING_OPERATIONS                                                                                           \
	.footprint = slot_ring_footprint, .create = slot_ring_create, .destroy = slot_ring_destroy,                    \
	.producer = slot_ring_producer, .consumer = slot_ring_consumer, .prewrite_span = slot_ring_prewrite_span,      \
	.flush = slot_ring_flush, .preread = slot_ring_preread, .read_span = slot_ring_read_span

#endif
