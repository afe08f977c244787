/* test-late: works for 200 ns before it publishes a batch. */
#include "late.h"

FAULTY_RING_OF(test_late, "test-late", "publishes 200 ns late", late_create, late_flush, ring_preread, ring_read_span);
