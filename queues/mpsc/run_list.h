/* An unbounded list of runs, for many producers and one consumer: what mpsc-list and mpsc-splice share. They differ in preread alone.
 *
 * A run is a header and the messages behind it, contiguous, in the order of one producer; a flush publishes a run, or a chain of them
 * where the messages lay in more than one chunk. Publishing: one exchange of `newest`, which gives the run that was the last so far; then
 * that one's `next` is set. In between the list is cut: what comes behind can't be reached until the link is set.
 *
 * Memory: each producer has chunks of its own and fills one after the other with runs, each at the beginning of a line, for its link is
 * written by another producer. Its first run in a chunk tells the consumer that the producer's chunk before is read to its end: that goes
 * back to its owner at the next preread, on a list that only the consumer pushes to and the owner takes whole, so that there is no ABA.
 * A steady flow allocates nothing.
 *
 * Who may call what beside whom: each run_writer belongs to a producer, the run_reader to the consumer. */
#ifndef QUEUES_MPSC_RUN_LIST_H
#define QUEUES_MPSC_RUN_LIST_H

#include "queue.h"

enum {
	RUN_LINE = 64,             /* bytes: runs begin at multiples of it */
	RUN_CHUNK_RUNS = 256,      /* runs of one message each that a chunk holds, */
	RUN_CHUNK_BYTES = 1 << 20, /* unless it would get longer than that */
	RUN_FIRST = 1,             /* in run.messages: the first run in its chunk */
	RUN_MESSAGE = 2,           /* what one message adds to run.messages */
};

struct run {
	struct run *next;  /* whoever appends a run behind it; NULL before */
	uint64_t messages; /* its owner's, until it is published */
};

struct run_chunk {
	struct run_chunk *finished;  /* its owner's chunk before, when this one was begun; read by the consumer */
	struct run_chunk *next;      /* on its way back: the list's */
	struct run_chunk *allocated; /* its owner's chunk allocated before */
	struct run_writer *owner;    /* constant */
	unsigned char runs[] QUEUE_ALIGNED;
};

_Static_assert(sizeof(struct run) == 16, "a run's header and a message of up to 48 bytes share a line");

struct run_list;

struct run_writer {
	struct run *first, *last;    /* the chain staged; last is NULL: none */
	unsigned char *slot, *end;   /* the next free one, and the end of the chunk; between flushes slot is at a line's beginning */
	size_t stride, lead;         /* lead: bytes from a run to its first message */
	size_t unit;                 /* bytes of a run of one message */
	size_t most;                 /* messages that fit a chunk; no run has more */
	struct run_chunk *chunk;
	struct run_chunk *spares;    /* taken off `returned`, not yet used */
	struct run_chunk *allocated; /* all chunks that this producer ever allocated */
	struct run_list *list;
	struct run_chunk *returned QUEUE_ALIGNED; /* both: chunks on their way back; pushed by the consumer, taken whole by the producer */
} QUEUE_ALIGNED;

struct run_reader {
	struct run *at;            /* the run being read; read to its end, it stays until there is one behind it */
	const unsigned char *slot; /* the next message in it */
	size_t left;               /* messages of it not yet handed out */
	struct run *noted;         /* the last run that preread took note of */
	size_t stride, lead;
	struct run_chunk *done;    /* read to their end since the last preread */
	struct run_list *list;
};

struct run_list {
	struct run_reader reader QUEUE_ALIGNED;
	struct run spliced;               /* the consumer's, of mpsc-splice: what it reads begins behind this */
	struct run *newest QUEUE_ALIGNED; /* all producers': the last run appended; in mpsc-splice the consumer takes it away */
	struct run sentinel QUEUE_ALIGNED; /* as any run: the end of an empty list */
	struct run_writer *writers QUEUE_ALIGNED; /* constant from here on */
	unsigned producers;
	size_t chunk_bytes;
	struct queue_memory *memory;
};

_Static_assert(offsetof(struct run_list, newest) - offsetof(struct run_list, reader) >= QUEUE_LINE_PAIR &&
	       offsetof(struct run_list, sentinel) - offsetof(struct run_list, newest) == QUEUE_LINE_PAIR &&
	       offsetof(struct run_list, writers) - offsetof(struct run_list, sentinel) == QUEUE_LINE_PAIR,
	       "what the consumer has to itself, what all producers exchange and what is constant share no line pair");
_Static_assert(sizeof(struct run_writer) - offsetof(struct run_writer, returned) == QUEUE_LINE_PAIR,
	       "the consumer gives chunks back on a line pair that its owner seldom uses");

