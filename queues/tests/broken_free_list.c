/* A list of nodes in place for several producers and consumers, whose free nodes lie on a stack (R. K. Treiber, 1986). Popping one
 * takes two looks: at the top and at what lies below. Without a tag that counts the changes, a top that was popped and pushed again
 * meanwhile passes for untouched, and what lay below it is by now in use: the ABA problem. Now and then a thread gives its CPU away,
 * many times over, between its looks and the exchange, while others pop at full speed: as wide a window as can be. The twin without the
 * bug pops while it holds the lock. */
#include <sched.h>

#include "broken.h"

enum bug { NO_BUG, ABA };

enum { NONE = UINT32_MAX };

enum { LINGER_EVERY = 16, LINGER_YIELDS = 50 };

struct chain {
	uint32_t first, last; /* nodes; NONE: empty */
};

struct list_endpoint {
	struct list_queue *queue QUEUE_ALIGNED;
	struct chain chain; /* producer: staged. consumer: noted */
	struct chain read;  /* consumer: handed out, to be released */
	unsigned pops;      /* producer */
};

struct list_queue {
	uint32_t locked QUEUE_ALIGNED;
	struct chain waiting;       /* the lock's holder's */
	uint32_t top QUEUE_ALIGNED; /* of the free nodes; all threads' */
	/* constant */
	uint32_t *next QUEUE_ALIGNED; /* by node: the one below, behind it; atomic */
	unsigned char *slots;
	size_t capacity, stride;
	struct list_endpoint *endpoints;
	unsigned producers, consumers;
	struct queue_memory *memory;
};

static int list_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t endpoints = config->producers + config->consumers, slots, nodes;

	(void)outstanding;
	if (queue_size(config->capacity, queue_stride(config->message_bytes), sizeof(struct list_queue), &slots) ||
	    queue_size(config->capacity, sizeof(uint32_t), slots, &nodes) ||
	    queue_size(endpoints, sizeof(struct list_endpoint), nodes, bytes) || config->capacity >= NONE)
		return -75; /* −EOVERFLOW */
	return 0;
}

static void list_destroy(void *instance)
{
	struct list_queue *queue = instance;
	struct queue_memory *memory = queue->memory;

	if (queue->next)
		memory->release(memory, queue->next, queue->capacity * sizeof(*queue->next));
	if (queue->slots)
		memory->release(memory, queue->slots, queue->capacity * queue->stride);
	if (queue->endpoints)
		memory->release(memory, queue->endpoints, (queue->producers + queue->consumers) * sizeof(*queue->endpoints));
	memory->release(memory, queue, sizeof(*queue));
}

