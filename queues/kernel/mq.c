/* mq: a POSIX message queue, a system call per message.
 *
 * Source: POSIX.1b, 1993.
 * Promise: any number of writers and readers; order is kept; never more than `capacity` messages in it.
 *
 * How it works. A message is staged in the writer's buffer and sent by flush, with one priority for all. Its name is taken back as soon as
 * the queue is open. A call whose deadline has passed does not wait.
 *
 * Limits: 10 messages, of 8 KiB: what any process may have (fs.mqueue.msg_max, msgsize_max). There is no call for several messages.
 */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "queue.h"

enum { MQ_CAPACITY_MAX = 10, MQ_MESSAGE_MAX = 8192, MQ_NAMES = 1000 };

struct mq_endpoint {
	unsigned char *stage;
	bool staged; /* producer: not sent yet. consumer: received, not handed out */
	size_t stride;
	mqd_t descriptor;
} QUEUE_ALIGNED;

struct mq {
	mqd_t descriptor;
	unsigned producers, consumers;
	struct mq_endpoint *endpoints; /* producers first */
	struct queue_memory *memory;
};

static int mq_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->producers + config->consumers, sizeof(struct mq_endpoint) + queue_stride(config->message_bytes),
			  sizeof(struct mq), bytes);
}

static void mq_destroy(void *instance)
{
	struct mq *queue = (struct mq *)instance;
	struct queue_memory *memory = queue->memory;
	size_t count = queue->producers + queue->consumers;

	if (queue->descriptor >= 0)
		mq_close(queue->descriptor);
	for (size_t i = 0; queue->endpoints && i < count; i++)
		if (queue->endpoints[i].stage)
			memory->release(memory, queue->endpoints[i].stage, queue->endpoints[i].stride);
	if (queue->endpoints)
		memory->release(memory, queue->endpoints, count * sizeof(struct mq_endpoint));
	memory->release(memory, queue, sizeof(*queue));
}

/* A descriptor, or −errno. The first free one of this process's names. */
static int mq_open_nameless(const struct queue_config *config)
{
	struct mq_attr attributes;
	char name[64];

	__builtin_memset(&attributes, 0, sizeof(attributes));
	attributes.mq_maxmsg = (long)config->capacity;
	attributes.mq_msgsize = (long)queue_stride(config->message_bytes);
	for (unsigned i = 0; i < MQ_NAMES; i++) {
		mqd_t descriptor;

		snprintf(name, sizeof(name), "/twopoint-%d-%u", (int)getpid(), i);
		descriptor = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes);
		if (descriptor >= 0)
			mq_unlink(name);
		if (descriptor >= 0 || errno != EEXIST)
			return descriptor >= 0 ? descriptor : -errno;
	}
	return -EEXIST;
}

static int mq_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t count = config->producers + config->consumers;
	struct mq *queue = (struct mq *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	bool complete;

	if (!queue)
		return -12; /* −ENOMEM */
	queue->producers = config->producers;
	queue->consumers = config->consumers;
	queue->memory = memory;
	queue->descriptor = mq_open_nameless(config);
	queue->endpoints = (struct mq_endpoint *)memory->allocate(memory, count * sizeof(struct mq_endpoint), QUEUE_LINE_PAIR);
	complete = queue->endpoints != NULL;
	if (complete)
		__builtin_memset(queue->endpoints, 0, count * sizeof(struct mq_endpoint));
	for (size_t i = 0; queue->endpoints && i < count; i++) {
		struct mq_endpoint *endpoint = &queue->endpoints[i];

		endpoint->stride = queue_stride(config->message_bytes);
		endpoint->descriptor = queue->descriptor;
		endpoint->stage = (unsigned char *)memory->allocate(memory, endpoint->stride, QUEUE_LINE_PAIR);
		complete = complete && endpoint->stage;
	}
	if (!complete || queue->descriptor < 0) {
		int status = queue->descriptor < 0 ? queue->descriptor : -12;

		mq_destroy(queue);
		return status;
	}
	*instance = queue;
	return 0;
}

static void *mq_producer(void *instance, unsigned index)
{
	return &((struct mq *)instance)->endpoints[index];
}

static void *mq_consumer(void *instance, unsigned index)
{
	struct mq *queue = (struct mq *)instance;

	return &queue->endpoints[queue->producers + index];
}

static inline void *mq_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct mq_endpoint *endpoint = (struct mq_endpoint *)producer;

	*n = max && !endpoint->staged;
	endpoint->staged = true;
	return *n ? endpoint->stage : NULL;
}

static inline enum queue_flush mq_put(struct mq_endpoint *endpoint, bool wait)
{
	const struct timespec past = {0, 0};
	int status;

	if (!endpoint->staged)
		return QUEUE_FLUSHED;
	do
		status = wait ? mq_send(endpoint->descriptor, (const char *)endpoint->stage, endpoint->stride, 0)
			      : mq_timedsend(endpoint->descriptor, (const char *)endpoint->stage, endpoint->stride, 0, &past);
	while (status && errno == EINTR);
	endpoint->staged = status != 0;
	return status ? QUEUE_FULL : QUEUE_FLUSHED;
}

static inline bool mq_get(struct mq_endpoint *endpoint, bool wait)
{
	const struct timespec past = {0, 0};
	ssize_t got;

	if (endpoint->staged)
		return true;
	do
		got = wait ? mq_receive(endpoint->descriptor, (char *)endpoint->stage, endpoint->stride, NULL)
			   : mq_timedreceive(endpoint->descriptor, (char *)endpoint->stage, endpoint->stride, NULL, &past);
	while (got < 0 && errno == EINTR);
	endpoint->staged = got >= 0;
	return endpoint->staged;
}

static inline enum queue_flush mq_flush(void *producer)
{
	return mq_put((struct mq_endpoint *)producer, false);
}

static inline void mq_flush_wait(void *producer)
{
	mq_put((struct mq_endpoint *)producer, true);
}

static inline bool mq_preread(void *consumer)
{
	return mq_get((struct mq_endpoint *)consumer, false);
}

static inline void mq_preread_wait(void *consumer)
{
	mq_get((struct mq_endpoint *)consumer, true);
}

static inline const void *mq_read_span(void *consumer, size_t max, size_t *n)
{
	struct mq_endpoint *endpoint = (struct mq_endpoint *)consumer;

	*n = max && endpoint->staged;
	if (*n)
		endpoint->staged = false;
	return *n ? endpoint->stage : NULL;
}

QUEUE_TABLE(mq) = {
	.contract = QUEUE_CONTRACT,
	.name = "mq",
	.summary = "a POSIX message queue, a system call per message",
	.source = "POSIX.1b, 1993",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1, .capacity_max = MQ_CAPACITY_MAX,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = MQ_MESSAGE_MAX,
		.progress = QUEUE_BLOCKING, .order = QUEUE_ORDER_TOTAL,
		.blocks_natively = true, .calls_in_loop = true,
	},
	.footprint = mq_footprint,
	.create = mq_create,
	.destroy = mq_destroy,
	.producer = mq_producer,
	.consumer = mq_consumer,
	.prewrite_span = mq_prewrite_span,
	.flush = mq_flush,
	.preread = mq_preread,
	.read_span = mq_read_span,
	.flush_wait = mq_flush_wait,
	.preread_wait = mq_preread_wait,
};
