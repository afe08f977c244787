/* eventfd-ring: a ring in memory whose ends wake each other through eventfds.
 *
 * Source: the ring of ring.c; eventfd(2), D. Libenzi, 2007.
 * Promise: as ring; a batch costs one system call at each end, whether or not the other side sleeps.
 *
 * How it works. Messages are staged in the writer's buffer. A flush copies them into the ring and adds 1 to an eventfd, on which a
 * reader that finds the ring empty waits; it reads in place. A preread that released messages adds 1 to another one, on which a flush
 * without room waits. It is what a program does that waits in an event loop and keeps no account of who sleeps: compare `ring` with
 * --wait eventfd, which signals sleepers alone.
 *
 * Limits: a count left over from a wait that was not needed makes a later one end early; then the ring is looked at again.
 */
#include "copy.h"
#include "spsc/ring_core.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct eventfd_end {
	void *end;             /* the ring's */
	int to_other, to_self; /* counts that the other end waits on; that this one waits on */
	/* writer */
	unsigned char *stage;
	size_t first, staged;  /* of the stage: the first message that is not in the ring, and how many */
	size_t room, stride;   /* constant: messages that the stage holds */
	/* reader */
	bool unsignalled;      /* something was read since the last signal */
} QUEUE_ALIGNED;

struct eventfd_ring {
	struct eventfd_end writer, reader;
	void *ring;
	struct queue_memory *memory;
};

static int eventfd_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	int status = ring_footprint(config, outstanding, bytes);

	if (status || queue_size(config->batch, queue_stride(config->message_bytes), *bytes, bytes))
		return status ? status : -75; /* −EOVERFLOW */
	return queue_size(1, sizeof(struct eventfd_ring), *bytes, bytes);
}

static void eventfd_destroy(void *instance)
{
	struct eventfd_ring *queue = (struct eventfd_ring *)instance;
	struct queue_memory *memory = queue->memory;

	if (queue->ring)
		ring_destroy(queue->ring);
	if (queue->writer.stage)
		memory->release(memory, queue->writer.stage, queue->writer.room * queue->writer.stride);
	if (queue->writer.to_other >= 0)
		close(queue->writer.to_other);
	if (queue->reader.to_other >= 0)
		close(queue->reader.to_other);
	memory->release(memory, queue, sizeof(*queue));
}

static int eventfd_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct eventfd_ring *queue = (struct eventfd_ring *)memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	int messages, room, status;

	if (!queue)
		return -12; /* −ENOMEM */
	__builtin_memset(queue, 0, sizeof(*queue));
	queue->memory = memory;
	messages = eventfd(0, EFD_CLOEXEC);
	room = eventfd(0, EFD_CLOEXEC);
	status = messages < 0 || room < 0 ? -errno : 0;
	queue->writer.to_other = queue->reader.to_self = messages;
	queue->reader.to_other = queue->writer.to_self = room;
	queue->writer.room = config->batch;
	queue->writer.stride = queue_stride(config->message_bytes);
	if (!status)
		status = ring_create(config, &queue->ring);
	if (!status) {
		queue->writer.stage = (unsigned char *)memory->allocate(memory, queue->writer.room * queue->writer.stride, 64);
		status = queue->writer.stage ? 0 : -12; /* −ENOMEM */
	}
	if (status) {
		eventfd_destroy(queue);
		return status;
	}
	queue->writer.end = ring_producer(queue->ring, 0);
	queue->reader.end = ring_consumer(queue->ring, 0);
	*instance = queue;
	return 0;
}

static void *eventfd_producer(void *instance, unsigned index)
{
	(void)index;
	return &((struct eventfd_ring *)instance)->writer;
}

static void *eventfd_consumer(void *instance, unsigned index)
{
	(void)index;
	return &((struct eventfd_ring *)instance)->reader;
}

static inline void eventfd_signal(int descriptor)
{
	const uint64_t one = 1;

	/* full after 2^64 − 2 signals that nobody waited for */
	while (write(descriptor, &one, sizeof(one)) < 0 && errno == EINTR)
		;
}

static inline void eventfd_await(int descriptor)
{
	uint64_t count;

	while (read(descriptor, &count, sizeof(count)) < 0 && errno == EINTR)
		;
}

static inline void *eventfd_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct eventfd_end *writer = (struct eventfd_end *)producer;
	size_t used = writer->first + writer->staged;

	*n = writer->room - used < max ? writer->room - used : max;
	writer->staged += *n;
	return *n ? writer->stage + used * writer->stride : NULL;
}

/* Copies what there is room for into the ring and signals it. */
static inline enum queue_flush eventfd_flush(void *producer)
{
	struct eventfd_end *writer = (struct eventfd_end *)producer;
	bool some = false;
	size_t n = 1;

	while (writer->staged && n) {
		void *slots = ring_prewrite_span(writer->end, writer->staged, &n);

		copy_messages(slots, writer->stage + writer->first * writer->stride, n * (writer->stride / 8));
		writer->first += n;
		writer->staged -= n;
		some = some || n;
	}
	if (some) {
		ring_flush(writer->end);
		eventfd_signal(writer->to_other);
	}
	if (writer->staged)
		return QUEUE_FULL;
	writer->first = 0;
	return QUEUE_FLUSHED;
}

static inline bool eventfd_preread(void *consumer)
{
	struct eventfd_end *reader = (struct eventfd_end *)consumer;
	bool some = ring_preread(reader->end);

	if (reader->unsignalled) {
		eventfd_signal(reader->to_other);
		reader->unsignalled = false;
	}
	return some;
}

static inline const void *eventfd_read_span(void *consumer, size_t max, size_t *n)
{
	struct eventfd_end *reader = (struct eventfd_end *)consumer;
	const void *slots = ring_read_span(reader->end, max, n);

	reader->unsignalled = reader->unsignalled || *n;
	return slots;
}

static inline void eventfd_flush_wait(void *producer)
{
	while (eventfd_flush(producer) == QUEUE_FULL)
		eventfd_await(((struct eventfd_end *)producer)->to_self);
}

static inline void eventfd_preread_wait(void *consumer)
{
	struct eventfd_end *reader = (struct eventfd_end *)consumer;

	while (!eventfd_preread(reader))
		eventfd_await(reader->to_self);
}

QUEUE_TABLE(eventfd_ring) = {
	.contract = QUEUE_CONTRACT,
	.name = "eventfd-ring",
	.summary = "a ring in memory; each flush signals an eventfd",
	.source = "the ring of ring; eventfd(2), D. Libenzi, 2007",
	.traits = {
		.role = QUEUE_BASELINE, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .blocks_natively = true, .calls_in_loop = true,
	},
	.footprint = eventfd_footprint,
	.create = eventfd_create,
	.destroy = eventfd_destroy,
	.producer = eventfd_producer,
	.consumer = eventfd_consumer,
	.prewrite_span = eventfd_prewrite_span,
	.flush = eventfd_flush,
	.preread = eventfd_preread,
	.read_span = eventfd_read_span,
	.flush_wait = eventfd_flush_wait,
	.preread_wait = eventfd_preread_wait,
};
