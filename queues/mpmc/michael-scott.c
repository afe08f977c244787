/* michael-scott: an unbounded lock-free list for any number of writers and readers, in place.
 *
 * Source: M. Michael and M. Scott, 1996; the free list: R. Treiber, 1986; here whole batches are linked and taken at once.
 * Promise: lock-free; total order; a batch is linked whole; memory but for prewrite is never asked for.
 *
 * How it works. A singly linked list of nodes between `head`, a dummy whose message was read already, and `tail`, the last one or a
 * node not far before it. A flush links its chain of nodes behind the last by one compare-exchange of that node's `next`, then moves
 * tail. A preread walks up to a batch of nodes from head, not beyond tail, and takes them by one compare-exchange of head. All links
 * are an index and a tag that each write of that link raises: nodes are reused at once, and an exchange by what was seen of a node in
 * an earlier life fails.
 *
 * A node carries the index of a message's slot, and does not hold the message: the reader whose exchange succeeds owns the slots of the
 * nodes that it passed, while the last of these nodes stays in the list as the new dummy. Nobody ever looks at a message that is not
 * his. At its next preread the reader puts the nodes that fell off (the old dummy and all but the last) with the slots that it read on
 * the free list, as one bundle; a producer takes a bundle by one compare-exchange, or allocates a chunk where there is none.
 *
 * Limits: 2^32 − 1 nodes, less where messages are large; a thread that sleeps over exactly a multiple of 2^32 changes of one link may
 * take it for unchanged. Memory follows the longest queue there ever was, and is given back at the end.
 *
 * Who may call what beside whom: each endpoint is one thread's; else anything beside anything.
 */
#include "queue.h"

enum {
	CHUNK_BITS = 8,           /* a chunk has 2^that nodes and slots, fewer where that would be more than CHUNK_BYTES */
	CHUNK_BYTES = 1 << 20,
	DIRECTORY_BITS = 12,      /* chunks per directory, and directories */
	DIRECTORY_CHUNKS = 1 << DIRECTORY_BITS,
};

#define NO_NODE UINT32_MAX

/* A link: an index in the lower half, a tag in the upper. */
#define LINK_TAG (UINT64_C(1) << 32)

struct node {
	uint64_t next; /* a link; its owner's while the node is in no list, else by compare-exchange. Read by anyone at any time */
	uint32_t slot; /* its owner's; read by anyone at any time */
	uint32_t more; /* its owner's: the next node of a bundle of free ones */
};

struct chunk {
	unsigned char *slots; /* constant */
	struct node nodes[];
};

struct directory {
	struct chunk *chunks[DIRECTORY_CHUNKS];
};

struct michael_scott {
	uint64_t head QUEUE_ALIGNED; /* link; consumers' */
	uint64_t tail QUEUE_ALIGNED; /* link; producers', helped on by consumers */
	uint64_t free QUEUE_ALIGNED; /* link; all: a stack of bundles */
	uint64_t chunk_count QUEUE_ALIGNED; /* producers' */
	/* written once each, by the producer that grows the queue */
	struct directory *directories[DIRECTORY_CHUNKS];
	/* constant */
	struct producer *producers QUEUE_ALIGNED;
	struct consumer *consumers;
	unsigned producer_count, consumer_count;
	unsigned chunk_bits;
	size_t stride;
	struct queue_memory *memory;
};

_Static_assert(offsetof(struct michael_scott, tail) - offsetof(struct michael_scott, head) == QUEUE_LINE_PAIR &&
	       offsetof(struct michael_scott, free) - offsetof(struct michael_scott, tail) == QUEUE_LINE_PAIR &&
	       offsetof(struct michael_scott, chunk_count) - offsetof(struct michael_scott, free) == QUEUE_LINE_PAIR,
	       "head, tail and the free list have other writers each");

