/* faa-array: an unbounded queue for any number of writers and readers, segments of cells given out by fetch-and-add.
 *
 * Source: P. Ramalhete and A. Correia's FAAArrayQueue, 2016, after LCRQ, A. Morrison and Y. Afek, 2013; hazard pointers: M. Michael,
 * 2004. Here a batch takes its cells at once, and messages lie in the cells.
 * Promise: lock-free; total order. (A flush that loses cell after cell to readers goes on as long as others do.)
 *
 * How it works. A linked list of segments, each an array of cells with two counters. A flush takes cells for its batch by one
 * fetch-and-add of `enqueued`, copies each message into its cell, and last sets the message's first word, which is never 0, by
 * compare-exchange: that word is the cell's state. A preread takes the cells in a row that hold messages by one compare-exchange of
 * `dequeued` (a fetch-and-add would take cells whose messages are still to come, and others would overtake them) and reads them in
 * place. Where the next cell is empty, it takes that one alone; if it stays empty for a while, it spoils it: it puts a word there
 * itself. A writer that finds its cell spoilt abandons the rest of its cells, lest its order be lost, and takes new ones; readers spoil the abandoned
 * ones in turn. When all cells of a segment were given out, writers append another, readers go on to it, and the segment is retired.
 *
 * Reclamation: an endpoint keeps its hazard pointer on the segment that it uses, also between calls: only changing segments costs a
 * fence. A reader that retires a segment keeps it until no hazard pointer is on it and then puts it on a stack of free ones, from which
 * writers take, under a second hazard pointer: nothing returns to the stack while someone may still take it for what it was.
 * Before a message is staged there is a segment in reserve for it, so that a flush runs out of memory only where it lost cells to
 * readers; it then returns QUEUE_FULL.
 *
 * Limits: a message is copied once, by its writer. A slow writer costs cells. A preread notes what lies in two segments at most: less
 * than a batch where messages are large. An endpoint that rests holds one segment, or two. Memory follows the longest queue there ever
 * was, and is given back at the end.
 *
 * Who may call what beside whom: each endpoint is one thread's; else anything beside anything.
 */
#include "copy.h"
#include "queue.h"

enum {
	SEGMENT_CELLS = 1024,    /* or as many as make SEGMENT_BYTES, whichever is less */
	SEGMENT_BYTES = 1 << 20,
	PATIENCE = 100,          /* looks at empty cells before the next one is spoilt, per preread */
	SPOILT = 1,              /* any word but 0: only the reader whose cell it is will ever look */
};

struct segment {
	uint64_t enqueued QUEUE_ALIGNED; /* producers': cells given to them, and attempts beyond the last */
	uint64_t dequeued QUEUE_ALIGNED; /* consumers': the same */
	struct segment *next QUEUE_ALIGNED; /* set once, by the producer that appends */
	/* its owner's: in a list of retired or reserved ones; constant on the stack of free ones. Relaxed, all: a producer may look at
	 * it too late, when another took the segment; its exchange will fail. */
	struct segment *link;
	unsigned char cells[] QUEUE_ALIGNED; /* by first word: 0, a message, or spoilt */
};

/* What an endpoint may be about to look into: not to be used anew. Written by its owner, read by whoever retires a segment. */
struct hazard {
	struct segment *in_use QUEUE_ALIGNED;
	/* producers: the top of the stack of free segments. consumers: the segment before, while messages there are held */
	struct segment *second;
};

struct faa_array {
	struct segment *head QUEUE_ALIGNED; /* the first segment that has not been read to its end; consumers' */
	struct segment *tail QUEUE_ALIGNED; /* the last one, or the one before it; producers', helped on by consumers */
	struct segment *free QUEUE_ALIGNED; /* all: a stack */
	/* constant */
	struct hazard *hazards QUEUE_ALIGNED; /* producers' first */
	struct producer *producers;
	struct consumer *consumers;
	unsigned producer_count, consumer_count;
	size_t cells, stride;
	struct queue_memory *memory;
};

/* All of it is its thread's own. */
struct producer {
	size_t staged, first;     /* messages in the stage, and where they begin */
	unsigned char *stage;
	struct segment *segment;  /* in use: under the hazard pointer */
	struct segment *reserve;  /* a list */
	size_t reserved;          /* cells in it */
	/* constant */
	size_t room;              /* messages that the stage holds */
	size_t cells, stride;
	struct hazard *hazard;
	struct faa_array *queue;
} QUEUE_ALIGNED;

