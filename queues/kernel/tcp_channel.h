/* A TCP connection over loopback as a channel.h. */
#ifndef QUEUES_TCP_CHANNEL_H
#define QUEUES_TCP_CHANNEL_H

#define CHANNEL_RECORDS 0
#define CHANNEL_MESSAGE_MAX QUEUE_MESSAGE_MAX

#include "kernel/socket_channel.h"

#include <netinet/in.h>
#include <netinet/tcp.h>

/* The listening socket is in the place of a third descriptor until the connection stands. */
static int channel_open(const struct queue_config *config, int descriptors[4])
{
	struct sockaddr_in address;
	socklen_t length = sizeof(address);
	int on = 1, status = 0;

	__builtin_memset(&address, 0, sizeof(address));
	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	descriptors[2] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	descriptors[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (descriptors[2] < 0 || descriptors[0] < 0 || bind(descriptors[2], (struct sockaddr *)&address, length) ||
	    listen(descriptors[2], 1) || getsockname(descriptors[2], (struct sockaddr *)&address, &length) ||
	    connect(descriptors[0], (struct sockaddr *)&address, length))
		return -errno;
	descriptors[1] = accept4(descriptors[2], NULL, NULL, SOCK_CLOEXEC);
	/* Nagle's algorithm holds small writes back until the last one is acknowledged: not wanted here */
	if (descriptors[1] < 0 || setsockopt(descriptors[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
		status = -errno;
	close(descriptors[2]);
	descriptors[2] = -1;
	if (!status)
		socket_set_buffers(descriptors, config);
	return status;
}

#endif
