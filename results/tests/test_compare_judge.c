#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "noise.h"
#include "rows.h"

enum { N = 10 };

/* Ten trials that scatter by some 2 %; in no order. */
static const double TEN[N] = { 100.3, 98.1, 101.9, 99.2, 100.8, 97.4, 102.6, 99.7, 101.2, 98.8 };
/* Of another run: the same median, nearly. */
static const double TEN_AGAIN[N] = { 99.9, 101.5, 98.4, 100.1, 97.7, 102.2, 99.4, 100.6, 98.9, 101.1 };

static void scale(double *to, const double *from, size_t n, double factor)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] * factor;
}

/* One row, of TEN against TEN_AGAIN times a factor. */
static struct comparison *judged_at(enum compare_metric metric, double factor, double threshold)
{
	struct comparison *comparison = rows_make(1, metric);
	double values[N];

	scale(values, TEN_AGAIN, N, factor);
	rows_set(comparison, 0, TEN, N, values, N);
	comparison->settings.threshold = threshold;
	rows_judge(comparison, NULL);
	return comparison;
}

static struct comparison *judged(enum compare_metric metric, double factor)
{
	return judged_at(metric, factor, 0.02);
}

static void assert_verdict(enum compare_metric metric, double factor, enum compare_verdict expected)
{
	struct comparison *comparison = judged(metric, factor);

	if (comparison->rows[0].verdict != expected)
		fail_msg("times %g it is %s, not %s", factor, compare_verdict_names[comparison->rows[0].verdict],
			 compare_verdict_names[expected]);
	assert_int_equal(comparison->verdicts[expected], 1);
	rows_free(comparison);
}

static void a_shift_is_found_and_its_direction_is_that_of_the_metric(void **state)
{
	(void)state;
	assert_verdict(COMPARE_RATE, 0.8, COMPARE_SLOWER);
	assert_verdict(COMPARE_RATE, 1.2, COMPARE_FASTER);
	assert_verdict(COMPARE_TIME, 0.8, COMPARE_FASTER);
	assert_verdict(COMPARE_TIME, 1.2, COMPARE_SLOWER);
}

static void equal_measurements_have_no_detectable_change(void **state)
{
	(void)state;
	assert_verdict(COMPARE_RATE, 1, COMPARE_UNCHANGED);
	assert_verdict(COMPARE_TIME, 1.005, COMPARE_UNCHANGED);
}

/* Medians of TEN: (99.7 + 100.3) / 2 = 100, of TEN_AGAIN: (99.9 + 100.1) / 2 = 100. R: wilcox.test(a, b * 0.8)$p.value = 1.08e-05. */
static void the_numbers_of_a_row_are_right(void **state)
{
	struct comparison *comparison = judged(COMPARE_RATE, 0.8);
	const struct compare_row *row = &comparison->rows[0];

	(void)state;
	assert_true(fabs(row->baseline.median - 100) < 1e-9 && fabs(row->sample.median - 80) < 1e-9);
	assert_true(fabs(row->change + 0.2) < 1e-9);
	assert_true(row->interval.known && row->interval.low < -0.2 && row->interval.high > -0.2 && row->interval.high < 0);
	assert_true(row->interval.low > -0.24);
	assert_true(fabs(row->p - 1.0825088224469e-05) < 1e-15 && row->p_adjusted == row->p);
	assert_true(row->baseline.interval.known && row->baseline.interval.low < 100 && row->baseline.interval.high > 100);
	rows_free(comparison);
}

/* The least change that is told: with it planted the row is called, whichever way; with 99 parts of 100 of it one way at least is not. */
static void the_least_change_is_the_least_that_is_called(void **state)
{
	struct comparison *comparison = judged_at(COMPARE_RATE, 1, 0.001), *up, *down;
	double least = comparison->rows[0].least_change;

	(void)state;
	assert_true(least > 0.005 && least < 0.05);
	up = judged_at(COMPARE_RATE, 1 + least * 1.0001, 0.001);
	down = judged_at(COMPARE_RATE, 1 - least * 1.0001, 0.001);
	assert_int_equal(up->rows[0].verdict, COMPARE_FASTER);
	assert_int_equal(down->rows[0].verdict, COMPARE_SLOWER);
	rows_free(up);
	rows_free(down);
	up = judged_at(COMPARE_RATE, 1 + least * 0.99, 0.001);
	down = judged_at(COMPARE_RATE, 1 - least * 0.99, 0.001);
	assert_true(up->rows[0].verdict == COMPARE_UNCHANGED || down->rows[0].verdict == COMPARE_UNCHANGED);
	rows_free(up);
	rows_free(down);
	rows_free(comparison);
}

