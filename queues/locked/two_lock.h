/* A linked list with a lock at each end. The including file sets TWO_LOCK_BATCHES: whether one lock moves all that is staged, or one
 * message.
 *
 * Source: M. M. Michael and M. L. Scott, "Simple, fast, and practical non-blocking and blocking concurrent queue algorithms", 1996: the
 * second of the two.
 *
 * The list begins with a node that holds no message any more, and so is never empty: a producer needs the last node only, a consumer
 * the first, and each has a lock of its own. A producer copies its messages into nodes before it takes the lock, then hangs them behind
 * the last node by one store. A consumer copies out messages of the nodes behind the first while it holds its lock, makes the last of
 * these the first, and gives the others back. The one word that both locks' holders may come to at once is the `next` of a node that is
 * first and last.
 *
 * The locks are those of `spin`: test-and-test-and-set, given up after some tries. (The paper's backs off besides, and never gives up.)
 *
 * Nodes come in chunks of 256 messages (or of 1 MiB, whichever is less) and are used again. Consumers push them onto a list, from which
 * the holder of the tail's lock takes them. Each producer keeps as many as its next batch needs, so that prewrite rarely has to look
 * for them. (The paper's free list is one that all pop from by compare-and-swap on counted pointers.) */
#ifndef QUEUES_TWO_LOCK_H
#define QUEUES_TWO_LOCK_H

#include "queue.h"

enum { TWO_LOCK_CHUNK_MESSAGES = 256, TWO_LOCK_CHUNK_BYTES = 1 << 20 };

struct two_lock_node {
	struct two_lock_node *next; /* in the list: both; elsewhere its list's */
	uint64_t message[];
};

/* A producer's nodes for its next messages, in the order of these. */
struct two_lock_nodes {
	struct two_lock_node *first;
	struct two_lock_node *filled; /* the last one that its message was copied into; NULL: none */
	size_t count, filled_count;
};

#define LOCKED_PLACE struct two_lock_nodes
#include "spin_lock.h"

struct two_lock_chunk {
	struct two_lock_chunk *next;
	unsigned char nodes[] QUEUE_ALIGNED;
};

struct two_lock_queue {
	struct locked_queue common QUEUE_ALIGNED;
	struct lock head_lock QUEUE_ALIGNED; /* consumers */
	struct two_lock_node *head;          /* its holder's: the node before the next message */
	struct lock tail_lock QUEUE_ALIGNED; /* producers */
	struct two_lock_node *tail;          /* its holder's: the last node */
	struct two_lock_node *spares;        /* its holder's: taken off `returned` */
	struct two_lock_node *returned QUEUE_ALIGNED; /* all: pushed one by one, taken whole */
	struct two_lock_chunk *chunks;       /* all: to be released at the end; only pushed */
	/* constant */
	size_t node_bytes QUEUE_ALIGNED, chunk_messages;
};

_Static_assert(offsetof(struct two_lock_queue, common) == 0, "an instance is a struct locked_queue");

static size_t two_lock_chunk_messages(size_t message_bytes)
{
	size_t fit = TWO_LOCK_CHUNK_BYTES / queue_stride(message_bytes);

	return fit > TWO_LOCK_CHUNK_MESSAGES ? (size_t)TWO_LOCK_CHUNK_MESSAGES : fit;
}

static int two_lock_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t messages = two_lock_chunk_messages(config->message_bytes), endpoints = (size_t)config->producers + config->consumers;
	size_t node = sizeof(struct two_lock_node) + queue_stride(config->message_bytes), nodes, fixed;

	/* A chunk is taken when no node is free: all are in the list, kept by a producer, or on a consumer's way back; and each
	 * producer may be about to add a chunk. */
	if (locked_footprint(config, TWO_LOCK_BATCHES, sizeof(struct two_lock_queue), &fixed) ||
	    queue_size(endpoints, locked_room(config, TWO_LOCK_BATCHES), 1, &nodes) ||
	    __builtin_add_overflow(nodes, outstanding, &nodes))
		return -75; /* −EOVERFLOW */
	return queue_size(nodes / messages + 1 + config->producers, sizeof(struct two_lock_chunk) + messages * node, fixed, bytes);
}

