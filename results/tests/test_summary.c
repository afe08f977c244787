#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sample.h"
#include "summary.h"

/* A record being made, then read and summarised. */
struct made {
	struct sample sample;
	struct record record;
	struct summary summary;
	int id;
};

static void made_open(struct made *made)
{
	*made = (struct made){ .id = 0 };
	sample_open(&made->sample);
	sample_json(&made->sample, sample_line(SAMPLE_RUN));
}

/* end: NULL for a record of a run that was cut off. */
static void made_close(struct made *made, json_t *end)
{
	if (end)
		sample_json(&made->sample, end);
	sample_close(&made->sample);
	sample_read(&made->record, made->sample.path);
	assert_int_equal(summary_make(&made->summary, &made->record), 0);
}

static void made_free(struct made *made)
{
	summary_free(&made->summary);
	record_free(&made->record);
	sample_remove(&made->sample);
}

static json_t *made_trial(struct made *made, const char *queue, double line_ns)
{
	return sample_trial(++made->id, queue, line_ns, line_ns);
}

/* Ten trials with round trips of 100, 110 … 190 ns. */
static void made_ten(struct made *made, const char *queue, double line_ns)
{
	for (int i = 0; i < 10; i++) {
		json_t *trial = made_trial(made, queue, line_ns);

		sample_latency(trial, 0, "p50_ns", 100 + 10 * i);
		sample_json(&made->sample, trial);
	}
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fabs(b);
}

static void assert_reason(const struct summary_verdict *verdict, const char *part)
{
	for (size_t i = 0; i < verdict->reason_count; i++)
		if (strstr(verdict->reasons[i], part))
			return;
	fail_msg("no reason with \"%s\" among %zu; the first: %s", part, verdict->reason_count,
		 verdict->reason_count ? verdict->reasons[0] : "-");
}

static void medians_are_taken_over_trials(void **state)
{
	const struct summary_row *row;
	struct made made;

	(void)state;
	made_open(&made);
	made_ten(&made, "ypipe", 150);
	made_close(&made, sample_line(SAMPLE_END));
	assert_int_equal(made.summary.row_count, 1);
	row = &made.summary.rows[0];
	assert_int_equal(row->trials, 10);
	assert_string_equal(row->regime, "r150");
	assert_true(row->first && near(row->line_ns, 150));
	assert_int_equal(row->latency_count, 3);
	assert_true(row->latency[0].round_trip && !row->latency[1].round_trip);
	assert_true(near(row->latency[0].p50_ns.median, 145));
	assert_true(row->latency[0].p50_ns.interval.known);
	assert_true(row->latency[0].p50_ns.interval.low < 145 && row->latency[0].p50_ns.interval.high > 145);
	assert_false(row->latency[1].p99_99_ns.known); /* null in every trial */
	assert_int_equal(row->latency[1].p99_99_ns.n, 0);
	assert_true(near(row->sender_rate.median, 4e6) && near(row->receiver_rate.median, 4e6));
	assert_true(near(row->mean_batch.median, 1) && near(row->refused_share.median, 0));
	assert_true(near(row->empty_share.median, 4000000.0 / 4400001.0));
	assert_true(near(row->cpu_ns_per_message.median, 125));
	assert_int_equal(row->members[9]->id, 10);
	made_free(&made);
}

/* Of 20 trials so many have 16 samples, and round trips like no others. */
static void made_poor(struct made *made, int poor)
{
	made_open(made);
	for (int i = 0; i < 20; i++) {
		json_t *trial = made_trial(made, "ypipe", 150);

		sample_latency(trial, 0, "p50_ns", 100);
		sample_latency(trial, 0, "max_ns", i < poor ? 9 : 900 + i);
		if (i < poor)
			sample_poor(trial, 0, 16);
		sample_json(&made->sample, trial);
	}
	made_close(made, sample_line(SAMPLE_END));
}

static void few_trials_of_too_few_samples_are_left_out_of_the_latency(void **state)
{
	const struct summary_latency *latency;
	struct made made;

	(void)state;
	made_poor(&made, 2); /* one in ten */
	latency = &made.summary.rows[0].latency[0];
	assert_int_equal(made.summary.rows[0].trials, 20);
	assert_true(latency->p50_ns.known && near(latency->p50_ns.median, 100));
	assert_int_equal(latency->p50_ns.n, 18);
	assert_true(latency->p99_ns.known && latency->p99_ns.n == 18);
	assert_true(latency->max_ns.n == 18 && near(latency->max_ns.median, 910.5)); /* of the same trials */
	assert_int_equal(latency->samples.left_out, 2);
	assert_int_equal(latency->samples.most_left_out, 16);
	assert_int_equal(latency->samples.least, 400001);
	assert_int_equal(made.summary.rows[0].latency[1].samples.left_out, 0);
	made_free(&made);
}

