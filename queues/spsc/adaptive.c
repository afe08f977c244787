/* adaptive: a bounded queue for one writer and one reader that chooses by itself how messages go over: in place by ordinary stores, or from
 * a stage by non-temporal ones.
 *
 * Source: none; it is `ring` or, by turns, `ring-nt`.
 * Promise: no operation ever waits; order is kept; a batch that finds room becomes visible whole; never more than `capacity` messages
 * in it.
 *
 * How it works. Non-temporal stores are the better way where the reader's core is far, and a flush is large enough to be worth the fence;
 * else slots are handed out in place, as ring does. How large a flush will be is taken from the one before. How far the reader is, the
 * writer finds out when it looks at the reader's counter anyway, because by its copy there is no room, and finds it changed: it takes the
 * time of that one load (stream.h). Virtual CPUs wander, so that it goes on asking; several answers more of one kind count, and not one,
 * which may have been interrupted. It chooses anew only when nothing is staged.
 *
 * Limits: a timed look costs some 100 ns more, and so only one in 32 is timed. Of a ring that never fills up nothing is learnt, and it
 * stays as it began: near. The stage takes as much memory as the ring. Below 2 KiB a flush `sealed` is quicker between far cores.
 */
#include "stream.h"

enum {
	ADAPTIVE_BYTES = 2048, /* a flush, from which on non-temporal stores are better between far cores, as ring-nt tells */
	ADAPTIVE_ANSWERS = 4,  /* so many more of one kind than of the other decide */
	ADAPTIVE_LOOKS = 32,   /* one look in so many is timed: a power of two */
};

/* A test sets it to 1: then the reader is far, and each flush large. */
#ifndef ADAPTIVE_ALWAYS_FAR
#define ADAPTIVE_ALWAYS_FAR 0
#endif

struct writer;
QUEUE_INLINE uint64_t adaptive_look(struct writer *writer);

#define RING_LOOK adaptive_look
#define STAGED_RING_COPY stream_copy_lines
#define STAGED_RING_ROOM(config) ((config)->capacity) /* as in place, all of it may be staged */
#define STAGED_RING_WRITER_FIELDS                                                                                      \
	size_t last_bytes; /* of the last flush */                                                                     \
	int distance;      /* −ADAPTIVE_ANSWERS: near … ADAPTIVE_ANSWERS: far */                                       \
	unsigned looks;    /* so far */                                                                                \
	bool far, by_stage; /* by_stage: of what is being staged */
#include "staged_ring.h"

QUEUE_INLINE uint64_t adaptive_look(struct writer *writer)
{
	uint64_t head;
	bool far;

	/* H1 acquire, of both: pairs with H0 in ring_preread(): the reader is done with the slots that are written anew. */
	if (queue_likely(writer->looks++ % ADAPTIVE_LOOKS))
		return load_acquire(&writer->ring->head);
	head = stream_load_acquire(&writer->ring->head, &far);
	if (head == writer->head_seen) /* it may have lain in this core's cache */
		return head;
	writer->distance += far ? writer->distance < ADAPTIVE_ANSWERS : -(writer->distance > -ADAPTIVE_ANSWERS);
	if (writer->distance == ADAPTIVE_ANSWERS)
		writer->far = true;
	else if (writer->distance == -ADAPTIVE_ANSWERS)
		writer->far = false;
	return head;
}

static int adaptive_create(const struct queue_config *config, void **instance)
{
	int status = staged_ring_create(config, instance);

	if (!status) {
		struct writer *writer = &((struct ring *)*instance)->writer;

		writer->last_bytes = 0;
		writer->distance = 0;
		writer->looks = 0;
		writer->far = writer->by_stage = false;
	}
	return status;
}

QUEUE_INLINE void *adaptive_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct writer *writer = (struct writer *)producer;
	size_t free;

	if (queue_likely(!writer->far && !writer->by_stage && !ADAPTIVE_ALWAYS_FAR))
		return ring_prewrite_span(writer, max, n);
	if (!writer->stage.staged && writer->staged == writer->flushed)
		writer->by_stage = ADAPTIVE_ALWAYS_FAR || (writer->far && writer->last_bytes >= ADAPTIVE_BYTES);
	if (!writer->by_stage)
		return ring_prewrite_span(writer, max, n);
	/* no more than finds room: what is staged is flushed whole, as in place */
	free = ring_free(writer, writer->stage.staged + 1);
	free = free > writer->stage.staged ? free - writer->stage.staged : 0;
	return staged_ring_prewrite_span(writer, max < free ? max : free, n);
}

QUEUE_INLINE enum queue_flush adaptive_flush(void *producer)
{
	struct writer *writer = (struct writer *)producer;
	uint64_t flushed = writer->flushed;
	enum queue_flush result;

	if (queue_likely(!writer->far && !writer->by_stage))
		return ring_flush(writer);
	result = writer->by_stage ? staged_ring_flush(writer) : ring_flush(writer);
	if (writer->flushed != flushed)
		writer->last_bytes = (size_t)(writer->flushed - flushed) * writer->stride;
	return result;
}

QUEUE_TABLE(adaptive) = {
	.contract = QUEUE_CONTRACT,
	.name = "adaptive",
	.summary = "bounded ring, in place or by non-temporal stores, as the reader's distance and the flushes' size are",
	.source = "none",
	.traits = {.role = QUEUE_ORDINARY, RING_TRAITS, .in_place = true},
	.footprint = staged_ring_footprint,
	.create = adaptive_create,
	.destroy = staged_ring_destroy,
	.producer = ring_producer,
	.consumer = ring_consumer,
	.prewrite_span = adaptive_prewrite_span,
	.flush = adaptive_flush,
	.preread = ring_preread,
	.read_span = ring_read_span,
};
