/* test-prompt: the same as test-late, but that it does not wait. */
#include "late.h"

FAULTY_QUEUE_OF(test_prompt, "test-prompt", "as test-late, but in time", late_create, prompt_flush, ring_preread, ring_read_span);
