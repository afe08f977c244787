/* The small queues' real code under all schedules, in three memories; and, mutated, it must be refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "interleave/interleave_queue.h"
#include "interleave/litmus.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__) || __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
enum { SANITIZED = 1 }; /* these don't follow coroutines */
#else
enum { SANITIZED = 0 };
#endif

#define QUEUE(symbol, updates, all) extern const struct queue interleaved_##symbol;
#include "interleave/interleaved.def"
#undef QUEUE

struct subject {
	const char *symbol;
	const struct queue *queue;
	bool rests_on_updates; /* read-modify-writes */
	bool all;              /* its schedules are few enough to try each */
};

static const struct subject subjects[] = {
#define QUEUE(symbol, updates, all) {#symbol, &interleaved_##symbol, updates, all},
#include "interleave/interleaved.def"
#undef QUEUE
};

/* As small as a case may be and still wrap, fill up, run empty and be contended: each step more multiplies the schedules. */
static const struct interleave_case cases[] = {
	{.producers = 1, .consumers = 1, .messages = 3, .batch = 2, .capacity = 2, .looks = 3, .counter_start = UINT64_MAX - 1},
	{.producers = 1, .consumers = 1, .messages = 3, .batch = 1, .capacity = 1, .looks = 3},
	{.producers = 2, .consumers = 1, .messages = 1, .batch = 1, .capacity = 2, .looks = 2, .counter_start = UINT64_MAX},
	{.producers = 2, .consumers = 1, .messages = 2, .batch = 2, .capacity = 2, .looks = 1, .counter_start = UINT64_MAX - 1},
	{.producers = 1, .consumers = 2, .messages = 2, .batch = 1, .capacity = 2, .looks = 1, .counter_start = UINT64_MAX - 1},
	{.producers = 2, .consumers = 2, .messages = 1, .batch = 1, .capacity = 2, .looks = 1},
	/* from the stage to writing in place; the other way, and back */
	{.only = &interleaved_adaptive_turns, .producers = 1, .consumers = 1, .messages = 3, .batch = 1, .capacity = 1, .looks = 3,
	 .counter_start = 1},
	{.only = &interleaved_adaptive_turns, .producers = 1, .consumers = 1, .messages = 4, .batch = 1, .capacity = 1, .looks = 4,
	 .counter_start = 7, .many = true},
};

enum { CASES = sizeof(cases) / sizeof(cases[0]), EXECUTIONS_MOST = 20000, EXECUTIONS_ALL = 100000 };

static const char *const memory_names[] = {"sequential", "store buffers", "stores reordered"};
static const char *const mutant_names[] = {"as it is", "releases relaxed", "updates torn"};

static bool allows(const struct queue *queue, const struct interleave_case *one)
{
	const struct queue_traits *traits = &queue->traits;
	size_t capacity = one->capacity, lanes = one->producers * one->consumers;

	return (!one->only || one->only == queue) && (!traits->producers_max || one->producers <= traits->producers_max) &&
	       (!traits->consumers_max || one->consumers <= traits->consumers_max) &&
	       (!traits->lanes || capacity >= lanes) &&
	       (!traits->bounded || (capacity >= traits->capacity_min && (!traits->capacity_max || capacity <= traits->capacity_max)));
}

static void test_outcomes_are_those_of_the_memory(void **state)
{
	const struct litmus_test *test = *state;

	if (SANITIZED)
		skip();
	for (enum interleave_memory memory = INTERLEAVE_SEQUENTIAL; memory <= INTERLEAVE_REORDERED; memory++) {
		struct interleave_result result = litmus_run(test, memory);
		bool due = test->met_in >> memory & 1;

		if ((result.verdict.kind == VERDICT_FAILED) != due || (!due && !result.exhaustive))
			fail_msg("%s, %s: expected that the outcome is %smet, got: %s", test->name, memory_names[memory], due ? "" : "not ",
				 result.verdict.kind == VERDICT_FAILED ? result.verdict.text : "not met");
	}
}

static struct interleave_result run(const struct queue *queue, size_t index, enum interleave_memory memory, enum interleave_mutant mutant,
				    uint64_t most)
{
	const struct interleave_case *one = &cases[index];
	struct interleave_options options = {.memory = memory, .mutant = mutant, .most = most};
	struct interleave_result result = interleave_queue(queue, one, &options);

	print_message("%s, case %zu, %u:%u, %s, %s: %s; %llu executions%s\n", queue->name, index, one->producers, one->consumers,
		      memory_names[memory], mutant_names[mutant],
		      result.verdict.kind == VERDICT_PASSED ? "holds" : result.verdict.text, (unsigned long long)result.executions,
		      result.exhaustive ? ", all there are" : "");
	return result;
}

