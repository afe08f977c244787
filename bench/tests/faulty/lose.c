/* test-lose: loses one message in a thousand. */
#include "faulty_ring.h"

QUEUE_INLINE const void *lose_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = consumer;

	if (faulty_is_next(reader)) {
		const void *slot = ring_read_span(consumer, 1, n);

		if (!*n || !faulty_is_measured(slot))
			return slot;
	}
	return ring_read_span(consumer, faulty_span(reader, max), n);
}

FAULTY_RING(test_lose, "test-lose", "loses one message in a thousand", ring_preread, lose_read_span);
