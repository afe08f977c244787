/* A peer: somebody else's queue, behind a stage at each end. Its file is C or C++; it defines what is declared below, and sets
 *
 *	PEER_BATCHES   whether the peer takes several messages at once; if not, a stage holds one
 *	PEER_NATIVE    whether it waits by its own means: peer_push_wait() and peer_pop_wait()
 *
 *	PEER_HAS_PLACES  set where its endpoints have something of their own: peer_join() and peer_leave()
 *	PEER_BYTES     of a peer whose messages are of one C type: its size; else 8 (a word) stands here and is of no use
 *
 * The copy from the stage into the peer and out of it is what any user of the peer has, who must put a message somewhere. */
#ifndef QUEUES_PEERS_PEER_H
#define QUEUES_PEERS_PEER_H

#include "stage.h"

#ifndef PEER_NATIVE
#define PEER_NATIVE 0
#endif
#ifndef PEER_BYTES
#define PEER_BYTES 8
#endif

/* These are types of this file alone, and so are called: of what a template makes of two that are called the same, the linker would take one
 * for both. */
#define PEER_PASTE(name, target) name##_of_##target
#define PEER_OF(name, target) PEER_PASTE(name, target)
#define peer_record PEER_OF(peer_record, TARGET)
#define peer_queue PEER_OF(peer_queue, TARGET)
#define peer_place PEER_OF(peer_place, TARGET)

/* A message of a peer whose messages are of one type, and what such a peer is called by it. */
struct peer_record {
	uint64_t words[PEER_BYTES / 8];
};

#if PEER_BYTES == 8
#define PEER_NAME(name) name
#else
#define PEER_NAME(name) name "-64"
_Static_assert(PEER_BYTES == 64, "the name says so");
#endif

/* Within the peer's file, of a peer whose messages are of one type. */
#define PEER_MESSAGES .message_min = PEER_BYTES, .message_max = PEER_BYTES

/* A peer's file names these two: what all endpoints share, and what each has besides. */
typedef struct peer_queue peer_queue;
typedef struct peer_place peer_place;

struct peer;

struct peer_endpoint {
	struct stage stage;
	peer_queue *queue; /* constant */
	peer_place *place; /* the peer's own; NULL: none */
} QUEUE_ALIGNED;

/* All of it constant. */
struct peer {
	peer_queue *queue;
	struct peer_endpoint *endpoints; /* producers first */
	struct queue_config config;
};

/* Bytes at most, by the peer's own allocations as well: −EINVAL, −EOVERFLOW. */
static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes);
/* NULL: there is no memory. What close, leave release is what open, join took. */
static peer_queue *peer_open(const struct queue_config *config);
#ifndef __cplusplus
static void peer_close(peer_queue *queue, const struct queue_config *config);
#endif
/* An endpoint's own. False: it could not be had. leave: also where it was not. */
static bool peer_join(struct peer_endpoint *endpoint, const struct queue_config *config, bool producer, unsigned index);
static void peer_leave(struct peer_endpoint *endpoint, const struct queue_config *config);
/* How many of n ≥ 1 messages, which lie a stride apart, went in; how many came out. */
QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n);
QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n);
#if PEER_NATIVE
/* The same, but they wait until one at least did. */
QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n);
QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n);
#endif

#ifndef PEER_HAS_PLACES
static bool peer_join(struct peer_endpoint *endpoint, const struct queue_config *config, bool producer, unsigned index)
{
	(void)endpoint, (void)config, (void)producer, (void)index;
	return true;
}

static void peer_leave(struct peer_endpoint *endpoint, const struct queue_config *config)
{
	(void)endpoint, (void)config;
}
#endif

static size_t peer_room(const struct queue_config *config)
{
	return PEER_BATCHES ? stage_room(config) : 1;
}

static int peer_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t endpoint, own;
	int status = peer_bytes(config, outstanding, &own);

	if (status)
		return status;
	if (queue_size(peer_room(config), queue_stride(config->message_bytes), sizeof(struct peer_endpoint), &endpoint) ||
	    queue_size(config->producers + config->consumers, endpoint, sizeof(struct peer), &endpoint))
		return -75; /* −EOVERFLOW */
	return queue_size(1, own, endpoint, bytes);
}

