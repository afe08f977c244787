/* A pair of nng's sockets, over a transport of its file's choice: NNG_LISTEN, what the consumer listens on, where %d, if it is there, stands for
 * a number. A message is a call of nng_send(3) and one of nng_recv(3); its own threads carry it. Its buffers count messages: half of the
 * capacity is in each socket's, as far as that allows. */
#include <stdio.h>
#include <unistd.h>

#include <nng/nng.h>
#include <nng/protocol/pair0/pair.h>

#define PEER_BATCHES false
#define PEER_NATIVE 1
#define PEER_HAS_PLACES
#include "peer.h"

enum { NNG_BUFFER_MAX = 8192, NNG_OWN_BYTES = 1 << 18, NNG_MESSAGE_BYTES = 256, NNG_ADDRESS_MAX = 128, NNG_NAMES = 1000 };

struct peer_queue {
	nng_socket sender, receiver;
	bool sender_open, receiver_open;
};

struct peer_place {
	nng_socket socket;
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, queue_stride(config->message_bytes) + NNG_MESSAGE_BYTES, NNG_OWN_BYTES, bytes);
}

static bool nng_open_socket(nng_socket *socket, size_t capacity)
{
	int buffer = capacity / 2 > NNG_BUFFER_MAX ? NNG_BUFFER_MAX : capacity / 2 ? (int)(capacity / 2) : 1;

	if (nng_pair0_open(socket))
		return false;
	nng_socket_set_int(*socket, NNG_OPT_SENDBUF, buffer);
	nng_socket_set_int(*socket, NNG_OPT_RECVBUF, buffer);
	return true;
}

/* Listens on the first address that is free. */
static bool nng_meet(peer_queue *queue)
{
	char address[NNG_ADDRESS_MAX];
	nng_listener listener;

	for (int i = 0; i < NNG_NAMES; i++) {
		snprintf(address, sizeof(address), NNG_LISTEN, NNG_FIRST + i);
		if (!nng_listen(queue->receiver, address, &listener, 0))
			return !nng_dial(queue->sender, address, NULL, 0);
	}
	return false;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	if (queue->sender_open)
		nng_close(queue->sender);
	if (queue->receiver_open)
		nng_close(queue->receiver);
	config->memory->release(config->memory, queue, sizeof(*queue));
}

static peer_queue *peer_open(const struct queue_config *config)
{
	peer_queue *queue = (peer_queue *)config->memory->allocate(config->memory, sizeof(*queue), QUEUE_LINE_PAIR);

	if (!queue)
		return NULL;
	queue->sender_open = nng_open_socket(&queue->sender, config->capacity);
	queue->receiver_open = nng_open_socket(&queue->receiver, config->capacity);
	if (queue->sender_open && queue->receiver_open && nng_meet(queue))
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

QUEUE_INLINE size_t nng_put(struct peer_endpoint *endpoint, const void *message, int flags)
{
	return !nng_send(endpoint->place->socket, (void *)(uintptr_t)message, endpoint->stage.stride, flags);
}

QUEUE_INLINE size_t nng_take(struct peer_endpoint *endpoint, void *message, int flags)
{
	size_t bytes = endpoint->stage.stride;

	return !nng_recv(endpoint->place->socket, message, &bytes, flags);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return nng_put(endpoint, messages, NNG_FLAG_NONBLOCK);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return nng_take(endpoint, messages, NNG_FLAG_NONBLOCK);
}

QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return nng_put(endpoint, messages, 0);
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return nng_take(endpoint, messages, 0);
}

#define NNG_PEER_SOURCE "G. D'Amore, nng, " PEER_VERSION

#define NNG_PEER_TRAITS                                                                                                \
	{                                                                                                              \
		.role = QUEUE_PEER, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true,      \
		.capacity_min = 2, .capacity_max = 1u << 24, .kernel_buffer = true, .message_min = QUEUE_MESSAGE_MIN,  \
		.message_max = QUEUE_MESSAGE_MAX, .progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,              \
		.blocks_natively = true, .calls_in_loop = true,                                                        \
	}