/* All of it is its thread's own. */
struct producer {
	uint32_t first, last;       /* of the staged chain; NO_NODE: nothing staged */
	uint32_t bundle;            /* free nodes taken off the free list */
	uint32_t fresh, fresh_left; /* free nodes of a new chunk, with the slots of their own numbers */
	struct michael_scott *queue;
} QUEUE_ALIGNED;

struct consumer {
	size_t noted, read;
	uint32_t *nodes, *slots; /* that were taken, in order: node i was passed to get at slot i; room for `room` */
	size_t room;             /* constant */
	struct michael_scott *queue;
} QUEUE_ALIGNED;

QUEUE_INLINE uint32_t link_index(uint64_t link)
{
	return (uint32_t)link;
}

/* A link to index, to be written where `old` stands. */
QUEUE_INLINE uint64_t link_to(uint32_t index, uint64_t old)
{
	return ((old + LINK_TAG) & ~(LINK_TAG - 1)) | index;
}

/* ---- nodes and slots ---- */

/* Plain reads of what is written once: an index is learnt by an acquire from someone who knew the chunk. */
QUEUE_INLINE struct chunk *node_chunk(const struct michael_scott *queue, uint32_t index)
{
	uint32_t number = index >> queue->chunk_bits;

	return queue->directories[number >> DIRECTORY_BITS]->chunks[number & (DIRECTORY_CHUNKS - 1)];
}

QUEUE_INLINE struct node *node_at(const struct michael_scott *queue, uint32_t index)
{
	return &node_chunk(queue, index)->nodes[index & ((1u << queue->chunk_bits) - 1)];
}

QUEUE_INLINE unsigned char *slot_at(const struct michael_scott *queue, uint32_t index)
{
	return node_chunk(queue, index)->slots + (index & ((1u << queue->chunk_bits) - 1)) * queue->stride;
}

static unsigned chunk_bits(size_t message_bytes)
{
	unsigned bits = CHUNK_BITS;

	while (bits && queue_stride(message_bytes) << bits > CHUNK_BYTES)
		bits--;
	return bits;
}

/* Where the slots lie in a chunk. */
static size_t chunk_slots_offset(unsigned bits)
{
	size_t bytes = sizeof(struct chunk) + (sizeof(struct node) << bits);

	return (bytes + QUEUE_LINE_PAIR - 1) / QUEUE_LINE_PAIR * QUEUE_LINE_PAIR;
}

static size_t chunk_bytes(unsigned bits, size_t stride)
{
	return chunk_slots_offset(bits) + (stride << bits);
}

/* Sees to a directory for the chunk of that number. False: no memory, or no such number. */
static bool michael_scott_find_directory(struct michael_scott *queue, uint64_t number)
{
	struct queue_memory *memory = queue->memory;
	struct directory *directory, *none = NULL, **place;

	/* NO_NODE is nobody's index */
	if (number >> 2 * DIRECTORY_BITS || (number + 1) << queue->chunk_bits > NO_NODE)
		return false;
	place = &queue->directories[number >> DIRECTORY_BITS];
	/* D1 acquire: pairs with D0 below: the directory's contents. */
	if (load_acquire(place))
		return true;
	directory = (struct directory *)memory->allocate(memory, sizeof(*directory), QUEUE_LINE_PAIR);
	if (!directory)
		return false;
	*directory = (struct directory){{NULL}};
	/* D0 release: pairs with D1 above. Of two who come at once, one is too late. */
	if (!compare_exchange_acq_rel(place, &none, directory))
		memory->release(memory, directory, sizeof(*directory));
	return true;
}

