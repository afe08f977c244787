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
	assert_true(file_has(fixture, "load.tsv", "\n1\t200\t2000\tnan\tnan\t0\t3\t200000\t200\t200\tmutex\n"));
	assert_true(file_has(fixture, "load.gp", "'offered rate, thousand messages/s'"));
	/* the median of the offered rates, and the middle half of them, by rank; p99 ten times the median */
	assert_true(file_has(fixture, "load.tsv", "\t1.01\t300\tnan\tnan\t0\t3\t1010000\t1\t1.02\tring\n"));
	assert_true(file_has(fixture, "load.tsv", "\t9\t9000\tnan\tnan\t1\t3\t9000000\t9\t9\tring\n"));
	assert_true(file_has(fixture, "load.gp", "capacity[2] = 10.1\ncapacity_low[2] = 10\ncapacity_high[2] = 10.1\n"));
	assert_true(file_has(fixture, "load.gp", "capacity_text[2] = 'capacity, 10.10 M/s'"));
	assert_false(file_has(fixture, "load.gp", "rate not reached"));
	/* s = 100 ns less what the capacity came to: the greatest of the medians, 10.1 M/s */
	assert_true(file_has(fixture, "load.gp", "'model M/D/1, mean, s = 99.01 ns'"));
	/* at a load of 0.99: 99.01 + 0.99 × 99.01 / 0.02, whatever was measured */
	assert_true(file_has(fixture, "load.tsv", "\t9.999\t5000\tnan\tnan\t4\t0\t9999000\tnan\tnan\tmodel\n"));
	assert_false(file_has(fixture, "load.gp", "top edge: saturated"));
}

static void a_percentile_that_no_point_has_is_not_in_the_legend(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 3; trial++) {
		json_t *open = open_share_trial(fixture, "ring", 50, 1e7, 300, false);

		json_object_set_new(element(open, "latency", 0), "p99_9_ns", json_null());
		line_put(fixture, open);
		json_decref(open);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "load", "svg"), 0);
	assert_true(file_has(fixture, "load.gp", "'p99'"));
	assert_false(file_has(fixture, "load.gp", "'p99.9'"));
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
	assert_true(file_has(fixture, "load.tsv", "\t11\tnan\tnan\tnan\t6\t4\t11000000\t11\t11\tring\n"));
	assert_true(file_has(fixture, "load.tsv", "\n1\t11\tnan\tnan\tnan\t0\t4\t11000000\t11\t11\tring\n")); /* no line leads there */
	assert_false(file_has(fixture, "load.tsv", "77777"));
	assert_true(file_has(fixture, "load.tsv", "\t9\t900\t"));
	assert_true(file_has(fixture, "load.gp", "1 point (crosses at the top edge) is saturated"));
	assert_true(file_has(fixture, "load.gp", "At 1 point some trials, fewer than half"));
}

/* A rate of which 95 % was reached. */
static void missed_put(struct fixture *fixture, json_int_t percent)
{
	json_t *trial = open_share_trial(fixture, "ring", percent, 1e7, 5000, false);

	json_object_set_new(json_object_get(trial, "open"), "rate_reached", json_false());
	json_object_set_new(json_object_get(trial, "open"), "reached_share", json_real(0.95));
	line_put(fixture, trial);
	json_decref(trial);
}

static void no_line_leads_to_a_rate_that_was_not_reached(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	open_put(fixture, "ring", 10, 1e7, 300, false);
	missed_put(fixture, 50);
	open_put(fixture, "ring", 90, 1e7, 900, false);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "load", "png"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "load.tsv", "\n1\t5\tnan\tnan\tnan\t0\t1\t5000000\t5\t5\tring\n"));
	assert_true(file_has(fixture, "load.tsv", "\n1\t9\t900\tnan\tnan\t0\t1\t9000000\t9\t9\tring\n"));
	assert_true(file_has(fixture, "load.tsv", "\t5\tnan\tnan\tnan\t7\t1\t5000000\t5\t5\tring\n"));
	assert_true(file_has(fixture, "load.gp", "'top edge: rate not reached'"));
	assert_true(file_has(fixture, "load.gp", "At 1 point (circles at the top edge)"));
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
	assert_non_null(strstr(fixture->message, "figure idle"));
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
	assert_false(file_has(fixture, "idle.gp", " missing, because"));
	assert_false(file_has(fixture, "idle.gp", "no 99th"));
	assert_int_equal(draw(fixture, "load", "svg"), 0);
	assert_false(file_has(fixture, "load.tsv", "mutex"));
}

