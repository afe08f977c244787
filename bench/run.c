#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capacity.h"
#include "child.h"
#include "interrupt.h"
#include "machine.h"
#include "plan.h"
#include "progress.h"
#include "raw.h"
#include "record.h"
#include "regime.h"
#include "schema.h"
#include "suite.h"
#include "summary.h"
#include "table.h"
#include "topology.h"
#include "trial.h"
#include "until.h"
#include "watchdog.h"

enum {
	CALIBRATE_NS = 100000000,
	GAP_NS = 5000000,           /* each CPU is watched for stalls that long in each trial */
	FAILURES_IN_A_ROW = 3,      /* crashes or hangs after which a cell is given up */
	PAIRS = 64,
	RUN_TEXT = 600,
	RUN_PATH = 4096,
};

static const double MOVED = 1.5;             /* a line that differs by more before and after a trial */
static const double DISTURBED_SHARE = 0.005; /* of a trial's window, waited for a CPU or taken from it */
static const double DRIFT_PPM_MAX = 200;     /* of the clock's rate, start against end */

/* What is known of two CPUs: it grows with each trial. */
struct pair {
	int cpus[2];
	double least_trip_ns;
	double offset_low_ns, offset_high_ns;
};

/* How one cell fares. */
struct tally {
	uint64_t attempts, trials; /* tried so far; of these, with a result */
	uint64_t failures;         /* crashes and hangs in a row, the last ones */
	bool given_up;
	uint64_t first_id;         /* of its first trial with a result */
	double *line_ns;           /* of its valid trials that did not move, `good` of them */
	size_t good;
	uint64_t blocks;           /* so many blocks have come to it: it was tried in the last of them */
	struct capacity capacity;  /* by its last trial, where others' rates are shares of it */
};

struct run {
	struct suites suites;
	const struct run_settings *settings;
	struct plugins plugins;
	struct plan plan;
	struct topology *topology;
	struct limits limits;
	struct clock clock;
	struct clock_pair clock_began;
	struct pair pairs[PAIRS];
	size_t pair_count;
	struct tally *tallies; /* by cell */
	struct until until;
	run_report *report; /* NULL: the table, or the record itself */
	struct record_writer *record;
	bool record_failed; /* and was told of */
	char path[RUN_PATH];
	struct progress progress;
	uint64_t next_id, began_ns;
	bool out_of_time, clocks_moved;
	int status; /* what the run must exit with, whatever else comes */
};

