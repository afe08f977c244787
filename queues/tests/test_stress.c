/* Contended stress of all queues but those of one thread. TWOPOINT_STRESS=N: N times as many messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "list.h"
#include "stress.h"

enum { WATCHDOG_SECONDS = 60 };

static unsigned stress_times(void)
{
	const char *given = getenv("TWOPOINT_STRESS");
	int times = given ? atoi(given) : 1;

	return times > 0 ? (unsigned)times : 1;
}

static void test_nothing_is_lost_twice_or_out_of_order(void **state)
{
	const struct queue *queue = *state;
	unsigned times = stress_times(), cases = 0;
	struct verdict verdict = stress_run_all(queue, times, WATCHDOG_SECONDS * times, &cases);

	if (verdict.kind != VERDICT_PASSED)
		print_error("%s\n", verdict.text);
	assert_int_equal(verdict.kind, VERDICT_PASSED);
	assert_true(queue->traits.one_thread ? cases == 0 : cases >= 32);
}

int main(void)
{
	struct CMUnitTest tests[256] = {{0}};
	size_t count = 0;

	for (; queue_list[count]; count++) {
		assert_true(count < sizeof(tests) / sizeof(tests[0]));
		tests[count] = (struct CMUnitTest){.name = queue_list[count]->name,
						   .test_func = test_nothing_is_lost_twice_or_out_of_order,
						   .initial_state = (void *)(uintptr_t)queue_list[count]};
	}
	return _cmocka_run_group_tests("stress", tests, count, NULL, NULL);
}
