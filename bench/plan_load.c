#include "plan_load.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "units.h"

/* Bursts have a gap or a rate, all else a rate. */
void plan_settle_load(struct cell *cell, struct load_asked asked)
{
	cell->work_ns = asked.work_ns;
	if (cell->load != LOAD_OPEN) {
		cell->think_ns = asked.think_ns;
		return;
	}
	cell->arrival = (enum arrival)asked.arrival;
	if (cell->arrival == ARRIVAL_BURST) {
		cell->burst = asked.burst;
		cell->gap_ns = asked.gap_ns == PLAN_UNASKED ? 0 : asked.gap_ns;
	}
	if (cell->gap_ns)
		return;
	if (asked.rate == PLAN_UNASKED)
		asked.rate = RATE_SHARE | PLAN_RATE_PERCENT;
	*(asked.rate & RATE_SHARE ? &cell->rate_percent : &cell->rate_per_s) = asked.rate & ~RATE_SHARE;
}

static bool latency_applies(const struct cell *cell, struct latency_pair pair)
{
	return pair.from != POINT_INTENDED || cell->load == LOAD_OPEN;
}

/* Of an open load: response (also with the work, where there is any), service, lag. */
static void settle_standard_latencies(struct cell *cell)
{
	static const struct latency_pair standard[] = {
		{POINT_INTENDED, POINT_READ}, {POINT_INTENDED, POINT_HANDLED}, {POINT_WRITE, POINT_READ}, {POINT_INTENDED, POINT_WRITE}};

	for (size_t i = 0; i < sizeof(standard) / sizeof(standard[0]); i++)
		if (latency_applies(cell, standard[i]) && (standard[i].to != POINT_HANDLED || cell->work_ns))
			cell->latencies[cell->latency_count++] = standard[i];
}

void plan_settle_latencies(struct cell *cell, const struct pair_list *asked)
{
	cell->latency_count = 0;
	for (size_t i = 0; i < asked->count; i++)
		if (latency_applies(cell, asked->pairs[i]))
			cell->latencies[cell->latency_count++] = asked->pairs[i];
	if (!cell->latency_count)
		settle_standard_latencies(cell);
}

bool plan_refuse_schedule(const struct cell *cell, char *reason, size_t size)
{
	char gap[UNITS_TEXT], duration[UNITS_TEXT], most[UNITS_TEXT];
	double burst = cell->burst ? (double)cell->burst : 1, per_s = (double)cell->rate_per_s;
	double from_due_to_due_ns = cell->gap_ns     ? (double)cell->gap_ns / cell->producers :
				    cell->rate_per_s ? 1e9 * burst / per_s :
						       0;

	if (!cell->duration_ns || from_due_to_due_ns <= (double)cell->duration_ns)
		return false;
	if (cell->gap_ns)
		snprintf(reason, size, "open load, --gap %s, --duration %s: a trial may have no message; allowed: a gap of %s at most",
			 units_print_time(gap, cell->gap_ns), units_print_time(duration, cell->duration_ns),
			 units_print_time(most, cell->duration_ns * cell->producers));
	else
		snprintf(reason, size, "open load, --rate %" PRIu64 "%s, --duration %s: a trial may have no message; allowed: %.0f or more",
			 cell->rate_per_s, cell->burst > 1 ? " in bursts" : "", units_print_time(duration, cell->duration_ns),
			 ceil(1e9 * burst / (double)cell->duration_ns));
	return true;
}

/* ---- whether the options fit together ---- */

static bool list_has(const struct value_list *list, uint64_t value)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->values[i] == value)
			return true;
	return false;
}

static bool list_has_other(const struct value_list *list, uint64_t value)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->values[i] != value)
			return true;
	return false;
}

/* Whether an experiment was told this, by its suite or by the command line. */
static bool is_given(const struct suites *suites, const char *name)
{
	for (size_t i = 0; i < suites->count; i++)
		if (option_is_given(&suites->experiments[i].options, name))
			return true;
	return false;
}

/* What no experiment of the run can use is a mistake; what some can't is left out there. */
int plan_check_loads(const struct suites *suites, char *error, size_t size)
{
	static const char *const of_schedules[] = {"rate", "arrival", "burst", "gap"}, *const of_bursts[] = {"burst", "gap"};
	bool schedules = false, bursts = false, others = false;

	for (size_t i = 0; i < suites->count; i++) {
		const struct parameters *parameters = &suites->experiments[i].options.parameters;
		bool open = list_has(&parameters->loads, LOAD_OPEN);

		schedules |= open;
		bursts |= open && list_has(&parameters->arrivals, ARRIVAL_BURST);
		others |= !parameters->loads.count || list_has_other(&parameters->loads, LOAD_OPEN);
		if (open && parameters->gaps.count && list_has_other(&parameters->arrivals, ARRIVAL_BURST)) {
			snprintf(error, size, "--gap: lies between bursts; constant and poisson arrivals come by --rate alone");
			return -EINVAL;
		}
	}
	for (size_t i = 0; !schedules && i < sizeof(of_schedules) / sizeof(of_schedules[0]); i++)
		if (is_given(suites, of_schedules[i])) {
			snprintf(error, size, "--%s: only --load open has one", of_schedules[i]);
			return -EINVAL;
		}
	for (size_t i = 0; !bursts && i < sizeof(of_bursts) / sizeof(of_bursts[0]); i++)
		if (is_given(suites, of_bursts[i])) {
			snprintf(error, size, "--%s: only --arrival burst has one", of_bursts[i]);
			return -EINVAL;
		}
	if (!others && is_given(suites, "think")) {
		snprintf(error, size, "--think: an open load has none, its schedule says when messages are due");
		return -EINVAL;
	}
	return 0;
}

