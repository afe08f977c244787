/* Courses over runs that are made up, with known changes or none. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "history_trend.h"
#include "noise.h"

enum { RUNS = 48, CELLS = 20, MACHINES = 2 };

/* A view in memory: all runs of machine 0, at 100 ns, with a rate of 1000/s. */
struct rig {
	struct history_view view;
	struct history_run runs[RUNS];
	struct history_cell cells[CELLS];
	struct history_machine machines[MACHINES];
	struct history_point points[RUNS * CELLS];
};

static struct rig *rig_make(size_t runs, size_t cells)
{
	struct rig *rig = calloc(1, sizeof(*rig));

	assert_non_null(rig);
	rig->view = (struct history_view){ rig->machines, MACHINES, rig->runs, runs, rig->cells, cells, rig->points, runs * cells };
	for (size_t c = 0; c < cells; c++)
		for (size_t r = 0; r < runs; r++)
			rig->points[c * runs + r] = (struct history_point){ .run = r, .cell = c, .regime_ns = 100, .trials = 10,
									    .rate = { .known = true, .median = 1000 } };
	return rig;
}

static struct history_point *point(struct rig *rig, size_t cell, size_t run)
{
	return &rig->points[cell * rig->view.run_count + run];
}

static struct history_trends trends_of(const struct rig *rig, double threshold)
{
	struct history_trends trends;

	assert_int_equal(history_trends_make(&trends, &rig->view, threshold), 0);
	return trends;
}

static void noise_all(struct rig *rig, double deviation, uint64_t *seed)
{
	for (size_t i = 0; i < rig->view.point_count; i++)
		rig->points[i].rate.median *= 1 + deviation * noise_normal(seed);
}

static void a_slower_and_a_faster_stretch_are_both_named(void **state)
{
	struct rig *rig = rig_make(48, 3);
	struct history_trends trends;
	uint64_t seed = 3;

	(void)state;
	noise_all(rig, 0.01, &seed);
	for (size_t r = 16; r < 32; r++)
		point(rig, 1, r)->rate.median *= 0.8;
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.count, 3);
	assert_int_equal(trends.tests, 3);
	assert_int_equal(trends.change_count, 2);
	assert_int_equal(trends.trends[trends.changes[0].trend].cell, 1);
	assert_int_equal(trends.changes[0].at, 16);
	assert_true(trends.changes[0].slower);
	assert_true(fabs(trends.changes[0].change + 0.2) < 0.02);
	assert_int_equal(trends.changes[1].at, 32);
	assert_false(trends.changes[1].slower);
	assert_true(fabs(trends.changes[1].change - 0.25) < 0.03);
	history_trends_free(&trends);
	free(rig);
}

static void more_time_is_slower(void **state)
{
	struct rig *rig = rig_make(20, 1);
	struct history_trends trends;

	(void)state;
	for (size_t r = 0; r < 20; r++) {
		struct history_point *at = point(rig, 0, r);

		at->is_time = true;
		strcpy(at->latency, "the round trip write:read");
		at->p50_ns = (struct history_value){ .known = true, .median = (r < 10 ? 200 : 300) + (double)(r % 3) };
	}
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.change_count, 1);
	assert_true(trends.changes[0].slower);
	assert_true(trends.changes[0].change > 0.4);
	history_trends_free(&trends);
	free(rig);
}

static void a_p50_that_is_lost_is_a_change_to_the_slower(void **state)
{
	struct rig *rig = rig_make(24, 2);
	struct history_trends trends;

	(void)state;
	for (size_t r = 0; r < 48; r++) {
		struct history_point *at = point(rig, r / 24, r % 24);
		bool lost = (r % 24 >= 12) == (r < 24); /* cell 0 loses it, cell 1 gets it */

		at->is_time = true;
		at->clock_bound_ns = lost ? INFINITY : 10;
		strcpy(at->latency, "intended:read");
		at->lost = lost ? "saturated" : NULL;
		at->p50_ns = (struct history_value){ .known = !lost, .median = lost ? -1 : 1000 + (double)(r % 5) };
	}
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.count, 2); /* one course each */
	assert_int_equal(trends.tests, 2);
	assert_int_equal(trends.change_count, 2);
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(trends.changes[i].at, 12);
		assert_int_equal(trends.changes[i].slower, !i);
		assert_int_equal(history_level_is_lost(trends.changes[i].after), !i);
		assert_int_equal(history_level_is_lost(trends.changes[i].before), i);
	}
	history_trends_free(&trends);
	free(rig);
}

