/* test-swap: hands out one pair of messages in a thousand in the wrong order. */
#include "faulty_ring.h"

static QUEUE_COLD void swap(unsigned char *first, size_t stride)
{
	for (size_t i = 0; i < stride; i++) {
		unsigned char byte = first[i];

		first[i] = first[stride + i];
		first[stride + i] = byte;
	}
}

QUEUE_INLINE const void *swap_read_span(void *consumer, size_t max, size_t *n)
{
	struct reader *reader = consumer;
	bool now = faulty_is_next(reader);
	const unsigned char *slots = ring_read_span(consumer, now && max > 2 ? 2 : faulty_span(reader, max), n);

	if (now && *n == 2 && faulty_is_measured(slots) && faulty_is_measured(slots + reader->stride))
		swap((unsigned char *)(uintptr_t)slots, reader->stride);
	return slots;
}

FAULTY_RING(test_swap, "test-swap", "swaps one pair of messages in a thousand", ring_preread, swap_read_span);
