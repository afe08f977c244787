#include "each_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"

enum { TESTS_MAX = 256 };

/* Runs the queues' tests. Returns how many failed. */
static int run(const char *group, void (*test)(void **state), const struct queue *const *queues, size_t count)
{
	struct CMUnitTest tests[TESTS_MAX] = {{0}};

	for (size_t i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){.name = queues[i]->name, .test_func = test, .initial_state = (void *)(uintptr_t)queues[i]};
	return _cmocka_run_group_tests(group, tests, count, NULL, NULL);
}

int each_queue_run(const char *group, void (*test)(void **state), int argc, char **argv)
{
	const struct queue *queues[TESTS_MAX];
	size_t count = 0;

	for (; argc < 2 && queue_list[count]; count++) {
		assert_true(count < TESTS_MAX);
		queues[count] = queue_list[count];
	}
	for (int i = 1; i < argc && count < TESTS_MAX; i++) {
		queues[count] = queue_find(argv[i]);
		if (!queues[count++]) {
			fprintf(stderr, "%s: '%s' is no queue\n", argv[0], argv[i]);
			return 2;
		}
	}
	return run(group, test, queues, count);
}

void each_queue_run_cases(const struct queue *queue, struct verdict (*run_case)(const struct check_case *drawn))
{
	const struct check_plan plan = case_plan_of_tests();
	unsigned cases = 0;
	struct verdict verdict = case_run_all(queue, &plan, run_case, &cases);

	if (verdict.kind == VERDICT_FAILED)
		print_error("%s\n", verdict.text);
	assert_int_not_equal(verdict.kind, VERDICT_FAILED);
	assert_true(verdict.kind == VERDICT_NOT_APPLICABLE ? cases <= 1 : cases >= 32);
}