static int list_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes), endpoints = config->producers + config->consumers, bytes;
	struct list_queue *queue;

	if (list_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	queue = (struct list_queue *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	if (!queue)
		return -12; /* −ENOMEM */
	*queue = (struct list_queue){.waiting = {NONE, NONE}, .capacity = config->capacity, .stride = stride,
				     .producers = config->producers, .consumers = config->consumers, .memory = memory};
	queue->next = (uint32_t *)memory->allocate(memory, config->capacity * sizeof(*queue->next), QUEUE_LINE_PAIR);
	queue->slots = (unsigned char *)memory->allocate(memory, config->capacity * stride, QUEUE_LINE_PAIR);
	queue->endpoints =
		(struct list_endpoint *)memory->allocate(memory, endpoints * sizeof(*queue->endpoints), QUEUE_LINE_PAIR);
	if (!queue->next || !queue->slots || !queue->endpoints) {
		list_destroy(queue);
		return -12;
	}
	for (uint32_t i = 0; i < config->capacity; i++)
		queue->next[i] = i + 1 < config->capacity ? i + 1 : NONE;
	for (size_t i = 0; i < endpoints; i++)
		queue->endpoints[i] = (struct list_endpoint){queue, {NONE, NONE}, {NONE, NONE}, 1};
	*instance = queue;
	return 0;
}

static void *list_producer(void *instance, unsigned index)
{
	return &((struct list_queue *)instance)->endpoints[index];
}

static void *list_consumer(void *instance, unsigned index)
{
	struct list_queue *queue = instance;

	return &queue->endpoints[queue->producers + index];
}

static void list_lock(struct list_queue *queue)
{
	while (exchange_acquire(&queue->locked, 1)) /* L1 acquire: pairs with L0 in list_unlock() */
		sched_yield();
}

static void list_unlock(struct list_queue *queue)
{
	store_release(&queue->locked, 0); /* L0 release: pairs with L1 in list_lock() */
}

/* A free node, or NONE. */
static uint32_t list_pop(struct list_endpoint *producer, enum bug bug)
{
	struct list_queue *queue = producer->queue;
	uint32_t top, below;

	if (bug == NO_BUG)
		list_lock(queue); /* no one else pops, so the top can't go and come back */
	top = load_acquire(&queue->top); /* F1 acquire: pairs with F0 in list_push(): the reader is done with the slot */
	do {
		if (top == NONE)
			break;
		/* relaxed: F1 made it visible; where it changed since, so did the top, one would hope */
		below = load_relaxed(&queue->next[top]);
		for (unsigned i = 0; bug == ABA && producer->pops % LINGER_EVERY == 0 && i < LINGER_YIELDS; i++)
			sched_yield();
		producer->pops++;
	} while (!compare_exchange_acq_rel(&queue->top, &top, below));
	if (bug == NO_BUG)
		list_unlock(queue);
	return top;
}

static void list_push(struct list_queue *queue, uint32_t node)
{
	uint32_t top = load_relaxed(&queue->top); /* relaxed: only to be compared */

	do
		store_relaxed(&queue->next[node], top); /* relaxed: F0 publishes it */
	while (!compare_exchange_acq_rel(&queue->top, &top, node)); /* F0 release: pairs with F1 in list_pop() */
}

/* Appends b, which is then empty. */
static void chain_join(struct list_queue *queue, struct chain *a, struct chain *b)
{
	if (b->first == NONE)
		return;
	if (a->first == NONE)
		a->first = b->first;
	else
		store_relaxed(&queue->next[a->last], b->first); /* relaxed: the lock, or the thread itself, orders it */
	a->last = b->last;
	*b = (struct chain){NONE, NONE};
}

static void *list_prewrite_span(void *end, size_t *n, enum bug bug)
{
	struct list_endpoint *producer = end;
	uint32_t node = list_pop(producer, bug);
	struct chain one = {node, node};

	*n = node != NONE;
	if (node == NONE)
		return NULL;
	chain_join(producer->queue, &producer->chain, &one);
	return producer->queue->slots + node * producer->queue->stride;
}

static enum queue_flush list_flush(void *end)
{
	struct list_endpoint *producer = end;

	if (producer->chain.first == NONE)
		return QUEUE_FLUSHED;
	list_lock(producer->queue);
	chain_join(producer->queue, &producer->queue->waiting, &producer->chain);
	list_unlock(producer->queue);
	return QUEUE_FLUSHED;
}

/* A chain's first node, taken off it; or NONE. */
static uint32_t chain_take(struct list_queue *queue, struct chain *chain)
{
	uint32_t node = chain->first;

	if (node == NONE)
		return NONE;
	chain->first = node == chain->last ? NONE : load_relaxed(&queue->next[node]); /* relaxed: as in chain_join() */
	return node;
}

static bool list_preread(void *end)
{
	struct list_endpoint *consumer = end;
	uint32_t node;

	while ((node = chain_take(consumer->queue, &consumer->read)) != NONE)
		list_push(consumer->queue, node);
	list_lock(consumer->queue);
	chain_join(consumer->queue, &consumer->chain, &consumer->queue->waiting);
	list_unlock(consumer->queue);
	return consumer->chain.first != NONE;
}

static const void *list_read_span(void *end, size_t max, size_t *n)
{
	struct list_endpoint *consumer = end;
	uint32_t node = chain_take(consumer->queue, &consumer->chain);
	struct chain one = {node, node};

	(void)max;
	*n = node != NONE;
	if (node == NONE)
		return NULL;
	chain_join(consumer->queue, &consumer->read, &one);
	return consumer->queue->slots + node * consumer->queue->stride;
}

#define BROKEN(symbol, its_bug)                                                                                        \
	static void *symbol##_prewrite_span(void *producer, size_t max, size_t *n)                                     \
	{                                                                                                              \
		(void)max;                                                                                             \
		return list_prewrite_span(producer, n, its_bug);                                                       \
	}                                                                                                              \
	const struct queue broken_free_list_##symbol = {                                                               \
		.contract = QUEUE_CONTRACT,                                                                            \
		.name = "broken",                                                                                      \
		.summary = "a queue with a planted bug",                                                               \
		.source = "none",                                                                                      \
		.traits = {.shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,                                    \
			   .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,                         \
			   .progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL, .batches = true, .in_place = true}, \
		.footprint = list_footprint, .create = list_create, .destroy = list_destroy,                           \
		.producer = list_producer, .consumer = list_consumer,                                                  \
		.prewrite_span = symbol##_prewrite_span, .flush = list_flush,                                          \
		.preread = list_preread, .read_span = list_read_span,                                                  \
	}

BROKEN(no_bug, NO_BUG);
BROKEN(aba, ABA);
