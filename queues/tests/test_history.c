/* Handmade histories: each pattern is seen, and what looks much like it but may well be is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "history.h"
#include "rig.h"

#define PUT(producer, value, begin, end) {begin, end, value, HISTORY_ENQUEUE, producer}
#define TOOK(consumer, value, begin, end) {begin, end, value, HISTORY_DEQUEUE, consumer}
#define NOTHING(consumer, begin, end) {begin, end, 0, HISTORY_EMPTY, consumer}

static const struct queue_traits total = {.order = QUEUE_ORDER_TOTAL, .progress = QUEUE_LOCK_FREE};
static const struct queue_traits per_producer = {.order = QUEUE_ORDER_PER_PRODUCER, .progress = QUEUE_LOCK_FREE};
static const struct queue_traits unordered = {.order = QUEUE_ORDER_NONE, .progress = QUEUE_LOCK_FREE};
static const struct queue_traits lossy = {.order = QUEUE_ORDER_TOTAL, .progress = QUEUE_WAIT_FREE, .lossy = true};
static const struct queue_traits multicast = {.order = QUEUE_ORDER_TOTAL, .progress = QUEUE_WAIT_FREE, .multicast = true};
static const struct queue_traits lanes = {.order = QUEUE_ORDER_PER_PRODUCER, .progress = QUEUE_WAIT_FREE, .lanes = true};
static const struct queue_traits by_kernel = {.order = QUEUE_ORDER_TOTAL, .progress = QUEUE_BLOCKING, .kernel_buffer = true};
static const struct queue_traits waits = {.order = QUEUE_ORDER_TOTAL, .progress = QUEUE_WAITS_FOR_PREEMPTED};

static enum history_pattern pattern(const struct queue_traits *traits, bool drained,
				    const struct history_operation *operations, size_t count)
{
	const struct history history = {.operations = operations, .count = count, .consumers = 2, .drained = drained};
	struct history_violation violation;
	char text[400];

	assert_int_equal(history_check(&history, traits, &violation), 0);
	if (violation.pattern != HISTORY_FINE)
		print_message("%s\n", history_violation_text(&violation, text, sizeof(text)));
	return violation.pattern;
}

#define EXPECT(expected, traits, drained, ...)                                                                         \
	do {                                                                                                           \
		const struct history_operation operations_[] = {__VA_ARGS__};                                          \
                                                                                                                       \
		assert_int_equal(pattern(traits, drained, operations_, sizeof(operations_) / sizeof(*operations_)), expected); \
	} while (0)

static void test_an_ordinary_history_is_fine(void **state)
{
	(void)state;
	assert_int_equal(pattern(&total, true, NULL, 0), HISTORY_FINE);
	EXPECT(HISTORY_FINE, &total, true, NOTHING(0, 1, 2), PUT(0, 7, 3, 4), TOOK(0, 7, 5, 6), NOTHING(0, 7, 8));
	/* all at once: any order explains it */
	EXPECT(HISTORY_FINE, &total, true, PUT(0, 7, 1, 9), PUT(1, 8, 1, 9), TOOK(0, 8, 1, 9), TOOK(1, 7, 1, 9), NOTHING(0, 1, 9));
}

static void test_a_value_from_nowhere(void **state)
{
	(void)state;
	EXPECT(HISTORY_FROM_NOWHERE, &unordered, false, PUT(0, 7, 1, 2), TOOK(0, 8, 3, 4));
	EXPECT(HISTORY_FROM_NOWHERE, &lossy, false, PUT(0, 7, 3, 4), TOOK(0, 7, 1, 2));
	EXPECT(HISTORY_FINE, &total, false, PUT(0, 7, 2, 4), TOOK(0, 7, 1, 3));
}

static void test_a_value_twice(void **state)
{
	(void)state;
	EXPECT(HISTORY_TWICE, &unordered, false, PUT(0, 7, 1, 2), TOOK(0, 7, 3, 4), TOOK(1, 7, 3, 4));
	EXPECT(HISTORY_TWICE, &lossy, false, PUT(0, 7, 1, 2), TOOK(0, 7, 3, 4), TOOK(0, 7, 5, 6));
	EXPECT(HISTORY_FINE, &multicast, true, PUT(0, 7, 1, 2), TOOK(0, 7, 3, 4), TOOK(1, 7, 3, 4));
	EXPECT(HISTORY_TWICE, &multicast, true, PUT(0, 7, 1, 2), TOOK(0, 7, 3, 4), TOOK(1, 7, 3, 4), TOOK(1, 7, 5, 6));
}