static void the_least_change_does_not_depend_on_the_change_that_was_seen(void **state)
{
	struct comparison *here = judged_at(COMPARE_RATE, 1, 0.001), *there = judged_at(COMPARE_RATE, 1.007, 0.001);

	(void)state;
	assert_true(fabs(here->rows[0].least_change - there->rows[0].least_change) < 1e-9);
	rows_free(here);
	rows_free(there);
}

/* A clean change of 1.5 %: below the threshold, and above a lower one. */
static void a_change_below_threshold_or_floor_is_none(void **state)
{
	struct comparison *comparison = rows_make(1, COMPARE_RATE);
	double before[N], after[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		before[i] = 1000 + i * 0.1;
		after[i] = 985 + i * 0.1;
	}
	rows_set(comparison, 0, before, N, after, N);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_UNCHANGED);
	assert_true(fabs(comparison->rows[0].least_change - 0.02) < 1e-9);
	comparison->settings.threshold = 0.01;
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_SLOWER);
	comparison->settings.floor[COMPARE_TIME] = 0.5; /* another metric's */
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_SLOWER);
	comparison->settings.floor[COMPARE_RATE] = 0.016;
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_UNCHANGED);
	rows_free(comparison);
}

/* A one-way latency of 1,000 ns that becomes 100 ns longer, where the clocks' offsets may account for 120. */
static void what_the_clocks_may_account_for_is_no_change(void **state)
{
	struct comparison *comparison = rows_make(1, COMPARE_TIME);
	double before[N], after[N];

	(void)state;
	for (int i = 0; i < N; i++) {
		before[i] = 1000 + i;
		after[i] = 1100 + i;
	}
	rows_set(comparison, 0, before, N, after, N);
	comparison->rows[0].clock_bound_ns = 120;
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_UNCHANGED);
	comparison->rows[0].clock_bound_ns = 80;
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_SLOWER);
	rows_free(comparison);
}

/* Two modes, 100 and 200, six trials in the one and four in the other, and the reverse: the medians are far apart, the trials are not. */
static void modes_that_were_met_in_other_numbers_are_no_change(void **state)
{
	const double before[N] = { 100, 101, 99, 100.5, 99.5, 98.5, 200, 201, 199, 202 };
	const double after[N] = { 100.2, 101.2, 99.2, 98.8, 200.2, 201.2, 199.2, 202.2, 198.2, 200.7 };
	struct comparison *comparison = rows_make(1, COMPARE_RATE);

	(void)state;
	rows_set(comparison, 0, before, N, after, N);
	rows_judge(comparison, NULL);
	assert_true(comparison->rows[0].change > 0.9);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_BLIND); /* it says that it can see little */
	assert_true(comparison->rows[0].least_change > 0.9);
	rows_free(comparison);
}

/* Values from 1 to 512: there is no change to be seen, nor would there be one if there were. */
static void a_gate_does_not_pass_on_what_could_see_nothing(void **state)
{
	const double wild[N] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 };
	struct comparison *comparison = rows_make(2, COMPARE_RATE);

	(void)state;
	rows_set(comparison, 0, wild, N, wild, N);
	rows_set(comparison, 1, TEN, N, TEN_AGAIN, N);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_BLIND);
	assert_string_equal(comparison->rows[0].reason, "would not have seen a doubling");
	assert_true(comparison->rows[0].least_change >= 1);
	assert_true(comparison->rows[0].least_factor >= 1 + comparison->rows[0].least_change);
	assert_int_equal(comparison->verdicts[COMPARE_BLIND], 1);
	assert_int_equal(comparison->verdicts[COMPARE_UNCHANGED], 1);
	assert_int_equal(compare_status(comparison, true), 0); /* the other one was judged */
	comparison->rows[1].verdict = COMPARE_INCOMPARABLE;
	rows_judge(comparison, NULL);
	assert_int_equal(compare_status(comparison, true), 4);
	rows_free(comparison);
}

/* Of wild values: with the factor that is told planted, up or down, the row is called. */
static void the_least_factor_is_called_both_ways(void **state)
{
	const double wild[N] = { 20, 30, 40, 60, 90, 100, 150, 250, 400, 700 };
	struct comparison *comparison = rows_make(1, COMPARE_RATE);
	double factor, changed[N];

	(void)state;
	rows_set(comparison, 0, wild, N, wild, N);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_BLIND);
	factor = comparison->rows[0].least_factor;
	assert_true(factor >= 2 && factor < 100);
	rows_free(comparison);
	for (int up = 0; up < 2; up++) {
		comparison = rows_make(1, COMPARE_RATE);
		scale(changed, wild, N, up ? factor * 1.0001 : 1 / (factor * 1.0001));
		rows_set(comparison, 0, wild, N, changed, N);
		rows_judge(comparison, NULL);
		assert_int_equal(comparison->rows[0].verdict, up ? COMPARE_FASTER : COMPARE_SLOWER);
		rows_free(comparison);
	}
}

