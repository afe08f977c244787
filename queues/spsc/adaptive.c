/* adaptive: a bounded queue for one writer and one reader that chooses by itself how messages go over: in place by ordinary stores, or from
 * a stage by non-temporal ones.
 *
 * Source: none; it is `ring` or, by turns, `ring-nt`. Trying the other way now and then is how bandits are played.
 * Promise: no operation ever waits; order is kept; a batch that finds room becomes visible whole; never more than `capacity` messages
 * in it.
 *
 * How it works. Which way is quicker depends on how far the reader's core is, on the flushes' size and on the ring's depth, and changes
 * while virtual CPUs wander; so the writer tries. It times epochs of 1 MiB of messages, of either way the least of the last few, for stalls
 * only add. After 3 epochs in place it tries the stage, for a quarter of an epoch at a time: 2 times where it loses clearly, else 4. It
 * turns to what is quicker, and tries the other way again after 64 epochs, after four times as many whenever that was for nothing, and at
 * once when its own way has become much slower or quicker. Before a way is timed, what is in the ring from the other one has gone. The
 * stage is for flushes that are large enough to be worth the fence: where it is wanted, the flushes that follow are looked at, and after
 * several in a row that are small the slots are handed out in place, by ring's own code. An epoch ends when the writer finds, by its copy
 * of the reader's counter, that there is no room; the copy says so early. Whatever is not ring's way lies behind that: so ring's way has no
 * test more than ring's.
 *
 * Limits: the stage takes as much memory as the ring. A batch as large as the ring goes by the stage in pieces, as room comes. `sealed` is
 * quicker than both ways between far cores, by the more the smaller the flushes are.
 *
 * Against the better of ring and ring-nt (AMD family 25 virtual machine that others disturbed, 8 and 64 bytes, capacities of 1,024 to
 * 524,288, trials of 15 ms, medians), it is not within 10 % everywhere. Near, a line's round trip 85 ns, batches of 8 to 1,024, 22 to 24
 * trials each: 0.91 to 1.15 in 28 of 30 settings; 0.79 at 8 bytes, batch 128, capacity 1,024, where all goes in place; 0.86 at a batch as
 * large as the ring, since ring-nt stages a second batch beside a full ring and this queue never holds more than its capacity. Batches of
 * 1 near, 8 to 14 trials each: 0.4 to 1.3 where the ring is larger than a core's cache (L2, 1 MiB). There ring itself runs in one of two
 * ways, the reader close behind the writer or far, and which one is chance: at 8 bytes and a capacity of 524,288 some 105 or 385 M/s; in
 * place this queue does the same, and medians of so few trials fall here or there. A round trip: 1.00 to 1.02. Far, 350 ns, 1 to 6 trials
 * each: 0.90 to 1.24 where flushes are of 2 KiB or more, but for batches as large as the ring (0.76, 0.88); smaller flushes, which go in
 * place, 0.67 to 1.16.
 */
#include "stream.h"

/* A test has others: smaller, and a will of its own. */
#ifndef ADAPTIVE_WANTS_STAGE
#define ADAPTIVE_WANTS_STAGE adaptive_choose_way
#define ADAPTIVE_BEGINS_BY_STAGE false
enum {
	ADAPTIVE_FLUSH_BYTES = STREAM_LARGE_BYTES, /* from which on non-temporal stores may be better */
	ADAPTIVE_SMALL = 4,                        /* flushes in a row that are smaller end the writing by the stage */
	/* an epoch: whichever is less */
	ADAPTIVE_MESSAGES = 1 << 20,
	ADAPTIVE_BYTES = 1 << 20,
};
#endif

enum {
	CHOOSER_EPOCHS = 3,      /* of the chosen way, the least of which counts */
	CHOOSER_TRIES_LEAST = 2, /* of the other: after so many it may have lost */
	CHOOSER_TRIES_MOST = 4,
	CHOOSER_REST = 64,       /* epochs between two tries */
	CHOOSER_REST_MOST = 2048,
};

enum adaptive_way {
	ADAPTIVE_IN_PLACE,
	ADAPTIVE_TURNING,  /* in place, but the stage is wanted */
	ADAPTIVE_CHOOSING, /* in place, but flushes are looked at */
	ADAPTIVE_BY_STAGE,
};

