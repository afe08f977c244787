/* scq: a bounded lock-free queue in place, two rings of indices over a pool of slots.
 *
 * Source: R. Nikolaev, "A Scalable, Portable, and Memory-Efficient Lock-Free FIFO Queue", DISC 2019.
 * Promise: lock-free in the paper's sense, for each operation on a ring of indices: whoever loses its CPU, the others go on. Total
 * order. A slot that is staged or held is its thread's alone and keeps nobody from anything but that slot.
 *
 * How it works. One ring of indices holds the free slots, another the messages in their order. prewrite takes an index off the free
 * ring, flush puts the staged ones into the ring of messages, preread takes indices off that, the next preread puts those read back
 * into the free ring. Such a ring for n indices has 2n entries, each a cycle (the round of the ring that it is of), a flag `safe`, and
 * an index or none. Each operation takes a ticket, head or tail, by fetch-and-add; the ticket names an entry and a cycle. An enqueuer
 * puts its index into an entry of an older cycle that holds none; a dequeuer takes an index of its own cycle, else moves the entry on
 * to its cycle, or marks an older index unsafe, so that no late enqueuer puts something where nobody will look. As never more than n
 * indices are about, an enqueuer always finds a place, and after 3n − 1 tickets in vain (`threshold`) a dequeuer knows that there is
 * nothing.
 *
 * Differs from the paper: an operation that sees head at or behind tail takes no ticket at all, so that polling an empty ring only
 * loads; a ring has room for at least as many indices as there are endpoints, since its bound of 3n − 1 holds for up to n threads.
 *
 * Limits: a message costs four tickets and four entries, batched or not: a batch published in one piece would lose its order where one
 * of its entries fails. Slots come one by one, in any order. Cycles have 62 bits less those of an index.
 *
 * Who may call what beside whom: each endpoint is one thread's; else anything beside anything.
 */
#include "queue.h"

#define NO_INDEX UINT32_MAX

/* Ring of indices. Entry: cycle | safe (1 bit) | index (`bits` bits, all ones: none). */
struct index_ring {
	uint64_t head QUEUE_ALIGNED; /* dequeuers' tickets */
	uint64_t tail QUEUE_ALIGNED; /* enqueuers' tickets, pushed on by dequeuers that ran ahead */
	int64_t threshold QUEUE_ALIGNED; /* all: tickets in vain that are left to dequeuers; below 0: there is nothing */
	/* constant */
	uint64_t *entries QUEUE_ALIGNED;
	unsigned bits; /* 2^bits entries */
	int64_t threshold_full;
};

_Static_assert(offsetof(struct index_ring, tail) - offsetof(struct index_ring, head) == QUEUE_LINE_PAIR &&
	       offsetof(struct index_ring, threshold) - offsetof(struct index_ring, tail) == QUEUE_LINE_PAIR,
	       "head, tail and threshold have other writers each");

struct scq {
	struct index_ring free, messages;
	/* constant */
	struct producer *producers QUEUE_ALIGNED;
	struct consumer *consumers;
	unsigned producer_count, consumer_count;
	unsigned char *slots;
	size_t capacity, stride, batch;
	struct queue_memory *memory;
};

/* All of it is its thread's own. */
struct producer {
	size_t staged;
	uint32_t *indices; /* of the staged slots, in order; room for all that there are */
	unsigned char *slots;
	size_t stride;
	struct scq *queue;
} QUEUE_ALIGNED;

struct consumer {
	size_t noted, read, released; /* of `indices`; they fall back to 0 when all noted ones are released */
	uint32_t *indices;            /* room for `room` */
	const unsigned char *slots;
	size_t stride, room;
	struct scq *queue;
} QUEUE_ALIGNED;

/* ---- a ring of indices ---- */

QUEUE_INLINE uint64_t ring_safe(const struct index_ring *ring)
{
	return UINT64_C(1) << ring->bits;
}

QUEUE_INLINE uint64_t ring_none(const struct index_ring *ring)
{
	return ring_safe(ring) - 1;
}

/* The cycle of a ticket, in its place within an entry: it wraps together with the ticket. */
QUEUE_INLINE uint64_t ring_cycle(const struct index_ring *ring, uint64_t ticket)
{
	return (ticket >> ring->bits) << (ring->bits + 1);
}

