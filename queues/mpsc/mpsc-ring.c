/* mpsc-ring: a bounded ring for many producers and one consumer; producers claim their slots by one fetch-and-add per flush.
 *
 * Source: none in particular. Claiming slots by fetch-and-add: A. Gottlieb, B. Lubachevsky, L. Rudolph, 1983; a word by the slot that tells
 * what is published: D. Vyukov, 2010.
 * Promise: no operation of a producer ever waits; each producer's order is kept; never more than `capacity` messages in it.
 *
 * How it works. A producer stages a batch in a buffer of its own. flush looks whether there is room, claims as many positions as will do by
 * one fetch-and-add of `tail`, copies, and publishes all of them by one word: `claims` at the first position says where the claim ends.
 * Others may claim between the look and the claim, so that it reaches beyond the capacity. What is within is published as ever; the rest is
 * published as void: the consumer steps over it, and the messages stay staged. There is a slot for each position that can be claimed: of
 * all claims that reach beyond the capacity each producer has one at the most, since it looks again after its last one; so they end
 * within capacity + producers × batch. A single producer never claims in vain; of several, one claims well for each that does.
 *
 * Why a stage and not the slots themselves: a position claimed holds up all behind it until it is published. Claimed by prewrite, that were
 * as long as its producer takes to think; claimed by flush it is the time of a copy.
 *
 * Limits: a producer that loses its CPU while it copies stops the consumer at its claim. Many producers at a full ring make void claims, of
 * which preread notes nothing beyond until what lies before is read.
 */
#include "copy.h"
#include "stage.h"

struct fetch_ring;

struct fetch_writer {
	struct stage stage;
	uint64_t head_seen; /* a past value of head */
	size_t capacity, mask, stride; /* constant, as what follows */
	unsigned char *slots;
	uint64_t *claims;
	struct fetch_ring *ring;
} QUEUE_ALIGNED;

struct fetch_reader {
	uint64_t read;     /* positions handed out or stepped over so far */
	uint64_t released;
	uint64_t noted;    /* all before it are published; none from read on is void */
	size_t mask, stride;
	const unsigned char *slots;
	const uint64_t *claims;
	struct fetch_ring *ring;
};

struct fetch_ring {
	struct fetch_reader reader QUEUE_ALIGNED;
	uint64_t tail QUEUE_ALIGNED; /* producers': positions claimed so far; runs freely */
	uint64_t head QUEUE_ALIGNED; /* consumer's: positions released so far; runs freely */
	/* constant */
	/* By slot: the position at which the claim that begins in it ends, × 2, + 1 if it is void. Of a past lap: not beyond this lap's
	 * position. Written by who claimed it. */
	uint64_t *claims QUEUE_ALIGNED;
	unsigned char *slots;
	struct fetch_writer *writers;
	size_t slot_count, stride;
	unsigned producers;
	struct queue_memory *memory;
};

_Static_assert(offsetof(struct fetch_ring, tail) - offsetof(struct fetch_ring, reader) >= QUEUE_LINE_PAIR &&
	       offsetof(struct fetch_ring, head) - offsetof(struct fetch_ring, tail) == QUEUE_LINE_PAIR &&
	       offsetof(struct fetch_ring, claims) - offsetof(struct fetch_ring, head) == QUEUE_LINE_PAIR,
	       "the consumer's own, each shared counter and what is constant have line pairs to themselves");

/* How many slots: a power of two that has one for each position that can be claimed. 0: more than there can be. */
static size_t fetch_slots(const struct queue_config *config)
{
	size_t least, slots = 1;

	if (queue_size(config->producers > 1 ? config->producers : 0, stage_room(config), config->capacity, &least) || least > SIZE_MAX / 2)
		return 0;
	while (slots < least)
		slots *= 2;
	return slots;
}

static int fetch_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t stride = queue_stride(config->message_bytes), slots = fetch_slots(config), writer;

	(void)outstanding;
	if (!slots || queue_size(stage_room(config), stride, sizeof(struct fetch_writer), &writer) ||
	    queue_size(config->producers, writer, sizeof(struct fetch_ring), bytes))
		return -75; /* −EOVERFLOW */
	return queue_size(slots, sizeof(uint64_t) + stride, *bytes, bytes);
}

