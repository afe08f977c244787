#include "clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
	READS = 1001,
	PAIR_TRIES = 16,
	TRAPPED_TICKS = 500, /* a reading that costs more is trapped by a hypervisor */
	QUANTUM_LEAST = 4,   /* ticks: of a finer step nothing can be said, and need not */
	QUANTUM_STEPS = 12,  /* greater differences are not looked at */
	QUANTUM_PARTS = 4,
};

static const double QUANTUM_SHARE = 0.95; /* of all differences must fit */

uint64_t clock_ticks_system(void)
{
	return clock_system_ns(CLOCK_MONOTONIC);
}

const char *clock_name(enum clock_source source)
{
	if (source == CLOCK_SYSTEM)
		return "CLOCK_MONOTONIC";
#if defined(__x86_64__)
	return "tsc";
#elif defined(__aarch64__)
	return "cntvct";
#else
	return "CLOCK_MONOTONIC";
#endif
}

const char *clock_ordering(enum clock_source source)
{
	if (source == CLOCK_SYSTEM)
		return "clock_gettime";
#if defined(__x86_64__)
	return "lfence; rdtsc";
#elif defined(__aarch64__)
	return "isb; mrs cntvct_el0";
#else
	return "clock_gettime";
#endif
}

static int compare_ticks(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return a < b ? -1 : a > b;
}

/* The median difference of readings in a row; *stands: all were the same. */
static double read_cost(enum clock_source source, bool ordered, bool *stands, bool *backwards)
{
	uint64_t cost[READS], before = clock_ticks(source);

	for (size_t i = 0; i < READS; i++) {
		uint64_t now = ordered ? clock_ticks_after(source) : clock_ticks(source);

		cost[i] = now - before;
		*backwards = *backwards || now < before;
		before = now;
	}
	qsort(cost, READS, sizeof(cost[0]), compare_ticks);
	*stands = !cost[READS - 1];
	return (double)cost[READS / 2];
}

/* The step near `guess` of which the differences are multiples, give or take a tick; 0: they are not. */
static double fit_step(const uint64_t *differences, size_t count, double guess)
{
	double ticks = 0, steps = 0, step;
	size_t looked_at = 0, fitting = 0;

	for (size_t i = 0; i < count; i++)
		if ((double)differences[i] < QUANTUM_STEPS * guess) {
			ticks += (double)differences[i];
			steps += round((double)differences[i] / guess);
			looked_at++;
		}
	step = ticks / steps;
	for (size_t i = 0; i < count; i++)
		if ((double)differences[i] < QUANTUM_STEPS * guess)
			fitting += fabs((double)differences[i] - step * round((double)differences[i] / step)) <= 1;
	return (double)fitting >= QUANTUM_SHARE * (double)looked_at ? step : 0;
}

uint64_t clock_quantum(const uint64_t *differences, size_t count)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = 0; i < count; i++)
		if (differences[i] && differences[i] < least)
			least = differences[i];
	/* where a reading takes longer than a step, the least difference is several of them */
	for (unsigned parts = 1; least != UINT64_MAX && least / parts >= QUANTUM_LEAST && parts <= QUANTUM_PARTS; parts++) {
		double step = fit_step(differences, count, (double)least / parts);

		if (step > 0)
			return (uint64_t)ceil(step - 0.01);
	}
	return 1;
}

/* Differences of readings that lie apart by all sorts of lengths. */
static uint64_t measure_quantum(enum clock_source source)
{
	uint64_t differences[READS], before = clock_ticks(source);

	for (size_t i = 0; i < READS; i++) {
		uint64_t now;

		for (volatile size_t wait = i % 13; wait; wait--)
			;
		now = clock_ticks(source);
		differences[i] = now - before;
		before = now;
	}
	return clock_quantum(differences, READS);
}

struct clock_pair clock_read_pair(enum clock_source source)
{
	/* the system's own clock is slewed; it can only be held against itself */
	clockid_t reference = source == CLOCK_SYSTEM ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW;
	struct clock_pair best = {.width_ticks = UINT64_MAX};

	for (size_t i = 0; i < PAIR_TRIES; i++) {
		uint64_t before = clock_ticks_after(source), raw = clock_system_ns(reference),
			 after = clock_ticks_after(source);

		if (after - before < best.width_ticks)
			best = (struct clock_pair){before + (after - before) / 2, raw, after - before};
	}
	return best;
}

double clock_rate(const struct clock_pair *from, const struct clock_pair *to)
{
	return (double)(to->ticks - from->ticks) * 1e9 / (double)(to->raw_ns - from->raw_ns);
}

/* Why the counter can't be used; NULL: it can. */
static const char *counter_fault(void)
{
	bool backwards = false, stands;
	double cost;

#if defined(__x86_64__)
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) || !(edx & (1u << 8)))
		return "CPUID does not promise a TSC of constant rate";
#elif !defined(__aarch64__)
	return "no counter is known for this architecture";
#endif
	cost = read_cost(CLOCK_COUNTER, false, &stands, &backwards);
	if (backwards)
		return "the counter ran backwards";
	if (cost > TRAPPED_TICKS)
		return "a reading of the counter costs more than 500 ticks: it is trapped";
	return stands ? "the counter stands still" : NULL;
}

void clock_open(struct clock *clock, uint64_t calibrate_ns)
{
	const char *fault = counter_fault();
	struct timespec rest = {.tv_sec = (time_t)(calibrate_ns / 1000000000u), .tv_nsec = (long)(calibrate_ns % 1000000000u)};
	struct clock_pair from, to;
	bool backwards = false, stands;

	*clock = (struct clock){.source = fault ? CLOCK_SYSTEM : CLOCK_COUNTER, .ticks_per_s = 1e9};
	snprintf(clock->why, sizeof(clock->why), "%s", fault ? fault : "");
	if (!fault) {
		from = clock_read_pair(clock->source);
		while (nanosleep(&rest, &rest))
			;
		to = clock_read_pair(clock->source);
		clock->ticks_per_s = clock_rate(&from, &to);
	}
	clock->quantum_ticks = measure_quantum(clock->source);
	clock->read_ns = clock_ns(read_cost(clock->source, false, &stands, &backwards), clock->ticks_per_s);
	clock->ordered_read_ns = clock_ns(read_cost(clock->source, true, &stands, &backwards), clock->ticks_per_s);
}
