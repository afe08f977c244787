/* The round trip of one cache line between two CPUs, by two threads of this process. */
#ifndef BENCH_LINE_PAIR_H
#define BENCH_LINE_PAIR_H

#include "line.h"

enum { LINE_PAIR_TEXT = 512, LINE_PAIR_COST_NS = 4000000 /* two threads, a thousand round trips */ };

/* Returns the median in ns, < 0 with the reason in error (LINE_PAIR_TEXT bytes). result: all that was found; may be NULL. The calling thread
 * is pinned to `from` afterwards. */
double line_pair_measure(const struct clock *clock, int from, int to, struct line_result *result, char *error);

#endif