static void gaps_of_which_nothing_counts_are_told(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	gap_put(fixture, "ring", "spin", 1000, 300);
	gap_put(fixture, "ring", "park", 1000, 300);
	gap_put(fixture, "ring", "spin", 2500000, -1); /* has no median */
	record_finish(fixture);
	assert_int_equal(draw(fixture, "idle", "svg"), 0);
	assert_true(file_has(fixture, "idle.gp", "1 point is missing"));
	assert_true(file_has(fixture, "idle.svg", "ring, spin, 2.5 ms."));
	/* ways of waiting have colours, whatever else tells them apart */
	assert_true(file_has(fixture, "idle.gp", "series_colour[1] = 29362\n"));  /* 0x0072b2 */
	assert_true(file_has(fixture, "idle.gp", "series_colour[2] = 13983232\n")); /* 0xd55e00 */
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
	assert_true(file_has(fixture, "stamps.gp", "1 cell is not drawn: of the queue"));
	assert_false(file_has(fixture, "stamps.gp", "has a rate"));
	assert_false(file_has(fixture, "stamps.gp", "no percentage"));
}

/* Whoever reads "+102 %" is to see that it is one trial against one. */
static void a_percentage_of_few_trials_says_of_how_many(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stamps_put(fixture, "ring", "none", 8e7);
	stamps_put(fixture, "ring", "batch", 16.2e7);
	stamps_put(fixture, "ring", "batch", 16.2e7);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "stamps", "svg"), 0);
	assert_true(file_has(fixture, "stamps.gp", "bar_word[1] = '+102 % (n=1)'\n") || file_has(fixture, "stamps.gp", "bar_word[2] = '+102 % (n=1)'\n"));
}

static void what_stamps_can_not_be_held_against_is_told(void **state)
{
	struct fixture *fixture = *state;
	json_t *trial;

	record_begin(fixture);
	stamps_put(fixture, "ring", "batch", 8e7);
	stamps_put(fixture, "ring", "message", 4e7);
	trial = stream_trial(fixture, "spin", 8, 1e7, 150);
	json_object_set_new(element(element(trial, "endpoints", 1), "points", 0), "rate_per_s", json_null());
	line_put(fixture, trial);
	json_decref(trial);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "stamps", "svg"), 0);
	assert_true(file_has(fixture, "stamps.gp", "2 bars without a percentage"));
	assert_true(file_has(fixture, "stamps.gp", "1 cell is not drawn: no trial has a rate"));
}

static void histogram_put(struct fixture *fixture, json_int_t fast, json_int_t slow, double slow_ns)
{
	json_t *histogram = json_pack("{s:s,s:i,s:i,s:[[f,I],[f,I]]}", "kind", "histogram", "id", fixture->trials, "latency", 0, "buckets",
				      200.0, fast, slow_ns, slow);

	assert_non_null(histogram);
	line_put(fixture, histogram);
	json_decref(histogram);
}

/* A hiccup: a closed loop asked once in it, an open one was due 200 times. */
static void hiccup_put(struct fixture *fixture, bool open, bool behind)
{
	json_t *trial = json_deep_copy(fixture->open), *cell = json_object_get(trial, "cell");

	json_object_set_new(trial, "id", json_integer(++fixture->trials));
	json_object_set_new(trial, "line_before_ns", json_real(150));
	json_object_set_new(trial, "line_after_ns", json_real(150));
	json_object_set_new(cell, "queue", json_string("ring"));
	if (!open) {
		json_object_set_new(cell, "load", json_string("closed"));
		json_object_set_new(cell, "window", json_integer(64));
		json_object_set_new(cell, "rate_per_s", json_null());
		json_object_set_new(cell, "arrival", json_null());
		json_object_del(trial, "open");
		json_array_remove(json_object_get(trial, "latency"), 2);
		json_array_remove(json_object_get(trial, "latency"), 0);
	}
	if (behind)
		json_object_set_new(json_object_get(trial, "open"), "rate_reached", json_false());
	line_put(fixture, trial);
	json_decref(trial);
	histogram_put(fixture, open ? 800 : 999, open ? 200 : 1, behind ? 1e8 : 1e6);
}

static void warm_up_put(struct fixture *fixture, json_int_t warm_up_ns, double rate_per_s)
{
	json_t *trial = stream_trial(fixture, "spin", 8, rate_per_s, 150);

	json_object_set_new(json_object_get(trial, "cell"), "warm_up_ns", json_integer(warm_up_ns));
	line_put(fixture, trial);
	json_decref(trial);
}

