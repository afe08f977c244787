#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"
#include "plan.h"

#define SECOND_NS 1000000000ull

enum { ARGUMENTS_MAX = 32, ERROR_TEXT = 1024 };

/* Two cores under one L3 cache, as most of the machines that these tests run on. */
static const char two_cores[] = "pack:1 l3:1 core:2 pu:1";

static int plan_line(struct plan *plan, struct suites *suites, const char *machine, const char *line, char *error)
{
	static const struct limits limits = {.memory_available_bytes = 16ull << 30, .memory_limit_bytes = UINT64_MAX};
	char text[512], *arguments[ARGUMENTS_MAX + 1] = {0};
	struct topology *topology;
	struct options options;
	int count = 0, result;

	snprintf(text, sizeof(text), "twopoint run %s", line);
	for (char *word = strtok(text, " "); word && count < ARGUMENTS_MAX; word = strtok(NULL, " "))
		arguments[count++] = word;
	if (options_parse(&options, count, arguments, error, ERROR_TEXT) ||
	    suites_load(suites, &options, error, ERROR_TEXT) ||
	    run_settings_resolve(&suites->options, &limits, error, ERROR_TEXT))
		fail_msg("'%s' was refused: %s", line, error);
	options_free(&options);
	setenv("HWLOC_SYNTHETIC", machine, 1);
	if (topology_load(&topology, error))
		fail_msg("%s: %s", machine, error);
	result = plan_make(plan, suites, NULL, topology, error, ERROR_TEXT);
	topology_free(topology);
	return result;
}

static struct plan planned_on(const char *machine, const char *line)
{
	struct suites suites;
	struct plan plan;
	char error[ERROR_TEXT] = "", with_dry_run[512];

	snprintf(with_dry_run, sizeof(with_dry_run), "--dry-run %s", line);
	if (plan_line(&plan, &suites, machine, with_dry_run, error))
		fail_msg("'%s' was refused: %s", line, error);
	suites_free(&suites);
	return plan;
}

static struct plan planned(const char *line)
{
	return planned_on(two_cores, line);
}

static void assert_refused(const char *machine, const char *line, int expected, const char *part)
{
	struct suites suites;
	struct plan plan;
	char error[ERROR_TEXT] = "";
	int result = plan_line(&plan, &suites, machine, line, error);

	suites_free(&suites);
	if (result != expected || !strstr(error, part))
		fail_msg("'%s': expected %d '%s', got %d '%s'", line, expected, part, result, error);
}

/* So many cells are skipped for a reason that has this in it. */
static void assert_skipped(const struct plan *plan, size_t cells, const char *part)
{
	for (size_t i = 0; i < plan->skipped_count; i++)
		if (strstr(plan->skipped[i].reason, part)) {
			assert_int_equal(plan->skipped[i].cells, cells);
			return;
		}
	fail_msg("nothing is skipped for '%s'", part);
}

static size_t cells_of(const struct plan *plan, const char *queue)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->cell_count; i++)
		count += !strcmp(plan->cells[i].queue->name, queue);
	return count;
}

static void lists_multiply(void **state)
{
	struct plan plan = planned("--queue ring,ypipe --workload stream --batch 1,10,100 --message-size 8,64");

	(void)state;
	assert_int_equal(plan.cell_count, 2 * 3 * 2);
	assert_int_equal(plan.skipped_count, 0);
	plan_free(&plan);
}

static void loads_windows_and_stamps_default_by_workload(void **state)
{
	struct plan plan = planned("--queue ring,ypipe");
	struct plan closed = planned("--queue ring --workload stream --load closed");

	(void)state;
	assert_int_equal(plan.cell_count, 4);
	assert_int_equal(plan.cells[0].load, LOAD_SATURATE);
	assert_int_equal(plan.cells[0].window, 0);
	assert_int_equal(plan.cells[0].stamps, STAMPS_BATCH);
	assert_int_equal(plan.cells[0].capacity, 1024);
	assert_int_equal(plan.cells[1].workload, WORKLOAD_PINGPONG);
	assert_int_equal(plan.cells[1].load, LOAD_CLOSED);
	assert_int_equal(plan.cells[1].window, 1);
	assert_int_equal(plan.cells[1].stamps, STAMPS_MESSAGE);
	assert_int_equal(plan.cells[2].window, CELL_WINDOW_UNBOUNDED);
	assert_int_equal(plan.cells[2].capacity, 0);
	assert_int_equal(closed.cells[0].window, CELL_WINDOW_CLOSED);
	assert_int_equal(closed.cells[0].stamps, STAMPS_MESSAGE);
	plan_free(&plan);
	plan_free(&closed);
}

static void an_open_load_has_half_of_the_capacity_unless_told(void **state)
{
	struct plan plan = planned("--queue ring,ypipe --workload stream --load open");

	(void)state;
	assert_int_equal(plan.cell_count, 4);
	for (size_t i = 0; i < 2; i++) {
		const struct cell *cell = &plan.cells[i], *capacity = &plan.cells[plan.capacities[i]];

		assert_int_equal(cell->load, LOAD_OPEN);
		assert_int_equal(cell->rate_percent, 50);
		assert_int_equal(cell->rate_per_s + cell->gap_ns + cell->burst, 0);
		assert_int_equal(cell->arrival, ARRIVAL_CONSTANT);
		assert_int_equal(cell->stamps, STAMPS_MESSAGE);
		assert_int_equal(cell->window, i ? CELL_WINDOW_UNBOUNDED : 0);
		assert_int_equal(cell->latency_count, 3);
		assert_int_equal(cell->latencies[0].from, POINT_INTENDED);
		assert_int_equal(cell->latencies[0].to, POINT_READ);
		assert_ptr_equal(capacity->queue, cell->queue);
		assert_int_equal(capacity->load, LOAD_SATURATE);
		assert_int_equal(capacity->stamps, STAMPS_MESSAGE);
		assert_int_equal(capacity->window, cell->window);
		assert_int_equal(capacity->rate_percent, 0);
		assert_int_equal(capacity->latency_count, 1);
		assert_int_equal(plan.capacities[plan.capacities[i]], PLAN_NO_CAPACITY);
	}
	plan_free(&plan);
}

