/* disruptor: a bounded ring in place in which each reader gets each message.
 *
 * Source: LMAX Disruptor (M. Thompson, D. Farley, M. Barker, P. Gee, A. Stewart, 2011), with its multi-producer sequencer.
 * Promise: multicast: every consumer reads every message, all in one order, each at its own pace; never more than `capacity` messages
 * that not all have read. No operation of a consumer depends on another consumer.
 *
 * How it works. `cursor` counts the positions claimed; a producer claims a run of them by compare-exchange when it asks for slots,
 * fills them in place, and publishes each by writing the round of the ring that its position belongs to into `rounds`, so that
 * producers need not wait for each other to publish. A consumer reads on as far as the rounds say that it may, and publishes how far it
 * has read. A producer may claim what the slowest consumer has left behind; it looks at all consumers' counters only when what it saw
 * last leaves no room.
 *
 * Differs from LMAX's: claiming never waits (as its tryNext); waiting is the caller's.
 *
 * Limits: slots claimed and not yet flushed hold up, for every consumer, all that comes behind them, however long their producer takes;
 * a consumer that stops reading stops all producers. Each message costs a word in `rounds` besides its slot.
 *
 * Who may call what beside whom: each endpoint is one thread's; else anything beside anything.
 */
#include "queue.h"

/* Positions claimed in a row and not yet flushed: from … to − 1. */
struct claim {
	uint64_t from, to;
};

struct disruptor {
	uint64_t cursor QUEUE_ALIGNED; /* producers' */
	/* constant */
	struct producer *producers QUEUE_ALIGNED;
	struct consumer *consumers;
	unsigned producer_count, consumer_count;
	size_t capacity, stride;
	unsigned shift; /* capacity is 2^shift */
	unsigned char *slots;
	uint32_t *rounds; /* by slot: the round whose message is published in it; producers' */
	struct queue_memory *memory;
};

struct producer {
	/* its thread's own */
	uint64_t slowest; /* a past position of the slowest consumer */
	struct claim *claims;
	size_t claim_count;
	/* constant */
	size_t claim_room;
	size_t mask, stride;
	unsigned shift, consumer_count;
	unsigned char *slots;
	uint32_t *rounds;
	struct consumer *consumers;
	struct disruptor *queue;
} QUEUE_ALIGNED;

struct consumer {
	uint64_t released QUEUE_ALIGNED; /* its thread's, read by producers: messages before this one are done with */
	/* its thread's own */
	uint64_t read QUEUE_ALIGNED, noted;
	/* constant */
	size_t mask, stride;
	unsigned shift;
	const unsigned char *slots;
	uint32_t *rounds;
};

_Static_assert(offsetof(struct consumer, read) - offsetof(struct consumer, released) == QUEUE_LINE_PAIR,
	       "what producers look at does not lie beside what the consumer writes for itself");
_Static_assert(offsetof(struct disruptor, producers) - offsetof(struct disruptor, cursor) == QUEUE_LINE_PAIR,
	       "the cursor has a line pair of its own");

static size_t disruptor_claim_room(const struct queue_config *config)
{
	return config->batch < config->capacity ? config->batch : config->capacity;
}

static int disruptor_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t producer, endpoints;

	(void)outstanding;
	if (queue_size(disruptor_claim_room(config), sizeof(struct claim), sizeof(struct producer), &producer) ||
	    queue_size(config->producers, producer, sizeof(struct disruptor), &endpoints) ||
	    queue_size(config->consumers, sizeof(struct consumer), endpoints, &endpoints))
		return -75; /* −EOVERFLOW */
	return queue_size(config->capacity, queue_stride(config->message_bytes) + sizeof(uint32_t), endpoints, bytes);
}

static void disruptor_release(struct queue_memory *memory, void *block, size_t bytes)
{
	if (block)
		memory->release(memory, block, bytes);
}

static void disruptor_destroy(void *instance)
{
	struct disruptor *queue = (struct disruptor *)instance;
	struct queue_memory *memory = queue->memory;

	for (unsigned i = 0; queue->producers && i < queue->producer_count; i++) {
		struct producer *producer = &queue->producers[i];

		disruptor_release(memory, producer->claims, producer->claim_room * sizeof(struct claim));
	}
	disruptor_release(memory, queue->producers, queue->producer_count * sizeof(struct producer));
	disruptor_release(memory, queue->consumers, queue->consumer_count * sizeof(struct consumer));
	disruptor_release(memory, queue->slots, queue->capacity * queue->stride);
	disruptor_release(memory, queue->rounds, queue->capacity * sizeof(uint32_t));
	memory->release(memory, queue, sizeof(*queue));
}