static void an_open_load_shows_the_hiccup_that_a_closed_one_hides(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	hiccup_put(fixture, false, false);
	hiccup_put(fixture, true, false);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "pitfalls", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_false(file_has(fixture, "pitfalls.gp", "fell behind"));
	/* p90 of each: the closed loop's is as if nothing had been */
	assert_true(file_has(fixture, "pitfalls.tsv", "\ncurve\t1\t10\t200\t1\t"));
	assert_true(file_has(fixture, "pitfalls.tsv", "\ncurve\t2\t10\t1e+06\t1\t"));
	assert_true(file_has(fixture, "pitfalls.gp", "'closed load, write to read'"));
	assert_true(file_has(fixture, "pitfalls.gp", "'open load, due to read'"));
	assert_true(file_has(fixture, "pitfalls.gp", "bars_areas = 0"));
	assert_true(file_has(fixture, "pitfalls.gp", "red: wrong, orange: in between'")); /* the open load's own write to read */
}

/* Its latencies are no stationary ones, though most trials kept up. */
static void a_trial_that_fell_behind_its_load_is_in_no_curve(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	hiccup_put(fixture, false, false);
	for (int n = 0; n < 3; n++)
		hiccup_put(fixture, true, n == 1);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "pitfalls", "svg"), 0);
	assert_true(file_has(fixture, "pitfalls.tsv", "\ncurve\t2\t10\t1e+06\t1\t"));
	assert_false(file_has(fixture, "pitfalls.tsv", "1e+08"));
	assert_true(file_has(fixture, "pitfalls.gp", "fell behind it: 1."));
}

static void pairs_of_different_regimes_are_told_and_not_drawn(void **state)
{
	struct fixture *fixture = *state;
	json_t *trial;

	record_begin(fixture);
	for (int n = 0; n < 3; n++) {
		stamps_put(fixture, "ring", "none", 8e7);
		stamps_put(fixture, "ring", "message", 4e7);
		warm_up_put(fixture, 10000000, 6e7);
		trial = stream_trial(fixture, "spin", 8, 4.5e7, 900); /* a line six times as far away */
		json_object_set_new(json_object_get(trial, "cell"), "warm_up_ns", json_integer(0));
		line_put(fixture, trial);
		json_decref(trial);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "pitfalls", "svg"), 0);
	assert_false(file_has(fixture, "pitfalls.tsv", "spin"));
	assert_true(file_has(fixture, "pitfalls.gp", "was measured in another regime: 1 cell."));
}

/* The least of what a bar's axis must have beyond the bar, for the words behind it. */
static void words_behind_bars_have_room(void **state)
{
	struct fixture *fixture = *state;
	char *text, *high;

	record_begin(fixture);
	stamps_put(fixture, "ring", "none", 1e7);
	stamps_put(fixture, "ring", "message", 1e8);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "stamps", "svg"), 0);
	text = file_text(fixture, "stamps.gp");
	assert_non_null(text);
	/* of 100 and some characters "+900 % (n=1)" and its distance take 13.5 */
	assert_non_null(strstr(text, "bar_word[2] = '+900 % (n=1)'"));
	high = strstr(text, "bars_high[1] = ");
	assert_non_null(high);
	assert_true(strtod(high + strlen("bars_high[1] = "), NULL) > 1e8 * 120 / (120 - 13.5));
	free(text);
}

static void what_differs_in_one_thing_stands_side_by_side(void **state)
{
	struct fixture *fixture = *state;
	json_t *trial;

	record_begin(fixture);
	for (int n = 0; n < 6; n++) {
		stamps_put(fixture, "ring", "none", 8e7);
		stamps_put(fixture, "ring", "message", 4e7);
		warm_up_put(fixture, 10000000, 6e7);
		warm_up_put(fixture, 0, 4.5e7);
		trial = stream_trial(fixture, "spin", 8, n ? 1e7 : 7e7, 150);
		json_object_set_new(json_object_get(trial, "cell"), "place", json_string("unpinned"));
		json_object_set_new(json_object_get(trial, "cell"), "warm_up_ns", json_integer(10000000));
		line_put(fixture, trial);
		json_decref(trial);
		pingpong_put(fixture, "ring", n ? 1000 : 800, n ? 0 : 200, 0); /* messages that are slow in one trial alone */
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "pitfalls", "png"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "pitfalls.gp", "bar_label[1] = 'ring, stamps none'\nbar_word[1] = ''\n"));
	assert_true(file_has(fixture, "pitfalls.gp", "bar_label[2] = 'ring, stamps message'\nbar_word[2] = '-50 %'\n"));
	assert_true(file_has(fixture, "pitfalls.gp", "bar_label[3] = 'spin, 10 ms of warm-up'\n"));
	assert_true(file_has(fixture, "pitfalls.gp", "bar_label[4] = 'spin, no warm-up'\nbar_word[4] = '-25 %'\n"));
	assert_true(file_has(fixture, "pitfalls.gp", "bar_label[6] = 'spin, unpinned'\nbar_word[6] = 'trials: 10 to 70 M messages/s'\n"));
	assert_true(file_has(fixture, "pitfalls.gp", "| 6 trials each | blue: right, red: wrong'"));
	/* 200 of 6,000 took 5 us; the trials themselves say 1.23 us each (the example's) */
	assert_true(file_has(fixture, "pitfalls.gp", "bar_word[7] = '5.000 us'\n"));
	assert_true(file_has(fixture, "pitfalls.gp", "bar_label[8] = 'mean of the trials'' p99'\n"));
}