static void a_capacity_is_measured_once_for_all_shares_of_it(void **state)
{
	struct plan plan = planned("--queue ring --workload stream --load saturate,open --rate 10%,90%,1M --stamps message "
				   "--arrival constant,poisson");
	struct plan longer = planned("--queue ring --workload stream --load open --rate 10%,90% --duration 5s");
	struct plan counted = planned("--queue ring --workload stream --load open --messages 100 --rate 10%");
	struct plan pingpong = planned("--queue ring --workload pingpong --load open");

	(void)state;
	assert_int_equal(plan.cell_count, 1 + 6); /* the one that was asked for is of use for all */
	for (size_t i = 0; i < plan.cell_count; i++)
		if (plan.cells[i].rate_percent)
			assert_int_equal(plan.cells[plan.capacities[i]].load, LOAD_SATURATE);
		else
			assert_true(plan.capacities[i] == PLAN_NO_CAPACITY);
	assert_int_equal(longer.cell_count, 3);
	assert_int_equal(longer.capacities[0], 2);
	assert_int_equal(longer.capacities[1], 2);
	assert_int_equal(longer.cells[2].duration_ns, 200000000);
	assert_int_equal(counted.cells[1].messages, 0);
	assert_int_equal(counted.cells[1].duration_ns, 200000000);
	assert_int_equal(pingpong.cell_count, 2);
	assert_int_equal(pingpong.cells[1].load, LOAD_CLOSED);
	assert_int_equal(pingpong.cells[1].window, 1);
	plan_free(&plan);
	plan_free(&longer);
	plan_free(&counted);
	plan_free(&pingpong);
}

static void threads_may_be_left_to_the_scheduler(void **state)
{
	struct plan plan = planned("--queue ring --workload stream --place nearest,unpinned");

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_string_equal(plan.cells[1].place, "unpinned");
	assert_false(cell_is_unpinned(&plan.cells[0]));
	assert_true(cell_is_unpinned(&plan.cells[1]));
	assert_memory_equal(plan.cells[0].cpus, plan.cells[1].cpus, sizeof(plan.cells[0].cpus));
	plan_free(&plan);
}

static void bursts_have_a_gap_or_a_rate(void **state)
{
	struct plan gaps = planned("--queue ring --workload stream --load open --arrival burst --burst 1,8 --gap 1us,1ms");
	struct plan rates = planned("--queue ring --workload stream --load open --arrival constant,burst --burst 1,8 --rate 1k");

	(void)state;
	assert_int_equal(gaps.cell_count, 4);
	assert_int_equal(gaps.cells[0].burst, 1);
	assert_int_equal(gaps.cells[0].gap_ns, 1000);
	assert_int_equal(gaps.cells[0].rate_per_s + gaps.cells[0].rate_percent, 0);
	assert_int_equal(rates.cell_count, 3); /* what is no burst has no size */
	assert_int_equal(rates.cells[0].burst, 0);
	assert_int_equal(rates.cells[2].burst, 8);
	assert_int_equal(rates.cells[2].rate_per_s, 1000);
	plan_free(&gaps);
	plan_free(&rates);
}

/* What no cell of the run can use is a mistake; what some can't is left out there. */
static void options_that_contradict_the_load_are_refused(void **state)
{
	struct plan both = planned("--queue ring --workload stream --load saturate,open --rate 1M --think 100ns --work 1us "
				   "--latency intended:read,write:flush");

	(void)state;
	assert_refused(two_cores, "--dry-run --queue ring --rate 1M", -EINVAL, "--rate: only --load open");
	assert_refused(two_cores, "--dry-run --queue ring --load closed --arrival poisson", -EINVAL, "--arrival: only --load open");
	assert_refused(two_cores, "--dry-run --queue ring --gap 1ms", -EINVAL, "--gap: only --load open");
	assert_refused(two_cores, "--dry-run --queue ring --load open --burst 8", -EINVAL, "--burst: only --arrival burst");
	assert_refused(two_cores, "--dry-run --queue ring --load open --gap 1ms", -EINVAL, "--gap: lies between bursts");
	assert_refused(two_cores, "--dry-run --queue ring --load open --arrival burst,poisson --gap 1ms", -EINVAL, "--gap: lies between bursts");
	assert_refused(two_cores, "--dry-run --queue ring --load open --think 1us", -EINVAL, "--think: an open load has none");
	assert_refused(two_cores, "--dry-run --queue ring --load open --stamps none", -EINVAL, "open load, stamps none");
	assert_refused(two_cores, "--dry-run --queue null --load open", -EINVAL, "both ends are one thread");
	assert_int_equal(both.cell_count, 2);
	assert_int_equal(both.cells[0].think_ns, 100);
	assert_int_equal(both.cells[1].think_ns, 0);
	assert_int_equal(both.cells[1].work_ns, 1000);
	assert_int_equal(both.cells[0].rate_per_s, 0);
	assert_int_equal(both.cells[1].rate_per_s, 1000000);
	assert_int_equal(both.cells[0].latency_count, 1);
	assert_int_equal(both.cells[1].latency_count, 2);
	plan_free(&both);
}

