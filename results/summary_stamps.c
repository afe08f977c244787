/* What a row's trials stamped: how many samples that gave each latency. */
#include "summary_parts.h"

enum { LEFT_OUT_ONE_IN = 10 }; /* trials: of a row in which more are poor, none is representative without them */

bool summary_is_poor(const struct record_latency *latency)
{
	return latency->p50_ns < 0.0 && latency->count < SUMMARY_P50_SAMPLES;
}

struct summary_samples summary_samples_make(const struct summary_row *row, const struct summary_latency *position)
{
	struct summary_samples samples = { .least = UINT64_MAX };

	for (size_t i = 0; i < row->trials; i++) {
		const struct record_latency *latency = summary_trial_latency(row->members[i], position);

		samples.trials += latency != NULL;
		samples.poor += latency && summary_is_poor(latency);
	}
	if (samples.poor * LEFT_OUT_ONE_IN <= samples.trials)
		samples.left_out = samples.poor;
	for (size_t i = 0; i < row->trials; i++) {
		const struct record_latency *latency = summary_trial_latency(row->members[i], position);

		if (!latency)
			continue;
		if (samples.left_out && summary_is_poor(latency)) {
			samples.most_left_out = latency->count > samples.most_left_out ? latency->count : samples.most_left_out;
			continue;
		}
		samples.least = latency->count < samples.least ? latency->count : samples.least;
		samples.most = latency->count > samples.most ? latency->count : samples.most;
	}
	return samples;
}

bool summary_trial_is_thinned(const struct record_trial *trial)
{
	return trial->stamp_asked && trial->stamp_every > trial->stamp_asked;
}

void summary_stamps_make(struct summary_row *row)
{
	struct summary_stamps *stamps = &row->stamps;

	for (size_t i = 0; i < row->trials; i++) {
		const struct record_trial *trial = row->members[i];

		stamps->full += trial->stamps_full;
		if (!summary_trial_is_thinned(trial))
			continue;
		stamps->asked = trial->stamp_asked;
		if (!stamps->thinned++ || trial->stamp_every < stamps->every_least)
			stamps->every_least = trial->stamp_every;
		stamps->every_most = trial->stamp_every > stamps->every_most ? trial->stamp_every : stamps->every_most;
	}
}
