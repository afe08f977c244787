#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "change_point.h"
#include "noise.h"

enum { MANY = 100 };

static void the_niles_flow_changes_in_1899(void **state)
{
	/* Cobb (1978): the yearly flow at Aswan from 1871 on, in 10^8 m^3. Its 28 first values, to 1898, are the higher ones: what
	 * everybody finds who looks for one change in it. */
	static const double nile[] = {
		1120, 1160, 963,  1210, 1160, 1160, 813,  1230, 1370, 1140, 995, 935, 1110, 994, 1020, 960, 1180, 799, 958, 1140,
		1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,  874, 694, 940,  833, 701,  916, 692,  1020, 1050, 969,
		831,  726,  456,  824,  702,  1120, 1100, 832,  764,  821,  768, 845, 864,  862, 698,  845, 744,  796, 1040, 759,
		781,  865,  845,  944,  984,  897,  822,  1010, 771,  676,  649, 846, 812,  742, 801,  1040, 860, 874, 848, 890,
		744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,  1020, 906, 901, 1170, 912, 746, 919, 718, 714, 740,
	};
	struct change_point point;

	(void)state;
	assert_int_equal(sizeof(nile) / sizeof(nile[0]), MANY);
	assert_true(change_point_find(nile, MANY, 1, &point));
	assert_int_equal(point.at, 28);
	assert_true(point.p == 1.0 / 20000); /* no order that was drawn came near */
}

/* Of ten different values, all orders whose five lowest come first or last have Pettitt's greatest K, 25; no other has: 2 × 5! × 5! of 10!.
 */
static void p_of_the_clearest_change_is_what_counting_gives(void **state)
{
	const double rising[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, falling[] = { 9, 10, 8, 7, 6, 2, 5, 1, 3, 4 };
	const double exact = 2.0 / 252;
	struct change_point point;

	(void)state;
	assert_true(change_point_find(rising, 10, 1, &point));
	assert_int_equal(point.at, 5);
	assert_true(fabs(point.p - exact) < 4 * exact / sqrt(50));
	assert_true(change_point_find(falling, 10, 2, &point));
	assert_int_equal(point.at, 5);
	assert_true(fabs(point.p - exact) < 4 * exact / sqrt(50));
}

static void too_few_values_and_equal_ones_have_no_change(void **state)
{
	const double nine[] = { 1, 1, 1, 1, 9, 9, 9, 9, 9 }, equal[] = { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 };
	struct change_point point;

	(void)state;
	assert_false(change_point_find(nine, 9, 1, &point));
	assert_false(change_point_find(equal, 12, 1, &point));
	assert_false(change_point_find(NULL, 0, 1, &point));
}

static void one_wild_value_is_no_change(void **state)
{
	double values[20];
	struct change_point point;

	(void)state;
	for (size_t i = 0; i < 20; i++)
		values[i] = 100 + (double)(i * 7 % 20); /* in no order */
	values[12] = 1e9;
	assert_true(change_point_find(values, 20, 1, &point));
	assert_true(point.p > 0.05);
}

static void scale_and_shape_do_not_matter_and_the_same_seed_says_the_same(void **state)
{
	double values[30], logs[30];
	struct change_point a, b, c;
	uint64_t seed = 11;

	(void)state;
	for (size_t i = 0; i < 30; i++) {
		values[i] = (i < 12 ? 100 : 103) * (1 + 0.02 * noise_normal(&seed));
		logs[i] = exp(values[i] / 10);
	}
	assert_true(change_point_find(values, 30, 5, &a));
	assert_true(change_point_find(values, 30, 5, &b));
	assert_true(change_point_find(logs, 30, 5, &c));
	assert_true(a.at == b.at && a.p == b.p && a.at == c.at && a.p == c.p);
}

/* Of series without a change no more than 5 % have a p of 0.05 or less: 2,000 of each length and shape, three standard deviations of room.
 */
static void series_without_a_change_seldom_have_one(void **state)
{
	static const size_t lengths[] = { 10, 15, 40 };
	enum { SERIES = 2000 };
	double values[40];

	(void)state;
	for (int noise = 0; noise < NOISE_KINDS; noise++)
		for (size_t l = 0; l < 3; l++) {
			uint64_t seed = 1000 + l * 10 + (uint64_t)noise;
			unsigned found = 0;

			for (int i = 0; i < SERIES; i++) {
				struct change_point point;

				noise_fill(values, lengths[l], (enum noise)noise, 1000, 0.03, &seed);
				found += change_point_find(values, lengths[l], 1, &point) && point.p <= 0.05;
			}
			if (found > SERIES * 0.05 + 3 * sqrt(SERIES * 0.05 * 0.95))
				fail_msg("%u of %d series of %zu values, noise %s", found, SERIES, lengths[l], noise_names[noise]);
		}
}

/* And those with one of two standard deviations are found, where they are: 30 values, the change anywhere but at the ends. */
static void a_change_is_found_where_it_is(void **state)
{
	enum { SERIES = 200, LENGTH = 30 };
	uint64_t seed = 99;
	unsigned found = 0, near = 0;

	(void)state;
	for (int i = 0; i < SERIES; i++) {
		size_t at = 8 + (size_t)i % 15;
		double values[LENGTH];
		struct change_point point;

		for (size_t k = 0; k < LENGTH; k++)
			values[k] = (k < at ? 1000 : 1060) * (1 + 0.03 * noise_normal(&seed));
		if (!change_point_find(values, LENGTH, 1, &point) || point.p > 0.05)
			continue;
		found++;
		near += point.at + 2 >= at && point.at <= at + 2;
	}
	assert_true(found >= SERIES * 9 / 10);
	assert_true(near >= found * 8 / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_niles_flow_changes_in_1899),
		cmocka_unit_test(p_of_the_clearest_change_is_what_counting_gives),
		cmocka_unit_test(too_few_values_and_equal_ones_have_no_change),
		cmocka_unit_test(one_wild_value_is_no_change),
		cmocka_unit_test(scale_and_shape_do_not_matter_and_the_same_seed_says_the_same),
		cmocka_unit_test(series_without_a_change_seldom_have_one),
		cmocka_unit_test(a_change_is_found_where_it_is),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