/* A fall can't exceed a limit of 100 %: no factor down would be called. */
static void a_limit_that_no_fall_exceeds_has_no_factor(void **state)
{
	struct comparison *comparison = judged_at(COMPARE_RATE, 1, 1);

	(void)state;
	assert_int_equal(comparison->rows[0].verdict, COMPARE_BLIND);
	assert_true(isinf(comparison->rows[0].least_factor));
	rows_free(comparison);
}

static void ties_are_borne(void **state)
{
	const double steps[N] = { 240.4, 250.5, 240.4, 240.4, 250.5, 240.4, 230.4, 250.5, 240.4, 240.4 };
	const double longer[N] = { 270.6, 280.6, 270.6, 270.6, 280.6, 270.6, 260.5, 280.6, 270.6, 270.6 };
	double same[N];
	struct comparison *comparison = rows_make(3, COMPARE_TIME);

	(void)state;
	for (int i = 0; i < N; i++)
		same[i] = 7;
	rows_set(comparison, 0, same, N, same, N);
	rows_set(comparison, 1, steps, N, steps, N);
	rows_set(comparison, 2, steps, N, longer, N);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_UNCHANGED);
	assert_true(comparison->rows[0].p == 1 && comparison->rows[0].change == 0);
	assert_int_equal(comparison->rows[1].verdict, COMPARE_UNCHANGED);
	assert_int_equal(comparison->rows[2].verdict, COMPARE_SLOWER);
	rows_free(comparison);
}

static void fewer_than_six_trials_are_too_few(void **state)
{
	struct comparison *comparison = rows_make(2, COMPARE_RATE);
	const double low[] = { 1, 2, 3, 4, 5, 6 }, high[] = { 101, 102, 103, 104, 105, 106 };

	(void)state;
	rows_set(comparison, 0, low, 6, high, 5);
	rows_set(comparison, 1, low, 6, high, 6);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_TOO_FEW);
	assert_string_equal(comparison->rows[0].reason, "5, needed 6");
	assert_int_equal(comparison->rows[1].verdict, COMPARE_FASTER);
	assert_int_equal(comparison->tests, 1); /* what can't be tested does not make the others' tests more */
	rows_free(comparison);
}

/* A hundred cells of six trials each: 100 × 2 / 924 is above 0.05; of eight trials 100 × 2 / 12,870 is not. */
static void many_cells_need_more_trials(void **state)
{
	enum { CELLS = 100 };
	struct comparison *comparison = rows_make(CELLS, COMPARE_RATE);
	const double low[] = { 1, 2, 3, 4, 5, 6, 7, 8 }, high[] = { 101, 102, 103, 104, 105, 106, 107, 108 };

	(void)state;
	for (size_t i = 0; i < CELLS; i++)
		rows_set(comparison, i, low, 6, high, 6);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->verdicts[COMPARE_TOO_FEW], CELLS);
	assert_string_equal(comparison->rows[0].reason, "6, needed 8");
	assert_int_equal(compare_status(comparison, true), 4);
	for (size_t i = 0; i < CELLS; i++)
		rows_set(comparison, i, low, 8, high, 8);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->verdicts[COMPARE_FASTER], CELLS);
	rows_free(comparison);
}

/* One cell has enough trials for the first place, others have not: they may come after it. 3 × 2 / 924 passes, 40 × 2 / 924 does not. */
static void too_few_is_said_only_where_no_outcome_could_help(void **state)
{
	enum { CELLS = 40, STRONG = 37 };
	struct comparison *comparison = rows_make(CELLS, COMPARE_RATE);
	double low[20], high[20];

	(void)state;
	for (int i = 0; i < 20; i++) {
		low[i] = 1 + i;
		high[i] = 101 + i;
	}
	for (size_t i = 0; i < CELLS; i++)
		rows_set(comparison, i, low, i < STRONG ? 20 : 6, high, i < STRONG ? 20 : 6);
	rows_judge(comparison, NULL);
	assert_int_equal(comparison->verdicts[COMPARE_FASTER], CELLS);
	rows_free(comparison);
}

