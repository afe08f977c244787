#include "busy.h"

#include <stdlib.h>

#include "clock.h"

enum {
	CALIBRATE_STEPS = 20000, /* at first: about 25 us */
	CALIBRATE_TIMES = 15,
	CALIBRATE_MOST_NS = 100000000, /* for all times together, of which there is one at least: a stall hardly moves so long a time */
	CALIBRATE_LEAST_NS = 20000, /* what is timed: the work so often that it takes as long */
};

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The time that so many steps take, repeated so often: the median of some times, which a stall does not move. */
static double time_ns(uint64_t steps, uint64_t repeat, size_t times)
{
	uint64_t took[CALIBRATE_TIMES], x = repeat;

	for (size_t i = 0; i < times; i++) {
		uint64_t before = clock_system_ns(CLOCK_MONOTONIC_RAW);

		for (uint64_t k = 0; k < repeat; k++)
			x = busy_work(x, steps); /* each needs the one before: no two at once */
		took[i] = clock_system_ns(CLOCK_MONOTONIC_RAW) - before;
	}
	qsort(took, times, sizeof(took[0]), compare);
	return (double)took[times / 2] / (double)repeat;
}

/* How often work of that length is timed: a trial's watchdog (watchdog.c) allows for long work once, and a little time. */
static size_t calibrations(uint64_t ns)
{
	return ns <= CALIBRATE_MOST_NS / CALIBRATE_TIMES ? CALIBRATE_TIMES : ns >= CALIBRATE_MOST_NS ? 1 : CALIBRATE_MOST_NS / ns;
}

uint64_t busy_calibrate(uint64_t ns, double *took_ns)
{
	double step_ns = time_ns(CALIBRATE_STEPS, 1, CALIBRATE_TIMES) / CALIBRATE_STEPS;
	uint64_t steps = (uint64_t)((double)ns / step_ns + 0.5);

	if (!steps)
		steps = 1;
	*took_ns = time_ns(steps, 1 + CALIBRATE_LEAST_NS / (ns ? ns : 1), calibrations(ns));
	return steps;
}
