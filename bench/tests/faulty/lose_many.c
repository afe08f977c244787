/* test-lose-many: for several ends; loses one message in a thousand. */
#include "faulty_spin.h"

static inline const void *lose_many_read_span(void *consumer, size_t max, size_t *n)
{
	const void *slot = locked_read_span(consumer, 1, n);

	(void)max;
	if (*n && faulty_is_chosen(slot))
		slot = locked_read_span(consumer, 1, n);
	return slot;
}

FAULTY_SPIN(test_lose_many, "test-lose-many", "for several ends, loses one message in a thousand", lose_many_read_span);
