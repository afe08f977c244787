#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "units.h"

typedef int parser(const char *text, uint64_t *value);
typedef char *printer(char *text, uint64_t value);

static void assert_parses(parser *parse, const char *text, uint64_t expected)
{
	uint64_t value = 12345;
	int error = parse(text, &value);

	if (error || value != expected)
		fail_msg("'%s': expected %llu, got %llu (%d)", text, (unsigned long long)expected,
			 (unsigned long long)value, error);
}

static void assert_refuses(parser *parse, const char *text, int expected)
{
	uint64_t value = 12345;
	int error = parse(text, &value);

	if (error != expected || value != 12345)
		fail_msg("'%s': expected %d, got %d, value %llu", text, expected, error, (unsigned long long)value);
}

static void sizes_take_decimal_and_binary_units(void **state)
{
	(void)state;
	assert_parses(units_parse_size, "0", 0);
	assert_parses(units_parse_size, "64", 64);
	assert_parses(units_parse_size, "007", 7);
	assert_parses(units_parse_size, "1k", 1000);
	assert_parses(units_parse_size, "1Ki", 1024);
	assert_parses(units_parse_size, "3M", 3000000);
	assert_parses(units_parse_size, "3Mi", 3145728);
	assert_parses(units_parse_size, "2G", 2000000000);
	assert_parses(units_parse_size, "2Gi", 2147483648);
	assert_parses(units_parse_size, "18446744073709551615", UINT64_MAX);
}

static void decimals_are_taken_where_they_come_out_whole(void **state)
{
	(void)state;
	assert_parses(units_parse_size, "1.5k", 1500);
	assert_parses(units_parse_size, "0.5Ki", 512);
	assert_parses(units_parse_size, "8.0", 8);
	assert_parses(units_parse_time, "1.5ms", 1500000);
	assert_parses(units_parse_time, "0.25us", 250);
	assert_refuses(units_parse_size, "1.5", -EINVAL);
	assert_refuses(units_parse_size, "0.3Ki", -EINVAL);
	assert_refuses(units_parse_time, "0.5ns", -EINVAL);
	assert_refuses(units_parse_size, "1.0000000000000000000000000000001G", -ERANGE);
}

static void times_need_a_unit_unless_they_are_zero(void **state)
{
	(void)state;
	assert_parses(units_parse_time, "0", 0);
	assert_parses(units_parse_time, "0s", 0);
	assert_parses(units_parse_time, "7ns", 7);
	assert_parses(units_parse_time, "100ms", 100000000);
	assert_parses(units_parse_time, "10s", 10000000000);
	assert_parses(units_parse_time, "2min", 120000000000);
	assert_refuses(units_parse_time, "100", -EINVAL);
	assert_refuses(units_parse_time, "1h", -EINVAL);
	assert_refuses(units_parse_time, "1 s", -EINVAL);
}

static void shares_are_percents(void **state)
{
	char text[UNITS_TEXT];

	(void)state;
	assert_parses(units_parse_percent, "2%", 20000);
	assert_parses(units_parse_percent, "0.5%", 5000);
	assert_parses(units_parse_percent, "0.0001%", 1);
	assert_parses(units_parse_percent, "0", 0);
	assert_refuses(units_parse_percent, "0.00001%", -EINVAL);
	assert_refuses(units_parse_percent, "2", -EINVAL);
	assert_refuses(units_parse_percent, "2 %", -EINVAL);
	assert_string_equal(units_print_percent(text, 20000), "2%");
	assert_string_equal(units_print_percent(text, 5000), "0.5%");
	assert_string_equal(units_print_percent(text, 1000000), "100%");
	assert_string_equal(units_print_percent(text, 1), "0.0001%");
	assert_string_equal(units_print_percent(text, 0), "0%");
}

