/* The loops of fans and pipelines, on the queues of the list, without a trial's process around them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "analysis.h"
#include "list.h"
#include "message.h"
#include "schedule.h"
#include "stream_rig.h"
#include "target.h"

enum { SIDE = 3, STAMPS = 4096, CAPACITY = 64 };

struct end {
	struct fan_rig *rig;
	struct endpoint_plan plan;
	struct endpoint_account account;
	struct stamp stamps[STAMPS];
	struct arrivals arrivals;
	uint64_t outmost[STAMPS];
	pthread_t thread;
};

/* One queue with several ends. */
struct fan_rig {
	const struct target *target;
	void *instance;
	struct queue_memory memory;
	struct stream_shared shared;
	struct fan_shared fan;
	struct end out[SIDE], in[SIDE];
	enum message_class class;
	uint64_t start;
};

struct fan_case {
	unsigned producers, consumers;
	size_t message_bytes, batch;
	uint64_t messages, window, stamp_every;
	uint64_t rate_per_s, work_steps; /* 0: no schedule, no work */
	bool inner;
	enum wait_policy wait;
};

static void *heap_allocate(struct queue_memory *memory, size_t bytes, size_t alignment)
{
	(void)memory;
	return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void heap_release(struct queue_memory *memory, void *block, size_t bytes)
{
	(void)memory, (void)bytes;
	free(block);
}

static void plan_end(struct fan_rig *rig, const struct fan_case *fan, struct end *end, unsigned index, bool reads)
{
	const struct queue *queue = rig->target->queue;
	enum wait_policy wait = queue->traits.blocks_natively ? WAIT_NATIVE : fan->wait;

	end->rig = rig;
	end->plan = (struct endpoint_plan){
		.endpoint = reads ? queue->consumer(rig->instance, index) : queue->producer(rig->instance, index),
		.shared = &rig->shared, .fan = &rig->fan, .sleeper = index, .read = &rig->fan.by_producer[reads ? 0 : index].read,
		.window_room = &rig->shared.room, .clock = CLOCK_SYSTEM, .producer = reads ? 0 : index, .batch = fan->batch,
		.stride = queue_stride(fan->message_bytes), .touched = fan->message_bytes, .window = fan->window,
		.look_every = fan->batch, .stamp_every = fan->stamp_every, .inner = fan->inner, .measure_ticks = UINT64_MAX,
		.measure_messages = fan->messages, .wait = wait, .spins = wait_spins(wait),
	};
	if (end->plan.spins > 8)
		end->plan.spins = 8; /* sleeps as often as it can */
	end->account.stamps = (struct stamps){.at = end->stamps, .outmost = end->outmost, .room = STAMPS};
	if (reads && fan->work_steps) {
		end->plan.handles = true;
		end->plan.work_steps = fan->work_steps;
		end->plan.look_every = 1;
	} else if (!reads && fan->rate_per_s) {
		schedule_make(&end->arrivals, &(struct cell){.load = LOAD_OPEN, .producers = fan->producers}, index, fan->rate_per_s, 1e9, 1);
		end->plan.arrivals = &end->arrivals;
		end->plan.yields = true;
	}
}

static struct fan_rig *fan_open(const struct queue *queue, const struct fan_case *fan)
{
	const struct queue_traits *traits = &queue->traits;
	struct fan_rig *rig = aligned_alloc(QUEUE_LINE_PAIR, (sizeof(*rig) + QUEUE_LINE_PAIR - 1) / QUEUE_LINE_PAIR * QUEUE_LINE_PAIR);
	struct queue_config config = {.message_bytes = fan->message_bytes, .batch = fan->batch, .producers = fan->producers,
				      .consumers = fan->consumers};

	assert_non_null(rig);
	memset(rig, 0, sizeof(*rig));
	rig->target = target_find(queue->name);
	rig->memory = (struct queue_memory){heap_allocate, heap_release};
	config.memory = &rig->memory;
	config.capacity = !traits->bounded ? 0 : traits->capacity_max && traits->capacity_max < CAPACITY ? traits->capacity_max : CAPACITY;
	if (config.capacity < traits->capacity_min)
		config.capacity = traits->capacity_min;
	assert_int_equal(queue->create(&config, &rig->instance), 0);
	rig->fan.producers_left = rig->fan.producers = fan->producers;
	rig->fan.consumers_left = rig->fan.consumers = fan->consumers;
	rig->fan.multicast = traits->multicast;
	for (unsigned i = 0; i < fan->producers; i++)
		plan_end(rig, fan, &rig->out[i], i, false);
	for (unsigned i = 0; i < fan->consumers; i++)
		plan_end(rig, fan, &rig->in[i], i, true);
	assert_int_equal(wait_open_shared(&rig->shared.messages, rig->in[0].plan.wait, fan->consumers), 0);
	assert_int_equal(wait_open_shared(&rig->shared.room, rig->in[0].plan.wait, fan->producers), 0);
	rig->class = message_class(rig->out[0].plan.stride, rig->out[0].plan.touched);
	rig->start = clock_ticks(CLOCK_SYSTEM);
	return rig;
}

static void fan_close(struct fan_rig *rig)
{
	rig->target->queue->destroy(rig->instance);
	wait_close(&rig->shared.messages);
	wait_close(&rig->shared.room);
	free(rig);
}

static void *out_main(void *argument)
{
	struct end *end = argument;

	if (end->plan.arrivals)
		end->rig->target->produce_open(&end->plan, &end->account, end->rig->start);
	else
		end->rig->target->produce[end->rig->class](&end->plan, &end->account, end->rig->start);
	return NULL;
}

static void *in_main(void *argument)
{
	struct end *end = argument;

	end->rig->target->consume_many[end->rig->class](&end->plan, &end->account, end->rig->start);
	return NULL;
}

static void fan_run(struct fan_rig *rig)
{
	for (unsigned i = 0; i < rig->fan.consumers; i++)
		assert_int_equal(pthread_create(&rig->in[i].thread, NULL, in_main, &rig->in[i]), 0);
	for (unsigned i = 0; i < rig->fan.producers; i++)
		assert_int_equal(pthread_create(&rig->out[i].thread, NULL, out_main, &rig->out[i]), 0);
	for (unsigned i = 0; i < rig->fan.producers; i++)
		pthread_join(rig->out[i].thread, NULL);
	for (unsigned i = 0; i < rig->fan.consumers; i++)
		pthread_join(rig->in[i].thread, NULL);
}

/* Of a producer under an open load, and of a consumer that works, times at the outmost points as well. */
static void check_sums(const struct end *end)
{
	const struct endpoint_account *account = &end->account;
	ticks_sum outer = 0, inner = 0, outmost = 0;

	for (size_t i = 0; i < account->stamps.count; i++) {
		outer += account->stamps.at[i].outer;
		inner += account->stamps.at[i].inner;
		if (end->plan.arrivals)
			assert_true(end->outmost[i] <= account->stamps.at[i].outer);
		if (end->plan.handles)
			assert_true(end->outmost[i] >= account->stamps.at[i].outer);
		outmost += end->plan.arrivals || end->plan.handles ? end->outmost[i] : 0;
	}
	assert_true(account->outer_sum == outer);
	assert_true(account->inner_sum == inner);
	assert_true(account->outmost_sum == outmost);
	if (end->plan.arrivals)
		assert_int_equal(schedule_misses(end->plan.arrivals, end->rig->start, &account->stamps), 0);
}

/* What must hold of a fan whose messages were written and read rightly. */
static void fan_check(const struct fan_rig *rig, uint64_t messages)
{
	unsigned copies = rig->fan.multicast ? rig->fan.consumers : 1;
	uint64_t measured = 0, stamped = 0, found = 0;
	struct histogram *histogram = histogram_new();

	assert_non_null(histogram);
	for (unsigned c = 0; c < rig->fan.consumers; c++) {
		const struct endpoint_account *account = &rig->in[c].account;

		assert_int_equal(account->lost + account->repeated + account->torn, 0);
		assert_true(analysis_ascends_each((struct analysis_point){&account->stamps, false}));
		check_sums(&rig->in[c]);
		measured += account->messages;
		stamped += account->stamps.count;
		assert_true(account->outer_last.ticks >= account->outer_first.ticks && account->outer_first.ticks == rig->start);
		assert_true(account->outer_last.count <= account->all_messages);
	}
	assert_int_equal(measured, messages * rig->fan.producers * copies);
	for (unsigned p = 0; p < rig->fan.producers; p++) {
		const struct endpoint_account *account = &rig->out[p].account;
		struct fan_tally read = {0};

		assert_int_equal(account->messages, messages);
		assert_int_equal(account->all_messages, messages); /* there is no warm-up, and no last message */
		assert_int_equal(account->outer_last.count, messages);
		check_sums(&rig->out[p]);
		for (unsigned c = 0; c < rig->fan.consumers; c++) {
			const struct fan_tally *tally = &rig->in[c].account.tallies[p];

			read.messages += tally->messages;
			read.fingerprint += tally->fingerprint;
			found += analysis_latency_of((struct analysis_point){&account->stamps, false}, p,
						     (struct analysis_point){&rig->in[c].account.stamps, false}, histogram);
		}
		assert_int_equal(read.messages, messages * copies);
		assert_true(read.fingerprint == account->tallies[p].fingerprint * copies);
		stamped -= account->stamps.count * copies;
	}
	assert_int_equal(stamped, 0);
	assert_int_equal(found, histogram->count);
	assert_int_equal(histogram->below_zero, 0); /* all are read from one clock */
	free(histogram);
}

static bool fans(const struct queue *queue, const struct fan_case *fan)
{
	const struct queue_traits *traits = &queue->traits;

	return !traits->one_thread && !traits->lossy && !traits->own_batch_bytes &&
	       !(traits->producers_max == 1 && traits->consumers_max == 1) &&
	       (!traits->producers_max || fan->producers <= traits->producers_max) &&
	       (!traits->consumers_max || fan->consumers <= traits->consumers_max) &&
	       !(traits->multicast && fan->window && fan->consumers > 1) && fan->message_bytes <= traits->message_max;
}

static void run_case(struct fan_case fan)
{
	for (size_t q = 0; queue_list[q]; q++) {
		struct fan_rig *rig;
		struct fan_case own = fan;

		if (!queue_list[q]->traits.batches)
			own.batch = 1;
		if (!fans(queue_list[q], &own))
			continue;
		rig = fan_open(queue_list[q], &own);
		fan_run(rig);
		fan_check(rig, fan.messages);
		fan_close(rig);
	}
}

static const enum wait_policy policies[] = {WAIT_YIELD, WAIT_PARK, WAIT_EVENTFD, WAIT_ADAPTIVE};

static void all_shapes_in_all_ways_of_waiting(void **state)
{
	(void)state;
	for (unsigned producers = 1; producers <= SIDE; producers++)
		for (unsigned consumers = 1; consumers <= SIDE; consumers++)
			for (size_t w = 0; w < 4; w++)
				for (size_t batch = 1; batch <= 9; batch += 8)
					run_case((struct fan_case){.producers = producers, .consumers = consumers, .message_bytes = 24,
								   .batch = batch, .messages = 700, .stamp_every = 1, .wait = policies[w]});
}

static void all_sizes_counts_and_stamps(void **state)
{
	static const size_t sizes[] = {8, 13, 24, 64, 200};
	static const uint64_t counts[] = {0, 1, 2, 300}, spacings[] = {0, 1, 7};

	(void)state;
	for (size_t s = 0; s < 5; s++)
		for (size_t m = 0; m < 4; m++)
			for (size_t k = 0; k < 3; k++)
				run_case((struct fan_case){.producers = 2, .consumers = 2, .message_bytes = sizes[s], .batch = 5,
							   .messages = counts[m], .stamp_every = spacings[k], .inner = k == 1,
							   .wait = WAIT_PARK});
}

static void a_window_holds_each_producer_back(void **state)
{
	(void)state;
	for (size_t w = 0; w < 4; w++)
		for (unsigned consumers = 1; consumers <= 2; consumers++)
			run_case((struct fan_case){.producers = 3, .consumers = consumers, .message_bytes = 64, .batch = 4, .messages = 500,
						   .window = 3, .stamp_every = 1, .wait = policies[w]});
}

static void open_loads_and_work(void **state)
{
	static const uint64_t rates[] = {0, 100000, 1000000000};

	(void)state;
	for (size_t r = 0; r < 3; r++)
		for (size_t w = 0; w < 4; w++)
			for (unsigned consumers = 1; consumers <= 2; consumers++)
				for (size_t batch = 1; batch <= 4; batch += 3)
					run_case((struct fan_case){.producers = 2, .consumers = consumers, .message_bytes = 64, .batch = batch,
								   .messages = 200, .stamp_every = 1 + w, .rate_per_s = rates[r],
								   .work_steps = w * 10, .inner = w == 1, .wait = policies[w]});
}

/* They contend for the queue together: those that went on alone would be measured under another load. */
static void a_producer_without_room_for_stamps_ends_all(void **state)
{
	struct fan_case fan = {.producers = 2, .consumers = 1, .message_bytes = 8, .batch = 4, .messages = 1000, .stamp_every = 1,
			       .wait = WAIT_YIELD};
	struct fan_rig *rig = fan_open(queue_find("spin"), &fan);

	(void)state;
	rig->out[0].account.stamps.room = rig->out[1].account.stamps.room = 40;
	fan_run(rig);
	assert_true(rig->out[0].account.stamps_full || rig->out[1].account.stamps_full);
	assert_int_equal(rig->fan.cut_short, 1);
	fan_close(rig);

	rig = fan_open(queue_find("spin"), &fan);
	rig->fan.cut_short = 1; /* one was full before the others began */
	fan_run(rig);
	fan_check(rig, fan.batch); /* until the next look */
	fan_close(rig);
}

static void a_duration_ends_all_producers(void **state)
{
	struct fan_case fan = {.producers = 2, .consumers = 2, .message_bytes = 8, .batch = 1, .messages = UINT64_MAX,
			       .stamp_every = 64, .wait = WAIT_YIELD};
	struct fan_rig *rig = fan_open(queue_find("spin"), &fan);

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		rig->out[i].plan.measure_ticks = rig->in[i].plan.measure_ticks = 2000000;
		rig->out[i].plan.warm_up_ticks = rig->in[i].plan.warm_up_ticks = 1000000;
	}
	fan_run(rig);
	for (unsigned i = 0; i < 2; i++) {
		const struct endpoint_account *sent = &rig->out[i].account, *received = &rig->in[i].account;
		uint64_t read = 0;

		for (unsigned c = 0; c < 2; c++)
			read += rig->in[c].account.tallies[i].fingerprint;
		assert_true(read == sent->tallies[i].fingerprint);
		/* both ends' rates are those of the phase that began for all at once */
		assert_true(sent->outer_first.ticks == rig->start + 1000000 && received->outer_first.ticks == sent->outer_first.ticks);
		assert_true(sent->outer_last.ticks >= rig->start + 3000000 && received->outer_last.ticks >= rig->start + 3000000);
		assert_true(sent->longest_gap > 0 && received->longest_gap > 0);
	}
	fan_close(rig);
}

