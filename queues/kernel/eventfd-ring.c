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
#include "queue.h"

/* messages, room: the counts that the reader, the writer waits on */
#define STAGED_RING_WRITER_FIELDS int messages, room;
/* unsignalled: something was read since the last signal */
#define RING_READER_FIELDS int messages, room; bool unsignalled;
#define STAGED_RING_COPY copy_messages
#include "spsc/staged_ring.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void eventfd_destroy(void *instance)
{
	struct ring *ring = (struct ring *)instance;

	if (ring->writer.messages >= 0)
		close(ring->writer.messages);
	if (ring->writer.room >= 0)
		close(ring->writer.room);
	staged_ring_destroy(ring);
}

static int eventfd_create(const struct queue_config *config, void **instance)
{
	int status = staged_ring_create(config, instance);
	struct ring *ring;

	if (status)
		return status;
	ring = (struct ring *)*instance;
	ring->writer.room = -1;
	ring->writer.messages = eventfd(0, EFD_CLOEXEC);
	if (ring->writer.messages >= 0)
		ring->writer.room = eventfd(0, EFD_CLOEXEC);
	if (ring->writer.room < 0) {
		status = -errno;
		eventfd_destroy(ring);
		return status;
	}
	ring->reader.messages = ring->writer.messages;
	ring->reader.room = ring->writer.room;
	return 0;
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

/* Signals what went into the ring. */
static inline enum queue_flush eventfd_flush(void *producer)
{
	struct writer *writer = (struct writer *)producer;
	uint64_t before = writer->flushed;
	enum queue_flush flushed = staged_ring_flush(writer);

	if (writer->flushed != before)
		eventfd_signal(writer->messages);
	return flushed;
}

static inline bool eventfd_preread(void *consumer)
{
	struct reader *reader = (struct reader *)consumer;
	bool some = ring_preread(reader);

	if (reader->unsignalled) {
		eventfd_signal(reader->room);
		reader->unsignalled = false;
	}
	return some;
}

static inline const void *eventfd_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = (struct reader *)consumer;
	const void *slots = ring_read_span(reader, max, n);

	reader->unsignalled = reader->unsignalled || *n;
	return slots;
}

static inline void eventfd_flush_wait(void *producer)
{
	while (eventfd_flush(producer) == QUEUE_FULL)
		eventfd_await(((struct writer *)producer)->room);
}

static inline void eventfd_preread_wait(void *consumer)
{
	struct reader *reader = (struct reader *)consumer;

	while (!eventfd_preread(reader))
		eventfd_await(reader->messages);
}

QUEUE_TABLE(eventfd_ring) = {
	.contract = QUEUE_CONTRACT,
	.name = "eventfd-ring",
	.summary = "a ring in memory; each flush signals an eventfd",
	.source = "the ring of ring; eventfd(2), D. Libenzi, 2007",
	.traits = {.role = QUEUE_BASELINE, RING_TRAITS, .blocks_natively = true, .calls_in_loop = true},
	.footprint = staged_ring_footprint,
	.create = eventfd_create,
	.destroy = eventfd_destroy,
	.producer = ring_producer,
	.consumer = ring_consumer,
	.prewrite_span = staged_ring_prewrite_span,
	.flush = eventfd_flush,
	.preread = eventfd_preread,
	.read_span = eventfd_read_span,
	.flush_wait = eventfd_flush_wait,
	.preread_wait = eventfd_preread_wait,
};
