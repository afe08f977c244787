#include "gap.h"

#include <math.h>

double gap_upper_edge_ns(size_t bucket)
{
	return GAP_LEAST_NS * exp2((double)(bucket + 1) / GAP_PER_OCTAVE);
}

static void gap_add(struct gap_account *account, double gap_ns)
{
	size_t bucket = (size_t)(log2(gap_ns / GAP_LEAST_NS) * GAP_PER_OCTAVE);

	if (bucket >= GAP_BUCKETS)
		bucket = GAP_BUCKETS - 1;
	account->buckets[bucket].count++;
	account->buckets[bucket].total_ns += gap_ns;
}

void gap_watch(struct gap_account *account, const struct clock *clock, uint64_t watch_ns)
{
	double ns_per_tick = 1e9 / clock->ticks_per_s;
	uint64_t least = (uint64_t)(GAP_LEAST_NS / ns_per_tick);
	uint64_t start = clock_ticks(clock->source), end = start + (uint64_t)((double)watch_ns / ns_per_tick);
	uint64_t before = start, now;

	do {
		now = clock_ticks(clock->source);
		if (now - before >= least)
			gap_add(account, (double)(now - before) * ns_per_tick);
		before = now;
	} while (now < end);
	account->watched_ns += (double)(now - start) * ns_per_tick;
}

double gap_share(const struct gap_account *account)
{
	double stalled = 0;

	for (size_t i = 0; i < GAP_BUCKETS; i++)
		stalled += account->buckets[i].total_ns;
	return account->watched_ns > 0 ? stalled / account->watched_ns : 0;
}

void gap_merge(struct gap_account *into, const struct gap_account *from)
{
	into->watched_ns += from->watched_ns;
	for (size_t i = 0; i < GAP_BUCKETS; i++) {
		into->buckets[i].count += from->buckets[i].count;
		into->buckets[i].total_ns += from->buckets[i].total_ns;
	}
}
