#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "statistics.h"

static void the_median_of_an_odd_number_is_the_middle_one(void **state)
{
	const double one[] = { 7 }, five[] = { 9, 1, 8, 2, 5 };

	(void)state;
	assert_true(statistics_median(one, 1) == 7);
	assert_true(statistics_median(five, 5) == 5);
	assert_true(five[0] == 9 && five[4] == 5); /* the values themselves stay unsorted */
}

static void the_median_of_an_even_number_is_the_mean_of_the_middle_two(void **state)
{
	const double two[] = { 4, 1 }, six[] = { 60, 10, 50, 20, 40, 30 }, huge[] = { 1.5e308, 1.7e308 };

	(void)state;
	assert_true(statistics_median(two, 2) == 2.5);
	assert_true(statistics_median(six, 6) == 35);
	assert_true(statistics_median(huge, 2) == 1.6e308); /* no overflow on the way */
}

static void ties_are_values_like_others(void **state)
{
	const double ties[] = { 3, 3, 3, 3, 8, 3, 1 };
	struct interval interval = statistics_median_interval(ties, 7, 1);

	(void)state;
	assert_true(statistics_median(ties, 7) == 3);
	assert_true(interval.known && interval.low == 3 && interval.high == 3);
}

static void fewer_than_six_values_have_no_interval(void **state)
{
	const double values[] = { 1, 2, 3, 4, 5, 6 };

	(void)state;
	for (size_t n = 1; n <= 5; n++)
		assert_false(statistics_median_interval(values, n, 1).known);
	assert_true(statistics_median_interval(values, 6, 1).known);
	assert_false(statistics_ratio_interval(values, 5, values, 6, 1).known);
	assert_false(statistics_ratio_interval(values, 6, values, 5, 1).known);
}

/* The bootstrap's exact distribution for odd n, worked out apart from this code: the median of a resample is at most
 * the k-th value iff at least (n + 1) / 2 of n draws are: P(Binomial(n, k / n) ≥ (n + 1) / 2). n = 7, k = 1 … 7: 0.0102
 * 0.1083 0.3469 0.6531 0.8917 0.9898 1: the 2.5 % point is the 2nd value, the 97.5 % point the 6th, far from where
 * 2,000 draws could err. n = 11: 0.0002 0.0072 0.0512 … 0.9488 (8th) 0.9928 (9th): the 3rd and the 9th. n = 6: all
 * 46,656 resamples of 10 20 30 40 50 70 counted in Python: P(median ≤ 10) = 0.0087, ≤ 15: 0.0349 … ≤ 55: 0.9651, ≤ 60:
 * 0.9913: from 15 to 60. */
static void the_interval_is_that_of_the_exact_bootstrap(void **state)
{
	const double seven[] = { 70, 10, 60, 20, 50, 30, 40 };
	const double eleven[] = { 11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6 };
	const double six[] = { 70, 10, 20, 50, 40, 30 };
	struct interval of_six = statistics_median_interval(six, 6, 42);

	(void)state;
	assert_true(of_six.known && of_six.low == 15 && of_six.high == 60);
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct interval of_seven = statistics_median_interval(seven, 7, seed);
		struct interval of_eleven = statistics_median_interval(eleven, 11, seed);

		assert_true(of_seven.known && of_seven.low == 20 && of_seven.high == 60);
		assert_true(of_eleven.known && of_eleven.low == 3 && of_eleven.high == 9);
	}
}

static void the_same_seed_gives_the_same_interval(void **state)
{
	const double values[] = { 1.5, 2.25, 3.1, 4.7, 5.9, 7.3, 8.8, 9.1, 12.6, 17.2 };
	struct interval first = statistics_median_interval(values, 10, 42),
			again = statistics_median_interval(values, 10, 42);
	size_t different = 0;

	(void)state;
	assert_true(first.low == again.low && first.high == again.high);
	assert_true(first.low >= 1.5 && first.low < first.high && first.high <= 17.2);
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct interval other = statistics_ratio_interval(values, 10, values, 9, seed);

		different += other.low != statistics_ratio_interval(values, 10, values, 9, seed + 1).low;
	}
	assert_true(different > 0); /* the seed is used */
}

static void shared_draws_give_what_single_ones_give(void **state)
{
	const double a[] = { 4, 9, 1, 7, 3, 8, 2 }, b[] = { 1e9, 2e9, 5e9, 3e9, 8e9, 6e9, 7e9 };
	struct statistics_draws *draws = statistics_draws_make(7, 3);
	struct interval shared = statistics_draws_interval(draws, a), single = statistics_median_interval(a, 7, 3);

	(void)state;
	assert_true(shared.low == single.low && shared.high == single.high);
	shared = statistics_draws_interval(draws, b);
	single = statistics_median_interval(b, 7, 3);
	assert_true(shared.low == single.low && shared.high == single.high);
	statistics_draws_free(draws);
	assert_null(statistics_draws_make(5, 3));
}

static void shared_draws_of_ratios_give_what_single_ones_give(void **state)
{
	const double over[] = { 4, 9, 1, 7, 3, 8, 2 }, under[] = { 3, 2, 5, 4, 8, 6 }, other[] = { 1, 1, 1, 2, 2, 2 };
	struct statistics_ratio_draws *draws = statistics_ratio_draws_make(7, 6, 9);
	struct interval shared = statistics_ratio_draws_interval(draws, over, under), single = statistics_ratio_interval(over, 7, under, 6, 9);

	(void)state;
	assert_true(shared.known && shared.low == single.low && shared.high == single.high);
	shared = statistics_ratio_draws_interval(draws, over, other);
	single = statistics_ratio_interval(over, 7, other, 6, 9);
	assert_true(shared.known && shared.low == single.low && shared.high == single.high);
	statistics_ratio_draws_free(draws);
	assert_null(statistics_ratio_draws_make(7, 5, 9));
	assert_false(statistics_ratio_draws_interval(NULL, over, under).known);
}

/* The denominator always is 2, so that the quotient's interval is half the numerator's: [2, 6] / 2 by the exact figures
 * above. */
static void a_ratio_has_the_interval_of_its_resampled_medians(void **state)
{
	const double over[] = { 1, 2, 3, 4, 5, 6, 7 }, under[] = { 2, 2, 2, 2, 2, 2 };
	struct interval interval = statistics_ratio_interval(over, 7, under, 6, 5);

	(void)state;
	assert_true(interval.known && interval.low == 1 && interval.high == 3);
	interval = statistics_ratio_interval(under, 6, over, 7, 5);
	assert_true(interval.known && interval.low == 2.0 / 6.0 && interval.high == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_of_an_odd_number_is_the_middle_one),
		cmocka_unit_test(the_median_of_an_even_number_is_the_mean_of_the_middle_two),
		cmocka_unit_test(ties_are_values_like_others),
		cmocka_unit_test(fewer_than_six_values_have_no_interval),
		cmocka_unit_test(the_interval_is_that_of_the_exact_bootstrap),
		cmocka_unit_test(the_same_seed_gives_the_same_interval),
		cmocka_unit_test(shared_draws_give_what_single_ones_give),
		cmocka_unit_test(shared_draws_of_ratios_give_what_single_ones_give),
		cmocka_unit_test(a_ratio_has_the_interval_of_its_resampled_medians),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
