/* What counts as a hang: no move while the machine would have let the threads go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "patience.h"

enum { LIMIT_NS = 30000000, LOOKS_MAX = 100000 };

static void pass_asleep(void)
{
	const struct timespec moment = {.tv_nsec = 1000000};

	nanosleep(&moment, NULL);
}

static void pass_busy(void)
{
	for (volatile unsigned i = 0; i < 1000000; i++)
		;
}

/* Looks so often until it ends, if it does. */
static unsigned looks_until_it_ends(void (*pass)(void), unsigned move_every, unsigned most)
{
	struct patience patience = patience_begin(LIMIT_NS);
	unsigned looks = 0;

	while (looks++ < most) {
		pass();
		if (patience_ends(&patience, move_every ? looks / move_every : 0))
			return looks;
	}
	return 0;
}

static void test_all_asleep_is_a_hang(void **state)
{
	(void)state;
	assert_int_not_equal(looks_until_it_ends(pass_asleep, 0, LOOKS_MAX), 0);
}

static void test_running_in_vain_is_a_hang(void **state)
{
	(void)state;
	assert_int_not_equal(looks_until_it_ends(pass_busy, 0, LOOKS_MAX), 0);
}

static void test_what_moves_on_however_slowly_is_none(void **state)
{
	(void)state;
	assert_int_equal(looks_until_it_ends(pass_asleep, 1, 200), 0);
	assert_int_equal(looks_until_it_ends(pass_busy, 1, 200), 0);
}

static void test_a_stopped_process_has_hung_for_a_second_at_most(void **state)
{
	struct patience patience = patience_begin(UINT64_C(2000000000));

	(void)state;
	patience.wall_ns -= UINT64_C(3600000000000); /* as if an hour had passed since the last look */
	assert_false(patience_ends(&patience, 0));
	assert_true(patience.counted_ns <= 1000000000);
}

static void test_time_that_others_had_the_cpu_does_not_count(void **state)
{
	(void)state;
	assert_int_equal(patience_counted(100, 0, 0), 100);  /* all asleep */
	assert_int_equal(patience_counted(100, 0, 100), 0);  /* one was ready, and did not run */
	assert_int_equal(patience_counted(100, 20, 80), 20); /* one ran for a fifth */
	assert_int_equal(patience_counted(100, 25, 700), 25); /* of eight that poll, others left them a quarter of a CPU */
	assert_int_equal(patience_counted(100, 200, 600), 100); /* eight poll on two CPUs of their own */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_asleep_is_a_hang),
		cmocka_unit_test(test_running_in_vain_is_a_hang),
		cmocka_unit_test(test_what_moves_on_however_slowly_is_none),
		cmocka_unit_test(test_a_stopped_process_has_hung_for_a_second_at_most),
		cmocka_unit_test(test_time_that_others_had_the_cpu_does_not_count),
	};

	return cmocka_run_group_tests_name("patience", tests, NULL, NULL);
}
