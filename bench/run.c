#include "run_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "raw.h"
#include "trial.h"
#include "units.h"

enum { CALIBRATE_NS = 100000000 };

bool run_fail(struct run *run, int status, const char *format, ...)
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
		return run_fail(run, 3, "--plugin: %s", error);
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
	char error[RECORD_TEXT], time[UNITS_TEXT], most[UNITS_TEXT];
	bool complete;

	topology_facts(run->topology, &facts);
	if (!facts.this_machine)
		return run_fail(run, 3, "HWLOC_XMLFILE or HWLOC_SYNTHETIC describes another machine, on which nothing can be measured; "
				"--dry-run plans for it");
	warn_of_quota(run);
	plugins_warn(&run->plugins, stderr);
	plan_warn_of_nodes(stderr, &run->plan, run->topology);
	interrupt_catch();
	if (!run_choose_path(run))
		return false;
	if (!open_raw(run))
		return false;
	if (run_create_record(run, error)) {
		if (run->settings->raw)
			unlink(run->settings->raw);
		return run_fail(run, 3, "%s", error);
	}
	run->began_ns = clock_system_ns(CLOCK_MONOTONIC);
	clock_open(&run->clock, CALIBRATE_NS);
	run->clock_began = clock_read_pair(run->clock.source);
	if (!run->settings->quiet)
		fprintf(stderr, "%zu cell%s × %" PRIu64 " trial%s, about %s, at most %s where trials are %s, record %s\n", run->plan.cell_count,
			run->plan.cell_count == 1 ? "" : "s", run->settings->trials, run->settings->trials == 1 ? "" : "s",
			units_show_time(time, plan_estimate_ns(&run->plan, run->settings->trials)),
			units_show_time(most, plan_estimate_ns(&run->plan, run->settings->attempts)),
			run->settings->until_ppm ? "added" : "repeated", run->path);
	complete = run_begin_record(run, argc, argv) && run_trials(run);
	if (complete && run->until.goal > 0 && !run->until.met)
		fprintf(stderr, "twopoint: --until: not reached within %" PRIu64 " attempts of each cell; the record's last line tells by "
			"which\n",
			run->settings->attempts);
	run_finish(run, complete);
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
