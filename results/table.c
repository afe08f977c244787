#include "table.h"
#include "table_reasons.h"
#include "table_rows.h"
#include "table_until.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct table {
	FILE *out;
	const struct record *record;
	const struct summary *summary;
	bool wide;
	int queue_width; /* of the column: as the longest name */
	json_t *varying; /* parameters without a place of their own that differ between cells */
};

/* Samples that no percentile shows as they are. */
static void odd_samples_line(FILE *out, const struct summary_row *row)
{
	for (size_t i = 0; i < row->latency_count; i++) {
		const struct summary_latency *latency = &row->latency[i];
		char points[TABLE_TEXT];

		if (latency->below_zero == 0 && latency->beyond == 0)
			continue;
		table_points_text(points, latency);
		table_say(out, "  %.40s: %ju samples below zero, %ju beyond the histogram's top\n", points,
			  (uintmax_t)latency->below_zero, (uintmax_t)latency->beyond);
	}
}

/* ---- groups ---- */

/* What ends a trial: "60.00 ms", "2 messages". */
static void length_text(char text[TABLE_TEXT], const struct record_cell *cell)
{
	json_int_t messages = json_integer_value(json_object_get(cell->json, "messages"));
	char number[NUMBER_TEXT];

	if (cell->duration_ns > 0.0)
		snprintf(text, TABLE_TEXT, "%s", number_time(number, cell->duration_ns));
	else if (messages > 0)
		snprintf(text, TABLE_TEXT, "%" JSON_INTEGER_FORMAT " message%s", messages, messages == 1 ? "" : "s");
	else
		snprintf(text, TABLE_TEXT, "-");
}

static double took(const struct summary_row *row, bool think)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < row->trials; i++) {
		double ns = think ? row->members[i]->think_took_ns : row->members[i]->work_took_ns;

		sum += fmax(ns, 0);
		n += ns >= 0;
	}
	return n ? sum / (double)n : -1;
}

static void busy_text(FILE *out, const char *who, const char *what, uint64_t asked_ns, double took_ns)
{
	char asked[NUMBER_TEXT], number[NUMBER_TEXT];

	if (asked_ns)
		table_say(out, "  %s %s %s per message; %s by the calibration\n", who, what, number_time(asked, (double)asked_ns),
			  took_ns >= 0 ? number_time(number, took_ns) : "unknown");
}

static void busy_line(FILE *out, const struct summary_row *row)
{
	busy_text(out, "receivers", "work", row->cell->work_ns, took(row, false));
	busy_text(out, "senders", "think", row->cell->think_ns, took(row, true));
}

static void group_head(const struct table *table, const struct table_row *line)
{
	const struct record_cell *cell = line->row->cell;
	char cpus[TABLE_TEXT], length[TABLE_TEXT], trip[NUMBER_TEXT], from[TABLE_TEXT], to[TABLE_TEXT];
	char parameter[TABLE_TEXT];
	const struct table_form form = { table->out, table->wide, table->queue_width };
	const char *name;
	json_t *varies;

	table_cpus_text(cpus, json_object_get(cell->json, "cpus"));
	length_text(length, cell);
	table_say(table->out, "\n%.24s, load %.24s%s%.16s, %ju-byte messages, %.24s (CPUs %s), regime %s\n", cell->workload,
		  cell->load, cell->arrival ? " " : "", cell->arrival ? cell->arrival : "", (uintmax_t)cell->message_bytes, cell->place,
		  cpus, line->regime);
	table_say(
		table->out,
		"  %ju producer%s, %ju consumer%s, touch %.16s, stamps %.16s, trials of %s, one line's round trip %s\n",
		(uintmax_t)cell->producers, cell->producers == 1 ? "" : "s", (uintmax_t)cell->consumers,
		cell->consumers == 1 ? "" : "s", cell->touch, cell->stamps,
		length,
		line->line_ns > 0.0 ? number_time(trip, line->line_ns) : "-");
	if (cell->stages > 0)
		table_say(table->out, "  %ju stages; the sender is the first one, the receiver the last one\n",
			  (uintmax_t)cell->stages);
	if (cell->producers > 1 || cell->consumers > 1)
		table_say(table->out, "  sender, receiver: sums over %ju sender%s, over %ju receiver%s\n",
			  (uintmax_t)cell->producers, cell->producers == 1 ? "" : "s", (uintmax_t)cell->consumers,
			  cell->consumers == 1 ? "" : "s");
	if (!cell->prewrite)
		table_say(table->out, "  prewrite off: each message is flushed by itself\n");
	if (!cell->preread)
		table_say(table->out, "  preread off: each message is taken note of by itself\n");
	busy_line(table->out, line->row);
	json_object_foreach(table->varying, name, varies) {
		table_parameter_text(parameter, name, json_object_get(cell->json, name));
		table_say(table->out, "  %s\n", parameter);
	}
	if (line->primary && !line->open)
		table_say(table->out, "  p50 to max: %s, from %.16s at %s to %.16s at %s\n",
			  line->primary->round_trip ? "round trip" : "latency", line->primary->from_point,
			  table_actor_text(from, line->primary->from_actor, line->primary->from_point), line->primary->to_point,
			  table_actor_text(to, line->primary->to_actor, line->primary->to_point));
	if (!strcmp(line->row->cell->load, "saturate"))
		table_say(table->out, "  no latency: in a saturated queue a message's time is the queue's depth over its rate\n");
	if (line->open)
		table_open_head(&form);
	else if (line->primary)
		table_latency_head(&form);
	else
		table_rates_head(&form);
}

