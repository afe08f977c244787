/* The verdict on an open load, on queues that are simulated: one server that takes the same time for each message, and sleeps once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capacity.h"
#include "list.h"
#include "open_load.h"
#include "schedule.h"

#define SECOND 2000000000.0 /* ticks */

struct simulation {
	double offered;           /* of the capacity */
	double length;            /* of the schedule, seconds */
	double stall_at, stall_s; /* the server sleeps then, so long */
	double batch;             /* messages due at once */
	bool poisson;
};

static double exponential(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return -log(1 - (double)(*random >> 11) / 9007199254740992.0);
}

/* 20,000 messages a second can be served. */
static bool grows(struct simulation simulation)
{
	double service = SECOND / 20000, interval = service / simulation.offered, due = 0, free_at = 0, length = simulation.length * SECOND;
	double asleep = simulation.stall_at * SECOND, awake = asleep + simulation.stall_s * SECOND;
	struct open_quarters quarters = open_quarters_begin(1000, 1000 + (uint64_t)length);
	uint64_t random = 1;

	for (uint64_t i = 0; due < length; i++) {
		double begin = fmax(due, free_at);

		if (begin + service > asleep && begin < awake)
			begin = awake;
		free_at = begin + service;
		open_quarters_add(&quarters, 1000 + (uint64_t)due, (int64_t)(free_at - due));
		if (simulation.poisson)
			due += interval * exponential(&random);
		else if (simulation.batch == 0 || fmod((double)(i + 1), simulation.batch) == 0)
			due += interval * fmax(simulation.batch, 1);
	}
	assert_true(open_quarters_are_known(&quarters));
	return open_quarters_grow(&quarters);
}

static void what_keeps_up_is_not_saturated(void **state)
{
	static const double loads[] = {0.1, 0.5, 0.9, 0.95, 0.99};

	(void)state;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		assert_false(grows((struct simulation){.offered = loads[i], .length = 0.1}));
		assert_false(grows((struct simulation){.offered = loads[i], .length = 5}));
		assert_false(grows((struct simulation){.offered = loads[i], .length = 1, .batch = 64}));
	}
	assert_false(grows((struct simulation){.offered = 0.5, .length = 5, .poisson = true}));
	assert_false(grows((struct simulation){.offered = 0.95, .length = 5, .poisson = true}));
}

static void one_stall_is_no_saturation_wherever_it_falls(void **state)
{
	(void)state;
	for (double at = 0; at < 4.9; at += 0.05) {
		assert_false(grows((struct simulation){.offered = 0.5, .length = 5, .stall_at = at, .stall_s = 0.2}));
		assert_false(grows((struct simulation){.offered = 0.5, .length = 5, .stall_at = at, .stall_s = 0.2, .poisson = true}));
		assert_false(grows((struct simulation){.offered = 0.95, .length = 5, .stall_at = at, .stall_s = 0.2}));
	}
	/* one that is long as measured by the trial, and whose backlog is never worked off in it */
	for (double at = 0; at < 0.1; at += 0.001)
		assert_false(grows((struct simulation){.offered = 0.9, .length = 0.1, .stall_at = at, .stall_s = 0.03}));
}

static void more_than_the_capacity_is_always_saturated(void **state)
{
	static const double loads[] = {1.02, 1.05, 1.5, 2, 10};

	(void)state;
	for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
		assert_true(grows((struct simulation){.offered = loads[i], .length = 0.1}));
		assert_true(grows((struct simulation){.offered = loads[i], .length = 5}));
		assert_true(grows((struct simulation){.offered = loads[i], .length = 5, .batch = 64}));
		for (double at = 0; at < 5; at += 0.25)
			assert_true(grows((struct simulation){.offered = loads[i], .length = 5, .stall_at = at, .stall_s = 0.2}));
	}
	assert_true(grows((struct simulation){.offered = 2, .length = 5, .poisson = true}));
}

static void too_few_messages_tell_nothing(void **state)
{
	struct open_quarters quarters = open_quarters_begin(0, 1000);

	(void)state;
	open_quarters_add(&quarters, 0, 5);
	open_quarters_add(&quarters, 300, 1000);
	open_quarters_add(&quarters, 600, 2000);
	assert_false(open_quarters_are_known(&quarters));
	assert_false(open_quarters_grow(&quarters));
	open_quarters_add(&quarters, 1000, 3000);
	assert_true(open_quarters_are_known(&quarters));
	assert_true(open_quarters_grow(&quarters));
	open_quarters_add(&quarters, 700, 900);
	assert_false(open_quarters_grow(&quarters));
	assert_int_equal(quarters.least[2], 900);
}

