/* mcringbuffer: a bounded queue for one writer and one reader, in place; the reader tells seldom how far it is.
 *
 * Source: P. P. C. Lee, T. Bu, G. Chandranmenon, "A lock-free, cache-efficient multi-core synchronization mechanism for line-rate
 * network traffic monitoring", 2010 (MCRingBuffer).
 * Promise: no operation ever waits; order is kept; a batch becomes visible whole; never more than `capacity` messages in it. Room
 * comes back in lots (capacity_approximate): the writer may find none though some was read.
 *
 * How it works. Each side works on private copies of both counters and looks at the other's shared one only when its copy says that
 * nothing is to be had (the reader, as there, also goes on with what it noted before). A shared counter is updated once in so many
 * messages: by the writer with each flush, as this contract wants it; by the reader when it has read `release_batch` messages since,
 * or when it finds nothing: no writer waits for room that an empty queue has. Layout as in the paper: both shared counters on one
 * line, then the reader's own, then the writer's, then what is constant.
 *
 * Limits: the memory of all slots is taken at the start. release_batch: 64, at most half of the capacity, so that the two sides never
 * stand still in turn; 1 below a capacity of 4. What is kept back is missing from the capacity meanwhile.
 */
#include "queue.h"

enum { MCRING_BATCH = 64 };

struct mcring_reader {
	uint64_t read;      /* messages handed out so far */
	uint64_t released;  /* what `head` says */
	uint64_t tail_seen; /* a past value of tail */
	size_t slot;        /* index of the next one to read */
	struct mcring *ring;
};

struct mcring_writer {
	uint64_t staged;    /* messages staged and flushed so far */
	uint64_t flushed;   /* what `tail` says */
	uint64_t head_seen; /* a past value of head */
	size_t slot;        /* index of the next free one */
	struct mcring *ring;
};

struct mcring {
	struct {
		uint64_t head; /* reader's */
		uint64_t tail; /* writer's */
	} shared QUEUE_ALIGNED;
	struct mcring_reader reader QUEUE_ALIGNED;
	struct mcring_writer writer QUEUE_ALIGNED;
	struct { /* constant */
		size_t capacity, stride, release_batch;
		unsigned char *slots;
		struct queue_memory *memory;
	} constant QUEUE_ALIGNED;
};

_Static_assert(sizeof(struct mcring) == 4 * QUEUE_LINE_PAIR, "four line pairs: shared, reader's, writer's, constant");

static int mcring_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, queue_stride(config->message_bytes), sizeof(struct mcring), bytes);
}

static void mcring_destroy(void *instance)
{
	struct mcring *ring = (struct mcring *)instance;
	struct queue_memory *memory = ring->constant.memory;

	memory->release(memory, ring->constant.slots, ring->constant.capacity * ring->constant.stride);
	memory->release(memory, ring, sizeof(*ring));
}

static size_t mcring_release_batch(size_t capacity)
{
	size_t half = capacity / 2;

	if (!half)
		return 1;
	return half < MCRING_BATCH ? half : MCRING_BATCH;
}

static int mcring_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), bytes;
	uint64_t start = config->counter_start;
	unsigned char *slots;
	struct mcring *ring;

	if (queue_size(config->capacity, stride, 0, &bytes))
		return -75; /* −EOVERFLOW */
	ring = (struct mcring *)memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	slots = ring ? (unsigned char *)memory->allocate(memory, bytes, QUEUE_LINE_PAIR) : NULL;
	if (!slots) {
		if (ring)
			memory->release(memory, ring, sizeof(*ring));
		return -12; /* −ENOMEM */
	}
	*ring = (struct mcring){
		.shared = {.head = start, .tail = start},
		.reader = {.read = start, .released = start, .tail_seen = start, .ring = ring},
		.writer = {.staged = start, .flushed = start, .head_seen = start, .ring = ring},
		.constant = {.capacity = config->capacity, .stride = stride,
			     .release_batch = mcring_release_batch(config->capacity), .slots = slots, .memory = memory},
	};
	*instance = ring;
	return 0;
}

