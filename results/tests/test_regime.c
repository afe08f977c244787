#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "regime.h"

static void no_trials_have_no_regime(void **state)
{
	struct regime *regimes;

	(void)state;
	assert_int_equal(regime_find(NULL, 0, NULL, &regimes), 0);
	free(regimes);
}

static void one_trial_is_a_regime(void **state)
{
	const double line[] = { 559.6 };
	struct regime *regimes;
	size_t of[1] = { 9 };

	(void)state;
	assert_int_equal(regime_find(line, 1, of, &regimes), 1);
	assert_int_equal(of[0], 0);
	assert_string_equal(regimes[0].name, "r560");
	assert_true(regimes[0].line_ns == 559.6);
	assert_int_equal(regimes[0].trials, 1);
	free(regimes);
}

static void neighbours_more_than_half_as_far_again_are_cut(void **state)
{
	const double line[] = { 600, 55, 150, 610, 57, 590, 160, 140 };
	struct regime *regimes;
	size_t of[8];

	(void)state;
	assert_int_equal(regime_find(line, 8, of, &regimes), 3);
	assert_string_equal(regimes[0].name, "r56");
	assert_string_equal(regimes[1].name, "r150");
	assert_string_equal(regimes[2].name, "r600");
	assert_int_equal(regimes[0].trials, 2);
	assert_int_equal(regimes[1].trials, 3);
	assert_int_equal(regimes[2].trials, 3);
	for (size_t i = 0; i < 8; i++)
		assert_int_equal(of[i], line[i] < 100 ? 0 : line[i] < 200 ? 1 : 2);
	free(regimes);
}

static void a_few_trials_in_between_do_not_chain_two_regimes_together(void **state)
{
	static const double lines[] = { 60, 62, 64, 66, 68, 74, 80, 88, 95, 98, 100, 101, 102, 104, 110 };
	enum { N = sizeof(lines) / sizeof(lines[0]) };
	size_t regime_of[N];
	struct regime *regimes;

	(void)state;
	assert_int_equal(regime_find(lines, N, regime_of, &regimes), 2);
	assert_int_equal(regime_of[0], 0);
	assert_int_equal(regime_of[4], 0);
	assert_int_equal(regime_of[N - 1], 1);
	assert_string_equal(regimes[1].name, "r100");
	free(regimes);
}

static void a_gap_of_exactly_the_limit_does_not_cut(void **state)
{
	const double together[] = { 150, 100 }, apart[] = { 100, 150.1 };
	struct regime *regimes;
	size_t of[2];

	(void)state;
	assert_int_equal(regime_find(together, 2, of, &regimes), 1);
	assert_string_equal(regimes[0].name, "r125");
	free(regimes);
	assert_int_equal(regime_find(apart, 2, of, &regimes), 2);
	free(regimes);
}

static void what_is_no_round_trip_is_refused(void **state)
{
	const double wrong[] = { 0, -1, NAN, INFINITY };
	struct regime *regimes;
	size_t of[1];

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(regime_find(&wrong[i], 1, of, &regimes), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_trials_have_no_regime),
		cmocka_unit_test(one_trial_is_a_regime),
		cmocka_unit_test(neighbours_more_than_half_as_far_again_are_cut),
		cmocka_unit_test(a_few_trials_in_between_do_not_chain_two_regimes_together),
		cmocka_unit_test(a_gap_of_exactly_the_limit_does_not_cut),
		cmocka_unit_test(what_is_no_round_trip_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
