/* A pipe(2) as a channel.h. */
#ifndef QUEUES_PIPE_CHANNEL_H
#define QUEUES_PIPE_CHANNEL_H

#define CHANNEL_RECORDS 0
#define CHANNEL_MESSAGE_MAX QUEUE_MESSAGE_MAX

#include "kernel/channel.h"

#include <fcntl.h>
#include <stdio.h>

/* Whether a call on a pipe waits is a property of what was opened: for both ways it is opened twice. */
static int pipe_open_waiting(int descriptor, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	return open(path, flags | O_CLOEXEC);
}

static int channel_open(const struct queue_config *config, int descriptors[4])
{
	size_t bytes = config->capacity * queue_stride(config->message_bytes);
	int ends[2];

	if (pipe2(ends, O_NONBLOCK | O_CLOEXEC))
		return -errno;
	descriptors[0] = ends[1];
	descriptors[1] = ends[0];
	/* rounded up to whole pages, a power of two of them; where that is beyond pipe-max-size, the most that is usually allowed */
	if (fcntl(ends[1], F_SETPIPE_SZ, (int)bytes) < 0)
		fcntl(ends[1], F_SETPIPE_SZ, 1 << 20);
	descriptors[2] = pipe_open_waiting(ends[1], O_WRONLY);
	if (descriptors[2] < 0)
		return -errno;
	descriptors[3] = pipe_open_waiting(ends[0], O_RDONLY);
	return descriptors[3] < 0 ? -errno : 0;
}

static ssize_t channel_put(const struct channel_endpoint *endpoint, const void *data, size_t bytes, bool wait)
{
	return write(wait ? endpoint->waiting : endpoint->descriptor, data, bytes);
}

static ssize_t channel_get(const struct channel_endpoint *endpoint, void *data, size_t bytes, bool wait)
{
	return read(wait ? endpoint->waiting : endpoint->descriptor, data, bytes);
}

#endif
