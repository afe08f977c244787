#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sample.h"
#include "windows.h"

enum { MOST = 400 };

/* Evenly spread numbers that look drawn: 0 … 1 (a Weyl sequence). */
static double spread(size_t i)
{
	double x = (double)(i + 1) * 0.8284271247461901;

	return x - floor(x);
}

/* From that a bell-shaped deviation with the mean 0 and the variance 1: a sum of six of them. */
static double bell(size_t i)
{
	static const double steps[6] = { 0.6180339887498949, 0.3027756377319946, 0.7320508075688772,
					 0.2360679774997898, 0.6457513110645906, 0.3166247903553998 };
	double sum = 0.0;

	for (size_t k = 0; k < 6; k++) {
		double x = (double)(i + 1) * steps[k];

		sum += x - floor(x);
	}
	return (sum - 3.0) / sqrt(0.5);
}

static struct windows_modes modes_of(const double *per_s, size_t n)
{
	struct windows_modes modes;

	assert_int_equal(windows_find_modes(&modes, per_s, n), 0);
	return modes;
}

static const char *course_of(const double *per_s, size_t n)
{
	enum windows_course course;

	assert_int_equal(windows_find_course(&course, per_s, n), 0);
	return windows_course_names[course];
}

static size_t stalls_of(const double *per_s, size_t n)
{
	return windows_count_below(per_s, n, windows_stall_rate(per_s, n));
}

static void one_mode_with_noise_is_one_mode_and_flat(void **state)
{
	double per_s[MOST];

	(void)state;
	for (size_t n = WINDOWS_LEAST; n <= MOST; n++) {
		for (size_t i = 0; i < n; i++)
			per_s[i] = 60e6 * (1 + 0.1 * bell(i));
		assert_true(modes_of(per_s, n).known);
		assert_false(modes_of(per_s, n).two);
		assert_int_equal(stalls_of(per_s, n), 0);
		assert_string_equal(course_of(per_s, n), "flat");
	}
}

static void two_modes_are_told_with_their_shares(void **state)
{
	struct windows_modes modes;
	double per_s[100];

	(void)state;
	for (size_t i = 0; i < 100; i++) /* seven of ten, without an order in time */
		per_s[i] = (i * 7 % 10 < 7 ? 62e6 : 25e6) * (1 + 0.05 * bell(i));
	modes = modes_of(per_s, 100);
	assert_true(modes.known && modes.two);
	assert_int_equal(modes.upper, 70);
	assert_int_equal(modes.lower, 30);
	assert_true(fabs(modes.upper_per_s / 62e6 - 1) < 0.03);
	assert_true(fabs(modes.lower_per_s / 25e6 - 1) < 0.03);
	assert_int_equal(stalls_of(per_s, 100), 0);
	assert_string_equal(course_of(per_s, 100), "unsteady");
}

