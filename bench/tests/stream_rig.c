#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis.h"
#include "message.h"
#include "schedule.h"
#include "stream_rig.h"

static void *heap_allocate(struct queue_memory *memory, size_t bytes, size_t alignment)
{
	void *block = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);

	(void)memory;
	if (block)
		memset(block, 0x5a, bytes);
	return block;
}

static void heap_release(struct queue_memory *memory, void *block, size_t bytes)
{
	(void)memory, (void)bytes;
	free(block);
}

static void count_measuring(void *context)
{
	((struct stream_rig *)context)->measuring++;
}

static size_t capacity_of(const struct queue *queue, size_t batch)
{
	const struct queue_traits *traits = &queue->traits;

	if (!traits->bounded)
		return 0;
	if (traits->one_thread)
		return 2 * batch;
	return traits->capacity_max && traits->capacity_max < STREAM_CAPACITY ? traits->capacity_max : STREAM_CAPACITY;
}

struct stream_rig *stream_rig_open(const struct queue *queue, size_t message_bytes, size_t batch, uint64_t messages,
				   unsigned producer)
{
	struct stream_rig *rig = calloc(1, sizeof(*rig));
	struct queue_config config = {.message_bytes = message_bytes, .capacity = capacity_of(queue, batch), .batch = batch,
				      .producers = 1, .consumers = 1};

	assert_non_null(rig);
	rig->queue = queue;
	rig->memory = (struct queue_memory){heap_allocate, heap_release};
	config.memory = &rig->memory;
	assert_int_equal(queue->create(&config, &rig->instance), 0);
	rig->shared = aligned_alloc(QUEUE_LINE_PAIR, sizeof(*rig->shared));
	assert_non_null(rig->shared);
	memset(rig->shared, 0, sizeof(*rig->shared));
	rig->out = (struct endpoint_plan){
		.endpoint = queue->producer(rig->instance, 0), .shared = rig->shared, .read = &rig->shared->read,
		.window_room = &rig->shared->room, .clock = CLOCK_SYSTEM, .producer = producer,
		.batch = batch, .stride = queue_stride(message_bytes), .touched = message_bytes, .look_every = batch,
		.stamp_every = 1, .measure_ticks = UINT64_MAX, .measure_messages = messages,
		.wait = queue->traits.blocks_natively ? WAIT_NATIVE : WAIT_YIELD, .measuring = count_measuring, .context = rig,
	};
	rig->out.spins = wait_spins(rig->out.wait);
	rig->in = rig->out;
	rig->in.endpoint = queue->consumer(rig->instance, 0);
	assert_int_equal(wait_open(&rig->shared->messages, rig->out.wait), 0);
	assert_int_equal(wait_open(&rig->shared->room, rig->out.wait), 0);
	rig->sent.stamps = (struct stamps){.at = rig->sent_at, .room = STREAM_STAMPS};
	rig->received.stamps = (struct stamps){.at = rig->received_at, .room = STREAM_STAMPS};
	return rig;
}

void stream_rig_open_load(struct stream_rig *rig, uint64_t rate_per_s, uint64_t burst, bool poisson, uint64_t work_steps)
{
	struct cell cell = {.queue = rig->queue, .load = LOAD_OPEN, .producers = 1, .consumers = 1, .burst = burst,
			    .arrival = poisson ? ARRIVAL_POISSON : burst ? ARRIVAL_BURST : ARRIVAL_CONSTANT};

	schedule_make(&rig->arrivals, &cell, 0, rate_per_s, 1e9, 1);
	rig->out.arrivals = &rig->arrivals;
	rig->out.yields = true; /* whatever CPUs there are */
	rig->sent.stamps.outmost = rig->intended;
	if (!work_steps)
		return;
	rig->in.handles = true;
	rig->in.look_every = 1;
	rig->in.work_steps = work_steps;
	rig->received.stamps.outmost = rig->handled;
}

