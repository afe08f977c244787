/* lanes: a bounded ring for each pair of a producer and a consumer, in place.
 *
 * Source: the ring is L. Lamport's, 1977; one per pair, so that nothing is shared by more than two threads: folklore.
 * Promise: no operation ever waits; what one producer wrote for one consumer is read in its order; a batch becomes visible whole; never
 * more than `capacity` messages in all lanes together.
 *
 * How it works. The capacity is split evenly over the lanes. A producer stages a batch in one lane; flush publishes it and moves on to its
 * next lane. Where that has no room, the next one that has some is taken. A consumer's preread takes note of all of its lanes; reading goes
 * through them in turn and begins behind the one that was served last, so that no lane starves. There is no read-modify-write at all.
 *
 * Limits: a message is bound to its consumer when it is written: one that is slow keeps what is in its lanes. A producer may find its lanes
 * full while there is room in others'. A preread looks at as many lanes as there are producers. capacity ≥ producers × consumers.
 */
#include "queue.h"

struct lane_shared {
	uint64_t tail QUEUE_ALIGNED; /* producer's: messages flushed so far; runs freely */
	uint64_t head QUEUE_ALIGNED; /* consumer's: messages released so far */
};

_Static_assert(sizeof(struct lane_shared) == 2 * QUEUE_LINE_PAIR, "each shared counter has a line pair of its own");

/* A producer's view of one of its lanes. */
struct lane_writer {
	uint64_t staged;    /* messages staged and flushed so far */
	uint64_t flushed;
	uint64_t head_seen; /* a past value of head */
	size_t slot;        /* index of the next free one */
	size_t capacity;
	unsigned char *slots;
	struct lane_shared *shared;
};

struct lane_reader {
	uint64_t read;      /* messages handed out so far */
	uint64_t released;
	uint64_t tail_seen; /* what tail was at the last preread */
	size_t slot;        /* index of the next one to read */
	size_t capacity;
	const unsigned char *slots;
	struct lane_shared *shared;
};

struct lanes_producer {
	struct lane_writer *lanes; /* one per consumer */
	unsigned count, turn;      /* turn: the lane that a batch is staged in, or will be first tried for */
	size_t stride;
} QUEUE_ALIGNED;

struct lanes_consumer {
	struct lane_reader *lanes; /* one per producer */
	unsigned count, turn;      /* turn: the lane being read */
	unsigned unread;           /* lanes from turn on in which something noted may be left */
	bool served;               /* whether something was handed out of the lane being read */
	size_t stride;
} QUEUE_ALIGNED;

struct lanes {
	struct lanes_producer *producers;
	struct lanes_consumer *consumers;
	unsigned char *block; /* everything else */
	size_t block_bytes;
	struct queue_memory *memory;
};

/* Where what lies in the block: endpoints, shared counters, each endpoint's views, slots. Each part begins at a line pair. */
struct lanes_layout {
	size_t producers, consumers, shared, writers, readers, slots, bytes;
	size_t writers_stride, readers_stride; /* bytes from one endpoint's views to the next one's */
};

/* Appends count parts of so many bytes; each takes whole line pairs. */
static int lanes_append(struct lanes_layout *layout, size_t count, size_t bytes, size_t *at)
{
	*at = layout->bytes;
	if (__builtin_add_overflow(bytes, QUEUE_LINE_PAIR - 1, &bytes))
		return -75; /* −EOVERFLOW */
	return queue_size(count, bytes & ~(size_t)(QUEUE_LINE_PAIR - 1), layout->bytes, &layout->bytes);
}

/* How many messages the longest lanes hold: as many lanes as the division leaves messages over. The others hold one less. */
static size_t lanes_longest(const struct queue_config *config, size_t count)
{
	return config->capacity / count + (config->capacity % count != 0);
}

static int lanes_lay_out(const struct queue_config *config, struct lanes_layout *layout)
{
	size_t p = config->producers, c = config->consumers, count, lane_bytes;

	*layout = (struct lanes_layout){0};
	if (queue_size(p, c, 0, &count))
		return -75;
	if (!count || config->capacity < count)
		return -22; /* −EINVAL */
	if (queue_size(lanes_longest(config, count), queue_stride(config->message_bytes), 0, &lane_bytes) ||
	    queue_size(c, sizeof(struct lane_writer), 0, &layout->writers_stride) ||
	    queue_size(p, sizeof(struct lane_reader), 0, &layout->readers_stride) ||
	    lanes_append(layout, p, sizeof(struct lanes_producer), &layout->producers) ||
	    lanes_append(layout, c, sizeof(struct lanes_consumer), &layout->consumers) ||
	    lanes_append(layout, count, sizeof(struct lane_shared), &layout->shared) ||
	    lanes_append(layout, p, layout->writers_stride, &layout->writers) ||
	    lanes_append(layout, c, layout->readers_stride, &layout->readers) ||
	    lanes_append(layout, count, lane_bytes, &layout->slots))
		return -75;
	layout->writers_stride = (layout->writers_stride + QUEUE_LINE_PAIR - 1) & ~(size_t)(QUEUE_LINE_PAIR - 1);
	layout->readers_stride = (layout->readers_stride + QUEUE_LINE_PAIR - 1) & ~(size_t)(QUEUE_LINE_PAIR - 1);
	return 0;
}