/* A rate that is not known is none of 0 or less, and a pipeline's is that of its last readers. */
static void trials_lie_apart_by_the_rates_that_their_bar_is_of(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int n = 0; n < 6; n++)
		for (int unpinned = 0; unpinned < 2; unpinned++) {
			json_t *trial = stream_trial(fixture, "spin", 8, unpinned ? 2e7 : 3e7, 150), *cell = json_object_get(trial, "cell"),
			       *endpoints = json_object_get(trial, "endpoints"), *last = json_deep_copy(json_array_get(endpoints, 1));

			json_object_set_new(cell, "workload", json_string("pipeline"));
			json_object_set_new(cell, "stages", json_integer(3));
			if (unpinned)
				json_object_set_new(cell, "place", json_string("unpinned"));
			json_object_set_new(last, "queue", json_integer(1));
			if (unpinned && !n)
				json_object_set_new(json_array_get(json_object_get(last, "points"), 0), "rate_per_s", json_null());
			json_array_append_new(endpoints, last);
			line_put(fixture, trial);
			json_decref(trial);
		}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "pitfalls", "svg"), 0);
	assert_true(file_has(fixture, "pitfalls.gp", "bar_label[2] = 'spin, unpinned'\nbar_word[2] = 'trials: 20 to 20 M messages/s'\n"));
}

static void nothing_to_hold_against_anything_is_no_pitfall(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 1, 1e7, 150);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "pitfalls", "svg"), 1);
	assert_false(file_exists(fixture, "pitfalls.tsv"));
}

static void thinned_stamps_are_noted(void **state)
{
	static const char *const figures[] = { "stamps", "pitfalls" };
	struct fixture *fixture = *state;

	record_begin(fixture);
	stamps_put(fixture, "ring", "none", 8e7);
	stamps_put(fixture, "ring", "message", 4e7);
	fixture->stamp_every = 2; /* of each message, as older records may have it */
	stamps_put(fixture, "ring", "message", 5e7);
	record_finish(fixture);
	for (size_t i = 0; i < 2; i++) {
		char file[32];

		snprintf(file, sizeof(file), "%s.gp", figures[i]);
		assert_int_equal(draw(fixture, figures[i], "svg"), 0);
		assert_true(file_has(fixture, file, "1 trial stamped one in more messages than asked for"));
	}
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
		TEST(a_percentile_that_no_point_has_is_not_in_the_legend),
		TEST(what_is_saturated_is_marked_and_has_no_percentile),
		TEST(no_line_leads_to_a_rate_that_was_not_reached),
		TEST(nothing_but_saturated_points_are_drawn),
		TEST(loads_that_are_not_open_are_no_load_figure),
		TEST(latency_after_a_silence_has_a_line_each_queue_and_way_of_waiting),
		TEST(gaps_of_which_nothing_counts_are_told),
		TEST(stamps_stand_beside_none_with_what_they_cost),
		TEST(a_percentage_of_few_trials_says_of_how_many),
		TEST(what_stamps_can_not_be_held_against_is_told),
		TEST(thinned_stamps_are_noted),
		TEST(one_way_of_stamping_is_no_figure),
		TEST(an_open_load_shows_the_hiccup_that_a_closed_one_hides),
		TEST(a_trial_that_fell_behind_its_load_is_in_no_curve),
		TEST(what_differs_in_one_thing_stands_side_by_side),
		TEST(pairs_of_different_regimes_are_told_and_not_drawn),
		TEST(words_behind_bars_have_room),
		TEST(trials_lie_apart_by_the_rates_that_their_bar_is_of),
		TEST(nothing_to_hold_against_anything_is_no_pitfall),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
