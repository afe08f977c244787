#include "schedule.h"

#include <math.h>
#include <string.h>

/* numerator / denominator ticks from one burst to the next. */
static void set_period(struct arrivals *arrivals, unsigned __int128 numerator, uint64_t denominator)
{
	arrivals->quotient = (uint64_t)(numerator / denominator);
	arrivals->remainder = (uint64_t)(numerator % denominator);
	arrivals->denominator = denominator;
}

static void set_poisson(struct arrivals *arrivals, uint64_t seed)
{
	long double mean = (long double)arrivals->quotient + (long double)arrivals->remainder / (long double)arrivals->denominator;

	arrivals->poisson = true;
	arrivals->seed = seed;
	arrivals->scale = (uint64_t)(mean * logl(2) * (1 << ARRIVALS_SCALE_BITS) + 0.5L);
	for (size_t i = 0; i <= 1 << ARRIVALS_TABLE_BITS; i++)
		arrivals->log2[i] = (uint32_t)(log2((double)((1 << ARRIVALS_TABLE_BITS) + i) / (1 << ARRIVALS_TABLE_BITS)) *
						       (double)(UINT32_C(1) << ARRIVALS_LOG_BITS) + 0.5);
}

void schedule_make(struct arrivals *arrivals, const struct cell *cell, unsigned producer, uint64_t rate_per_s, double ticks_per_s,
		   uint64_t seed)
{
	unsigned __int128 ticks = (unsigned __int128)llround(ticks_per_s), numerator, first;
	uint64_t denominator;

	memset(arrivals, 0, sizeof(*arrivals));
	arrivals->burst = cell->burst ? cell->burst : 1;
	numerator = cell->gap_ns ? ticks * cell->gap_ns : ticks * cell->producers * arrivals->burst;
	denominator = cell->gap_ns ? 1000000000 : rate_per_s;
	set_period(arrivals, numerator, denominator);
	first = numerator * producer / cell->producers;
	arrivals->first = (uint64_t)(first / denominator);
	arrivals->first_rest = (uint64_t)(first % denominator);
	if (cell->arrival == ARRIVAL_POISSON)
		set_poisson(arrivals, seed + producer);
}

double schedule_rate(const struct cell *cell, uint64_t rate_per_s)
{
	return cell->gap_ns ? (double)cell->burst * cell->producers * 1e9 / (double)cell->gap_ns : (double)rate_per_s;
}

uint64_t schedule_misses(const struct arrivals *arrivals, uint64_t start, const struct stamps *stamps)
{
	struct arriving state = arrivals_begin(arrivals, start);
	uint64_t sequence = 1, misses = 0;

	for (size_t i = 0; i < stamps->count; i++) {
		for (; sequence < stamps->at[i].sequence; sequence++)
			arrivals_next(arrivals, &state);
		misses += stamps->outmost[i] != state.due;
	}
	return misses;
}