/* Puts a chain of nodes onto the list of those to be used again. */
static inline void two_lock_return(struct two_lock_queue *queue, struct two_lock_node *first, struct two_lock_node *last)
{
	/* relaxed: a stale value only makes the exchange below fail; nothing is read through it. */
	struct two_lock_node *top = load_relaxed(&queue->returned);

	do
		last->next = top;
	/* R0 release: pairs with R1 in two_lock_keep(): what was read of the nodes is read before they are written anew. No ABA: the
	 * list is taken whole, and nobody looks into a node that it has not taken. */
	while (!compare_exchange_acq_rel(&queue->returned, &top, first));
}

static inline struct two_lock_node *two_lock_node_at(const struct two_lock_queue *queue, struct two_lock_chunk *chunk, size_t index)
{
	return (struct two_lock_node *)(void *)(chunk->nodes + index * queue->node_bytes);
}

/* A chunk whose nodes form a chain that ends with NULL. NULL: no memory. */
static struct two_lock_chunk *two_lock_new_chunk(struct two_lock_queue *queue)
{
	struct two_lock_chunk *chunk = (struct two_lock_chunk *)queue->common.memory->allocate(
		queue->common.memory, sizeof(*chunk) + queue->chunk_messages * queue->node_bytes, QUEUE_LINE_PAIR);

	if (!chunk)
		return NULL;
	for (size_t i = 0; i < queue->chunk_messages; i++)
		two_lock_node_at(queue, chunk, i)->next =
			i + 1 < queue->chunk_messages ? two_lock_node_at(queue, chunk, i + 1) : NULL;
	/* relaxed: as in two_lock_return(). acq_rel: read by destroy() only, whose caller knows that all others have ended. */
	chunk->next = load_relaxed(&queue->chunks);
	while (!compare_exchange_acq_rel(&queue->chunks, &chunk->next, chunk))
		;
	return chunk;
}

/* Adds a chain to a producer's nodes: behind those that are filled, for their order is the messages'. */
QUEUE_INLINE void two_lock_add(struct two_lock_nodes *nodes, struct two_lock_node *first, struct two_lock_node *last, size_t count)
{
	struct two_lock_node **place = nodes->filled ? &nodes->filled->next : &nodes->first;

	last->next = *place;
	*place = first;
	nodes->count += count;
}

/* Under the tail's lock: the producer keeps as many free nodes as its stage has room for, as far as there are. */
QUEUE_INLINE void two_lock_keep(struct two_lock_queue *queue, struct locked_endpoint *producer)
{
	struct two_lock_nodes *nodes = &producer->place;

	while (nodes->count < producer->stage.room) {
		struct two_lock_node *node = queue->spares;

		if (!node) {
			/* relaxed: only whether the exchange is worth its while
			 * R1 acquire: pairs with R0 in two_lock_return(). */
			if (!load_relaxed(&queue->returned))
				return;
			node = exchange_acquire(&queue->returned, NULL);
		}
		queue->spares = node->next;
		two_lock_add(nodes, node, node, 1);
	}
}

/* Nodes for a producer that has none left but those that its staged messages will take. False: none to be had now. */
static QUEUE_COLD bool two_lock_grow(struct two_lock_queue *queue, struct locked_endpoint *producer)
{
	struct two_lock_nodes *nodes = &producer->place;
	struct two_lock_chunk *chunk;
	struct two_lock_node *last;
	size_t kept;

	if (!lock_enter(&queue->tail_lock, producer))
		return false;
	two_lock_keep(queue, producer);
	lock_leave(&queue->tail_lock, producer);
	if (nodes->count > producer->stage.staged)
		return true;
	chunk = two_lock_new_chunk(queue);
	if (!chunk)
		return false;
	kept = producer->stage.room - nodes->count;
	if (kept > queue->chunk_messages)
		kept = queue->chunk_messages;
	last = two_lock_node_at(queue, chunk, kept - 1);
	if (kept < queue->chunk_messages)
		two_lock_return(queue, last->next, two_lock_node_at(queue, chunk, queue->chunk_messages - 1));
	two_lock_add(nodes, two_lock_node_at(queue, chunk, 0), last, kept);
	return true;
}

static void two_lock_destroy(void *instance)
{
	struct two_lock_queue *queue = (struct two_lock_queue *)instance;
	struct queue_memory *memory = queue->common.memory;
	size_t chunk_bytes = sizeof(struct two_lock_chunk) + queue->chunk_messages * queue->node_bytes;

	while (queue->chunks) {
		struct two_lock_chunk *next = queue->chunks->next;

		memory->release(memory, queue->chunks, chunk_bytes);
		queue->chunks = next;
	}
	locked_destroy(queue);
}