static void *mcring_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct mcring *)instance)->writer;
}

static void *mcring_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct mcring *)instance)->reader;
}

QUEUE_INLINE void *mcring_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct mcring_writer *writer = (struct mcring_writer *)producer;
	struct mcring *ring = writer->ring;
	size_t free = ring->constant.capacity - (size_t)(writer->staged - writer->head_seen);
	unsigned char *slot;

	if (!free) {
		/* H1 acquire: pairs with H0 in mcring_release(): the reader is done with the slots that are written anew. */
		writer->head_seen = load_acquire(&ring->shared.head);
		free = ring->constant.capacity - (size_t)(writer->staged - writer->head_seen);
	}
	*n = ring->constant.capacity - writer->slot;
	if (free < *n)
		*n = free;
	if (max < *n)
		*n = max;
	slot = ring->constant.slots + writer->slot * ring->constant.stride;
	writer->staged += *n;
	writer->slot += *n;
	if (writer->slot == ring->constant.capacity)
		writer->slot = 0;
	return slot;
}

QUEUE_INLINE enum queue_flush mcring_flush(void *producer)
{
	struct mcring_writer *writer = (struct mcring_writer *)producer;

	if (writer->staged != writer->flushed) {
		writer->flushed = writer->staged;
		/* T0 release: pairs with T1 in mcring_preread(): makes the slots' contents visible. */
		store_release(&writer->ring->shared.tail, writer->staged);
	}
	return QUEUE_FLUSHED;
}

QUEUE_INLINE void mcring_release(struct mcring_reader *reader)
{
	reader->released = reader->read;
	/* H0 release: pairs with H1 in mcring_prewrite_span(): what was read of the slots is read before they are written anew. */
	store_release(&reader->ring->shared.head, reader->read);
}

QUEUE_INLINE bool mcring_preread(void *consumer)
{
	struct mcring_reader *reader = (struct mcring_reader *)consumer;

	if (reader->read - reader->released >= reader->ring->constant.release_batch)
		mcring_release(reader);
	if (reader->tail_seen != reader->read)
		return true;
	/* T1 acquire: pairs with T0 in mcring_flush(). */
	reader->tail_seen = load_acquire(&reader->ring->shared.tail);
	if (reader->tail_seen != reader->read)
		return true;
	if (reader->read != reader->released)
		mcring_release(reader);
	return false;
}

QUEUE_INLINE const void *mcring_read_span(void *consumer, size_t max, size_t *n)
{
	struct mcring_reader *reader = (struct mcring_reader *)consumer;
	const struct mcring *ring = reader->ring;
	size_t ready = (size_t)(reader->tail_seen - reader->read);
	const unsigned char *slot;

	*n = ring->constant.capacity - reader->slot;
	if (ready < *n)
		*n = ready;
	if (max < *n)
		*n = max;
	slot = ring->constant.slots + reader->slot * ring->constant.stride;
	reader->read += *n;
	reader->slot += *n;
	if (reader->slot == ring->constant.capacity)
		reader->slot = 0;
	return slot;
}

QUEUE_TABLE(mcringbuffer) = {
	.contract = QUEUE_CONTRACT,
	.name = "mcringbuffer",
	.summary = "bounded ring, in place, copies of both indices, room given back in lots",
	.source = "P. P. C. Lee, T. Bu, G. Chandranmenon, 2010",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1, .capacity_approximate = true,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true,
	},
	.footprint = mcring_footprint,
	.create = mcring_create,
	.destroy = mcring_destroy,
	.producer = mcring_producer,
	.consumer = mcring_consumer,
	.prewrite_span = mcring_prewrite_span,
	.flush = mcring_flush,
	.preread = mcring_preread,
	.read_span = mcring_read_span,
};
