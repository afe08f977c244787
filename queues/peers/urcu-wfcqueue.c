/* urcu-wfcqueue: the queue of liburcu (M. Desnoyers, L. Jiangshan), unbounded, for any number of producers and one consumer. Nodes come
 * from malloc and are freed by the consumer, as in its examples. A batch is linked by itself first and spliced in at once; the consumer
 * splices all away at once and takes it from there. */
#include <stdlib.h>

#define _LGPL_SOURCE /* that its operations are inlined */
#include <urcu/wfcqueue.h>

#define PEER_BATCHES true
#define PEER_HAS_PLACES
#include "copy.h"
#include "peer.h"

struct wfcq {
	struct __cds_wfcq_head head QUEUE_ALIGNED;
	struct cds_wfcq_tail tail QUEUE_ALIGNED;
};

struct peer_queue {
	struct wfcq shared;
};

/* What an endpoint has linked, or taken away. */
struct peer_place {
	struct wfcq own;
};

struct node {
	struct cds_wfcq_node link; /* first: a link is a node */
	uint64_t message[];
};

enum { MALLOC_BYTES = 32 }; /* what malloc adds at most to a node */

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t own;

	if (queue_size(config->producers + config->consumers, sizeof(peer_place), sizeof(peer_queue), &own))
		return -75; /* −EOVERFLOW */
	return queue_size(outstanding, sizeof(struct node) + queue_stride(config->message_bytes) + MALLOC_BYTES, own, bytes);
}

static void wfcq_init(struct wfcq *queue)
{
	__cds_wfcq_init(&queue->head, &queue->tail);
}

static void wfcq_free(struct wfcq *queue)
{
	struct cds_wfcq_node *node;

	while ((node = __cds_wfcq_dequeue_blocking(&queue->head, &queue->tail)))
		free(node);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	peer_queue *queue = (peer_queue *)config->memory->allocate(config->memory, sizeof(*queue), QUEUE_LINE_PAIR);

	if (queue)
		wfcq_init(&queue->shared);
	return queue;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	wfcq_free(&queue->shared);
	config->memory->release(config->memory, queue, sizeof(*queue));
}

static bool peer_join(struct peer_endpoint *endpoint, const struct queue_config *config, bool producer, unsigned index)
{
	(void)producer, (void)index;
	endpoint->place = (peer_place *)config->memory->allocate(config->memory, sizeof(*endpoint->place), QUEUE_LINE_PAIR);
	if (!endpoint->place)
		return false;
	wfcq_init(&endpoint->place->own);
	return true;
}

static void peer_leave(struct peer_endpoint *endpoint, const struct queue_config *config)
{
	if (!endpoint->place)
		return;
	wfcq_free(&endpoint->place->own);
	config->memory->release(config->memory, endpoint->place, sizeof(*endpoint->place));
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	struct wfcq *shared = &endpoint->queue->shared, *own = &endpoint->place->own;
	size_t stride = endpoint->stage.stride, pushed = 0;

	for (; pushed < n; pushed++) {
		struct node *node = (struct node *)malloc(sizeof(*node) + stride);

		if (!node)
			break;
		cds_wfcq_node_init(&node->link);
		copy_messages(node->message, (const unsigned char *)messages + pushed * stride, stride / 8);
		if (n == 1)
			cds_wfcq_enqueue(&shared->head, &shared->tail, &node->link);
		else
			cds_wfcq_enqueue(&own->head, &own->tail, &node->link);
	}
	if (n > 1)
		__cds_wfcq_splice_blocking(&shared->head, &shared->tail, &own->head, &own->tail);
	return pushed;
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	struct wfcq *shared = &endpoint->queue->shared, *own = &endpoint->place->own;
	size_t stride = endpoint->stage.stride, popped = 0;
	struct cds_wfcq_node *link;

	/* looks first: a splice from an empty queue is an exchange all the same */
	if (cds_wfcq_empty(&own->head, &own->tail) && !cds_wfcq_empty(&shared->head, &shared->tail))
		__cds_wfcq_splice_blocking(&own->head, &own->tail, &shared->head, &shared->tail);
	while (popped < n && (link = __cds_wfcq_dequeue_blocking(&own->head, &own->tail))) {
		copy_messages((unsigned char *)messages + popped++ * stride, ((struct node *)link)->message, stride / 8);
		free(link);
	}
	return popped;
}

QUEUE_TABLE(urcu_wfcqueue) = {
	.contract = QUEUE_CONTRACT,
	.name = "urcu-wfcqueue",
	.summary = "liburcu wfcqueue: malloc'ed nodes, batches spliced in and out",
	.source = "M. Desnoyers and L. Jiangshan, liburcu, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_MPSC, .consumers_max = 1, .message_min = QUEUE_MESSAGE_MIN,
		.message_max = QUEUE_MESSAGE_MAX, .progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL, .batches = true,
		.calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