static int lanes_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	struct lanes_layout layout;
	int status = lanes_lay_out(config, &layout);

	(void)outstanding;
	return status ? status : queue_size(1, layout.bytes, sizeof(struct lanes), bytes);
}

static void lanes_destroy(void *instance)
{
	struct lanes *lanes = (struct lanes *)instance;
	struct queue_memory *memory = lanes->memory;

	memory->release(memory, lanes->block, lanes->block_bytes);
	memory->release(memory, lanes, sizeof(*lanes));
}

/* The lane from producer p to consumer c, as both of them see it. */
static void lanes_open(const struct queue_config *config, const struct lanes_layout *layout, unsigned char *block, unsigned p, unsigned c)
{
	size_t count = (size_t)config->producers * config->consumers, index = (size_t)p * config->consumers + c;
	size_t lane_bytes = (lanes_longest(config, count) * queue_stride(config->message_bytes) + QUEUE_LINE_PAIR - 1) &
			    ~(size_t)(QUEUE_LINE_PAIR - 1);
	size_t capacity = config->capacity / count + (index < config->capacity % count);
	struct lane_writer *writers = (struct lane_writer *)(void *)(block + layout->writers + p * layout->writers_stride);
	struct lane_reader *readers = (struct lane_reader *)(void *)(block + layout->readers + c * layout->readers_stride);
	struct lane_shared *shared = (struct lane_shared *)(void *)(block + layout->shared) + index;
	unsigned char *slots = block + layout->slots + index * lane_bytes;
	uint64_t start = config->counter_start;

	shared->tail = shared->head = start;
	writers[c] = (struct lane_writer){.staged = start, .flushed = start, .head_seen = start, .capacity = capacity, .slots = slots,
					  .shared = shared};
	readers[p] = (struct lane_reader){.read = start, .released = start, .tail_seen = start, .capacity = capacity, .slots = slots,
					  .shared = shared};
}

static int lanes_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes);
	struct lanes_layout layout;
	int status = lanes_lay_out(config, &layout);
	struct lanes *lanes;

	if (status)
		return status;
	lanes = (struct lanes *)memory->allocate(memory, sizeof(*lanes), QUEUE_LINE_PAIR);
	if (!lanes)
		return -12; /* −ENOMEM */
	*lanes = (struct lanes){.block_bytes = layout.bytes, .memory = memory};
	lanes->block = (unsigned char *)memory->allocate(memory, layout.bytes, QUEUE_LINE_PAIR);
	if (!lanes->block) {
		memory->release(memory, lanes, sizeof(*lanes));
		return -12;
	}
	lanes->producers = (struct lanes_producer *)(void *)(lanes->block + layout.producers);
	lanes->consumers = (struct lanes_consumer *)(void *)(lanes->block + layout.consumers);
	/* each producer begins with another consumer's lane: at the start none is everybody's first */
	for (unsigned p = 0; p < config->producers; p++)
		lanes->producers[p] = (struct lanes_producer){
			.lanes = (struct lane_writer *)(void *)(lanes->block + layout.writers + p * layout.writers_stride),
			.count = config->consumers, .turn = p % config->consumers, .stride = stride};
	for (unsigned c = 0; c < config->consumers; c++)
		lanes->consumers[c] = (struct lanes_consumer){
			.lanes = (struct lane_reader *)(void *)(lanes->block + layout.readers + c * layout.readers_stride),
			.count = config->producers, .turn = c % config->producers, .stride = stride};
	for (unsigned p = 0; p < config->producers; p++)
		for (unsigned c = 0; c < config->consumers; c++)
			lanes_open(config, &layout, lanes->block, p, c);
	*instance = lanes;
	return 0;
}

static void *lanes_producer(void *instance, unsigned index)
{
	return &((struct lanes *)instance)->producers[index];
}

static void *lanes_consumer(void *instance, unsigned index)
{
	return &((struct lanes *)instance)->consumers[index];
}

QUEUE_INLINE unsigned lanes_next(unsigned turn, unsigned count)
{
	return turn + 1 == count ? 0 : turn + 1;
}