__attribute__((format(printf, 3, 4))) static bool run_fail(struct run *run, int status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	progress_clear(&run->progress);
	fputs("twopoint: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	if (!run->status)
		run->status = status;
	return false;
}

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
	if (run->pair_count == PAIRS)
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

/* ---- the record ---- */

static bool folder_exists(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISDIR(about.st_mode);
}

static bool choose_path(struct run *run)
{
	const char *folder;
	struct utsname host;
	struct stat about;
	char utc[24];
	int length;

	uname(&host);
	/* in the suite's own tree, where records are ignored by git; a fresh clone has no such folder yet */
	if (!run->settings->out && !stat("results/record.schema.json", &about))
		mkdir("results/runs", 0777); /* where it fails, the record goes here */
	folder = folder_exists("results/runs") ? "results/runs/" : "";
	if (run->settings->out)
		length = snprintf(run->path, sizeof(run->path), "%s", run->settings->out);
	else
		length = snprintf(run->path, sizeof(run->path), "%s%s-%.64s-%.64s.jsonl", folder,
				  machine_utc(utc, sizeof(utc), true), host.nodename, run->suites.name);
	if (length >= (int)sizeof(run->path))
		return run_fail(run, 3, "--out: %s", strerror(ENAMETOOLONG));
	/* the table and the verdict are made of the whole record, in the end: it must be something that can be read again */
	if (!stat(run->path, &about) && !S_ISREG(about.st_mode))
		return run_fail(run, 3, "--out: %s is no file", run->path);
	return true;
}

/* Told once: after a failed write nothing more is written, and each later try fails as well. */
static bool record_fail(struct run *run, const char *error)
{
	if (!run->record_failed)
		run_fail(run, 3, "%s", error);
	run->record_failed = true;
	return false;
}

static bool append(struct run *run, const json_t *line)
{
	char error[RECORD_TEXT];

	return (!record_append(run->record, line, error) && !record_sync(run->record, error)) || record_fail(run, error);
}

static bool begin_record(struct run *run, int argc, char **argv)
{
	json_t *line = machine_to_json(run->topology, &run->clock, &run->limits), *command = json_array();
	json_t *head = json_object(), *value;
	char utc[24];
	const char *key;
	bool good;

	for (int i = 0; i < argc; i++) {
		json_t *word = json_string(argv[i]);

		json_array_append_new(command, word ? word : json_string("(not UTF-8)"));
	}
	json_object_set_new(head, "kind", json_string("run"));
	json_object_set_new(head, "schema", json_integer(RECORD_SCHEMA));
	json_object_foreach(line, key, value) json_object_set(head, key, value);
	json_object_set_new(head, "command", command);
	json_object_set_new(head, "suite", json_string(run->suites.name));
	json_object_set_new(head, "seed", json_integer((json_int_t)run->settings->seed));
	json_object_set_new(head, "started_utc", json_string(machine_utc(utc, sizeof(utc), false)));
	json_object_set_new(head, "plugins", plugins_to_json(&run->plugins));
	json_object_set_new(head, "plan", plan_to_json(&run->plan, run->settings));
	good = append(run, head);
	json_decref(line);
	json_decref(head);
	return good;
}

/* ---- a trial ---- */

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

/* A histogram or a slice of the child's, with the trial's id put in. */
static bool append_detail(struct run *run, const char *line, size_t length, uint64_t id)
{
	const char *rest = memchr(line, ',', length);
	char error[RECORD_TEXT], *text = NULL;
	int written;
	bool good;

	if (!rest)
		return run_fail(run, 3, "a trial's process wrote a line that is none: %.60s", line);
	written = asprintf(&text, "%.*s,\"id\":%" PRIu64 "%.*s", (int)(rest - line), line, id, (int)(line + length - rest), rest);
	if (written < 0)
		return run_fail(run, 3, "no memory for a line of the record");
	good = !record_append_text(run->record, text, (size_t)written, error) || record_fail(run, error);
	free(text);
	return good;
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

static void print_headline(struct run *run, const struct cell *cell, const json_t *trial)
{
	char headline[128];

	snprintf(headline, sizeof(headline), "%s %s %" PRIu64 " B, batch %" PRIu64 ": %.3g M/s read", cell->queue->name,
		 workload_names[cell->workload], cell->message_bytes, cell->batch,
		 capacity_receivers_per_s(cell, trial) / 1e6);
	progress_step(&run->progress, headline);
}

/* Writes the trial's line and what follows it, and syncs. The id comes first: by it a reader knows a trial's line without
 * parsing it. */
static bool record_trial(struct run *run, json_t *trial, uint64_t id, const char *details)
{
	json_t *line = json_pack("{s:s, s:I}", "kind", "trial", "id", (json_int_t)id);
	char error[RECORD_TEXT];
	bool good;

	json_object_update(line, trial);
	good = !record_append(run->record, line, error) || record_fail(run, error);
	json_decref(line);
	for (const char *end; good && details && (end = strchr(details, '\n')); details = end + 1)
		good = append_detail(run, details, (size_t)(end - details), id);
	return good && (!record_sync(run->record, error) || record_fail(run, error));
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
	if (!record_trial(run, trial, id, details))
		return false;
	print_headline(run, cell, trial);
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
static bool run_one(struct run *run, size_t index)
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

/* ---- all trials ---- */

/* How many of a cell's trials lie in the regime that most trials of the run lie in; NULL where memory is short. */
static size_t *count_in_main_regime(const struct run *run)
{
	size_t cells = run->plan.cell_count, total = 0, at = 0, main_regime = 0;
	size_t *counts = calloc(cells, sizeof(*counts)), *regime_of;
	struct regime *regimes = NULL;
	double *line_ns;
	long found;

	for (size_t i = 0; i < cells; i++)
		total += run->tallies[i].good;
	line_ns = calloc(total + 1, sizeof(*line_ns));
	regime_of = calloc(total + 1, sizeof(*regime_of));
	for (size_t i = 0; line_ns && i < cells; i++)
		for (size_t k = 0; k < run->tallies[i].good; k++)
			line_ns[at++] = run->tallies[i].line_ns[k];
	found = counts && line_ns && regime_of ? regime_find(line_ns, total, regime_of, &regimes) : -ENOMEM;
	for (long i = 1; i < found; i++)
		if (regimes[i].trials > regimes[main_regime].trials)
			main_regime = (size_t)i;
	at = 0;
	for (size_t i = 0; found > 0 && i < cells; i++)
		for (size_t k = 0; k < run->tallies[i].good; k++)
			counts[i] += regime_of[at++] == main_regime;
	free(regimes);
	free(regime_of);
	free(line_ns);
	if (found < 0) {
		free(counts);
		return NULL;
	}
	return counts;
}

/* Whether the capacity that a cell's rate is a share of, where it is one, can still be measured in this block, or was. */
static bool has_capacity(const struct run *run, uint64_t block, size_t index)
{
	size_t capacity = run->plan.capacities[index];

	return capacity == PLAN_NO_CAPACITY || run->tallies[capacity].given_up || run->tallies[capacity].blocks > block ||
	       run->tallies[capacity].attempts < run->settings->attempts;
}

/* Whether a cell is to be tried once more, within its attempts: where the run goes on until a goal, always; else as often as asked for, and
 * then until so many lie in the main regime. */
static bool wants_more(const struct run *run, uint64_t block, size_t index, const size_t *in_main)
{
	const struct tally *tally = &run->tallies[index];

	if (tally->given_up || tally->attempts >= run->settings->attempts || !has_capacity(run, block, index))
		return false;
	return run->until.goal > 0 || tally->attempts < run->settings->trials ||
	       (in_main && in_main[index] < run->settings->trials && !tally->failures);
}

static bool time_is_up(const struct run *run)
{
	return run->settings->time_budget_ns &&
	       clock_system_ns(CLOCK_MONOTONIC) - run->began_ns >= run->settings->time_budget_ns;
}

/* A trial of the cell in this block, unless it has had it; of one whose rate is a share of a capacity, after the trial
 * that measures that. */
static bool run_in_block(struct run *run, uint64_t block, size_t index)
{
	size_t capacity = run->plan.capacities[index];

	if (run->tallies[index].blocks > block)
		return true;
	if (capacity != PLAN_NO_CAPACITY && !run->tallies[capacity].given_up && !run_in_block(run, block, capacity))
		return false;
	run->tallies[index].blocks = block + 1;
	return run_one(run, index);
}

/* One block: a trial of each cell that wants one, in shuffled order. *any: whether there was one. False: stop. */
static bool run_block(struct run *run, uint64_t block, size_t *order, bool *any)
{
	size_t *in_main = block >= run->settings->trials ? count_in_main_regime(run) : NULL;
	bool good = true;

	plan_block(&run->plan, run->settings->seed, block, order);
	*any = false;
	for (size_t i = 0; good && i < run->plan.cell_count; i++) {
		if (!wants_more(run, block, order[i], in_main))
			continue;
		run->out_of_time = time_is_up(run);
		if (interrupted || run->out_of_time)
			good = false;
		else
			good = run_in_block(run, block, order[i]);
		*any = true;
	}
	free(in_main);
	return good;
}

/* After so many blocks, where the run goes on until a goal: whether that is reached. False: the run can't go on. */
static bool look(struct run *run, uint64_t blocks)
{
	uint64_t *given_up;
	char error[RECORD_TEXT];
	size_t count = 0;
	bool good;

	if (!(run->until.goal > 0) || (blocks != run->until.next_look && blocks != run->settings->attempts))
		return true;
	given_up = calloc(run->plan.cell_count, sizeof(*given_up));
	if (!given_up)
		return run_fail(run, 3, "no memory for %zu cells", run->plan.cell_count);
	for (size_t i = 0; i < run->plan.cell_count; i++)
		if (run->tallies[i].given_up)
			given_up[count++] = run->tallies[i].first_id;
	good = !until_look(&run->until, run->path, given_up, count, error) || run_fail(run, 3, "%s", error);
	run->progress.planned = run->plan.cell_count * run->until.next_look;
	free(given_up);
	return good;
}

/* True: all were run. */
static bool run_trials(struct run *run)
{
	size_t *order = calloc(run->plan.cell_count, sizeof(*order));
	bool any = true, good = order != NULL;

	run->tallies = calloc(run->plan.cell_count, sizeof(*run->tallies));
	for (size_t i = 0; run->tallies && i < run->plan.cell_count; i++) {
		run->tallies[i].line_ns = calloc(run->settings->attempts + 1, sizeof(double));
		good = good && run->tallies[i].line_ns;
	}
	if (!good || !run->tallies) {
		free(order);
		return run_fail(run, 3, "no memory for %zu cells", run->plan.cell_count);
	}
	progress_begin(&run->progress, run->settings->quiet, run->plan.cell_count * run->settings->trials, "trials");
	for (uint64_t block = 0; good && any && !run->until.met; block++)
		good = run_block(run, block, order, &any) && look(run, block + 1);
	progress_clear(&run->progress);
	free(order);
	return good;
}

/* ---- the end ---- */

static json_t *offsets_to_json(const struct run *run)
{
	json_t *offsets = json_array();

	for (size_t i = 0; i < run->pair_count; i++) {
		const struct pair *pair = &run->pairs[i];

		if (pair->cpus[0] != pair->cpus[1] && isfinite(pair->offset_low_ns) && isfinite(pair->offset_high_ns))
			json_array_append_new(offsets, json_pack("{s:[i, i], s:f, s:f}", "cpus", pair->cpus[0], pair->cpus[1],
								 "low_ns", pair->offset_low_ns, "high_ns", pair->offset_high_ns));
	}
	return offsets;
}

static json_t *verdict_to_json(const struct summary_verdict *verdict)
{
	json_t *reasons = json_array();

	for (size_t i = 0; i < verdict->reason_count; i++) {
		json_t *reason = json_string(verdict->reasons[i]);

		if (reason)
			json_array_append_new(reasons, reason);
	}
	return json_pack("{s:b, s:o}", "fit", verdict->fit, "reasons", reasons);
}

/* Why the cell got no more trials, where the run goes on until a goal. */
static const char *cell_ended_by(const struct run *run, const struct tally *tally)
{
	if (tally->given_up)
		return "given up";
	if (until_has_reached(&run->until, tally->first_id))
		return "until";
	if (tally->attempts >= run->settings->attempts)
		return "attempts";
	return run->out_of_time ? "time budget" : interrupted ? "interrupted" : "error";
}

static json_t *ended_to_json(const struct run *run)
{
	json_t *ended = json_array();

	for (size_t i = 0; run->tallies && i < run->plan.cell_count; i++) {
		const struct tally *tally = &run->tallies[i];

		json_array_append_new(ended, json_pack("{s:o, s:s}", "trial",
						       tally->first_id ? json_integer((json_int_t)tally->first_id) : json_null(), "by",
						       cell_ended_by(run, tally)));
	}
	return ended;
}

static json_t *end_line(const struct run *run, bool complete)
{
	struct clock_pair now = clock_read_pair(run->clock.source);
	double rate = run->clock.source == CLOCK_SYSTEM ? run->clock.ticks_per_s : clock_rate(&run->clock_began, &now);
	double drift_ppm = (rate / run->clock.ticks_per_s - 1) * 1e6;
	char utc[24];

	return json_pack("{s:s, s:b, s:s?, s:s, s:I, s:{s:f, s:f, s:b}, s:o, s:o}", "kind", "end", "complete", complete, "why",
			 complete ? NULL : run->out_of_time ? "time budget used up" : interrupted ? "interrupted" : "stopped by an error",
			 "finished_utc", machine_utc(utc, sizeof(utc), false), "trials", (json_int_t)run->next_id, "clock",
			 "ticks_per_s_end", rate, "drift_ppm", drift_ppm, "ok", fabs(drift_ppm) <= DRIFT_PPM_MAX && !run->clocks_moved,
			 "offsets",
			 offsets_to_json(run), "until", until_to_json(&run->until, ended_to_json(run)));
}

static unsigned terminal_width(void)
{
	struct winsize size;

	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col ? 0 : size.ws_col;
}

/* The record itself, where --json asks for data instead of a table. */
static void print_record(struct run *run)
{
	FILE *file = fopen(run->path, "re");
	char part[65536];
	size_t length;

	while (file && (length = fread(part, 1, sizeof(part), file)))
		fwrite(part, 1, length, stdout);
	if (!file || ferror(file))
		run_fail(run, 3, "reading %s failed: %s", run->path, strerror(errno));
	if (file)
		fclose(file);
}

/* The verdict needs the whole record, and belongs into its last line. The table is printed even where that line can't be written. */
static void conclude(struct run *run, struct record *record, json_t *end)
{
	struct summary summary;
	int report_status = 0;

	json_decref(record->end);
	record->end = json_incref(end);
	if (summary_make(&summary, record)) {
		run_fail(run, 3, "no memory to sum up %s", run->path);
		return;
	}
	json_object_set_new(end, "verdict", json_pack("{s:o, s:o}", "rates", verdict_to_json(&summary.rates), "tails",
						      verdict_to_json(&summary.tails)));
	append(run, end);
	if (run->report)
		report_status = run->report(&run->suites.options, record, &summary);
	else if (run->suites.options.json)
		print_record(run);
	else
		table_print(stdout, record, &summary, terminal_width());
	if (fflush(stdout) || ferror(stdout))
		run_fail(run, 3, "writing to stdout failed: %s", strerror(errno));
	if (!run->status)
		run->status = summary.invalid || summary.failed ? 1 : report_status;
	summary_free(&summary);
}

static void finish(struct run *run, bool complete)
{
	json_t *end = end_line(run, complete);
	struct record record;
	char error[RECORD_TEXT];

	if (record_read(&record, run->path, error)) {
		run_fail(run, 3, "%s", error);
	} else {
		conclude(run, &record, end);
		record_free(&record);
	}
	json_decref(end);
	if (record_close(run->record, error))
		record_fail(run, error);
	run->record = NULL;
}

/* ---- the run ---- */

/* aa: each of two halves has as many trials as were asked for. */
static void run_double(struct run_settings *settings)
{
	settings->trials *= 2;
	settings->attempts *= 2;
}

static bool prepare(struct run *run, const struct options *command_line)
{
	char error[OPTIONS_TEXT];
	int status = suites_load(&run->suites, command_line, error, sizeof(error));

	if (status)
		return run_fail(run, status == -EINVAL || status == -ENOENT ? 2 : 3, "%s", error);
	limits_read(&run->limits, "");
	if (command_line->command == COMMAND_AA)
		run_double(&run->suites.options.run);
	if (run_settings_resolve(&run->suites.options, &run->limits, error, sizeof(error)))
		return run_fail(run, 2, "%s", error);
	run->settings = &run->suites.options.run;
	until_begin(&run->until, run->settings->until_ppm, run->settings->trials);
	if (topology_load(&run->topology, error))
		return run_fail(run, 3, "%s", error);
	if (plugins_open(&run->plugins, &run->suites.options.plugins, error, sizeof(error)))
		return run_fail(run, 3, "%s", error);
	status = plan_make(&run->plan, &run->suites, &run->plugins, run->topology, error, sizeof(error));
	if (status)
		return run_fail(run, status == -EINVAL ? 2 : 3, "%s", error);
	return true;
}

static void warn_of_quota(const struct run *run)
{
	unsigned most = 0;

	for (size_t i = 0; i < run->plan.cell_count; i++)
		most = cell_actors(&run->plan.cells[i]) > most ? cell_actors(&run->plan.cells[i]) : most;
	if (run->limits.quota_cpus >= 0 && run->limits.quota_cpus < most)
		fprintf(stderr,
			"twopoint: warning: this process may use %.2f CPUs, and a trial keeps up to %u busy: it will be throttled, and "
			"such trials count as disturbed\n",
			run->limits.quota_cpus, most);
}

/* The file for all stamps, where one is asked for. */
static bool open_raw(struct run *run)
{
	const char *path = run->settings->raw;
	json_t *text = path ? json_string(path) : NULL; /* as trials are told of it */
	int status;

	if (!path)
		return true;
	if (!text || strlen(path) >= TRIAL_PATH)
		return run_fail(run, 2, "--raw: the path is too long or not UTF-8");
	json_decref(text);
	status = raw_create(path);
	return !status || run_fail(run, 3, "--raw: %s: %s", path, strerror(-status));
}

static bool measure(struct run *run, int argc, char **argv)
{
	struct topology_facts facts;
	char error[RECORD_TEXT];
	bool complete;

	topology_facts(run->topology, &facts);
	if (!facts.this_machine)
		return run_fail(run, 3, "HWLOC_XMLFILE or HWLOC_SYNTHETIC describes another machine, on which nothing can be measured; "
				"--dry-run plans for it");
	warn_of_quota(run);
	plugins_warn(&run->plugins, stderr);
	interrupt_catch();
	if (!choose_path(run))
		return false;
	if (!open_raw(run))
		return false;
	if (record_create(&run->record, run->path, error)) {
		if (run->settings->raw)
			unlink(run->settings->raw);
		return run_fail(run, 3, "%s", error);
	}
	run->began_ns = clock_system_ns(CLOCK_MONOTONIC);
	clock_open(&run->clock, CALIBRATE_NS);
	run->clock_began = clock_read_pair(run->clock.source);
	if (!run->settings->quiet)
		fprintf(stderr, "%zu cell%s × %" PRIu64 " trial%s, about %.0f s, record %s\n", run->plan.cell_count,
			run->plan.cell_count == 1 ? "" : "s", run->settings->trials, run->settings->trials == 1 ? "" : "s",
			(double)plan_estimate_ns(&run->plan, run->settings->trials) / 1e9, run->path);
	complete = begin_record(run, argc, argv) && run_trials(run);
	if (complete && run->until.goal > 0 && !run->until.met)
		fprintf(stderr, "twopoint: --until: not reached within %" PRIu64 " attempts of each cell; the record's last line tells by "
			"which\n",
			run->settings->attempts);
	finish(run, complete);
	return complete;
}

static void release(struct run *run)
{
	for (size_t i = 0; run->tallies && i < run->plan.cell_count; i++)
		free(run->tallies[i].line_ns);
	free(run->tallies);
	until_free(&run->until);
	plan_free(&run->plan);
	plugins_close(&run->plugins);
	if (run->topology)
		topology_free(run->topology);
	suites_free(&run->suites);
}

static void print_plan(const struct run *run)
{
	json_t *plan, *list;

	if (!run->suites.options.json) {
		plan_print(stdout, &run->plan, run->settings, run->topology);
		return;
	}
	plan = plan_to_json(&run->plan, run->settings);
	list = json_array();
	for (size_t i = 0; i < run->plan.cell_count; i++)
		json_array_append_new(list, cell_to_json(&run->plan.cells[i]));
	json_object_set_new(plan, "list", list);
	json_dumpf(plan, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(plan);
}

int run_main(const struct options *command_line, int argc, char **argv, run_report *report)
{
	struct run run = {.report = report};

	if (prepare(&run, command_line)) {
		if (run.settings->dry_run)
			print_plan(&run);
		else
			measure(&run, argc, argv);
	}
	release(&run);
	return interrupted ? 128 + interrupted : run.status;
}
