/* adaptive where it always writes by its stage, which of itself it does where that proved quicker, and where it goes to and fro: the same is
 * asked of it as of each queue. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "conformance.h"
#include "each_queue.h"
#include "stress.h"

enum { CHECK_SECONDS = 60 }; /* tells a hang from a slow machine */

extern const struct queue adaptive_staged, adaptive_turns;

static void demand_conformance(const struct queue *queue)
{
	unsigned failed = 0, passed = 0;

	for (const struct conformance_check *check = conformance_checks; check->name; check++) {
		struct verdict verdict = conformance_run(queue, check, CHECK_SECONDS);

		passed += verdict.kind == VERDICT_PASSED;
		failed += verdict.kind == VERDICT_FAILED;
		if (verdict.kind == VERDICT_FAILED)
			print_error("%s: %s\n", check->name, verdict.text);
	}
	assert_int_equal(failed, 0);
	assert_true(passed >= 10);
}

static void test_staged_it_conforms(void **state)
{
	(void)state;
	demand_conformance(&adaptive_staged);
}

static void test_to_and_fro_it_conforms(void **state)
{
	(void)state;
	demand_conformance(&adaptive_turns);
}

static void test_staged_it_stands_stress(void **state)
{
	(void)state;
	each_queue_run_cases(&adaptive_staged, stress_run);
}

static void test_to_and_fro_it_stands_stress(void **state)
{
	(void)state;
	each_queue_run_cases(&adaptive_turns, stress_run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_staged_it_conforms),
		cmocka_unit_test(test_to_and_fro_it_conforms),
		cmocka_unit_test(test_staged_it_stands_stress),
		cmocka_unit_test(test_to_and_fro_it_stands_stress),
	};

	return cmocka_run_group_tests_name("adaptive", tests, NULL, NULL);
}