QUEUE_INLINE size_t lanes_free(struct lane_writer *lane)
{
	size_t free = lane->capacity - (size_t)(lane->staged - lane->head_seen);

	if (!free) {
		/* H1 acquire: pairs with H0 in lanes_preread(): the reader is done with the slots that are written anew. */
		lane->head_seen = load_acquire(&lane->shared->head);
		free = lane->capacity - (size_t)(lane->staged - lane->head_seen);
	}
	return free;
}

QUEUE_INLINE void *lanes_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct lanes_producer *writer = (struct lanes_producer *)producer;
	struct lane_writer *lane = &writer->lanes[writer->turn];
	size_t free = lanes_free(lane);
	unsigned char *slot;

	/* a batch that was begun stays in its lane: flushed, it makes way for the next */
	if (queue_unlikely(!free) && lane->staged == lane->flushed) {
		for (unsigned tried = 1; !free && tried < writer->count; tried++) {
			writer->turn = lanes_next(writer->turn, writer->count);
			lane = &writer->lanes[writer->turn];
			free = lanes_free(lane);
		}
	}
	if (queue_unlikely(!free)) {
		*n = 0;
		return NULL;
	}
	*n = lane->capacity - lane->slot;
	if (free < *n)
		*n = free;
	if (max < *n)
		*n = max;
	slot = lane->slots + lane->slot * writer->stride;
	lane->staged += *n;
	lane->slot += *n;
	if (lane->slot == lane->capacity)
		lane->slot = 0;
	return slot;
}

QUEUE_INLINE enum queue_flush lanes_flush(void *producer)
{
	struct lanes_producer *writer = (struct lanes_producer *)producer;
	struct lane_writer *lane = &writer->lanes[writer->turn];

	if (lane->staged != lane->flushed) {
		lane->flushed = lane->staged;
		/* T0 release: pairs with T1 in lanes_preread(): makes the slots' contents visible. */
		store_release(&lane->shared->tail, lane->staged);
		writer->turn = lanes_next(writer->turn, writer->count);
	}
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool lanes_preread(void *consumer)
{
	struct lanes_consumer *reader = (struct lanes_consumer *)consumer;
	uint64_t ready = 0;

	for (unsigned i = 0; i < reader->count; i++) {
		struct lane_reader *lane = &reader->lanes[i];

		if (lane->read != lane->released) {
			lane->released = lane->read;
			/* H0 release: pairs with H1 in lanes_free(): what was read of the slots is read before they are written anew. */
			store_release(&lane->shared->head, lane->read);
		}
		/* T1 acquire: pairs with T0 in lanes_flush(). */
		lane->tail_seen = load_acquire(&lane->shared->tail);
		ready |= lane->tail_seen - lane->read;
	}
	if (reader->served) {
		reader->served = false;
		reader->turn = lanes_next(reader->turn, reader->count);
	}
	reader->unread = reader->count;
	return ready != 0;
}

QUEUE_INLINE const void *lanes_read_span(void *consumer, size_t max, size_t *n)
{
	struct lanes_consumer *reader = (struct lanes_consumer *)consumer;
	struct lane_reader *lane = &reader->lanes[reader->turn];
	size_t ready = (size_t)(lane->tail_seen - lane->read);
	const unsigned char *slot;

	while (!ready && reader->unread > 1) {
		reader->unread--;
		reader->turn = lanes_next(reader->turn, reader->count);
		reader->served = false;
		lane = &reader->lanes[reader->turn];
		ready = (size_t)(lane->tail_seen - lane->read);
	}
	*n = lane->capacity - lane->slot;
	if (ready < *n)
		*n = ready;
	if (max < *n)
		*n = max;
	reader->served |= *n != 0;
	slot = lane->slots + lane->slot * reader->stride;
	lane->read += *n;
	lane->slot += *n;
	if (lane->slot == lane->capacity)
		lane->slot = 0;
	return slot;
}

QUEUE_TABLE(lanes) = {
	.contract = QUEUE_CONTRACT,
	.name = "lanes",
	.summary = "a bounded ring for each producer and consumer, in place, polled in turn",
	.source = "L. Lamport, 1977, once per pair",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_PER_PRODUCER,
		.batches = true, .in_place = true, .lanes = true,
	},
	.footprint = lanes_footprint,
	.create = lanes_create,
	.destroy = lanes_destroy,
	.producer = lanes_producer,
	.consumer = lanes_consumer,
	.prewrite_span = lanes_prewrite_span,
	.flush = lanes_flush,
	.preread = lanes_preread,
	.read_span = lanes_read_span,
};
