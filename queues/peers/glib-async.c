/* glib-async: GLib's GAsyncQueue, a list under a mutex, unbounded. What it carries are pointers: a word is carried as one, as GINT_TO_POINTER
 * does, other messages are copied to where g_malloc says, and freed by their reader. A batch goes in and out under one lock
 * (g_async_queue_lock, …_unlocked). */
#include <glib.h>

#define PEER_BATCHES true
#define PEER_NATIVE 1
#include "copy.h"
#include "peer.h"

struct peer_queue {
	GAsyncQueue *queue;
};

enum { GLIB_NODE = 48, MALLOC_BYTES = 32 }; /* its list's node; what malloc adds at most */

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	return queue_size(outstanding, queue_stride(config->message_bytes) + GLIB_NODE + MALLOC_BYTES, sizeof(peer_queue) + 1024, bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	peer_queue *queue = (peer_queue *)config->memory->allocate(config->memory, sizeof(*queue), QUEUE_LINE_PAIR);

	if (queue)
		queue->queue = g_async_queue_new();
	return queue;
}

static void peer_close(peer_queue *queue, const struct queue_config *config)
{
	gpointer message;

	while ((message = g_async_queue_try_pop(queue->queue)))
		if (queue_stride(config->message_bytes) > sizeof(uint64_t))
			g_free(message);
	g_async_queue_unref(queue->queue);
	config->memory->release(config->memory, queue, sizeof(*queue));
}

/* The pointer that stands for a message. */
QUEUE_INLINE gpointer glib_wrap(const void *message, size_t stride)
{
	gpointer copy;

	if (stride == sizeof(uint64_t))
		return *(const gpointer *)message;
	copy = g_malloc(stride);
	copy_messages(copy, message, stride / 8);
	return copy;
}

QUEUE_INLINE void glib_unwrap(void *message, gpointer copy, size_t stride)
{
	if (stride == sizeof(uint64_t)) {
		*(gpointer *)message = copy;
		return;
	}
	copy_messages(message, copy, stride / 8);
	g_free(copy);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	GAsyncQueue *queue = endpoint->queue->queue;
	size_t stride = endpoint->stage.stride;

	if (n == 1) {
		g_async_queue_push(queue, glib_wrap(messages, stride));
		return 1;
	}
	g_async_queue_lock(queue);
	for (size_t i = 0; i < n; i++)
		g_async_queue_push_unlocked(queue, glib_wrap((const unsigned char *)messages + i * stride, stride));
	g_async_queue_unlock(queue);
	return n;
}

QUEUE_INLINE size_t glib_pop(struct peer_endpoint *endpoint, void *messages, size_t n, bool wait)
{
	GAsyncQueue *queue = endpoint->queue->queue;
	size_t stride = endpoint->stage.stride, popped = 0;
	gpointer message;

	if (n == 1) {
		message = wait ? g_async_queue_pop(queue) : g_async_queue_try_pop(queue);
		if (message)
			glib_unwrap(messages, message, stride);
		return message != NULL;
	}
	g_async_queue_lock(queue);
	message = wait ? g_async_queue_pop_unlocked(queue) : g_async_queue_try_pop_unlocked(queue);
	while (message) {
		glib_unwrap((unsigned char *)messages + popped++ * stride, message, stride);
		message = popped < n ? g_async_queue_try_pop_unlocked(queue) : NULL;
	}
	g_async_queue_unlock(queue);
	return popped;
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	return glib_pop(endpoint, messages, n, false);
}

QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	return peer_push(endpoint, messages, n);
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	return glib_pop(endpoint, messages, n, true);
}

QUEUE_TABLE(glib_async) = {
	.contract = QUEUE_CONTRACT,
	.name = "glib-async",
	.summary = "GLib GAsyncQueue: pointers under a mutex, a batch a lock",
	.source = "S. Wilhelmi, GLib, " PEER_VERSION,
	.traits = {
		.role = QUEUE_PEER, .shape = QUEUE_MPMC, .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL, .batches = true, .blocks_natively = true, .calls_in_loop = true,
	},
	PEER_OPERATIONS,
};
