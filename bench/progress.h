/* How far a run has come, on stderr: a bar on a terminal, some plain lines elsewhere. Drawn between trials only. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool quiet, terminal;
	uint64_t began_ns, told_ns; /* CLOCK_MONOTONIC */
	uint64_t done, planned;     /* steps; planned may grow */
	uint64_t cells_done, cells; /* those that have all their steps; cells 0: steps belong to none. Told until there are more steps */
	const char *steps;          /* what they are */
	const char *why_more;       /* why there are more than were planned at first, which may not be all yet; NULL: there are not */
	bool uneven;                /* a step took a time of its own: how long the rest takes is not foretold from it */
};

void progress_begin(struct progress *progress, bool quiet, uint64_t planned, const char *steps);
/* headline: of the step that just ended; what a terminal has no room for is left out. */
void progress_step(struct progress *progress, const char *headline);
/* There are so many steps more to go, at least. why: told beside them. */
void progress_extend(struct progress *progress, uint64_t more, const char *why);
/* Clears the bar, so that a line may be printed. */
void progress_clear(const struct progress *progress);

#endif
