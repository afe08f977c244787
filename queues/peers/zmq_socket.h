/* Sockets of libzmq: each producer has one, the consumer has one, over a transport of its file's choice:
 *
 *	ZMQ_PRODUCER, ZMQ_CONSUMER   the kinds of socket
 *	ZMQ_ADDRESS                  what the consumer binds to
 *
 * A message is a call of zmq_send(3) and one of zmq_recv(3); libzmq takes several together by itself, where it goes through its own thread.
 * Its high-water marks count messages, in lots and at both ends of each pair of sockets: the capacity is theirs together. */
#include <zmq.h>

#define PEER_BATCHES false
#define PEER_NATIVE 1
#define PEER_HAS_PLACES
#include "peer.h"

enum { ZMQ_ADDRESS_MAX = 256, ZMQ_OWN_BYTES = 1 << 18 /* of a context and its socket, about */, ZMQ_MESSAGE_BYTES = 128 };

struct peer_queue {
	void *context;
	void *consumer; /* bound first, that producers have something to connect to */
	char address[ZMQ_ADDRESS_MAX];
};

/* Of an endpoint: its socket. */
struct peer_place {
	void *socket;
};

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t own = (size_t)ZMQ_OWN_BYTES * (1 + config->producers);

	(void)outstanding;
	return queue_size(config->capacity, queue_stride(config->message_bytes) + ZMQ_MESSAGE_BYTES, own, bytes);
}

/* NULL: it can't be had. */
static void *zmq_open_socket(void *context, int kind, const struct queue_config *config)
{
	size_t of_each = config->capacity / config->producers / 2;
	void *socket = zmq_socket(context, kind);
	int none = 0, mark = (int)(of_each ? of_each : 1);

	if (socket) {
		zmq_setsockopt(socket, ZMQ_LINGER, &none, sizeof(none));
		zmq_setsockopt(socket, ZMQ_SNDHWM, &mark, sizeof(mark));
		zmq_setsockopt(socket, ZMQ_RCVHWM, &mark, sizeof(mark));
	}
	return socket;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	if (queue->consumer)
		zmq_close(queue->consumer);
	if (queue->context)
		zmq_ctx_term(queue->context);
	config->memory->release(config->memory, queue, sizeof(*queue));
}

static peer_queue *peer_open(const struct queue_config *config)
{
	peer_queue *queue = (peer_queue *)config->memory->allocate(config->memory, sizeof(*queue), QUEUE_LINE_PAIR);
	size_t size = sizeof(queue->address);

	if (!queue)
		return NULL;
	queue->context = zmq_ctx_new();
	queue->consumer = queue->context ? zmq_open_socket(queue->context, ZMQ_CONSUMER, config) : NULL;
	if (queue->consumer && !zmq_bind(queue->consumer, ZMQ_ADDRESS) &&
	    !zmq_getsockopt(queue->consumer, ZMQ_LAST_ENDPOINT, queue->address, &size))
		return queue;
	peer_close(queue, config);
	return NULL;
}

static bool peer_join(struct peer_endpoint *endpoint, const struct queue_config *config, bool producer, unsigned index)
{
	peer_queue *queue = endpoint->queue;
	peer_place *place = (peer_place *)config->memory->allocate(config->memory, sizeof(*place), QUEUE_LINE_PAIR);

	(void)index;
	endpoint->place = place;
	if (!place)
		return false;
	place->socket = producer ? zmq_open_socket(queue->context, ZMQ_PRODUCER, config) : queue->consumer;
	return place->socket && (!producer || !zmq_connect(place->socket, queue->address));
}

static void peer_leave(struct peer_endpoint *endpoint, const struct queue_config *config)
{
	if (!endpoint->place)
		return;
	if (endpoint->place->socket && endpoint->place->socket != endpoint->queue->consumer)
		zmq_close(endpoint->place->socket);
	config->memory->release(config->memory, endpoint->place, sizeof(*endpoint->place));
}

QUEUE_INLINE size_t zmq_put(struct peer_endpoint *endpoint, const void *message, int flags)
{
	return zmq_send(endpoint->place->socket, message, endpoint->stage.stride, flags) >= 0;
}

QUEUE_INLINE size_t zmq_take(struct peer_endpoint *endpoint, void *message, int flags)
{
	return zmq_recv(endpoint->place->socket, message, endpoint->stage.stride, flags) >= 0;
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	int events;
	size_t size = sizeof(events);

	(void)n;
	if (zmq_put(endpoint, messages, ZMQ_DONTWAIT))
		return 1;
	/* a call that does not wait puts off hearing of room; this one hears of all */
	zmq_getsockopt(endpoint->place->socket, ZMQ_EVENTS, &events, &size);
	return zmq_put(endpoint, messages, ZMQ_DONTWAIT);
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return zmq_take(endpoint, messages, ZMQ_DONTWAIT);
}

QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return zmq_put(endpoint, messages, 0);
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return zmq_take(endpoint, messages, 0);
}

#define ZMQ_PEER_SOURCE "P. Hintjens, M. Sustrik et al., libzmq, " PEER_VERSION

#define ZMQ_PEER_TRAITS                                                                                                \
	.role = QUEUE_PEER, .consumers_max = 1, .bounded = true, .capacity_min = 2, .capacity_max = 1u << 24,          \
	.kernel_buffer = true, .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,                     \
	.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_PER_PRODUCER, .blocks_natively = true, .calls_in_loop = true
