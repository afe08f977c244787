/* One trial of a run: its request, what came of it, and what it tells of its cell and of its pair of CPUs. */
#include "run_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "child.h"
#include "interrupt.h"
#include "machine.h"
#include "trial.h"
#include "watchdog.h"

enum {
	GAP_NS = 5000000,           /* each CPU is watched for stalls that long in each trial */
	FAILURES_IN_A_ROW = 3,      /* crashes or hangs after which a cell is given up */
	RUN_TEXT = 600,
};

static const double MOVED = 1.5;             /* a line that differs by more before and after a trial */
static const double DISTURBED_SHARE = 0.005; /* of a trial's window, waited for a CPU or taken from it */

/* ---- pairs of CPUs ---- */

/* Of the two CPUs that a cell's line is measured between. */
static struct pair *run_pair(struct run *run, const struct cell *cell)
{
	/* threads that are not pinned tell nothing of two CPUs, and are bound by nothing that is known of them */
	bool unpinned = cell_is_unpinned(cell);
	const int cpus[2] = {unpinned ? -1 : cell->cpus[0], unpinned ? -1 : cell->cpus[cell_line_partner(cell)]};
	struct pair *pair;

	for (size_t i = 0; i < run->pair_count; i++)
		if (run->pairs[i].cpus[0] == cpus[0] && run->pairs[i].cpus[1] == cpus[1])
			return &run->pairs[i];
	if (run->pair_count == RUN_PAIRS)
		run->pair_count--; /* the last one is known anew: only its bounds are lost */
	pair = &run->pairs[run->pair_count++];
	*pair = (struct pair){{cpus[0], cpus[1]}, 0, -INFINITY, INFINITY};
	return pair;
}

static double number_at(const json_t *object, const char *key, double otherwise)
{
	const json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : otherwise;
}

/* An empty intersection means that the clocks moved: the trial that showed it is invalid, and the run says so at its end. */
static void pair_learn(struct run *run, struct pair *pair, const json_t *trial)
{
	const json_t *offset = json_object_get(trial, "clock_offset");
	double least = number_at(trial, "line_least_ns", 0), low = number_at(offset, "low_ns", -INFINITY),
	       high = number_at(offset, "high_ns", INFINITY);

	if (least > 0 && (pair->least_trip_ns <= 0 || least < pair->least_trip_ns))
		pair->least_trip_ns = least;
	if (low > high) {
		run->clocks_moved = true;
		return;
	}
	pair->offset_low_ns = fmax(pair->offset_low_ns, low);
	pair->offset_high_ns = fmin(pair->offset_high_ns, high);
}

/* ---- what a trial says ---- */

static double ratio(double a, double b)
{
	return a > b ? a / b : b / a;
}

static bool trial_moved(const json_t *trial)
{
	double before = number_at(trial, "line_before_ns", 0), after = number_at(trial, "line_after_ns", 0);

	return before > 0 && after > 0 && ratio(before, after) > MOVED;
}

/* By the trial's own facts; what depends on the others of the run is found when the record is read. Actors that share a CPU wait for each
 * other: that belongs to the cell, and is no disturbance. */
static bool trial_disturbed(const struct cell *cell, const json_t *trial)
{
	const json_t *noise = json_object_get(trial, "noise"), *actor;
	double window = number_at(noise, "window_ns", 0), worst = 0;
	size_t i;

	json_array_foreach(json_object_get(noise, "actors"), i, actor)
		worst = fmax(worst, (cell_shares_cpu(cell, (unsigned)i) ? 0 : number_at(actor, "run_delay_ns", 0)) +
					    number_at(actor, "steal_ns", 0));
	return worst + number_at(noise, "throttled_ns", 0) > DISTURBED_SHARE * window;
}

