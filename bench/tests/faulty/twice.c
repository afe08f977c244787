/* test-twice: hands one message in a thousand out twice. */
#include "faulty_ring.h"

static bool test_twice_handed; /* whether the next message was handed out once; there is one consumer */

QUEUE_INLINE const void *twice_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = consumer;
	bool now = faulty_is_next(reader);
	size_t slot = reader->slot;
	const void *slots = ring_read_span(consumer, now ? 1 : faulty_span(reader, max), n);

	if (!now || !*n || !faulty_is_measured(slots))
		return slots;
	test_twice_handed = !test_twice_handed;
	if (test_twice_handed) {
		reader->read--;
		reader->slot = slot;
	}
	return slots;
}

FAULTY_RING(test_twice, "test-twice", "hands one message in a thousand out twice", ring_preread, twice_read_span);
