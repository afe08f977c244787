/* faa-array: an unbounded queue for any number of writers and readers, segments of cells given out by fetch-and-add.
 *
 * Source: P. Ramalhete and A. Correia's FAAArrayQueue, 2016, after LCRQ, A. Morrison and Y. Afek, 2013; hazard pointers: M. Michael,
 * 2004. Here a batch takes its cells at once, and messages lie in the cells.
 * Promise: lock-free; total order. (A flush that loses cell after cell to readers goes on as long as their prereads come back
 * empty-handed: a preread spoils no more cells than had been given out when it began, and those of segments that were full by then.)
 *
 * How it works. A linked list of segments, each an array of cells with two counters. A flush takes cells for its batch by one
 * fetch-and-add of `enqueued`, copies each message into its cell, and last sets the message's first word, which is never 0, by
 * compare-exchange: that word is the cell's state. A preread takes the cells in a row that hold messages by one compare-exchange of
 * `dequeued` (a fetch-and-add would take cells whose messages are still to come, and others would overtake them) and reads them in
 * place. Where the next cell is empty, it takes that one alone; if it stays empty for a while, it spoils it: it puts a word there
 * itself. A writer that finds its cell spoilt abandons the rest of its cells, lest its order be lost, and takes new ones; readers spoil the
 * abandoned ones in turn. When all cells of a segment were given out, writers append another, readers go on to it, and the segment is
 * retired.
 *
 * Reclamation: segments.h. A reader that goes on from a segment that it read to its end retires it.
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
#include "segments.h"
#include "stage.h"

enum {
	PATIENCE = 100, /* looks at empty cells before the next one is spoilt, per preread */
	SPOILT = 1,     /* in a cell whose message is late: any word but 0, for only the reader whose cell it is will ever look */
};

static const uint64_t NOT_LOOKED = UINT64_MAX;

struct faa_array {
	struct segment *head QUEUE_ALIGNED; /* the first segment that has not been read to its end; consumers' */
	struct segment *tail QUEUE_ALIGNED; /* the last one, or the one before it; producers', helped on by consumers */
	struct segment_pool pool; /* its hazard pointers: the producers' first */
	/* constant */
	struct producer *producers QUEUE_ALIGNED;
	struct consumer *consumers;
	unsigned producer_count, consumer_count;
	struct queue_memory *memory;
};

_Static_assert(offsetof(struct faa_array, tail) - offsetof(struct faa_array, head) == QUEUE_LINE_PAIR &&
	       offsetof(struct faa_array, pool) - offsetof(struct faa_array, tail) == QUEUE_LINE_PAIR,
	       "head, tail and the stack of free segments have other writers each");

/* All of it is its thread's own. */
struct producer {
	struct stage stage;
	struct segment *segment; /* in use: under the hazard pointer */
	struct segment *reserve; /* a list */
	size_t reserved;         /* cells in it */
	/* constant */
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

/* Sees to it that there are reserved cells for so many messages. False: no memory. */
static QUEUE_COLD bool faa_array_reserve(struct producer *producer, size_t messages)
{
	struct segment_pool *pool = &producer->queue->pool;

	while (producer->reserved < messages) {
		struct segment *segment = segment_take_free(pool, producer->hazard);

		if (!segment)
			segment = segment_allocate(pool);
		if (!segment)
			return false;
		segment_clear(segment, producer->cells, producer->stride);
		segment_keep(&producer->reserve, segment);
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
		/* A0 release within it: pairs with A1 in segment_protect() and in faa_array_advance(): the segment's contents. */
		if (compare_exchange_seq_cst(&full->next, &next, mine)) {
			producer->reserve = load_relaxed(&mine->link);
			producer->reserved -= producer->cells;
		}
	}
	next = load_seq_cst(&full->next);
	if (next)
		compare_exchange_seq_cst(&queue->tail, &tail, next);
	producer->segment = segment_protect(&producer->hazard->in_use, &queue->tail);
	return true;
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
	if (compare_exchange_seq_cst(&queue->head, &head, next))
		segment_keep(&consumer->retired, done);
	consumer->segment = segment_protect(&consumer->hazard->in_use, &queue->head);
	consumer->read = consumer->noted = consumer->taken = 0;
	segment_reclaim(&queue->pool, &consumer->retired);
	return true;
}

/* What was read of the segment before is released. */
static QUEUE_COLD void faa_array_let_go(struct consumer *consumer)
{
	segment_let_go(&consumer->hazard->second);
	consumer->holds = false;
	segment_reclaim(&consumer->queue->pool, &consumer->retired);
}

/* ---- the queue ---- */

static int faa_array_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t cells = segment_cells(config->message_bytes), stride = queue_stride(config->message_bytes);
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
	return queue_size(segments, segment_bytes(cells, stride), own, bytes);
}

static void faa_array_release(struct queue_memory *memory, void *block, size_t bytes)
{
	if (block)
		memory->release(memory, block, bytes);
}