struct consumer {
	size_t read, noted;      /* cells: those from read to noted − 1 hold messages noted */
	size_t taken;            /* those from noted to taken − 1 are its own, to be looked at later */
	const unsigned char *held; /* messages noted at the end of the segment before */
	size_t held_count;       /* of them not yet read */
	bool holds;              /* that segment is under the second hazard pointer */
	struct segment *segment; /* in use: under the hazard pointer */
	struct segment *retired; /* a list: read to their ends, not yet free */
	/* constant */
	size_t room;             /* cells that a preread takes at most */
	unsigned share_shift;    /* it takes one part in 2^that of what there is, so that readers who look at once all find something */
	size_t cells, stride;
	struct hazard *hazard;
	struct faa_array *queue;
} QUEUE_ALIGNED;

static size_t faa_array_cells(size_t message_bytes)
{
	size_t fit = SEGMENT_BYTES / queue_stride(message_bytes);

	return fit > SEGMENT_CELLS ? SEGMENT_CELLS : fit;
}

QUEUE_INLINE uint64_t *segment_cell(struct segment *segment, size_t cell, size_t stride)
{
	return (uint64_t *)(void *)(segment->cells + cell * stride);
}

/* ---- segments ---- */

/* All its cells empty, behind nothing. */
static void segment_clear(struct segment *segment, size_t cells, size_t stride)
{
	/* plain: nobody else has it; it is published by A0 in faa_array_append(). */
	segment->enqueued = segment->dequeued = 0;
	segment->next = NULL;
	for (size_t i = 0; i < cells; i++)
		*segment_cell(segment, i, stride) = 0;
}

/* The segment that *shared leads to, safe from being used anew as long as it stays under this hazard pointer. */
static struct segment *faa_array_protect(struct segment **hazard, struct segment *const *shared)
{
	struct segment *segment = load_seq_cst(shared), *before;

	do {
		before = segment;
		/* Z0 sequentially consistent, as the load: pairs with Z1 in faa_array_scan(): either the reader that retires the segment
		 * sees the hazard, or this one sees that the segment is not there any more.
		 * X0 release within it: pairs with X1: this side is done with what the pointer was on before. */
		store_seq_cst(hazard, segment);
		/* A1 acquire within it: pairs with A0 in faa_array_append(): the segment's contents. */
		segment = load_seq_cst(shared);
	} while (segment != before);
	return segment;
}

/* A free segment, or NULL. */
static struct segment *faa_array_take_free(struct producer *producer)
{
	struct faa_array *queue = producer->queue;
	struct segment *segment;

	for (;;) {
		segment = faa_array_protect(&producer->hazard->second, &queue->free);
		/* Where the exchange succeeds, the segment was on the stack all the time, and its link constant: once taken, it comes
		 * back only after it was retired, which this hazard pointer prevents.
		 * F1 acquire: pairs with F0 in faa_array_scan(): it was read before it is written anew. */
		if (!segment || compare_exchange_seq_cst(&queue->free, &segment, load_relaxed(&segment->link)))
			break;
	}
	store_release(&producer->hazard->second, NULL); /* X0 release: pairs with X1 in faa_array_scan() */
	return segment;
}

/* Sees to it that there are reserved cells for so many messages. False: no memory. */
static QUEUE_COLD bool faa_array_reserve(struct producer *producer, size_t messages)
{
	struct queue_memory *memory = producer->queue->memory;

	while (producer->reserved < messages) {
		struct segment *segment = faa_array_take_free(producer);

		if (!segment)
			segment = (struct segment *)memory->allocate(
				memory, sizeof(*segment) + producer->cells * producer->stride, QUEUE_LINE_PAIR);
		if (!segment)
			return false;
		segment_clear(segment, producer->cells, producer->stride);
		store_relaxed(&segment->link, producer->reserve);
		producer->reserve = segment;
		producer->reserved += producer->cells;
	}
	return true;
}