/* The offset of messages of a power of two of bytes keeps them within lines. */
static inline size_t run_lead(size_t stride)
{
	size_t even = stride & -stride;

	return even < sizeof(struct run) ? sizeof(struct run) : even < RUN_LINE ? even : (size_t)RUN_LINE;
}

static inline size_t run_unit(size_t stride)
{
	return (run_lead(stride) + stride + RUN_LINE - 1) & ~(size_t)(RUN_LINE - 1);
}

/* How many runs of one message a chunk holds. Of longer ones it holds no fewer messages. */
static inline size_t run_chunk_runs(size_t stride)
{
	size_t fit = RUN_CHUNK_BYTES / run_unit(stride);

	return fit > RUN_CHUNK_RUNS ? RUN_CHUNK_RUNS : fit ? fit : 1;
}

static inline int run_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t stride = queue_stride(config->message_bytes), runs = run_chunk_runs(stride);
	/* of each producer, as each may have had all messages that were in the queue at a time and keeps its chunks: one chunk begun at
	 * each end, and one that the consumer may still hold */
	size_t chunks = outstanding / runs + 3, each;

	if (queue_size(chunks, sizeof(struct run_chunk) + runs * run_unit(stride), sizeof(struct run_writer), &each))
		return -75; /* −EOVERFLOW */
	return queue_size(config->producers, each, sizeof(struct run_list), bytes);
}

/* The next chunk: from the producer's own spares, else all that the consumer gave back, else a new one. */
static QUEUE_COLD bool run_grow(struct run_writer *writer)
{
	struct run_list *list = writer->list;
	struct run_chunk *chunk = writer->spares;

	if (!chunk)
		/* S1 acquire: pairs with S0 in run_give_back(): the consumer is done with the chunks that are taken here. */
		chunk = exchange_acquire(&writer->returned, NULL);
	if (chunk) {
		writer->spares = chunk->next;
	} else {
		chunk = (struct run_chunk *)list->memory->allocate(list->memory, list->chunk_bytes, QUEUE_LINE_PAIR);
		if (!chunk)
			return false;
		chunk->owner = writer;
		chunk->allocated = writer->allocated;
		writer->allocated = chunk;
	}
	chunk->finished = writer->chunk;
	writer->chunk = chunk;
	writer->slot = chunk->runs;
	writer->end = (unsigned char *)chunk + list->chunk_bytes;
	return true;
}

/* Gives back all chunks read to their end. */
static QUEUE_COLD void run_give_back(struct run_reader *reader)
{
	while (reader->done) {
		struct run_chunk *chunk = reader->done;
		struct run_writer *owner = chunk->owner;
		/* relaxed: a stale value only makes the exchange below fail; nothing is read through it. */
		struct run_chunk *top = load_relaxed(&owner->returned);

		reader->done = chunk->next;
		do
			chunk->next = top;
		/* S0 release: pairs with S1 in run_grow(): what this side read of the chunk is read before it is written anew. */
		while (!compare_exchange_acq_rel(&owner->returned, &top, chunk));
	}
}

static void run_destroy(void *instance)
{
	struct run_list *list = (struct run_list *)instance;
	struct queue_memory *memory = list->memory;

	for (unsigned i = 0; i < list->producers; i++) {
		struct run_chunk *chunk = list->writers[i].allocated;

		while (chunk) {
			struct run_chunk *next = chunk->allocated;

			memory->release(memory, chunk, list->chunk_bytes);
			chunk = next;
		}
	}
	memory->release(memory, list->writers, list->producers * sizeof(struct run_writer));
	memory->release(memory, list, sizeof(*list));
}

static inline int run_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), lead = run_lead(stride), unit = run_unit(stride);
	size_t area = run_chunk_runs(stride) * unit, writers_bytes;
	struct run_list *list;

	if (queue_size(config->producers, sizeof(struct run_writer), 0, &writers_bytes))
		return -75; /* −EOVERFLOW */
	list = (struct run_list *)memory->allocate(memory, sizeof(*list), QUEUE_LINE_PAIR);
	if (!list)
		return -12; /* −ENOMEM */
	*list = (struct run_list){
		.reader = {.at = &list->sentinel, .noted = &list->sentinel, .stride = stride, .lead = lead, .list = list},
		.newest = &list->sentinel,
		.producers = config->producers,
		.chunk_bytes = sizeof(struct run_chunk) + area,
		.memory = memory,
	};
	list->writers = (struct run_writer *)memory->allocate(memory, writers_bytes, QUEUE_LINE_PAIR);
	if (!list->writers) {
		memory->release(memory, list, sizeof(*list));
		return -12;
	}
	for (unsigned i = 0; i < config->producers; i++)
		list->writers[i] = (struct run_writer){.stride = stride, .lead = lead, .unit = unit, .most = (area - lead) / stride,
						       .list = list};
	*instance = list;
	return 0;
}

