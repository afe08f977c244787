/* What a trial may take before it is called hung grows with what it has to do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "list.h"
#include "watchdog.h"

static const uint64_t SECOND_NS = 1000000000, BEYOND_NS = 10 * UINT64_C(1000000000);

static struct cell cell_example(void)
{
	return (struct cell){
		.queue = queue_find("ring"), .workload = WORKLOAD_STREAM, .load = LOAD_SATURATE, .batch = 1, .message_bytes = 64,
		.capacity = 1024, .producers = 1, .consumers = 1, .prewrite = true, .preread = true, .cpus = {0, 1}, .wait = WAIT_SPIN,
		.duration_ns = 5000000, .warm_up_ns = 1000000, .stamps = STAMPS_NONE,
	};
}

static uint64_t own_ns(const struct cell *cell)
{
	return watchdog_limit_ns(cell, 1000, BEYOND_NS) - BEYOND_NS;
}

static void expect_at_least(uint64_t got_ns, uint64_t least_ns)
{
	if (got_ns < least_ns)
		fail_msg("expected %.3f s at least, got %.3f", (double)least_ns / 1e9, (double)got_ns / 1e9);
}

static void a_small_trial_has_little_more_than_its_duration(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	assert_in_range(own_ns(&cell), 6000000, 6000000 + SECOND_NS / 100);
}

static void memory_has_time_to_be_faulted_in(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	cell.message_bytes = 1 << 20;
	cell.capacity = 10240;
	expect_at_least(own_ns(&cell), 80 * SECOND_NS);
	cell = cell_example();
	cell.stamps = STAMPS_MESSAGE;
	cell.duration_ns = 10 * SECOND_NS; /* stamps fill what they may at both ends: 256 MiB each */
	expect_at_least(own_ns(&cell), 11 * SECOND_NS + SECOND_NS / 2);
}

static void a_count_of_messages_has_time_for_each(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	cell.duration_ns = 0;
	cell.messages = 100000;
	expect_at_least(own_ns(&cell), 2 * SECOND_NS);
	cell.work_ns = cell.think_ns = 1000000;
	expect_at_least(own_ns(&cell), 200 * SECOND_NS);
	cell = cell_example();
	cell.messages = 100000;
	cell.message_bytes = 1 << 20;
	cell.capacity = 1;
	expect_at_least(own_ns(&cell), 100 * SECOND_NS);
	cell.touch = TOUCH_HEAD;
	assert_in_range(own_ns(&cell), 2 * SECOND_NS, 3 * SECOND_NS);
}

static void what_is_queued_has_time_to_be_worked_off(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	cell.capacity = 1024;
	cell.work_ns = 50000000;
	expect_at_least(own_ns(&cell), 51 * SECOND_NS);
	cell.capacity = 0;
	cell.window = 65536;
	cell.work_ns = 1000000;
	expect_at_least(own_ns(&cell), 65 * SECOND_NS);
}

static void spinning_on_one_cpu_has_time_for_the_schedulers_slices(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	cell.duration_ns = 0;
	cell.messages = 1000;
	cell.cpus[1] = 0;
	expect_at_least(own_ns(&cell), 8 * SECOND_NS);
	cell.wait = WAIT_PARK;
	assert_in_range(own_ns(&cell), 0, SECOND_NS);
}

static void a_schedule_has_its_own_length(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	cell.duration_ns = 0;
	cell.messages = 100000;
	cell.load = LOAD_OPEN;
	cell.rate_per_s = 1000;
	expect_at_least(own_ns(&cell), 100 * SECOND_NS);
}

static void without_end_it_does_not_overflow(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	cell.duration_ns = 0;
	cell.messages = (uint64_t)1 << 62;
	expect_at_least(own_ns(&cell), 1000000 * SECOND_NS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_small_trial_has_little_more_than_its_duration),
		cmocka_unit_test(memory_has_time_to_be_faulted_in),
		cmocka_unit_test(a_count_of_messages_has_time_for_each),
		cmocka_unit_test(what_is_queued_has_time_to_be_worked_off),
		cmocka_unit_test(spinning_on_one_cpu_has_time_for_the_schedulers_slices),
		cmocka_unit_test(a_schedule_has_its_own_length),
		cmocka_unit_test(without_end_it_does_not_overflow),
	};

	return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
