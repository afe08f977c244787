/* test-prompt: the same as test-late, but that it publishes at once. */
#include "late.h"

QUEUE_INLINE enum queue_flush prompt_flush(void *producer)
{
	return ring_flush(late_after_work(producer, 0));
}

FAULTY_RING_OF(test_prompt, "test-prompt", "as test-late, but in time", ring_create, prompt_flush, ring_preread, ring_read_span);