static json_t *failed_trial(const struct cell *cell, const char *status, const char *why)
{
	static const char *const unknown[] = {"line_before_ns", "line_after_ns", "line_least_ns", "clock_offset",
					      "stamps", "cost", "noise", "memory"};
	json_t *line = json_pack("{s:s, s:o, s:s, s:s, s:b, s:s, s:[], s:[], s:[]}", "kind", "trial", "cell", cell_to_json(cell),
				 "status", status, "why", why, "valid", 0, "touch", touch_names[cell->touch], "endpoints",
				 "latency", "audit");

	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		json_object_set_new(line, unknown[i], json_null());
	return line;
}

/* The trial as the child's first line has it, or as its failure tells; *details: what follows that line. limit_ns: what the watchdog gave
 * it. NULL: the run can't go on. */
static json_t *trial_of(struct run *run, const struct cell *cell, uint64_t limit_ns, const struct child_result *result,
			const char **details)
{
	const char *end = result->output ? memchr(result->output, '\n', result->length) : NULL;
	json_t *first = end ? json_loadb(result->output, (size_t)(end - result->output), 0, NULL) : NULL;
	const char *kind = json_string_value(json_object_get(first, "kind"));
	char why[RUN_TEXT];
	json_t *trial;

	*details = NULL;
	if (result->end == CHILD_HUNG) {
		json_decref(first);
		snprintf(why, sizeof(why), "ended by the watchdog, %.1f s beyond what it may take (%.1f s)",
			 (double)run->settings->watchdog_ns / 1e9, (double)(limit_ns - run->settings->watchdog_ns) / 1e9);
		return failed_trial(cell, "hang", why);
	}
	if (result->end == CHILD_CRASHED) {
		json_decref(first);
		snprintf(why, sizeof(why), "signal %d (%s)", result->status, strsignal(result->status));
		return failed_trial(cell, "crash", why);
	}
	if (kind && !strcmp(kind, "trial") && !result->status) {
		*details = end + 1;
		return first;
	}
	snprintf(why, sizeof(why), "%s", kind && !strcmp(kind, "failure") ? json_string_value(json_object_get(first, "why")) : "");
	if (!why[0])
		snprintf(why, sizeof(why), "its process ended with status %d and no result", result->status);
	if (json_is_true(json_object_get(first, "environment"))) {
		run_fail(run, 3, "%s", why);
		trial = NULL;
	} else {
		trial = failed_trial(cell, "invalid", why);
	}
	json_decref(first);
	return trial;
}

/* ---- a trial ---- */

/* How the cell fares after this trial. */
static void tally_trial(struct run *run, size_t index, const json_t *trial)
{
	struct tally *tally = &run->tallies[index];
	const char *status = json_string_value(json_object_get(trial, "status"));
	double before = number_at(trial, "line_before_ns", 0), after = number_at(trial, "line_after_ns", 0);

	tally->failures = !strcmp(status, "crash") || !strcmp(status, "hang") ? tally->failures + 1 : 0;
	if (tally->failures == FAILURES_IN_A_ROW) {
		tally->given_up = true;
		progress_clear(&run->progress);
		fprintf(stderr, "twopoint: %s: %s: given up after %d in a row\n", run->plan.cells[index].queue->name, status,
			FAILURES_IN_A_ROW);
	}
	if (json_is_true(json_object_get(trial, "valid")) && !json_is_true(json_object_get(trial, "moved")) && before > 0 && after > 0)
		tally->line_ns[tally->good++] = sqrt(before * after);
}

