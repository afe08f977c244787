/* adaptive: a bounded queue for one writer and one reader that chooses by itself how messages go over: in place by ordinary stores, or from
 * a stage by non-temporal ones.
 *
 * Source: none; it is `ring` or, by turns, `ring-nt`.
 * Promise: no operation ever waits; order is kept; a batch that finds room becomes visible whole; never more than `capacity` messages
 * in it.
 *
 * How it works. Non-temporal stores are the better way where the reader's core is far, and a flush is large enough to be worth the fence;
 * else slots are handed out in place, by ring's own code. How far the reader is, the writer finds out when it looks at the reader's counter
 * anyway, because by its copy there is no room, and finds it changed: it takes the time of that one load (stream.h). Virtual CPUs wander,
 * so that it goes on asking; several answers more of one kind count, and not one, which may have been interrupted. Where the reader is far,
 * the flushes that follow are looked at: after a large one the stage is used, until several in a row were small, or the reader is near.
 * Whatever is not ring's way lies behind a copy of the reader's counter that says "no room": so ring's way has no test more than ring's.
 *
 * Limits: a timed look costs some 200 ns more, and so there is one in 16,384 messages or 1 MiB. It begins near. The stage takes as much
 * memory as the ring. That it is within 10 % of the better of ring and ring-nt is not shown. On an AMD family 26 virtual machine that
 * others disturbed, 64-byte messages, 10 ms trials, medians: near (a line's round trip 100 ns) 0.86 to 1.02 of ring, in which it then
 * is, at batches of 32 and 256 (14 to 16 trials); far (440 ns) 0.7 to 1 of ring-nt at batches of 256 (2 to 4 trials), since in some
 * trials it finds out late or not at all: up to a third of the timed looks between far cores took no longer than near ones do, and it
 * is not known why. Both ways are surpassed by `sealed` between far cores, by the more the smaller the flushes are.
 */
#include "stream.h"

/* A test has others: smaller, and answers of its own. */
#ifndef ADAPTIVE_LOOK
#define ADAPTIVE_LOOK stream_load_acquire
#define ADAPTIVE_BEGINS_FAR false
enum {
	ADAPTIVE_FLUSH_BYTES = STREAM_LARGE_BYTES, /* from which on non-temporal stores are better between far cores */
	ADAPTIVE_ANSWERS = 4,        /* so many more of one kind than of the other decide */
	ADAPTIVE_SMALL = 4,          /* flushes in a row that are smaller end the writing by the stage */
	/* between two timed looks: whichever is less */
	ADAPTIVE_MESSAGES = 16384,
	ADAPTIVE_BYTES = 1 << 20,
};
#endif

enum adaptive_way {
	ADAPTIVE_IN_PLACE,
	ADAPTIVE_FAR,      /* in place, but the reader is far */
	ADAPTIVE_CHOOSING, /* in place, but flushes are looked at */
	ADAPTIVE_BY_STAGE,
};

struct writer;
QUEUE_INLINE uint64_t adaptive_look(struct writer *writer);

#define RING_LOOK adaptive_look
#define STAGED_RING_COPY stream_copy_large
#define STAGED_RING_ROOM(config) ((config)->capacity) /* as in place, all of it may be staged */
#define STAGED_RING_WRITER_FIELDS                                                                                      \
	enum adaptive_way way;                                                                                         \
	int distance;        /* −ADAPTIVE_ANSWERS: near … ADAPTIVE_ANSWERS: far */                                     \
	bool far;                                                                                                      \
	unsigned small;      /* flushes in a row, of those looked at */                                                \
	size_t granted;      /* by stage: so many messages more find room in the ring; else 0 */                       \
	uint64_t head_known; /* choosing and by stage: what head_seen was: that says "no room" */                      \
	uint64_t looked_at;  /* choosing: the messages flushed before the flush that is looked at */                   \
	uint64_t head_last;  /* the reader's counter at the last look of either kind */                                \
	uint64_t ask_at;     /* from so many messages staged in the ring on, the next look is timed */                 \
	uint64_t ask_every;  /* constant */
