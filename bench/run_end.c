/* The end of a run: the record's last line, with the verdict, and the table. */
#include "run_parts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "interrupt.h"
#include "machine.h"
#include "summary.h"
#include "table.h"

static const double DRIFT_PPM_MAX = 200; /* of the clock's rate, start against end */

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
	run_append_line(run, end);
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

void run_finish(struct run *run, bool complete)
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
		run_fail_record(run, error);
	run->record = NULL;
}
