#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"
#include "stream_rig.h"
#include "target.h"

/* ---- running them ---- */

struct stream_run {
	const struct target *target;
	struct stream_rig *rig, *back; /* back: the way of the answers, of a ping-pong */
	enum message_class class;
	uint64_t start;
};

static void *second_main(void *argument)
{
	const struct stream_run *run = argument;
	struct stream_rig *rig = run->rig, *back = run->back;

	if (back)
		run->target->pong[run->class](&back->out, &back->sent, &rig->in, &rig->received);
	else
		run->target->consume[run->class](&rig->in, &rig->received);
	return NULL;
}

static void run_loops(struct stream_rig *rig, struct stream_rig *back)
{
	struct stream_run run = {.target = target_find(rig->queue->name), .rig = rig, .back = back,
				 .class = message_class(rig->out.stride, rig->out.touched), .start = clock_ticks(CLOCK_SYSTEM)};
	pthread_t second;

	rig->start = run.start;
	assert_non_null(run.target);
	if (rig->queue->traits.one_thread) {
		run.target->both[run.class](&rig->out, &rig->sent, &rig->in, &rig->received, run.start);
		return;
	}
	assert_int_equal(pthread_create(&second, NULL, second_main, &run), 0);
	if (back && rig->out.arrivals)
		run.target->ping_open(&rig->out, &rig->sent, &back->in, &back->received, run.start);
	else if (back)
		run.target->ping[run.class](&rig->out, &rig->sent, &back->in, &back->received, run.start);
	else if (rig->out.arrivals)
		run.target->produce_open(&rig->out, &rig->sent, run.start);
	else
		run.target->produce[run.class](&rig->out, &rig->sent, run.start);
	pthread_join(second, NULL);
}

/* Whether a stream of such messages goes through it. */
static bool streams(const struct queue *queue, size_t message_bytes)
{
	return !queue->traits.lossy && !queue->traits.own_batch_bytes && message_bytes >= queue->traits.message_min &&
	       message_bytes <= queue->traits.message_max;
}

/* ---- streams ---- */

static const uint64_t counts[] = {0, 1, 2, 3, 1000};

/* Both ends of every queue agree on what was sent, for each count, batch and spacing of stamps. */
static void check_streams(size_t message_bytes, bool inner, uint64_t window)
{
	static const size_t batches[] = {1, 5, 32};
	static const uint64_t spacings[] = {0, 1, 2, 7};

	for (size_t q = 0; queue_list[q]; q++)
		for (size_t m = 0; m < sizeof(counts) / sizeof(counts[0]); m++)
			for (size_t b = 0; b < sizeof(batches) / sizeof(batches[0]); b++)
				for (size_t s = 0; s < sizeof(spacings) / sizeof(spacings[0]); s++) {
					struct stream_rig *rig;

					if (!streams(queue_list[q], message_bytes))
						continue;
					rig = stream_rig_open(queue_list[q], message_bytes, batches[b], counts[m], 0);
					rig->out.inner = rig->in.inner = inner;
					rig->out.window = rig->in.window = queue_list[q]->traits.one_thread ? 0 : window;
					rig->out.stamp_every = rig->in.stamp_every = spacings[s];
					run_loops(rig, NULL);
					assert_int_equal(rig->sent.messages, counts[m]);
					assert_int_equal(rig->sent.all_messages, counts[m] + 1);
					assert_int_equal(rig->measuring, 1);
					stream_rig_check(rig);
					stream_rig_close(rig);
				}
}

static void both_ends_of_a_stream_agree(void **state)
{
	(void)state;
	check_streams(64, false, 0);
}

static void both_ends_agree_with_inner_points(void **state)
{
	(void)state;
	check_streams(8, true, 0);
}

static void both_ends_agree_within_a_window(void **state)
{
	(void)state;
	check_streams(13, false, 3);
}

static void a_message_that_waits_for_room_is_flushed_after_it(void **state)
{
	(void)state;
	check_streams(8, true, 3);
}

