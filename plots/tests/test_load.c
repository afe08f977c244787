/* The figures of open loads and of stamps. */
#include "figure_rig.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void latency_lies_over_the_offered_rate_and_a_model_beside_it(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 3; trial++) {
		open_put(fixture, "ring", 90, 1e7, 900, false);
		open_put(fixture, "ring", 10, 1e7 + 1e5 * trial, 300, false);
		open_put(fixture, "mutex", 50, 4e5, 2000, false);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "load", "svg"), 0);
	assert_string_equal(fixture->message, "");
	/* mutex in a panel of its own, in thousands */
	assert_true(file_has(fixture, "load.tsv", "\n1\t200\t2000\tnan\tnan\t0\t3\t200000\tmutex\n"));
	assert_true(file_has(fixture, "load.gp", "'offered rate, thousand messages/s'"));
	/* the median of the offered rates; p99 ten times the median */
	assert_true(file_has(fixture, "load.tsv", "\t1.01\t300\tnan\tnan\t0\t3\t1010000\tring\n"));
	assert_true(file_has(fixture, "load.tsv", "\t9\t9000\tnan\tnan\t1\t3\t9000000\tring\n"));
	/* s = 100 ns less what the capacity came to: the greatest of the medians, 10.1 M/s */
	assert_true(file_has(fixture, "load.gp", "'model M/D/1, mean, s = 99 ns'"));
	/* at a load of 0.99: 300 + 0.99 × 99.01 / 0.02 */
	assert_true(file_has(fixture, "load.tsv", "\t9.999\t5200.99\tnan\tnan\t4\t0\t9999000\tmodel\n"));
	assert_false(file_has(fixture, "load.gp", "saturated: no percentile"));
}

static void what_is_saturated_is_marked_and_has_no_percentile(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 4; trial++) {
		open_put(fixture, "ring", 10, 1e7, 300, false);
		open_put(fixture, "ring", 90, 1e7, 900, trial == 0); /* fewer than half: it is not */
		open_put(fixture, "ring", 110, 1e7, 77777, trial >= 2);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "load", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "load.tsv", "\t11\tnan\tnan\tnan\t6\t4\t11000000\tring\n"));
	assert_false(file_has(fixture, "load.tsv", "77777"));
	assert_true(file_has(fixture, "load.tsv", "\t9\t900\t"));
	assert_true(file_has(fixture, "load.gp", "1 points are saturated"));
}

static void nothing_but_saturated_points_are_drawn(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	open_put(fixture, "ring", 110, 1e7, 500, true);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "load", "png"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "load.tsv", "\t11\tnan\tnan\tnan\t6\t1\t"));
}

static void loads_that_are_not_open_are_no_load_figure(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 1, 1e7, 150);
	gap_put(fixture, "ring", "spin", 1000, 300);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "load", "svg"), 1);
	assert_non_null(strstr(fixture->message, "--load open"));
	/* and an open load's rate is nobody's */
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_true(file_has(fixture, "rate.gp", "saturated"));
	assert_false(file_has(fixture, "rate.gp", "open load"));
}

static void latency_after_a_silence_has_a_line_each_queue_and_way_of_waiting(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (json_int_t gap = 1000; gap <= 100000000; gap *= 100) {
		gap_put(fixture, "ring", "spin", gap, 300);
		gap_put(fixture, "ring", "park", gap, 5000);
		gap_put(fixture, "mutex", "native", gap, 8000);
	}
	open_put(fixture, "ring", 10, 1e7, 300, false); /* no silences */
	record_finish(fixture);
	assert_int_equal(draw(fixture, "idle", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "idle.gp", "'ring, spin'"));
	assert_true(file_has(fixture, "idle.gp", "'ring, park'"));
	assert_true(file_has(fixture, "idle.gp", "'mutex, native'"));
	assert_true(file_has(fixture, "idle.tsv", "\n1\t1000\t300\tnan\tnan\t1\t"));
	assert_true(file_has(fixture, "idle.tsv", "\t1e+07\t5000\t"));
	assert_true(file_has(fixture, "idle.tsv", "\t1e+07\t80000\t")); /* the 99th percentile, in an area of its own */
	assert_true(file_has(fixture, "idle.gp", "panels = 2\n"));
	assert_int_equal(draw(fixture, "load", "svg"), 0);
	assert_false(file_has(fixture, "load.tsv", "mutex"));
}

static void stamps_stand_beside_none_with_what_they_cost(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 6; trial++) {
		stamps_put(fixture, "ring", "message", 4e7);
		stamps_put(fixture, "ring", "none", 8e7);
		stamps_put(fixture, "ring", "batch", 7.6e7);
		stamps_put(fixture, "ring", "16", 6e7);
		stamps_put(fixture, "spin", "none", 9e7); /* alone: there is nothing to hold it against */
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "stamps", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "stamps.tsv", "\nbar\t1\t1\t8e+07\t8e+07\t8e+07\t"));
	assert_true(file_has(fixture, "stamps.gp", "bar_label[1] = 'ring, none'\nbar_word[1] = ''\n"));
	assert_true(file_has(fixture, "stamps.gp", "bar_label[2] = 'ring, batch'\nbar_word[2] = '-5 %'\n"));
	assert_true(file_has(fixture, "stamps.gp", "bar_label[3] = 'ring, one in 16'\nbar_word[3] = '-25 %'\n"));
	assert_true(file_has(fixture, "stamps.gp", "bar_label[4] = 'ring, message'\nbar_word[4] = '-50 %'\n"));
	assert_false(file_has(fixture, "stamps.tsv", "spin"));
}

static void one_way_of_stamping_is_no_figure(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stamps_put(fixture, "ring", "none", 8e7);
	stamps_put(fixture, "spin", "batch", 8e7);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "stamps", "svg"), 1);
	assert_non_null(strstr(fixture->message, "--stamps none,batch,message"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(latency_lies_over_the_offered_rate_and_a_model_beside_it),
		TEST(what_is_saturated_is_marked_and_has_no_percentile),
		TEST(nothing_but_saturated_points_are_drawn),
		TEST(loads_that_are_not_open_are_no_load_figure),
		TEST(latency_after_a_silence_has_a_line_each_queue_and_way_of_waiting),
		TEST(stamps_stand_beside_none_with_what_they_cost),
		TEST(one_way_of_stamping_is_no_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