QUEUE_INLINE uint64_t ring_entry_cycle(const struct index_ring *ring, uint64_t entry)
{
	return (entry >> (ring->bits + 1)) << (ring->bits + 1);
}

QUEUE_INLINE bool ring_is_older(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

/* A ticket's entry. Tickets in a row lie in different lines: those who took them work at once. */
QUEUE_INLINE uint64_t *ring_entry(const struct index_ring *ring, uint64_t ticket)
{
	uint64_t at = ticket & ring_none(ring);

	if (ring->bits > 3)
		at = (at << 3 | at >> (ring->bits - 3)) & ring_none(ring);
	return &ring->entries[at];
}

/* Every access that threads race for is sequentially consistent: an enqueuer must not look at `threshold`, nor at `head`, before its entry
 * is (is not) there, nor a dequeuer at `tail` before its ticket is taken. What else must be ordered, is by that. */

QUEUE_INLINE void ring_enqueue(struct index_ring *ring, uint32_t index)
{
	for (;;) {
		uint64_t ticket = fetch_add_seq_cst(&ring->tail, 1), cycle = ring_cycle(ring, ticket);
		uint64_t *place = ring_entry(ring, ticket), entry = load_seq_cst(place);

		while (ring_is_older(ring_entry_cycle(ring, entry), cycle) &&
		       (entry & ring_none(ring)) == ring_none(ring) &&
		       (entry & ring_safe(ring) || !ring_is_older(ticket, load_seq_cst(&ring->head)))) {
			/* I0 release: pairs with I1 in ring_dequeue(): what was done to the slot before comes before what its next
			 * owner does. */
			if (!compare_exchange_seq_cst(place, &entry, cycle | ring_safe(ring) | index))
				continue;
			if (load_seq_cst(&ring->threshold) != ring->threshold_full)
				store_seq_cst(&ring->threshold, ring->threshold_full);
			return;
		}
	}
}

/* Dequeuers ran ahead: pushes tail up to head, so that enqueuers need not try each ticket that is spent already. */
QUEUE_INLINE void ring_catch_up(struct index_ring *ring, uint64_t tail, uint64_t head)
{
	while (!compare_exchange_seq_cst(&ring->tail, &tail, head)) {
		head = load_seq_cst(&ring->head);
		tail = load_seq_cst(&ring->tail);
		if (!ring_is_older(tail, head))
			break;
	}
}

/* An index, or NO_INDEX where there is none. */
QUEUE_INLINE uint32_t ring_dequeue(struct index_ring *ring)
{
	uint64_t head, tail, cycle, entry, moved, *place;

	if (load_seq_cst(&ring->threshold) < 0)
		return NO_INDEX;
	/* In this order: if tail is not beyond what head was, each index ever enqueued belongs to a dequeuer with a ticket. */
	head = load_seq_cst(&ring->head);
	if (!ring_is_older(head, load_seq_cst(&ring->tail)))
		return NO_INDEX;
	for (;;) {
		head = fetch_add_seq_cst(&ring->head, 1);
		cycle = ring_cycle(ring, head);
		place = ring_entry(ring, head);
		entry = load_seq_cst(place);
		for (;;) {
			if (ring_entry_cycle(ring, entry) == cycle) {
				/* Only this ticket's owner takes the index out; others may at most clear `safe` meanwhile.
				 * I1 acquire: pairs with I0 in ring_enqueue(). */
				fetch_or_seq_cst(place, ring_none(ring));
				return (uint32_t)(entry & ring_none(ring));
			}
			if (!ring_is_older(ring_entry_cycle(ring, entry), cycle))
				break;
			if ((entry & ring_none(ring)) == ring_none(ring))
				moved = cycle | (entry & ring_safe(ring)) | ring_none(ring);
			else
				moved = entry & ~ring_safe(ring);
			if (compare_exchange_seq_cst(place, &entry, moved))
				break;
		}
		tail = load_seq_cst(&ring->tail);
		if (!ring_is_older(head + 1, tail)) {
			ring_catch_up(ring, tail, head + 1);
			fetch_add_seq_cst(&ring->threshold, -1);
			return NO_INDEX;
		}
		if (fetch_add_seq_cst(&ring->threshold, -1) <= 0)
			return NO_INDEX;
	}
}

static void ring_init(struct index_ring *ring, uint64_t *entries, unsigned bits, uint64_t start)
{
	*ring = (struct index_ring){.head = start, .tail = start, .threshold = -1, .entries = entries, .bits = bits,
				    .threshold_full = 3 * ((int64_t)1 << (bits - 1)) - 1};
	for (size_t i = 0; i < (size_t)1 << bits; i++)
		entries[i] = (ring_cycle(ring, start) - 2 * ring_safe(ring)) | ring_safe(ring) | ring_none(ring);
}

/* ---- the queue ---- */

/* A ring has 2^that entries: twice the slots, and twice the threads. */
static unsigned scq_bits(const struct queue_config *config)
{
	uint64_t threads = (uint64_t)config->producers + config->consumers, least = config->capacity;
	unsigned bits = 1;

	if (least < threads)
		least = threads;
	while ((uint64_t)1 << (bits - 1) < least)
		bits++;
	return bits;
}

static size_t scq_room(const struct queue_config *config)
{
	return config->batch < config->capacity ? config->batch : config->capacity;
}

static int scq_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t producers, consumers, slots;

	(void)outstanding;
	if (queue_size(config->capacity, sizeof(uint32_t), sizeof(struct producer), &producers) ||
	    queue_size(scq_room(config), sizeof(uint32_t), sizeof(struct consumer), &consumers) ||
	    queue_size(config->producers, producers, sizeof(struct scq), &producers) ||
	    queue_size(config->consumers, consumers, producers, &consumers) ||
	    queue_size(config->capacity, queue_stride(config->message_bytes), consumers, &slots))
		return -75; /* −EOVERFLOW */
	return queue_size((size_t)2 << scq_bits(config), sizeof(uint64_t), slots, bytes);
}

