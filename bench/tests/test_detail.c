#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* cold_end_windows() stands among the loops, which need a queue */
#define QUEUE_TABLE(symbol) static const struct queue target_table
#include "spsc/ring.c"

#include "loops_many.h"

#include "analysis.h"

/* ---- windows of time ---- */

static const uint64_t BEGIN = 1000, WIDTH = 100;

/* A look at the clock, as a loop takes it. */
static void look(struct endpoint_account *account, uint64_t width_ticks, uint64_t count, uint64_t ticks)
{
	const struct endpoint_plan plan = {.time_window_ticks = width_ticks};

	loop_end_windows(&plan, account, count, ticks);
	loop_mark(&account->outer_first, &account->outer_last, count, ticks);
}

static void windows_count_what_passed_until_they_were_over(void **state)
{
	struct endpoint_account account = {0};
	static const uint64_t expected[] = {11, 21, 31};

	(void)state;
	for (uint64_t i = 0; i <= 35; i++) /* a message each 10 ticks, the first of them read at once */
		look(&account, WIDTH, i + 1, BEGIN + 10 * i);
	assert_int_equal(account.windows.count, 3);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(account.windows.passed[i], expected[i]);
}

static void an_end_between_two_looks_takes_its_part_of_their_messages(void **state)
{
	struct endpoint_account account = {0};

	(void)state;
	look(&account, WIDTH, 0, BEGIN);
	look(&account, WIDTH, 80, BEGIN + 80);
	look(&account, WIDTH, 120, BEGIN + 160);
	assert_int_equal(account.windows.count, 1);
	assert_int_equal(account.windows.passed[0], 90);
}

static void a_stall_leaves_windows_in_which_next_to_nothing_passed(void **state)
{
	struct endpoint_account account = {0};
	static const uint64_t expected[] = {1000, 1002, 1004, 1006};

	(void)state;
	look(&account, WIDTH, 0, BEGIN);
	look(&account, WIDTH, 1000, BEGIN + 100);
	look(&account, WIDTH, 1008, BEGIN + 500); /* one look's messages in 400 ticks */
	look(&account, WIDTH, 1800, BEGIN + 580);
	assert_int_equal(account.windows.count, 5);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(account.windows.passed[i], expected[i]);
	assert_int_equal(account.windows.passed[4], 1008);
}

/* As of an endpoint that shares its queue: its rate begins when the measured phase does, before any look. */
static void windows_begin_where_the_rate_does(void **state)
{
	struct endpoint_account account = {.outer_first = {20, BEGIN}};

	(void)state;
	look(&account, WIDTH, 60, BEGIN + 400);
	assert_int_equal(account.windows.count, 4);
	assert_int_equal(account.windows.passed[0], 30);
	assert_int_equal(account.windows.passed[3], 60);
}

static void windows_that_find_no_room_become_wider(void **state)
{
	struct endpoint_account account = {0};

	(void)state;
	for (uint64_t i = 0; i <= TIME_WINDOWS_MAX + 3; i++)
		look(&account, WIDTH, i * i, BEGIN + WIDTH * i);
	assert_int_equal(account.windows.width_ticks, 2 * WIDTH);
	assert_int_equal(account.windows.count, TIME_WINDOWS_MAX / 2 + 1);
	for (uint64_t i = 0; i < account.windows.count; i++)
		assert_int_equal(account.windows.passed[i], 4 * (i + 1) * (i + 1));
}

static void none_are_counted_unless_asked_for(void **state)
{
	struct endpoint_account account = {0};

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		look(&account, 0, i, BEGIN + WIDTH * i);
	assert_int_equal(account.windows.count, 0);
}

/* ---- where the rate of a reader of several producers begins ---- */

/* Of what it read from the look before the measured phase to the first look in it, as much is of the warm-up as is of that time. */
static void what_was_read_before_the_measured_phase_is_none_of_its_rate(void **state)
{
	static const struct fan_shared fan = {.producers = 2, .consumers = 1};
	struct endpoint_plan plan = {.fan = (struct fan_shared *)&fan, .look_every = 64, .warm_up_ticks = 100, .measure_ticks = 200};
	struct endpoint_account account = {0};
	struct fan_consuming reader;

	(void)state;
	fan_begin(&plan, &account, &reader, BEGIN);
	reader.read = 10;
	fan_look(&plan, &account, &reader, BEGIN + 40);
	assert_int_equal(account.outer_first.ticks, 0);
	reader.read = 70; /* half of these 60 until 100 */
	fan_look(&plan, &account, &reader, BEGIN + 160);
	assert_int_equal(account.outer_first.ticks, BEGIN + 100);
	assert_int_equal(account.outer_first.count, 40);
	assert_int_equal(account.outer_last.count, 70);
}