static void options_that_no_workload_has_are_refused(void **state)
{
	struct plan both = planned("--queue mutex --workload stream,mesh --producers 3 --consumers 2");
	struct plan ones = planned("--queue mutex --workload pingpong --producers 1 --consumers 1 --batch 1 --window 1 --prewrite on --preread on");

	(void)state;
	assert_refused(two_cores, "--dry-run --queue mutex --workload stream --producers 3", -EINVAL, "--producers: only fanin and mesh");
	assert_refused(two_cores, "--dry-run --queue mutex --workload fanout --producers 1,3", -EINVAL, "--producers: only fanin and mesh");
	assert_refused(two_cores, "--dry-run --queue mutex --workload fanin --consumers 2", -EINVAL, "--consumers: only fanout and mesh");
	assert_refused(two_cores, "--dry-run --queue mutex --stages 4", -EINVAL, "--stages: only pipeline");
	assert_refused(two_cores, "--dry-run --queue ring --workload pingpong --batch 1,8", -EINVAL, "--batch: pingpong");
	assert_refused(two_cores, "--dry-run --queue ring --workload pingpong --window 8", -EINVAL, "--window: pingpong");
	assert_refused(two_cores, "--dry-run --queue ring --workload pingpong --prewrite off", -EINVAL, "--prewrite: pingpong");
	assert_refused(two_cores, "--dry-run --queue ring --workload pingpong --preread off", -EINVAL, "--preread: pingpong");
	plan_free(&both);
	plan_free(&ones);
}

static void what_a_queue_cannot_vary_is_measured_once(void **state)
{
	struct plan plan = planned("--queue mutex,ypipe,ring --workload stream,pingpong --batch 1,10 --window 1,64 "
				   "--place nearest,same-l3");

	(void)state;
	assert_int_equal(plan.cell_count, (1 + 1) + (4 + 1) + (2 + 1));
	plan_free(&plan);
	plan = planned("--queue mutex --workload stream --batch 1,10,100");
	assert_int_equal(plan.cell_count, 1);
	assert_int_equal(plan.cells[0].batch, 1);
	plan_free(&plan);
	plan = planned("--queue ypipe --workload stream --capacity 16,1024");
	assert_int_equal(plan.cell_count, 1);
	plan_free(&plan);
}

/* A window that is dropped would be taken for one that was measured. */
static void a_window_that_no_cell_has_is_refused(void **state)
{
	static const char *const refused[] = {"ring --workload stream --load open", "ring --workload stream",
					      "ring,mutex --workload stream,pingpong --load saturate,open"};
	struct plan plan;
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		snprintf(line, sizeof(line), "--dry-run --window 100,64 --queue %s", refused[i]);
		assert_refused(two_cores, line, -EINVAL, "--window 100: no cell of this run has one; allowed: with --load closed");
	}
	plan = planned("--queue ring,ypipe --workload stream --load open --window 64");
	assert_int_equal(plan.cells[0].window, 0);
	assert_int_equal(plan.cells[1].window, 64);
	plan_free(&plan);
	plan = planned("--queue ring --workload stream --load closed,open --window 64");
	assert_int_equal(plan.cells[0].window, 64);
	plan_free(&plan);
	plan = planned("batch --queue ring"); /* the suite's is of another queue */
	plan_free(&plan);
}

static void a_schedule_without_a_message_is_not_measured(void **state)
{
	struct plan plan = planned("--queue ring,spin --workload stream,fanin --load open --rate 10,20,1k --duration 50ms");

	(void)state;
	assert_skipped(&plan, 3, "--rate 10, --duration 50ms: a trial may have no message; allowed: 20 or more");
	assert_int_equal(plan.cell_count, 3 * 2);
	plan_free(&plan);
	plan = planned("--queue spin --workload stream,fanin --load open --arrival burst --gap 1s,60ms,50ms --duration 50ms");
	assert_skipped(&plan, 1, "--gap 60ms, --duration 50ms: a trial may have no message; allowed: a gap of 50ms at most");
	assert_int_equal(plan.cell_count, 3);
	plan_free(&plan);
	plan = planned("--queue ring --workload stream --load open --arrival burst --burst 1,64 --rate 1k --duration 50ms");
	assert_skipped(&plan, 1, "--rate 1000 in bursts, --duration 50ms: a trial may have no message; allowed: 1280 or more");
	assert_int_equal(plan.cell_count, 1);
	plan_free(&plan);
	plan = planned("--queue ring --workload stream --load open --rate 1 --messages 2");
	plan_free(&plan);
	assert_refused(two_cores, "--dry-run --queue ring --workload stream --load open --rate 3 --duration 50ms", -EINVAL, "20 or more");
}

static void experiments_that_overlap_are_merged(void **state)
{
	struct plan once = planned("smoke"), twice = planned("smoke --queue ring,ring --message-size 64");

	(void)state;
	assert_int_equal(cells_of(&twice, "ring"), cells_of(&once, "ring"));
	assert_int_equal(twice.cell_count, cells_of(&once, "ring"));
	plan_free(&once);
	plan_free(&twice);
}

static void pingpong_has_no_saturation(void **state)
{
	struct plan plan = planned("--queue ring,ypipe --load saturate --batch 1,10");

	(void)state;
	assert_int_equal(plan.cell_count, 4);
	assert_int_equal(plan.skipped_count, 1);
	assert_skipped(&plan, 2, "pingpong, saturate");
	plan_free(&plan);
}