void stream_rig_close(struct stream_rig *rig)
{
	rig->queue->destroy(rig->instance);
	wait_close(&rig->shared->messages);
	wait_close(&rig->shared->room);
	free(rig->shared);
	free(rig);
}

static void check_sums(const struct endpoint_account *account, bool inner)
{
	ticks_sum outer_sum = 0, inner_sum = 0;

	for (size_t i = 0; i < account->stamps.count; i++) {
		outer_sum += account->stamps.at[i].outer;
		inner_sum += account->stamps.at[i].inner;
	}
	assert_true(account->outer_sum == outer_sum);
	assert_true(account->inner_sum == inner_sum);
	assert_true(inner || inner_sum == 0);
	assert_true(analysis_ascends((struct analysis_point){&account->stamps, false}));
	assert_true(!inner || analysis_ascends((struct analysis_point){&account->stamps, true}));
}

/* Each stamped message passes its points in their order: all are read from one clock. */
static void check_stamps(const struct stream_rig *rig, bool inner)
{
	uint64_t every = rig->out.stamp_every, messages = rig->sent.messages;

	assert_int_equal(rig->sent.stamps.count, every ? (messages + every - 1) / every : 0);
	assert_int_equal(rig->received.stamps.count, rig->sent.stamps.count);
	for (size_t i = 0; i < rig->sent.stamps.count; i++) {
		const struct stamp *sent = &rig->sent.stamps.at[i], *received = &rig->received.stamps.at[i];

		assert_int_equal(sent->sequence, rig->sent.stamps.at[0].sequence + i * every);
		assert_int_equal(received->sequence, sent->sequence);
		assert_true(sent->outer <= received->outer);
		assert_true(!inner || (sent->outer <= sent->inner && received->inner <= received->outer));
		/* it is flushed when the window has room for it, and not with those before that had it */
		if (inner && every == 1 && rig->out.window && i >= rig->out.window)
			assert_true(sent->inner >= rig->received.stamps.at[i - rig->out.window].outer);
	}
}

/* Each message was intended for the time that the schedule has, written no sooner, and handled no sooner than read. */
static void check_outmost(const struct stream_rig *rig)
{
	ticks_sum intended = 0, handled = 0;

	for (size_t i = 0; rig->out.arrivals && i < rig->sent.stamps.count; i++) {
		assert_true(rig->intended[i] <= rig->sent.stamps.at[i].outer);
		intended += rig->intended[i];
	}
	for (size_t i = 0; rig->in.handles && i < rig->received.stamps.count; i++) {
		assert_true(rig->handled[i] >= rig->received.stamps.at[i].outer);
		handled += rig->handled[i];
	}
	assert_true(rig->sent.outmost_sum == intended && rig->received.outmost_sum == handled);
	if (rig->out.arrivals)
		assert_int_equal(schedule_misses(&rig->arrivals, rig->start, &rig->sent.stamps), 0);
}

static void check_marks(const struct endpoint_account *account, uint64_t first)
{
	if (!account->messages)
		return;
	assert_int_equal(account->outer_first.count, first);
	assert_true(account->outer_last.count < account->messages + first);
	assert_true(account->outer_first.ticks <= account->outer_last.ticks);
}

void stream_rig_check(const struct stream_rig *rig)
{
	uint64_t messages = rig->sent.messages, batch = rig->out.batch;

	assert_int_equal(rig->received.lost + rig->received.repeated + rig->received.torn, 0);
	assert_int_equal(rig->received.messages, messages);
	assert_int_equal(rig->received.all_messages, rig->sent.all_messages);
	assert_true(rig->sent.all_messages > messages); /* the last one belongs to no phase */
	assert_true(rig->sent.batches >= (messages + batch - 1) / batch);
	assert_true(rig->sent.batches <= messages + 1 && rig->received.batches <= messages + 1);
	check_sums(&rig->sent, rig->out.inner);
	check_sums(&rig->received, rig->in.inner);
	check_stamps(rig, rig->out.inner);
	check_outmost(rig);
	check_marks(&rig->sent, 0);
	check_marks(&rig->received, 1);
}