static void many_trials_of_too_few_samples_leave_no_percentile(void **state)
{
	const struct summary_latency *latency;
	struct made made;

	(void)state;
	made_poor(&made, 3);
	latency = &made.summary.rows[0].latency[0];
	assert_false(latency->p50_ns.known || latency->p90_ns.known || latency->p99_ns.known);
	assert_int_equal(latency->max_ns.n, 20);
	assert_int_equal(latency->samples.poor, 3);
	assert_int_equal(latency->samples.left_out, 0);
	assert_true(latency->samples.least == 16 && latency->samples.most == 400001);
	made_free(&made);
}

static void trials_that_stamped_fewer_than_asked_are_counted(void **state)
{
	const struct summary_stamps *stamps;
	struct made made;

	(void)state;
	made_open(&made);
	for (int i = 0; i < 5; i++) {
		json_t *trial = made_trial(&made, "ypipe", 150);

		sample_stamps(trial, i < 2 ? 4 : 4 * i, 4, i == 0);
		if (i == 4) { /* as older records have it: by the cell, one each */
			json_object_del(json_object_get(trial, "stamps"), "asked");
			json_object_del(json_object_get(trial, "stamps"), "full");
			json_object_set_new(json_object_get(trial, "stamps"), "note",
					    json_string("the memory for stamps was full: the trial ended early"));
		}
		sample_json(&made.sample, trial);
	}
	made_close(&made, sample_line(SAMPLE_END));
	stamps = &made.summary.rows[0].stamps;
	assert_int_equal(stamps->thinned, 3);
	assert_int_equal(stamps->every_least, 8);
	assert_int_equal(stamps->every_most, 16);
	assert_int_equal(stamps->full, 2);
	made_free(&made);
}

static void a_percentile_that_a_trial_lacks_is_none_of_the_row_s(void **state)
{
	const struct summary_latency *latency;
	struct made made;

	(void)state;
	made_open(&made);
	for (int i = 0; i < 7; i++) {
		json_t *trial = made_trial(&made, "ypipe", 150), *latencies = json_object_get(trial, "latency");

		if (i == 3) {
			json_object_set_new(json_array_get(latencies, 0), "p99_9_ns", json_null());
			json_object_set_new(json_array_get(latencies, 1), "p50_ns", json_null());
		}
		sample_json(&made.sample, trial);
	}
	made_close(&made, sample_line(SAMPLE_END));
	assert_false(made.summary.rows[0].latency[1].p50_ns.known);
	assert_int_equal(made.summary.rows[0].latency[1].p50_ns.n, 6);
	latency = &made.summary.rows[0].latency[0];
	assert_true(latency->p99_ns.known && latency->p99_ns.n == 7);
	assert_false(latency->p99_9_ns.known || latency->p99_9_ns.calm_known || latency->p99_9_ns.interval.known);
	assert_int_equal(latency->p99_9_ns.n, 6);
	made_free(&made);
}

static void regimes_are_never_mixed(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	for (int i = 0; i < 9; i++) {
		json_t *trial = made_trial(&made, "ypipe", i % 3 == 0 ? 600 : 150);

		sample_latency(trial, 0, "p50_ns", i % 3 == 0 ? 1000 : 300);
		sample_json(&made.sample, trial);
	}
	made_close(&made, sample_line(SAMPLE_END));
	assert_int_equal(made.summary.row_count, 2);
	assert_int_equal(made.summary.regime_count, 2);
	assert_string_equal(made.summary.regimes[made.summary.main_regime].name, "r150");
	assert_string_equal(made.summary.rows[0].regime, "r150"); /* the one with most trials first */
	assert_int_equal(made.summary.rows[0].trials, 6);
	assert_true(near(made.summary.rows[0].latency[0].p50_ns.median, 300));
	assert_false(made.summary.rows[1].first);
	assert_int_equal(made.summary.rows[1].trials, 3);
	assert_true(near(made.summary.rows[1].latency[0].p50_ns.median, 1000));
	made_free(&made);
}

static void a_trial_s_regime_is_the_mean_of_before_and_after_on_a_log_scale(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	sample_json(&made.sample, sample_trial(1, "ypipe", 200, 242));
	made_close(&made, NULL);
	assert_true(near(made.summary.rows[0].line_ns, 220)); /* the arithmetic mean is 221 */
	made_free(&made);
}

static void a_trial_without_a_line_stands_apart(void **state)
{
	json_t *trial = sample_trial(1, "ypipe", 150, 150);
	struct made made;

	(void)state;
	json_object_set_new(trial, "line_after_ns", json_null());
	made_open(&made);
	sample_json(&made.sample, trial);
	sample_json(&made.sample, sample_trial(2, "ypipe", 150, 150));
	made_close(&made, NULL);
	assert_int_equal(made.summary.row_count, 2);
	assert_string_equal(made.summary.rows[0].regime, "r?");
	assert_true(made.summary.rows[0].line_ns < 0.0);
	assert_int_equal(made.summary.regime_count, 1);
	made_free(&made);
}