static void the_line_is_measured_once_a_place_at_its_own_size(void **state)
{
	struct plan plan = planned("--queue line,ring --message-size 64,200 --batch 1,10 --touch all,head --wait park "
				   "--capacity 64,128");

	(void)state;
	assert_int_equal(cells_of(&plan, "line"), 1);
	assert_int_equal(plan.cells[0].workload, WORKLOAD_PINGPONG);
	assert_int_equal(plan.cells[0].message_bytes, 8);
	assert_int_equal(plan.cells[0].capacity, 1);
	assert_int_equal(plan.cells[0].wait, WAIT_SPIN);
	assert_skipped(&plan, 1, "line: only pingpong");
	plan_free(&plan);
}

static void null_is_measured_once_a_batch_and_size_wherever_it_can(void **state)
{
	struct plan plan = planned_on("pack:1 l3:1 core:2 pu:2", "--queue null --batch 1,10 --message-size 8,64 "
					"--capacity 16,1024 --place cross-node,smt,same-l3 --wait yield");

	(void)state;
	assert_int_equal(plan.cell_count, 4);
	for (size_t i = 0; i < plan.cell_count; i++) {
		assert_string_equal(plan.cells[i].place, "smt");
		assert_int_equal(plan.cells[i].capacity, 2 * plan.cells[i].batch);
		assert_int_equal(plan.cells[i].wait, WAIT_SPIN);
		assert_int_equal(plan.cells[i].workload, WORKLOAD_STREAM);
	}
	assert_skipped(&plan, 2, "null: only stream, saturate"); /* pingpong, at batch 1, in two sizes */
	plan_free(&plan);
}

static void stream_limit_has_a_batch_and_a_capacity_of_its_own(void **state)
{
	struct plan plan = planned("--queue stream-limit --batch 1,10 --message-size 64,40000 --load saturate,closed");

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_int_equal(plan.cells[0].batch, (16 << 10) / 64);
	assert_int_equal(plan.cells[0].capacity, (8 << 20) / 64);
	assert_int_equal(plan.cells[1].batch, 1);
	assert_int_equal(plan.cells[1].capacity, (8 << 20) / 40000);
	plan_free(&plan);
	plan = planned("--queue stream-near --message-size 1M");
	assert_int_equal(plan.cells[0].capacity, 64);
	plan_free(&plan);
}

static void waiting_is_settled_by_queue_and_place(void **state)
{
	struct plan plan = planned("--workload stream --queue ring,mutex --wait auto,park --place same-l3,same-cpu");

	(void)state;
	assert_int_equal(plan.cell_count, 6);
	assert_int_equal(plan.cells[0].wait, WAIT_SPIN);
	assert_int_equal(plan.cells[1].wait, WAIT_PARK);
	assert_int_equal(plan.cells[2].wait, WAIT_YIELD);
	assert_int_equal(plan.cells[4].wait, WAIT_NATIVE);
	assert_int_equal(plan.cells[4].cpus[1], 1);
	plan_free(&plan);
	plan = planned("--workload stream --queue ring,mutex --wait native");
	assert_int_equal(plan.cell_count, 1);
	assert_skipped(&plan, 1, "ring: wait native");
	plan_free(&plan);
}

static void actors_default_by_workload(void **state)
{
	struct plan plan = planned("--queue spin --workload stream,fanin,fanout,mesh,pipeline");
	static const unsigned actors[] = {2, 3, 3, 4, 3}, producers[] = {1, 2, 1, 2, 1}, consumers[] = {1, 1, 2, 2, 1};

	(void)state;
	assert_int_equal(plan.cell_count, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(cell_actors(&plan.cells[i]), actors[i]);
		assert_int_equal(plan.cells[i].producers, producers[i]);
		assert_int_equal(plan.cells[i].consumers, consumers[i]);
		assert_int_equal(plan.cells[i].stages, i == 4 ? 3 : 0);
		assert_int_equal(plan.cells[i].load, LOAD_SATURATE);
		/* two CPUs, taken in turn: whoever shares one sleeps while it waits */
		for (unsigned k = 0; k < actors[i]; k++)
			assert_int_equal(plan.cells[i].cpus[k], k % 2);
		assert_int_equal(plan.cells[i].wait, i ? WAIT_PARK : WAIT_SPIN);
	}
	plan_free(&plan);
	/* what a workload does not have makes no cells of its own */
	plan = planned("--queue spin --workload stream,fanin,fanout,pipeline --producers 2,3 --consumers 2,3 --stages 3,4");
	assert_int_equal(plan.cell_count, 1 + 2 + 2 + 2);
	plan_free(&plan);
}

static void enough_cpus_are_spun_on(void **state)
{
	struct plan plan = planned_on("pack:1 l3:1 core:4 pu:1", "--queue spin,mutex --workload mesh --wait auto,spin");

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_int_equal(plan.cells[0].wait, WAIT_SPIN);
	assert_int_equal(plan.cells[0].cpus[3], 3);
	assert_int_equal(plan.cells[1].wait, WAIT_NATIVE);
	plan_free(&plan);
	plan = planned("--queue spin --workload mesh --wait spin");
	assert_int_equal(plan.cells[0].wait, WAIT_YIELD); /* four on two CPUs would wait for each other's time slices */
	plan_free(&plan);
}