/* A new chunk for this producer. */
static QUEUE_COLD bool michael_scott_grow(struct producer *producer)
{
	struct michael_scott *queue = producer->queue;
	struct queue_memory *memory = queue->memory;
	unsigned bits = queue->chunk_bits;
	size_t bytes = chunk_bytes(bits, queue->stride);
	struct chunk *chunk = (struct chunk *)memory->allocate(memory, bytes, QUEUE_LINE_PAIR);
	/* relaxed: a number only; the exchange below makes it this producer's. */
	uint64_t number = load_relaxed(&queue->chunk_count);

	if (!chunk)
		return false;
	do {
		if (!michael_scott_find_directory(queue, number)) {
			memory->release(memory, chunk, bytes);
			return false;
		}
	} while (!compare_exchange_acq_rel(&queue->chunk_count, &number, number + 1)); /* orders nothing */
	producer->fresh = (uint32_t)(number << bits);
	producer->fresh_left = 1u << bits;
	chunk->slots = (unsigned char *)chunk + chunk_slots_offset(bits);
	for (uint32_t i = 0; i < producer->fresh_left; i++)
		chunk->nodes[i] = (struct node){.next = NO_NODE, .slot = producer->fresh + i, .more = NO_NODE};
	/* plain: others come to know its indices by N0 in michael_scott_flush() or B0 in michael_scott_give_back(). */
	queue->directories[number >> DIRECTORY_BITS]->chunks[number & (DIRECTORY_CHUNKS - 1)] = chunk;
	return true;
}

/* A bundle of free nodes, or NO_NODE. */
QUEUE_INLINE uint32_t michael_scott_take_bundle(struct michael_scott *queue)
{
	/* B1 acquire, also where the exchange fails: pairs with B0 in michael_scott_give_back(): what was read of the slots is read
	 * before they are written anew. */
	uint64_t top = load_acquire(&queue->free);

	while (link_index(top) != NO_NODE) {
		/* relaxed: may be of another life of the node; then the tag of `top` has changed. */
		uint64_t next = load_relaxed(&node_at(queue, link_index(top))->next);

		if (compare_exchange_acq_rel(&queue->free, &top, link_to(link_index(next), top)))
			break;
	}
	return link_index(top);
}

/* All that was taken goes on the free list: each node with a slot, so that both are in the order of the slots. */
QUEUE_INLINE void michael_scott_give_back(struct consumer *consumer)
{
	struct michael_scott *queue = consumer->queue;
	size_t count = consumer->noted;
	/* node i + 1 carries slot i, as it did in the list; the old dummy carries the last one, whose node is the new dummy */
	uint32_t dummy = consumer->nodes[0], first = count > 1 ? consumer->nodes[1] : dummy;
	struct node *node = node_at(queue, first);
	/* relaxed, both: a link's tag is its owner's business, and the exchange below makes sure that `free` is the newest. */
	uint64_t top = load_relaxed(&queue->free), old = load_relaxed(&node->next);

	for (size_t i = 1; i < count; i++)
		node_at(queue, consumer->nodes[i])->more = i + 1 < count ? consumer->nodes[i + 1] : dummy;
	node_at(queue, dummy)->more = NO_NODE;
	/* relaxed: a reader who sees it too early finds that head has moved. */
	store_relaxed(&node_at(queue, dummy)->slot, consumer->slots[count - 1]);
	/* S0 release: as in michael_scott_stage(). B0 release: pairs with B1 in michael_scott_take_bundle(). */
	do
		store_release(&node->next, link_to(link_index(top), old));
	while (!compare_exchange_acq_rel(&queue->free, &top, link_to(first, top)));
}

/* ---- the queue ---- */

static int michael_scott_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	unsigned bits = chunk_bits(config->message_bytes);
	size_t own, consumer, chunks, directories;

	/* Whoever allocates has none free and found none; the others may each have a bundle and the rest of a chunk; and all may
	 * allocate at once. What the readers took may be theirs until they read all of it. */
	if (queue_size(config->batch, 2 * sizeof(uint32_t), sizeof(struct consumer), &consumer) ||
	    queue_size(config->consumers, consumer, sizeof(struct michael_scott), &own) ||
	    queue_size(config->producers, sizeof(struct producer), own, &own) ||
	    queue_size(config->batch, (size_t)config->producers + config->consumers, 1, &chunks) ||
	    queue_size(1, outstanding, chunks, &chunks))
		return -75; /* −EOVERFLOW */
	chunks = (chunks >> bits) + 1 + 2 * config->producers;
	directories = chunks / DIRECTORY_CHUNKS + 1 + config->producers;
	if (queue_size(directories, sizeof(struct directory), own, &own))
		return -75;
	return queue_size(chunks, chunk_bytes(bits, queue_stride(config->message_bytes)), own, bytes);
}

