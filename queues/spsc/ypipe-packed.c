/* ypipe-packed: the pipe as libzmq lays it out, as a baseline for what ypipe changes.
 *
 * Source: yqueue and ypipe of libzmq 4.3 (Martin Sustrik, 2009), from their description: chunks of 256 messages, one spare
 * chunk, four positions (w, f, r, c), of which c alone is shared.
 * Promise: as ypipe.
 *
 * How it works. c holds the position up to which the writer has published, or NULL while the reader sleeps. Each preread that finds
 * nothing noted compares c with the front and puts NULL there if they are equal: the reader then counts as asleep, whatever the caller
 * goes on to do. flush moves c from the last flushed position to the new one by compare-and-swap; where that fails the reader sleeps,
 * and c is set plainly. All fields lie side by side, those of both threads on the same lines, and messages are pushed and popped one by
 * one, which moves the writer's positions (three words and f) and the reader's for each: that, and the compare-and-swap of each preread, is
 * what is being measured here. Do not mend it.
 *
 * Differs from libzmq's: a message is written and read in its slot, where that copies it in and out; so the chunk that was read to its end
 * is given back by the next preread and not at once.
 *
 * Limits: as ypipe; with queues that grow and shrink by more than a chunk, chunks are allocated and released all the time.
 */
#include "queue.h"

enum { CHUNK_MESSAGES = 256, CHUNK_BYTES = 1 << 20 };

struct chunk {
	struct chunk *next;
	unsigned char messages[] QUEUE_ALIGNED;
};

/* In libzmq's order; ints there, at the same places. */
struct ypipe_packed {
	struct queue_memory *memory QUEUE_ALIGNED; /* where that has its table of functions */
	/* yqueue: begin is the reader's; back, the slot to be written next, and end, the one behind it, are the writer's */
	struct chunk *begin_chunk;
	size_t begin_slot;
	struct chunk *back_chunk;
	size_t back_slot;
	struct chunk *end_chunk;
	size_t end_slot;
	struct chunk *spare; /* shared */
	/* ypipe: w and f are the writer's, r is the reader's, c is shared */
	const unsigned char *w; /* first message not flushed */
	const unsigned char *r; /* first message not noted */
	const unsigned char *f; /* first slot not staged */
	const unsigned char *c;
	/* what it has and libzmq's has not, out of the others' way */
	struct chunk *held QUEUE_ALIGNED;            /* reader: the oldest chunk not yet given back */
	size_t stride QUEUE_ALIGNED, chunk_messages; /* constant; known to the compiler there */
};

static size_t packed_chunk_messages(size_t message_bytes)
{
	size_t fit = CHUNK_BYTES / queue_stride(message_bytes);

	return fit > CHUNK_MESSAGES ? CHUNK_MESSAGES : fit;
}

static size_t packed_chunk_bytes(const struct ypipe_packed *pipe)
{
	return sizeof(struct chunk) + pipe->chunk_messages * pipe->stride;
}

static int packed_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t messages = packed_chunk_messages(config->message_bytes);
	/* one begun at each end, one spare, one that the reader may still hold, one made ahead */
	size_t chunks = outstanding / messages + 5;

	return queue_size(chunks, sizeof(struct chunk) + messages * queue_stride(config->message_bytes),
			  sizeof(struct ypipe_packed), bytes);
}

static void packed_destroy(void *instance)
{
	struct ypipe_packed *pipe = instance;
	struct queue_memory *memory = pipe->memory;

	while (pipe->held) {
		struct chunk *next = pipe->held->next;

		memory->release(memory, pipe->held, packed_chunk_bytes(pipe));
		pipe->held = next;
	}
	if (pipe->spare)
		memory->release(memory, pipe->spare, packed_chunk_bytes(pipe));
	memory->release(memory, pipe, sizeof(*pipe));
}

QUEUE_INLINE unsigned char *packed_slot(const struct ypipe_packed *pipe, struct chunk *chunk, size_t slot)
{
	return chunk->messages + slot * pipe->stride;
}

/* The chunk behind the writer's last: the spare one, else a new one. */
static QUEUE_COLD struct chunk *packed_grow(struct ypipe_packed *pipe)
{
	/* S1 acquire: pairs with S0 in packed_recycle(): the reader is done with the chunk. */
	struct chunk *chunk = exchange_acquire(&pipe->spare, NULL);

	if (!chunk)
		chunk = pipe->memory->allocate(pipe->memory, packed_chunk_bytes(pipe), QUEUE_LINE_PAIR);
	if (chunk)
		chunk->next = NULL;
	return chunk;
}

/* yqueue's push: the slot to be written next is behind the last one. False: no memory, and nothing is changed. */
QUEUE_INLINE bool packed_push(struct ypipe_packed *pipe)
{
	struct chunk *chunk = NULL;

	if (queue_unlikely(pipe->end_slot + 1 == pipe->chunk_messages)) {
		chunk = packed_grow(pipe);
		if (!chunk)
			return false;
	}
	pipe->back_chunk = pipe->end_chunk;
	pipe->back_slot = pipe->end_slot;
	pipe->end_slot++;
	if (queue_unlikely(chunk)) {
		pipe->end_chunk->next = chunk; /* P0 in packed_flush() makes it visible, with a message behind it */
		pipe->end_chunk = chunk;
		pipe->end_slot = 0;
	}
	return true;
}