static void changes_below_the_threshold_are_none(void **state)
{
	struct rig *rig = rig_make(40, 1);
	struct history_trends trends;

	(void)state;
	for (size_t r = 0; r < 40; r++)
		point(rig, 0, r)->rate.median = (r < 20 ? 1000 : 985) + (double)(r % 3);
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.change_count, 0);
	assert_true(trends.trends[0].p_adjusted < 0.05);
	history_trends_free(&trends);
	trends = trends_of(rig, 0.01);
	assert_int_equal(trends.change_count, 1);
	history_trends_free(&trends);
	free(rig);
}

/* Of a slow drift each step is small, and all of them together are not. */
static void small_steps_that_add_up_are_told_as_a_larger_one(void **state)
{
	struct rig *rig = rig_make(48, 1);
	struct history_trends trends;

	(void)state;
	for (size_t r = 0; r < 48; r++)
		point(rig, 0, r)->rate.median = 1000 - (double)r;
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.change_count, 1);
	assert_int_equal(trends.changes[0].at, 24);
	assert_true(trends.changes[0].slower);
	assert_true(fabs(trends.changes[0].before - 988.5) < 1e-9 && fabs(trends.changes[0].after - 964.5) < 1e-9);
	history_trends_free(&trends);
	free(rig);
}

static void too_few_runs_are_not_tested(void **state)
{
	struct rig *rig = rig_make(9, 2);
	struct history_trends trends;

	(void)state;
	for (size_t r = 5; r < 9; r++)
		point(rig, 0, r)->rate.median = 10;
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.tests, 0);
	assert_int_equal(trends.few, 2);
	assert_int_equal(trends.change_count, 0);
	history_trends_free(&trends);
	free(rig);
}

/* Half of the runs on another machine, or in another regime, at half the rate: nothing changed in either. */
static void machines_and_regimes_are_never_mixed(void **state)
{
	for (int way = 0; way < 2; way++) {
		struct rig *rig = rig_make(24, 1);
		struct history_trends trends;

		for (size_t r = 0; r < 24; r++) {
			struct history_point *at = point(rig, 0, r);

			at->rate.median = 1000 + (double)(r % 5);
			if (r < 12)
				continue;
			at->rate.median /= 2;
			if (way)
				at->regime_ns = 560 + (double)(r % 4);
			else
				rig->runs[r].machine = 1;
		}
		trends = trends_of(rig, 0.02);
		assert_int_equal(trends.count, 2);
		assert_int_equal(trends.change_count, 0);
		for (size_t t = 0; t < 2; t++)
			assert_int_equal(trends.trends[t].count, 12);
		if (way) {
			assert_string_equal(trends.trends[0].regime, "r100");
			assert_string_equal(trends.trends[1].regime, "r562");
		}
		history_trends_free(&trends);
		free(rig);
	}
	(void)state;
}

static void of_two_points_of_a_run_in_one_regime_the_one_of_more_trials_counts(void **state)
{
	struct rig *rig = rig_make(12, 1);
	struct history_trends trends;

	(void)state;
	rig->points[12] = rig->points[11]; /* behind it: of fewer trials */
	rig->points[12].trials = 2;
	rig->points[12].regime_ns = 105;
	rig->view.point_count = 13;
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.count, 1);
	assert_int_equal(trends.trends[0].count, 12);
	assert_int_equal(trends.trends[0].points[11]->trials, 10);
	assert_int_equal(trends.doubled, 1);
	history_trends_free(&trends);
	free(rig);
}

