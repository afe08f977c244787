/* test-crash: delivers some messages, and then accesses memory that it has not. */
#include <signal.h>

#include "faulty_ring.h"

static QUEUE_COLD void crash(void)
{
	signal(SIGSEGV, SIG_DFL); /* whoever else would catch it, as sanitizers do */
	raise(SIGSEGV);
}

QUEUE_INLINE const void *crash_read_span(void *consumer, size_t max, size_t *n)
{
	if (queue_unlikely(((const struct reader *)consumer)->read >= FAULTY_EVERY))
		crash();
	return ring_read_span(consumer, max, n);
}

FAULTY_RING(test_crash, "test-crash", "crashes after some messages", ring_preread, crash_read_span);