static int packed_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct ypipe_packed *pipe = memory->allocate(memory, sizeof(*pipe), QUEUE_LINE_PAIR);

	if (!pipe)
		return -12; /* −ENOMEM */
	*pipe = (struct ypipe_packed){.stride = queue_stride(config->message_bytes),
				      .chunk_messages = packed_chunk_messages(config->message_bytes), .memory = memory};
	pipe->begin_chunk = pipe->end_chunk = pipe->held = packed_grow(pipe);
	if (!pipe->held || !packed_push(pipe)) {
		packed_destroy(pipe);
		return -12;
	}
	pipe->w = pipe->r = pipe->f = pipe->c = packed_slot(pipe, pipe->back_chunk, pipe->back_slot);
	*instance = pipe;
	return 0;
}

static void *packed_endpoint(void *instance, unsigned index)
{
	(void)index;
	return instance;
}

/* Gives back all chunks before the one being read: one becomes the spare, the one that it displaces is released. */
static QUEUE_COLD void packed_recycle(struct ypipe_packed *pipe)
{
	while (pipe->held != pipe->begin_chunk) {
		struct chunk *done = pipe->held;

		pipe->held = done->next;
		/* S0 release: pairs with S1 in packed_grow(); acquire: for a spare that this side put there itself. */
		done = exchange_acq_rel(&pipe->spare, done);
		if (done)
			pipe->memory->release(pipe->memory, done, packed_chunk_bytes(pipe));
	}
}

/* ypipe's write, but for the copy: one message, whatever is asked for. */
QUEUE_INLINE void *packed_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct ypipe_packed *pipe = producer;
	unsigned char *slot = packed_slot(pipe, pipe->back_chunk, pipe->back_slot);

	*n = max && packed_push(pipe);
	if (!*n)
		return NULL;
	pipe->f = packed_slot(pipe, pipe->back_chunk, pipe->back_slot);
	return slot;
}

QUEUE_INLINE enum queue_flush packed_flush(void *producer)
{
	struct ypipe_packed *pipe = producer;
	const unsigned char *expected = pipe->w;

	if (pipe->w == pipe->f)
		return QUEUE_FLUSHED;
	/* P0 release: pairs with P1 in packed_preread(): makes the slots' contents and the chunks' links visible. */
	if (compare_exchange_acq_rel(&pipe->c, &expected, pipe->f)) {
		pipe->w = pipe->f;
		return QUEUE_FLUSHED;
	}
	/* P0 release, the reader sleeps: nobody else writes c until it is woken. */
	store_release(&pipe->c, pipe->f);
	pipe->w = pipe->f;
	return QUEUE_FLUSHED_READER_SLEEPS;
}

QUEUE_INLINE bool packed_preread(void *consumer)
{
	struct ypipe_packed *pipe = consumer;
	const unsigned char *front = packed_slot(pipe, pipe->begin_chunk, pipe->begin_slot), *expected = front;

	if (queue_unlikely(pipe->held != pipe->begin_chunk))
		packed_recycle(pipe);
	if (pipe->r && pipe->r != front)
		return true;
	/* P1 acquire: pairs with P0 in packed_flush(). Where nothing was flushed, c becomes NULL: the reader counts as asleep. */
	pipe->r = compare_exchange_acq_rel(&pipe->c, &expected, NULL) ? NULL : expected;
	return pipe->r != NULL;
}

/* ypipe's read and yqueue's pop, but for the copy: one message. */
QUEUE_INLINE const void *packed_read_span(void *consumer, size_t max, size_t *n)
{
	struct ypipe_packed *pipe = consumer;
	const unsigned char *front = packed_slot(pipe, pipe->begin_chunk, pipe->begin_slot);

	*n = max && pipe->r && pipe->r != front;
	if (!*n)
		return NULL;
	if (queue_unlikely(++pipe->begin_slot == pipe->chunk_messages)) {
		pipe->begin_chunk = pipe->begin_chunk->next;
		pipe->begin_slot = 0;
	}
	return front;
}

static inline bool packed_sleep(void *consumer)
{
	return !packed_preread(consumer);
}

QUEUE_TABLE(ypipe_packed) = {
	.contract = QUEUE_CONTRACT,
	.name = "ypipe-packed",
	.summary = "libzmq's pipe as it is laid out there: unpadded, a compare-and-swap per preread",
	.source = "yqueue and ypipe of libzmq 4.3, M. Sustrik, 2009",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true, .reports_sleeper = true,
	},
	.footprint = packed_footprint,
	.create = packed_create,
	.destroy = packed_destroy,
	.producer = packed_endpoint,
	.consumer = packed_endpoint,
	.prewrite_span = packed_prewrite_span,
	.flush = packed_flush,
	.preread = packed_preread,
	.read_span = packed_read_span,
	.sleep = packed_sleep,
};
