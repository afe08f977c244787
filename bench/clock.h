/* The clock: ticks of the processor's constant counter, or of the operating system where that can't be trusted. */
#ifndef BENCH_CLOCK_H
#define BENCH_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum clock_source {
	CLOCK_COUNTER, /* TSC on x86-64, CNTVCT on aarch64 */
	CLOCK_SYSTEM,  /* CLOCK_MONOTONIC, a tick is 1 ns */
};

enum { CLOCK_TEXT = 160 };

struct clock {
	enum clock_source source;
	double ticks_per_s;
	uint64_t quantum_ticks;           /* it steps by so many, rounded up */
	double read_ns, ordered_read_ns;  /* median cost of a reading */
	char why[CLOCK_TEXT];             /* why not the counter; empty otherwise */
};

static inline uint64_t clock_system_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

__attribute__((noinline, cold)) uint64_t clock_ticks_system(void);

/* A reading that may run ahead of earlier loads: for a stamp before a store. */
static inline __attribute__((always_inline)) uint64_t clock_ticks(enum clock_source source)
{
	if (__builtin_expect(source == CLOCK_SYSTEM, 0))
		return clock_ticks_system();
#if defined(__x86_64__)
	return __rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ __volatile__("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
	return ticks;
#else
	return clock_ticks_system();
#endif
}

/* A reading that comes after all earlier loads: for a stamp of what was read. */
static inline __attribute__((always_inline)) uint64_t clock_ticks_after(enum clock_source source)
{
#if defined(__x86_64__)
	_mm_lfence();
#elif defined(__aarch64__)
	__asm__ __volatile__("isb" ::: "memory");
#endif
	return clock_ticks(source);
}

/* How a reading is ordered after loads, for the record. */
const char *clock_ordering(enum clock_source source);
const char *clock_name(enum clock_source source);

/* Tests the counter, falls back with the reason, measures its rate against CLOCK_MONOTONIC_RAW over calibrate_ns, its quantum and the
 * cost of a reading. */
void clock_open(struct clock *clock, uint64_t calibrate_ns);

/* By how many ticks the clock steps that gave these differences, rounded up. A hypervisor may scale a coarser counter by a factor
 * that is no whole number: each step is a tick longer or shorter. 1: no coarser step fits. */
uint64_t clock_quantum(const uint64_t *differences, size_t count);

/* One moment on both clocks, and by how much they may have been read apart. */
struct clock_pair {
	uint64_t ticks, raw_ns;
	uint64_t width_ticks;
};
struct clock_pair clock_read_pair(enum clock_source source);

/* The rate between two moments, in ticks per second. */
double clock_rate(const struct clock_pair *from, const struct clock_pair *to);

static inline double clock_ns(double ticks, double ticks_per_s)
{
	return ticks * (1e9 / ticks_per_s);
}

#ifdef __cplusplus
}
#endif

#endif
