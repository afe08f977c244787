/* A list of nodes under a lock, without a bug, which takes from its memory to the byte what its footprint says: a node a message, and none
 * in reserve. What only a queue with memory to spare can pass is no check of the contract. */
#include "broken.h"

struct node {
	struct node *next;
	unsigned char slot[] __attribute__((aligned(64)));
};

struct chain {
	struct node *first, **end; /* end: where the next one is linked */
};

struct exact_list;

struct exact_endpoint {
	struct chain staged QUEUE_ALIGNED; /* producer's; a consumer's: noted, and not yet read */
	struct chain read;                 /* consumer's: to be released */
	struct exact_list *list;           /* constant */
};

struct exact_list {
	uint32_t locked QUEUE_ALIGNED;
	struct chain flushed; /* the lock's holder's */
	struct exact_endpoint *endpoints QUEUE_ALIGNED; /* constant, as what follows; producers first */
	struct queue_config config;
	size_t node_bytes;
};

static void chain_open(struct chain *chain)
{
	*chain = (struct chain){.end = &chain->first};
}

static void chain_add(struct chain *chain, struct node *node)
{
	node->next = NULL;
	*chain->end = node;
	chain->end = &node->next;
}

/* Puts all of one behind the other. */
static void chain_move(struct chain *from, struct chain *to)
{
	if (!from->first)
		return;
	*to->end = from->first;
	to->end = from->end;
	chain_open(from);
}

static void chain_release(struct exact_list *list, struct chain *chain)
{
	struct queue_memory *memory = list->config.memory;

	for (struct node *node = chain->first, *next; node; node = next) {
		next = node->next;
		memory->release(memory, node, list->node_bytes);
	}
	chain_open(chain);
}

static size_t endpoints_bytes(const struct queue_config *config)
{
	return (config->producers + config->consumers) * sizeof(struct exact_endpoint);
}

static size_t node_bytes(const struct queue_config *config)
{
	return sizeof(struct node) + queue_stride(config->message_bytes);
}

static int exact_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	return queue_size(outstanding, node_bytes(config), sizeof(struct exact_list) + endpoints_bytes(config), bytes);
}

static int exact_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct exact_list *list = memory->allocate(memory, sizeof(*list), QUEUE_LINE_PAIR);

	if (!list)
		return -12; /* −ENOMEM */
	*list = (struct exact_list){.config = *config, .node_bytes = node_bytes(config)};
	list->endpoints = memory->allocate(memory, endpoints_bytes(config), QUEUE_LINE_PAIR);
	if (!list->endpoints) {
		memory->release(memory, list, sizeof(*list));
		return -12;
	}
	chain_open(&list->flushed);
	for (unsigned i = 0; i < config->producers + config->consumers; i++) {
		list->endpoints[i].list = list;
		chain_open(&list->endpoints[i].staged);
		chain_open(&list->endpoints[i].read);
	}
	*instance = list;
	return 0;
}

static void exact_destroy(void *instance)
{
	struct exact_list *list = instance;
	struct queue_memory *memory = list->config.memory;

	chain_release(list, &list->flushed);
	for (unsigned i = 0; i < list->config.producers + list->config.consumers; i++) {
		chain_release(list, &list->endpoints[i].staged);
		chain_release(list, &list->endpoints[i].read);
	}
	memory->release(memory, list->endpoints, endpoints_bytes(&list->config));
	memory->release(memory, list, sizeof(*list));
}

static void *exact_producer(void *instance, unsigned index)
{
	return &((struct exact_list *)instance)->endpoints[index];
}

static void *exact_consumer(void *instance, unsigned index)
{
	struct exact_list *list = instance;

	return &list->endpoints[list->config.producers + index];
}

static void exact_lock(struct exact_list *list)
{
	/* L1 acquire: pairs with L0 in exact_unlock() */
	while (exchange_acquire(&list->locked, 1u))
		cpu_relax();
}

static void exact_unlock(struct exact_list *list)
{
	store_release(&list->locked, 0u); /* L0 release: pairs with L1 in exact_lock() */
}

static void *exact_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct exact_endpoint *endpoint = producer;
	struct queue_memory *memory = endpoint->list->config.memory;
	struct node *node = memory->allocate(memory, endpoint->list->node_bytes, 64);

	(void)max;
	*n = node != NULL;
	if (!node)
		return NULL;
	chain_add(&endpoint->staged, node);
	return node->slot;
}

static enum queue_flush exact_flush(void *producer)
{
	struct exact_endpoint *endpoint = producer;

	exact_lock(endpoint->list);
	chain_move(&endpoint->staged, &endpoint->list->flushed);
	exact_unlock(endpoint->list);
	return QUEUE_FLUSHED;
}

static bool exact_preread(void *consumer)
{
	struct exact_endpoint *endpoint = consumer;

	chain_release(endpoint->list, &endpoint->read);
	exact_lock(endpoint->list);
	chain_move(&endpoint->list->flushed, &endpoint->staged);
	exact_unlock(endpoint->list);
	return endpoint->staged.first;
}

static const void *exact_read_span(void *consumer, size_t max, size_t *n)
{
	struct exact_endpoint *endpoint = consumer;
	struct node *node = endpoint->staged.first;

	(void)max;
	*n = node != NULL;
	if (!node)
		return NULL;
	endpoint->staged.first = node->next;
	if (!node->next)
		chain_open(&endpoint->staged);
	chain_add(&endpoint->read, node);
	return node->slot;
}

const struct queue exact_list = {
	.contract = QUEUE_CONTRACT, .name = "test-exact-list", .summary = "a test's", .source = "none",
	.traits = {.shape = QUEUE_MPMC, .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		   .progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_PER_PRODUCER, .batches = true, .in_place = true},
	.footprint = exact_footprint, .create = exact_create, .destroy = exact_destroy,
	.producer = exact_producer, .consumer = exact_consumer,
	.prewrite_span = exact_prewrite_span, .flush = exact_flush, .preread = exact_preread, .read_span = exact_read_span,
};
