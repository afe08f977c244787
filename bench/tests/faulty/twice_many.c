/* test-twice-many: for several ends; hands one message in a thousand out twice. */
#define LOCKED_PLACE bool /* whether the next message was handed out once */
#include "faulty_spin.h"

static inline const void *twice_many_read_span(void *consumer, size_t max, size_t *n)
{
	struct locked_endpoint *endpoint = consumer;
	const void *slot = locked_read_span(consumer, 1, n);

	(void)max;
	if (!*n || !faulty_is_chosen(slot))
		return slot;
	endpoint->place = !endpoint->place;
	if (endpoint->place) {
		endpoint->stage.first--;
		endpoint->stage.staged++;
	}
	return slot;
}

FAULTY_SPIN(test_twice_many, "test-twice-many", "for several ends, hands one message in a thousand out twice", twice_many_read_span);