static void scq_release(struct queue_memory *memory, void *block, size_t bytes)
{
	if (block)
		memory->release(memory, block, bytes);
}

static void scq_destroy(void *instance)
{
	struct scq *queue = (struct scq *)instance;
	struct queue_memory *memory = queue->memory;
	size_t ring_bytes = ((size_t)1 << queue->free.bits) * sizeof(uint64_t);

	for (unsigned i = 0; queue->producers && i < queue->producer_count; i++)
		scq_release(memory, queue->producers[i].indices, queue->capacity * sizeof(uint32_t));
	for (unsigned i = 0; queue->consumers && i < queue->consumer_count; i++)
		scq_release(memory, queue->consumers[i].indices, queue->consumers[i].room * sizeof(uint32_t));
	scq_release(memory, queue->producers, queue->producer_count * sizeof(struct producer));
	scq_release(memory, queue->consumers, queue->consumer_count * sizeof(struct consumer));
	scq_release(memory, queue->free.entries, ring_bytes);
	scq_release(memory, queue->messages.entries, ring_bytes);
	scq_release(memory, queue->slots, queue->capacity * queue->stride);
	memory->release(memory, queue, sizeof(*queue));
}

/* The rings, the slots and the endpoints. False: memory ran out; what there is belongs to the queue. */
static bool scq_allocate(struct scq *queue, const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	size_t ring_bytes = ((size_t)1 << scq_bits(config)) * sizeof(uint64_t), room = scq_room(config);

	queue->free.entries = (uint64_t *)memory->allocate(memory, ring_bytes, QUEUE_LINE_PAIR);
	queue->messages.entries = (uint64_t *)memory->allocate(memory, ring_bytes, QUEUE_LINE_PAIR);
	queue->slots = (unsigned char *)memory->allocate(memory, queue->capacity * queue->stride, QUEUE_LINE_PAIR);
	queue->producers = (struct producer *)memory->allocate(
		memory, config->producers * sizeof(struct producer), QUEUE_LINE_PAIR);
	queue->consumers = (struct consumer *)memory->allocate(
		memory, config->consumers * sizeof(struct consumer), QUEUE_LINE_PAIR);
	for (unsigned i = 0; queue->producers && i < config->producers; i++)
		queue->producers[i] = (struct producer){.slots = queue->slots, .stride = queue->stride, .queue = queue};
	for (unsigned i = 0; queue->consumers && i < config->consumers; i++)
		queue->consumers[i] = (struct consumer){.slots = queue->slots, .stride = queue->stride, .room = room,
							.queue = queue};
	if (!queue->free.entries || !queue->messages.entries || !queue->slots || !queue->producers || !queue->consumers)
		return false;
	for (unsigned i = 0; i < config->producers; i++) {
		size_t bytes = queue->capacity * sizeof(uint32_t);

		queue->producers[i].indices = (uint32_t *)memory->allocate(memory, bytes, QUEUE_LINE_PAIR);
		if (!queue->producers[i].indices)
			return false;
	}
	for (unsigned i = 0; i < config->consumers; i++) {
		queue->consumers[i].indices = (uint32_t *)memory->allocate(
			memory, room * sizeof(uint32_t), QUEUE_LINE_PAIR);
		if (!queue->consumers[i].indices)
			return false;
	}
	return true;
}

