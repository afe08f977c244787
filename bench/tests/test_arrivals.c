#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"
#include "schedule.h"

#define TICKS_PER_S 2096063123.0 /* a prime number of them, nearly: no rate divides it */

static struct cell open_cell(enum arrival arrival, uint64_t burst, uint64_t gap_ns, unsigned producers)
{
	return (struct cell){.queue = queue_find("ring"), .load = LOAD_OPEN, .arrival = arrival, .burst = burst, .gap_ns = gap_ns,
			     .producers = producers, .consumers = 1};
}

/* When message i (from 0) is due, by long division. */
static uint64_t exact_due(uint64_t start, unsigned __int128 i, uint64_t numerator, uint64_t denominator)
{
	return start + (uint64_t)(i * numerator / denominator);
}

static void check_constant(uint64_t rate_per_s, uint64_t messages, bool each)
{
	struct cell cell = open_cell(ARRIVAL_CONSTANT, 0, 0, 1);
	uint64_t start = 123456789;
	struct arrivals arrivals;
	struct arriving state;

	schedule_make(&arrivals, &cell, 0, rate_per_s, TICKS_PER_S, 1);
	state = arrivals_begin(&arrivals, start);
	for (uint64_t i = 0; i < messages; i++) {
		if (each && state.due != exact_due(start, i, (uint64_t)TICKS_PER_S, rate_per_s))
			fail_msg("%llu/s: message %llu is due at %llu", (unsigned long long)rate_per_s, (unsigned long long)i,
				 (unsigned long long)state.due);
		arrivals_next(&arrivals, &state);
	}
	assert_true(state.due == exact_due(start, messages, (uint64_t)TICKS_PER_S, rate_per_s));
}

static void constant_arrivals_are_exact_at_odd_rates(void **state)
{
	static const uint64_t rates[] = {1, 3, 7, 999983, 1000000, 7654321, 123456789, 2096063123, 2096063124, 99999999977};

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		check_constant(rates[i], 1000000, true);
}

static void a_thousand_million_messages_do_not_drift(void **state)
{
	(void)state;
	check_constant(7654321, 1000000000, false);
}

/* Of a schedule that comes round in 2^64 ticks, differences alone count. */
static void a_start_near_the_top_is_none_too_late(void **state)
{
	struct cell cell = open_cell(ARRIVAL_CONSTANT, 0, 0, 1);
	struct arrivals arrivals;
	struct arriving near, low;
	uint64_t start = UINT64_MAX - 1000000000000;

	(void)state;
	schedule_make(&arrivals, &cell, 0, 1000, TICKS_PER_S, 1);
	near = arrivals_begin(&arrivals, start);
	low = arrivals_begin(&arrivals, 0);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(near.due - start, low.due);
		arrivals_next(&arrivals, &near);
		arrivals_next(&arrivals, &low);
	}
}

static void producers_take_turns(void **state)
{
	struct cell cell = open_cell(ARRIVAL_CONSTANT, 0, 0, 3);
	struct arrivals arrivals[3];
	struct arriving states[3];
	uint64_t last = 0;

	(void)state;
	for (unsigned p = 0; p < 3; p++) {
		schedule_make(&arrivals[p], &cell, p, 1000003, TICKS_PER_S, 1);
		states[p] = arrivals_begin(&arrivals[p], 0);
	}
	/* together they are one constant arrival at the whole rate, to a tick */
	for (uint64_t i = 0; i < 300000; i++) {
		struct arriving *next = &states[i % 3];
		uint64_t expected = exact_due(0, i, (uint64_t)TICKS_PER_S, 1000003);

		assert_true(next->due >= last && next->due + 1 >= expected && next->due <= expected + 1);
		last = next->due;
		arrivals_next(&arrivals[i % 3], next);
	}
}

static void a_burst_is_due_at_once_and_the_next_after_the_gap(void **state)
{
	struct cell gap = open_cell(ARRIVAL_BURST, 5, 1234567, 1), rate = open_cell(ARRIVAL_BURST, 5, 0, 1);
	struct arrivals arrivals;
	struct arriving now;

	(void)state;
	schedule_make(&arrivals, &gap, 0, 0, TICKS_PER_S, 1);
	now = arrivals_begin(&arrivals, 77);
	for (uint64_t i = 0; i < 100000; i++, arrivals_next(&arrivals, &now))
		assert_true(now.due == exact_due(77, (unsigned __int128)(i / 5) * 1234567, (uint64_t)TICKS_PER_S, 1000000000));
	schedule_make(&arrivals, &rate, 0, 999983, TICKS_PER_S, 1);
	now = arrivals_begin(&arrivals, 77);
	for (uint64_t i = 0; i < 100000; i++, arrivals_next(&arrivals, &now))
		assert_true(now.due == exact_due(77, i / 5, (uint64_t)TICKS_PER_S * 5, 999983));
	assert_true(schedule_rate(&gap, 0) == 5e9 / 1234567);
	assert_true(schedule_rate(&rate, 999983) == 999983);
	gap.producers = 3;
	assert_true(schedule_rate(&gap, 0) == 15e9 / 1234567);
}

/* A gap of an hour, one burst a second: nothing overflows. */
static void long_gaps_are_exact(void **state)
{
	struct cell cell = open_cell(ARRIVAL_BURST, 1, 3600000000000, 15);
	struct arrivals arrivals;
	struct arriving now;

	(void)state;
	schedule_make(&arrivals, &cell, 14, 0, 4999999999.0, 1);
	now = arrivals_begin(&arrivals, 0);
	assert_true(now.due == (uint64_t)((unsigned __int128)4999999999 * 3600 * 14 / 15));
	arrivals_next(&arrivals, &now);
	assert_true(now.due == (uint64_t)((unsigned __int128)4999999999 * 3600 * 29 / 15));
}

