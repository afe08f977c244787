/* Linked into the test build only. */
#include "fault.h"

#ifdef TWOPOINT_FAULTS

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool planted(const char *name)
{
	const char *fault = getenv("TWOPOINT_FAULT");

	return fault && !strcmp(fault, name);
}

/* The readings of a clock that runs 20 us behind. */
static void skew(struct endpoint_account *account, double ticks_per_s)
{
	uint64_t ticks = (uint64_t)(ticks_per_s * 20e-6);

	for (size_t i = 0; i < account->stamps.count; i++)
		account->stamps.at[i].outer -= ticks;
	account->outer_sum -= (ticks_sum)ticks * account->stamps.count;
}

void fault_account(struct endpoint_account *account, double ticks_per_s)
{
	struct stamps *stamps = &account->stamps;
	size_t middle = stamps->count / 2;

	if (stamps->count < 4)
		return;
	if (planted("drop-sample")) {
		memmove(&stamps->at[middle], &stamps->at[middle + 1], (stamps->count - middle - 1) * sizeof(stamps->at[0]));
		if (stamps->outmost)
			memmove(&stamps->outmost[middle], &stamps->outmost[middle + 1], (stamps->count - middle - 1) * sizeof(uint64_t));
		stamps->count--;
	} else if (planted("swap-samples")) {
		uint64_t ticks = stamps->at[middle].outer;

		stamps->at[middle].outer = stamps->at[middle + 1].outer;
		stamps->at[middle + 1].outer = ticks;
	} else if (planted("shift-batch")) {
		for (size_t i = 0; i < stamps->count; i++)
			stamps->at[i].sequence++;
	} else if (planted("skew-clock") || planted("clamp-negative")) {
		skew(account, ticks_per_s);
	}
}

void fault_schedule(struct endpoint_account *account)
{
	struct stamps *stamps = &account->stamps;
	size_t middle = stamps->count / 2;

	if (stamps->count < 4)
		return;
	if (planted("rebase-schedule")) {
		/* the second half is measured from when it came to be written */
		for (size_t i = middle; i < stamps->count; i++) {
			account->outmost_sum += stamps->at[i].outer - stamps->outmost[i];
			stamps->outmost[i] = stamps->at[i].outer;
		}
	} else if (planted("early-write")) {
		account->outer_sum -= stamps->at[middle].outer - (stamps->outmost[middle] - 1);
		stamps->at[middle].outer = stamps->outmost[middle] - 1;
	}
}

double fault_ticks_per_s(double ticks_per_s)
{
	return planted("wrong-rate") ? ticks_per_s * 1.001 : ticks_per_s;
}

int64_t fault_latency(int64_t ticks)
{
	return planted("clamp-negative") && ticks < 0 ? 0 : ticks;
}

void fault_histogram(struct histogram *histogram)
{
	if (planted("count-twice") && histogram->count)
		histogram_add(histogram, histogram->max);
}

enum { SLEEP_NS = 200000000, SLEEP_LONG_NS = 900000000, BEFORE_END_NS = 50000000 };

static void sleep_once(int signal_number)
{
	bool sends = planted("sleep-sender");

	(void)signal_number;
	nanosleep(&(struct timespec){.tv_nsec = sends ? SLEEP_LONG_NS : SLEEP_NS}, NULL);
}

void fault_sleep(pthread_t sender, pthread_t receiver, uint64_t warm_up_ns, uint64_t measured_ns)
{
	struct sigaction action = {.sa_handler = sleep_once};
	uint64_t after_ns;

	if (planted("sleep-consumer"))
		after_ns = warm_up_ns + measured_ns * 2 / 5;
	else if (planted("sleep-at-end"))
		after_ns = warm_up_ns + measured_ns - SLEEP_NS / 2;
	else if (planted("sleep-sender"))
		after_ns = warm_up_ns + measured_ns - BEFORE_END_NS;
	else
		return;
	if (measured_ns < SLEEP_NS || after_ns < SLEEP_NS / 2)
		return;
	sigaction(SIGUSR1, &action, NULL);
	nanosleep(&(struct timespec){(time_t)(after_ns / 1000000000), (long)(after_ns % 1000000000)}, NULL);
	pthread_kill(planted("sleep-sender") ? sender : receiver, SIGUSR1);
}

#endif