static void test_a_value_lost(void **state)
{
	(void)state;
	EXPECT(HISTORY_LOST, &unordered, true, PUT(0, 7, 1, 2), PUT(0, 8, 1, 2), TOOK(0, 7, 3, 4));
	EXPECT(HISTORY_FINE, &unordered, false, PUT(0, 7, 1, 2), PUT(0, 8, 1, 2), TOOK(0, 7, 3, 4));
	EXPECT(HISTORY_FINE, &lossy, true, PUT(0, 7, 1, 2), PUT(0, 8, 1, 2), TOOK(0, 7, 3, 4));
	EXPECT(HISTORY_LOST, &multicast, true, PUT(0, 7, 1, 2), TOOK(0, 7, 3, 4));
}

static void test_inverted_order_of_two_producers(void **state)
{
	(void)state;
	EXPECT(HISTORY_INVERTED, &total, true, PUT(0, 7, 1, 2), PUT(1, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(1, 7, 7, 8));
	EXPECT(HISTORY_INVERTED, &lossy, true, PUT(0, 7, 1, 2), PUT(1, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(0, 7, 7, 8));
	/* they overlap at one end or the other */
	EXPECT(HISTORY_FINE, &total, true, PUT(0, 7, 1, 3), PUT(1, 8, 2, 4), TOOK(0, 8, 5, 6), TOOK(1, 7, 7, 8));
	EXPECT(HISTORY_FINE, &total, true, PUT(0, 7, 1, 2), PUT(1, 8, 3, 4), TOOK(0, 8, 5, 7), TOOK(1, 7, 6, 8));
	/* no order is promised between producers, or at all */
	EXPECT(HISTORY_FINE, &per_producer, true, PUT(0, 7, 1, 2), PUT(1, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(0, 7, 7, 8));
	EXPECT(HISTORY_FINE, &unordered, true, PUT(0, 7, 1, 2), PUT(0, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(0, 7, 7, 8));
}

static void test_inverted_order_of_one_producer(void **state)
{
	(void)state;
	EXPECT(HISTORY_INVERTED, &per_producer, true, PUT(0, 7, 1, 2), PUT(0, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(0, 7, 7, 8));
	/* each consumer by itself */
	EXPECT(HISTORY_FINE, &per_producer, true, PUT(0, 7, 1, 2), PUT(0, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(1, 7, 7, 8));
	EXPECT(HISTORY_INVERTED, &multicast, true, PUT(0, 7, 1, 2), PUT(0, 8, 3, 4), TOOK(0, 7, 5, 6), TOOK(0, 8, 7, 8),
	       TOOK(1, 8, 5, 6), TOOK(1, 7, 7, 8));
}

static void test_inverted_order_within_one_preread(void **state)
{
	(void)state;
	EXPECT(HISTORY_INVERTED, &total, true, PUT(0, 7, 1, 2), PUT(1, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(0, 7, 5, 6));
	EXPECT(HISTORY_FINE, &total, true, PUT(0, 7, 1, 2), PUT(1, 8, 3, 4), TOOK(0, 7, 5, 6), TOOK(0, 8, 5, 6));
	/* of two consumers nothing says which of them came first */
	EXPECT(HISTORY_FINE, &total, true, PUT(0, 7, 1, 2), PUT(1, 8, 3, 4), TOOK(0, 8, 5, 6), TOOK(1, 7, 5, 6));
}

static void test_a_false_empty_beside_one_value(void **state)
{
	(void)state;
	EXPECT(HISTORY_FALSE_EMPTY, &total, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 4), TOOK(0, 7, 5, 6));
	EXPECT(HISTORY_FALSE_EMPTY, &per_producer, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 4), TOOK(1, 7, 5, 6));
	EXPECT(HISTORY_FALSE_EMPTY, &unordered, false, PUT(0, 7, 1, 2), NOTHING(0, 3, 4));
	EXPECT(HISTORY_FALSE_EMPTY, &total, false, PUT(0, 7, 1, 2), NOTHING(0, 3, 4));
	/* its enqueue, its dequeue may take effect after, before the look */
	EXPECT(HISTORY_FINE, &total, true, PUT(0, 7, 1, 4), NOTHING(0, 3, 5), TOOK(0, 7, 6, 7));
	EXPECT(HISTORY_FINE, &per_producer, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 5), TOOK(1, 7, 4, 6));
	EXPECT(HISTORY_FINE, &per_producer, true, PUT(0, 7, 1, 2), NOTHING(0, 4, 5), TOOK(1, 7, 3, 6));
	/* such queues may */
	EXPECT(HISTORY_FINE, &waits, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 4), TOOK(0, 7, 5, 6));
	EXPECT(HISTORY_FINE, &lossy, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 4), TOOK(0, 7, 5, 6));
	EXPECT(HISTORY_FINE, &by_kernel, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 4), TOOK(0, 7, 5, 6));
}

static void test_a_false_empty_of_the_consumer_that_a_lane_leads_to(void **state)
{
	(void)state;
	EXPECT(HISTORY_FALSE_EMPTY, &lanes, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 4), TOOK(0, 7, 5, 6));
	EXPECT(HISTORY_FINE, &lanes, true, PUT(0, 7, 1, 2), NOTHING(1, 3, 4), TOOK(0, 7, 5, 6));
}