/* ---- Poisson ---- */

enum { DRAWS = 2000000 };

static void make_poisson(struct arrivals *arrivals, uint64_t rate_per_s, uint64_t seed)
{
	struct cell cell = open_cell(ARRIVAL_POISSON, 0, 0, 1);

	schedule_make(arrivals, &cell, 0, rate_per_s, TICKS_PER_S, seed);
}

/* Intervals have the mean and the variance of an exponential distribution, its tail, and no memory. Five standard deviations of what so
 * many draws may give; the seed is fixed. */
static void poisson_arrivals_are_exponential(void **state)
{
	struct arrivals arrivals;
	struct arriving now;
	double mean = TICKS_PER_S / 1000003, sum = 0, squares = 0, products = 0, last = 0;
	double n = DRAWS, beyond[4] = {0};

	(void)state;
	make_poisson(&arrivals, 1000003, 42);
	now = arrivals_begin(&arrivals, 0);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t before = now.due;
		double x;

		arrivals_next(&arrivals, &now);
		x = (double)(now.due - before) / mean;
		sum += x;
		squares += x * x;
		products += x * last;
		last = x;
		for (int k = 0; k < 4; k++)
			beyond[k] += x > 1 << k;
	}
	assert_true(fabs(sum / n - 1) < 5 / sqrt(n));
	assert_true(fabs(squares / n - (sum / n) * (sum / n) - 1) < 5 * sqrt(8 / n));
	assert_true(fabs(products / n - 1) < 5 * sqrt(3 / n));
	for (int k = 0; k < 4; k++) {
		double expected = exp(-(1 << k));

		assert_true(fabs(beyond[k] / n - expected) < 5 * sqrt(expected / n));
	}
}

/* Each variate is the logarithm of its random number, to three millionths of a doubling. */
static void variates_are_logarithms(void **state)
{
	struct arrivals arrivals;
	uint64_t random = 7, shadow = 7;
	double worst = 0, sum = 0;

	(void)state;
	make_poisson(&arrivals, 1000, 7);
	for (int i = 0; i < DRAWS; i++) {
		uint64_t z = shadow += 0x9e3779b97f4a7c15u, drawn = arrivals_draw(&arrivals, &random);
		long double error;

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
		z = (z ^ (z >> 31)) | 1;
		error = (long double)drawn / (1u << ARRIVALS_LOG_BITS) - (64 - log2l((long double)z));
		worst = fmax(worst, fabs((double)error));
		sum += (double)error;
	}
	assert_true(worst < 3e-6);
	assert_true(fabs(sum / DRAWS) < 1.5e-6);
}

static void poisson_arrivals_repeat_by_seed_and_differ_by_producer(void **state)
{
	struct cell cell = open_cell(ARRIVAL_POISSON, 0, 0, 2);
	struct arrivals arrivals[3];
	struct arriving states[3];
	unsigned same = 0;

	(void)state;
	schedule_make(&arrivals[0], &cell, 0, 1000, TICKS_PER_S, 5);
	schedule_make(&arrivals[1], &cell, 0, 1000, TICKS_PER_S, 5);
	schedule_make(&arrivals[2], &cell, 1, 1000, TICKS_PER_S, 5);
	for (int k = 0; k < 3; k++)
		states[k] = arrivals_begin(&arrivals[k], 1000);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(states[0].due, states[1].due);
		same += states[0].due == states[2].due;
		for (int k = 0; k < 3; k++)
			arrivals_next(&arrivals[k], &states[k]);
	}
	assert_int_equal(same, 0);
}

/* ---- stamps against the schedule ---- */

static void a_time_that_is_not_the_schedule_s_is_a_miss(void **state)
{
	enum { STAMPS = 100, EVERY = 7, FIRST = 12 };
	struct cell cell = open_cell(ARRIVAL_POISSON, 0, 0, 1);
	struct stamp at[STAMPS];
	uint64_t intended[STAMPS];
	struct stamps stamps = {.at = at, .outmost = intended, .count = STAMPS};
	struct arrivals arrivals;
	struct arriving now;

	(void)state;
	schedule_make(&arrivals, &cell, 0, 1000, TICKS_PER_S, 5);
	now = arrivals_begin(&arrivals, 99);
	for (uint64_t sequence = 1, i = 0; i < STAMPS; sequence++, arrivals_next(&arrivals, &now))
		if (sequence >= FIRST && (sequence - FIRST) % EVERY == 0) {
			at[i] = (struct stamp){sequence, now.due + 1, 0};
			intended[i++] = now.due;
		}
	assert_int_equal(schedule_misses(&arrivals, 99, &stamps), 0);
	intended[50]++;
	assert_int_equal(schedule_misses(&arrivals, 99, &stamps), 1);
	assert_int_equal(schedule_misses(&arrivals, 98, &stamps), STAMPS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constant_arrivals_are_exact_at_odd_rates),
		cmocka_unit_test(a_thousand_million_messages_do_not_drift),
		cmocka_unit_test(a_start_near_the_top_is_none_too_late),
		cmocka_unit_test(producers_take_turns),
		cmocka_unit_test(a_burst_is_due_at_once_and_the_next_after_the_gap),
		cmocka_unit_test(long_gaps_are_exact),
		cmocka_unit_test(poisson_arrivals_are_exponential),
		cmocka_unit_test(variates_are_logarithms),
		cmocka_unit_test(poisson_arrivals_repeat_by_seed_and_differ_by_producer),
		cmocka_unit_test(a_time_that_is_not_the_schedule_s_is_a_miss),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
