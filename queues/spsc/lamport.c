/* lamport: a bounded queue for one writer and one reader, in place; each look at the other side is a look at its counter.
 *
 * Source: L. Lamport, "Proving the correctness of multiprocess programs", 1977; "Specifying concurrent program modules", 1983.
 * Promise: as ring: no operation ever waits; order is kept; a batch becomes visible whole; never more than `capacity` messages in it.
 *
 * How it works. `tail` counts what was flushed and only the writer writes it, `head` what was released and only the reader writes it;
 * they run freely, and their difference says how full it is. Neither side remembers what it saw of the other's: each prewrite reads
 * `head`, each preread reads `tail`. What the copies of `ring` save is the difference between the two.
 *
 * Limits: the memory of all slots is taken at the start. A counter's line travels for nearly each look at it while both sides work.
 */
#include "queue.h"

struct lamport;

struct lamport_writer {
	uint64_t staged; /* messages staged and flushed so far */
	uint64_t flushed;
	size_t slot;     /* index of the next free one */
	size_t capacity, stride;
	unsigned char *slots;
	struct lamport *queue;
};

struct lamport_reader {
	uint64_t read;  /* messages handed out so far */
	uint64_t released;
	uint64_t noted; /* messages that the last preread saw */
	size_t slot;    /* index of the next one to read */
	size_t capacity, stride;
	const unsigned char *slots;
	struct lamport *queue;
};

struct lamport {
	struct lamport_writer writer QUEUE_ALIGNED;
	struct lamport_reader reader QUEUE_ALIGNED;
	uint64_t tail QUEUE_ALIGNED; /* writer's */
	uint64_t head QUEUE_ALIGNED; /* reader's */
	struct queue_memory *memory QUEUE_ALIGNED;
	size_t slots_bytes;
};

_Static_assert(offsetof(struct lamport, head) - offsetof(struct lamport, tail) == QUEUE_LINE_PAIR,
	       "each shared counter has a line pair of its own, as in ring: that is not what is compared");

static int lamport_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, queue_stride(config->message_bytes), sizeof(struct lamport), bytes);
}

static void lamport_destroy(void *instance)
{
	struct lamport *queue = (struct lamport *)instance;
	struct queue_memory *memory = queue->memory;

	memory->release(memory, queue->writer.slots, queue->slots_bytes);
	memory->release(memory, queue, sizeof(*queue));
}

static int lamport_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), bytes;
	uint64_t start = config->counter_start;
	unsigned char *slots;
	struct lamport *queue;

	if (queue_size(config->capacity, stride, 0, &bytes))
		return -75; /* −EOVERFLOW */
	queue = (struct lamport *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	slots = queue ? (unsigned char *)memory->allocate(memory, bytes, QUEUE_LINE_PAIR) : NULL;
	if (!slots) {
		if (queue)
			memory->release(memory, queue, sizeof(*queue));
		return -12; /* −ENOMEM */
	}
	*queue = (struct lamport){
		.writer = {.staged = start, .flushed = start, .capacity = config->capacity, .stride = stride,
			   .slots = slots, .queue = queue},
		.reader = {.read = start, .released = start, .noted = start, .capacity = config->capacity,
			   .stride = stride, .slots = slots, .queue = queue},
		.tail = start,
		.head = start,
		.memory = memory,
		.slots_bytes = bytes,
	};
	*instance = queue;
	return 0;
}

static void *lamport_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct lamport *)instance)->writer;
}

static void *lamport_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct lamport *)instance)->reader;
}

QUEUE_INLINE void *lamport_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct lamport_writer *writer = (struct lamport_writer *)producer;
	/* H1 acquire: pairs with H0 in lamport_preread(): the reader is done with the slots that are written anew. */
	size_t free = writer->capacity - (size_t)(writer->staged - load_acquire(&writer->queue->head));
	unsigned char *slot;

	*n = writer->capacity - writer->slot;
	if (free < *n)
		*n = free;
	if (max < *n)
		*n = max;
	slot = writer->slots + writer->slot * writer->stride;
	writer->staged += *n;
	writer->slot += *n;
	if (writer->slot == writer->capacity)
		writer->slot = 0;
	return slot;
}

QUEUE_INLINE enum queue_flush lamport_flush(void *producer)
{
	struct lamport_writer *writer = (struct lamport_writer *)producer;

	if (writer->staged != writer->flushed) {
		writer->flushed = writer->staged;
		/* T0 release: pairs with T1 in lamport_preread(): makes the slots' contents visible. */
		store_release(&writer->queue->tail, writer->staged);
	}
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool lamport_preread(void *consumer)
{
	struct lamport_reader *reader = (struct lamport_reader *)consumer;

	if (reader->read != reader->released) {
		reader->released = reader->read;
		/* H0 release: pairs with H1 in lamport_prewrite_span(): what was read of the slots is read before they are written anew. */
		store_release(&reader->queue->head, reader->read);
	}
	/* T1 acquire: pairs with T0 in lamport_flush(). */
	reader->noted = load_acquire(&reader->queue->tail);
	return reader->noted != reader->read;
}

QUEUE_INLINE const void *lamport_read_span(void *consumer, size_t max, size_t *n)
{
	struct lamport_reader *reader = (struct lamport_reader *)consumer;
	size_t ready = (size_t)(reader->noted - reader->read);
	const unsigned char *slot;

	*n = reader->capacity - reader->slot;
	if (ready < *n)
		*n = ready;
	if (max < *n)
		*n = max;
	slot = reader->slots + reader->slot * reader->stride;
	reader->read += *n;
	reader->slot += *n;
	if (reader->slot == reader->capacity)
		reader->slot = 0;
	return slot;
}

QUEUE_TABLE(lamport) = {
	.contract = QUEUE_CONTRACT,
	.name = "lamport",
	.summary = "bounded ring, in place, two shared counters and no copies of them",
	.source = "L. Lamport, 1977; 1983",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true,
	},
	.footprint = lamport_footprint,
	.create = lamport_create,
	.destroy = lamport_destroy,
	.producer = lamport_producer,
	.consumer = lamport_consumer,
	.prewrite_span = lamport_prewrite_span,
	.flush = lamport_flush,
	.preread = lamport_preread,
	.read_span = lamport_read_span,
};
