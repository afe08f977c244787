/* What a trial tells beyond its rates and percentiles: how many messages passed in each window of time, and how a message's latency
 * hangs on its place in its batch. */
#ifndef BENCH_TRIAL_DETAIL_H
#define BENCH_TRIAL_DETAIL_H

#include "trial.h"

/* Nanoseconds of a window of time; TIME_WINDOWS_MAX bounds their number. */
enum { TRIAL_WINDOW_NS = 10000000 };

/* One in how many messages is stamped, in the end: of several producers the widest. */
uint64_t trial_stamp_every(const struct trial *trial);

/* An endpoint's windows. A new reference; null: none was over before the trial was. */
json_t *trial_windows_to_json(const struct trial *trial, const struct trial_endpoint *end);

/* Adds `positions` and its note to the trial's line where each message is stamped and batches are of more than one. */
void trial_add_positions(const struct trial *trial, json_t *line);

#endif
