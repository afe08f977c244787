#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "clock.h"
#include "pin.h"

/* Counters of different CPUs may be apart. */
static int stay_on_one_cpu(void **state)
{
	char error[PIN_TEXT];
	size_t count;
	int *cpus, status;

	(void)state;
	if (pin_allowed(&cpus, &count))
		return -1;
	status = pin_self(cpus[0], error);
	free(cpus);
	return status;
}

static void readings_never_go_back(void **state)
{
	struct clock clock;
	uint64_t before;

	(void)state;
	clock_open(&clock, 1000000);
	before = clock_ticks_after(clock.source);
	for (int i = 0; i < 100000; i++) {
		uint64_t now = clock_ticks_after(clock.source);

		assert_true(now >= before);
		before = now;
	}
}

static void an_opened_clock_tells_all_about_itself(void **state)
{
	struct clock clock;

	(void)state;
	clock_open(&clock, 1000000);
	assert_true(clock.source == CLOCK_COUNTER || clock.source == CLOCK_SYSTEM);
	assert_true(clock.ticks_per_s > 0 && clock.quantum_ticks >= 1);
	assert_true(clock.read_ns >= 0 && clock.ordered_read_ns >= 0);
	assert_int_equal(clock.source == CLOCK_SYSTEM, clock.why[0] != 0);
	assert_true(strlen(clock_name(clock.source)) && strlen(clock_ordering(clock.source)));
}

static void the_system_clock_stands_in_for_the_counter(void **state)
{
	uint64_t before = clock_system_ns(CLOCK_MONOTONIC), ticks = clock_ticks(CLOCK_SYSTEM),
		 later = clock_ticks_after(CLOCK_SYSTEM), after = clock_system_ns(CLOCK_MONOTONIC);

	(void)state;
	assert_true(before <= ticks && ticks <= later && later <= after);
	assert_string_equal(clock_name(CLOCK_SYSTEM), "CLOCK_MONOTONIC");
	assert_string_equal(clock_ordering(CLOCK_SYSTEM), "clock_gettime");
}

static void a_pair_lies_within_its_width(void **state)
{
	(void)state;
	for (int source = CLOCK_COUNTER; source <= CLOCK_SYSTEM; source++) {
		clockid_t reference = source == CLOCK_SYSTEM ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW;
		uint64_t ticks_before = clock_ticks_after((enum clock_source)source), raw_before = clock_system_ns(reference);
		struct clock_pair pair = clock_read_pair((enum clock_source)source);
		uint64_t raw_after = clock_system_ns(reference), ticks_after = clock_ticks_after((enum clock_source)source);

		assert_true(ticks_before <= pair.ticks && pair.ticks <= ticks_after);
		assert_true(raw_before <= pair.raw_ns && pair.raw_ns <= raw_after);
		assert_true(pair.width_ticks <= ticks_after - ticks_before);
	}
}

static void the_rate_is_ticks_over_time(void **state)
{
	const struct clock_pair from = {.ticks = 1000, .raw_ns = 500}, to = {.ticks = 1000 + 2400000, .raw_ns = 500 + 1000000};

	(void)state;
	assert_true(clock_rate(&from, &to) == 2.4e9);
	assert_true(clock_ns(24, 2.4e9) > 9.999999 && clock_ns(24, 2.4e9) < 10.000001);
}

/* Differences of a clock that steps by `step` ticks, of 1 to 7 steps, whole ticks as a hypervisor's scaling gives them. */
static uint64_t quantum_of(double step, uint64_t least_steps)
{
	uint64_t differences[1000], steps = 0, before = 0;

	for (size_t i = 0; i < 1000; i++) {
		uint64_t now = (uint64_t)((double)(steps += least_steps + i % 7) * step);

		differences[i] = now - before;
		before = now;
	}
	differences[500] = 123456789; /* a stall */
	return clock_quantum(differences, 1000);
}

static void a_coarse_step_is_found(void **state)
{
	(void)state;
	assert_int_equal(quantum_of(42, 0), 42);
	assert_int_equal(quantum_of(36, 1), 36);
	assert_int_equal(quantum_of(100, 2), 100);
}

static void a_step_that_was_scaled_is_found(void **state)
{
	(void)state;
	assert_int_equal(quantum_of(24.45, 1), 25);
	assert_int_equal(quantum_of(20.96, 1), 21);
	assert_int_equal(quantum_of(10.22, 2), 11);
}

static void a_fine_clock_is_not_called_coarse(void **state)
{
	uint64_t differences[1000], x = 88172645463325252u;

	(void)state;
	for (size_t i = 0; i < 1000; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		differences[i] = 18 + x % 60;
	}
	assert_int_equal(clock_quantum(differences, 1000), 1);
	assert_int_equal(quantum_of(1, 0), 1);
}

static void a_clock_that_stands_still_has_no_step(void **state)
{
	const uint64_t differences[3] = {0};

	(void)state;
	assert_int_equal(clock_quantum(differences, 3), 1);
	assert_int_equal(clock_quantum(differences, 0), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_never_go_back),
		cmocka_unit_test(an_opened_clock_tells_all_about_itself),
		cmocka_unit_test(the_system_clock_stands_in_for_the_counter),
		cmocka_unit_test(a_pair_lies_within_its_width),
		cmocka_unit_test(the_rate_is_ticks_over_time),
		cmocka_unit_test(a_coarse_step_is_found),
		cmocka_unit_test(a_step_that_was_scaled_is_found),
		cmocka_unit_test(a_fine_clock_is_not_called_coarse),
		cmocka_unit_test(a_clock_that_stands_still_has_no_step),
	};

	return cmocka_run_group_tests(tests, stay_on_one_cpu, NULL);
}