static void counts_take_digits_and_a_decimal_unit_only(void **state)
{
	(void)state;
	assert_parses(units_parse_count, "1000000", 1000000);
	assert_parses(units_parse_count, "5M", 5000000);
	assert_refuses(units_parse_count, "1e6", -EINVAL);
	assert_refuses(units_parse_count, "1.5k", -EINVAL);
	assert_refuses(units_parse_count, "1Ki", -EINVAL);
	assert_parses(units_parse_integer, "42", 42);
	assert_refuses(units_parse_integer, "1k", -EINVAL);
}

static void what_is_no_number_is_refused_by_all(void **state)
{
	static parser *const parsers[] = {units_parse_integer, units_parse_count, units_parse_size, units_parse_time, units_parse_percent};
	static const char *const wrong[] = {
		"", " ", "abc", "-1", "+1", "-0", " 1", "1 ", "1\n", "1e99", "1e3", "NaN", "nan", "inf", "0x10", "1,000", ".5",
		"1.", "1..5", "1.5.5k", "1kk", "1K", "1m", "1B", "1iK", "--", "k", "1.e3", "1\t", "1s1", "1ss",
	};

	(void)state;
	for (size_t p = 0; p < sizeof(parsers) / sizeof(*parsers); p++)
		for (size_t w = 0; w < sizeof(wrong) / sizeof(*wrong); w++)
			assert_refuses(parsers[p], wrong[w], -EINVAL);
}

static void what_does_not_fit_is_out_of_range(void **state)
{
	(void)state;
	assert_refuses(units_parse_integer, "18446744073709551616", -ERANGE);
	assert_refuses(units_parse_count, "18446744073709551615k", -ERANGE);
	assert_refuses(units_parse_size, "99999999999999999999999999", -ERANGE);
	assert_refuses(units_parse_size, "17179869184Gi", -ERANGE);
	assert_refuses(units_parse_time, "18446744074s", -ERANGE);
}

static void assert_round_trip(printer *print, parser *parse, uint64_t value)
{
	char text[UNITS_TEXT];

	assert_parses(parse, print(text, value), value);
}

static void what_is_printed_parses_to_the_same(void **state)
{
	static const uint64_t values[] = {
		0, 1, 7, 999, 1000, 1023, 1024, 1500, 64000, 65536, 1000000, 1 << 20, 123456789, 60000000000,
		90000000000, 1ull << 63, UINT64_MAX, UINT64_MAX - 1023,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		assert_round_trip(units_print_count, units_parse_count, values[i]);
		assert_round_trip(units_print_size, units_parse_size, values[i]);
		assert_round_trip(units_print_time, units_parse_time, values[i]);
	}
}

static void printing_takes_the_largest_whole_unit(void **state)
{
	char text[UNITS_TEXT];

	(void)state;
	assert_string_equal(units_print_size(text, 65536), "64Ki");
	assert_string_equal(units_print_size(text, 1000), "1k");
	assert_string_equal(units_print_size(text, 1001), "1001");
	assert_string_equal(units_print_time(text, 100000000), "100ms");
	assert_string_equal(units_print_time(text, 90000000000), "90s");
	assert_string_equal(units_print_count(text, 5000000), "5M");
	assert_string_equal(units_show_size(text, 3435973837), "3.2 GiB");
	assert_string_equal(units_show_size(text, UINT64_MAX), "16.0 EiB");
	assert_string_equal(units_show_size(text, 8), "8 B");
	assert_string_equal(units_show_time(text, 84000000000), "1 min 24 s");
	assert_string_equal(units_show_time(text, 1500000000), "1.5 s");
	assert_string_equal(units_show_time(text, 7260000000000), "2 h 1 min");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_take_decimal_and_binary_units),
		cmocka_unit_test(decimals_are_taken_where_they_come_out_whole),
		cmocka_unit_test(times_need_a_unit_unless_they_are_zero),
		cmocka_unit_test(shares_are_percents),
		cmocka_unit_test(counts_take_digits_and_a_decimal_unit_only),
		cmocka_unit_test(what_is_no_number_is_refused_by_all),
		cmocka_unit_test(what_does_not_fit_is_out_of_range),
		cmocka_unit_test(what_is_printed_parses_to_the_same),
		cmocka_unit_test(printing_takes_the_largest_whole_unit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