/* The rows of one group and regime. Returns their number. */
static long group_print(const struct table *table, const struct table_row *rows, long count)
{
	const struct table_form form = { table->out, table->wide, table->queue_width };
	bool floors = false, latencies = rows->primary != NULL;
	long i = 0;

	group_head(table, rows);
	for (; i < count && table_groups_same(&rows[0], &rows[i]); i++) {
		const struct summary_row *row = rows[i].row;

		if (summary_is_floor(row->cell) && !floors) {
			table_say(table->out, "for comparison: the harness alone (null, both ends summed), the hardware alone:\n");
			floors = true;
		}
		if (rows->open)
			table_open_row(&form, &rows[i]);
		else if (latencies)
			table_latency_row(&form, &rows[i]);
		else
			table_rates_row(&form, &rows[i]);
		odd_samples_line(table->out, row);
		if (rows->open || latencies)
			table_samples_lines(table->out, row);
		table_stamps_lines(table->out, row);
	}
	return i;
}

static void groups_print(const struct table *table)
{
	struct table_row *rows;
	long count = table_groups_make(&rows, table->summary);
	bool others = false;

	if (count < 0) {
		table_say(table->out, "out of memory: the rows are not shown\n");
		return;
	}
	if (count == 0)
		table_say(table->out, "\nno trial was measured\n");
	for (long i = 0; i < count; i += group_print(table, rows + i, count - i)) {
		if (!rows[i].main_regime && !others)
			table_say(table->out, "\nOther regimes: trials that fell into them while the CPUs stood "
					      "otherwise to each other\n");
		others = !rows[i].main_regime;
	}
	table_groups_free(rows, count);
}

/* Parameters that no column and no head shows, but that differ between cells of this record. */
static json_t *find_varying(const struct summary *summary)
{
	static const char *const shown[] = { "queue",     "batch",     "capacity",      "window", "wait",
					     "workload",  "load",      "message_bytes", "place",  "cpus",
					     "producers", "consumers", "stages",        "prewrite", "preread",
					     "touch",     "stamps",    "duration_ns",   "messages", "latency",
					     "rate_per_s", "rate_percent", "arrival",   "burst",   "gap_ns",
					     "work_ns",   "think_ns" };
	json_t *varying = json_object(), *value;
	const char *name;

	for (size_t i = 1; i < summary->row_count; i++) {
		const json_t *first = summary->rows[0].cell->json;

		if (summary->rows[i].cell->json == summary->rows[i - 1].cell->json)
			continue;
		json_object_foreach(summary->rows[i].cell->json, name, value) {
			const json_t *other = json_object_get(first, name);

			if (!other || !json_equal(other, value))
				json_object_set_new(varying, name, json_true());
		}
	}
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		json_object_del(varying, shown[i]);
	return varying;
}

/* ---- what stands around the groups ---- */

static void machine_print(const struct table *table)
{
	const json_t *run = table->record->run, *tool = json_object_get(run, "tool"),
		     *host = json_object_get(run, "host");
	const json_t *clock = json_object_get(run, "clock"), *build = json_object_get(run, "build");
	const json_t *quantum = json_object_get(clock, "quantum_ns");
	char step[NUMBER_TEXT];

	table_say(table->out,
		  "%.40s, %" JSON_INTEGER_FORMAT
		  " CPUs, %.16s, kernel %.24s, hypervisor %.12s, clock %.12s in steps of %s\n",
		  table_string_or_dash(host, "cpu_model"), json_integer_value(json_object_get(host, "cpus")),
		  table_string_or_dash(host, "architecture"), table_string_or_dash(host, "kernel"),
		  table_string_or_dash(host, "hypervisor"), table_string_or_dash(clock, "source"),
		  json_is_number(quantum) ? number_time(step, json_number_value(quantum)) : "-");
	table_say(table->out, "%.12s %.12s (%.12s), %.16s %.30s, suite %.16s, %.24s\n", table_string_or_dash(tool, "name"),
		  table_string_or_dash(tool, "version"), table_string_or_dash(tool, "commit"), table_string_or_dash(build, "compiler"),
		  table_string_or_dash(build, "flags"), table_string_or_dash(run, "suite"), table_string_or_dash(run, "started_utc"));
}