static void fetch_destroy(void *instance)
{
	struct fetch_ring *ring = (struct fetch_ring *)instance;
	struct queue_memory *memory = ring->memory;

	for (unsigned i = 0; ring->writers && i < ring->producers; i++)
		stage_close(&ring->writers[i].stage, memory);
	if (ring->writers)
		memory->release(memory, ring->writers, ring->producers * sizeof(struct fetch_writer));
	if (ring->claims)
		memory->release(memory, ring->claims, ring->slot_count * sizeof(uint64_t));
	if (ring->slots)
		memory->release(memory, ring->slots, ring->slot_count * ring->stride);
	memory->release(memory, ring, sizeof(*ring));
}

/* The slots, and the producers with their stages. False: memory ran out; what there is belongs to the ring. */
static bool fetch_allocate(struct fetch_ring *ring, const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	bool complete;

	ring->claims = (uint64_t *)memory->allocate(memory, ring->slot_count * sizeof(uint64_t), QUEUE_LINE_PAIR);
	ring->slots = (unsigned char *)memory->allocate(memory, ring->slot_count * ring->stride, QUEUE_LINE_PAIR);
	ring->writers = (struct fetch_writer *)memory->allocate(memory, ring->producers * sizeof(struct fetch_writer), QUEUE_LINE_PAIR);
	complete = ring->claims && ring->slots && ring->writers;
	for (unsigned i = 0; ring->writers && i < ring->producers; i++) {
		struct fetch_writer *writer = &ring->writers[i];

		*writer = (struct fetch_writer){.head_seen = config->counter_start, .capacity = config->capacity,
						.mask = ring->slot_count - 1, .stride = ring->stride, .slots = ring->slots,
						.claims = ring->claims, .ring = ring};
		complete = stage_open(&writer->stage, config, stage_room(config)) && complete;
	}
	return complete;
}

static int fetch_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	uint64_t start = config->counter_start;
	struct fetch_ring *ring;
	size_t bytes;

	if (fetch_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	ring = (struct fetch_ring *)memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	if (!ring)
		return -12; /* −ENOMEM */
	*ring = (struct fetch_ring){.tail = start, .head = start, .slot_count = fetch_slots(config),
				    .stride = queue_stride(config->message_bytes), .producers = config->producers, .memory = memory};
	if (!fetch_allocate(ring, config)) {
		fetch_destroy(ring);
		return -12;
	}
	/* none reaches beyond its position: not published */
	for (size_t i = 0; i < ring->slot_count; i++)
		ring->claims[(start + i) & (ring->slot_count - 1)] = (start + i) * 2;
	ring->reader = (struct fetch_reader){.read = start, .released = start, .noted = start, .mask = ring->slot_count - 1,
					     .stride = ring->stride, .slots = ring->slots, .claims = ring->claims, .ring = ring};
	*instance = ring;
	return 0;
}

static void *fetch_producer(void *instance, unsigned index)
{
	return &((struct fetch_ring *)instance)->writers[index];
}

static void *fetch_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct fetch_ring *)instance)->reader;
}

QUEUE_INLINE void *fetch_prewrite_span(void *producer, size_t max, size_t *n)
{
	return stage_prewrite_span(&((struct fetch_writer *)producer)->stage, max, n);
}

/* How many positions from `position` on are within the capacity, by the head that was seen last; none: ≤ 0. */
QUEUE_INLINE int64_t fetch_free(const struct fetch_writer *writer, uint64_t position)
{
	return (int64_t)(writer->head_seen + writer->capacity - position);
}

QUEUE_INLINE void fetch_see_head(struct fetch_writer *writer)
{
	/* H1 acquire: pairs with H0 in fetch_release(): the consumer is done with the slots that are written anew. */
	writer->head_seen = load_acquire(&writer->ring->head);
}

/* How many positions were free a moment ago; looks at the head where by what was seen of it fewer than `wanted` are.
 *
 * The tail is always read after the head. So a claim that comes out void was overtaken since by others, the first of which began where
 * there was room, and finds it: it sees no older head than this look. The other way round two producers could void their claims in turn,
 * for ever: each finds the room that the consumer gives back as it steps over the other's, by a tail from before that. */
QUEUE_INLINE int64_t fetch_look(struct fetch_writer *writer, size_t wanted)
{
	/* relaxed, both: what they say is looked at again after the claim; the second is kept behind the head by H1. */
	int64_t free = fetch_free(writer, load_relaxed(&writer->ring->tail));

	if (free < (int64_t)wanted) {
		fetch_see_head(writer);
		free = fetch_free(writer, load_relaxed(&writer->ring->tail));
	}
	return free;
}

