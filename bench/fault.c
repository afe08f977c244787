/* Linked into the test build only. */
#include "fault.h"

#ifdef TWOPOINT_FAULTS

#include <stdlib.h>
#include <string.h>

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

#endif
