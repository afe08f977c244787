/* Planted faults of the instrument, by which its audit is tested: built with TWOPOINT_FAULTS, a fault is chosen by the
 * environment. In the ordinary build nothing of this is left. */
#ifndef BENCH_FAULT_H
#define BENCH_FAULT_H

#include <pthread.h>

#include "endpoint.h"
#include "histogram.h"

#ifdef TWOPOINT_FAULTS

/* drop-sample, swap-samples, shift-batch, skew-clock: on what a consumer's loop gave back */
void fault_account(struct endpoint_account *account, double ticks_per_s);
/* rebase-schedule, early-write: on what a producer's loop gave back, under an open load */
void fault_schedule(struct endpoint_account *account);
/* wrong-rate: on the ticks per second that the trial goes by */
double fault_ticks_per_s(double ticks_per_s);
/* clamp-negative: on a single latency */
int64_t fault_latency(int64_t ticks);
/* count-twice: on a finished histogram */
void fault_histogram(struct histogram *histogram);
/* A thread sleeps, once. sleep-consumer: the receiver for 200 ms in the midst of the measured time; sleep-at-end: for 200 ms, half of them after
 * that time; sleep-sender: the sender for 900 ms, from 50 ms before that time is over. Not in a trial that is too short for it, as one that
 * measures a capacity. */
void fault_sleep(pthread_t sender, pthread_t receiver, uint64_t warm_up_ns, uint64_t measured_ns);

#else

static inline void fault_account(struct endpoint_account *account, double ticks_per_s)
{
	(void)account, (void)ticks_per_s;
}

static inline void fault_schedule(struct endpoint_account *account)
{
	(void)account;
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

static inline void fault_sleep(pthread_t sender, pthread_t receiver, uint64_t warm_up_ns, uint64_t measured_ns)
{
	(void)sender, (void)receiver, (void)warm_up_ns, (void)measured_ns;
}

#endif
#endif
