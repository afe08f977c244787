/* test-swap-many: for several ends; hands out two messages of a batch in the wrong order. */
#include "faulty_spin.h"

static inline const void *swap_many_read_span(void *consumer, size_t max, size_t *n)
{
	struct stage *stage = &((struct locked_endpoint *)consumer)->stage;
	unsigned char *slot = stage_first(stage), *next = slot + stage->stride;
	size_t bytes = stage->staged > 1 && faulty_is_chosen(slot) ? stage->stride : 0;

	(void)max;
	for (size_t i = 0; i < bytes; i++) {
		unsigned char byte = slot[i];

		slot[i] = next[i];
		next[i] = byte;
	}
	return locked_read_span(consumer, 1, n);
}

FAULTY_SPIN(test_swap_many, "test-swap-many", "for several ends, hands out two messages in the wrong order", swap_many_read_span);
