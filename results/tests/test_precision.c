#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "precision.h"
#include "sample.h"

/* Eleven trials of which the exact bootstrap interval of the median is known: of 1 … 11 it is 3 to 9 (test_statistics.c). */
static const double ELEVEN[] = { 110, 10, 100, 20, 90, 30, 80, 40, 70, 50, 60 };

enum { N = sizeof(ELEVEN) / sizeof(ELEVEN[0]) };

static void assert_half_width(const struct precision *precision, const char *metric, double expected)
{
	assert_string_equal(precision->metric, metric);
	assert_true(precision->known);
	if (!(fabs(precision->half_width - expected) < 1e-9))
		fail_msg("%g, not %g", precision->half_width, expected);
}

/* A crash comes first; a stream is known by its rate, a ping-pong by its round trip's p50, each in the run's main regime; of few trials
 * nothing is known. */
static void each_cell_is_known_by_what_is_compared_of_it(void **state)
{
	struct precision *precisions;
	struct summary summary;
	struct record record;
	struct sample sample;
	int id = 0;
	json_t *crash = sample_stream(++id, "ring", 8, 500, 1, 1);

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	json_object_set_new(crash, "status", json_string("crash"));
	json_object_set_new(crash, "valid", json_false());
	sample_json(&sample, crash);
	for (int i = 0; i < N; i++) {
		json_t *pingpong = sample_trial(++id, "ring", 500, 500);

		sample_latency(pingpong, 0, "p50_ns", ELEVEN[i] + 940);
		sample_json(&sample, pingpong);
		sample_json(&sample, sample_stream(++id, "ring", 8, 500, 1, ELEVEN[i]));
		for (int k = 0; k < 2; k++) /* more than those, but not where most of the run's trials lie */
			sample_json(&sample, sample_stream(++id, "ring", 8, 100, 1, 7));
		for (int k = 0; k < 3; k++)
			sample_json(&sample, sample_stream(++id, "spin", 8, 500, 1, 7));
	}
	sample_json(&sample, sample_stream(++id, "ypipe", 8, 500, 1, 7));
	sample_close(&sample);
	sample_read(&record, sample.path);
	assert_int_equal(summary_make(&summary, &record), 0);
	assert_int_equal(precision_make(&precisions, &record, &summary), 4);
	assert_half_width(&precisions[0], "rate", (90 - 30) / 2.0 / 60);
	assert_int_equal(precisions[0].trial_id, 1); /* the one that crashed */
	assert_int_equal(precisions[0].row->trials, N);
	assert_half_width(&precisions[1], "p50", (90 - 30) / 2.0 / 1000);
	assert_int_equal(precisions[1].trial_id, 2);
	assert_half_width(&precisions[2], "rate", 0);
	assert_false(precisions[3].known);
	free(precisions);
	summary_free(&summary);
	record_free(&record);
	sample_remove(&sample);
}

static void why_there_is_no_interval_is_told(void **state)
{
	static const struct {
		int trials, poor;
		const char *lack;
	} cases[] = {
		{ 3, 0, "too few trials in one regime for an interval" },
		{ 20, 3, "no p50: 3 of 20 trials have fewer than 20 samples" },
		{ 20, 1, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct precision *precisions;
		struct summary summary;
		struct record record;
		struct sample sample;

		sample_open(&sample);
		sample_json(&sample, sample_line(SAMPLE_RUN));
		for (int t = 0; t < cases[i].trials; t++) {
			json_t *trial = sample_trial(t + 1, "ring", 150, 150);

			if (t < cases[i].poor)
				sample_poor(trial, 0, 16);
			sample_json(&sample, trial);
		}
		sample_close(&sample);
		sample_read(&record, sample.path);
		assert_int_equal(summary_make(&summary, &record), 0);
		assert_int_equal(precision_make(&precisions, &record, &summary), 1);
		assert_string_equal(precisions->lack, cases[i].lack);
		assert_int_equal(precisions->known, !*cases[i].lack);
		assert_int_equal(precisions->n, cases[i].trials - cases[i].poor);
		free(precisions);
		summary_free(&summary);
		record_free(&record);
		sample_remove(&sample);
	}
}

static void looks_are_few_and_fixed_beforehand(void **state)
{
	static const uint64_t expected[] = { 10, 13, 17, 22, 28, 35, 44, 55, 69, 87, 109 };
	uint64_t look = precision_first_look(10);

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++, look = precision_next_look(look))
		assert_int_equal(look, expected[i]);
	assert_int_equal(precision_first_look(1), 6); /* fewer have no interval */
	assert_int_equal(precision_first_look(50), 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cell_is_known_by_what_is_compared_of_it),
		cmocka_unit_test(why_there_is_no_interval_is_told),
		cmocka_unit_test(looks_are_few_and_fixed_beforehand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