static void a_batch_may_exceed_the_messages_and_the_capacity(void **state)
{
	(void)state;
	for (size_t q = 0; queue_list[q]; q++) {
		struct stream_rig *rig;

		if (!streams(queue_list[q], 24))
			continue;
		rig = stream_rig_open(queue_list[q], 24, 10 * STREAM_CAPACITY, 1000, 0);
		run_loops(rig, NULL);
		assert_int_equal(rig->sent.messages, 1000);
		stream_rig_check(rig);
		stream_rig_close(rig);
	}
}

/* A warm-up that lasts until the first look at the clock behind the first message; and one without any. */
static void messages_of_the_warm_up_are_not_measured(void **state)
{
	(void)state;
	for (size_t q = 0; queue_list[q]; q++) {
		struct stream_rig *rig;

		if (!streams(queue_list[q], 40))
			continue;
		rig = stream_rig_open(queue_list[q], 40, 4, 100, 0);
		rig->out.warm_up_ticks = 50000000;
		run_loops(rig, NULL);
		assert_int_equal(rig->sent.messages, 100);
		assert_true(rig->sent.all_messages >= 100 + 4 + 1);
		assert_int_equal(rig->sent.stamps.at[0].sequence, rig->sent.all_messages - 100);
		stream_rig_check(rig);
		stream_rig_close(rig);
	}
}

/* Its windows of time are whole, and no more messages passed in them than were measured. */
static void check_windows(const struct endpoint_account *account, uint64_t width_ticks)
{
	const struct time_windows *windows = &account->windows;
	uint64_t passed = account->outer_first.count;

	assert_int_equal(windows->count, (account->outer_last.ticks - account->outer_first.ticks) / width_ticks);
	assert_int_equal(windows->end_ticks, account->outer_first.ticks + (windows->count + 1) * width_ticks);
	for (size_t i = 0; i < windows->count; i++) {
		assert_true(windows->passed[i] >= passed);
		passed = windows->passed[i];
	}
	assert_true(passed <= account->outer_last.count);
}

static void a_duration_ends_a_stream(void **state)
{
	struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 1, UINT64_MAX, 0);

	(void)state;
	rig->out.measure_ticks = 1000000;
	rig->out.time_window_ticks = rig->in.time_window_ticks = 50000;
	rig->out.stamp_every = rig->in.stamp_every = 16;
	run_loops(rig, NULL);
	assert_true(rig->sent.stamps_full || rig->sent.outer_last.ticks - rig->sent.outer_first.ticks < 1000000);
	check_windows(&rig->sent, 50000);
	check_windows(&rig->received, 50000);
	stream_rig_check(rig);
	stream_rig_close(rig);
}

static void stamps_are_spaced_so_that_they_find_room(void **state)
{
	struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 1, 1000, 0);

	(void)state;
	rig->out.stamp_every = rig->in.stamp_every = 2;
	rig->sent.stamps.room = rig->received.stamps.room = 50;
	run_loops(rig, NULL);
	assert_false(rig->sent.stamps_full);
	assert_true(rig->sent.stamps.count > 0 && rig->sent.stamps.count <= 50);
	assert_true(rig->shared->stamp_every > 2);
	rig->out.stamp_every = rig->shared->stamp_every; /* what it came to */
	stream_rig_check(rig);
	stream_rig_close(rig);
}

/* Thinned, its latencies would be others than those of the trials whose stamps found room. */
static void a_stamp_for_each_message_is_never_thinned(void **state)
{
	struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 1, 1000, 0);

	(void)state;
	rig->sent.stamps.room = rig->received.stamps.room = 50;
	run_loops(rig, NULL);
	assert_true(rig->sent.stamps_full);
	assert_int_equal(rig->shared->stamp_every, 1);
	assert_int_equal(rig->sent.stamps.count, 50);
	assert_int_equal(rig->sent.messages, 50);
	stream_rig_check(rig);
	stream_rig_close(rig);
}

/* ---- open loads, and work ---- */