/* ---- pipelines ---- */

enum { STAGES = 4 };

struct pipeline {
	const struct target *target;
	struct stream_rig *rigs[STAGES - 1];
	enum message_class class;
	uint64_t start;
};

struct stage {
	struct pipeline *pipeline;
	unsigned index;
	pthread_t thread;
};

static void *stage_main(void *argument)
{
	const struct stage *stage = argument;
	const struct pipeline *line = stage->pipeline;
	const struct target *target = line->target;
	struct stream_rig *in = stage->index ? line->rigs[stage->index - 1] : NULL;
	struct stream_rig *out = stage->index + 1 < STAGES ? line->rigs[stage->index] : NULL;

	if (!in && out->out.arrivals)
		target->produce_open(&out->out, &out->sent, line->start);
	else if (!in)
		target->produce[line->class](&out->out, &out->sent, line->start);
	else if (!out)
		target->consume[line->class](&in->in, &in->received);
	else
		target->relay[line->class](&out->out, &out->sent, &in->in, &in->received);
	return NULL;
}

static void check_pipeline(const struct queue *queue, size_t bytes, size_t batch, uint64_t messages, uint64_t stamp_every, bool inner,
			   uint64_t window, enum wait_policy wait, bool open)
{
	struct pipeline line = {.target = target_find(queue->name), .start = clock_ticks(CLOCK_SYSTEM)};
	struct stage stages[STAGES];

	for (unsigned i = 0; i + 1 < STAGES; i++) {
		struct stream_rig *rig = stream_rig_open(queue, bytes, batch, messages, 0);
		struct endpoint_plan *plans[] = {&rig->out, &rig->in};

		line.rigs[i] = rig;
		for (size_t k = 0; k < 2; k++) {
			plans[k]->inner = inner;
			plans[k]->stamp_every = stamp_every;
			if (!queue->traits.blocks_natively) {
				plans[k]->wait = wait;
				plans[k]->spins = 8;
			}
		}
		wait_close(&rig->shared->messages);
		wait_close(&rig->shared->room);
		assert_int_equal(wait_open(&rig->shared->messages, rig->out.wait), 0);
		assert_int_equal(wait_open(&rig->shared->room, rig->out.wait), 0);
	}
	for (unsigned i = 0; open && i + 1 < STAGES; i++) {
		stream_rig_open_load(line.rigs[i], 500000, 0, false, 10);
		line.rigs[i]->start = line.start;
		if (i)
			line.rigs[i]->out.arrivals = NULL;
	}
	/* the window is that of the whole */
	line.rigs[0]->out.window = line.rigs[STAGES - 2]->in.window = window;
	line.rigs[STAGES - 2]->in.read = line.rigs[0]->out.read;
	line.rigs[STAGES - 2]->in.window_room = line.rigs[0]->out.window_room;
	line.class = message_class(line.rigs[0]->out.stride, line.rigs[0]->out.touched);
	for (unsigned i = 0; i < STAGES; i++) {
		stages[i] = (struct stage){.pipeline = &line, .index = i};
		assert_int_equal(pthread_create(&stages[i].thread, NULL, stage_main, &stages[i]), 0);
	}
	for (unsigned i = 0; i < STAGES; i++)
		pthread_join(stages[i].thread, NULL);
	for (unsigned i = 0; i + 1 < STAGES; i++) {
		const struct stream_rig *rig = line.rigs[i], *before = i ? line.rigs[i - 1] : rig;

		assert_int_equal(rig->sent.messages, messages);
		stream_rig_check(rig);
		for (size_t k = 0; i && k < rig->sent.stamps.count; k++) {
			assert_int_equal(rig->sent_at[k].sequence, before->received_at[k].sequence);
			assert_true(rig->sent_at[k].outer >= (open ? before->handled[k] : before->received_at[k].outer));
		}
	}
	for (unsigned i = 0; i + 1 < STAGES; i++)
		stream_rig_close(line.rigs[i]);
}

