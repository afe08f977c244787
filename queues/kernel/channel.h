/* A queue through a channel of the kernel's: a stage at each end, and what moves bytes between a stage and the channel. The including
 * file opens the channel and sets
 *
 *	CHANNEL_BATCHES   whether one system call moves all that is staged (as much as the stage holds), or one message
 *	CHANNEL_RECORDS   the channel keeps messages apart: they are handed over by sendmmsg(2) and recvmmsg(2)
 *	channel_put()     one system call: bytes written, or −1 with errno; waits where it is told to
 *	channel_get()     the same for reading
 *
 * Any number of threads may write and read a channel of records; one of bytes has one of each, since part of a message may go over.
 *
 * The capacity is asked of the kernel in bytes, which it counts in its own way: in pages, or with what it notes of each packet. What is
 * flushed may be seen a little later, and part by part, as the kernel brings it over. */
#ifndef QUEUES_CHANNEL_H
#define QUEUES_CHANNEL_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "queue.h"

enum { CHANNEL_BYTES_MAX = 1 << 30, CHANNEL_RECORDS_MAX = 1024 /* in one call, UIO_MAXIOV */ };

struct channel_endpoint {
	unsigned char *stage;
	size_t room;       /* bytes that the stage holds */
	size_t first, end; /* what is in it: to be sent, or received and not yet handed out */
	size_t stride;
	int descriptor;    /* for calls that don't wait */
	int waiting;       /* for those that do: the same, or the same channel opened once more */
	struct mmsghdr *headers; /* of records: one a message */
	struct iovec *vectors;
} QUEUE_ALIGNED;

struct channel {
	int descriptors[4]; /* to be closed; −1: none. write, read, write waiting, read waiting */
	unsigned producers, consumers;
	size_t records; /* that one call moves */
	struct channel_endpoint *endpoints; /* producers first */
	struct queue_memory *memory;
};

static int channel_open(const struct queue_config *config, int descriptors[4]);
static ssize_t channel_put(const struct channel_endpoint *endpoint, const void *data, size_t bytes, bool wait);
static ssize_t channel_get(const struct channel_endpoint *endpoint, void *data, size_t bytes, bool wait);

static inline size_t channel_room(const struct queue_config *config)
{
	return (CHANNEL_BATCHES ? config->batch : 1) * queue_stride(config->message_bytes);
}

/* How many records one call moves; 0: it has no need of headers. */
static inline size_t channel_records(const struct queue_config *config)
{
	if (!CHANNEL_RECORDS || !CHANNEL_BATCHES)
		return 0;
	return config->batch < CHANNEL_RECORDS_MAX ? config->batch : CHANNEL_RECORDS_MAX;
}

/* The kernel's own buffers are not counted. */
static int channel_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t records = channel_records(config) * (sizeof(struct mmsghdr) + sizeof(struct iovec)), endpoint, held;

	(void)outstanding;
	if (queue_size(config->capacity, queue_stride(config->message_bytes), 0, &held) || held > CHANNEL_BYTES_MAX)
		return -22; /* −EINVAL */
	if (queue_size(CHANNEL_BATCHES ? config->batch : 1, queue_stride(config->message_bytes),
		       sizeof(struct channel_endpoint) + records, &endpoint))
		return -75; /* −EOVERFLOW */
	return queue_size(config->producers + config->consumers, endpoint, sizeof(struct channel), bytes);
}

static void channel_destroy(void *instance)
{
	struct channel *channel = (struct channel *)instance;
	struct queue_memory *memory = channel->memory;
	size_t count = channel->producers + channel->consumers;

	for (size_t i = 0; i < 4; i++)
		if (channel->descriptors[i] >= 0)
			close(channel->descriptors[i]);
	for (size_t i = 0; channel->endpoints && i < count; i++) {
		struct channel_endpoint *endpoint = &channel->endpoints[i];

		if (endpoint->stage)
			memory->release(memory, endpoint->stage, endpoint->room);
		if (endpoint->headers)
			memory->release(memory, endpoint->headers, channel->records * sizeof(struct mmsghdr));
		if (endpoint->vectors)
			memory->release(memory, endpoint->vectors, channel->records * sizeof(struct iovec));
	}
	if (channel->endpoints)
		memory->release(memory, channel->endpoints, count * sizeof(struct channel_endpoint));
	memory->release(memory, channel, sizeof(*channel));
}