/* Ways to come: at once, at distances, in bursts, at random; so fast that all is late, and so slow that each waits. */
static const struct {
	uint64_t rate_per_s, burst;
	bool poisson;
} loads[] = {{1000000000, 0, false}, {100000, 0, false}, {1000000, 7, false}, {1000000, 0, true}};

enum { LOADS = sizeof(loads) / sizeof(loads[0]) };

static void check_open_loads(const uint64_t *open_counts, size_t n)
{
	static const size_t batches[] = {1, 5};
	static const uint64_t spacings[] = {1, 7};

	for (size_t q = 0; queue_list[q]; q++)
		for (size_t i = 0; i < 8 * LOADS * n; i++) {
			uint64_t count = open_counts[i / 8 / LOADS], spacing = spacings[i / 4 % 2];
			struct stream_rig *rig;

			if (!streams(queue_list[q], 64) || queue_list[q]->traits.one_thread)
				continue;
			rig = stream_rig_open(queue_list[q], 64, batches[i % 2], count, 0);
			rig->out.stamp_every = rig->in.stamp_every = spacing;
			rig->out.inner = rig->in.inner = i / 2 % 2;
			stream_rig_open_load(rig, loads[i / 8 % LOADS].rate_per_s, loads[i / 8 % LOADS].burst,
					     loads[i / 8 % LOADS].poisson, i % 3 * 10);
			run_loops(rig, NULL);
			assert_int_equal(rig->sent.messages, count);
			assert_int_equal(rig->sent.all_messages, count + 1);
			stream_rig_check(rig);
			stream_rig_close(rig);
		}
}

static void both_ends_of_an_open_load_agree(void **state)
{
	static const uint64_t open_counts[] = {0, 1, 2, 100};

	(void)state;
	check_open_loads(open_counts, 4);
}

static void both_ends_of_an_open_load_agree_on_one_cpu(void **state)
{
	static const uint64_t open_counts[] = {50};
	cpu_set_t all, one;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	check_open_loads(open_counts, 1);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

/* The message that finds no room for its stamp is not written; there is one only where more were to come. */
static void an_open_load_ends_where_stamps_find_no_room(void **state)
{
	static const uint64_t to_write[] = {1000, UINT64_MAX, 51, 50, 49};

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(to_write) / sizeof(to_write[0]); i++) {
		uint64_t count = to_write[i / 2];
		struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, i % 2 ? 7 : 1, count, 0);

		stream_rig_open_load(rig, 1000000000, 0, false, 0);
		rig->out.late_ticks = UINT64_MAX / 2;
		rig->sent.stamps.room = rig->received.stamps.room = 50;
		run_loops(rig, NULL);
		assert_int_equal(rig->sent.stamps_full, count > 50);
		assert_int_equal(rig->sent.messages, count < 50 ? count : 50);
		assert_int_equal(rig->sent.stamps.count, rig->sent.messages);
		assert_int_equal(rig->sent.unwritten_from, 0);
		stream_rig_check(rig);
		stream_rig_close(rig);
	}
}

/* It is over by the clock, also where the next message would be due in an hour. */
static void an_open_load_ends_with_its_duration(void **state)
{
	struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 4, UINT64_MAX, 0);

	(void)state;
	rig->out.warm_up_ticks = rig->out.measure_ticks = 1000000;
	stream_rig_open_load(rig, 1, 0, false, 0);
	rig->arrivals.first = rig->arrivals.quotient = 3600000000000;
	run_loops(rig, NULL);
	assert_int_equal(rig->sent.messages, 0);
	stream_rig_check(rig);
	stream_rig_close(rig);
}

/* Messages of the warm-up come by the schedule, too, and are worked on; they are neither stamped nor counted. */
static void the_schedule_begins_with_the_warm_up(void **state)
{
	struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 4, 100, 0);

	(void)state;
	rig->out.warm_up_ticks = 1000000;
	stream_rig_open_load(rig, 100000, 0, false, 10);
	run_loops(rig, NULL);
	assert_int_equal(rig->sent.messages, 100);
	assert_int_equal(rig->sent.stamps.at[0].sequence, rig->sent.all_messages - 100);
	stream_rig_check(rig);
	stream_rig_close(rig);
}