static void a_pipeline_passes_everything_on(void **state)
{
	static const size_t sizes[] = {8, 13, 24, 64}, batches[] = {1, 7, 200};
	static const uint64_t counts[] = {0, 1, 2, 600}, spacings[] = {0, 1, 7};

	(void)state;
	for (size_t q = 0; queue_list[q]; q++) {
		const struct queue_traits *traits = &queue_list[q]->traits;

		if (traits->one_thread || traits->lossy || traits->own_batch_bytes)
			continue;
		for (size_t i = 0; i < 4 * 3 * 4 * 3; i++) {
			size_t s = i % 4, b = i / 4 % 3, m = i / 12 % 4, k = i / 48;

			if (sizes[s] <= traits->message_max && sizes[s] >= traits->message_min)
				check_pipeline(queue_list[q], sizes[s], traits->batches ? batches[b] : 1, counts[m], spacings[k],
					       (b + k) % 2, (s + m) % 2 ? 0 : 5, policies[(s + b + m) % 3], k == 1 && m != 1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_shapes_in_all_ways_of_waiting),
		cmocka_unit_test(all_sizes_counts_and_stamps),
		cmocka_unit_test(a_window_holds_each_producer_back),
		cmocka_unit_test(open_loads_and_work),
		cmocka_unit_test(a_producer_without_room_for_stamps_ends_all),
		cmocka_unit_test(a_duration_ends_all_producers),
		cmocka_unit_test(a_pipeline_passes_everything_on),
	};

	alarm(600); /* a lost wake-up hangs */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
