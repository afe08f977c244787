/* What a summary is put together from. */
#ifndef RESULTS_SUMMARY_PARTS_H
#define RESULTS_SUMMARY_PARTS_H

#include "summary.h"

/* Quantities of one trial; < 0: unknown. */
double summary_trial_sender_rate(const struct record_trial *trial);
double summary_trial_receiver_rate(const struct record_trial *trial);
double summary_trial_least_sender_rate(const struct record_trial *trial);
double summary_trial_most_sender_rate(const struct record_trial *trial);
double summary_trial_least_receiver_rate(const struct record_trial *trial);
double summary_trial_most_receiver_rate(const struct record_trial *trial);
double summary_trial_sender_jain(const struct record_trial *trial);
double summary_trial_receiver_jain(const struct record_trial *trial);
double summary_trial_sender_gap_ns(const struct record_trial *trial);
double summary_trial_receiver_gap_ns(const struct record_trial *trial);
double summary_trial_mean_batch(const struct record_trial *trial);
double summary_trial_refused_share(const struct record_trial *trial);
double summary_trial_empty_share(const struct record_trial *trial);
double summary_trial_cpu_ns_per_message(const struct record_trial *trial);
double summary_trial_senders_cpu_share(const struct record_trial *trial);
double summary_trial_others_cpu_share(const struct record_trial *trial);
/* The trial's latency between the same points, or NULL. */
const struct record_latency *summary_trial_latency(const struct record_trial *trial, const struct summary_latency *position);
double summary_trial_offered(const struct record_trial *trial);
double summary_trial_capacity(const struct record_trial *trial);
double summary_trial_reached(const struct record_trial *trial);
double summary_trial_reached_share(const struct record_trial *trial);
/* How far the trial's latency can be from the truth, given all that the run found out about the two clocks. */
double summary_trial_offset_bound(const struct record *record, const struct record_trial *trial,
				  const struct record_latency *latency);

/* Of the row's members. */
void summary_stamps_make(struct summary_row *row);
struct summary_samples summary_samples_make(const struct summary_row *row, const struct summary_latency *position);
/* Whether it has too few samples for a p50. */
bool summary_is_poor(const struct record_latency *latency);

/* Of the row's members. Returns 0 or -ENOMEM. */
int summary_windows_make(struct summary_row *row);
/* Returns 0 or -ENOMEM. */
int summary_floor_make(struct summary_floor *machine, const struct record *record);
/* Judges by all else that is in the summary. */
void summary_verdict_make(struct summary *summary, const struct record *record);

#endif
