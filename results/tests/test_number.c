#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "number.h"

static void assert_decimal(double value, const char *expected)
{
	char text[NUMBER_TEXT];

	assert_string_equal(number_decimal(text, value), expected);
}

static void numbers_have_four_digits(void **state)
{
	(void)state;
	assert_decimal(0, "0");
	assert_decimal(1, "1.000");
	assert_decimal(0.95, "0.950");
	assert_decimal(195.34, "195.3");
	assert_decimal(19.996, "20.00");
	assert_decimal(9.9999, "10.00");
	assert_decimal(999.96, "1000");
	assert_decimal(123456, "123456");
	assert_decimal(-12.346, "-12.35");
	assert_decimal(-0.0001, "0.000");
	assert_decimal(1e300, "1e+300");
	assert_decimal(-(double)INFINITY, "-");
	assert_decimal((double)NAN, "-");
}

static void shares_are_told_in_percent(void **state)
{
	char text[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_percent(text, 0.051), "5.1 %");
	assert_string_equal(number_percent(text, 1.2345), "123 %");
	assert_string_equal(number_percent(text, -0.0299), "-3.0 %");
	assert_string_equal(number_percent(text, -0.0001), "0.0 %");
	assert_string_equal(number_change(text, 0.02), "+2.0 %");
	assert_string_equal(number_change(text, -0.1234), "-12.3 %");
	assert_string_equal(number_percent(text, 0.9994), "99.9 %");
	assert_string_equal(number_percent(text, 0.9996), "100 %");
	assert_string_equal(number_change(text, 0), "+0.0 %");
	assert_string_equal(number_change(text, 2.5), "+250 %");
	assert_string_equal(number_change(text, 336.7), "x337.7");
}

static void probabilities_have_four_places(void **state)
{
	char text[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_probability(text, 0.00121), "0.0012");
	assert_string_equal(number_probability(text, 1), "1.0000");
	assert_string_equal(number_probability(text, 0.00009), "<.0001");
	assert_string_equal(number_probability(text, 0.0001), "0.0001");
}

static void units_follow_the_magnitude(void **state)
{
	char text[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_time(text, 240), "240.0 ns");
	assert_string_equal(number_time(text, 999.96), "1.000 us");
	assert_string_equal(number_time(text, 30000), "30.00 us");
	assert_string_equal(number_time(text, 2.5e9), "2.500 s");
	assert_string_equal(number_time(text, -60.5), "-60.50 ns");
	assert_string_equal(number_rate(text, 195.3e6), "195.3 M/s");
	assert_string_equal(number_rate(text, 3.5e9), "3.500 G/s");
	assert_string_equal(number_rate(text, 0), "0 /s");
	assert_string_equal(number_scaled(text, 1.2e9, number_rate_unit(195e6)), "1200");
	assert_string_equal(number_beside(text, 1.2e9, number_rate_unit(195e6)), "1200");
	assert_string_equal(number_beside(text, 54.2e9, number_rate_unit(195e6)), "54.20 G/s");
	assert_string_equal(number_beside(text, 27991, number_time_unit(128.2)), "27.99 us");
	assert_string_equal(number_beside(text, 9375e3, number_time_unit(73.1e3)), "9375");
	assert_string_equal(number_beside(text, 150, number_time_unit(2.319e6)), "150.0 ns");
	assert_string_equal(number_beside(text, 0, number_time_unit(2.319e6)), "0");
}

static void sizes_are_shortened_only_where_exact(void **state)
{
	char text[NUMBER_TEXT];

	(void)state;
	assert_string_equal(number_size(text, 0), "0");
	assert_string_equal(number_size(text, 1000), "1000");
	assert_string_equal(number_size(text, 1024), "1Ki");
	assert_string_equal(number_size(text, 65536), "64Ki");
	assert_string_equal(number_size(text, 1025), "1025");
	assert_string_equal(number_size(text, 3u << 20), "3Mi");
}

static void the_point_is_a_point_in_every_locale(void **state)
{
	static const char *const commas[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "" };
	char text[NUMBER_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(commas) / sizeof(commas[0]); i++) { /* those that this machine has */
		setlocale(LC_ALL, commas[i]);
		assert_string_equal(number_time(text, 1234), "1.234 us");
	}
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_have_four_digits),
		cmocka_unit_test(shares_are_told_in_percent),
		cmocka_unit_test(probabilities_have_four_places),
		cmocka_unit_test(units_follow_the_magnitude),
		cmocka_unit_test(sizes_are_shortened_only_where_exact),
		cmocka_unit_test(the_point_is_a_point_in_every_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