/* R: wilcox.test(before, after)$p.value = 0.02597403 for one cell. Among three it is no more than chance. */
static void a_difference_among_many_cells_is_held_to_more(void **state)
{
	const double before[] = { 101, 102, 103, 104, 105, 110 }, after[] = { 103.5, 109, 111, 112, 113, 114 };
	struct comparison *alone = rows_make(1, COMPARE_RATE), *among = rows_make(3, COMPARE_RATE);

	(void)state;
	rows_set(alone, 0, before, 6, after, 6);
	rows_set(among, 0, before, 6, after, 6);
	rows_set(among, 1, TEN, N, TEN_AGAIN, N);
	rows_set(among, 2, TEN, N, TEN_AGAIN, N);
	rows_judge(alone, NULL);
	rows_judge(among, NULL);
	assert_true(fabs(alone->rows[0].p - 0.025974025974026) < 1e-12);
	assert_int_equal(alone->rows[0].verdict, COMPARE_FASTER);
	assert_true(fabs(among->rows[0].p_adjusted - 3 * alone->rows[0].p) < 1e-12);
	assert_int_equal(among->rows[0].verdict, COMPARE_UNCHANGED);
	assert_true(among->rows[0].least_change > alone->rows[0].least_change);
	rows_free(alone);
	rows_free(among);
}

/* TEN against TEN_AGAIN times 0.8; of each so many trials were disturbed. */
static struct comparison *disturbed(size_t before, size_t after)
{
	struct comparison *comparison = judged(COMPARE_RATE, 0.8);

	for (size_t i = 0; i < N; i++) {
		comparison->rows[0].baseline.disturbed[i] = i < before;
		comparison->rows[0].sample.disturbed[i] = i < after;
	}
	rows_judge(comparison, NULL);
	return comparison;
}

static void a_side_that_was_disturbed_more_is_noisy(void **state)
{
	struct comparison *comparison = disturbed(0, 10);

	(void)state;
	assert_int_equal(comparison->rows[0].verdict, COMPARE_NOISY);
	assert_string_equal(comparison->rows[0].reason, "disturbed trials: 0 % against 100 %");
	assert_int_equal(compare_status(comparison, true), 4);
	rows_free(comparison);
	comparison = disturbed(9, 3);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_NOISY);
	rows_free(comparison);
	comparison = disturbed(10, 10);
	assert_int_equal(comparison->rows[0].verdict, COMPARE_SLOWER);
	rows_free(comparison);
}

/* 3 of 10 against 0 of 10 is chance: fisher.test(matrix(c(10, 0, 7, 3), 2))$p.value = 0.21. */
static void few_disturbed_trials_more_are_chance(void **state)
{
	struct comparison *comparison = disturbed(0, 3);

	(void)state;
	assert_int_equal(comparison->rows[0].verdict, COMPARE_SLOWER);
	rows_free(comparison);
}

static void a_side_in_which_the_machine_stood_still_more_is_noisy(void **state)
{
	struct comparison *comparison = judged(COMPARE_RATE, 0.8);
	struct compare_row *row = &comparison->rows[0];

	(void)state;
	row->baseline.stall_n = row->sample.stall_n = N;
	for (int i = 0; i < N; i++) {
		row->baseline.stalls[i] = 0.02 + i * 0.001;
		row->sample.stalls[i] = 0.07 + i * 0.001;
	}
	rows_judge(comparison, NULL);
	assert_int_equal(row->verdict, COMPARE_NOISY);
	for (int i = 0; i < N; i++) /* as many times, but of next to nothing */
		row->sample.stalls[i] = 10 * (row->baseline.stalls[i] = 0.0001 + i * 0.00001);
	rows_judge(comparison, NULL);
	assert_int_equal(row->verdict, COMPARE_SLOWER);
	rows_free(comparison);
}

enum { RUN = 100 };

struct machine {
	double disturbed[RUN], stalls[RUN];
};

/* So many trials of a run, of which that share was disturbed and stood still. */
static struct compare_machine machine_of(struct machine *machine, size_t n, double disturbed_share, double stall_share)
{
	for (size_t i = 0; i < n; i++) {
		machine->disturbed[i] = (double)i < disturbed_share * (double)n - 0.5;
		machine->stalls[i] = stall_share * (0.5 + (double)i / (double)n);
	}
	return (struct compare_machine){ disturbed_share, stall_share, machine->disturbed, n, machine->stalls, n };
}