/* The first n of the stage into the slots from `position` on. */
QUEUE_INLINE void fetch_copy(struct fetch_writer *writer, uint64_t position, size_t n)
{
	const unsigned char *from = stage_first(&writer->stage);
	size_t slot = position & writer->mask, words = writer->stride / 8, row = writer->mask + 1 - slot;

	if (queue_unlikely(row < n)) {
		copy_messages(writer->slots + slot * writer->stride, from, row * words);
		copy_messages(writer->slots, from + row * writer->stride, (n - row) * words);
	} else {
		copy_messages(writer->slots + slot * writer->stride, from, n * words);
	}
}

QUEUE_INLINE enum queue_flush fetch_flush(void *producer)
{
	struct fetch_writer *writer = (struct fetch_writer *)producer;
	struct fetch_ring *ring = writer->ring;
	size_t n = writer->stage.staged, good;
	uint64_t position;
	int64_t free;

	if (!n)
		return QUEUE_FLUSHED;
	free = fetch_look(writer, n);
	if (queue_unlikely(free <= 0))
		return QUEUE_FULL;
	if ((size_t)free < n)
		n = (size_t)free;
	/* C0 release, C1 acquire: pairs with itself in other producers: what they knew of head this one knows too; so a claim beyond
	 * the capacity by what head is now was the last one of its producer, and the words of its slots were read in the lap before. */
	position = fetch_add_acq_rel(&ring->tail, n);
	free = fetch_free(writer, position);
	if (free < (int64_t)n) {
		fetch_see_head(writer);
		free = fetch_free(writer, position);
	}
	good = free <= 0 ? 0 : (size_t)free < n ? (size_t)free : n;
	if (queue_unlikely(good < n))
		/* relaxed: there is nothing behind it to be made visible */
		store_relaxed(&writer->claims[(position + good) & writer->mask], (position + n) * 2 + 1);
	if (queue_unlikely(!good))
		return QUEUE_FULL;
	fetch_copy(writer, position, good);
	/* P0 release: pairs with P1 in fetch_preread(): makes the slots' contents visible. */
	store_release(&writer->claims[position & writer->mask], (position + good) * 2);
	return stage_shift(&writer->stage, good);
}

QUEUE_INLINE void fetch_release(struct fetch_reader *reader)
{
	if (reader->read != reader->released) {
		reader->released = reader->read;
		/* H0 release: pairs with H1 in fetch_see_head(): what was read of the slots is read before they are written anew. */
		store_release(&reader->ring->head, reader->read);
	}
}

QUEUE_INLINE bool fetch_preread(void *consumer)
{
	struct fetch_reader *reader = (struct fetch_reader *)consumer;

	fetch_release(reader);
	for (;;) {
		/* P1 acquire: pairs with P0 in fetch_flush(). */
		uint64_t claim = load_acquire(&reader->claims[reader->noted & reader->mask]);
		/* positions lose their highest bit: far more laps than there are words of a past one */
		uint64_t length = (claim - reader->noted * 2) / 2;

		if (!length || length > reader->mask + 1)
			break;
		if (queue_unlikely(claim & 1)) {
			if (reader->noted != reader->read)
				break;
			reader->noted += length;
			reader->read = reader->noted;
			fetch_release(reader);
		} else {
			reader->noted += length;
		}
	}
	return reader->noted != reader->read;
}

QUEUE_INLINE const void *fetch_read_span(void *consumer, size_t max, size_t *n)
{
	struct fetch_reader *reader = (struct fetch_reader *)consumer;
	size_t ready = (size_t)(reader->noted - reader->read), slot = reader->read & reader->mask;

	*n = reader->mask + 1 - slot;
	if (ready < *n)
		*n = ready;
	if (max < *n)
		*n = max;
	reader->read += *n;
	return reader->slots + slot * reader->stride;
}

QUEUE_TABLE(mpsc_ring) = {
	.contract = QUEUE_CONTRACT,
	.name = "mpsc-ring",
	.summary = "bounded ring, one fetch-and-add and one word per flush, copied in",
	.source = "fetch-and-add: A. Gottlieb, B. Lubachevsky, L. Rudolph, 1983; words by the slots: D. Vyukov, 2010",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPSC, .producers_max = 0, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_PER_PRODUCER,
		.batches = true,
	},
	.footprint = fetch_footprint,
	.create = fetch_create,
	.destroy = fetch_destroy,
	.producer = fetch_producer,
	.consumer = fetch_consumer,
	.prewrite_span = fetch_prewrite_span,
	.flush = fetch_flush,
	.preread = fetch_preread,
	.read_span = fetch_read_span,
};
