#include <pthread.h>
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

	assert_non_null(run.target);
	if (rig->queue->traits.one_thread) {
		run.target->both[run.class](&rig->out, &rig->sent, &rig->in, &rig->received, run.start);
		return;
	}
	assert_int_equal(pthread_create(&second, NULL, second_main, &run), 0);
	if (back)
		run.target->ping[run.class](&rig->out, &rig->sent, &back->in, &back->received, run.start);
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
	rig->sent.stamps.room = rig->received.stamps.room = 50;
	run_loops(rig, NULL);
	assert_false(rig->sent.stamps_full);
	assert_true(rig->sent.stamps.count > 0 && rig->sent.stamps.count <= 50);
	assert_true(rig->shared->stamp_every > 1);
	rig->out.stamp_every = rig->shared->stamp_every; /* what it came to */
	stream_rig_check(rig);
	stream_rig_close(rig);
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
		cmocka_unit_test(both_ways_of_a_pingpong_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