/* Nor does a load beyond the capacity prolong it, where messages and no time end what is measured: a million are due here, in a time in which
 * nobody writes so many. */
static void an_overloaded_warm_up_ends_by_the_clock(void **state)
{
	struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 4, 100, 0);

	(void)state;
	rig->out.warm_up_ticks = 1000000;
	stream_rig_open_load(rig, 1000000000, 0, false, 0);
	run_loops(rig, NULL);
	assert_int_equal(rig->sent.messages, 100);
	assert_true(rig->sent.all_messages < 1000000);
	stream_rig_check(rig);
	stream_rig_close(rig);
}

/* A warm-up with hardly any message in it says nothing of what comes: here the first one is due in its only tick. */
static void stamps_of_an_open_load_are_spaced_by_its_schedule(void **state)
{
	static const struct {
		uint64_t asked, burst, room, got; /* some 100 messages */
	} cases[] = {{1, 0, 200, 1}, {4, 0, 50, 4}, {4, 10, 50, 4}, {2, 0, 26, 6}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 1, UINT64_MAX, 0);

		stream_rig_open_load(rig, 100000, cases[i].burst, false, 0);
		rig->out.warm_up_ticks = 1;
		rig->out.measure_ticks = 1000000;
		rig->out.late_ticks = UINT64_MAX / 2;
		rig->out.stamp_every = rig->in.stamp_every = cases[i].asked;
		rig->sent.stamps.room = rig->received.stamps.room = cases[i].room;
		run_loops(rig, NULL);
		assert_false(rig->sent.stamps_full);
		assert_true(rig->sent.messages >= 100 && rig->sent.messages <= 110);
		assert_int_equal(rig->shared->stamp_every, cases[i].got);
		rig->out.stamp_every = cases[i].got;
		stream_rig_check(rig);
		stream_rig_close(rig);
	}
}

static void what_finds_no_room_is_late_and_the_schedule_stays(void **state)
{
	struct stream_rig *rig = stream_rig_open(queue_find("ring"), 64, 1, 1000, 0);

	(void)state;
	stream_rig_open_load(rig, 1000000000, 0, false, 2000);
	run_loops(rig, NULL);
	assert_int_equal(rig->sent.messages, 1000);
	assert_true(rig->sent.refused > 0);
	assert_true(rig->sent.outer_last.ticks > rig->sent.outmost_last.ticks);
	assert_int_equal(rig->sent.outmost_last.ticks - rig->sent.outmost_first.ticks, 999);
	stream_rig_check(rig);
	stream_rig_close(rig);
}

/* Also where nothing is scheduled. */
static void each_message_is_worked_on_and_thought_about(void **state)
{
	(void)state;
	for (size_t q = 0; queue_list[q]; q++)
		for (size_t batch = 1; batch <= 5; batch += 4) {
			struct stream_rig *rig;

			if (!streams(queue_list[q], 64))
				continue;
			rig = stream_rig_open(queue_list[q], 64, batch, 300, 0);
			rig->out.think_steps = 10;
			rig->out.look_every = 1;
			stream_rig_open_load(rig, 1, 0, false, 10);
			rig->out.arrivals = NULL;
			run_loops(rig, NULL);
			assert_int_equal(rig->received.outmost_last.count - rig->received.outmost_first.count, 299);
			stream_rig_check(rig);
			stream_rig_close(rig);
		}
}