/* Each header stands for one message of the stage, always the same. */
static bool channel_open_records(struct queue_memory *memory, struct channel_endpoint *endpoint, size_t records)
{
	if (!records)
		return true;
	endpoint->headers = (struct mmsghdr *)memory->allocate(memory, records * sizeof(struct mmsghdr), QUEUE_LINE_PAIR);
	endpoint->vectors = (struct iovec *)memory->allocate(memory, records * sizeof(struct iovec), QUEUE_LINE_PAIR);
	if (!endpoint->headers || !endpoint->vectors)
		return false;
	__builtin_memset(endpoint->headers, 0, records * sizeof(struct mmsghdr));
	for (size_t i = 0; i < records; i++) {
		endpoint->vectors[i].iov_len = endpoint->stride;
		endpoint->headers[i].msg_hdr.msg_iov = &endpoint->vectors[i];
		endpoint->headers[i].msg_hdr.msg_iovlen = 1;
	}
	return true;
}

static int channel_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t count = config->producers + config->consumers, bytes;
	struct channel *channel;
	int status = channel_footprint(config, 0, &bytes);

	if (status)
		return status;
	channel = (struct channel *)memory->allocate(memory, sizeof(*channel), QUEUE_LINE_PAIR);
	if (!channel)
		return -12; /* −ENOMEM */
	channel->producers = config->producers;
	channel->consumers = config->consumers;
	channel->records = channel_records(config);
	channel->memory = memory;
	for (size_t i = 0; i < 4; i++)
		channel->descriptors[i] = -1;
	channel->endpoints =
		(struct channel_endpoint *)memory->allocate(memory, count * sizeof(struct channel_endpoint), QUEUE_LINE_PAIR);
	if (channel->endpoints)
		__builtin_memset(channel->endpoints, 0, count * sizeof(struct channel_endpoint));
	status = channel->endpoints ? channel_open(config, channel->descriptors) : -12;
	for (size_t i = 0; !status && i < count; i++) {
		struct channel_endpoint *endpoint = &channel->endpoints[i];
		size_t reads = i >= config->producers, waiting = 2 + reads;

		endpoint->stride = queue_stride(config->message_bytes);
		endpoint->room = channel_room(config);
		endpoint->stage = (unsigned char *)memory->allocate(memory, endpoint->room, QUEUE_LINE_PAIR);
		endpoint->descriptor = channel->descriptors[reads];
		endpoint->waiting = channel->descriptors[channel->descriptors[waiting] >= 0 ? waiting : reads];
		if (!endpoint->stage || !channel_open_records(memory, endpoint, channel->records))
			status = -12;
	}
	if (status) {
		channel_destroy(channel);
		return status;
	}
	*instance = channel;
	return 0;
}

static void *channel_producer(void *instance, unsigned index)
{
	return &((struct channel *)instance)->endpoints[index];
}

static void *channel_consumer(void *instance, unsigned index)
{
	struct channel *channel = (struct channel *)instance;

	return &channel->endpoints[channel->producers + index];
}

static inline void *channel_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct channel_endpoint *endpoint = (struct channel_endpoint *)producer;
	unsigned char *slots;

	*n = (endpoint->room - endpoint->end) / endpoint->stride;
	if (max < *n)
		*n = max;
	slots = endpoint->stage + endpoint->end;
	endpoint->end += *n * endpoint->stride;
	return *n ? slots : NULL;
}

/* The headers of the messages from `at` on. Returns how many. */
static inline unsigned channel_address(struct channel_endpoint *endpoint, size_t at, size_t end)
{
	unsigned count = 0;

	for (; at < end && count < CHANNEL_RECORDS_MAX; at += endpoint->stride)
		endpoint->vectors[count++].iov_base = endpoint->stage + at;
	return count;
}