#include "staged_ring.h"

/* What the writer's copy of the reader's counter is to say: in place, no more than makes it look when a timed look is due, deep as the ring
 * may be. */
QUEUE_INLINE uint64_t adaptive_copy(const struct writer *writer, uint64_t head)
{
	uint64_t most = writer->ask_at - writer->capacity;

	return writer->way != ADAPTIVE_BY_STAGE && (int64_t)(head - most) > 0 ? most : head;
}

/* A look at the reader's counter that is timed. */
static QUEUE_COLD uint64_t adaptive_ask(struct writer *writer)
{
	bool far;
	uint64_t head = ADAPTIVE_LOOK(&writer->ring->head, &far); /* H1 acquire: as in adaptive_look() */

	if (head == writer->head_last) /* it may have lain in this core's cache */
		return head;
	writer->head_last = head;
	writer->ask_at = writer->staged + writer->ask_every;
	writer->distance += far ? writer->distance < ADAPTIVE_ANSWERS : -(writer->distance > -ADAPTIVE_ANSWERS);
	if (writer->distance == ADAPTIVE_ANSWERS)
		writer->far = true;
	else if (writer->distance == -ADAPTIVE_ANSWERS)
		writer->far = false;
	if (writer->far && writer->way == ADAPTIVE_IN_PLACE)
		writer->way = ADAPTIVE_FAR;
	return adaptive_copy(writer, head);
}

QUEUE_INLINE uint64_t adaptive_look(struct writer *writer)
{
	int64_t due = (int64_t)(writer->staged - writer->ask_at);
	/* Where a timed look is due, what is looked at first is a word of the writer's own. A branch alone would be guessed, wrongly, and the
	 * counter fetched meanwhile: its fetch seemed to take 50 ns less than it did. */
	uintptr_t own = (uintptr_t)&writer->head_seen, shared = (uintptr_t)&writer->ring->head;
	const uint64_t *place = (const uint64_t *)(own ^ ((own ^ shared) & (uintptr_t)(due >> 63)));
	uint64_t head;

	__asm__("" : "+r"(place)); /* or the compiler makes a branch of it */
	/* H1 acquire: pairs with H0 in ring_preread(): the reader is done with the slots that are written anew. */
	head = load_acquire(place);
	if (queue_unlikely(due >= 0))
		return adaptive_ask(writer);
	writer->head_last = head;
	return adaptive_copy(writer, head);
}

/* From here on the copy of the reader's counter says "no room". */
static void adaptive_close(struct writer *writer)
{
	size_t used = (size_t)(writer->staged - writer->head_seen) + writer->stage.staged;

	writer->granted = writer->way == ADAPTIVE_BY_STAGE && used < writer->capacity ? writer->capacity - used : 0;
	writer->head_known = writer->head_seen;
	writer->head_seen = writer->staged - writer->capacity;
}

static void adaptive_open(struct writer *writer)
{
	writer->granted = 0;
	writer->head_seen = writer->head_known;
}

/* After a flush of so many bytes that left nothing staged. */
static enum adaptive_way adaptive_choose(struct writer *writer, uint64_t bytes)
{
	if (writer->far && bytes >= ADAPTIVE_FLUSH_BYTES) {
		writer->small = 0;
		return ADAPTIVE_BY_STAGE;
	}
	if (writer->far && ++writer->small < ADAPTIVE_SMALL)
		return writer->way;
	writer->small = 0;
	return ADAPTIVE_IN_PLACE;
}