static void what_a_queue_is_not_for_is_skipped(void **state)
{
	struct plan plan = planned("--queue ring,spin,null,line,stream-limit --workload fanin,pipeline");

	(void)state;
	assert_int_equal(plan.cell_count, 3);
	assert_skipped(&plan, 1, "ring: fanin not applicable, it takes one producer and one consumer");
	assert_skipped(&plan, 2, "null: only stream, saturate");
	assert_skipped(&plan, 2, "line: only pingpong");
	assert_skipped(&plan, 2, "stream-limit: only stream, saturate");
	plan_free(&plan);
	plan = planned("--queue lanes --workload mesh --producers 3 --consumers 3 --capacity 8,9");
	assert_int_equal(plan.cell_count, 1);
	assert_skipped(&plan, 1, "lanes: capacity 8, it takes a message for each pair at least: 3 × 3");
	plan_free(&plan);
	plan = planned("--queue spin --workload mesh,fanin --producers 15 --consumers 4");
	assert_int_equal(plan.cell_count, 1);
	assert_skipped(&plan, 1, "mesh of 15 producers and 4 consumers: more than 16 actors");
	plan_free(&plan);
	plan = planned("--queue spin --workload stream,mesh --cpus 1,0,1,0");
	assert_int_equal(plan.cell_count, 1);
	assert_int_equal(plan.cells[0].cpus[2], 1);
	assert_skipped(&plan, 1, "--cpus names 4 CPUs: not applicable to 2 actors");
	plan_free(&plan);
}

static void switches_that_change_nothing_are_on(void **state)
{
	struct plan plan = planned("--queue ring --workload stream,pingpong --batch 1,8 --prewrite on,off --preread on,off");

	(void)state;
	/* stream: batch 1 without prewrite is batch 1; pingpong has neither */
	assert_int_equal(plan.cell_count, 2 + 4 + 1);
	plan_free(&plan);
	plan = planned("--queue spin,null --workload stream --batch 8 --preread on,off");
	assert_int_equal(plan.cell_count, 2);
	assert_skipped(&plan, 1, "spin: preread off not applicable");
	plan_free(&plan);
}

static void places_are_resolved_and_absent_ones_named(void **state)
{
	struct plan plan = planned("--queue ring --workload stream --place nearest,smt,same-cpu");

	(void)state;
	assert_int_equal(plan.cell_count, 2);
	assert_string_equal(plan.cells[0].place, "same-l3");
	assert_int_equal(plan.cells[0].cpus[1], 1);
	assert_string_equal(plan.cells[1].place, "same-cpu");
	assert_skipped(&plan, 1, "no smt here: ");
	plan_free(&plan);
	plan = planned("--queue ring --workload stream --cpus 1,0");
	assert_int_equal(plan.cells[0].cpus[0], 1);
	assert_string_equal(plan.cells[0].place, "same-l3");
	plan_free(&plan);
	assert_refused(two_cores, "--dry-run --place nowhere", -EINVAL, "nowhere");
	assert_refused(two_cores, "--dry-run --place smt", -EINVAL, "smt");
	assert_refused(two_cores, "--dry-run --cpus 0,99999", -ENODEV, "99999");
}

static void many_cpus_are_planned_for(void **state)
{
	struct plan plan = planned_on("pack:2 core:600 pu:2", "--queue ring --workload stream --cpus 0,2399");

	(void)state;
	assert_int_equal(plan.cells[0].cpus[1], 2399);
	plan_free(&plan);
}

static void a_described_machine_is_only_planned_for(void **state)
{
	(void)state;
	assert_refused(two_cores, "--queue ring", -EINVAL, "--dry-run");
}

static void an_unknown_queue_is_refused_with_the_known_ones(void **state)
{
	(void)state;
	assert_refused(two_cores, "--dry-run --queue rng", -EINVAL, "--queue: 'rng' is no queue; see: twopoint list queues; did you mean 'ring'?");
	assert_refused(two_cores, "--dry-run --queue ypipe,nothing-like-it", -EINVAL, "see: twopoint list queues");
}

static void a_cell_beyond_the_memory_is_skipped_with_both_numbers(void **state)
{
	struct plan plan = planned("--queue ring --workload stream --capacity 16,1M --message-size 64Ki --max-memory 1Gi");

	(void)state;
	assert_int_equal(plan.cell_count, 1);
	assert_skipped(&plan, 1, "ring: needs 61.");
	assert_skipped(&plan, 1, "--max-memory is 1.0 GiB");
	plan_free(&plan);
	assert_refused(two_cores, "--dry-run --queue ring --max-memory 1k", -EINVAL, "nothing is left to measure; ring: needs");
}

static void stamps_count_as_memory(void **state)
{
	struct plan plan = planned("--queue ring --workload stream --stamps none,message --duration 10s --max-memory 100Mi");

	(void)state;
	assert_int_equal(plan.cell_count, 1);
	assert_int_equal(plan.cells[0].stamps, STAMPS_NONE);
	assert_int_equal(plan.cells[0].latency_count, 0);
	assert_skipped(&plan, 1, "with its stamps");
	plan_free(&plan);
}