static void test_a_false_empty_of_one_consumer_of_a_multicast_queue(void **state)
{
	(void)state;
	EXPECT(HISTORY_FINE, &multicast, true, PUT(0, 7, 1, 2), TOOK(0, 7, 3, 4), NOTHING(0, 5, 6), TOOK(1, 7, 7, 8));
	EXPECT(HISTORY_FALSE_EMPTY, &multicast, true, PUT(0, 7, 1, 2), TOOK(0, 7, 3, 4), NOTHING(1, 5, 6), TOOK(1, 7, 7, 8));
}

static void test_a_false_empty_beside_values_that_take_turns(void **state)
{
	(void)state;
	/* 7 is in until 8 is: only one order of all rules that out */
	EXPECT(HISTORY_FALSE_EMPTY, &total, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 8), PUT(0, 8, 4, 5), TOOK(1, 7, 6, 7), TOOK(1, 8, 9, 10));
	EXPECT(HISTORY_FINE, &per_producer, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 8), PUT(0, 8, 4, 5), TOOK(1, 7, 6, 7),
	       TOOK(1, 8, 9, 10));
	/* an instant without either */
	EXPECT(HISTORY_FINE, &total, true, PUT(0, 7, 1, 2), NOTHING(0, 3, 8), TOOK(1, 7, 4, 6), PUT(0, 8, 5, 7), TOOK(1, 8, 9, 10));
}

static void test_a_value_that_is_put_twice_is_no_history(void **state)
{
	const struct history_operation operations[] = {PUT(0, 7, 1, 2), PUT(0, 7, 3, 4)};
	const struct history history = {.operations = operations, .count = 2, .consumers = 1};
	struct history_violation violation;

	(void)state;
	assert_int_equal(history_check(&history, &total, &violation), -22 /* −EINVAL */);
}

/* A queue of one order, run in steps: each operation takes effect at a random instant of its own; operations last until after others began.
 * Then the same made wrong, which n log n must see as n² does. */
enum { STEPS = 120 };

static size_t simulate(struct history_operation *operations, uint64_t *seed)
{
	uint64_t queue[STEPS], head = 0, tail = 0;

	for (uint64_t i = 0; i < STEPS; i++) {
		uint64_t instant = 100 * (i + 1), before = random_next(seed) % 250, after = random_next(seed) % 250;
		struct history_operation *operation = &operations[i];

		*operation = (struct history_operation){.begin = instant - (before < instant ? before : 0), .end = instant + after};
		operation->endpoint = (unsigned)(random_next(seed) % 2);
		if (random_next(seed) % 2) {
			operation->kind = HISTORY_ENQUEUE;
			operation->value = queue[tail] = tail + 1;
			tail++;
		} else {
			operation->kind = head == tail ? HISTORY_EMPTY : HISTORY_DEQUEUE;
			operation->value = head == tail ? 0 : queue[head++];
		}
	}
	return STEPS;
}

