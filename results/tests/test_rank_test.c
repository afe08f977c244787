#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "rank_test.h"

/* Reference values are R's (4.2.2): without ties those of wilcox.test(a, b, exact = TRUE); with ties those of
 * coin::wilcox_test(v ~ group, distribution = "exact") 1.4-2 and of exactRankTests::wilcox.exact(a, b) 0.8-35, which agree in all digits
 * given; beyond RANK_TEST_EXACT values those of wilcox.test(a, b, exact = FALSE, correct = TRUE). */

enum { MANY = 100 };

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void check_p(double got, double wanted)
{
	if (!(fabs(got - wanted) <= 1e-12 * fmax(wanted, 1e-3)))
		fail_msg("p is %.15g and not %.15g", got, wanted);
}

/* Both ways: it does not matter which sample comes first. */
static void check_samples(const double *a, size_t a_n, const double *b, size_t b_n, double wanted)
{
	check_p(rank_test_p(a, a_n, b, b_n), wanted);
	check_p(rank_test_p(b, b_n, a, a_n), wanted);
}

static void p_without_ties_is_exact(void **state)
{
	const double six_a[] = { 10.1, 10.4, 9.8, 10.9, 10.0, 10.6 }, six_b[] = { 9.1, 9.9, 9.4, 9.7, 8.8, 10.2 };
	const double ten_a[] = { 61, 64, 58, 70, 63, 66, 59, 62, 68, 65 }, ten_b[] = { 57, 60, 55, 67, 56, 54, 69, 53, 52, 51 };
	const double five[] = { 1.5, 2.5, 8, 9, 12 }, nine[] = { 3, 4, 5, 6, 7, 10, 11, 13, 14 };
	double thirty_a[30], thirty_b[30];

	(void)state;
	check_samples(six_a, COUNT(six_a), six_b, COUNT(six_b), 0.025974025974026);
	check_samples(ten_a, COUNT(ten_a), ten_b, COUNT(ten_b), 0.0185433761285154);
	check_samples(five, COUNT(five), nine, COUNT(nine), 0.518481518481518);
	for (int i = 0; i < 30; i++) {
		thirty_a[i] = 2 * (i + 1);
		thirty_b[i] = 2 * (i + 1) + 13;
	}
	check_samples(thirty_a, 30, thirty_b, 30, 0.00960368659212712);
}