static void michael_scott_release(struct queue_memory *memory, void *block, size_t bytes)
{
	if (block)
		memory->release(memory, block, bytes);
}

static void michael_scott_destroy(void *instance)
{
	struct michael_scott *queue = (struct michael_scott *)instance;
	struct queue_memory *memory = queue->memory;

	for (uint64_t i = 0; i < queue->chunk_count; i++)
		memory->release(memory, node_chunk(queue, (uint32_t)(i << queue->chunk_bits)),
				chunk_bytes(queue->chunk_bits, queue->stride));
	for (size_t i = 0; i < DIRECTORY_CHUNKS; i++)
		michael_scott_release(memory, queue->directories[i], sizeof(struct directory));
	for (unsigned i = 0; queue->consumers && i < queue->consumer_count; i++) {
		struct consumer *consumer = &queue->consumers[i];

		michael_scott_release(memory, consumer->nodes, 2 * consumer->room * sizeof(uint32_t));
	}
	michael_scott_release(memory, queue->producers, queue->producer_count * sizeof(struct producer));
	michael_scott_release(memory, queue->consumers, queue->consumer_count * sizeof(struct consumer));
	memory->release(memory, queue, sizeof(*queue));
}

/* The endpoints and the first chunk. False: memory ran out; what there is belongs to the queue. */
static bool michael_scott_allocate(struct michael_scott *queue, const struct queue_config *config)
{
	struct queue_memory *memory = config->memory;
	size_t room_bytes = 2 * config->batch * sizeof(uint32_t);

	queue->producers = (struct producer *)memory->allocate(
		memory, config->producers * sizeof(struct producer), QUEUE_LINE_PAIR);
	queue->consumers = (struct consumer *)memory->allocate(
		memory, config->consumers * sizeof(struct consumer), QUEUE_LINE_PAIR);
	for (unsigned i = 0; queue->producers && i < config->producers; i++)
		queue->producers[i] = (struct producer){.first = NO_NODE, .last = NO_NODE, .bundle = NO_NODE,
							.queue = queue};
	for (unsigned i = 0; queue->consumers && i < config->consumers; i++)
		queue->consumers[i] = (struct consumer){.room = config->batch, .queue = queue};
	if (!queue->producers || !queue->consumers || !michael_scott_grow(&queue->producers[0]))
		return false;
	for (unsigned i = 0; i < config->consumers; i++) {
		struct consumer *consumer = &queue->consumers[i];

		consumer->nodes = (uint32_t *)memory->allocate(memory, room_bytes, QUEUE_LINE_PAIR);
		if (!consumer->nodes)
			return false;
		consumer->slots = consumer->nodes + consumer->room;
	}
	return true;
}

static int michael_scott_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct michael_scott *queue;
	size_t bytes;
	uint64_t tag;

	if (michael_scott_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	queue = (struct michael_scott *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct michael_scott){.producer_count = config->producers, .consumer_count = config->consumers,
					.chunk_bits = chunk_bits(config->message_bytes),
					.stride = queue_stride(config->message_bytes), .memory = memory};
	if (!michael_scott_allocate(queue, config)) {
		michael_scott_destroy(queue);
		return -12;
	}
	/* The first node is the dummy; its slot stays unused. The tags are the counters of this queue. */
	tag = config->counter_start << 32;
	queue->head = queue->tail = tag | queue->producers[0].fresh++;
	queue->producers[0].fresh_left--;
	queue->free = tag | NO_NODE;
	*instance = queue;
	return 0;
}

