/* Memory for queues under test: counted, filled with garbage, guarded, failing on demand. Each block is a malloc of its own, so
 * that AddressSanitizer sees what runs over its end. */
#ifndef QUEUES_CHECK_COUNTED_MEMORY_H
#define QUEUES_CHECK_COUNTED_MEMORY_H

#include "queue.h"

struct counted_memory {
	struct queue_memory memory; /* what a queue is given; first */
	/* all threads', atomically; bytes as asked for */
	size_t live_bytes, peak_bytes, live_blocks, allocations;
	size_t fail_first, fail_last; /* allocations so numbered, from 1, yield NULL; 0: none */
	const char *fault;            /* the first misuse seen, or NULL */
};

struct counted_memory counted_memory(void);

/* Lets the next `count` allocations fail. */
void counted_memory_fail_next(struct counted_memory *memory, size_t count);

#endif