static uint64_t workloads_of(const struct suites *suites)
{
	uint64_t workloads = 0;

	for (size_t i = 0; i < suites->count; i++) {
		const struct value_list *list = &suites->experiments[i].options.parameters.workloads;

		for (size_t k = 0; k < list->count; k++)
			workloads |= UINT64_C(1) << list->values[k];
	}
	return workloads;
}

#define OF(workload) (UINT64_C(1) << WORKLOAD_##workload)
#define LIST(member) offsetof(struct parameters, member)

/* An option that only some workloads have. */
struct owned {
	const char *option;
	size_t list;        /* its values' place in struct parameters */
	uint64_t nothing;   /* the value that the others have */
	uint64_t workloads; /* that have it */
	const char *who;
};

static bool asks_for_other(const struct suites *suites, const struct owned *owned)
{
	for (size_t i = 0; i < suites->count; i++) {
		const struct options *options = &suites->experiments[i].options;
		const struct value_list *list = (const void *)((const char *)&options->parameters + owned->list);

		if (option_is_given(options, owned->option) && list_has_other(list, owned->nothing))
			return true;
	}
	return false;
}

int plan_check_workloads(const struct suites *suites, char *error, size_t size)
{
	static const struct owned owned[] = {
		{"producers", LIST(producers), 1, OF(FANIN) | OF(MESH), "only fanin and mesh have several"},
		{"consumers", LIST(consumers), 1, OF(FANOUT) | OF(MESH), "only fanout and mesh have several"},
		{"stages", LIST(stages), 0, OF(PIPELINE), "only pipeline has them"},
		{"batch", LIST(batches), 1, ~OF(PINGPONG), "pingpong has one message on its way"},
		{"window", LIST(windows), 1, ~OF(PINGPONG), "pingpong has one message on its way"},
		{"prewrite", LIST(prewrites), 1, ~OF(PINGPONG), "pingpong has one message on its way"},
		{"preread", LIST(prereads), 1, ~OF(PINGPONG), "pingpong has one message on its way"},
	};
	uint64_t workloads = workloads_of(suites);

	for (size_t i = 0; i < sizeof(owned) / sizeof(owned[0]); i++)
		if (!(workloads & owned[i].workloads) && asks_for_other(suites, &owned[i])) {
			snprintf(error, size, "--%s: %s", owned[i].option, owned[i].who);
			return -EINVAL;
		}
	return 0;
}

#undef LIST
#undef OF

int plan_check_windows(const struct suites *suites, const struct cell *cells, size_t count, char *error, size_t size)
{
	const struct value_list *asked = &suites->experiments[0].options.parameters.windows;
	char window[UNITS_TEXT];

	/* what a suite says of others than those that the command line left of it is no mistake */
	if (!option_is_given(&suites->options, "window"))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (cells[i].window && (cells[i].workload != WORKLOAD_PINGPONG || list_has(asked, 1)))
			return 0;
	snprintf(error, size,
		 "--window %s: no cell of this run has one; allowed: with --load closed, or of a queue that is not bounded (a bounded one's "
		 "window is its capacity)",
		 units_print_count(window, asked->values[0]));
	return -EINVAL;
}

/* ---- capacity ---- */

struct cell plan_capacity_cell(const struct cell *cell)
{
	struct cell capacity = *cell;
	struct pair_list asked = {.count = cell->latency_count};

	capacity.load = cell->workload == WORKLOAD_PINGPONG ? LOAD_CLOSED : LOAD_SATURATE;
	capacity.rate_per_s = capacity.rate_percent = capacity.burst = capacity.gap_ns = 0;
	capacity.arrival = ARRIVAL_CONSTANT;
	if (!cell->duration_ns || cell->duration_ns > PLAN_CAPACITY_NS)
		capacity.duration_ns = PLAN_CAPACITY_NS;
	capacity.messages = 0;
	memcpy(asked.pairs, cell->latencies, sizeof(asked.pairs));
	memset(capacity.latencies, 0, sizeof(capacity.latencies));
	plan_settle_latencies(&capacity, &asked);
	return capacity;
}