/* All cells of the segment in use are given out: goes on to the next one. False: there is none, and no memory for one. */
static QUEUE_COLD bool faa_array_append(struct producer *producer)
{
	struct faa_array *queue = producer->queue;
	struct segment *full = producer->segment, *next = NULL, *mine, *tail = full;

	if (load_seq_cst(&queue->tail) == full && !load_seq_cst(&full->next)) {
		if (!producer->reserve && !faa_array_reserve(producer, 1))
			return false;
		mine = producer->reserve;
		/* A0 release within it: pairs with A1 in faa_array_protect() and in faa_array_advance(): the segment's contents. */
		if (compare_exchange_seq_cst(&full->next, &next, mine)) {
			producer->reserve = load_relaxed(&mine->link);
			producer->reserved -= producer->cells;
		}
	}
	next = load_seq_cst(&full->next);
	if (next)
		compare_exchange_seq_cst(&queue->tail, &tail, next);
	producer->segment = faa_array_protect(&producer->hazard->in_use, &queue->tail);
	return true;
}

/* Puts those retired segments that nobody may look into any more on the stack of free ones. */
static void faa_array_scan(struct consumer *consumer)
{
	struct faa_array *queue = consumer->queue;
	struct segment **place = &consumer->retired, *segment, *top;

	while ((segment = load_relaxed(place))) {
		bool hazarded = false;

		/* Z1 sequentially consistent: pairs with Z0 in faa_array_protect(); the segment left the list before.
		 * X1 acquire within it: pairs with X0: who had it under a hazard pointer is done with it. */
		for (unsigned i = 0; i < queue->producer_count + queue->consumer_count; i++)
			if (load_seq_cst(&queue->hazards[i].in_use) == segment ||
			    load_seq_cst(&queue->hazards[i].second) == segment)
				hazarded = true;
		if (hazarded) {
			place = &segment->link;
			continue;
		}
		store_relaxed(place, load_relaxed(&segment->link));
		/* relaxed: the exchange makes sure that it is the newest. */
		top = load_relaxed(&queue->free);
		do
			store_relaxed(&segment->link, top);
		/* F0 release: pairs with F1 in faa_array_take_free(). */
		while (!compare_exchange_seq_cst(&queue->free, &top, segment));
	}
}

/* All cells of the segment in use are given out, and this consumer is done with its own: goes on to the next one. False: there is none. */
static QUEUE_COLD bool faa_array_advance(struct consumer *consumer)
{
	struct faa_array *queue = consumer->queue;
	struct segment *done = consumer->segment, *head = done, *tail = done;
	/* A1 acquire within it: pairs with A0 in faa_array_append(). */
	struct segment *next = load_seq_cst(&done->next);

	if (!next)
		return false;
	/* once tail has left it as well, nobody comes to it any more */
	compare_exchange_seq_cst(&queue->tail, &tail, next);
	if (compare_exchange_seq_cst(&queue->head, &head, next)) {
		store_relaxed(&done->link, consumer->retired);
		consumer->retired = done;
	}
	consumer->segment = faa_array_protect(&consumer->hazard->in_use, &queue->head);
	consumer->read = consumer->noted = consumer->taken = 0;
	faa_array_scan(consumer);
	return true;
}

/* What was read of the segment before is released. */
static QUEUE_COLD void faa_array_let_go(struct consumer *consumer)
{
	store_release(&consumer->hazard->second, NULL); /* X0 release: pairs with X1 in faa_array_scan() */
	consumer->holds = false;
	faa_array_scan(consumer);
}

/* ---- the queue ---- */

static int faa_array_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t cells = faa_array_cells(config->message_bytes), stride = queue_stride(config->message_bytes);
	size_t endpoints = (size_t)config->producers + config->consumers, own, stage, used, reserve, segments;

	if (queue_size(config->batch, stride, sizeof(struct producer), &stage) ||
	    queue_size(config->producers, stage, sizeof(struct faa_array), &own) ||
	    queue_size(config->consumers, sizeof(struct consumer), own, &own) ||
	    queue_size(endpoints, sizeof(struct hazard), own, &own) ||
	    /* cells between the counters: messages; given to a producer and not yet written; abandoned */
	    queue_size(2 * (size_t)config->producers, config->batch, outstanding, &used) ||
	    queue_size(1, config->batch, 0, &reserve) ||
	    queue_size(config->producers, reserve / cells + 2, 0, &reserve))
		return -75; /* −EOVERFLOW */
	/* the first and the last segment are used in part; each consumer may have kept retired ones, as many as there are hazard
	 * pointers, and may hold messages of one */
	if (queue_size(config->consumers, 2 * endpoints + 1, used / cells + 3, &segments) ||
	    queue_size(1, segments, reserve, &segments))
		return -75;
	return queue_size(segments, sizeof(struct segment) + cells * stride, own, bytes);
}