static void words_and_numbers_become_their_fields(void **state)
{
	struct plan plan = planned_on("pack:2 [numa] core:2 pu:1", "--queue ring --workload stream --stamps 16 --memory-node 1 --huge-pages try "
				   "--messages 1k --touch head");
	const struct cell *cell = &plan.cells[0];

	(void)state;
	assert_int_equal(cell->stamps, STAMPS_EVERY);
	assert_int_equal(cell->stamp_every, 16);
	assert_int_equal(cell->memory_owner, MEMORY_OF_NODE);
	assert_int_equal(cell->memory_node, 1);
	assert_int_equal(cell->huge_pages, 1);
	assert_int_equal(cell->messages, 1000);
	assert_int_equal(cell->duration_ns, 0);
	assert_int_equal(cell->touch, TOUCH_HEAD);
	plan_free(&plan);
	plan = planned("--queue ring --workload stream --memory-node consumer,0");
	assert_int_equal(plan.cells[0].memory_owner, MEMORY_OF_CONSUMER);
	assert_int_equal(plan.cells[1].memory_owner, MEMORY_OF_NODE);
	assert_int_equal(plan.cells[1].memory_node, 0);
	plan_free(&plan);
}

/* Nodes that the machine lacks are skipped, with those that it has; each other choice is a cell of its own. */
static void memory_lies_on_nodes_that_the_machine_has(void **state)
{
	static const char choices[] = "--queue ring --workload stream --memory-node producer,consumer,interleaved,4,7,1";
	struct plan plan = planned_on("pack:2 [numa(indexes=4,7)] core:2 pu:1", choices);

	(void)state;
	assert_int_equal(plan.cell_count, 5);
	assert_int_equal(plan.cells[2].memory_owner, MEMORY_INTERLEAVED);
	assert_int_equal(plan.cells[3].memory_node, 4);
	assert_int_equal(plan.cells[4].memory_node, 7);
	assert_skipped(&plan, 1, "memory-node 1: the machine has no such NUMA node, it has 4, 7");
	plan_free(&plan);
	plan = planned_on(two_cores, choices);
	assert_int_equal(plan.cell_count, 3);
	assert_skipped(&plan, 1, "memory-node 7: the machine has no such NUMA node, it has 0");
	plan_free(&plan);
}

/* "note: …" of a plan for such a machine; NULL: none. To be freed. */
static char *note_of_nodes(const char *machine, const char *line)
{
	struct plan plan = planned_on(machine, line);
	struct topology *topology;
	char *text = NULL, error[TOPOLOGY_TEXT];
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(topology_load(&topology, error), 0); /* the same machine: it is still in the environment */
	plan_warn_of_nodes(out, &plan, topology);
	fclose(out);
	topology_free(topology);
	plan_free(&plan);
	return text;
}

static void one_node_alone_is_told_of_where_it_matters(void **state)
{
	static const char asked[] = "--queue ring --workload stream --memory-node producer,interleaved";
	char *one = note_of_nodes(two_cores, asked), *two = note_of_nodes("pack:2 [numa] core:2 pu:1", asked),
	     *plain = note_of_nodes(two_cores, "--queue ring --workload stream");

	(void)state;
	assert_non_null(strstr(one, "one NUMA node, 0"));
	assert_string_equal(two, "");
	assert_string_equal(plain, "");
	free(one);
	free(two);
	free(plain);
}

/* A trial's process gets each cell as JSON, and must find it within the rules. */
static void every_planned_cell_is_one_that_a_trial_takes(void **state)
{
	struct plan plan = planned("default --stamps none,batch,message,16");

	(void)state;
	for (size_t i = 0; i < plan.cell_count; i++) {
		json_t *json = cell_to_json(&plan.cells[i]);
		char error[CELL_TEXT] = "";
		struct cell back;

		if (cell_from_json(&back, json, error))
			fail_msg("%s: %s", plan.cells[i].queue->name, error);
		json_decref(json);
	}
	plan_free(&plan);
}

static void lists_that_multiply_to_too_much_are_refused(void **state)
{
	char line[512], list[64] = "1";

	(void)state;
	for (int i = 2; i <= 20; i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), ",%d", i);
	snprintf(line, sizeof(line), "--dry-run --queue ring --batch %s --capacity %s --window %s --stamps %s", list,
		 list, list, list);
	assert_refused(two_cores, line, -EINVAL, "100000");
}

/* Not each machine has all that the kernel's queues rest on. */
static bool is_offered(const struct queue *queue)
{
	const struct queue_traits *traits = &queue->traits;
	const struct queue_config config = {.message_bytes = traits->message_min, .batch = 1, .producers = 1, .consumers = 1,
					    .capacity = traits->bounded ? traits->capacity_min : 0};
	size_t bytes;
	int result = queue->footprint(&config, 1, &bytes);

	return result != -ENOSYS && result != -EPERM;
}

static void every_queue_is_in_those_suites_that_are_of_all(void **state)
{
	static const char *const suites[] = {"smoke", "full", "throughput latency"};

	(void)state;
	for (size_t s = 0; s < sizeof(suites) / sizeof(*suites); s++) {
		struct plan plan = planned(suites[s]);

		for (size_t i = 0; queue_list[i]; i++)
			if (is_offered(queue_list[i]) && !cells_of(&plan, queue_list[i]->name))
				fail_msg("%s lacks %s", suites[s], queue_list[i]->name);
		plan_free(&plan);
	}
}