/* Trials that must not count say 1e6 ns, where those that count say 100 … 190. */
static void only_valid_trials_that_did_not_move_count(void **state)
{
	static const struct {
		const char *status;
		bool valid, moved;
	} others[] = { { "invalid", false, false }, { "ok", true, true },        { "crash", false, false },
		       { "hang", false, false },    { "skipped", false, false }, { "ok", false, true } };
	struct made made;

	(void)state;
	made_open(&made);
	made_ten(&made, "ypipe", 150);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		json_t *trial = made_trial(&made, "ypipe", 230); /* would stretch the regime */

		json_object_set_new(trial, "status", json_string(others[i].status));
		json_object_set_new(trial, "valid", json_boolean(others[i].valid));
		json_object_set_new(trial, "moved", json_boolean(others[i].moved));
		sample_latency(trial, 0, "p50_ns", 1e6);
		sample_json(&made.sample, trial);
	}
	made_close(&made, sample_line(SAMPLE_END));
	assert_int_equal(made.summary.row_count, 1);
	assert_int_equal(made.summary.rows[0].trials, 10);
	assert_int_equal(made.summary.rows[0].invalid, 2);
	assert_int_equal(made.summary.rows[0].moved, 1);
	assert_int_equal(made.summary.rows[0].failed, 2);
	assert_true(near(made.summary.rows[0].latency[0].p50_ns.median, 145));
	assert_int_equal(made.summary.trials, 16);
	assert_int_equal(made.summary.counted, 10);
	assert_int_equal(made.summary.skipped, 1);
	assert_int_equal(made.summary.regimes[0].trials, 10);
	made_free(&made);
}

static void a_cell_of_which_nothing_counts_keeps_a_row(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	sample_json(&made.sample, sample_line(SAMPLE_CRASH));
	made_close(&made, NULL);
	assert_int_equal(made.summary.row_count, 1);
	assert_int_equal(made.summary.rows[0].trials, 0);
	assert_int_equal(made.summary.rows[0].failed, 1);
	assert_false(made.summary.rows[0].receiver_rate.known);
	assert_int_equal(made.summary.regime_count, 0);
	made_free(&made);
}

static void disturbed_trials_count_and_the_calm_median_stands_beside(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	for (int i = 0; i < 9; i++) {
		json_t *trial = made_trial(&made, "ypipe", 150);

		sample_latency(trial, 0, "p50_ns", 100 + i); /* 100 … 108: median 104 */
		if (i < 2)
			json_object_set_new(trial, "disturbed", json_true());
		if (i == 2) /* the run's median is 0.04; by its own facts the trial is undisturbed */
			json_object_set_new(json_object_get(trial, "noise"), "stall_share", json_real(0.121));
		if (i == 3)
			json_object_set_new(json_object_get(trial, "noise"), "stall_share", json_real(0.119));
		sample_json(&made.sample, trial);
	}
	made_close(&made, sample_line(SAMPLE_END));
	assert_int_equal(made.summary.rows[0].trials, 9);
	assert_int_equal(made.summary.rows[0].disturbed, 3);
	assert_int_equal(made.summary.disturbed, 3);
	assert_true(near(made.summary.rows[0].latency[0].p50_ns.median, 104));
	assert_true(near(made.summary.rows[0].latency[0].p50_ns.calm_median, 105.5)); /* of 103 … 108 */
	made_free(&made);
}

static void a_quiet_machine_has_no_disturbed_trials(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	for (int i = 0; i < 9; i++) { /* three times a median of 0 is 0 */
		json_t *trial = made_trial(&made, "ypipe", 150);

		json_object_set_new(json_object_get(trial, "noise"), "stall_share", json_real(i < 3 ? 0.0004 : 0.0));
		sample_json(&made.sample, trial);
	}
	made_close(&made, NULL);
	assert_int_equal(made.summary.disturbed, 0);
	made_free(&made);
}

static void rates_are_sums_over_the_endpoints_of_queue_0(void **state)
{
	json_t *trial = sample_stream(1, "ring", 256, 150, 195e6, 190e6),
	       *endpoints = json_object_get(trial, "endpoints");
	json_t *second = json_deep_copy(json_array_get(endpoints, 0)), *third = json_deep_copy(second);
	const struct summary_row *row;
	struct made made;

	(void)state;
	json_object_set_new(json_array_get(json_object_get(second, "points"), 0), "rate_per_s", json_real(5e6));
	json_object_set_new(second, "actor", json_integer(2));
	json_array_append_new(endpoints, second);
	json_object_set_new(third, "queue", json_integer(1)); /* another queue's: no part of the sum */
	json_array_append_new(endpoints, third);
	made_open(&made);
	sample_json(&made.sample, trial);
	made_close(&made, NULL);
	row = &made.summary.rows[0];
	assert_true(near(row->sender_rate.median, 200e6));
	assert_true(near(row->receiver_rate.median, 190e6));
	assert_true(row->latency[0].saturated && !row->latency[0].round_trip);
	made_free(&made);
}

