/* test-tear: changes the last byte of one message in a thousand. */
#include "faulty_ring.h"

QUEUE_INLINE const void *tear_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = consumer;
	bool now = faulty_is_next(reader);
	const unsigned char *slots = ring_read_span(consumer, now ? 1 : faulty_span(reader, max), n);

	if (now && *n && faulty_is_measured(slots))
		((unsigned char *)(uintptr_t)slots)[reader->stride - 1] ^= 1;
	return slots;
}

FAULTY_RING(test_tear, "test-tear", "changes a byte of one message in a thousand", ring_preread, tear_read_span);
