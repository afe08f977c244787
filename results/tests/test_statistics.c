#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "statistics.h"
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static struct interval ratio_interval(const double *over, size_t n_over, const double *under, size_t n_under)
{
	struct statistics_middles *of_over = statistics_middles_make(n_over), *of_under = statistics_middles_make(n_under);
	struct interval interval = statistics_ratio_interval(of_over, over, of_under, under);

	statistics_middles_free(of_over);
	statistics_middles_free(of_under);
	return interval;
}

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
	struct interval interval = statistics_median_interval(ties, 7);

	(void)state;
	assert_true(statistics_median(ties, 7) == 3);
	assert_true(interval.known && interval.low == 3 && interval.high == 3);
}

static void fewer_than_six_values_have_no_interval(void **state)
{
	const double values[] = { 1, 2, 3, 4, 5, 6 };

	(void)state;
	for (size_t n = 1; n <= 5; n++)
		assert_false(statistics_median_interval(values, n).known);
	assert_true(statistics_median_interval(values, 6).known);
	assert_null(statistics_middles_make(5));
	assert_false(ratio_interval(values, 5, values, 6).known);
	assert_false(ratio_interval(values, 6, values, 5).known);
}

/* The bootstrap's distribution for odd n, worked out apart from this code: the median of a resample is at most the k-th value iff at least
 * (n + 1) / 2 of n draws are: P(Binomial(n, k / n) ≥ (n + 1) / 2). n = 7, k = 1 … 7: 0.0102 0.1083 0.3469 0.6531 0.8917 0.9898 1: the 2.5 %
 * point is the 2nd value, the 97.5 % point the 6th. n = 11: 0.0002 0.0072 0.0512 … 0.9488 (8th) 0.9928 (9th): the 3rd and the 9th. n = 6: all
 * 46,656 resamples of 10 20 30 40 50 70 counted in Python: P(median ≤ 10) = 0.0087, ≤ 15: 0.0349 … ≤ 55: 0.9651, ≤ 60: 0.9913: from 15 to 60. */
static void the_interval_is_that_of_all_resamples(void **state)
{
	const double seven[] = { 70, 10, 60, 20, 50, 30, 40 };
	const double eleven[] = { 11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6 };
	const double six[] = { 70, 10, 20, 50, 40, 30 };
	struct interval of_six = statistics_median_interval(six, 6), of_seven = statistics_median_interval(seven, 7),
			of_eleven = statistics_median_interval(eleven, 11);

	(void)state;
	assert_true(of_six.known && of_six.low == 15 && of_six.high == 60);
	assert_true(of_seven.known && of_seven.low == 20 && of_seven.high == 60);
	assert_true(of_eleven.known && of_eleven.low == 3 && of_eleven.high == 9);
}

/* Of n values whose square roots are 1 … n, by 200,000 resamples that were drawn: between the points that
 * leave 2.3 % and 2.7 % out lie those of 2.5 %, by six standard deviations. */
static void drawn_resamples_agree(void **state)
{
	enum { DRAWN = 200000, MOST = 60 };
	static const size_t sizes[] = { 8, 9, 10, 25, 60 };
	double *medians = calloc(DRAWN, sizeof(*medians)), values[MOST], resample[MOST];

	(void)state;
	assert_non_null(medians);
	for (size_t i = 0; i < MOST; i++)
		values[i] = (double)((i + 1) * (i + 1));
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		struct interval interval = statistics_median_interval(values, sizes[s]);
		uint64_t random = 42;

		for (size_t i = 0; i < DRAWN; i++) {
			for (size_t k = 0; k < sizes[s]; k++) {
				random = random * 6364136223846793005u + 1442695040888963407u; /* D. Knuth's MMIX */
				resample[k] = values[(random >> 33) % sizes[s]];
			}
			medians[i] = statistics_median(resample, sizes[s]);
		}
		qsort(medians, DRAWN, sizeof(*medians), compare_doubles);
		assert_true(medians[DRAWN * 23 / 1000] <= interval.low && interval.low <= medians[DRAWN * 27 / 1000]);
		assert_true(medians[DRAWN * 973 / 1000] <= interval.high && interval.high <= medians[DRAWN * 977 / 1000]);
	}
	free(medians);
}

static void many_values_have_a_narrow_interval(void **state)
{
	enum { MANY = 20001 };
	double *values = calloc(MANY, sizeof(*values));
	struct interval interval;

	(void)state;
	assert_non_null(values);
	for (size_t i = 0; i < MANY; i++)
		values[i] = (double)i;
	/* a median's rank has a standard deviation of half the root of n: 70.7, 1.96 times that: 138.6 */
	interval = statistics_median_interval(values, MANY);
	assert_true(interval.known && interval.low > 9859 && interval.low < 9864 && interval.high == 20000 - interval.low);
	interval = statistics_median_interval(values, MANY - 1);
	assert_true(interval.known && interval.low > 9858 && interval.low < 9864 && interval.high == 19999 - interval.low);
	free(values);
}

/* The denominator always is 2, so that the quotient's interval is half the numerator's: [2, 6] / 2 by the exact figures
 * above. */
static void a_ratio_has_the_interval_of_its_resampled_medians(void **state)
{
	const double over[] = { 1, 2, 3, 4, 5, 6, 7 }, under[] = { 2, 2, 2, 2, 2, 2 };
	struct interval interval = ratio_interval(over, 7, under, 6);

	(void)state;
	assert_true(interval.known && interval.low == 1 && interval.high == 3);
	interval = ratio_interval(under, 6, over, 7);
	assert_true(interval.known && interval.low == 2.0 / 6.0 && interval.high == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_median_of_an_odd_number_is_the_middle_one),
		cmocka_unit_test(the_median_of_an_even_number_is_the_mean_of_the_middle_two),
		cmocka_unit_test(ties_are_values_like_others),
		cmocka_unit_test(fewer_than_six_values_have_no_interval),
		cmocka_unit_test(the_interval_is_that_of_all_resamples),
		cmocka_unit_test(drawn_resamples_agree),
		cmocka_unit_test(many_values_have_a_narrow_interval),
		cmocka_unit_test(a_ratio_has_the_interval_of_its_resampled_medians),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