/* The slots and the endpoints. False: memory ran out; what there is belongs to the queue. */
static bool disruptor_allocate(struct disruptor *queue, const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	size_t mask = config->capacity - 1, claim_room = disruptor_claim_room(config);

	queue->slots = (unsigned char *)memory->allocate(memory, queue->capacity * queue->stride, QUEUE_LINE_PAIR);
	queue->rounds = (uint32_t *)memory->allocate(memory, queue->capacity * sizeof(uint32_t), QUEUE_LINE_PAIR);
	queue->producers = (struct producer *)memory->allocate(
		memory, config->producers * sizeof(struct producer), QUEUE_LINE_PAIR);
	queue->consumers = (struct consumer *)memory->allocate(
		memory, config->consumers * sizeof(struct consumer), QUEUE_LINE_PAIR);
	for (unsigned i = 0; queue->producers && i < config->producers; i++)
		queue->producers[i] = (struct producer){
			.slowest = config->counter_start, .claim_room = claim_room, .mask = mask,
			.stride = queue->stride, .shift = queue->shift, .consumer_count = config->consumers,
			.slots = queue->slots, .rounds = queue->rounds, .consumers = queue->consumers, .queue = queue};
	for (unsigned i = 0; queue->consumers && i < config->consumers; i++)
		queue->consumers[i] = (struct consumer){
			.released = config->counter_start, .read = config->counter_start,
			.noted = config->counter_start, .mask = mask, .stride = queue->stride, .shift = queue->shift,
			.slots = queue->slots, .rounds = queue->rounds};
	if (!queue->slots || !queue->rounds || !queue->producers || !queue->consumers)
		return false;
	for (unsigned i = 0; i < config->producers; i++) {
		queue->producers[i].claims = (struct claim *)memory->allocate(
			memory, claim_room * sizeof(struct claim), QUEUE_LINE_PAIR);
		if (!queue->producers[i].claims)
			return false;
	}
	return true;
}

/* The round of the ring that a position belongs to, as far as a word holds it: a slot is at most one round behind. */
QUEUE_INLINE uint32_t disruptor_round(uint64_t position, unsigned shift)
{
	return (uint32_t)(position >> shift);
}

static int disruptor_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct disruptor *queue;
	size_t bytes;

	if (disruptor_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	queue = (struct disruptor *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct disruptor){.cursor = config->counter_start, .producer_count = config->producers,
				    .consumer_count = config->consumers, .capacity = config->capacity,
				    .stride = queue_stride(config->message_bytes),
				    .shift = (unsigned)__builtin_ctzll(config->capacity), .memory = memory};
	if (!disruptor_allocate(queue, config)) {
		disruptor_destroy(queue);
		return -12;
	}
	for (uint64_t i = 0; i < config->capacity; i++) {
		uint64_t position = config->counter_start + i;

		queue->rounds[position & (config->capacity - 1)] = disruptor_round(position, queue->shift) - 1;
	}
	*instance = queue;
	return 0;
}

static void *disruptor_producer(void *instance, unsigned index)
{
	return &((struct disruptor *)instance)->producers[index];
}

static void *disruptor_consumer(void *instance, unsigned index)
{
	return &((struct disruptor *)instance)->consumers[index];
}

/* Free positions from `cursor` on, by the slowest consumer as it was seen last. */
QUEUE_INLINE size_t disruptor_free(const struct producer *producer, uint64_t cursor)
{
	/* the cursor may have been moved further by producers who saw more than this one */
	uint64_t used = cursor - producer->slowest;

	return used > producer->mask ? 0 : producer->mask + 1 - (size_t)used;
}

