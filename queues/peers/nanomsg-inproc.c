/* nanomsg-inproc: a pair of nanomsg's sockets within the process. A message is a call of nn_send(3) and one of nn_recv(3). Its buffers count
 * bytes; the receiver's holds the capacity. */
#include <stdio.h>

#include <nanomsg/nn.h>
#include <nanomsg/pair.h>

#define PEER_BATCHES false
#define PEER_NATIVE 1
#define PEER_HAS_PLACES
#include "peer.h"

enum { NANOMSG_OWN_BYTES = 1 << 18, NANOMSG_MESSAGE_BYTES = 128, NANOMSG_NAMES = 1000, NANOMSG_BUFFER_MAX = 1 << 30 };

struct peer_queue {
	int sender, receiver; /* −1: not open */
};

struct peer_place {
	int socket;
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t buffer;

	(void)outstanding;
	if (queue_size(config->capacity, queue_stride(config->message_bytes), 0, &buffer) || buffer > NANOMSG_BUFFER_MAX)
		return -22; /* −EINVAL */
	return queue_size(config->capacity, queue_stride(config->message_bytes) + NANOMSG_MESSAGE_BYTES, NANOMSG_OWN_BYTES, bytes);
}

/* Binds the receiver to the first address that is free. */
static bool nanomsg_meet(peer_queue *queue)
{
	char address[64];

	for (int i = 0; i < NANOMSG_NAMES; i++) {
		snprintf(address, sizeof(address), "inproc://twopoint-%d", i);
		if (nn_bind(queue->receiver, address) >= 0)
			return nn_connect(queue->sender, address) >= 0;
	}
	return false;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	if (queue->sender >= 0)
		nn_close(queue->sender);
	if (queue->receiver >= 0)
		nn_close(queue->receiver);
	config->memory->release(config->memory, queue, sizeof(*queue));
}

static peer_queue *peer_open(const struct queue_config *config)
{
	int buffer = (int)(config->capacity * queue_stride(config->message_bytes)), no_limit = -1;
	peer_queue *queue = (peer_queue *)config->memory->allocate(config->memory, sizeof(*queue), QUEUE_LINE_PAIR);

	if (!queue)
		return NULL;
	queue->sender = nn_socket(AF_SP, NN_PAIR);
	queue->receiver = nn_socket(AF_SP, NN_PAIR);
	if (queue->sender >= 0 && queue->receiver >= 0 &&
	    !nn_setsockopt(queue->receiver, NN_SOL_SOCKET, NN_RCVBUF, &buffer, sizeof(buffer)) &&
	    !nn_setsockopt(queue->receiver, NN_SOL_SOCKET, NN_RCVMAXSIZE, &no_limit, sizeof(no_limit)) && nanomsg_meet(queue))
		return queue;
	peer_close(queue, config);
	return NULL;
}

static bool peer_join(struct peer_endpoint *endpoint, const struct queue_config *config, bool producer, unsigned index)
{
	(void)index;
	endpoint->place = (peer_place *)config->memory->allocate(config->memory, sizeof(peer_place), QUEUE_LINE_PAIR);
	if (endpoint->place)
		endpoint->place->socket = producer ? endpoint->queue->sender : endpoint->queue->receiver;
	return endpoint->place != NULL;
}

static void peer_leave(struct peer_endpoint *endpoint, const struct queue_config *config)
{
	if (endpoint->place)
		config->memory->release(config->memory, endpoint->place, sizeof(peer_place));
}

QUEUE_INLINE size_t nanomsg_put(struct peer_endpoint *endpoint, const void *message, int flags)
{
	return nn_send(endpoint->place->socket, message, endpoint->stage.stride, flags) >= 0;
}

QUEUE_INLINE size_t nanomsg_take(struct peer_endpoint *endpoint, void *message, int flags)
{
	return nn_recv(endpoint->place->socket, message, endpoint->stage.stride, flags) >= 0;
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return nanomsg_put(endpoint, messages, NN_DONTWAIT);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return nanomsg_take(endpoint, messages, NN_DONTWAIT);
}

QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return nanomsg_put(endpoint, messages, 0);
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return nanomsg_take(endpoint, messages, 0);
}

QUEUE_TABLE(nanomsg_inproc) = {
	.contract = QUEUE_CONTRACT,
	.name = "nanomsg-inproc",
	.summary = "nanomsg pair over inproc: nn_send, nn_recv",
	.source = "M. Sustrik, G. D'Amore, nanomsg, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true, .capacity_min = 1,
		.capacity_max = 1u << 24, .kernel_buffer = true, .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL, .blocks_natively = true, .calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
