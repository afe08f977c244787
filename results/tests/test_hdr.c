#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "bucket_text.h"
#include "hdr.h"

/* The printed percentiles, to be freed. */
static char *percentiles(const struct hdr *hdr, double scale)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	hdr_print_percentiles(out, hdr, scale);
	fclose(out);
	return text;
}

static void a_value_is_kept_to_three_digits(void **state)
{
	static const uint64_t values[] = { 0, 1, 2, 1023, 1024, 2047, 2048, 2049, 4095, 4096, 123456789, 3600000000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct hdr hdr = { 0 };
		size_t index = 0;

		assert_int_equal(hdr_add(&hdr, values[i], 3), 0);
		while (!hdr.counts[index])
			index++;
		assert_int_equal(hdr.counts[index], 3);
		assert_true(hdr_highest_equivalent(index) >= values[i]);
		assert_true((double)(hdr_highest_equivalent(index) - values[i]) <= (double)values[i] / 1000);
		if (values[i] < 2048)
			assert_int_equal(hdr_highest_equivalent(index), values[i]);
		hdr_free(&hdr);
	}
}

/* Printed by another's code, hdr-histogram-js 3.0.1, of the values 1 … 10: outputPercentileDistribution(5, 1). */
static void percentiles_are_printed_as_hdrhistogram_does(void **state)
{
	static const char expected[] =
		"       Value     Percentile TotalCount 1/(1-Percentile)\n"
		"\n"
		"       1.000 0.000000000000          1           1.00\n"
		"       1.000 0.100000000000          1           1.11\n"
		"       2.000 0.200000000000          2           1.25\n"
		"       3.000 0.300000000000          3           1.43\n"
		"       4.000 0.400000000000          4           1.67\n"
		"       5.000 0.500000000000          5           2.00\n"
		"       6.000 0.550000000000          6           2.22\n"
		"       6.000 0.600000000000          6           2.50\n"
		"       7.000 0.650000000000          7           2.86\n"
		"       7.000 0.700000000000          7           3.33\n"
		"       8.000 0.750000000000          8           4.00\n"
		"       8.000 0.775000000000          8           4.44\n"
		"       8.000 0.800000000000          8           5.00\n"
		"       9.000 0.825000000000          9           5.71\n"
		"       9.000 0.850000000000          9           6.67\n"
		"       9.000 0.875000000000          9           8.00\n"
		"       9.000 0.887500000000          9           8.89\n"
		"       9.000 0.900000000000          9          10.00\n"
		"      10.000 0.912500000000         10          11.43\n"
		"      10.000 1.000000000000         10\n"
		"#[Mean    =        5.500, StdDeviation   =        2.872]\n"
		"#[Max     =       10.000, Total count    =           10]\n"
		"#[Buckets =            1, SubBuckets     =         2048]\n";
	struct hdr hdr = { 0 };
	char *text;

	(void)state;
	for (uint64_t value = 1; value <= 10; value++)
		assert_int_equal(hdr_add(&hdr, value, 1), 0);
	text = percentiles(&hdr, 1);
	assert_string_equal(text, expected);
	free(text);
	text = percentiles(&hdr, 1000);
	assert_non_null(strstr(text, "       0.010 1.000000000000         10\n"));
	free(text);
	hdr_free(&hdr);
}

static void nothing_is_printed_as_nothing(void **state)
{
	struct hdr hdr = { 0 };
	char *text = percentiles(&hdr, 1), *encoded = hdr_encode(&hdr);

	(void)state;
	assert_non_null(strstr(text, "Total count    =            0]"));
	assert_null(strstr(text, "nan"));
	assert_non_null(encoded);
	free(encoded);
	free(text);
}

/* ---- a histogram's line without the parser ---- */

static void assert_left_to_the_parser(const char *text)
{
	struct record_bucket *buckets = NULL;

	if (bucket_text_read(text, strlen(text), &buckets) >= 0)
		fail_msg("taken: %s", text);
}

static void lines_of_our_own_form_are_read(void **state)
{
	static const char text[] = "{\"kind\":\"histogram\",\"id\":12,\"latency\":0,\"buckets\":[[-3.5,1],[0.0,2],[200.1,3],[12345678.25,4]]}";
	struct record_bucket *buckets = NULL;

	(void)state;
	assert_int_equal(bucket_text_read(text, strlen(text), &buckets), 4);
	assert_true(buckets[0].upper_edge_ns == -3.5 && buckets[0].count == 1);
	assert_true(buckets[1].upper_edge_ns == 0.0 && buckets[1].count == 2);
	assert_true(buckets[2].upper_edge_ns == 200.1 && buckets[2].count == 3);
	assert_true(buckets[3].upper_edge_ns == 12345678.25 && buckets[3].count == 4);
	free(buckets);
}

static void all_others_are_left_to_the_parser(void **state)
{
#define HEAD "{\"kind\":\"histogram\",\"id\":1,\"latency\":0,\"buckets\":["
	(void)state;
	assert_left_to_the_parser("");
	assert_left_to_the_parser("{\"kind\":\"slice\",\"id\":1,\"latency\":0,\"buckets\":[[1.0,1]]}");
	assert_left_to_the_parser(HEAD "]}");
	assert_left_to_the_parser(HEAD "[1.0,1]]");
	assert_left_to_the_parser(HEAD "[1.0,1]]}}");
	assert_left_to_the_parser(HEAD "[1.0,1]],\"more\":1}");
	assert_left_to_the_parser(HEAD "[1.0, 1]]}");
	assert_left_to_the_parser(HEAD "[1,1]]}");
	assert_left_to_the_parser(HEAD "[1.,1]]}");
	assert_left_to_the_parser(HEAD "[01.0,1]]}");
	assert_left_to_the_parser(HEAD "[1.0e3,1]]}");
	assert_left_to_the_parser(HEAD "[1.0,-1]]}");
	assert_left_to_the_parser(HEAD "[1.0,1.5]]}");
	assert_left_to_the_parser(HEAD "[1.0,1],]}");
	assert_left_to_the_parser(HEAD "[2.0,1],[2.0,1]]}");
	assert_left_to_the_parser(HEAD "[2.0,1],[1.0,1]]}");
	assert_left_to_the_parser(HEAD "[1.0123456789012345678,1]]}");
	assert_left_to_the_parser(HEAD "[1.0,12345678901234567890]]}");
	assert_left_to_the_parser(HEAD "[1.0,1],[");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_kept_to_three_digits),
		cmocka_unit_test(percentiles_are_printed_as_hdrhistogram_does),
		cmocka_unit_test(nothing_is_printed_as_nothing),
		cmocka_unit_test(lines_of_our_own_form_are_read),
		cmocka_unit_test(all_others_are_left_to_the_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
