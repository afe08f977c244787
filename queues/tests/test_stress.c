/* Contended stress of all queues but those of one thread. TWOPOINT_STRESS=N: N times as many cases; TWOPOINT_SEED=N: others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "list.h"
#include "stress.h"

static void test_nothing_is_lost_twice_or_out_of_order(void **state)
{
	const struct queue *queue = *state;
	const struct check_plan plan = case_plan_of_tests();
	unsigned cases = 0;
	struct verdict verdict = case_run_all(queue, &plan, stress_run, &cases);

	if (verdict.kind == VERDICT_FAILED)
		print_error("%s\n", verdict.text);
	assert_int_not_equal(verdict.kind, VERDICT_FAILED);
	assert_true(verdict.kind == VERDICT_NOT_APPLICABLE ? cases <= 1 : cases >= 32);
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