static void *michael_scott_producer(void *instance, unsigned index)
{
	return &((struct michael_scott *)instance)->producers[index];
}

static void *michael_scott_consumer(void *instance, unsigned index)
{
	return &((struct michael_scott *)instance)->consumers[index];
}

/* Puts a node at the end of the producer's own chain. */
QUEUE_INLINE void michael_scott_stage(struct producer *producer, uint32_t index)
{
	struct node *node = node_at(producer->queue, index), *last;

	/* relaxed loads: the chain is the producer's own. S0 release: pairs with N1 in michael_scott_flush() and michael_scott_take():
	 * whoever still looks at this node for what it was, and sees what it is, also sees that head and tail have left it. */
	store_release(&node->next, link_to(NO_NODE, load_relaxed(&node->next)));
	if (producer->first == NO_NODE) {
		producer->first = index;
	} else {
		last = node_at(producer->queue, producer->last);
		store_release(&last->next, link_to(index, load_relaxed(&last->next))); /* S0, as above */
	}
	producer->last = index;
}

QUEUE_INLINE void *michael_scott_prewrite_span(void *endpoint, size_t max, size_t *n)
{
	struct producer *producer = (struct producer *)endpoint;
	struct michael_scott *queue = producer->queue;
	uint32_t slot, next;

	*n = 0;
	if (producer->bundle == NO_NODE && !producer->fresh_left) {
		producer->bundle = michael_scott_take_bundle(queue);
		if (queue_unlikely(producer->bundle == NO_NODE) && !michael_scott_grow(producer))
			return NULL;
	}
	if (producer->bundle == NO_NODE) {
		slot = producer->fresh;
		for (; *n < max && producer->fresh_left; ++*n, producer->fresh_left--)
			michael_scott_stage(producer, producer->fresh++);
		return slot_at(queue, slot);
	}
	/* As long as the slots follow each other. relaxed: the producer's own nodes. */
	slot = next = load_relaxed(&node_at(queue, producer->bundle)->slot);
	do {
		uint32_t index = producer->bundle;

		producer->bundle = node_at(queue, index)->more;
		michael_scott_stage(producer, index);
		next++;
		++*n;
	} while (*n < max && producer->bundle != NO_NODE && next & ((1u << queue->chunk_bits) - 1) &&
		 load_relaxed(&node_at(queue, producer->bundle)->slot) == next);
	return slot_at(queue, slot);
}

QUEUE_INLINE enum queue_flush michael_scott_flush(void *endpoint)
{
	struct producer *producer = (struct producer *)endpoint;
	struct michael_scott *queue = producer->queue;
	uint64_t tail, next, *place;

	if (producer->first == NO_NODE)
		return QUEUE_FLUSHED;
	for (;;) {
		/* L1 acquire: pairs with L0 below and in michael_scott_preread(): the node's chunk. */
		tail = load_acquire(&queue->tail);
		place = &node_at(queue, link_index(tail))->next;
		/* N1 acquire: pairs with N0 below: the next node's chunk; and with S0 in michael_scott_stage(). */
		next = load_acquire(place);
		/* relaxed: only compared. Had the node begun another life before `next` was read, S0 would show that tail has moved. */
		if (load_relaxed(&queue->tail) != tail)
			continue;
		if (link_index(next) != NO_NODE) {
			/* Somebody linked a chain and has not moved tail yet. L0 release: pairs with L1. */
			compare_exchange_acq_rel(&queue->tail, &tail, link_to(link_index(next), tail));
			continue;
		}
		/* N0 release: pairs with N1 here and in michael_scott_preread(): the messages, the chain's links and slots. */
		if (compare_exchange_acq_rel(place, &next, link_to(producer->first, next)))
			break;
	}
	/* L0 release: pairs with L1. Where it fails, others have moved tail into the chain and will move it on. */
	compare_exchange_acq_rel(&queue->tail, &tail, link_to(producer->last, tail));
	producer->first = NO_NODE;
	return QUEUE_FLUSHED;
}