/* Bursts of 5,000 each 30 ms, of 60 ms: of each message so long is read, a stall before the second burst. Whether they outlast it. */
static bool bursts_outlast(unsigned bursts, double each_s, double stall_s)
{
	double gap = 0.03 * SECOND, free_at = 0;
	struct open_quarters quarters = open_quarters_begin(1000, 1000 + (uint64_t)(gap * (bursts - 1)));

	for (unsigned burst = 0; burst < bursts; burst++)
		for (unsigned i = 0; i < 5000; i++) {
			free_at = fmax(free_at, burst * gap + (burst == 1 ? stall_s * SECOND : 0)) + each_s * SECOND;
			open_quarters_add(&quarters, 1000 + (uint64_t)(burst * gap), (int64_t)(free_at - burst * gap));
		}
	assert_false(open_quarters_are_known(&quarters));
	assert_false(open_quarters_grow(&quarters));
	return open_quarters_outlast(&quarters, gap);
}

static void bursts_too_few_to_fill_quarters_are_saturated_where_they_outlast_their_gap(void **state)
{
	(void)state;
	for (unsigned bursts = 1; bursts <= 3; bursts++) {
		assert_true(bursts_outlast(bursts, 10e-6, 0)); /* 50 ms for each burst */
		assert_true(bursts_outlast(bursts, 6.1e-6, 0));
		assert_false(bursts_outlast(bursts, 5.9e-6, 0));
		assert_false(bursts_outlast(bursts, 1e-6, 0.02)); /* a stall that leaves time */
	}
	assert_false(bursts_outlast(3, 1e-6, 0.04)); /* one that does not, and is caught up with */
}

/* ---- whether a rate was reached ---- */

static void schedule_of(struct trial_endpoint *out, const struct cell *cell, struct arrivals *arrivals, uint64_t messages,
			uint64_t rate_per_s, uint64_t each_ticks)
{
	struct stamps *stamps = &out->account.stamps;
	struct arriving arriving;

	schedule_make(arrivals, cell, 0, rate_per_s, 1e9, 1);
	out->used = true;
	out->plan.arrivals = arrivals;
	*stamps = (struct stamps){.at = calloc(messages, sizeof(struct stamp)), .outmost = calloc(messages, sizeof(uint64_t)), .room = messages};
	arriving = arrivals_begin(arrivals, 1000);
	for (uint64_t i = 0; i < messages; i++) {
		uint64_t before = i ? stamps->at[i - 1].outer : 0;

		stamps->outmost[i] = arriving.due;
		stamps->at[i] = (struct stamp){.sequence = i + 1, .outer = (before > arriving.due ? before : arriving.due) + each_ticks};
		arrivals_next(arrivals, &arriving);
	}
	stamps->count = messages;
}

/* Bursts of 100 messages each millisecond, 10 of them; of each message so long is written. */
static struct open_load judge_bursts(uint64_t each_ns)
{
	struct trial_request request = {.clock = {.ticks_per_s = 1e9}, .cell = {.load = LOAD_OPEN, .arrival = ARRIVAL_BURST, .burst = 100,
					.gap_ns = 1000000, .producers = 1, .consumers = 1}};
	struct trial *trial = calloc(1, sizeof(*trial));
	struct arrivals arrivals;
	struct open_load load;

	assert_non_null(trial);
	trial->request = &request;
	trial->actor_count = 2;
	schedule_of(&trial->actors[0].out, &request.cell, &arrivals, 1000, 0, each_ns);
	load = open_load_judge(trial);
	free(trial->actors[0].out.account.stamps.at);
	free(trial->actors[0].out.account.stamps.outmost);
	free(trial);
	return load;
}

static void a_burst_that_is_written_before_the_next_is_due_is_in_time(void **state)
{
	struct open_load load = judge_bursts(5000); /* half of the time */

	(void)state;
	assert_true(load.reached_share == 1);
	assert_true(fabs(load.reached_per_s / 1e5 - 1) < 1e-9); /* what is offered: no burst more than there are gaps */
	assert_true(judge_bursts(9900).reached_share > 0.99);
	load = judge_bursts(20000); /* twice the time that there is */
	assert_true(fabs(load.reached_share - 0.5) < 0.001);
	assert_true(fabs(load.reached_per_s / 5e4 - 1) < 0.002);
}

/* A producer of so many messages of which none is stamped, for 20 ms at 100,000/s. */
static struct open_load judge_unstamped(uint64_t messages, uint64_t rate_per_s)
{
	struct trial_request request = {.clock = {.ticks_per_s = 1e9}, .rate_per_s = rate_per_s,
					.cell = {.load = LOAD_OPEN, .arrival = ARRIVAL_POISSON, .duration_ns = 20000000, .producers = 1, .consumers = 1}};
	struct trial *trial = calloc(1, sizeof(*trial));
	struct arrivals arrivals;
	struct open_load load;