/* What each says at its head, in seconds, for the trials that it asks for. With all its attempts it is half as much again. */
static void shipped_suites_take_as_long_as_they_say(void **state)
{
	static const struct {
		const char *name;
		uint64_t trials, least_s, most_s;
	} said[] = {
		{"smoke", 2, 8, 18},       {"default", 10, 75, 105}, {"batch", 10, 90, 150},
		{"throughput", 10, 50, 120}, {"latency", 10, 30, 80}, {"size", 10, 40, 120}, {"placement", 10, 20, 60}, {"full", 15, 2700, 4500},
		{"capacity", 10, 70, 110}, {"kernel", 10, 45, 75},  {"fan", 10, 50, 80},
		{"load", 10, 65, 95}, {"idle", 10, 120, 180}, {"stamps", 10, 40, 75}, {"pitfalls", 10, 15, 45},
		{"parts", 10, 12, 30}, {"map", 8, 70, 110},
		/* with all peers or none of them */
		{"peers", 15, 150, 1500}, {"peers-short", 10, 30, 300}, {"peers-smoke", 2, 0, 45},
	};

	(void)state;
	for (size_t i = 0; suite_texts[i].name; i++) {
		size_t found = 0;

		while (found < sizeof(said) / sizeof(*said) && strcmp(said[found].name, suite_texts[i].name))
			found++;
		if (found == sizeof(said) / sizeof(*said))
			fail_msg("%s: nothing is known of how long it takes", suite_texts[i].name);
		else {
			struct plan plan = planned(said[found].name);
			uint64_t takes_ns = plan_estimate_ns(&plan, said[found].trials);

			if (takes_ns < said[found].least_s * SECOND_NS || takes_ns > said[found].most_s * SECOND_NS)
				fail_msg("%s takes %.1f s", said[found].name, (double)takes_ns / (double)SECOND_NS);
			assert_int_equal(plan_estimate_ns(&plan, 2 * said[found].trials), 2 * takes_ns);
			plan_free(&plan);
		}
	}
}

static const char *line_after(const char *text)
{
	const char *end = strchr(text, '\n');

	return end ? end + 1 : "";
}

/* Its first two lines, by which `make help`, `list suites` and who reads the file go. */
static void each_shipped_suite_says_what_it_asks_and_how_long_that_takes(void **state)
{
	(void)state;
	for (const struct suite_text *suite = suite_texts; suite->name; suite++) {
		size_t length = strlen(suite->name);
		const char *second = line_after(suite->text);

		if (strncmp(suite->text, "; ", 2) || strncmp(suite->text + 2, suite->name, length) ||
		    strncmp(suite->text + 2 + length, ": ", 2) || second - suite->text < (long)length + 16)
			fail_msg("%s does not begin by '; %s: ' and its question", suite->name, suite->name);
		if (strncmp(second, "; Takes ", 8))
			fail_msg("%s: its second line does not say how long it takes", suite->name);
	}
}

static void there_is_a_suite_for_each_question(void **state)
{
	static const char *const names[] = {"smoke", "default", "latency", "throughput", "batch", "load",
					    "idle", "capacity", "size", "placement", "full"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct suite_text *suite = suite_texts;

		while (suite->name && strcmp(suite->name, names[i]))
			suite++;
		if (!suite->name)
			fail_msg("there is no suite %s", names[i]);
	}
}

static bool is_measured_at(const struct plan *plan, const char *place)
{
	for (size_t i = 0; i < plan->cell_count; i++)
		if (!strcmp(plan->cells[i].place, place))
			return true;
	return false;
}

static bool is_told_absent(const struct plan *plan, const char *place)
{
	char told[64];

	snprintf(told, sizeof(told), "no %s here: ", place);
	for (size_t i = 0; i < plan->skipped_count; i++)
		if (strstr(plan->skipped[i].reason, told))
			return true;
	return false;
}

/* The same suite, planned for machines that have one relation or another. */
static void the_suite_of_placements_measures_those_there_are_and_tells_the_others(void **state)
{
	static const struct {
		const char *machine, *present[4], *absent[8];
	} machines[] = {
		{"pack:1 core:1 pu:1", {"same-cpu"},
		 {"smt", "same-l2", "same-l3", "same-node", "same-package", "cross-package", "cross-node"}},
		{two_cores, {"same-cpu", "same-l3"}, {"smt", "same-l2", "same-node", "same-package", "cross-package", "cross-node"}},
		{"pack:2 numa:1 l3:2 core:2 pu:2", {"same-cpu", "smt", "same-l3", "cross-node"}, {"same-l2", "same-package", "cross-package"}},
		{"pack:1 l2:2 core:2 pu:1", {"same-cpu", "same-l2", "same-node"}, {"smt", "same-l3", "cross-node"}},
	};

	(void)state;
	for (size_t m = 0; m < sizeof(machines) / sizeof(*machines); m++) {
		struct plan plan = planned_on(machines[m].machine, "placement");

		for (size_t i = 0; i < 4 && machines[m].present[i]; i++)
			if (!is_measured_at(&plan, machines[m].present[i]))
				fail_msg("%s: not measured at %s", machines[m].machine, machines[m].present[i]);
		for (size_t i = 0; i < 8 && machines[m].absent[i]; i++)
			if (is_measured_at(&plan, machines[m].absent[i]) || !is_told_absent(&plan, machines[m].absent[i]))
				fail_msg("%s: %s is not told to be absent", machines[m].machine, machines[m].absent[i]);
		plan_free(&plan);
	}
}

static void a_block_has_each_cell_once_in_an_order_of_seed_and_block(void **state)
{
	struct plan plan = {.cell_count = 50};
	size_t first[50], again[50], next[50], other[50];
	bool met[50] = {false};

	(void)state;
	plan_block(&plan, 42, 0, first);
	plan_block(&plan, 42, 0, again);
	plan_block(&plan, 42, 1, next);
	plan_block(&plan, 43, 0, other);
	for (size_t i = 0; i < 50; i++) {
		assert_in_range(first[i], 0, 49);
		assert_false(met[first[i]]);
		met[first[i]] = true;
	}
	assert_memory_equal(first, again, sizeof(first));
	assert_memory_not_equal(first, next, sizeof(first));
	assert_memory_not_equal(first, other, sizeof(first));
	assert_memory_not_equal(next, other, sizeof(first));
}