static void faa_array_release(struct queue_memory *memory, void *block, size_t bytes)
{
	if (block)
		memory->release(memory, block, bytes);
}

static void faa_array_release_list(const struct faa_array *queue, struct segment *segment, bool is_queue)
{
	while (segment) {
		struct segment *next = is_queue ? segment->next : segment->link;

		faa_array_release(queue->memory, segment, sizeof(*segment) + queue->cells * queue->stride);
		segment = next;
	}
}

static void faa_array_destroy(void *instance)
{
	struct faa_array *queue = (struct faa_array *)instance;
	struct queue_memory *memory = queue->memory;
	size_t endpoints = (size_t)queue->producer_count + queue->consumer_count;

	faa_array_release_list(queue, queue->head, true);
	faa_array_release_list(queue, queue->free, false);
	for (unsigned i = 0; queue->producers && i < queue->producer_count; i++) {
		faa_array_release_list(queue, queue->producers[i].reserve, false);
		faa_array_release(memory, queue->producers[i].stage, queue->producers[i].room * queue->stride);
	}
	for (unsigned i = 0; queue->consumers && i < queue->consumer_count; i++)
		faa_array_release_list(queue, queue->consumers[i].retired, false);
	faa_array_release(memory, queue->producers, queue->producer_count * sizeof(struct producer));
	faa_array_release(memory, queue->consumers, queue->consumer_count * sizeof(struct consumer));
	faa_array_release(memory, queue->hazards, endpoints * sizeof(struct hazard));
	memory->release(memory, queue, sizeof(*queue));
}

/* The endpoints and the first segment. False: memory ran out; what there is belongs to the queue. */
static bool faa_array_allocate(struct faa_array *queue, const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	unsigned endpoints = config->producers + config->consumers, shift = 0;

	while (1u << shift < config->consumers)
		shift++;
	queue->producers = (struct producer *)memory->allocate(
		memory, config->producers * sizeof(struct producer), QUEUE_LINE_PAIR);
	queue->consumers = (struct consumer *)memory->allocate(
		memory, config->consumers * sizeof(struct consumer), QUEUE_LINE_PAIR);
	queue->hazards = (struct hazard *)memory->allocate(memory, endpoints * sizeof(struct hazard), QUEUE_LINE_PAIR);
	for (unsigned i = 0; queue->producers && i < config->producers; i++)
		queue->producers[i] = (struct producer){.room = config->batch, .cells = queue->cells,
							.stride = queue->stride, .hazard = queue->hazards + i,
							.queue = queue};
	for (unsigned i = 0; queue->consumers && i < config->consumers; i++)
		queue->consumers[i] = (struct consumer){
			.room = config->batch, .share_shift = shift, .cells = queue->cells, .stride = queue->stride,
			.hazard = queue->hazards + config->producers + i, .queue = queue};
	if (!queue->producers || !queue->consumers || !queue->hazards)
		return false;
	for (unsigned i = 0; i < config->producers; i++) {
		queue->producers[i].stage = (unsigned char *)memory->allocate(
			memory, config->batch * queue->stride, QUEUE_LINE_PAIR);
		if (!queue->producers[i].stage)
			return false;
	}
	queue->head = (struct segment *)memory->allocate(
		memory, sizeof(struct segment) + queue->cells * queue->stride, QUEUE_LINE_PAIR);
	return queue->head;
}

static int faa_array_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct faa_array *queue;
	size_t bytes;

	if (faa_array_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	queue = (struct faa_array *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct faa_array){.producer_count = config->producers, .consumer_count = config->consumers,
				    .cells = faa_array_cells(config->message_bytes),
				    .stride = queue_stride(config->message_bytes), .memory = memory};
	if (!faa_array_allocate(queue, config)) {
		faa_array_destroy(queue);
		return -12;
	}
	queue->tail = queue->head;
	segment_clear(queue->head, queue->cells, queue->stride);
	for (unsigned i = 0; i < config->producers; i++)
		queue->producers[i].segment = queue->head;
	for (unsigned i = 0; i < config->consumers; i++)
		queue->consumers[i].segment = queue->head;
	for (unsigned i = 0; i < config->producers + config->consumers; i++)
		queue->hazards[i] = (struct hazard){queue->head, NULL};
	*instance = queue;
	return 0;
}