/* Two producers and two consumers of queue 0, with what a mesh tells besides. */
static json_t *mesh_trial(struct made *made)
{
	static const double rates[] = { 3e6, 1e6, 2.5e6, 1.5e6 };
	json_t *trial = sample_stream(++made->id, "spin", 1, 150, 0, 0), *cell = json_object_get(trial, "cell");
	json_t *endpoints = json_object_get(trial, "endpoints"), *latency = json_array_get(json_object_get(trial, "latency"), 0);

	json_object_set_new(cell, "workload", json_string("mesh"));
	json_object_set_new(cell, "producers", json_integer(2));
	json_object_set_new(cell, "consumers", json_integer(2));
	json_object_set_new(cell, "cpus", json_pack("[i, i, i, i]", 0, 1, 0, 1));
	json_array_insert_new(endpoints, 0, json_deep_copy(json_array_get(endpoints, 0)));
	json_array_append_new(endpoints, json_deep_copy(json_array_get(endpoints, 2)));
	for (size_t i = 0; i < 4; i++) {
		json_t *endpoint = json_array_get(endpoints, i);

		json_object_set_new(endpoint, "actor", json_integer((json_int_t)i));
		json_object_set_new(endpoint, "longest_gap_ns", json_real(1000));
		json_object_set_new(json_array_get(json_object_get(endpoint, "points"), 0), "rate_per_s", json_real(rates[i]));
	}
	json_object_set_new(trial, "fairness",
			    json_pack("{s:{s:f, s:f}, s:{s:f, s:f}}", "producers", "jain", 0.8, "longest_gap_ns", 4000.0,
				      "consumers", "jain", 0.9, "longest_gap_ns", 5000.0));
	json_object_set_new(json_object_get(latency, "from"), "actor", json_null());
	json_object_set_new(json_object_get(latency, "to"), "actor", json_null());
	json_object_set_new(latency, "offset_half_width_ns", json_null());
	return trial;
}

static void what_several_share_is_told_of_each_side(void **state)
{
	const struct summary_row *row;
	struct made made;

	(void)state;
	made_open(&made);
	sample_json(&made.sample, mesh_trial(&made));
	made_close(&made, sample_line(SAMPLE_END));
	row = &made.summary.rows[0];
	assert_true(near(row->sender_rate.median, 4e6) && near(row->receiver_rate.median, 4e6));
	assert_true(near(row->senders.least_rate.median, 1e6) && near(row->senders.most_rate.median, 3e6));
	assert_true(near(row->receivers.least_rate.median, 1.5e6) && near(row->receivers.most_rate.median, 2.5e6));
	assert_true(near(row->senders.jain.median, 0.8) && near(row->receivers.jain.median, 0.9));
	assert_true(near(row->senders.longest_gap_ns.median, 4000) && near(row->receivers.longest_gap_ns.median, 5000));
	assert_int_equal(row->latency[0].from_actor, -1);
	/* nobody held these clocks against each other */
	assert_true(isinf(row->latency[0].offset_half_width_ns) && row->latency[0].clock_limited);
	assert_true(near(made.record.trials[0].endpoints[3].longest_gap_ns, 1000));
	made_free(&made);
}

static void nobody_shares_a_stream(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	sample_json(&made.sample, sample_stream(1, "ring", 1, 150, 1e6, 1e6));
	made_close(&made, sample_line(SAMPLE_END));
	assert_false(made.summary.rows[0].receivers.least_rate.known || made.summary.rows[0].receivers.jain.known);
	assert_true(made.record.trials[0].endpoints[0].longest_gap_ns < 0);
	made_free(&made);
}

/* What comes out of a pipeline comes out at its end. */
static void a_pipeline_s_receiver_is_the_last_one(void **state)
{
	json_t *trial, *endpoints, *end;
	struct made made;

	(void)state;
	made_open(&made);
	trial = sample_stream(1, "ring", 1, 150, 3e6, 2e6);
	json_object_set_new(json_object_get(trial, "cell"), "workload", json_string("pipeline"));
	json_object_set_new(json_object_get(trial, "cell"), "stages", json_integer(3));
	endpoints = json_object_get(trial, "endpoints");
	for (size_t i = 0; i < 2; i++) {
		end = json_deep_copy(json_array_get(endpoints, i));
		json_object_set_new(end, "queue", json_integer(1));
		json_object_set_new(json_array_get(json_object_get(end, "points"), 0), "rate_per_s", json_real(1e6));
		json_array_append_new(endpoints, end);
	}
	sample_json(&made.sample, trial);
	made_close(&made, sample_line(SAMPLE_END));
	assert_true(near(made.summary.rows[0].sender_rate.median, 3e6));
	assert_true(near(made.summary.rows[0].receiver_rate.median, 1e6));
	assert_int_equal(made.record.trials[0].cell.stages, 3);
	made_free(&made);
}

