/* The machine's own stalls: a loop that does nothing but read the clock, and what it misses. */
#ifndef BENCH_GAP_H
#define BENCH_GAP_H

#include "clock.h"

enum { GAP_LEAST_NS = 1000, GAP_PER_OCTAVE = 4, GAP_BUCKETS = 24 * GAP_PER_OCTAVE };

struct gap_account {
	double watched_ns;
	struct gap_bucket {
		uint64_t count;
		double total_ns;
	} buckets[GAP_BUCKETS]; /* of stalls of at least GAP_LEAST_NS, GAP_PER_OCTAVE for each doubling */
};

/* Watches for watch_ns and adds to the account. */
void gap_watch(struct gap_account *account, const struct clock *clock, uint64_t watch_ns);

/* The greatest length that falls into a bucket, in ns. */
double gap_upper_edge_ns(size_t bucket);

/* The share of the watched time that was stalled. */
double gap_share(const struct gap_account *account);

void gap_merge(struct gap_account *into, const struct gap_account *from);

#endif