static void *faa_array_producer(void *instance, unsigned index)
{
	return &((struct faa_array *)instance)->producers[index];
}

static void *faa_array_consumer(void *instance, unsigned index)
{
	return &((struct faa_array *)instance)->consumers[index];
}

QUEUE_INLINE void *faa_array_prewrite_span(void *endpoint, size_t max, size_t *n)
{
	struct producer *producer = (struct producer *)endpoint;
	size_t used = producer->first + producer->staged;

	*n = producer->room - used;
	if (max < *n)
		*n = max;
	if (queue_unlikely(producer->reserved < producer->staged + *n) &&
	    !faa_array_reserve(producer, producer->staged + *n))
		*n = producer->reserved > producer->staged ? producer->reserved - producer->staged : 0;
	producer->staged += *n;
	return producer->stage + used * producer->stride;
}

/* Writes up to n staged messages into cells from `cell` on. Returns how many: fewer where a cell was spoilt. */
QUEUE_INLINE size_t faa_array_fill(struct producer *producer, size_t cell, size_t n)
{
	size_t words = producer->stride / 8;

	for (size_t i = 0; i < n; i++) {
		const void *staged = producer->stage + (producer->first + i) * producer->stride;
		const uint64_t *message = (const uint64_t *)staged;
		uint64_t *place = segment_cell(producer->segment, cell + i, producer->stride), empty = 0;

		copy_messages(place + 1, message + 1, words - 1);
		/* M0 release: pairs with M1 in faa_array_look(): the rest of the message. */
		if (queue_unlikely(!compare_exchange_acq_rel(place, &empty, message[0])))
			return i;
	}
	return n;
}

QUEUE_INLINE enum queue_flush faa_array_flush(void *endpoint)
{
	struct producer *producer = (struct producer *)endpoint;

	while (producer->staged) {
		/* relaxed: a cell's number; what is in it is ordered by M, what the segment is by A. */
		uint64_t cell = fetch_add_relaxed(&producer->segment->enqueued, producer->staged);
		size_t left = cell < producer->cells ? producer->cells - (size_t)cell : 0;
		size_t n = producer->staged < left ? producer->staged : left;
		size_t written = faa_array_fill(producer, (size_t)cell, n);

		producer->staged -= written;
		producer->first = producer->staged ? producer->first + written : 0;
		if (queue_unlikely(producer->staged && written == left) && !faa_array_append(producer))
			return QUEUE_FULL;
	}
	return QUEUE_FLUSHED;
}

/* Whether there is a message in this consumer's next cell, after some patience. False: it is spoilt now. */
QUEUE_INLINE bool faa_array_look(const struct consumer *consumer, size_t cell, unsigned *patience)
{
	uint64_t *place = segment_cell(consumer->segment, cell, consumer->stride), empty = 0;

	for (;;) {
		/* M1 acquire: pairs with M0 in faa_array_fill(). */
		if (queue_likely(load_acquire(place)))
			return true;
		if (!*patience)
			break;
		--*patience;
		cpu_relax();
	}
	/* M1 acquire, also where it fails: the message came after all. */
	return !compare_exchange_acq_rel(place, &empty, SPOILT);
}

/* Takes cells that were given to writers and to no reader yet: those in a row that hold messages, or the next one alone, if
 * `patient`, to be waited for. Never more: a cell that is taken and not looked at would be overtaken by what others read. False: there are
 * none in this segment; *exhausted: nor will there be. */
QUEUE_INLINE bool faa_array_take(struct consumer *consumer, bool patient, bool *exhausted)
{
	struct segment *segment = consumer->segment;
	uint64_t dequeued, enqueued, n, most;

	do {
		/* acquire: only to look at `enqueued` after it: a cell not yet dequeued then was given out before now if its message
		 * was flushed. relaxed: what is in the cells is ordered by M. */
		dequeued = load_acquire(&segment->dequeued);
		enqueued = load_relaxed(&segment->enqueued);
		*exhausted = dequeued >= consumer->cells;
		if (enqueued > consumer->cells)
			enqueued = consumer->cells;
		if (dequeued >= enqueued)
			return false;
		most = (enqueued - dequeued) >> consumer->share_shift;
		most = most < 1 ? 1 : most > consumer->room ? consumer->room : most;
		/* M1 acquire: as in faa_array_look(): a message stays where it is until its cell is taken. */
		for (n = 0; n < most && load_acquire(segment_cell(segment, (size_t)(dequeued + n), consumer->stride)); n++)
			;
		if (!n && !patient)
			return false;
		/* acq_rel: only so that it fails where another reader took some of them; what is in them is ordered by M. */
	} while (!compare_exchange_acq_rel(&segment->dequeued, &dequeued, dequeued + (n ? n : 1)));
	consumer->read = consumer->noted = (size_t)dequeued;
	consumer->taken = (size_t)(dequeued + (n ? n : 1));
	return true;
}