static int adaptive_create(const struct queue_config *config, void **instance)
{
	int status = staged_ring_create(config, instance);

	if (!status) {
		struct writer *writer = &((struct ring *)*instance)->writer;
		uint64_t messages = ADAPTIVE_BYTES / writer->stride;

		writer->way = ADAPTIVE_BEGINS_FAR ? ADAPTIVE_BY_STAGE : ADAPTIVE_IN_PLACE;
		writer->distance = 0;
		writer->far = ADAPTIVE_BEGINS_FAR;
		writer->small = 0;
		writer->granted = 0;
		writer->head_last = writer->head_seen;
		writer->ask_every = messages < ADAPTIVE_MESSAGES ? messages : ADAPTIVE_MESSAGES;
		writer->ask_at = writer->staged + writer->ask_every;
		writer->head_seen = adaptive_copy(writer, writer->head_seen);
		if (writer->far)
			adaptive_close(writer);
	}
	return status;
}

/* No more than finds room: what is staged is flushed whole, as in place. */
QUEUE_INLINE void *adaptive_prewrite_granted(struct writer *writer, size_t max, size_t *n)
{
	void *slots = stage_prewrite_span(&writer->stage, max < writer->granted ? max : writer->granted, n);

	writer->granted -= *n;
	return slots;
}

/* Where the reader is far, and nothing is granted. */
static QUEUE_COLD void *adaptive_prewrite_far(struct writer *writer, size_t max, size_t *n)
{
	void *slots;

	if (writer->way == ADAPTIVE_FAR) {
		writer->way = ADAPTIVE_CHOOSING;
		writer->looked_at = writer->flushed;
	} else {
		adaptive_open(writer);
	}
	if (writer->way == ADAPTIVE_CHOOSING && writer->staged == writer->flushed && writer->flushed != writer->looked_at) {
		writer->way = adaptive_choose(writer, (writer->flushed - writer->looked_at) * writer->stride);
		writer->looked_at = writer->flushed;
	}
	if (writer->way == ADAPTIVE_BY_STAGE) {
		ring_free(writer, writer->stage.staged + 1);
		adaptive_close(writer);
		return adaptive_prewrite_granted(writer, max, n);
	}
	slots = ring_prewrite_span(writer, max, n);
	if (writer->way == ADAPTIVE_CHOOSING)
		adaptive_close(writer);
	return slots;
}

QUEUE_INLINE void *adaptive_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct writer *writer = (struct writer *)producer;
	size_t found; /* n itself, if its address were known elsewhere, would have to be in memory on ring's way as well */
	void *slots;

	if (queue_likely(ring_free_by_copy(writer) || writer->way == ADAPTIVE_IN_PLACE))
		return ring_prewrite_span(writer, max, n);
	if (writer->granted)
		return adaptive_prewrite_granted(writer, max, n);
	slots = adaptive_prewrite_far(writer, max, &found);
	*n = found;
	return slots;
}

static QUEUE_COLD enum queue_flush adaptive_flush_stage(struct writer *writer)
{
	uint64_t flushed = writer->flushed;
	enum queue_flush result;

	adaptive_open(writer);
	result = staged_ring_flush(writer);
	if (result == QUEUE_FLUSHED)
		writer->way = adaptive_choose(writer, (writer->flushed - flushed) * writer->stride);
	if (writer->way == ADAPTIVE_BY_STAGE)
		adaptive_close(writer);
	return result;
}

QUEUE_INLINE enum queue_flush adaptive_flush(void *producer)
{
	struct writer *writer = (struct writer *)producer;

	if (queue_likely(writer->staged != writer->flushed))
		return ring_flush(writer);
	return queue_likely(!writer->stage.staged) ? QUEUE_FLUSHED : adaptive_flush_stage(writer);
}

QUEUE_TABLE(adaptive) = {
	.contract = QUEUE_CONTRACT,
	.name = "adaptive",
	.summary = "bounded ring, in place or by non-temporal stores, as the reader's distance and the flushes' size are",
	.source = "none",
	.traits = {.role = QUEUE_ORDINARY, RING_TRAITS, .in_place = true},
	.footprint = staged_ring_footprint,
	.create = adaptive_create,
	.destroy = staged_ring_destroy,
	.producer = ring_producer,
	.consumer = ring_consumer,
	.prewrite_span = adaptive_prewrite_span,
	.flush = adaptive_flush,
	.preread = ring_preread,
	.read_span = ring_read_span,
};