static void floor_print(const struct table *table)
{
	const struct summary_floor *machine = &table->summary->floor;
	char share[NUMBER_TEXT], p50[NUMBER_TEXT], p99[NUMBER_TEXT], p99_9[NUMBER_TEXT], most[NUMBER_TEXT];

	if (!machine->known) {
		table_say(table->out, "\nThe machine's own floor was not measured.\n");
		return;
	}
	table_say(table->out,
		  "\nThe machine's own floor: it stood still for %s %% of the time. An arrival at a random instant "
		  "waits\n",
		  number_decimal(share, 100.0 * machine->stall_share));
	table_say(table->out, "p50 %s, p99 %s, p99.9 %s, at most %s, whatever the queue.\n",
		  number_time(p50, machine->p50_ns), number_time(p99, machine->p99_ns),
		  number_time(p99_9, machine->p99_9_ns), number_time(most, machine->max_ns));
	table_say(table->out, "A loop that waits for each answer meets few: its percentiles count messages.\n");
}

static void tally_print(const struct table *table)
{
	const struct summary *summary = table->summary;

	table_say(
		table->out,
		"\nTrials: %zu; %zu counted (%zu of them disturbed), %zu moved, %zu invalid, %zu failed, %zu skipped\n",
		summary->trials, summary->counted, summary->disturbed, summary->moved, summary->invalid,
		summary->failed, summary->skipped);
	table_reasons_lines(table->out, TABLE_WIDE, table->record);
	for (size_t i = 0; i < summary->regime_count; i++)
		table_say(table->out, "  regime %s: %zu trial%s%s\n", summary->regimes[i].name,
			  summary->regimes[i].trials, summary->regimes[i].trials == 1 ? "" : "s",
			  i == summary->main_regime ? ", the most frequent" : "");
	table_until_lines(table->out, table->record);
	if (table->record->cut)
		table_say(table->out, "  the file ends in half a line, which is left out\n");
	if (!table->record->end)
		table_say(table->out, "  the run did not come to its end\n");
	else if (json_is_string(json_object_get(table->record->end, "why")))
		table_say(table->out, "  the run is not complete: %.100s\n", table_string_or_dash(table->record->end, "why"));
}

static void verdict_print(const struct table *table, const char *what, const struct summary_verdict *verdict)
{
	table_say(table->out, "Fit for %s: %s\n", what, verdict->fit ? "yes" : "no");
	for (size_t i = 0; i < verdict->reason_count; i++)
		table_say(table->out, "  %.116s\n", verdict->reasons[i]);
}

static void notes_print(const struct table *table)
{
	table_say(table->out,
		  "\nEach number is the median over the n trials that count; [..] is its 95 %% interval, from %d "
		  "trials on.\n",
		  STATISTICS_INTERVAL_TRIALS);
	table_say(table->out,
		  "-: not known (too few trials or samples, or not measured). n+k: k trials more that do not count.\n");
	table_say(table->out, "calm: without the disturbed trials. +-: the clocks' bound (?: unknown); clock-limited: "
			      "it exceeds a quarter of the p50.\n");
	table_say(table->out, "A rate is taken at one point of one side; a regime is what one line's round trip was "
			      "during the trial.\n");
	if (!table->wide)
		table_say(table->out,
			  "Intervals, calm medians, p99.9 and ns per message stand in tables of %d columns.\n",
			  TABLE_WIDE);
}

void table_print(FILE *out, const struct record *record, const struct summary *summary, unsigned width)
{
	struct table table = { .out = out,
			       .record = record,
			       .summary = summary,
			       .wide = width == 0 || width >= TABLE_WIDE,
			       .varying = find_varying(summary) };

	for (size_t i = 0; i < summary->row_count; i++)
		table.queue_width = table_queue_width(table.queue_width, summary->rows[i].cell);

	machine_print(&table);
	groups_print(&table);
	floor_print(&table);
	tally_print(&table);
	table_say(out, "\n");
	verdict_print(&table, "rates and medians", &summary->rates);
	verdict_print(&table, "tails", &summary->tails);
	notes_print(&table);
	table_say(out, "\nRecord: %s\n", record->path);
	json_decref(table.varying);
}