static void test_holds_under_all_schedules(void **state)
{
	const struct subject *subject = *state;
	unsigned failed = 0, ran = 0;

	if (SANITIZED)
		skip();
	for (size_t i = 0; i < CASES; i++)
		for (enum interleave_memory memory = INTERLEAVE_SEQUENTIAL; memory <= INTERLEAVE_REORDERED; memory++)
			if (allows(subject->queue, &cases[i])) {
				bool all = subject->all && !cases[i].many;
				struct interleave_result result = run(subject->queue, i, memory, INTERLEAVE_AS_IT_IS,
								      all ? EXECUTIONS_ALL : EXECUTIONS_MOST);

				failed += result.verdict.kind != VERDICT_PASSED || (all && !result.exhaustive);
				ran++;
			}
	assert_int_equal(failed, 0);
	assert_true(ran >= 3);
}

/* At least one case must tell. */
static void expect_refused(const struct queue *queue, enum interleave_memory memory, enum interleave_mutant mutant)
{
	unsigned refused = 0;

	if (SANITIZED)
		skip();
	for (size_t i = 0; i < CASES && !refused; i++)
		if (allows(queue, &cases[i]))
			refused += run(queue, i, memory, mutant, EXECUTIONS_MOST).verdict.kind == VERDICT_FAILED;
	assert_int_equal(refused, 1);
}

static void test_relaxed_releases_are_refused(void **state)
{
	const struct subject *subject = *state;

	expect_refused(subject->queue, INTERLEAVE_REORDERED, INTERLEAVE_RELAXED);
}

static void test_torn_updates_are_refused(void **state)
{
	const struct subject *subject = *state;

	if (!subject->rests_on_updates)
		skip();
	expect_refused(subject->queue, INTERLEAVE_SEQUENTIAL, INTERLEAVE_TORN);
}

/* In total store order releases cost nothing and relaxing them does nothing: what is left of the mutant is the barrier that is missing. */
static void test_without_membarrier_a_wake_up_is_lost(void **state)
{
	(void)state;
	expect_refused(&interleaved_ypipe_membarrier, INTERLEAVE_ORDERED, INTERLEAVE_RELAXED);
}

static void test_without_its_fence_a_staged_message_is_torn(void **state)
{
	(void)state;
	/* here, too, what is left of the mutant is what is missing */
	expect_refused(&interleaved_ring_nt, INTERLEAVE_ORDERED, INTERLEAVE_RELAXED);
	expect_refused(&interleaved_adaptive_staged, INTERLEAVE_ORDERED, INTERLEAVE_RELAXED);
	expect_refused(&interleaved_adaptive_turns, INTERLEAVE_ORDERED, INTERLEAVE_RELAXED);
}

int main(void)
{
	enum { SUBJECTS = sizeof(subjects) / sizeof(subjects[0]), TESTS = 3, LITMUS_MAX = 16 };
	static const struct {
		const char *name;
		CMUnitTestFunction function;
	} kinds[TESTS] = {
		{"holds under all schedules", test_holds_under_all_schedules},
		{"relaxed releases are refused", test_relaxed_releases_are_refused},
		{"torn updates are refused", test_torn_updates_are_refused},
	};
	struct CMUnitTest tests[TESTS * SUBJECTS + LITMUS_MAX + 2];
	char names[TESTS * SUBJECTS][96];
	size_t count = 0;

	for (const struct litmus_test *litmus = litmus_tests; litmus->name; litmus++) {
		assert_true(count < LITMUS_MAX);
		tests[count++] = (struct CMUnitTest){.name = litmus->name, .test_func = test_outcomes_are_those_of_the_memory,
						     .initial_state = (void *)(uintptr_t)litmus};
	}
	for (size_t i = 0; i < TESTS * SUBJECTS; i++) {
		snprintf(names[i], sizeof(names[i]), "%s: %s", subjects[i / TESTS].symbol, kinds[i % TESTS].name);
		tests[count++] = (struct CMUnitTest){.name = names[i], .test_func = kinds[i % TESTS].function,
						     .initial_state = (void *)(uintptr_t)&subjects[i / TESTS]};
	}
	tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_without_membarrier_a_wake_up_is_lost);
	tests[count++] = (struct CMUnitTest)cmocka_unit_test(test_without_its_fence_a_staged_message_is_torn);
	return _cmocka_run_group_tests("interleave", tests, count, NULL, NULL);
}
