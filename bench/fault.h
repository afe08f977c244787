/* Planted faults of the instrument, by which its audit is tested: built with TWOPOINT_FAULTS, a fault is chosen by the
 * environment. In the ordinary build nothing of this is left. */
#ifndef BENCH_FAULT_H
#define BENCH_FAULT_H

#include "endpoint.h"
#include "histogram.h"

#ifdef TWOPOINT_FAULTS

/* drop-sample, swap-samples, shift-batch, skew-clock: on what a consumer's loop gave back */
void fault_account(struct endpoint_account *account, double ticks_per_s);
/* wrong-rate: on the ticks per second that the trial goes by */
double fault_ticks_per_s(double ticks_per_s);
/* clamp-negative: on a single latency */
int64_t fault_latency(int64_t ticks);
/* count-twice: on a finished histogram */
void fault_histogram(struct histogram *histogram);

#else

static inline void fault_account(struct endpoint_account *account, double ticks_per_s)
{
	(void)account, (void)ticks_per_s;
}

static inline double fault_ticks_per_s(double ticks_per_s)
{
	return ticks_per_s;
}

static inline int64_t fault_latency(int64_t ticks)
{
	return ticks;
}

static inline void fault_histogram(struct histogram *histogram)
{
	(void)histogram;
}

#endif
#endif
