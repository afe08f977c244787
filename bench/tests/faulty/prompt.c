/* test-prompt: the same as test-late, but that it publishes at once. */
#include "faulty_ring.h"

FAULTY_RING(test_prompt, "test-prompt", "as test-late, but in time", ring_preread, ring_read_span);