static void a_run_that_was_disturbed_more_makes_all_noisy(void **state)
{
	struct comparison *comparison = judged(COMPARE_RATE, 0.8);
	struct machine machines[7];
	const struct compare_machine quiet = machine_of(&machines[0], RUN, 0.1, 0.02), unknown = { .disturbed_share = -1, .stall_share = -1 },
				     disturbed_more = machine_of(&machines[1], RUN, 0.31, 0.02),
				     still = machine_of(&machines[2], RUN, 0.1, 0.041), near = machine_of(&machines[3], RUN, 0.29, 0.039),
				     few = machine_of(&machines[4], N, 0.1, 0.02), few_disturbed = machine_of(&machines[5], N, 0.4, 0.02),
				     few_still = machine_of(&machines[6], 2, 0.1, 0.041);
	const struct {
		struct compare_machine pair[2];
		enum compare_verdict verdict;
	} cases[] = {
		{ { quiet, quiet }, COMPARE_SLOWER },         { { quiet, near }, COMPARE_SLOWER },
		{ { quiet, disturbed_more }, COMPARE_NOISY }, { { disturbed_more, quiet }, COMPARE_NOISY },
		{ { quiet, still }, COMPARE_NOISY },          { { unknown, still }, COMPARE_SLOWER },
		/* so few trials differ by chance */
		{ { few, few_disturbed }, COMPARE_SLOWER },   { { few, few_still }, COMPARE_SLOWER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		rows_judge(comparison, cases[i].pair);
		if (comparison->rows[0].verdict != cases[i].verdict)
			fail_msg("case %zu: %s", i, compare_verdict_names[comparison->rows[0].verdict]);
	}
	rows_free(comparison);
}

static void the_status_tells_regressions_and_gates_that_judged_nothing(void **state)
{
	struct comparison *comparison = rows_make(2, COMPARE_RATE);
	double slower[N];

	(void)state;
	scale(slower, TEN, N, 0.7);
	rows_set(comparison, 0, TEN, N, TEN_AGAIN, N);
	rows_set(comparison, 1, TEN, N, slower, N);
	rows_judge(comparison, NULL);
	assert_int_equal(compare_status(comparison, true), 1);
	assert_int_equal(compare_status(comparison, false), 0);
	comparison->rows[1].verdict = COMPARE_INCOMPARABLE;
	rows_judge(comparison, NULL);
	assert_int_equal(compare_status(comparison, true), 0); /* one was judged */
	comparison->rows[1].unmatched = true;
	rows_judge(comparison, NULL);
	assert_int_equal(compare_status(comparison, true), 4); /* but one of the baseline's was not */
	comparison->rows[0].verdict = COMPARE_INCOMPARABLE;
	comparison->rows[1].unmatched = false;
	rows_judge(comparison, NULL);
	assert_int_equal(compare_status(comparison, true), 4);
	rows_free(comparison);
	comparison = rows_make(1, COMPARE_RATE);
	comparison->row_count = 0;
	rows_judge(comparison, NULL);
	assert_int_equal(compare_status(comparison, true), 4);
	rows_free(comparison);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shift_is_found_and_its_direction_is_that_of_the_metric),
		cmocka_unit_test(equal_measurements_have_no_detectable_change),
		cmocka_unit_test(the_numbers_of_a_row_are_right),
		cmocka_unit_test(the_least_change_is_the_least_that_is_called),
		cmocka_unit_test(the_least_change_does_not_depend_on_the_change_that_was_seen),
		cmocka_unit_test(a_change_below_threshold_or_floor_is_none),
		cmocka_unit_test(what_the_clocks_may_account_for_is_no_change),
		cmocka_unit_test(modes_that_were_met_in_other_numbers_are_no_change),
		cmocka_unit_test(a_gate_does_not_pass_on_what_could_see_nothing),
		cmocka_unit_test(the_least_factor_is_called_both_ways),
		cmocka_unit_test(a_limit_that_no_fall_exceeds_has_no_factor),
		cmocka_unit_test(ties_are_borne),
		cmocka_unit_test(fewer_than_six_trials_are_too_few),
		cmocka_unit_test(many_cells_need_more_trials),
		cmocka_unit_test(too_few_is_said_only_where_no_outcome_could_help),
		cmocka_unit_test(a_difference_among_many_cells_is_held_to_more),
		cmocka_unit_test(a_side_that_was_disturbed_more_is_noisy),
		cmocka_unit_test(few_disturbed_trials_more_are_chance),
		cmocka_unit_test(a_side_in_which_the_machine_stood_still_more_is_noisy),
		cmocka_unit_test(a_run_that_was_disturbed_more_makes_all_noisy),
		cmocka_unit_test(the_status_tells_regressions_and_gates_that_judged_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