static bool keep_trial(struct run *run, size_t index, json_t *trial, const char *details, const char *started)
{
	const struct cell *cell = &run->plan.cells[index];
	struct tally *tally = &run->tallies[index];
	uint64_t id = ++run->next_id;

	tally->first_id = tally->first_id ? tally->first_id : id;
	pair_learn(run, run_pair(run, cell), trial);
	json_object_set_new(trial, "trial", json_integer((json_int_t)++tally->trials));
	json_object_set_new(trial, "attempt", json_integer((json_int_t)tally->attempts));
	json_object_set_new(trial, "started_utc", json_string(started));
	json_object_set_new(trial, "moved", json_boolean(trial_moved(trial)));
	json_object_set_new(trial, "disturbed", json_boolean(trial_disturbed(cell, trial)));
	if (!json_object_get(trial, "seed"))
		json_object_set_new(trial, "seed", json_integer(0));
	tally_trial(run, index, trial);
	if (cell->load != LOAD_OPEN)
		tally->capacity = capacity_of_trial(cell, trial, id);
	if (!run_record_trial(run, trial, id, details))
		return false;
	headline_write(cell, trial, run->headline);
	return true;
}

static uint64_t mix(uint64_t seed, uint64_t a, uint64_t b)
{
	uint64_t x = seed + a * 0x9e3779b97f4a7c15u + b * 0xbf58476d1ce4e5b9u;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* Sets what an open load offers. False: it is a share of a capacity that is not known; why says so. */
static bool request_rate(const struct run *run, size_t index, struct trial_request *request, const char **why)
{
	const struct cell *cell = &run->plan.cells[index];
	const struct capacity *capacity;

	request->rate_per_s = cell->rate_per_s;
	if (!cell->rate_percent)
		return true;
	capacity = &run->tallies[run->plan.capacities[index]].capacity;
	*why = capacity->why;
	if (capacity->per_s <= 0)
		return false;
	request->rate_per_s = capacity_share(capacity, cell->rate_percent);
	request->capacity_per_s = capacity->per_s;
	request->capacity_trial = capacity->trial;
	return true;
}

/* False: the run can't go on, or was interrupted. */
bool run_one(struct run *run, size_t index)
{
	const struct cell *cell = &run->plan.cells[index];
	struct tally *tally = &run->tallies[index];
	const struct pair *pair = run_pair(run, cell);
	struct trial_request request = {
		.cell = *cell,
		.clock = run->clock,
		.seed = mix(run->settings->seed, index, tally->attempts) >> 11,
		.gap_ns = GAP_NS,
		.memory_limit_bytes = run->settings->max_memory,
		.least_trip_ns = pair->least_trip_ns,
		.offset_low_ns = pair->offset_low_ns,
		.offset_high_ns = pair->offset_high_ns,
		.allow_unpinned = run->settings->allow_unpinned,
		/* a record of ping-pongs needs one; of a stream, a later choice among regimes needs each trial's */
		.slice = cell->workload == WORKLOAD_STREAM || (cell->workload == WORKLOAD_PINGPONG && !tally->good),
		.id = run->next_id + 1,
	};
	json_t *json, *trial;
	char *text, started[24];
	struct child_result result;
	const char *details, *why;
	uint64_t limit_ns;
	bool good = false;
	int status;

	machine_utc(started, sizeof(started), false);
	tally->attempts++;
	if (!request_rate(run, index, &request, &why)) {
		trial = failed_trial(cell, "skipped", why);
		good = keep_trial(run, index, trial, NULL, started);
		json_decref(trial);
		return good;
	}
	if (run->settings->raw)
		snprintf(request.raw, sizeof(request.raw), "%s", run->settings->raw);
	json = trial_request_to_json(&request);
	text = json_dumps(json, JSON_COMPACT);
	limit_ns = watchdog_limit_ns(cell, request.rate_per_s, run->settings->watchdog_ns);
	status = child_run("trial", text, limit_ns, &interrupted, &result);
	json_decref(json);
	free(text);
	if (status)
		return run_fail(run, 3, "starting a trial's process failed: %s", strerror(-status));
	if (result.end != CHILD_INTERRUPTED) {
		trial = trial_of(run, cell, limit_ns, &result, &details);
		if (trial)
			json_object_set_new(trial, "seed", json_integer((json_int_t)request.seed));
		good = trial && keep_trial(run, index, trial, details, started);
		json_decref(trial);
	}
	free(result.output);
	return good;
}