static int scq_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct scq *queue;
	size_t bytes;

	if (scq_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	queue = (struct scq *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct scq){.free = {.bits = scq_bits(config)}, .producer_count = config->producers,
			      .consumer_count = config->consumers, .capacity = config->capacity,
			      .stride = queue_stride(config->message_bytes), .memory = memory};
	if (!scq_allocate(queue, config)) {
		scq_destroy(queue);
		return -12;
	}
	ring_init(&queue->messages, queue->messages.entries, scq_bits(config), config->counter_start);
	ring_init(&queue->free, queue->free.entries, scq_bits(config), config->counter_start);
	for (uint32_t i = 0; i < config->capacity; i++)
		ring_enqueue(&queue->free, i);
	*instance = queue;
	return 0;
}

static void *scq_producer(void *instance, unsigned index)
{
	return &((struct scq *)instance)->producers[index];
}

static void *scq_consumer(void *instance, unsigned index)
{
	return &((struct scq *)instance)->consumers[index];
}

QUEUE_INLINE void *scq_prewrite_span(void *endpoint, size_t max, size_t *n)
{
	struct producer *producer = (struct producer *)endpoint;
	uint32_t index = ring_dequeue(&producer->queue->free);

	(void)max; /* ≥ 1, and that is what there is: the next index is seldom the next slot's */
	*n = index != NO_INDEX;
	if (!*n)
		return NULL;
	producer->indices[producer->staged++] = index;
	return producer->slots + index * producer->stride;
}

QUEUE_INLINE enum queue_flush scq_flush(void *endpoint)
{
	struct producer *producer = (struct producer *)endpoint;

	for (size_t i = 0; i < producer->staged; i++)
		ring_enqueue(&producer->queue->messages, producer->indices[i]);
	producer->staged = 0;
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool scq_preread(void *endpoint)
{
	struct consumer *consumer = (struct consumer *)endpoint;

	for (; consumer->released < consumer->read; consumer->released++)
		ring_enqueue(&consumer->queue->free, consumer->indices[consumer->released]);
	if (consumer->read < consumer->noted)
		return true;
	consumer->released = consumer->read = consumer->noted = 0;
	while (consumer->noted < consumer->room) {
		uint32_t index = ring_dequeue(&consumer->queue->messages);

		if (index == NO_INDEX)
			break;
		consumer->indices[consumer->noted++] = index;
	}
	return consumer->noted;
}

QUEUE_INLINE const void *scq_read_span(void *endpoint, size_t max, size_t *n)
{
	struct consumer *consumer = (struct consumer *)endpoint;

	(void)max;
	*n = consumer->read < consumer->noted;
	if (!*n)
		return NULL;
	return consumer->slots + consumer->indices[consumer->read++] * consumer->stride;
}

QUEUE_TABLE(scq) = {
	.contract = QUEUE_CONTRACT,
	.name = "scq",
	.summary = "bounded, lock-free, in place: a ring of free indices, a ring of messages' indices",
	.source = "SCQ, R. Nikolaev, 2019",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.capacity_max = (size_t)1 << 31, .capacity_power_of_two = true,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_LOCK_FREE, .order = QUEUE_ORDER_TOTAL,
		.in_place = true,
	},
	.footprint = scq_footprint,
	.create = scq_create,
	.destroy = scq_destroy,
	.producer = scq_producer,
	.consumer = scq_consumer,
	.prewrite_span = scq_prewrite_span,
	.flush = scq_flush,
	.preread = scq_preread,
	.read_span = scq_read_span,
};
