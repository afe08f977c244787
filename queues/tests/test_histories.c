/* Recorded histories of all queues but those of one thread. TWOPOINT_STRESS=N: N times as many cases; TWOPOINT_SEED=N: others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "histories.h"
#include "list.h"

static void test_one_order_explains_what_each_thread_saw(void **state)
{
	const struct queue *queue = *state;
	const struct check_plan plan = case_plan_of_tests();
	unsigned cases = 0;
	struct verdict verdict = case_run_all(queue, &plan, histories_run, &cases);

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
						   .test_func = test_one_order_explains_what_each_thread_saw,
						   .initial_state = (void *)(uintptr_t)queue_list[count]};
	}
	return _cmocka_run_group_tests("histories", tests, count, NULL, NULL);
}
