/* test-hang: delivers some messages, and then none any more. */
#include "faulty_ring.h"

QUEUE_INLINE bool hang_preread(void *consumer)
{
	return ((const struct reader *)consumer)->read < FAULTY_EVERY && ring_preread(consumer);
}

FAULTY_RING(test_hang, "test-hang", "stands still after some messages", hang_preread, ring_read_span);