/* Notes the messages in a row in the cells taken, behind spoilt ones. */
QUEUE_INLINE bool faa_array_note(struct consumer *consumer, unsigned *patience)
{
	while (consumer->noted < consumer->taken) {
		if (faa_array_look(consumer, consumer->noted++, patience)) {
			consumer->read = consumer->noted - 1;
			/* M1 acquire: as above. What is empty here is looked at with patience by the next preread. */
			while (consumer->noted < consumer->taken &&
			       load_acquire(segment_cell(consumer->segment, consumer->noted, consumer->stride)))
				consumer->noted++;
			return true;
		}
	}
	consumer->read = consumer->noted;
	return false;
}

/* The messages noted reach to the end of their segment: notes also what is at the beginning of the next one, as of a batch that lies
 * in both. */
static QUEUE_COLD void faa_array_note_beyond(struct consumer *consumer)
{
	size_t read = consumer->read, count = consumer->noted - read;
	struct segment *segment = consumer->segment;
	bool exhausted;

	/* before the first hazard pointer leaves it; faa_array_scan() looks at them in this order. */
	store_seq_cst(&consumer->hazard->second, segment);
	if (!faa_array_advance(consumer)) {
		store_release(&consumer->hazard->second, NULL); /* X0 release: pairs with X1 in faa_array_scan() */
		return;
	}
	consumer->holds = true;
	consumer->held = (const unsigned char *)segment_cell(segment, read, consumer->stride);
	consumer->held_count = count;
	if (faa_array_take(consumer, false, &exhausted))
		/* M1 acquire: as in faa_array_look(). */
		while (consumer->noted < consumer->taken &&
		       load_acquire(segment_cell(consumer->segment, consumer->noted, consumer->stride)))
			consumer->noted++;
}

QUEUE_INLINE bool faa_array_preread(void *endpoint)
{
	struct consumer *consumer = (struct consumer *)endpoint;
	unsigned patience = PATIENCE;
	bool exhausted;

	if (consumer->held_count || consumer->read < consumer->noted)
		return true;
	if (queue_unlikely(consumer->holds))
		faa_array_let_go(consumer);
	for (;;) {
		if (faa_array_note(consumer, &patience)) {
			if (queue_unlikely(consumer->noted == consumer->cells))
				faa_array_note_beyond(consumer);
			return true;
		}
		if (!faa_array_take(consumer, true, &exhausted) &&
		    !(queue_unlikely(exhausted) && faa_array_advance(consumer)))
			return false;
	}
}

QUEUE_INLINE const void *faa_array_read_span(void *endpoint, size_t max, size_t *n)
{
	struct consumer *consumer = (struct consumer *)endpoint;
	const unsigned char *slot = consumer->segment->cells + consumer->read * consumer->stride;

	if (queue_unlikely(consumer->held_count)) {
		slot = consumer->held;
		*n = max < consumer->held_count ? max : consumer->held_count;
		consumer->held += *n * consumer->stride;
		consumer->held_count -= *n;
		return slot;
	}
	*n = consumer->noted - consumer->read;
	if (max < *n)
		*n = max;
	consumer->read += *n;
	return slot;
}

QUEUE_TABLE(faa_array) = {
	.contract = QUEUE_CONTRACT,
	.name = "faa-array",
	.summary = "unbounded, lock-free, segments of cells given to writers by fetch-and-add, a batch at once",
	.source = "FAAArrayQueue, P. Ramalhete and A. Correia, 2016; LCRQ, A. Morrison and Y. Afek, 2013; batched",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_LOCK_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	.footprint = faa_array_footprint,
	.create = faa_array_create,
	.destroy = faa_array_destroy,
	.producer = faa_array_producer,
	.consumer = faa_array_consumer,
	.prewrite_span = faa_array_prewrite_span,
	.flush = faa_array_flush,
	.preread = faa_array_preread,
	.read_span = faa_array_read_span,
};