/* Takes up to a batch of nodes off the list. Returns how many. */
QUEUE_INLINE size_t michael_scott_take(struct consumer *consumer)
{
	struct michael_scott *queue = consumer->queue;

	for (;;) {
		/* H1 acquire: pairs with H0 below: what the one who moved head there knew of the nodes behind it.
		 * L1 acquire: pairs with L0: the node's chunk; and tail was at or behind head if head has not moved since. */
		uint64_t head = load_acquire(&queue->head), tail = load_acquire(&queue->tail), next;
		uint32_t at = link_index(head);
		size_t n = 0;

		if (at == link_index(tail)) {
			next = load_acquire(&node_at(queue, at)->next); /* N1 acquire: as below */
			/* relaxed, both: only compared. What was read belongs together if neither has moved. */
			if (load_relaxed(&queue->head) != head || load_relaxed(&queue->tail) != tail)
				continue;
			if (link_index(next) == NO_NODE)
				return 0;
			/* L0 release: pairs with L1 in michael_scott_flush(). */
			compare_exchange_acq_rel(&queue->tail, &tail, link_to(link_index(next), tail));
			continue;
		}
		/* What is read on the way may be of other lives of these nodes; then head has moved. */
		while (n < consumer->room && at != link_index(tail)) {
			/* N1 acquire: pairs with N0 in michael_scott_flush(): the messages, slots and links of the chain. */
			next = load_acquire(&node_at(queue, at)->next);
			if (link_index(next) == NO_NODE)
				break;
			consumer->nodes[n] = at;
			at = link_index(next);
			/* relaxed: ordered by N1 (or H1), as far as head does not move. */
			consumer->slots[n++] = load_relaxed(&node_at(queue, at)->slot);
		}
		/* H0 release: pairs with H1. A walk that ended early was of other lives. */
		if (n && compare_exchange_acq_rel(&queue->head, &head, link_to(at, head)))
			return n;
	}
}

QUEUE_INLINE bool michael_scott_preread(void *endpoint)
{
	struct consumer *consumer = (struct consumer *)endpoint;

	if (consumer->read < consumer->noted)
		return true; /* what was read goes back together with the rest of its bundle */
	if (consumer->noted)
		michael_scott_give_back(consumer);
	consumer->read = 0;
	consumer->noted = michael_scott_take(consumer);
	return consumer->noted;
}

QUEUE_INLINE const void *michael_scott_read_span(void *endpoint, size_t max, size_t *n)
{
	struct consumer *consumer = (struct consumer *)endpoint;
	uint32_t slot, next;

	*n = 0;
	if (consumer->read == consumer->noted)
		return NULL;
	slot = next = consumer->slots[consumer->read];
	/* as long as they follow each other */
	do {
		consumer->read++;
		next++;
		++*n;
	} while (*n < max && consumer->read < consumer->noted && next & ((1u << consumer->queue->chunk_bits) - 1) &&
		 consumer->slots[consumer->read] == next);
	return slot_at(consumer->queue, slot);
}

QUEUE_TABLE(michael_scott) = {
	.contract = QUEUE_CONTRACT,
	.name = "michael-scott",
	.summary = "unbounded lock-free list, in place, a batch per link",
	.source = "M. Michael and M. Scott, 1996; free list: R. Treiber, 1986; batched",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_LOCK_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true,
	},
	.footprint = michael_scott_footprint,
	.create = michael_scott_create,
	.destroy = michael_scott_destroy,
	.producer = michael_scott_producer,
	.consumer = michael_scott_consumer,
	.prewrite_span = michael_scott_prewrite_span,
	.flush = michael_scott_flush,
	.preread = michael_scott_preread,
	.read_span = michael_scott_read_span,
};
