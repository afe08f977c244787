#include "watchdog.h"

#include <math.h>

#include "schedule.h"

enum {
	MESSAGE_NS_MOST = 20000,        /* that a message may take, apart from its bytes and what is done with it */
	SLICES_NS_MOST = 20000000,      /* and where its two ends take turns on a CPU, each for a slice of the scheduler's */
	BYTES_PER_S_LEAST = 128 << 20, /* faulted in, written or read: 10 GiB took 40 s on a busy virtual machine of 2 CPUs */
};

static double bytes_ns(double bytes)
{
	return bytes * 1e9 / BYTES_PER_S_LEAST;
}

static double message_ns(const struct cell *cell)
{
	bool slices = cell->wait == WAIT_SPIN && cell_is_crowded(cell);
	double touched = cell->touch == TOUCH_HEAD ? 0 : (double)cell->message_bytes;

	return (slices ? SLICES_NS_MOST : MESSAGE_NS_MOST) + (double)cell->work_ns + (double)cell->think_ns + bytes_ns(touched);
}

static double memory_bytes(const struct cell *cell)
{
	size_t bytes;

	return (cell_footprint(cell, &bytes) ? 0 : (double)bytes) + (double)cell_stamp_bytes_all(cell);
}

uint64_t watchdog_limit_ns(const struct cell *cell, uint64_t rate_per_s, uint64_t watchdog_ns)
{
	double messages = (double)cell->messages * cell->producers, ns = messages * message_ns(cell) + bytes_ns(memory_bytes(cell));

	/* twice, for others may have the CPU as well; and long work is calibrated */
	ns += 2 * (cell_backlog_ns(cell) + (double)(cell->work_ns + cell->think_ns));
	if (cell->load == LOAD_OPEN)
		ns += messages * 1e9 / schedule_rate(cell, rate_per_s);
	return cell->warm_up_ns + cell->duration_ns + (uint64_t)fmin(ns, 1e18) + watchdog_ns;
}