static const struct history_operation *find(const struct history_operation *operations, enum history_kind kind, uint64_t value)
{
	for (size_t i = 0; i < STEPS; i++)
		if (operations[i].kind == kind && operations[i].value == value)
			return &operations[i];
	return NULL;
}

/* By the definitions, pair by pair; of a history whose values all are founded. */
static enum history_pattern judge_slowly(const struct history_operation *operations)
{
	for (size_t i = 0; i < STEPS; i++)
		for (size_t j = 0; j < STEPS; j++) {
			const struct history_operation *a = &operations[i], *b = &operations[j], *took_a, *took_b;

			if (a->kind != HISTORY_ENQUEUE || b->kind != HISTORY_ENQUEUE || a->end >= b->begin)
				continue;
			took_a = find(operations, HISTORY_DEQUEUE, a->value);
			took_b = find(operations, HISTORY_DEQUEUE, b->value);
			if (took_a && took_b && (took_b->end < took_a->begin || (took_a->endpoint == took_b->endpoint && took_b < took_a)))
				return HISTORY_INVERTED;
		}
	for (size_t i = 0; i < STEPS; i++) {
		bool covered = operations[i].kind == HISTORY_EMPTY;

		/* at each instant of it, and those are whole numbers, some value is in */
		for (uint64_t at = operations[i].begin; covered && at <= operations[i].end; at++) {
			covered = false;
			for (size_t j = 0; j < STEPS && !covered; j++) {
				const struct history_operation *took = find(operations, HISTORY_DEQUEUE, operations[j].value);

				covered = operations[j].kind == HISTORY_ENQUEUE && operations[j].end < at && (!took || took->begin > at);
			}
		}
		if (covered)
			return HISTORY_FALSE_EMPTY;
	}
	return HISTORY_FINE;
}

/* Exchanges what two operations of consumers took, or has one of them find nothing. Some are so near each other that it may well be. */
static void falsify(struct history_operation *operations, uint64_t *seed)
{
	size_t one = random_next(seed) % STEPS, other = (one + 1 + random_next(seed) % 8) % STEPS;
	struct history_operation *a = &operations[one], *b = &operations[other];
	enum history_kind kind = a->kind;
	uint64_t value = a->value;

	if (a->kind == HISTORY_ENQUEUE || b->kind == HISTORY_ENQUEUE)
		return;
	a->kind = b->kind;
	a->value = b->value;
	b->kind = random_next(seed) % 2 ? kind : HISTORY_EMPTY;
	b->value = b->kind == HISTORY_EMPTY ? 0 : value;
}

static void test_a_simulated_queue_is_judged_as_the_definitions_do(void **state)
{
	struct history_operation operations[STEPS];
	unsigned seen[HISTORY_FALSE_EMPTY + 1] = {0};
	uint64_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 600; round++) {
		const struct history history = {.operations = operations, .count = simulate(operations, &seed), .consumers = 2};
		struct history_violation violation;

		if (round % 2)
			falsify(operations, &seed);
		assert_int_equal(history_check(&history, &total, &violation), 0);
		if (violation.pattern != HISTORY_FROM_NOWHERE)
			assert_int_equal(violation.pattern, judge_slowly(operations));
		assert_true(round % 2 || violation.pattern == HISTORY_FINE);
		seen[violation.pattern]++;
	}
	assert_true(seen[HISTORY_FINE] >= 300 && seen[HISTORY_INVERTED] && seen[HISTORY_FALSE_EMPTY]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_ordinary_history_is_fine),
		cmocka_unit_test(test_a_value_from_nowhere),
		cmocka_unit_test(test_a_value_twice),
		cmocka_unit_test(test_a_value_lost),
		cmocka_unit_test(test_inverted_order_of_two_producers),
		cmocka_unit_test(test_inverted_order_of_one_producer),
		cmocka_unit_test(test_inverted_order_within_one_preread),
		cmocka_unit_test(test_a_false_empty_beside_one_value),
		cmocka_unit_test(test_a_false_empty_of_the_consumer_that_a_lane_leads_to),
		cmocka_unit_test(test_a_false_empty_of_one_consumer_of_a_multicast_queue),
		cmocka_unit_test(test_a_false_empty_beside_values_that_take_turns),
		cmocka_unit_test(test_a_value_that_is_put_twice_is_no_history),
		cmocka_unit_test(test_a_simulated_queue_is_judged_as_the_definitions_do),
	};

	return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
