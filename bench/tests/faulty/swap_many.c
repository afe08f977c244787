/* test-swap-many: for several ends; hands out two messages of a batch in the wrong order. */
#include "faulty_spin.h"

static inline const void *swap_many_read_span(void *consumer, size_t max, size_t *n)
{
	struct locked_endpoint *endpoint = consumer;
	unsigned char *slot = (unsigned char *)endpoint->stage + endpoint->first * endpoint->stride, *next = slot + endpoint->stride;
	size_t bytes = endpoint->staged > 1 && faulty_is_chosen(slot) ? endpoint->stride : 0;

	(void)max;
	for (size_t i = 0; i < bytes; i++) {
		unsigned char byte = slot[i];

		slot[i] = next[i];
		next[i] = byte;
	}
	return spin_read_span(consumer, 1, n);
}

FAULTY_SPIN(test_swap_many, "test-swap-many", "for several ends, hands out two messages in the wrong order", swap_many_read_span);
