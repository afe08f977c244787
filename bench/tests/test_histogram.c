#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "histogram.h"

static struct histogram *histogram_of(const int64_t *values, size_t count)
{
	struct histogram *histogram = histogram_new();

	assert_non_null(histogram);
	for (size_t i = 0; i < count; i++)
		histogram_add(histogram, values[i]);
	return histogram;
}

static size_t filled_bucket(const struct histogram *histogram)
{
	size_t found = HISTOGRAM_BUCKETS;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram->buckets[i]) {
			assert_int_equal(found, HISTOGRAM_BUCKETS);
			found = i;
		}
	return found;
}

/* Which bucket a value falls into, seen from outside. */
static size_t bucket_of(int64_t value)
{
	struct histogram *histogram = histogram_of(&value, 1);
	size_t bucket = filled_bucket(histogram);

	free(histogram);
	return bucket;
}

static void edges_ascend_without_a_gap(void **state)
{
	uint64_t before = UINT64_MAX;

	(void)state;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		uint64_t edge = histogram_upper_edge(i), width = edge - before;

		assert_true(i == 0 || edge > before);
		assert_true(width == 1 || (double)width / (double)(before + 1) <= 0.001);
		before = edge;
	}
	assert_int_equal(before, (UINT64_C(1) << HISTOGRAM_TOP_BITS) - 1);
}

static void a_value_lies_in_the_bucket_whose_edge_is_next(void **state)
{
	static const size_t buckets[] = {0, 1, 1023, 1024, 2046, 2047, 2048, 2049, 3071, 3072, 20000, HISTOGRAM_BUCKETS - 1};

	(void)state;
	for (size_t i = 0; i < sizeof(buckets) / sizeof(buckets[0]); i++) {
		int64_t edge = (int64_t)histogram_upper_edge(buckets[i]);

		assert_int_equal(bucket_of(edge), buckets[i]);
		if (buckets[i] + 1 < HISTOGRAM_BUCKETS)
			assert_int_equal(bucket_of(edge + 1), buckets[i] + 1);
	}
}

static void extremes_and_sum_are_exact(void **state)
{
	const int64_t values[] = {1000003, -7, 123456789, 2500000001, 55};
	struct histogram *histogram = histogram_of(values, 5);

	(void)state;
	assert_int_equal(histogram->count, 5);
	assert_int_equal(histogram->min, -7);
	assert_int_equal(histogram->max, 2500000001);
	assert_true(histogram->sum == (__int128)1000003 - 7 + 123456789 + 2500000001 + 55);
	free(histogram);
}

static void what_lies_below_zero_is_counted_and_not_clamped(void **state)
{
	const int64_t values[] = {-1, INT64_MIN / 2, 0, 1};
	struct histogram *histogram = histogram_of(values, 4);

	(void)state;
	assert_int_equal(histogram->below_zero, 2);
	assert_int_equal(histogram->min, INT64_MIN / 2);
	assert_int_equal(histogram->buckets[0], 1);
	assert_true(histogram_is_consistent(histogram));
	free(histogram);
}

static void what_lies_beyond_the_top_is_counted_and_stays_in_the_sum(void **state)
{
	const int64_t top = INT64_C(1) << HISTOGRAM_TOP_BITS, values[] = {top - 1, top, INT64_MAX};
	struct histogram *histogram = histogram_of(values, 3);

	(void)state;
	assert_int_equal(histogram->beyond, 2);
	assert_int_equal(histogram->max, INT64_MAX);
	assert_int_equal(filled_bucket(histogram), HISTOGRAM_BUCKETS - 1);
	assert_true(histogram->sum == (__int128)top - 1 + top + INT64_MAX);
	assert_true(histogram_is_consistent(histogram));
	free(histogram);
}

static void a_percentile_beyond_the_top_is_the_top(void **state)
{
	struct histogram *histogram = histogram_new();
	double ticks;

	(void)state;
	for (int i = 0; i < 100; i++)
		histogram_add(histogram, i < 20 ? 5 : INT64_C(1) << 50);
	assert_true(histogram_percentile(histogram, .5, &ticks));
	assert_true(ticks == (double)(UINT64_C(1) << HISTOGRAM_TOP_BITS));
	free(histogram);
}