static void what_the_clocks_may_have_done_is_no_change(void **state)
{
	struct rig *rig = rig_make(20, 1);
	struct history_trends trends;

	(void)state;
	for (int bounded = 0; bounded < 3; bounded++) {
		for (size_t r = 0; r < 20; r++) {
			struct history_point *at = point(rig, 0, r);

			at->is_time = true;
			strcpy(at->latency, "intended:read");
			at->p50_ns = (struct history_value){ .known = true, .median = (r < 10 ? 200 : 300) + (double)(r % 3) };
			at->clock_bound_ns = bounded == 0 ? INFINITY : bounded == 1 ? 60 : 20;
		}
		trends = trends_of(rig, 0.02);
		assert_int_equal(trends.tests, bounded > 0);
		assert_int_equal(trends.change_count, bounded == 2);
		history_trends_free(&trends);
	}
	free(rig);
}

static void equal_values_and_no_values_are_no_change(void **state)
{
	struct rig *rig = rig_make(20, 2);
	struct history_trends trends;

	(void)state;
	for (size_t r = 0; r < 20; r++)
		point(rig, 1, r)->rate.known = false;
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.count, 1);
	assert_int_equal(trends.change_count, 0);
	history_trends_free(&trends);
	rig->view.point_count = 0;
	trends = trends_of(rig, 0.02);
	assert_int_equal(trends.count, 0);
	history_trends_free(&trends);
	free(rig);
}

/* Of histories of 20 cells in which nothing changed no more than 5 % name even one change: 300 of them, three standard deviations of room.
 * Without a threshold: the statistics alone must hold it. */
static void histories_without_a_change_seldom_name_one(void **state)
{
	enum { HISTORIES = 300 };
	uint64_t seed = 17;
	unsigned found = 0;

	(void)state;
	for (int i = 0; i < HISTORIES; i++) {
		struct rig *rig = rig_make(20, CELLS);
		struct history_trends trends;

		noise_all(rig, 0.05, &seed);
		trends = trends_of(rig, 0);
		found += trends.change_count > 0;
		history_trends_free(&trends);
		free(rig);
	}
	if (found > HISTORIES * 0.05 + 3 * sqrt(HISTORIES * 0.05 * 0.95))
		fail_msg("%u of %d", found, HISTORIES);
}

/* Where one cell did change, no more than 5 % name a change in any other, nor a second one in it that is far from where it is. */
static void beside_a_change_no_other_is_named(void **state)
{
	enum { HISTORIES = 200 };
	uint64_t seed = 23;
	unsigned wrong = 0, found = 0;

	(void)state;
	for (int i = 0; i < HISTORIES; i++) {
		struct rig *rig = rig_make(40, 5);
		struct history_trends trends;
		bool other = false, same = false;

		noise_all(rig, 0.03, &seed);
		for (size_t r = 20; r < 40; r++)
			point(rig, 2, r)->rate.median *= 0.8;
		trends = trends_of(rig, 0);
		for (size_t k = 0; k < trends.change_count; k++) {
			const struct history_change *change = &trends.changes[k];
			bool is_it = trends.trends[change->trend].cell == 2 && change->at >= 18 && change->at <= 22;

			same = same || is_it;
			other = other || !is_it;
		}
		found += same;
		wrong += other;
		history_trends_free(&trends);
		free(rig);
	}
	assert_int_equal(found, HISTORIES);
	if (wrong > HISTORIES * 0.05 + 3 * sqrt(HISTORIES * 0.05 * 0.95))
		fail_msg("%u of %d", wrong, HISTORIES);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slower_and_a_faster_stretch_are_both_named),
		cmocka_unit_test(more_time_is_slower),
		cmocka_unit_test(a_p50_that_is_lost_is_a_change_to_the_slower),
		cmocka_unit_test(changes_below_the_threshold_are_none),
		cmocka_unit_test(small_steps_that_add_up_are_told_as_a_larger_one),
		cmocka_unit_test(too_few_runs_are_not_tested),
		cmocka_unit_test(machines_and_regimes_are_never_mixed),
		cmocka_unit_test(of_two_points_of_a_run_in_one_regime_the_one_of_more_trials_counts),
		cmocka_unit_test(what_the_clocks_may_have_done_is_no_change),
		cmocka_unit_test(equal_values_and_no_values_are_no_change),
		cmocka_unit_test(histories_without_a_change_seldom_name_one),
		cmocka_unit_test(beside_a_change_no_other_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