/* One system call's worth. Bytes; −1: see errno. */
static inline ssize_t channel_send(struct channel_endpoint *endpoint, bool wait)
{
	size_t left = endpoint->end - endpoint->first;

	if (CHANNEL_RECORDS && CHANNEL_BATCHES) {
		int sent = sendmmsg(endpoint->descriptor, endpoint->headers, channel_address(endpoint, endpoint->first, endpoint->end),
				    wait ? 0 : MSG_DONTWAIT);

		return sent < 0 ? sent : sent * (ssize_t)endpoint->stride;
	}
	if (!CHANNEL_BATCHES)
		left = endpoint->stride - endpoint->first % endpoint->stride; /* what is left of one message */
	return channel_put(endpoint, endpoint->stage + endpoint->first, left, wait);
}

static inline enum queue_flush channel_send_all(struct channel_endpoint *endpoint, bool wait)
{
	while (endpoint->first < endpoint->end) {
		ssize_t sent = channel_send(endpoint, wait);

		if (sent > 0)
			endpoint->first += (size_t)sent;
		else if (errno != EINTR)
			return QUEUE_FULL;
	}
	endpoint->first = endpoint->end = 0;
	return QUEUE_FLUSHED;
}

/* One system call's worth into the stage, behind what is left of a message there. Bytes; −1: see errno. */
static inline ssize_t channel_receive(struct channel_endpoint *endpoint, bool wait)
{
	if (CHANNEL_RECORDS && CHANNEL_BATCHES) {
		/* waits for the first one alone */
		int got = recvmmsg(endpoint->descriptor, endpoint->headers, channel_address(endpoint, 0, endpoint->room),
				   wait ? MSG_WAITFORONE : MSG_DONTWAIT, NULL);

		return got < 0 ? got : got * (ssize_t)endpoint->stride;
	}
	return channel_get(endpoint, endpoint->stage + endpoint->end, endpoint->room - endpoint->end, wait);
}

static inline bool channel_take(struct channel_endpoint *endpoint, bool wait)
{
	size_t rest = endpoint->end - endpoint->first;

	if (rest >= endpoint->stride)
		return true;
	for (size_t i = 0; i < rest; i++) /* part of a message, of a channel of bytes */
		endpoint->stage[i] = endpoint->stage[endpoint->first + i];
	endpoint->first = 0;
	endpoint->end = rest;
	do {
		ssize_t got = channel_receive(endpoint, wait);

		if (got > 0)
			endpoint->end += (size_t)got;
		else if (errno != EINTR)
			return false;
	} while (endpoint->end < endpoint->stride);
	return true;
}

static inline enum queue_flush channel_flush(void *producer)
{
	return channel_send_all((struct channel_endpoint *)producer, false);
}

static inline void channel_flush_wait(void *producer)
{
	channel_send_all((struct channel_endpoint *)producer, true);
}

static inline bool channel_preread(void *consumer)
{
	return channel_take((struct channel_endpoint *)consumer, false);
}

static inline void channel_preread_wait(void *consumer)
{
	channel_take((struct channel_endpoint *)consumer, true);
}

static inline const void *channel_read_span(void *consumer, size_t max, size_t *n)
{
	struct channel_endpoint *endpoint = (struct channel_endpoint *)consumer;
	const unsigned char *slots = endpoint->stage + endpoint->first;

	*n = (endpoint->end - endpoint->first) / endpoint->stride;
	if (max < *n)
		*n = max;
	endpoint->first += *n * endpoint->stride;
	return *n ? slots : NULL;
}

#define CHANNEL_TRAITS(kind, ends)                                                                                     \
	{                                                                                                              \
		.role = QUEUE_BASELINE, .shape = kind, .producers_max = ends, .consumers_max = ends, .bounded = true,  \
		.capacity_min = 1, .kernel_buffer = true, .message_min = QUEUE_MESSAGE_MIN,                            \
		.message_max = CHANNEL_MESSAGE_MAX, .progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,            \
		.batches = CHANNEL_BATCHES, .blocks_natively = true, .calls_in_loop = true,                            \
	}

#define CHANNEL_OPERATIONS                                                                                             \
	.footprint = channel_footprint, .create = channel_create, .destroy = channel_destroy,                          \
	.producer = channel_producer, .consumer = channel_consumer, .prewrite_span = channel_prewrite_span,            \
	.flush = channel_flush, .preread = channel_preread, .read_span = channel_read_span,                            \
	.flush_wait = channel_flush_wait, .preread_wait = channel_preread_wait

#endif