static void a_percentile_below_zero_is_negative(void **state)
{
	struct histogram *histogram = histogram_new();
	double ticks;

	(void)state;
	for (int i = 0; i < 100; i++)
		histogram_add(histogram, i < 60 ? -30 - i : 5);
	assert_true(histogram_percentile(histogram, .5, &ticks));
	assert_true(ticks == -89);
	free(histogram);
}

static bool percentile_is_told(size_t count, double p)
{
	struct histogram *histogram = histogram_new();
	double ticks;
	bool told;

	for (size_t i = 0; i < count; i++)
		histogram_add(histogram, (int64_t)i);
	told = histogram_percentile(histogram, p, &ticks);
	free(histogram);
	return told;
}

static void a_percentile_needs_ten_values_beyond_it(void **state)
{
	(void)state;
	for (size_t count = 0; count < 20; count++)
		assert_false(percentile_is_told(count, .5));
	assert_true(percentile_is_told(20, .5));
	assert_false(percentile_is_told(999, .99));
	assert_true(percentile_is_told(1000, .99));
	assert_false(percentile_is_told(99999, .9999));
	assert_true(percentile_is_told(100000, .9999));
}

static int compare_values(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return a < b ? -1 : a > b;
}

/* Values of all magnitudes up to 2^39. */
static void random_values(int64_t *values, size_t count, unsigned seed)
{
	uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;

	for (size_t i = 0; i < count; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		values[i] = (int64_t)(x >> (25 + x % 39));
	}
}

static void percentiles_are_right_to_a_thousandth(void **state)
{
	static const double ps[] = {0, .01, .1, .25, .5, .75, .9, .99, .999};
	enum { COUNT = 20000 };
	int64_t *values = malloc(COUNT * sizeof(*values));

	(void)state;
	for (unsigned seed = 1; seed <= 10; seed++) {
		struct histogram *histogram;
		double ticks;

		random_values(values, COUNT, seed);
		histogram = histogram_of(values, COUNT);
		assert_true(histogram_is_consistent(histogram));
		qsort(values, COUNT, sizeof(values[0]), compare_values);
		assert_int_equal(histogram->min, values[0]);
		assert_int_equal(histogram->max, values[COUNT - 1]);
		for (size_t i = 0; i < sizeof(ps) / sizeof(ps[0]); i++) {
			size_t rank = ps[i] > 0 ? (size_t)(ps[i] * COUNT + .999999) : 1;
			double exact = (double)values[rank - 1];

			assert_true(histogram_percentile(histogram, ps[i], &ticks));
			assert_true(ticks >= exact && ticks <= exact * 1.001);
		}
		free(histogram);
	}
	free(values);
}

static void a_percentile_is_never_more_than_the_greatest(void **state)
{
	struct histogram *histogram = histogram_new();
	double ticks;

	(void)state;
	for (int i = 0; i < 30; i++)
		histogram_add(histogram, 1000000); /* its bucket ends at 1000447 */
	assert_true(histogram_percentile(histogram, .5, &ticks));
	assert_true(ticks == 1000000);
	free(histogram);
}

static void a_count_that_no_bucket_holds_is_inconsistent(void **state)
{
	const int64_t values[] = {1, 2, 3};
	struct histogram *histogram = histogram_of(values, 3);

	(void)state;
	histogram->buckets[2]--;
	assert_false(histogram_is_consistent(histogram));
	histogram->beyond++;
	assert_true(histogram_is_consistent(histogram));
	free(histogram);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(edges_ascend_without_a_gap),
		cmocka_unit_test(a_value_lies_in_the_bucket_whose_edge_is_next),
		cmocka_unit_test(extremes_and_sum_are_exact),
		cmocka_unit_test(what_lies_below_zero_is_counted_and_not_clamped),
		cmocka_unit_test(what_lies_beyond_the_top_is_counted_and_stays_in_the_sum),
		cmocka_unit_test(a_percentile_beyond_the_top_is_the_top),
		cmocka_unit_test(a_percentile_below_zero_is_negative),
		cmocka_unit_test(a_percentile_needs_ten_values_beyond_it),
		cmocka_unit_test(percentiles_are_right_to_a_thousandth),
		cmocka_unit_test(a_percentile_is_never_more_than_the_greatest),
		cmocka_unit_test(a_count_that_no_bucket_holds_is_inconsistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