/* Only the last queue's receiver has windows: theirs is the width, not that of who hands on. */
static void a_pipeline_s_windows_are_the_last_one_s(void **state)
{
	json_t *trial, *endpoints, *end;
	struct made made;

	(void)state;
	made_open(&made);
	trial = sample_stream(1, "ring", 1, 150, 1e6, 1e6);
	json_object_set_new(json_object_get(trial, "cell"), "workload", json_string("pipeline"));
	json_object_set_new(json_object_get(trial, "cell"), "stages", json_integer(3));
	endpoints = json_object_get(trial, "endpoints");
	end = json_deep_copy(json_array_get(endpoints, 1));
	json_object_set_new(json_array_get(endpoints, 1), "windows", json_null());
	json_object_set_new(end, "queue", json_integer(1));
	json_object_set_new(end, "windows", json_pack("{s:f, s:i, s:[i, i]}", "width_ns", 1e7, "within_messages", 1, "messages", 10000, 10000));
	json_array_append_new(endpoints, end);
	sample_json(&made.sample, trial);
	made_close(&made, sample_line(SAMPLE_END));
	assert_int_equal(made.summary.rows[0].windows.count, 2);
	assert_true(near(made.summary.rows[0].windows.width_ns, 1e7));
	made_free(&made);
}

static void an_open_load_is_saturated_where_half_of_its_trials_are(void **state)
{
	for (int saturated = 0; saturated <= 10; saturated++) {
		struct made made;
		const struct summary_row *row;

		made_open(&made);
		for (int i = 0; i < 10; i++)
			sample_json(&made.sample, sample_open_load(++made.id, "ring", 50, i < saturated));
		made_close(&made, NULL);
		row = &made.summary.rows[0];
		assert_int_equal(row->trials, 10);
		assert_int_equal(row->open.saturated, saturated);
		assert_int_equal(row->open.missed, saturated);
		assert_int_equal(row->saturated, saturated >= 5);
		for (size_t k = 0; k < row->latency_count; k++)
			assert_int_equal(row->latency[k].saturated, saturated >= 5);
		assert_true(row->open.offered_per_s.median == 2e6 && row->open.capacity_per_s.median == 4e6);
		assert_true(row->open.reached_share.median == (saturated == 5 ? 0.75 : saturated > 5 ? 0.5 : 1));
		made_free(&made);
	}
	(void)state;
}

/* Some trials saturated, some whose rate was not reached: together half of them. */
static void an_open_load_that_falls_behind_in_half_of_its_trials_has_no_latency(void **state)
{
	for (int missed = 0; missed <= 3; missed++) {
		struct made made;
		const struct summary_row *row;

		made_open(&made);
		for (int i = 0; i < 10; i++) {
			json_t *trial = sample_open_load(++made.id, "ring", 50, i < 3);

			if (i >= 3 && i < 3 + missed)
				json_object_set_new(json_object_get(trial, "open"), "rate_reached", json_false());
			sample_json(&made.sample, trial);
		}
		made_close(&made, NULL);
		row = &made.summary.rows[0];
		assert_int_equal(row->open.missed, 3 + missed);
		assert_false(row->saturated);
		assert_int_equal(row->missed, missed >= 2);
		for (size_t k = 0; k < row->latency_count; k++)
			assert_int_equal(row->latency[k].saturated, missed >= 2);
		made_free(&made);
	}
	(void)state;
}

/* Its stamps tell no rate, for there are none; older records say no more than that. */
static void a_trial_that_wrote_nothing_did_not_reach_its_rate(void **state)
{
	for (int silent = 0; silent <= 3; silent++) {
		struct made made;
		const struct summary_row *row;

		made_open(&made);
		for (int i = 0; i < 4; i++) {
			json_t *trial = sample_open_load(++made.id, "ring", 50, false), *open = json_object_get(trial, "open");

			if (i < silent) {
				json_object_set_new(open, "reached_share", json_null());
				json_object_set_new(open, "reached_per_s", json_null());
				json_object_set_new(open, "rate_reached", json_null());
				json_object_set_new(json_array_get(json_object_get(trial, "endpoints"), 0), "messages", json_integer(0));
			}
			sample_json(&made.sample, trial);
		}
		made_close(&made, NULL);
		row = &made.summary.rows[0];
		assert_int_equal(row->open.missed, silent);
		assert_int_equal(row->missed, silent >= 2);
		assert_int_equal(row->open.reached_share.n, 4);
		assert_true(row->open.reached_share.median == (silent == 3 ? 0 : silent == 2 ? 0.5 : 1));
		made_free(&made);
	}
	(void)state;
}