static void modes_close_to_each_other_are_one(void **state)
{
	double per_s[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		per_s[i] = spread(i) < 0.5 ? 62e6 : 62e6 / 1.2;
	assert_false(modes_of(per_s, 100).two);
	for (size_t i = 0; i < 100; i++)
		per_s[i] = spread(i) < 0.5 ? 62e6 : 62e6 / 1.3;
	assert_true(modes_of(per_s, 100).two);
}

/* A few windows that are slower for whatever reason are no mode; nor are some without a valley. */
static void outliers_and_long_tails_are_no_mode(void **state)
{
	double per_s[100];

	(void)state;
	for (size_t i = 0; i < 100; i++)
		per_s[i] = i % 25 == 7 ? 20e6 : 60e6 * (1 + 0.03 * bell(i));
	assert_false(modes_of(per_s, 100).two);
	for (size_t i = 0; i < 100; i++)
		per_s[i] = 60e6 * (0.3 + 0.7 * sqrt(spread(i)));
	assert_false(modes_of(per_s, 100).two);
}

static void a_slow_drift_is_no_mode_and_has_a_direction(void **state)
{
	double up[100], down[100];

	(void)state;
	for (size_t i = 0; i < 100; i++) {
		up[i] = (40e6 + 0.2e6 * (double)i) * (1 + 0.02 * bell(i));
		down[i] = (60e6 - 0.2e6 * (double)i) * (1 + 0.02 * bell(i));
	}
	assert_false(modes_of(up, 100).two);
	assert_false(modes_of(down, 100).two);
	assert_string_equal(course_of(up, 100), "warming");
	assert_string_equal(course_of(down, 100), "slowing");
}

static void a_slow_beginning_is_warming_and_a_fast_one_slowing(void **state)
{
	double slow[64], fast[64];

	(void)state;
	for (size_t i = 0; i < 64; i++) {
		slow[i] = (i < 12 ? 50e6 : 60e6) * (1 + 0.02 * bell(i));
		fast[i] = (i < 12 ? 70e6 : 60e6) * (1 + 0.02 * bell(i));
	}
	assert_string_equal(course_of(slow, 64), "warming");
	assert_string_equal(course_of(fast, 64), "slowing");
}

static void what_goes_up_and_down_is_unsteady(void **state)
{
	double per_s[64];

	(void)state;
	for (size_t i = 0; i < 64; i++)
		per_s[i] = (i / 16 == 1 ? 70e6 : 60e6) * (1 + 0.02 * bell(i));
	assert_string_equal(course_of(per_s, 64), "unsteady");
}

/* What is small, or may be chance, is no change. */
static void a_change_of_a_few_per_cent_is_flat(void **state)
{
	double per_s[64];

	(void)state;
	for (size_t i = 0; i < 64; i++)
		per_s[i] = (i < 16 ? 58e6 : 60e6) * (1 + 0.001 * bell(i));
	assert_string_equal(course_of(per_s, 64), "flat");
	for (size_t i = 0; i < 32; i++)
		per_s[i] = 60e6 * (1 + 0.4 * bell(i));
	assert_string_equal(course_of(per_s, 32), "flat");
}

static void a_single_stall_is_told_and_changes_nothing_else(void **state)
{
	double per_s[60];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		per_s[i] = i >= 20 && i < 23 ? 0.1e6 : 60e6 * (1 + 0.05 * bell(i));
	assert_int_equal(stalls_of(per_s, 60), 3);
	assert_false(modes_of(per_s, 60).two);
	assert_string_equal(course_of(per_s, 60), "flat");
	for (size_t i = 30; i < 33; i++)
		per_s[i] = 0;
	assert_int_equal(stalls_of(per_s, 60), 6); /* a tenth */
	assert_string_equal(course_of(per_s, 60), "unsteady");
}

/* Most windows stalled: what is next to nothing is told by the windows in which messages passed. */
static void a_trial_that_mostly_stood_still_is_told_as_that(void **state)
{
	double per_s[40];

	(void)state;
	for (size_t i = 0; i < 40; i++)
		per_s[i] = i % 4 ? 1e3 : 60e6;
	assert_int_equal(stalls_of(per_s, 40), 30);
	assert_false(modes_of(per_s, 40).known);
	for (size_t i = 0; i < 40; i++)
		per_s[i] = 0;
	assert_int_equal(stalls_of(per_s, 40), 0);
	assert_false(modes_of(per_s, 40).two);
	assert_string_equal(course_of(per_s, 40), "flat");
}

static void too_few_windows_are_not_judged(void **state)
{
	double per_s[WINDOWS_LEAST];

	(void)state;
	for (size_t i = 0; i < WINDOWS_LEAST; i++)
		per_s[i] = i % 2 ? 20e6 : 60e6;
	assert_true(modes_of(per_s, WINDOWS_LEAST).two);
	assert_false(modes_of(per_s, WINDOWS_LEAST - 1).known);
	assert_string_equal(course_of(per_s, WINDOWS_LEAST), "unsteady");
	assert_string_equal(course_of(per_s, WINDOWS_LEAST - 1), "unknown");
	assert_string_equal(course_of(per_s, 0), "unknown");
	assert_int_equal(stalls_of(per_s, 0), 0);
	assert_false(modes_of(per_s, 0).known);
}

static void the_order_of_windows_is_nothing_to_modes(void **state)
{
	double per_s[90], turned[90];
	struct windows_modes modes, other;

	(void)state;
	for (size_t i = 0; i < 90; i++)
		per_s[i] = (i < 60 ? 30e6 : 90e6) * (1 + 0.04 * bell(i));
	for (size_t i = 0; i < 90; i++)
		turned[i] = per_s[(i * 7) % 90];
	modes = modes_of(per_s, 90);
	other = modes_of(turned, 90);
	assert_true(modes.two && other.two);
	assert_true(modes.lower_per_s == other.lower_per_s && modes.upper_per_s == other.upper_per_s);
	assert_true(modes.lower == 60 && other.lower == 60 && modes.upper == 30 && other.upper == 30);
	assert_string_equal(course_of(per_s, 90), "warming");
}

/* ---- from a record ---- */

static json_t *windows_json(int first, int count, int within)
{
	json_t *messages = json_array();

	for (int i = 0; i < count; i++)
		json_array_append_new(messages, json_integer(first + i));
	return json_pack("{s:f, s:i, s:o}", "width_ns", 1e7, "within_messages", within, "messages", messages);
}

static void set_windows(json_t *trial, size_t endpoint, json_t *windows)
{
	json_object_set_new(json_array_get(json_object_get(trial, "endpoints"), endpoint), "windows", windows);
}

static void the_windows_of_all_readers_are_added_up(void **state)
{
	struct sample sample;
	struct record record;
	json_t *trial;
	double *per_s = NULL;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	trial = sample_stream(1, "lanes", 1, 150, 1e6, 1e6); /* two readers, of which one came to a window more */
	json_array_append(json_object_get(trial, "endpoints"), json_array_get(json_object_get(trial, "endpoints"), 1));
	json_array_set_new(json_object_get(trial, "endpoints"), 2, json_deep_copy(json_array_get(json_object_get(trial, "endpoints"), 1)));
	set_windows(trial, 0, json_null());
	set_windows(trial, 1, windows_json(10000, 3, 64));
	set_windows(trial, 2, windows_json(20000, 4, 64));
	sample_json(&sample, trial);
	trial = sample_stream(2, "lanes", 1, 150, 1e6, 1e6); /* too coarse: 1,000 messages a window, of which 256 at either end are unsure */
	set_windows(trial, 0, windows_json(10000, 3, 1));
	set_windows(trial, 1, windows_json(1000, 3, 256));
	sample_json(&sample, trial);
	trial = sample_stream(3, "lanes", 1, 150, 1e6, 1e6); /* an older record's, or none was over */
	set_windows(trial, 1, json_null());
	sample_json(&sample, trial);
	sample_close(&sample);
	sample_read(&record, sample.path);
	assert_int_equal(windows_collect(&per_s, 0, &record.trials[0], false), 3);
	assert_true(per_s[0] == 30000 * 100.0 && per_s[2] == 30004 * 100.0);
	assert_int_equal(windows_collect(&per_s, 3, &record.trials[1], false), 3);
	assert_int_equal(windows_collect(&per_s, 3, &record.trials[2], false), 3);
	assert_int_equal(windows_collect(&per_s, 3, &record.trials[1], true), 6);
	assert_true(per_s[0] == 30000 * 100.0 && per_s[3] == 10000 * 100.0);
	free(per_s);
	record_free(&record);
	sample_remove(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_mode_with_noise_is_one_mode_and_flat),
		cmocka_unit_test(two_modes_are_told_with_their_shares),
		cmocka_unit_test(modes_close_to_each_other_are_one),
		cmocka_unit_test(outliers_and_long_tails_are_no_mode),
		cmocka_unit_test(a_slow_drift_is_no_mode_and_has_a_direction),
		cmocka_unit_test(a_slow_beginning_is_warming_and_a_fast_one_slowing),
		cmocka_unit_test(what_goes_up_and_down_is_unsteady),
		cmocka_unit_test(a_change_of_a_few_per_cent_is_flat),
		cmocka_unit_test(a_single_stall_is_told_and_changes_nothing_else),
		cmocka_unit_test(a_trial_that_mostly_stood_still_is_told_as_that),
		cmocka_unit_test(too_few_windows_are_not_judged),
		cmocka_unit_test(the_order_of_windows_is_nothing_to_modes),
		cmocka_unit_test(the_windows_of_all_readers_are_added_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