	assert_non_null(trial);
	trial->request = &request;
	trial->actor_count = 2;
	schedule_make(&arrivals, &request.cell, 0, rate_per_s, 1e9, 1);
	trial->actors[0].out.used = true;
	trial->actors[0].out.plan.arrivals = &arrivals;
	trial->actors[0].out.account.messages = messages;
	load = open_load_judge(trial);
	free(trial);
	return load;
}

static void what_was_offered_and_never_written_was_not_reached(void **state)
{
	struct open_load load = judge_unstamped(0, 100000);

	(void)state;
	assert_true(load.reached_share == 0 && load.reached_per_s == 0);
	load = judge_unstamped(500, 100000); /* of 2000 */
	assert_true(fabs(load.reached_share - 0.25) < 1e-9 && fabs(load.reached_per_s - 25000) < 1e-3);
	assert_true(judge_unstamped(1900, 100000).reached_share < 0); /* that many would do: nothing is known */
	assert_true(judge_unstamped(0, 300).reached_share < 0);       /* six were due: there may be none by chance */
}

struct producer_of_test {
	uint64_t messages, stamps, unwritten_from, unwritten_to;
};

/* Up to two producers, of whose stamps each message has one. */
static struct open_load judge_two(const struct cell *cell, uint64_t rate_per_s, double capacity_per_s,
				  const struct producer_of_test *producers)
{
	struct trial_request request = {.clock = {.ticks_per_s = 1e9}, .rate_per_s = rate_per_s, .capacity_per_s = capacity_per_s, .cell = *cell};
	struct trial *trial = calloc(1, sizeof(*trial));
	struct arrivals arrivals[2];
	struct open_load load;

	assert_non_null(trial);
	trial->request = &request;
	trial->actor_count = cell->producers + cell->consumers;
	for (unsigned p = 0; p < cell->producers; p++) {
		struct trial_endpoint *out = &trial->actors[p].out;

		out->used = true;
		schedule_make(&arrivals[p], cell, p, rate_per_s, 1e9, 1);
		out->plan.arrivals = &arrivals[p];
		if (producers[p].stamps)
			schedule_of(out, cell, &arrivals[p], producers[p].stamps, rate_per_s, 10);
		out->plan.measure_ticks = cell->duration_ns;
		out->account.messages = producers[p].messages;
		out->account.unwritten_from = producers[p].unwritten_from;
		out->account.unwritten_to = producers[p].unwritten_to;
	}
	load = open_load_judge(trial);
	for (unsigned p = 0; p < cell->producers; p++) {
		free(trial->actors[p].out.account.stamps.at);
		free(trial->actors[p].out.account.stamps.outmost);
	}
	free(trial);
	return load;
}

static void a_burst_that_was_hardly_written_was_not_reached(void **state)
{
	struct cell cell = {.load = LOAD_OPEN, .arrival = ARRIVAL_BURST, .burst = 1000000, .gap_ns = 100000000, .duration_ns = 100000000,
			    .producers = 1, .consumers = 1};
	struct producer_of_test one = {.messages = 28910, .stamps = 2000, .unwritten_from = 1000, .unwritten_to = 100001000};
	struct open_load load = judge_two(&cell, 0, 0, &one);

	(void)state;
	assert_true(fabs(load.reached_share - 0.02891) < 1e-9);
	assert_true(fabs(load.reached_per_s - 289100) < 1e-3);
	one = (struct producer_of_test){.unwritten_from = 1000, .unwritten_to = 100001000};
	assert_true(judge_two(&cell, 0, 0, &one).reached_share == 0);
	/* stuck in the warm-up: what was due before the measured phase is none of it */
	one = (struct producer_of_test){.messages = 1000000, .unwritten_from = 1, .unwritten_to = 300000000};
	assert_true(judge_two(&cell, 0, 0, &one).reached_share == 0.5);
	one = (struct producer_of_test){.messages = 28910}; /* nothing says that more was due but the duration */
	assert_true(fabs(judge_two(&cell, 0, 0, &one).reached_share - 0.02891) < 1e-9);
	cell.gap_ns = 150000000; /* there may have been no burst in it */
	one.messages = 0;
	assert_true(judge_two(&cell, 0, 0, &one).reached_share < 0);
}

static void a_starved_producers_share_was_not_reached(void **state)
{
	struct cell cell = {.workload = WORKLOAD_FANIN, .load = LOAD_OPEN, .arrival = ARRIVAL_CONSTANT, .duration_ns = 20000000, .producers = 2,
			    .consumers = 1};
	struct producer_of_test two[2] = {{.messages = 1930, .stamps = 1930},
					  {.unwritten_from = 1000, .unwritten_to = 20001000}};
	struct open_load load = judge_two(&cell, 193000, 386000, two);

	(void)state;
	assert_true(fabs(load.reached_share - 0.5) < 0.001);
	assert_false(load.saturated);
	assert_true(judge_two(&cell, 193000, 160000, two).saturated); /* more than the capacity, and not reached */
	two[0] = (struct producer_of_test){.messages = 32, .stamps = 1, .unwritten_from = 4267667, .unwritten_to = 20001000};
	two[1] = (struct producer_of_test){.messages = 64, .stamps = 1, .unwritten_from = 8534333, .unwritten_to = 20001000};
	load = judge_two(&cell, 15000, 12500, two); /* 150 are due of each */
	assert_true(fabs(load.reached_share - 96.0 / 300) < 0.01);
	assert_true(load.saturated);
}