static void faa_array_destroy(void *instance)
{
	struct faa_array *queue = (struct faa_array *)instance;
	struct queue_memory *memory = queue->memory;
	size_t endpoints = (size_t)queue->producer_count + queue->consumer_count;

	segment_release_list(&queue->pool, queue->head, true);
	segment_release_list(&queue->pool, queue->pool.free, false);
	for (unsigned i = 0; queue->producers && i < queue->producer_count; i++) {
		segment_release_list(&queue->pool, queue->producers[i].reserve, false);
		stage_close(&queue->producers[i].stage, memory);
	}
	for (unsigned i = 0; queue->consumers && i < queue->consumer_count; i++)
		segment_release_list(&queue->pool, queue->consumers[i].retired, false);
	faa_array_release(memory, queue->producers, queue->producer_count * sizeof(struct producer));
	faa_array_release(memory, queue->consumers, queue->consumer_count * sizeof(struct consumer));
	faa_array_release(memory, queue->pool.hazards, endpoints * sizeof(struct hazard));
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
	queue->pool.hazards = (struct hazard *)memory->allocate(memory, endpoints * sizeof(struct hazard), QUEUE_LINE_PAIR);
	for (unsigned i = 0; queue->producers && i < config->producers; i++)
		queue->producers[i] = (struct producer){.cells = queue->pool.cells,
							.stride = queue->pool.stride, .hazard = queue->pool.hazards + i,
							.queue = queue};
	for (unsigned i = 0; queue->consumers && i < config->consumers; i++)
		queue->consumers[i] = (struct consumer){
			.room = config->batch, .share_shift = shift, .cells = queue->pool.cells, .stride = queue->pool.stride,
			.hazard = queue->pool.hazards + config->producers + i, .queue = queue};
	if (!queue->producers || !queue->consumers || !queue->pool.hazards)
		return false;
	for (unsigned i = 0; i < config->producers; i++)
		if (!stage_open(&queue->producers[i].stage, config, config->batch))
			return false;
	queue->head = segment_allocate(&queue->pool);
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
				    .pool = {.hazard_count = (size_t)config->producers + config->consumers,
					     .cells = segment_cells(config->message_bytes),
					     .stride = queue_stride(config->message_bytes), .memory = memory},
				    .memory = memory};
	if (!faa_array_allocate(queue, config)) {
		faa_array_destroy(queue);
		return -12;
	}
	queue->tail = queue->head;
	segment_clear(queue->head, queue->pool.cells, queue->pool.stride);
	for (unsigned i = 0; i < config->producers; i++)
		queue->producers[i].segment = queue->head;
	for (unsigned i = 0; i < config->consumers; i++)
		queue->consumers[i].segment = queue->head;
	for (unsigned i = 0; i < config->producers + config->consumers; i++)
		queue->pool.hazards[i] = (struct hazard){queue->head, NULL};
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
	struct stage *stage = &producer->stage;
	size_t left = stage->room - stage->first - stage->staged;

	if (max > left)
		max = left;
	if (queue_unlikely(producer->reserved < stage->staged + max) && !faa_array_reserve(producer, stage->staged + max))
		max = producer->reserved > stage->staged ? producer->reserved - stage->staged : 0;
	return stage_prewrite_span(stage, max, n);
}

/* Writes up to n staged messages into cells from `cell` on. Returns how many: fewer where a cell was spoilt. */
QUEUE_INLINE size_t faa_array_fill(struct producer *producer, size_t cell, size_t n)
{
	const unsigned char *from = stage_first(&producer->stage);
	size_t words = producer->stride / 8;

	for (size_t i = 0; i < n; i++) {
		const uint64_t *message = (const uint64_t *)(const void *)(from + i * producer->stride);
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
	struct stage *stage = &producer->stage;

	while (stage->staged) {
		/* relaxed: a cell's number; what is in it is ordered by M, what the segment is by A. */
		uint64_t cell = fetch_add_relaxed(&producer->segment->enqueued, stage->staged);
		size_t left = cell < producer->cells ? producer->cells - (size_t)cell : 0;
		size_t n = stage->staged < left ? stage->staged : left;
		size_t written = faa_array_fill(producer, (size_t)cell, n);

		stage_shift(stage, written);
		if (queue_unlikely(stage->staged && written == left) && !faa_array_append(producer))
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
 * none in this segment; *exhausted: nor will there be. *given: the cells that were given out at the first call for a segment, before
 * which it is NOT_LOOKED; what was flushed before lies in those, and later ones do not keep the caller. */
QUEUE_INLINE bool faa_array_take(struct consumer *consumer, bool patient, uint64_t *given, bool *exhausted)
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
		if (*given == NOT_LOOKED)
			*given = enqueued;
		if (dequeued >= enqueued || dequeued >= *given)
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
	uint64_t given = NOT_LOOKED;
	bool exhausted;

	/* before the first hazard pointer leaves it; segment_is_hazarded() looks at them in this order. */
	store_seq_cst(&consumer->hazard->second, segment);
	if (!faa_array_advance(consumer)) {
		segment_let_go(&consumer->hazard->second);
		return;
	}
	consumer->holds = true;
	consumer->held = (const unsigned char *)segment_cell(segment, read, consumer->stride);
	consumer->held_count = count;
	if (faa_array_take(consumer, false, &given, &exhausted))
		/* M1 acquire: as in faa_array_look(). */
		while (consumer->noted < consumer->taken &&
		       load_acquire(segment_cell(consumer->segment, consumer->noted, consumer->stride)))
			consumer->noted++;
}

QUEUE_INLINE bool faa_array_preread(void *endpoint)
{
	struct consumer *consumer = (struct consumer *)endpoint;
	unsigned patience = PATIENCE;
	uint64_t given = NOT_LOOKED;
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
		if (queue_likely(faa_array_take(consumer, true, &given, &exhausted)))
			continue;
		if (!exhausted || !faa_array_advance(consumer))
			return false;
		given = NOT_LOOKED;
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