/* Which way messages are to go. Times are ticks of 1,024 messages. */
struct chooser {
	bool stage;    /* the way that is wanted */
	bool trying;   /* it is not the chosen one, but tried */
	bool timing;   /* else what is in the ring from the other way is waited for */
	unsigned epochs;          /* timed of this way since it was turned to */
	unsigned rest, rest_next; /* epochs until the other way is tried; and after that, if it is for nothing */
	uint64_t began_ticks, began_messages; /* the epoch */
	uint64_t recent[CHOOSER_EPOCHS];      /* of the chosen way */
	uint64_t chosen; /* the least of the chosen way, when it last mattered */
	uint64_t tried;  /* the least of the way that is tried */
};

struct writer;
QUEUE_INLINE uint64_t adaptive_look(struct writer *writer);

#define RING_LOOK adaptive_look
#define STAGED_RING_COPY stream_copy_large
#define STAGED_RING_ROOM(config) ((config)->capacity) /* as in place, all of it may be staged */
#define STAGED_RING_WRITER_FIELDS                                                                                      \
	enum adaptive_way way;                                                                                         \
	bool wanted;         /* the stage */                                                                           \
	unsigned small;      /* flushes in a row, of those looked at */                                                \
	size_t granted;      /* by stage: so many messages more find room in the ring; else 0 */                       \
	uint64_t head_known; /* choosing and by stage: what head_seen was: that says "no room" */                      \
	uint64_t looked_at;  /* choosing: the messages flushed before the flush that is looked at */                   \
	uint64_t ask_at;     /* from so many messages written on, it is asked which way is wanted */                   \
	uint64_t ask_every;  /* constant: messages of an epoch */                                                      \
	struct chooser chooser;
#include "staged_ring.h"

/* ---- which way is wanted ---- */

static inline void chooser_turn(struct chooser *chooser, bool trying)
{
	chooser->stage = !chooser->stage;
	chooser->trying = trying;
	chooser->timing = false;
	chooser->epochs = 0;
	chooser->tried = UINT64_MAX;
}

/* The other way was tried for nothing. */
static inline void chooser_turn_back(struct chooser *chooser)
{
	chooser_turn(chooser, false);
	if (chooser->rest_next < CHOOSER_REST_MOST)
		chooser->rest_next *= 4;
	chooser->rest = chooser->rest_next;
}

/* An epoch of the chosen way took so long. */
static inline void chooser_go_on(struct chooser *chooser, uint64_t took)
{
	uint64_t least = took;

	chooser->recent[chooser->epochs % CHOOSER_EPOCHS] = took;
	if (chooser->epochs < CHOOSER_EPOCHS)
		return;
	for (unsigned i = 0; i < CHOOSER_EPOCHS; i++)
		least = chooser->recent[i] < least ? chooser->recent[i] : least;
	if (least > chooser->chosen + chooser->chosen / 2 || least < chooser->chosen - chooser->chosen / 3) {
		chooser->rest = 0; /* the cores stand otherwise to each other */
		chooser->rest_next = CHOOSER_REST;
	}
	if (chooser->rest) {
		chooser->rest--;
		return;
	}
	chooser->chosen = least;
	chooser_turn(chooser, true);
}

/* An epoch of the way that is tried took so long. Where both take the same time, messages go in place. */
static inline void chooser_judge(struct chooser *chooser, uint64_t took)
{
	uint64_t chosen = chooser->chosen, least = took < chooser->tried ? took : chooser->tried;
	bool lost = least > chosen + chosen / 4;

	chooser->tried = least;
	if (chooser->epochs < (lost ? CHOOSER_TRIES_LEAST : CHOOSER_TRIES_MOST))
		return;
	if (chooser->stage ? least >= chosen - chosen / 16 : least > chosen + chosen / 64) {
		chooser_turn_back(chooser);
		return;
	}
	chooser->trying = false;
	chooser->epochs = 0;
	chooser->chosen = least;
	chooser->rest = chooser->rest_next = CHOOSER_REST;
}