static void *run_producer(void *instance, unsigned index)
{
	return &((struct run_list *)instance)->writers[index];
}

static void *run_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct run_list *)instance)->reader;
}

/* Begins a run and chains it to those staged. */
QUEUE_INLINE bool run_begin(struct run_writer *writer)
{
	struct run *run;

	if (queue_unlikely((size_t)(writer->end - writer->slot) < writer->unit) && !run_grow(writer))
		return false;
	run = (struct run *)(void *)writer->slot;
	run->next = NULL; /* E0 in run_flush() makes it visible to the producer that appends behind it */
	run->messages = writer->slot == writer->chunk->runs ? RUN_FIRST : 0;
	if (queue_unlikely(writer->last != NULL))
		writer->last->next = run; /* both are the writer's own so far */
	else
		writer->first = run;
	writer->last = run;
	writer->slot += writer->lead;
	return true;
}

QUEUE_INLINE void *run_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct run_writer *writer = (struct run_writer *)producer;
	unsigned char *slot;
	size_t left;

	if ((!writer->last || queue_unlikely((size_t)(writer->end - writer->slot) < writer->stride)) &&
	    queue_unlikely(!run_begin(writer))) {
		*n = 0;
		return NULL;
	}
	slot = writer->slot;
	left = (size_t)(writer->end - slot);
	*n = max;
	if (queue_unlikely(max > writer->most || max * writer->stride > left))
		*n = left / writer->stride;
	writer->slot += *n * writer->stride;
	writer->last->messages += *n * RUN_MESSAGE;
	return slot;
}

QUEUE_INLINE enum queue_flush run_flush(void *producer)
{
	struct run_writer *writer = (struct run_writer *)producer;
	struct run *before;

	if (!writer->last)
		return QUEUE_FLUSHED;
	/* E0 release, E1 acquire: pairs with itself in other producers (and with the consumer's in splice_preread()): that run's `next` was
	 * cleared before it is set here. */
	before = exchange_acq_rel(&writer->list->newest, writer->last);
	/* L0 release: pairs with L1 in run_next() and in preread: makes the chain and its messages visible. */
	store_release(&before->next, writer->first);
	writer->last = NULL;
	/* chunks begin at a line and are whole lines long */
	writer->slot += -(uintptr_t)writer->slot % RUN_LINE;
	return QUEUE_FLUSHED;
}

/* preread's first part: what was read before goes back. */
QUEUE_INLINE void run_release(struct run_reader *reader)
{
	if (queue_unlikely(reader->done != NULL))
		run_give_back(reader);
}

/* Whether there is something in the list behind what was handed out. */
QUEUE_INLINE bool run_is_there(const struct run_reader *reader)
{
	/* L1 acquire: pairs with L0 in run_flush(). */
	return reader->left || load_acquire(&reader->at->next);
}

/* Goes on to the next run, if that was noted and its link is set. */
QUEUE_INLINE bool run_next(struct run_reader *reader)
{
	struct run *run;

	if (reader->at == reader->noted)
		return false;
	/* L1 acquire: pairs with L0 in run_flush(). */
	run = load_acquire(&reader->at->next);
	if (queue_unlikely(!run))
		return false;
	reader->at = run;
	reader->slot = (unsigned char *)run + reader->lead;
	reader->left = (size_t)(run->messages / RUN_MESSAGE);
	if (queue_unlikely(run->messages & RUN_FIRST)) {
		struct run_chunk *chunk = (struct run_chunk *)(void *)((unsigned char *)run - offsetof(struct run_chunk, runs));

		if (chunk->finished) {
			chunk->finished->next = reader->done;
			reader->done = chunk->finished;
		}
	}
	return true;
}

QUEUE_INLINE const void *run_read_span(void *consumer, size_t max, size_t *n)
{
	struct run_reader *reader = (struct run_reader *)consumer;
	const unsigned char *slot;

	if (!reader->left && !run_next(reader)) {
		*n = 0;
		return NULL;
	}
	slot = reader->slot;
	*n = max < reader->left ? max : reader->left;
	reader->left -= *n;
	reader->slot += *n * reader->stride;
	return slot;
}

#endif