static void p_with_ties_is_exact(void **state)
{
	/* round trips as a clock that steps by 10 ns reads them */
	const double old[] = { 240.4, 250.5, 240.4, 260.5, 250.5, 240.4, 230.4, 250.5, 240.4, 240.4 };
	const double new[] = { 250.5, 260.5, 250.5, 270.5, 250.5, 260.5, 240.4, 260.5, 250.5, 280.6 };
	const double seven[] = { 1, 1, 2, 2, 3, 3, 3 }, eleven[] = { 2, 3, 3, 4, 4, 5, 5, 5, 5, 6, 6 };
	/* of two values it is Fisher's exact test: fisher.test(matrix(c(9, 1, 4, 6), 2)) gives the same */
	const double one_of_ten[] = { 0, 0, 0, 0, 0, 0, 0, 1, 0, 0 }, six_of_ten[] = { 1, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
	double thirty_a[30], thirty_b[30];

	(void)state;
	check_samples(old, COUNT(old), new, COUNT(new), 0.0139427136331161);
	check_samples(seven, COUNT(seven), eleven, COUNT(eleven), 0.00323655103066868);
	check_samples(one_of_ten, COUNT(one_of_ten), six_of_ten, COUNT(six_of_ten), 0.0572755417956656);
	for (int i = 0; i < 30; i++) {
		thirty_a[i] = (i + 1) / 3;
		thirty_b[i] = (i + 1) / 3 + 3;
	}
	check_samples(thirty_a, 30, thirty_b, 30, 0.000556649578981725);
}

static void p_of_many_values_is_approximate(void **state)
{
	double a[40], b[40];

	(void)state;
	for (int i = 0; i < 40; i++) {
		a[i] = 2 * (i + 1);
		b[i] = 2 * (i + 1) + 13;
	}
	check_samples(a, 40, b, 40, 0.0217349972116595); /* exact: 0.0211577568 */
	for (int i = 0; i < 40; i++) {
		a[i] = (i + 1) / 4;
		b[i] = (i + 1) / 4 + 2;
	}
	check_samples(a, 40, b, 40, 0.00598307666457352);
}

static void equal_values_tell_nothing(void **state)
{
	double same[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++)
		same[i] = 7;
	check_samples(same, 1, same, 1, 1);
	check_samples(same, 10, same, 10, 1);
	check_samples(same, MANY, same, MANY, 1);
}

static void samples_wholly_apart_have_the_least_p(void **state)
{
	double a[MANY], b[MANY];

	(void)state;
	for (int i = 0; i < MANY; i++) {
		a[i] = i;
		b[i] = 1000 + i;
	}
	check_samples(a, 6, b, 6, 0.00216450216450216);
	check_samples(a, 10, b, 10, 1.0825088224469e-05);
	for (size_t a_n = 1; a_n <= 40; a_n += 3)
		for (size_t b_n = 1; b_n <= 40; b_n += 3)
			check_p(rank_test_least_p(a_n, b_n), rank_test_p(a, a_n, b, b_n));
}

/* R: u[pmin(1, 2 * (1 - pwilcox(u - 1, n, m))) <= level], its least. */
static void needed_pairs_are_the_least_that_reach_a_level(void **state)
{
	(void)state;
	assert_int_equal(rank_test_needed_pairs(6, 6, 0.05), 31);
	assert_int_equal(rank_test_needed_pairs(10, 10, 0.05), 77);
	assert_int_equal(rank_test_needed_pairs(10, 10, 0.005), 87);
	assert_int_equal(rank_test_needed_pairs(20, 20, 0.05), 273);
	assert_int_equal(rank_test_needed_pairs(20, 20, 0.0005), 325);
	assert_int_equal(rank_test_needed_pairs(7, 12, 0.05), 66);
	assert_int_equal(rank_test_needed_pairs(12, 7, 0.05), 66);
	assert_int_equal(rank_test_needed_pairs(3, 3, 0.05), 0); /* at best 0.1 */
	assert_int_equal(rank_test_needed_pairs(6, 6, 0.001), 0);
}

/* The ordered pairs of these samples, against the p that they have. */
static void needed_pairs_agree_with_p(void **state)
{
	double a[MANY], b[MANY];

	(void)state;
	for (size_t n = 25; n <= MANY; n += 25) {
		size_t needed = rank_test_needed_pairs(n, n, 0.01), pairs = n * n;

		for (size_t i = 0; i < n; i++) {
			a[i] = (double)(2 * i);
			b[i] = (double)(2 * i + 2 * n + 1);
		}
		/* each step down of one b by 2 loses one pair */
		for (size_t k = 0; rank_test_p(a, n, b, n) <= 0.01; k = (k + 1) % n) {
			assert_true(pairs >= needed);
			b[k] -= 2;
			pairs = 0;
			for (size_t i = 0; i < n; i++)
				for (size_t j = 0; j < n; j++)
					pairs += a[i] < b[j];
		}
		assert_true(pairs < needed);
	}
}

static void more_tests_need_more_values(void **state)
{
	(void)state;
	assert_int_equal(rank_test_needed_values(1, 0.05), 4);   /* 2 / 70 */
	assert_int_equal(rank_test_needed_values(10, 0.05), 6);  /* 10 × 2 / 924; of 5: 10 × 2 / 252 */
	assert_int_equal(rank_test_needed_values(100, 0.05), 8); /* 100 × 2 / 12,870; of 7: 100 × 2 / 3,432 */
}

/* R: p.adjust(p, "holm") */
static void p_of_many_tests_are_adjusted_as_holm_says(void **state)
{
	double seven[] = { 0.01, 0.04, 0.03, 0.005, 0.9, 0.02, 0.02 };
	const double seven_adjusted[] = { 0.06, 0.1, 0.1, 0.035, 0.9, 0.1, 0.1 };
	double five[] = { 0.001, 0.6, 0.02, 0.012, 0.0499 };
	const double five_adjusted[] = { 0.005, 0.6, 0.06, 0.048, 0.0998 };

	(void)state;
	assert_int_equal(rank_test_adjust(seven, COUNT(seven)), 0);
	assert_int_equal(rank_test_adjust(five, COUNT(five)), 0);
	for (size_t i = 0; i < COUNT(seven); i++)
		check_p(seven[i], seven_adjusted[i]);
	for (size_t i = 0; i < COUNT(five); i++)
		check_p(five[i], five_adjusted[i]);
	assert_int_equal(rank_test_adjust(five, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(p_without_ties_is_exact),
		cmocka_unit_test(p_with_ties_is_exact),
		cmocka_unit_test(p_of_many_values_is_approximate),
		cmocka_unit_test(equal_values_tell_nothing),
		cmocka_unit_test(samples_wholly_apart_have_the_least_p),
		cmocka_unit_test(needed_pairs_are_the_least_that_reach_a_level),
		cmocka_unit_test(needed_pairs_agree_with_p),
		cmocka_unit_test(more_tests_need_more_values),
		cmocka_unit_test(p_of_many_tests_are_adjusted_as_holm_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
