/* socketpair(2) as a channel.h. The including file sets UNIX_TYPE, the socket's type. */
#ifndef QUEUES_UNIX_CHANNEL_H
#define QUEUES_UNIX_CHANNEL_H

#include "kernel/socket_channel.h"

static int channel_open(const struct queue_config *config, int descriptors[4])
{
	int ends[2];

	if (socketpair(AF_UNIX, UNIX_TYPE | SOCK_CLOEXEC, 0, ends))
		return -errno;
	descriptors[0] = ends[0];
	descriptors[1] = ends[1];
	socket_set_buffers(descriptors, config);
	return 0;
}

#endif