static void without_a_warm_up_all_that_was_read_is_of_the_rate(void **state)
{
	static const struct fan_shared fan = {.producers = 2, .consumers = 1};
	struct endpoint_plan plan = {.fan = (struct fan_shared *)&fan, .look_every = 64, .measure_ticks = 200};
	struct endpoint_account account = {0};
	struct fan_consuming reader;

	(void)state;
	fan_begin(&plan, &account, &reader, BEGIN);
	reader.read = 30;
	fan_look(&plan, &account, &reader, BEGIN); /* no time has passed */
	assert_int_equal(account.outer_first.count, 0);
	assert_int_equal(account.outer_last.count, 30);
}

/* ---- places in a batch ---- */

/* Batches of 3, 2, 3 and 1 messages: written at 10, 20 … and flushed as they say, each read at 1000 + 7 × its number. */
struct batches {
	struct stamp sent[9], read[9];
	struct stamps producer, consumer;
};

static void batches_make(struct batches *batches)
{
	static const uint64_t flushed[9] = {35, 35, 35, 55, 55, 85, 85, 85, 95};

	for (uint64_t i = 0; i < 9; i++) {
		batches->sent[i] = (struct stamp){i + 1, 10 * (i + 1), flushed[i]};
		batches->read[i] = (struct stamp){i + 1, 1000 + 7 * (i + 1), 0};
	}
	batches->producer = (struct stamps){.at = batches->sent, .count = 9};
	batches->consumer = (struct stamps){.at = batches->read, .count = 9};
}

static bool by_position(const struct batches *batches, uint64_t batch, struct analysis_positions *positions)
{
	return analysis_by_position((struct analysis_point){&batches->producer, false}, (struct analysis_point){&batches->consumer, false},
				    batch, positions);
}

static void messages_of_one_flush_are_a_batch(void **state)
{
	/* 1000 − 3 × the message's number: of the 1st and the 6th, the 2nd and the 7th, … */
	static const int64_t expected[] = {997, 982, 994, 979, 991, 976};
	struct analysis_positions positions;
	struct batches batches;

	(void)state;
	batches_make(&batches);
	assert_true(by_position(&batches, 3, &positions));
	assert_int_equal(positions.batches, 2);
	assert_int_equal(positions.others, 3);
	assert_int_equal(positions.alone, 0);
	assert_memory_equal(positions.latencies, expected, sizeof(expected));
	free(positions.latencies);
}

static void a_message_of_a_batch_that_never_came_is_told(void **state)
{
	struct analysis_positions positions;
	struct batches batches;

	(void)state;
	batches_make(&batches);
	memmove(&batches.read[6], &batches.read[7], 2 * sizeof(batches.read[0]));
	batches.consumer.count = 8;
	assert_true(by_position(&batches, 3, &positions));
	assert_int_equal(positions.alone, 1);
	free(positions.latencies);
}

static void batches_of_other_sizes_have_no_places(void **state)
{
	struct analysis_positions positions;
	struct batches batches;

	(void)state;
	batches_make(&batches);
	assert_true(by_position(&batches, 4, &positions));
	assert_int_equal(positions.batches, 0);
	assert_int_equal(positions.others, 9);
	free(positions.latencies);
	batches.producer.count = 0;
	assert_true(by_position(&batches, 3, &positions));
	assert_int_equal(positions.batches + positions.others + positions.alone, 0);
	free(positions.latencies);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_count_what_passed_until_they_were_over),
		cmocka_unit_test(an_end_between_two_looks_takes_its_part_of_their_messages),
		cmocka_unit_test(a_stall_leaves_windows_in_which_next_to_nothing_passed),
		cmocka_unit_test(windows_begin_where_the_rate_does),
		cmocka_unit_test(what_was_read_before_the_measured_phase_is_none_of_its_rate),
		cmocka_unit_test(without_a_warm_up_all_that_was_read_is_of_the_rate),
		cmocka_unit_test(windows_that_find_no_room_become_wider),
		cmocka_unit_test(none_are_counted_unless_asked_for),
		cmocka_unit_test(messages_of_one_flush_are_a_batch),
		cmocka_unit_test(a_message_of_a_batch_that_never_came_is_told),
		cmocka_unit_test(batches_of_other_sizes_have_no_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
