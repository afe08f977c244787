/* A ring behind a stage: the writer fills the stage, flush copies it into the ring. The reader reads in place.
 *
 * The including file sets STAGED_RING_COPY(to, from, words): how a run of words is copied. It may set STAGED_RING_WRITER_FIELDS, and
 * ring_core.h's RING_READER_FIELDS: what it adds to the two ends for itself; and STAGED_RING_ROOM(config): how many messages the stage
 * holds. */
#ifndef QUEUES_SPSC_STAGED_RING_H
#define QUEUES_SPSC_STAGED_RING_H

#include "copy.h"
#include "stage.h"

#ifndef STAGED_RING_WRITER_FIELDS
#define STAGED_RING_WRITER_FIELDS
#endif
#ifndef STAGED_RING_ROOM
#define STAGED_RING_ROOM stage_room
#endif
#define RING_WRITER_FIELDS struct stage stage; STAGED_RING_WRITER_FIELDS
#include "ring_core.h"

static int staged_ring_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	int status = ring_footprint(config, outstanding, bytes);

	return status ? status : queue_size(STAGED_RING_ROOM(config), queue_stride(config->message_bytes), *bytes, bytes);
}

static void staged_ring_destroy(void *instance)
{
	struct ring *ring = (struct ring *)instance;

	stage_close(&ring->writer.stage, ring->memory);
	ring_destroy(ring);
}

static int staged_ring_create(const struct queue_config *config, void **instance)
{
	size_t bytes;
	int status = staged_ring_footprint(config, 0, &bytes);

	if (!status)
		status = ring_create(config, instance);
	if (status)
		return status;
	if (stage_open(&((struct ring *)*instance)->writer.stage, config, STAGED_RING_ROOM(config)))
		return 0;
	staged_ring_destroy(*instance);
	return -12; /* −ENOMEM */
}

QUEUE_INLINE void *staged_ring_prewrite_span(void *producer, size_t max, size_t *n)
{
	return stage_prewrite_span(&((struct writer *)producer)->stage, max, n);
}

QUEUE_INLINE enum queue_flush staged_ring_flush(void *producer)
{
	struct writer *writer = (struct writer *)producer;
	struct stage *stage = &writer->stage;
	enum queue_flush flushed = QUEUE_FULL;

	if (!stage->staged)
		return QUEUE_FLUSHED;
	ring_free(writer, stage->staged); /* where its copy of the reader's counter would part the batch, it looks at that first */
	do {
		size_t n;
		unsigned char *slots = (unsigned char *)ring_prewrite_span(writer, stage->staged, &n);

		if (!n)
			break;
		STAGED_RING_COPY(slots, stage_first(stage), n * (stage->stride / 8));
		flushed = stage_shift(stage, n);
	} while (flushed == QUEUE_FULL);
	ring_flush(writer);
	return flushed;
}

#define STAGED_RING_OPERATIONS                                                                                         \
	.footprint = staged_ring_footprint, .create = staged_ring_create, .destroy = staged_ring_destroy,              \
	.producer = ring_producer, .consumer = ring_consumer, .prewrite_span = staged_ring_prewrite_span,              \
	.flush = staged_ring_flush, .preread = ring_preread, .read_span = ring_read_span

#endif