/* ---- capacity ---- */

static json_t *trial_of(const char *status, bool valid)
{
	return json_pack("{s:s, s:s?, s:b, s:[{s:s, s:i, s:[{s:f}]}, {s:s, s:i, s:[{s:f}]}, {s:s, s:i, s:[{s:f}]}, {s:s, s:i, s:[{s:n}]}]}",
			 "status", status, "why", valid ? NULL : "for a reason", "valid", valid, "endpoints", "role", "producer", "queue", 0,
			 "points", "rate_per_s", 7e6, "role", "consumer", "queue", 0, "points", "rate_per_s", 4e6, "role", "consumer",
			 "queue", 0, "points", "rate_per_s", 2e6, "role", "consumer", "queue", 1, "points", "rate_per_s");
}

static void a_capacity_is_the_receivers_rate(void **state)
{
	struct cell cell = {.queue = queue_find("lanes"), .workload = WORKLOAD_FANOUT, .producers = 1, .consumers = 2};
	json_t *trial = trial_of("ok", true), *invalid = trial_of("invalid", false), *crash = trial_of("crash", false);
	struct capacity capacity = capacity_of_trial(&cell, trial, 9);

	(void)state;
	assert_true(capacity.per_s == 6e6);
	assert_int_equal(capacity.trial, 9);
	assert_int_equal(capacity_share(&capacity, 50), 3000000);
	assert_int_equal(capacity_share(&capacity, 200), 12000000);
	capacity.per_s = 0.3;
	assert_int_equal(capacity_share(&capacity, 1), 1);
	cell.queue = queue_find("disruptor"); /* each of the two reads each message */
	assert_true(capacity_of_trial(&cell, trial, 9).per_s == 3e6);
	capacity = capacity_of_trial(&cell, invalid, 9);
	assert_true(capacity.per_s == 0);
	assert_non_null(strstr(capacity.why, "did not count: invalid, for a reason"));
	assert_true(capacity_of_trial(&cell, crash, 9).per_s == 0);
	cell.workload = WORKLOAD_PIPELINE;
	cell.stages = 3;
	capacity = capacity_of_trial(&cell, trial, 9);
	assert_true(capacity.per_s == 0); /* its last reader has no rate */
	assert_non_null(strstr(capacity.why, "(id 9) has no rate at read"));
	assert_null(strstr(capacity.why, "ok"));
	json_decref(trial);
	json_decref(invalid);
	json_decref(crash);
}

static void what_exceeds_the_capacity_and_falls_behind_is_saturated_however_short(void **state)
{
	(void)state;
	assert_true(open_load_exceeds(0.5, 1, 2e6, 1e6));
	assert_true(open_load_exceeds(0.98, 1, 1e6, 1e6));
	assert_false(open_load_exceeds(0.98, 1, 9e5, 1e6)); /* it may have been a stall */
	assert_false(open_load_exceeds(0.995, 1, 2e6, 1e6)); /* then the capacity was more than was measured */
	assert_false(open_load_exceeds(0.5, 1, 2e6, 0));
	assert_true(open_load_exceeds(1, 0.5, 2e6, 1e6)); /* it found room in the queue */
	assert_true(open_load_exceeds(0.5, -1, 2e6, 1e6));
	assert_false(open_load_exceeds(1, 0.5, 9e5, 1e6));
	assert_false(open_load_exceeds(-1, -1, 2e6, 1e6));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_keeps_up_is_not_saturated),
		cmocka_unit_test(one_stall_is_no_saturation_wherever_it_falls),
		cmocka_unit_test(more_than_the_capacity_is_always_saturated),
		cmocka_unit_test(too_few_messages_tell_nothing),
		cmocka_unit_test(what_exceeds_the_capacity_and_falls_behind_is_saturated_however_short),
		cmocka_unit_test(a_burst_that_is_written_before_the_next_is_due_is_in_time),
		cmocka_unit_test(what_was_offered_and_never_written_was_not_reached),
		cmocka_unit_test(bursts_too_few_to_fill_quarters_are_saturated_where_they_outlast_their_gap),
		cmocka_unit_test(a_burst_that_was_hardly_written_was_not_reached),
		cmocka_unit_test(a_starved_producers_share_was_not_reached),
		cmocka_unit_test(a_capacity_is_the_receivers_rate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