static int two_lock_create(const struct queue_config *config, void **instance)
{
	struct two_lock_queue *queue;
	struct two_lock_chunk *chunk;
	size_t bytes;
	int status = two_lock_footprint(config, 0, &bytes);

	if (!status)
		status = locked_create(config, TWO_LOCK_BATCHES, sizeof(struct two_lock_queue), instance);
	if (status)
		return status;
	queue = (struct two_lock_queue *)*instance;
	queue->node_bytes = sizeof(struct two_lock_node) + queue_stride(config->message_bytes);
	queue->chunk_messages = two_lock_chunk_messages(config->message_bytes);
	lock_init(&queue->head_lock, config);
	lock_init(&queue->tail_lock, config);
	chunk = two_lock_new_chunk(queue);
	if (!chunk) {
		two_lock_destroy(queue);
		return -12; /* −ENOMEM */
	}
	queue->head = queue->tail = two_lock_node_at(queue, chunk, 0);
	queue->spares = queue->head->next;
	queue->head->next = NULL;
	return 0;
}

QUEUE_INLINE void *two_lock_prewrite_span(void *endpoint, size_t max, size_t *n)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;
	size_t free;

	if (queue_unlikely(producer->place.count == producer->stage.staged) &&
	    (producer->stage.staged == producer->stage.room || !two_lock_grow((struct two_lock_queue *)producer->queue, producer))) {
		*n = 0;
		return NULL;
	}
	free = producer->place.count - producer->stage.staged;
	return locked_prewrite_span(producer, max < free ? max : free, n);
}

QUEUE_INLINE enum queue_flush two_lock_flush(void *endpoint)
{
	struct locked_endpoint *producer = (struct locked_endpoint *)endpoint;
	struct two_lock_queue *queue = (struct two_lock_queue *)producer->queue;
	struct two_lock_nodes *nodes = &producer->place;
	struct stage *stage = &producer->stage;
	struct two_lock_node *rest;

	if (!stage->staged)
		return QUEUE_FLUSHED;
	/* a flush that did not get the lock has filled some already */
	for (; nodes->filled_count < stage->staged; nodes->filled_count++) {
		nodes->filled = nodes->filled ? nodes->filled->next : nodes->first;
		copy_messages(nodes->filled->message, stage_first(stage) + nodes->filled_count * stage->stride, stage->stride / 8);
	}
	if (!lock_enter(&queue->tail_lock, producer))
		return QUEUE_FULL;
	rest = nodes->filled->next;
	nodes->filled->next = NULL;
	/* N0 release: pairs with N1 in two_lock_preread(): makes the nodes' contents and their links visible. */
	store_release(&queue->tail->next, nodes->first);
	queue->tail = nodes->filled;
	nodes->first = rest;
	nodes->filled = NULL;
	nodes->filled_count = 0;
	nodes->count -= stage->staged;
	two_lock_keep(queue, producer);
	lock_leave(&queue->tail_lock, producer);
	return stage_shift(stage, stage->staged);
}

QUEUE_INLINE bool two_lock_preread(void *endpoint)
{
	struct locked_endpoint *consumer = (struct locked_endpoint *)endpoint;
	struct two_lock_queue *queue = (struct two_lock_queue *)consumer->queue;
	struct two_lock_node *first, *last, *node, *next;
	struct stage *stage = &consumer->stage;
	size_t taken = 0;

	if (stage->staged)
		return true;
	if (!lock_enter(&queue->head_lock, consumer))
		return false;
	first = last = node = queue->head;
	/* N1 acquire: pairs with N0 in two_lock_flush(). */
	while (taken < stage->room && (next = load_acquire(&node->next))) {
		copy_messages(stage->messages + taken++ * stage->stride, next->message, stage->stride / 8);
		last = node;
		node = next;
	}
	queue->head = node;
	lock_leave(&queue->head_lock, consumer);
	if (!taken)
		return false;
	/* all from the node that was first to the one before that which is it now */
	two_lock_return(queue, first, last);
	stage_fill(stage, taken);
	return true;
}

#define TWO_LOCK_OPERATIONS                                                                                            \
	.footprint = two_lock_footprint, .create = two_lock_create, .destroy = two_lock_destroy,                       \
	.producer = locked_producer, .consumer = locked_consumer, .prewrite_span = two_lock_prewrite_span,             \
	.flush = two_lock_flush, .preread = two_lock_preread, .read_span = locked_read_span

#endif