/* Older records say no more of it than that it is unknown: of a burst that is due for sure, hardly any was written. */
static void a_fixed_burst_that_was_hardly_written_was_not_reached(void **state)
{
	static const struct {
		const char *arrival;
		double gap_ns;
		bool missed;
	} cases[] = {{"burst", 1e8, true}, {"burst", 1.5e8, false}, {"poisson", 1e8, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *trial = sample_open_load(1, "ring", 50, false), *open = json_object_get(trial, "open"), *cell = json_object_get(trial, "cell");
		struct made made;

		made_open(&made);
		json_object_set_new(cell, "arrival", json_string(cases[i].arrival));
		json_object_set_new(cell, "burst", json_integer(1000000));
		json_object_set_new(cell, "gap_ns", json_integer((json_int_t)cases[i].gap_ns));
		json_object_set_new(cell, "duration_ns", json_real(1e8));
		json_object_set_new(open, "offered_per_s", json_real(1e15 / cases[i].gap_ns));
		json_object_set_new(open, "reached_share", json_null());
		json_object_set_new(open, "reached_per_s", json_null());
		json_object_set_new(open, "rate_reached", json_null());
		json_object_set_new(open, "saturated", json_null());
		json_object_set_new(json_array_get(json_object_get(trial, "endpoints"), 0), "messages", json_integer(28910));
		sample_json(&made.sample, trial);
		made_close(&made, NULL);
		assert_int_equal(made.summary.rows[0].missed, cases[i].missed);
		assert_int_equal(made.summary.rows[0].open.untold, 1);
		made_free(&made);
	}
}

static void a_sum_with_an_unknown_rate_is_unknown(void **state)
{
	json_t *trial = sample_stream(1, "ring", 256, 150, 195e6, 190e6),
	       *endpoints = json_object_get(trial, "endpoints");
	json_t *second = json_deep_copy(json_array_get(endpoints, 0));
	struct made made;

	(void)state;
	json_object_set_new(json_array_get(json_object_get(second, "points"), 0), "rate_per_s", json_null());
	json_array_append_new(endpoints, second);
	made_open(&made);
	sample_json(&made.sample, trial);
	made_close(&made, NULL);
	assert_false(made.summary.rows[0].sender_rate.known);
	assert_true(made.summary.rows[0].receiver_rate.known);
	made_free(&made);
}

static void what_a_queue_does_not_tell_has_no_share(void **state)
{
	json_t *trial = sample_stream(1, "pipe", 1, 150, 1e6, 1e6);
	struct made made;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		json_t *endpoint = json_array_get(json_object_get(trial, "endpoints"), i);

		json_object_set_new(endpoint, "refused", json_null());
		json_object_set_new(endpoint, "empty", json_null());
	}
	made_open(&made);
	sample_json(&made.sample, trial);
	made_close(&made, NULL);
	assert_false(made.summary.rows[0].refused_share.known || made.summary.rows[0].empty_share.known);
	assert_true(made.summary.rows[0].mean_batch.known && made.summary.rows[0].receiver_rate.known);
	made_free(&made);
}

/* The trial's own interval is -60 … 61. */
static void assert_half_width(double low_ns, double high_ns, const int cpus[2], double expected, bool clock_limited)
{
	json_t *end = sample_line(SAMPLE_END), *offset = json_array_get(json_object_get(end, "offsets"), 0);
	struct made made;

	json_object_set_new(offset, "low_ns", json_real(low_ns));
	json_object_set_new(offset, "high_ns", json_real(high_ns));
	json_object_set_new(offset, "cpus", json_pack("[i, i]", cpus[0], cpus[1]));
	made_open(&made);
	sample_json(&made.sample, sample_trial(1, "ypipe", 150, 150)); /* p50 of one way: 120 ns */
	made_close(&made, end);
	for (size_t i = 1; i <= 2; i++) { /* both ways have the same bound */
		if (!near(made.summary.rows[0].latency[i].offset_half_width_ns, expected))
			fail_msg("expected %f, got %f", expected, made.summary.rows[0].latency[i].offset_half_width_ns);
		assert_int_equal(made.summary.rows[0].latency[i].clock_limited, clock_limited);
	}
	assert_true(made.summary.rows[0].latency[0].offset_half_width_ns == 0.0);
	assert_false(made.summary.rows[0].latency[0].clock_limited);
	made_free(&made);
}

static void the_clock_s_bound_is_what_all_trials_together_leave(void **state)
{
	const int same[] = { 0, 1 }, reversed[] = { 1, 0 }, others[] = { 2, 3 };

	(void)state;
	assert_half_width(-20, 21, same, 21, false);
	assert_half_width(-40, 45, same, 45, true);
	assert_half_width(-45, 40, reversed, 45, true);
	assert_half_width(40, 50, same, 50, true);    /* narrow, but the clocks are 40 ns apart at least */
	assert_half_width(-500, 500, same, 61, true); /* the trial's own says more */
	assert_half_width(-20, 21, others, 61, true); /* nothing of these CPUs */
}

static void without_an_end_the_trials_bound_themselves(void **state)
{
	json_t *trial = sample_trial(2, "ypipe", 150, 150);
	struct made made;

	(void)state;
	json_object_set_new(json_object_get(trial, "clock_offset"), "low_ns", json_real(-80));
	made_open(&made);
	sample_json(&made.sample, sample_trial(1, "ypipe", 150, 150));
	sample_json(&made.sample, trial);
	made_close(&made, NULL);
	assert_true(near(made.summary.rows[0].latency[1].offset_half_width_ns, 80));
	made_free(&made);
}

/* Ten trials, each watched for 10 ms with 40 stalls of 1.5 us and 8 of 42.5 us: 4 % stood still. Worked out apart from
 * the code: P(wait > t) = 48 (… ) / 10 ms; for t ≥ 1.5 us it is 8 (42.5 us − t) / 10 ms: 1 % at t = 30 us, 0.1 %
 * at 41.25 us. */
