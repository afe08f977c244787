/* test-late: works for 200 ns before it publishes a batch. */
#include "late.h"

enum { LATE_NS = 200 };

static uint64_t late_steps; /* that take as long */

static int late_create(const struct queue_config *config, void **queue)
{
	double took_ns;

	late_steps = busy_calibrate(LATE_NS, &took_ns);
	return ring_create(config, queue);
}

QUEUE_INLINE enum queue_flush late_flush(void *producer)
{
	return ring_flush(late_after_work(producer, late_steps));
}

FAULTY_RING_OF(test_late, "test-late", "publishes 200 ns late", late_create, late_flush, ring_preread, ring_read_span);
