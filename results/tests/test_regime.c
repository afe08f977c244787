#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

static void a_span_of_exactly_the_limit_is_not_cut(void **state)
{
	const double together[] = { 140, 100 }, apart[] = { 100, 140.1 };
	struct regime *regimes;
	size_t of[2];

	(void)state;
	assert_int_equal(regime_find(together, 2, of, &regimes), 1);
	assert_string_equal(regimes[0].name, "r120");
	free(regimes);
	assert_int_equal(regime_find(apart, 2, of, &regimes), 2);
	free(regimes);
}

/* The trials of a short run of which the first six had passed for one regime, "r94". */
static void what_a_short_run_measured_is_parted(void **state)
{
	static const double lines[] = { 64, 66, 78, 92, 99, 104, 110 };
	enum { N = sizeof(lines) / sizeof(lines[0]) };
	size_t of[N];
	struct regime *regimes;

	(void)state;
	for (size_t n = 5; n <= N; n++) {
		assert_int_equal(regime_find(lines, n, of, &regimes), 2);
		assert_int_equal(of[0], 0);
		assert_int_equal(of[1], 0);
		for (size_t i = 3; i < n; i++)
			assert_int_equal(of[i], 1);
		free(regimes);
	}
}

/* Long tails of one state, with nothing that lies apart, are not cut out of its middle. */
static void one_state_of_long_tails_stays_whole(void **state)
{
	double lines[102];
	size_t of[102];
	struct regime *regimes;

	(void)state;
	for (size_t i = 0; i < 100; i++)
		lines[i] = 95 + (double)i / 5;
	lines[100] = 86;
	lines[101] = 125;
	assert_int_equal(regime_find(lines, 102, of, &regimes), 1);
	free(regimes);
}

static uint64_t seed;

static double uniform(double low, double high)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return low + (high - low) * (double)(seed >> 11) / 9007199254740992.0;
}

static void one_state_is_never_split(void **state)
{
	enum { ROUNDS = 20000, MOST = 60 };
	double lines[MOST];
	size_t of[MOST];

	(void)state;
	seed = 1;
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = 1 + (size_t)uniform(0, MOST);
		double centre = uniform(50, 620);
		struct regime *regimes;

		for (size_t i = 0; i < n; i++)
			lines[i] = centre * uniform(0.85, 1.15);
		assert_int_equal(regime_find(lines, n, of, &regimes), 1);
		free(regimes);
	}
}

/* So many trials of a state, of one `times` as far, and in between; each ± 10 %. Whether none of the two states share a regime. */
static bool states_are_parted(double times, size_t near, size_t far, size_t between)
{
	double lines[400], centre = uniform(55, 65);
	size_t of[400], n = near + far + between;
	struct regime *regimes;
	bool parted = true;

	for (size_t i = 0; i < n; i++)
		lines[i] = i < near	  ? centre * uniform(0.9, 1.1) :
			   i < near + far ? centre * times * uniform(0.9, 1.1) :
					    uniform(centre * 1.1, centre * times * 0.9);
	assert_true(regime_find(lines, n, of, &regimes) > 0);
	for (size_t i = 0; i < near; i++)
		for (size_t k = near; k < near + far; k++)
			parted = parted && of[i] != of[k];
	free(regimes);
	return parted;
}

static void two_states_are_parted_in_any_mixture(void **state)
{
	static const size_t mixtures[][2] = { { 5, 1 }, { 1, 5 }, { 3, 3 }, { 2, 8 }, { 10, 10 }, { 100, 3 }, { 3, 100 }, { 300, 20 } };
	enum { ROUNDS = 2000 };

	(void)state;
	seed = 2;
	for (size_t m = 0; m < sizeof(mixtures) / sizeof(mixtures[0]); m++)
		for (size_t between = 0; between <= 2; between++) {
			int parted = 0;

			for (int round = 0; round < ROUNDS; round++)
				parted += states_are_parted(100.0 / 60, mixtures[m][0], mixtures[m][1], between);
			if (parted < ROUNDS)
				fail_msg("%zu : %zu, %zu in between: parted in %d of %d runs", mixtures[m][0], mixtures[m][1], between,
					 parted, ROUNDS);
		}
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
		cmocka_unit_test(a_span_of_exactly_the_limit_is_not_cut),
		cmocka_unit_test(what_a_short_run_measured_is_parted),
		cmocka_unit_test(one_state_of_long_tails_stays_whole),
		cmocka_unit_test(one_state_is_never_split),
		cmocka_unit_test(two_states_are_parted_in_any_mixture),
		cmocka_unit_test(what_is_no_round_trip_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