/* 1,000 blocks of 4 cells: each cell is expected first 250 times. */
static void each_cell_comes_first_about_as_often(void **state)
{
	struct plan plan = {.cell_count = 4};
	size_t order[4], firsts[4] = {0};

	(void)state;
	for (uint64_t block = 0; block < 1000; block++) {
		plan_block(&plan, 7, block, order);
		firsts[order[0]]++;
	}
	for (size_t i = 0; i < 4; i++)
		assert_in_range(firsts[i], 200, 300);
}

static void the_printed_plan_says_what_is_done_and_what_is_not(void **state)
{
	static const char *const parts[] = {
		"described", "same-l3", "CPUs 0 and 1", "all cells:", " --message-size 64 ", " --duration 100ms --warm-up 10ms",
		" --latency write:read\n", "skipped: 3 cells: no smt here: ",
		"note: mutex does not batch: it is measured at batch 1 alone\n", "3 cells, 4 trials",
	};
	struct plan plan = planned("--queue ring,mutex --workload stream --batch 1,10 --place same-l3,smt");
	struct run_settings settings = {.trials = 4, .attempts = 6};
	struct topology *topology;
	char error[TOPOLOGY_TEXT], *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(topology_load(&topology, error), 0);
	plan_print(file, &plan, &settings, topology);
	fclose(file);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strstr(text, parts[i]))
			fail_msg("expected '%s' in:\n%s", parts[i], text);
	free(text);
	topology_free(topology);
	plan_free(&plan);
}

static void the_record_is_told_cells_trials_and_what_is_skipped(void **state)
{
	struct plan plan = planned("--queue ring,null --workload pingpong");
	struct run_settings settings = {.trials = 4, .attempts = 6};
	json_t *json = plan_to_json(&plan, &settings);

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(json, "cells")), 1);
	assert_int_equal(json_integer_value(json_object_get(json, "attempts")), 6);
	assert_true(json_real_value(json_object_get(json, "estimated_s")) > 0);
	assert_int_equal(json_array_size(json_object_get(json, "skipped")), 1);
	json_decref(json);
	plan_free(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_multiply),
		cmocka_unit_test(loads_windows_and_stamps_default_by_workload),
		cmocka_unit_test(an_open_load_has_half_of_the_capacity_unless_told),
		cmocka_unit_test(a_capacity_is_measured_once_for_all_shares_of_it),
		cmocka_unit_test(threads_may_be_left_to_the_scheduler),
		cmocka_unit_test(bursts_have_a_gap_or_a_rate),
		cmocka_unit_test(options_that_contradict_the_load_are_refused),
		cmocka_unit_test(options_that_no_workload_has_are_refused),
		cmocka_unit_test(what_a_queue_cannot_vary_is_measured_once),
		cmocka_unit_test(a_window_that_no_cell_has_is_refused),
		cmocka_unit_test(a_schedule_without_a_message_is_not_measured),
		cmocka_unit_test(experiments_that_overlap_are_merged),
		cmocka_unit_test(pingpong_has_no_saturation),
		cmocka_unit_test(the_line_is_measured_once_a_place_at_its_own_size),
		cmocka_unit_test(null_is_measured_once_a_batch_and_size_wherever_it_can),
		cmocka_unit_test(stream_limit_has_a_batch_and_a_capacity_of_its_own),
		cmocka_unit_test(waiting_is_settled_by_queue_and_place),
		cmocka_unit_test(actors_default_by_workload),
		cmocka_unit_test(enough_cpus_are_spun_on),
		cmocka_unit_test(what_a_queue_is_not_for_is_skipped),
		cmocka_unit_test(switches_that_change_nothing_are_on),
		cmocka_unit_test(places_are_resolved_and_absent_ones_named),
		cmocka_unit_test(many_cpus_are_planned_for),
		cmocka_unit_test(a_described_machine_is_only_planned_for),
		cmocka_unit_test(an_unknown_queue_is_refused_with_the_known_ones),
		cmocka_unit_test(a_cell_beyond_the_memory_is_skipped_with_both_numbers),
		cmocka_unit_test(stamps_count_as_memory),
		cmocka_unit_test(words_and_numbers_become_their_fields),
		cmocka_unit_test(memory_lies_on_nodes_that_the_machine_has),
		cmocka_unit_test(one_node_alone_is_told_of_where_it_matters),
		cmocka_unit_test(every_planned_cell_is_one_that_a_trial_takes),
		cmocka_unit_test(lists_that_multiply_to_too_much_are_refused),
		cmocka_unit_test(every_queue_is_in_those_suites_that_are_of_all),
		cmocka_unit_test(shipped_suites_take_as_long_as_they_say),
		cmocka_unit_test(each_shipped_suite_says_what_it_asks_and_how_long_that_takes),
		cmocka_unit_test(there_is_a_suite_for_each_question),
		cmocka_unit_test(the_suite_of_placements_measures_those_there_are_and_tells_the_others),
		cmocka_unit_test(a_block_has_each_cell_once_in_an_order_of_seed_and_block),
		cmocka_unit_test(each_cell_comes_first_about_as_often),
		cmocka_unit_test(the_printed_plan_says_what_is_done_and_what_is_not),
		cmocka_unit_test(the_record_is_told_cells_trials_and_what_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