/* Whether the stage is wanted, at the end of an epoch: after so many messages, that went by the stage or not. */
static inline bool adaptive_choose_way(struct chooser *chooser, uint64_t messages, bool by_stage)
{
	uint64_t ticks = stream_ticks();
	bool timed = chooser->timing && by_stage == chooser->stage && messages != chooser->began_messages;

	if (timed) {
		uint64_t took = (ticks - chooser->began_ticks) * 1024 / (messages - chooser->began_messages);

		chooser->epochs++;
		if (chooser->trying)
			chooser_judge(chooser, took);
		else
			chooser_go_on(chooser, took);
	} else if (chooser->timing && chooser->stage && !by_stage) {
		chooser_turn_back(chooser); /* flushes are too small for it */
	} else {
		chooser->timing = true;
	}
	chooser->began_ticks = ticks;
	chooser->began_messages = messages;
	return chooser->stage;
}

/* ---- looks at the reader's counter ---- */

/* Staged, flushed or not, in the ring or the stage. */
QUEUE_INLINE uint64_t adaptive_written(const struct writer *writer)
{
	return writer->staged + writer->stage.staged;
}

/* What the writer's copy of the reader's counter is to say: no more than makes it look when it is due to ask, deep as the ring may be. */
QUEUE_INLINE uint64_t adaptive_copy(const struct writer *writer, uint64_t head)
{
	uint64_t most = writer->ask_at - writer->capacity;

	return (int64_t)(head - most) > 0 ? most : head;
}

static QUEUE_COLD void adaptive_ask(struct writer *writer, uint64_t head)
{
	struct chooser *chooser = &writer->chooser;
	uint64_t written = adaptive_written(writer), next = writer->ask_every;

	writer->wanted = ADAPTIVE_WANTS_STAGE(chooser, written, writer->way == ADAPTIVE_BY_STAGE);
	if (writer->wanted && writer->way == ADAPTIVE_IN_PLACE)
		writer->way = ADAPTIVE_TURNING;
	if (!chooser->timing)
		next = written - head; /* until those have gone */
	else if (chooser->trying)
		next /= 4;
	writer->ask_at = written + (next ? next : 1);
}

QUEUE_INLINE uint64_t adaptive_look(struct writer *writer)
{
	/* H1 acquire: pairs with H0 in ring_preread(): the reader is done with the slots that are written anew. */
	uint64_t head = load_acquire(&writer->ring->head);

	if (queue_unlikely((int64_t)(adaptive_written(writer) - writer->ask_at) >= 0))
		adaptive_ask(writer, head);
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
	if (writer->wanted && bytes >= ADAPTIVE_FLUSH_BYTES) {
		writer->small = 0;
		return ADAPTIVE_BY_STAGE;
	}
	if (writer->wanted && ++writer->small < ADAPTIVE_SMALL)
		return writer->way;
	writer->small = 0;
	return ADAPTIVE_IN_PLACE;
}

static int adaptive_create(const struct queue_config *config, void **instance)
{
	int status = staged_ring_create(config, instance);

	if (!status) {
		struct writer *writer = &((struct ring *)*instance)->writer;
		uint64_t messages = ADAPTIVE_BYTES / writer->stride, start = writer->staged;

		writer->way = ADAPTIVE_BEGINS_BY_STAGE ? ADAPTIVE_BY_STAGE : ADAPTIVE_IN_PLACE;
		writer->wanted = ADAPTIVE_BEGINS_BY_STAGE;
		writer->small = 0;
		writer->granted = 0;
		writer->chooser = (struct chooser){.timing = true, .began_ticks = stream_ticks(), .began_messages = start,
						   .rest_next = CHOOSER_REST, .tried = UINT64_MAX};
		writer->ask_every = messages < ADAPTIVE_MESSAGES ? messages : ADAPTIVE_MESSAGES;
		writer->ask_at = start + (writer->ask_every ? writer->ask_every : 1);
		writer->head_seen = adaptive_copy(writer, writer->head_seen);
		if (writer->wanted)
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

/* Where the stage is wanted, and nothing is granted. */
static QUEUE_COLD void *adaptive_prewrite_cold(struct writer *writer, size_t max, size_t *n)
{
	void *slots;

	if (writer->way == ADAPTIVE_TURNING) {
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
	slots = adaptive_prewrite_cold(writer, max, &found);
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
	.summary = "bounded ring, in place or by non-temporal stores, whichever it finds to be quicker",
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
