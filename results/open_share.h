/* How much of an open load's schedule was written, by the number of messages alone. */
#ifndef RESULTS_OPEN_SHARE_H
#define RESULTS_OPEN_SHARE_H

#include <stdint.h>

/* For a trial whose stamps tell no rate: messages written in that time, over those that were due in it; < 0: unknown. It is told only where
 * far fewer were written than chance, and what a schedule has at its edges, let be due: one that has few messages tells nothing. burst: due
 * at once; 0 and 1: each by itself. */
double open_share_written(uint64_t written, double offered_per_s, double duration_ns, uint64_t burst);

#endif
