/* A connected pair of sockets as a channel.h. */
#ifndef QUEUES_SOCKET_CHANNEL_H
#define QUEUES_SOCKET_CHANNEL_H

#include "kernel/channel.h"

enum { SOCKET_PACKET_BYTES = 1024 /* what the kernel may count for a packet besides what it holds */ };

/* Room for so many messages if each is a packet of its own: what a privileged process may have, or else what net.core.wmem_max and
 * rmem_max allow. The reader's is larger, so that what the writer's has let go is never held up by it. */
static void socket_set_buffers(const int descriptors[4], const struct queue_config *config)
{
	size_t wanted = config->capacity * (queue_stride(config->message_bytes) + SOCKET_PACKET_BYTES);
	int bytes = (int)(wanted < CHANNEL_BYTES_MAX / 4 ? wanted : CHANNEL_BYTES_MAX / 4), more = 2 * bytes + (1 << 20);

	if (setsockopt(descriptors[0], SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)))
		setsockopt(descriptors[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
	if (setsockopt(descriptors[1], SOL_SOCKET, SO_RCVBUFFORCE, &more, sizeof(more)))
		setsockopt(descriptors[1], SOL_SOCKET, SO_RCVBUF, &more, sizeof(more));
}

static ssize_t channel_put(const struct channel_endpoint *endpoint, const void *data, size_t bytes, bool wait)
{
	return send(endpoint->descriptor, data, bytes, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
}

static ssize_t channel_get(const struct channel_endpoint *endpoint, void *data, size_t bytes, bool wait)
{
	return recv(endpoint->descriptor, data, bytes, wait ? 0 : MSG_DONTWAIT);
}

#endif