static void the_floor_is_what_a_random_arrival_waits(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	made_ten(&made, "ypipe", 150);
	made_close(&made, sample_line(SAMPLE_END));
	assert_true(made.summary.floor.known);
	assert_true(near(made.summary.floor.stall_share, 0.04));
	assert_true(made.summary.floor.p50_ns == 0.0 && made.summary.floor.p90_ns == 0.0);
	assert_true(near(made.summary.floor.p99_ns, 30000));
	assert_true(near(made.summary.floor.p99_9_ns, 41250));
	assert_true(near(made.summary.floor.max_ns, 42500));
	made_free(&made);
}

/* 900 of 1,000 ns stand still, in 3 stalls of 200 ns and 3 of 100: P(wait > t) = (900 − 6 t) / 1000 up to t = 100: half
 * at 66.7; beyond, (600 − 3 t) / 1000: a tenth at 166.7. */
static void the_floor_s_pieces_join(void **state)
{
	json_t *trial = sample_trial(1, "ypipe", 150, 150), *noise = json_object_get(trial, "noise");
	struct made made;

	(void)state;
	json_object_set_new(noise, "stalls",
			    json_pack("[[f,i,f],[f,i,f],[f,i,f]]", 100.0, 3, 300.0, 150.0, 0, 0.0, 250.0, 3, 600.0));
	json_object_set_new(noise, "stall_window_ns", json_real(1000.0));
	made_open(&made);
	sample_json(&made.sample, trial);
	made_close(&made, NULL);
	assert_true(near(made.summary.floor.p50_ns, 400.0 / 6));
	assert_true(near(made.summary.floor.p90_ns, 500.0 / 3));
	assert_true(near(made.summary.floor.max_ns, 200));
	made_free(&made);
}

static void a_run_in_order_is_fit_for_rates(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	made_ten(&made, "ypipe", 150);
	made_ten(&made, "ring", 150);
	made_close(&made, sample_line(SAMPLE_END));
	if (!made.summary.rates.fit)
		fail_msg("%s", made.summary.rates.reasons[0]);
	assert_int_equal(made.summary.rates.reason_count, 0);
	made_free(&made);
}

static void each_flaw_makes_rates_unfit_and_is_named(void **state)
{
	json_t *end = sample_line(SAMPLE_END), *trial;
	struct made made;

	(void)state;
	json_object_set_new(end, "complete", json_false());
	json_object_set_new(json_object_get(end, "clock"), "ok", json_false());
	json_object_set_new(json_object_get(end, "clock"), "drift_ppm", json_real(333));
	made_open(&made);
	made_ten(&made, "ypipe", 150);
	for (int i = 0; i < 9; i++) {
		trial = made_trial(&made, "ring", 150);
		json_object_set_new(trial, "disturbed", json_true());
		sample_json(&made.sample, trial);
	}
	trial = made_trial(&made, "ring", 150);
	json_object_set_new(trial, "status", json_string("invalid"));
	json_object_set_new(trial, "valid", json_false());
	sample_json(&made.sample, trial);
	trial = made_trial(&made, "ring", 150);
	json_object_set_new(trial, "status", json_string("hang"));
	sample_json(&made.sample, trial);
	made_close(&made, end);
	assert_false(made.summary.rates.fit);
	assert_int_equal(made.summary.rates.reason_count, 6);
	assert_reason(&made.summary.rates, "1 of 2 cells have fewer than 10 trials");
	assert_reason(&made.summary.rates, "ring pingpong in r150 has 9");
	assert_reason(&made.summary.rates, "1 of 21 trials are invalid");
	assert_reason(&made.summary.rates, "1 of 21 trials crashed or hung");
	assert_reason(&made.summary.rates, "333.0 ppm");
	assert_reason(&made.summary.rates, "not complete");
	assert_reason(&made.summary.rates, "9 of 21 trials were disturbed");
	made_free(&made);
}

static void an_empty_record_is_fit_for_nothing(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	made_close(&made, NULL);
	assert_int_equal(made.summary.row_count, 0);
	assert_false(made.summary.rates.fit || made.summary.tails.fit);
	assert_reason(&made.summary.rates, "nothing was measured");
	assert_reason(&made.summary.tails, "no latency was measured");
	assert_reason(&made.summary.tails, "floor was not measured");
	made_free(&made);
}