static void a_pingpong_has_one_question_under_way_whatever_is_due(void **state)
{
	(void)state;
	for (size_t q = 0; queue_list[q]; q++)
		for (size_t load = 0; load < LOADS; load++) {
			const struct queue *queue = queue_list[q];
			size_t bytes = queue->traits.message_max < 40 ? queue->traits.message_max : 40;
			struct stream_rig *rig, *back;

			if (queue->traits.one_thread || queue->traits.own_batch_bytes)
				continue;
			rig = stream_rig_open(queue, bytes, 1, 100, 0);
			back = stream_rig_open(queue, bytes, 1, 100, 1);
			stream_rig_open_load(rig, loads[load].rate_per_s, loads[load].burst, loads[load].poisson, load % 2 * 10);
			run_loops(rig, back);
			assert_int_equal(back->sent.messages, 100);
			stream_rig_check(rig);
			stream_rig_check(back);
			for (size_t i = 1; i < back->received.stamps.count; i++)
				assert_true(rig->sent.stamps.at[i].outer >= back->received.stamps.at[i - 1].outer);
			/* the answer is written when the question was read, or worked on */
			for (size_t i = 0; i < back->sent.stamps.count; i++)
				assert_int_equal(back->sent.stamps.at[i].outer,
						 rig->in.handles ? rig->handled[i] : rig->received.stamps.at[i].outer);
			stream_rig_close(rig);
			stream_rig_close(back);
		}
}

/* ---- ping-pong ---- */

static void both_ways_of_a_pingpong_agree(void **state)
{
	static const uint64_t spacings[] = {0, 1, 2, 7};

	(void)state;
	for (size_t q = 0; queue_list[q]; q++)
		for (size_t m = 0; m < sizeof(counts) / sizeof(counts[0]); m++)
			for (size_t s = 0; s < 2 * sizeof(spacings) / sizeof(spacings[0]); s++) {
				const struct queue *queue = queue_list[q];
				size_t bytes = queue->traits.message_max < 40 ? queue->traits.message_max : 40;
				struct stream_rig *rig, *back;

				if (queue->traits.one_thread || queue->traits.own_batch_bytes)
					continue;
				rig = stream_rig_open(queue, bytes, 1, counts[m], 0);
				back = stream_rig_open(queue, bytes, 1, counts[m], 1);
				rig->out.inner = rig->in.inner = back->out.inner = back->in.inner = s % 2;
				rig->out.stamp_every = back->out.stamp_every = spacings[s / 2];
				run_loops(rig, back);
				assert_int_equal(rig->sent.messages, counts[m]);
				assert_int_equal(back->sent.messages, counts[m]);
				assert_int_equal(back->sent.all_messages, counts[m] + 1);
				stream_rig_check(rig);
				stream_rig_check(back);
				/* the answer is written when the question was read: one reading is both */
				for (size_t i = 0; i < rig->received.stamps.count; i++)
					assert_int_equal(rig->received.stamps.at[i].outer, back->sent.stamps.at[i].outer);
				stream_rig_close(rig);
				stream_rig_close(back);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ends_of_a_stream_agree),
		cmocka_unit_test(both_ends_agree_with_inner_points),
		cmocka_unit_test(both_ends_agree_within_a_window),
		cmocka_unit_test(a_message_that_waits_for_room_is_flushed_after_it),
		cmocka_unit_test(a_batch_may_exceed_the_messages_and_the_capacity),
		cmocka_unit_test(messages_of_the_warm_up_are_not_measured),
		cmocka_unit_test(a_duration_ends_a_stream),
		cmocka_unit_test(stamps_are_spaced_so_that_they_find_room),
		cmocka_unit_test(a_stamp_for_each_message_is_never_thinned),
		cmocka_unit_test(stamps_of_an_open_load_are_spaced_by_its_schedule),
		cmocka_unit_test(both_ends_of_an_open_load_agree),
		cmocka_unit_test(both_ends_of_an_open_load_agree_on_one_cpu),
		cmocka_unit_test(an_open_load_ends_where_stamps_find_no_room),
		cmocka_unit_test(an_open_load_ends_with_its_duration),
		cmocka_unit_test(the_schedule_begins_with_the_warm_up),
		cmocka_unit_test(an_overloaded_warm_up_ends_by_the_clock),
		cmocka_unit_test(what_finds_no_room_is_late_and_the_schedule_stays),
		cmocka_unit_test(each_message_is_worked_on_and_thought_about),
		cmocka_unit_test(a_pingpong_has_one_question_under_way_whatever_is_due),
		cmocka_unit_test(both_ways_of_a_pingpong_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
