/* Copies of messages, inline: a call of memcpy has no place on a queue's hot path. */
#ifndef QUEUES_COPY_H
#define QUEUES_COPY_H

#include "queue.h"

/* Four words at once, in whatever way the processor has them. */
typedef uint64_t copy_words __attribute__((vector_size(32), aligned(8), may_alias));

/* Copies whole words between places that do not overlap. */
QUEUE_INLINE void copy_messages(void *__restrict to, const void *__restrict from, size_t words)
{
	uint64_t *__restrict target = (uint64_t *)to;
	const uint64_t *__restrict source = (const uint64_t *)from;
	size_t i = 0;

	for (; i + 4 <= words; i += 4)
		*(copy_words *)(void *)(target + i) = *(const copy_words *)(const void *)(source + i);
	for (; i < words; i++)
		target[i] = source[i];
}

#endif
