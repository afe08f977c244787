#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fit.h"
#include <math.h>

static void close_to(double got, double expected)
{
	if (!(fabs(got - expected) <= 1e-9 * fabs(expected) + 1e-12))
		fail_msg("expected %.12g, got %.12g", expected, got);
}

static void an_exact_curve_is_found(void **state)
{
	const double b[] = { 1, 10, 100, 1000 }, t[] = { 103, 13, 4, 3.1 };
	struct fit fit;

	(void)state;
	assert_true(fit_inverse(&fit, b, t, 4));
	close_to(fit.a, 3);
	close_to(fit.c, 100);
	close_to(fit.r_squared, 1);
}

/* Twice as much at one end is no worse than at the other. */
static void errors_count_by_their_share_of_the_value(void **state)
{
	const double b[] = { 1, 2, 1e9 }, t[] = { 200, 50, 3 };
	const double weights[] = { 1 / 4e4, 1 / 2.5e3, 1 / 9.0 };
	struct fit fit;
	double by_a = 0, by_c = 0;

	(void)state;
	assert_true(fit_inverse(&fit, b, t, 3));
	/* where the weighted squares are least, both slopes are 0 */
	for (size_t i = 0; i < 3; i++) {
		by_a += weights[i] * (t[i] - fit.a - fit.c / b[i]);
		by_c += weights[i] * (t[i] - fit.a - fit.c / b[i]) / b[i];
	}
	assert_true(fabs(by_a) < 1e-12 && fabs(by_c) < 1e-12);
	assert_true(fit.r_squared > 0 && fit.r_squared < 1);
}

static void equal_times_are_all_a(void **state)
{
	const double b[] = { 1, 10, 100 }, t[] = { 7, 7, 7 };
	struct fit fit;

	(void)state;
	assert_true(fit_inverse(&fit, b, t, 3));
	close_to(fit.a, 7);
	close_to(fit.c, 0);
	close_to(fit.r_squared, 1);
}

static void what_any_curve_fits_is_no_fit(void **state)
{
	const double b[] = { 1, 10, 10, 1 }, t[] = { 7, 5, 6, 8 }, zero[] = { 1, 0, 3 }, three[] = { 1, 2, 3 };
	struct fit fit;

	(void)state;
	assert_false(fit_inverse(&fit, b, t, 4));
	assert_false(fit_inverse(&fit, b, t, 0));
	assert_false(fit_inverse(&fit, three, zero, 3));
	assert_false(fit_inverse(&fit, zero, three, 3));
}

static void a_curve_crosses_where_its_inverse_says(void **state)
{
	const double b[] = { 1, 10, 100 }, t[] = { 102, 12, 3 };

	(void)state;
	close_to(fit_crossing(b, t, 3, 7), 20); /* 2 + 100/b */
	close_to(fit_crossing(b, t, 3, 12), 10);
	close_to(fit_crossing(b, t, 3, 102), 1);
	close_to(fit_crossing(b, t, 3, 500), 1);
	assert_true(isinf(fit_crossing(b, t, 3, 2.9)));
}

static void only_the_last_crossing_is_for_good(void **state)
{
	const double b[] = { 1, 2, 10, 100 }, t[] = { 20, 5, 20, 10 };
	double at = fit_crossing(b, t, 4, 15);

	(void)state;
	assert_true(at > 10 && at < 100);
	assert_true(isinf(fit_crossing(b, t, 3, 15)));
}

static void the_unknown_crosses_nowhere(void **state)
{
	const double b[] = { 1, 10 }, t[] = { NAN, 3 }, known[] = { 5, 3 };

	(void)state;
	assert_true(isnan(fit_crossing(b, t, 2, 4)));
	assert_true(isnan(fit_crossing(b, known, 2, NAN)));
	assert_true(isnan(fit_crossing(b, known, 0, 4)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_exact_curve_is_found),
		cmocka_unit_test(errors_count_by_their_share_of_the_value),
		cmocka_unit_test(equal_times_are_all_a),
		cmocka_unit_test(what_any_curve_fits_is_no_fit),
		cmocka_unit_test(a_curve_crosses_where_its_inverse_says),
		cmocka_unit_test(only_the_last_crossing_is_for_good),
		cmocka_unit_test(the_unknown_crosses_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