static void peer_destroy(void *instance)
{
	struct peer *peer = (struct peer *)instance;
	struct queue_memory *memory = peer->config.memory;
	size_t count = peer->config.producers + peer->config.consumers;

	for (size_t i = 0; peer->endpoints && i < count; i++) {
		if (peer->queue)
			peer_leave(&peer->endpoints[i], &peer->config);
		stage_close(&peer->endpoints[i].stage, memory);
	}
	if (peer->queue)
		peer_close(peer->queue, &peer->config);
	if (peer->endpoints)
		memory->release(memory, peer->endpoints, count * sizeof(struct peer_endpoint));
	memory->release(memory, peer, sizeof(*peer));
}

static int peer_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	unsigned count = config->producers + config->consumers;
	struct peer *peer;
	size_t bytes;
	int status = peer_footprint(config, 0, &bytes);
	bool complete;

	if (status)
		return status;
	peer = (struct peer *)memory->allocate(memory, sizeof(*peer), QUEUE_LINE_PAIR);
	if (!peer)
		return -12; /* −ENOMEM */
	peer->config = *config;
	peer->endpoints = (struct peer_endpoint *)memory->allocate(memory, count * sizeof(struct peer_endpoint), QUEUE_LINE_PAIR);
	peer->queue = peer->endpoints ? peer_open(config) : NULL;
	complete = peer->queue != NULL;
	for (unsigned i = 0; peer->endpoints && i < count; i++) {
		struct peer_endpoint *endpoint = &peer->endpoints[i];
		bool producer = i < config->producers;

		endpoint->queue = peer->queue;
		endpoint->place = NULL;
		complete = stage_open(&endpoint->stage, config, peer_room(config)) && complete;
		complete = complete && peer_join(endpoint, config, producer, producer ? i : i - config->producers);
	}
	if (!complete) {
		peer_destroy(peer);
		return -12;
	}
	*instance = peer;
	return 0;
}

static void *peer_producer(void *instance, unsigned index)
{
	return &((struct peer *)instance)->endpoints[index];
}

static void *peer_consumer(void *instance, unsigned index)
{
	struct peer *peer = (struct peer *)instance;

	return &peer->endpoints[peer->config.producers + index];
}

QUEUE_INLINE void *peer_prewrite_span(void *producer, size_t max, size_t *n)
{
	return stage_prewrite_span(&((struct peer_endpoint *)producer)->stage, max, n);
}

QUEUE_INLINE enum queue_flush peer_flush(void *producer)
{
	struct peer_endpoint *endpoint = (struct peer_endpoint *)producer;
	struct stage *stage = &endpoint->stage;

	return stage->staged ? stage_shift(stage, peer_push(endpoint, stage_first(stage), stage->staged)) : QUEUE_FLUSHED;
}

QUEUE_INLINE bool peer_preread(void *consumer)
{
	struct peer_endpoint *endpoint = (struct peer_endpoint *)consumer;
	struct stage *stage = &endpoint->stage;

	if (!stage->staged)
		stage_fill(stage, peer_pop(endpoint, stage->messages, stage->room));
	return stage->staged != 0;
}

QUEUE_INLINE const void *peer_read_span(void *consumer, size_t max, size_t *n)
{
	return stage_read_span(&((struct peer_endpoint *)consumer)->stage, max, n);
}

#if PEER_NATIVE
QUEUE_INLINE void peer_flush_wait(void *producer)
{
	struct peer_endpoint *endpoint = (struct peer_endpoint *)producer;
	struct stage *stage = &endpoint->stage;

	while (stage->staged)
		stage_shift(stage, peer_push_wait(endpoint, stage_first(stage), stage->staged));
}

QUEUE_INLINE void peer_preread_wait(void *consumer)
{
	struct peer_endpoint *endpoint = (struct peer_endpoint *)consumer;
	struct stage *stage = &endpoint->stage;

	while (!stage->staged)
		stage_fill(stage, peer_pop_wait(endpoint, stage->messages, stage->room));
}

#define PEER_WAITS , .flush_wait = peer_flush_wait, .preread_wait = peer_preread_wait
#else
#define PEER_WAITS
#endif

#define PEER_OPERATIONS                                                                                                \
	.footprint = peer_footprint, .create = peer_create, .destroy = peer_destroy, .producer = peer_producer,        \
	.consumer = peer_consumer, .prewrite_span = peer_prewrite_span, .flush = peer_flush, .preread = peer_preread,  \
	.read_span = peer_read_span PEER_WAITS

#endif
