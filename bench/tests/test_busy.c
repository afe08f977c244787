#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "busy.h"

/* No step is left out, none is done twice: the number that comes out tells. */
static void all_steps_are_done(void **state)
{
	uint64_t x = 42;

	(void)state;
	assert_true(busy_work(42, 0) == 42);
	for (uint64_t steps = 1; steps <= 1000; steps++) {
		x = x * 0xd1342543de82ef95u + 1;
		assert_true(busy_work(42, steps) == x);
	}
	assert_true(busy_work(busy_work(42, 300), 700) == x);
}

static void whatever_is_asked_for_there_is_a_step(void **state)
{
	double took_ns = -1;

	(void)state;
	assert_int_equal(busy_calibrate(0, &took_ns), 1);
	assert_true(took_ns >= 0);
	assert_true(busy_calibrate(1000, &took_ns) >= 1);
	assert_true(took_ns > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_steps_are_done),
		cmocka_unit_test(whatever_is_asked_for_there_is_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
