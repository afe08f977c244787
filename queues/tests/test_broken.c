/* The checks, checked: each planted bug must be refused by those that are said to see it; without a bug the same ring passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "broken.h"
#include "conformance.h"
#include "histories.h"
#include "stress.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
enum { THREAD_SANITIZER = 1 };
#else
enum { THREAD_SANITIZER = 0 };
#endif

enum { CHECK_SECONDS = 60 };

/* Two seconds of the machine's without a move are a hang: right queues go through every few milliseconds. The first failure ends it: ten
 * rounds are for a machine that is so busy, or a sanitizer so slow, that threads seldom meet. */
static const struct check_plan plan = {.times = 10, .seed = 1, .watchdog_seconds = 2};
static const struct check_plan twin_plan = {.times = 1, .seed = 1, .watchdog_seconds = 30};

static struct verdict run_conformance(const struct queue *queue)
{
	struct verdict verdict = {.kind = VERDICT_PASSED};

	for (const struct conformance_check *check = conformance_checks; check->name; check++) {
		verdict = conformance_run(queue, check, CHECK_SECONDS);
		if (verdict.kind == VERDICT_FAILED)
			return verdict;
	}
	verdict.kind = VERDICT_PASSED;
	return verdict;
}

static void expect_failed(const char *by, const char *bug, struct verdict verdict)
{
	if (verdict.kind == VERDICT_FAILED)
		print_message("%s, seen by %s: %s\n", bug, by, verdict.text);
	else
		print_error("%s: not seen by %s\n", bug, by);
	assert_int_equal(verdict.kind, VERDICT_FAILED);
}

static void test_planted_bug_is_refused(void **state)
{
	const struct broken *broken = *state;
	unsigned cases = 0;

	if (broken->caught_by == BROKEN_BY_THREAD_SANITIZER && !THREAD_SANITIZER) {
		print_message("%s: x86 hides it; only ThreadSanitizer sees it\n", broken->bug);
		skip();
	}
	if (broken->caught_by & BROKEN_BY_CONFORMANCE)
		expect_failed("conformance", broken->bug, run_conformance(broken->queue));
	if (broken->caught_by & (BROKEN_BY_STRESS | BROKEN_BY_THREAD_SANITIZER))
		expect_failed("stress", broken->bug, case_run_all(broken->queue, &plan, stress_run, &cases));
	if (broken->caught_by & BROKEN_BY_HISTORIES) {
		struct verdict verdict = case_run_all(broken->queue, &plan, histories_run, &cases);

		expect_failed("histories", broken->bug, verdict);
		if (broken->called && !strstr(verdict.text, broken->called))
			fail_msg("%s: expected to be called '%s'", broken->bug, broken->called);
	}
}

static void test_without_a_bug_it_passes(void **state)
{
	const struct broken *broken = *state;
	unsigned cases = 0;
	struct verdict verdicts[] = {
		run_conformance(broken->queue),
		case_run_all(broken->queue, &twin_plan, stress_run, &cases),
		case_run_all(broken->queue, &twin_plan, histories_run, &cases),
	};

	for (size_t i = 0; i < sizeof(verdicts) / sizeof(*verdicts); i++) {
		if (verdicts[i].kind != VERDICT_PASSED)
			print_error("%s\n", verdicts[i].text);
		assert_int_equal(verdicts[i].kind, VERDICT_PASSED);
	}
}

int main(void)
{
	struct CMUnitTest tests[64] = {{0}};
	size_t count = 0;

	for (; broken_list[count].queue; count++) {
		assert_true(count < sizeof(tests) / sizeof(tests[0]));
		tests[count] = (struct CMUnitTest){.name = broken_list[count].bug,
						   .test_func = broken_list[count].caught_by ? test_planted_bug_is_refused :
											       test_without_a_bug_it_passes,
						   .initial_state = (void *)(uintptr_t)&broken_list[count]};
	}
	return _cmocka_run_group_tests("broken", tests, count, NULL, NULL);
}