/* The floor's p99 is 30 us: all three latencies must have a p99 of 60 us. */
static void tails_are_fit_where_they_stand_clear_of_the_floor(void **state)
{
	struct made made;

	(void)state;
	for (int clear = 0; clear <= 1; clear++) {
		json_t *trial = sample_trial(1, "ypipe", 150, 150), *line = sample_trial(3, "line", 150, 150);
		json_t *saturated = sample_stream(2, "ring", 1, 150, 1e6, 1e6);

		sample_latency(trial, 0, "p99_ns", 60000);
		sample_latency(trial, 1, "p99_ns", clear ? 60000 : 59999);
		sample_latency(trial, 2, "p99_ns", 70000);
		sample_latency(saturated, 0, "p99_ns", 10); /* a sojourn is no latency of the queue's */
		sample_latency(line, 0, "p99_ns", 10);      /* nor does a floor claim a tail */
		made_open(&made);
		sample_json(&made.sample, trial);
		sample_json(&made.sample, saturated);
		sample_json(&made.sample, line);
		made_close(&made, sample_line(SAMPLE_END));
		assert_int_equal(made.summary.tails.fit, clear);
		if (!clear) {
			assert_reason(&made.summary.tails, "a p99 is a queue's only above 60.00 us, twice the machine's own: 1 of 3 are below");
			assert_reason(&made.summary.tails, "least: ypipe pingpong in r150, 60.00 us");
		}
		made_free(&made);
	}
}

static void a_p99_of_too_few_samples_makes_tails_unfit(void **state)
{
	json_t *trial = sample_trial(1, "ypipe", 150, 150);
	struct made made;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		sample_latency(trial, i, "p99_ns", 1e6);
	json_object_set_new(json_array_get(json_object_get(trial, "latency"), 2), "p99_ns", json_null());
	made_open(&made);
	sample_json(&made.sample, trial);
	made_close(&made, sample_line(SAMPLE_END));
	assert_false(made.summary.tails.fit);
	assert_reason(&made.summary.tails, "1 of 3 latencies have too few samples");
	made_free(&made);
}

static void odd_samples_are_added_up(void **state)
{
	struct made made;

	(void)state;
	made_open(&made);
	for (int i = 1; i <= 2; i++) {
		json_t *trial = sample_trial(i, "ypipe", 150, 150);

		json_object_set_new(json_array_get(json_object_get(trial, "latency"), 1), "below_zero",
				    json_integer(i));
		json_object_set_new(json_array_get(json_object_get(trial, "latency"), 1), "beyond", json_integer(5));
		sample_json(&made.sample, trial);
	}
	made_close(&made, NULL);
	assert_int_equal(made.summary.rows[0].latency[1].below_zero, 3);
	assert_int_equal(made.summary.rows[0].latency[1].beyond, 10);
	made_free(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(medians_are_taken_over_trials),
		cmocka_unit_test(a_percentile_that_a_trial_lacks_is_none_of_the_row_s),
		cmocka_unit_test(few_trials_of_too_few_samples_are_left_out_of_the_latency),
		cmocka_unit_test(many_trials_of_too_few_samples_leave_no_percentile),
		cmocka_unit_test(trials_that_stamped_fewer_than_asked_are_counted),
		cmocka_unit_test(regimes_are_never_mixed),
		cmocka_unit_test(a_trial_s_regime_is_the_mean_of_before_and_after_on_a_log_scale),
		cmocka_unit_test(a_trial_without_a_line_stands_apart),
		cmocka_unit_test(only_valid_trials_that_did_not_move_count),
		cmocka_unit_test(a_cell_of_which_nothing_counts_keeps_a_row),
		cmocka_unit_test(disturbed_trials_count_and_the_calm_median_stands_beside),
		cmocka_unit_test(a_quiet_machine_has_no_disturbed_trials),
		cmocka_unit_test(rates_are_sums_over_the_endpoints_of_queue_0),
		cmocka_unit_test(what_several_share_is_told_of_each_side),
		cmocka_unit_test(nobody_shares_a_stream),
		cmocka_unit_test(a_pipeline_s_receiver_is_the_last_one),
		cmocka_unit_test(a_pipeline_s_windows_are_the_last_one_s),
		cmocka_unit_test(an_open_load_is_saturated_where_half_of_its_trials_are),
		cmocka_unit_test(a_trial_that_wrote_nothing_did_not_reach_its_rate),
		cmocka_unit_test(an_open_load_that_falls_behind_in_half_of_its_trials_has_no_latency),
		cmocka_unit_test(a_fixed_burst_that_was_hardly_written_was_not_reached),
		cmocka_unit_test(a_sum_with_an_unknown_rate_is_unknown),
		cmocka_unit_test(what_a_queue_does_not_tell_has_no_share),
		cmocka_unit_test(the_clock_s_bound_is_what_all_trials_together_leave),
		cmocka_unit_test(without_an_end_the_trials_bound_themselves),
		cmocka_unit_test(the_floor_is_what_a_random_arrival_waits),
		cmocka_unit_test(the_floor_s_pieces_join),
		cmocka_unit_test(a_run_in_order_is_fit_for_rates),
		cmocka_unit_test(each_flaw_makes_rates_unfit_and_is_named),
		cmocka_unit_test(an_empty_record_is_fit_for_nothing),
		cmocka_unit_test(tails_are_fit_where_they_stand_clear_of_the_floor),
		cmocka_unit_test(a_p99_of_too_few_samples_makes_tails_unfit),
		cmocka_unit_test(odd_samples_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