/* The slowest consumer's position, as seen from the cursor: the one furthest behind it. */
QUEUE_INLINE void disruptor_find_slowest(struct producer *producer, uint64_t cursor)
{
	uint64_t furthest = 0;

	for (unsigned i = 0; i < producer->consumer_count; i++) {
		/* R1 acquire: pairs with R0 in disruptor_preread(): what was read of the slots is read before they are written anew. */
		uint64_t released = load_acquire(&producer->consumers[i].released), behind = cursor - released;

		/* one that is ahead of a stale cursor is not behind it; claiming by that cursor will fail */
		if ((int64_t)behind > (int64_t)furthest)
			furthest = behind;
	}
	producer->slowest = cursor - furthest;
}

QUEUE_INLINE void *disruptor_prewrite_span(void *endpoint, size_t max, size_t *n)
{
	struct producer *producer = (struct producer *)endpoint;
	/* relaxed: the exchange below makes sure that it is the newest; nothing is read through it. */
	uint64_t cursor = load_relaxed(&producer->queue->cursor);
	struct claim *last = producer->claims + producer->claim_count; /* one behind */
	bool adjoins;
	size_t slot;

	do {
		size_t free = disruptor_free(producer, cursor);

		adjoins = producer->claim_count && last[-1].to == cursor;
		slot = (size_t)(cursor & producer->mask);
		if (!free) {
			disruptor_find_slowest(producer, cursor);
			free = disruptor_free(producer, cursor);
		}
		*n = producer->mask + 1 - slot;
		if (free < *n)
			*n = free;
		if (max < *n)
			*n = max;
		if (!*n || (!adjoins && producer->claim_count == producer->claim_room)) {
			*n = 0;
			return NULL;
		}
	} while (!compare_exchange_acq_rel(&producer->queue->cursor, &cursor, cursor + *n)); /* orders nothing: R and P do */
	if (adjoins) {
		last[-1].to += *n;
	} else {
		*last = (struct claim){cursor, cursor + *n};
		producer->claim_count++;
	}
	return producer->slots + slot * producer->stride;
}

QUEUE_INLINE enum queue_flush disruptor_flush(void *endpoint)
{
	struct producer *producer = (struct producer *)endpoint;

	for (size_t i = 0; i < producer->claim_count; i++)
		for (uint64_t position = producer->claims[i].from; position != producer->claims[i].to; position++)
			/* P0 release: pairs with P1 in disruptor_preread(): the message's contents. */
			store_release(&producer->rounds[position & producer->mask],
				      disruptor_round(position, producer->shift));
	producer->claim_count = 0;
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool disruptor_preread(void *endpoint)
{
	struct consumer *consumer = (struct consumer *)endpoint;
	uint64_t noted = consumer->noted;

	/* relaxed: its own. R0 release: pairs with R1 in disruptor_find_slowest(). */
	if (load_relaxed(&consumer->released) != consumer->read)
		store_release(&consumer->released, consumer->read);
	/* Ends after at most one round of the ring: the slots not released are of this round, not the next.
	 * P1 acquire: pairs with P0 in disruptor_flush(). */
	while (load_acquire(&consumer->rounds[noted & consumer->mask]) == disruptor_round(noted, consumer->shift))
		noted++;
	consumer->noted = noted;
	return noted != consumer->read;
}

QUEUE_INLINE const void *disruptor_read_span(void *endpoint, size_t max, size_t *n)
{
	struct consumer *consumer = (struct consumer *)endpoint;
	size_t slot = (size_t)(consumer->read & consumer->mask), ready = (size_t)(consumer->noted - consumer->read);

	*n = consumer->mask + 1 - slot;
	if (ready < *n)
		*n = ready;
	if (max < *n)
		*n = max;
	consumer->read += *n;
	return consumer->slots + slot * consumer->stride;
}

QUEUE_TABLE(disruptor) = {
	.contract = QUEUE_CONTRACT,
	.name = "disruptor",
	.summary = "bounded ring in place, each reader gets each message",
	.source = "LMAX Disruptor, M. Thompson, D. Farley, M. Barker, P. Gee, A. Stewart, 2011",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.capacity_power_of_two = true,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true, .multicast = true,
	},
	.footprint = disruptor_footprint,
	.create = disruptor_create,
	.destroy = disruptor_destroy,
	.producer = disruptor_producer,
	.consumer = disruptor_consumer,
	.prewrite_span = disruptor_prewrite_span,
	.flush = disruptor_flush,
	.preread = disruptor_preread,
	.read_span = disruptor_read_span,
};
