/* A stage: an endpoint's own buffer, of a queue that copies its messages. A producer's holds what was staged and is not in the queue yet, a
 * consumer's what was taken out of the queue and is not handed out yet; they lie in a row, in their order. */
#ifndef QUEUES_STAGE_H
#define QUEUES_STAGE_H

#include "queue.h"

struct stage {
	size_t first, staged;    /* the messages in it: the index of the first, their number */
	size_t room, stride;     /* constant: messages that it holds, bytes from one to the next */
	unsigned char *messages; /* constant */
};

/* How many messages a stage has use for: a batch, of a bounded queue no more than fit it. */
static inline size_t stage_room(const struct queue_config *config)
{
	return !config->capacity || config->batch < config->capacity ? config->batch : config->capacity;
}

/* False: no memory; it may be closed all the same. */
static inline bool stage_open(struct stage *stage, const struct queue_config *config, size_t room)
{
	size_t stride = queue_stride(config->message_bytes);
	struct queue_memory *memory = config->memory;

	*stage = (struct stage){.first = 0, .staged = 0, .room = room, .stride = stride,
				.messages = (unsigned char *)memory->allocate(memory, room * stride, QUEUE_LINE_PAIR)};
	return stage->messages != NULL;
}

static inline void stage_close(struct stage *stage, struct queue_memory *memory)
{
	if (stage->messages)
		memory->release(memory, stage->messages, stage->room * stage->stride);
}

/* A producer's prewrite_span. */
QUEUE_INLINE void *stage_prewrite_span(struct stage *stage, size_t max, size_t *n)
{
	size_t used = stage->first + stage->staged;

	*n = stage->room - used;
	if (max < *n)
		*n = max;
	stage->staged += *n;
	return stage->messages + used * stage->stride;
}

/* The first message, with the others behind it. */
QUEUE_INLINE unsigned char *stage_first(const struct stage *stage)
{
	return stage->messages + stage->first * stage->stride;
}

/* A producer's: so many went into the queue. What its flush is to return. */
QUEUE_INLINE enum queue_flush stage_shift(struct stage *stage, size_t n)
{
	stage->staged -= n;
	stage->first = stage->staged ? stage->first + n : 0;
	return stage->staged ? QUEUE_FULL : QUEUE_FLUSHED;
}

/* A consumer's: so many were copied into it, which was empty. */
QUEUE_INLINE void stage_fill(struct stage *stage, size_t n)
{
	stage->first = 0;
	stage->staged = n;
}

/* A consumer's read_span. */
QUEUE_INLINE const void *stage_read_span(struct stage *stage, size_t max, size_t *n)
{
	const unsigned char *slot = stage_first(stage);

	*n = max < stage->staged ? max : stage->staged;
	stage->first += *n;
	stage->staged -= *n;
	return slot;
}

#endif
