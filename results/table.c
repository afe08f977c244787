#include "table.h"
#include "number.h"
#include "table_groups.h"
#include "table_print.h"
#include "table_text.h"
#include "table_windows.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE_COLUMNS = 120 };

struct table {
	FILE *out;
	const struct record *record;
	const struct summary *summary;
	bool wide;
	json_t *varying; /* parameters without a place of their own that differ between cells */
};

/* ---- texts ---- */

static void time_text(char text[TABLE_TEXT], const struct summary_value *value)
{
	char number[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s", value->known ? number_time(number, value->median) : "-");
}

static void rate_text(char text[TABLE_TEXT], const struct summary_value *value)
{
	char number[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s", value->known ? number_rate(number, value->median) : "-");
}

/* In the unit that the median beside it has. */
static void interval_text(char text[TABLE_TEXT], const struct summary_value *value, struct number_unit unit)
{
	char low[NUMBER_TEXT], high[NUMBER_TEXT];

	if (value->known && value->interval.known)
		snprintf(text, TABLE_TEXT, "[%s %s]", number_scaled(low, value->interval.low, unit),
			 number_scaled(high, value->interval.high, unit));
	else
		snprintf(text, TABLE_TEXT, "-");
}

/* The time from message to message at the point where the rate was taken. */
static void period_text(char text[TABLE_TEXT], const struct summary_value *rate)
{
	char number[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s",
		 rate->known && rate->median > 0.0 ? number_decimal(number, 1e9 / rate->median) : "-");
}

struct left_out {
	size_t count;
	const char *why;
};

/* "10", "9+1 invalid", or "7+3" and the reasons in a line of their own. */
static void trials_text(char text[TABLE_TEXT], char more[TABLE_TEXT], const struct summary_row *row)
{
	const struct left_out parts[] = { { row->invalid, "invalid" },
					  { row->failed, "failed" },
					  { row->moved, "moved" } };
	size_t sum = row->invalid + row->failed + row->moved;
	int length = 0;

	more[0] = '\0';
	snprintf(text, TABLE_TEXT, sum ? "%zu+%zu" : "%zu", row->trials, sum);
	for (size_t i = 0; i < 3; i++) {
		if (parts[i].count == 0)
			continue;
		if (parts[i].count == sum && sum < 100 && row->trials < 100)
			snprintf(text, TABLE_TEXT, "%zu+%zu %s", row->trials, sum, parts[i].why);
		else
			length += snprintf(more + length, TABLE_TEXT - (size_t)length, "%s%zu %s", length ? ", " : "",
					   parts[i].count, parts[i].why);
	}
}

/* ---- rows ---- */

/* of both forms */
enum { QUEUE, BATCH, CAPACITY, WAIT, PARAMETERS };

static void parameters_text(char (*texts)[TABLE_TEXT], const struct record_cell *cell)
{
	char number[NUMBER_TEXT];

	snprintf(texts[QUEUE], TABLE_TEXT, "%.40s", cell->queue);
	snprintf(texts[BATCH], TABLE_TEXT, "%s", number_size(number, cell->batch));
	table_capacity_text(texts[CAPACITY], cell);
	snprintf(texts[WAIT], TABLE_TEXT, "%.40s", cell->wait);
}

enum { CAME = PARAMETERS, SENDER, RECEIVER, RECEIVER_INTERVAL, PERIOD, RECEIVER_CALM, RATE_TRIALS, RATE_COLUMNS };

static const struct table_column rate_columns[RATE_COLUMNS] = {
	[QUEUE] = { "", "queue", 14, true, false },
	[BATCH] = { "batch", "asked", 5, false, false },
	[CAPACITY] = { "capacity", "/window", 10, false, false },
	[WAIT] = { "", "wait", 8, true, false },
	[CAME] = { "batch", "came", 6, false, false },
	[SENDER] = { "sender", "at write", 10, false, false },
	[RECEIVER] = { "receiver", "at read", 10, false, false },
	[RECEIVER_INTERVAL] = { "", "[95 %]", 15, true, true },
	[PERIOD] = { "ns per", "message", 8, false, true },
	[RECEIVER_CALM] = { "receiver", "calm", 10, false, true },
	[RATE_TRIALS] = { "", " n", 1, true, false },
};

/* "each of 2 receivers 1.2 M/s to 1.4 M/s, Jain 0.99, longest gap 3 ms": how evenly they came to move messages. */
static int side_text(char *text, size_t size, const struct summary_side *side, uintmax_t count, const char *who)
{
	char least[NUMBER_TEXT], most[NUMBER_TEXT], jain[NUMBER_TEXT], gap[NUMBER_TEXT];

	if (count < 2)
		return snprintf(text, size, "the %s: longest gap %s", who,
				side->longest_gap_ns.known ? number_time(gap, side->longest_gap_ns.median) : "-");
	return snprintf(text, size, "each of %ju %ss: %s to %s, Jain %s, longest gap %s", count, who,
			side->least_rate.known ? number_rate(least, side->least_rate.median) : "-",
			side->most_rate.known ? number_rate(most, side->most_rate.median) : "-",
			side->jain.known ? number_decimal(jain, side->jain.median) : "-",
			side->longest_gap_ns.known ? number_time(gap, side->longest_gap_ns.median) : "-");
}

static void sides_lines(const struct table *table, const struct summary_row *row)
{
	char text[2 * TABLE_TEXT];

	if (!row->senders.longest_gap_ns.known && !row->receivers.longest_gap_ns.known)
		return;
	side_text(text, sizeof(text), &row->senders, (uintmax_t)row->cell->producers, "sender");
	table_say(table->out, "  %s\n", text);
	side_text(text, sizeof(text), &row->receivers, (uintmax_t)row->cell->consumers, "receiver");
	table_say(table->out, "  %s\n", text);
}

static void rate_row(const struct table *table, const struct table_row *line)
{
	const struct summary_row *row = line->row;
	struct summary_value calm = { .known = row->receiver_rate.calm_known,
				      .median = row->receiver_rate.calm_median };
	char texts[RATE_COLUMNS][TABLE_TEXT], trials[TABLE_TEXT], more[TABLE_TEXT], number[NUMBER_TEXT];

	parameters_text(texts, row->cell);
	snprintf(texts[CAME], TABLE_TEXT, "%s",
		 row->mean_batch.known ? number_decimal(number, row->mean_batch.median) : "-");
	rate_text(texts[SENDER], &row->sender_rate);
	rate_text(texts[RECEIVER], &row->receiver_rate);
	interval_text(texts[RECEIVER_INTERVAL], &row->receiver_rate, number_rate_unit(row->receiver_rate.median));
	period_text(texts[PERIOD], &row->receiver_rate);
	rate_text(texts[RECEIVER_CALM], &calm);
	trials_text(trials, more, row);
	snprintf(texts[RATE_TRIALS], TABLE_TEXT, " %.100s", trials);
	table_cells(table->out, rate_columns, 0, RATE_COLUMNS, "", (const char(*)[TABLE_TEXT])texts, table->wide);
	if (more[0])
		table_say(table->out, "  not counted: %s\n", more);
	sides_lines(table, row);
	table_windows_lines(table->out, &row->windows);
}

enum { P50 = PARAMETERS, P50_INTERVAL, P50_CALM, P99, P99_9, MAX, LATENCY_TRIALS, LATENCY_COLUMNS };

static const struct table_column latency_columns[LATENCY_COLUMNS] = {
	[QUEUE] = { "", "queue", 14, true, false },
	[BATCH] = { "batch", "asked", 5, false, false },
	[CAPACITY] = { "capacity", "/window", 10, false, false },
	[WAIT] = { "", "wait", 8, true, false },
	[P50] = { "", "p50", 9, false, false },
	[P50_INTERVAL] = { "", "[95 %]", 14, true, true },
	[P50_CALM] = { "p50", "calm", 9, false, true },
	[P99] = { "", "p99", 9, false, false },
	[P99_9] = { "", "p99.9", 9, false, true },
	[MAX] = { "", "max", 9, false, false },
	[LATENCY_TRIALS] = { "", " n", 1, true, false },
};

/* latency: NULL gives dashes. */
static void latency_text(char (*texts)[TABLE_TEXT], const struct summary_latency *latency)
{
	static const struct summary_latency unknown;
	const struct summary_latency *shown = latency ? latency : &unknown;
	struct summary_value calm = { .known = shown->p50_ns.calm_known, .median = shown->p50_ns.calm_median };

	time_text(texts[P50], &shown->p50_ns);
	interval_text(texts[P50_INTERVAL], &shown->p50_ns, number_time_unit(shown->p50_ns.median));
	time_text(texts[P50_CALM], &calm);
	time_text(texts[P99], &shown->p99_ns);
	time_text(texts[P99_9], &shown->p99_9_ns);
	time_text(texts[MAX], &shown->max_ns);
	texts[LATENCY_TRIALS][0] = '\0';
}

/* "write:read 0>1": the points, and the actors that they are at. */
static void points_text(char text[TABLE_TEXT], const struct summary_latency *latency)
{
	if (latency->from_actor < 0)
		snprintf(text, TABLE_TEXT, "%.16s:%.16s all>all", latency->from_point, latency->to_point);
	else
		snprintf(text, TABLE_TEXT, "%.16s:%.16s %d>%d", latency->from_point, latency->to_point,
			 latency->from_actor, latency->to_actor);
}

/* "actor 0"; of a latency of all together: "all senders", whom a message leaves at its flush */
static const char *actor_text(char text[TABLE_TEXT], int actor, const char *point)
{
	bool received = !strcmp(point, "preread") || !strcmp(point, "read") || !strcmp(point, "handled");

	if (actor < 0)
		snprintf(text, TABLE_TEXT, "all %s", received ? "receivers" : "senders");
	else
		snprintf(text, TABLE_TEXT, "actor %d", actor);
	return text;
}

/* A line of its own for each further latency of a row. */
static void latency_line(const struct table *table, const struct summary_latency *latency)
{
	char texts[LATENCY_COLUMNS][TABLE_TEXT], points[TABLE_TEXT], label[TABLE_TEXT], number[NUMBER_TEXT];

	points_text(points, latency);
	if (isinf(latency->offset_half_width_ns))
		snprintf(label, TABLE_TEXT, "  %.60s +-?", points);
	else if (latency->offset_half_width_ns > 0.0)
		snprintf(label, TABLE_TEXT, "  %.60s +-%s", points, number_time(number, latency->offset_half_width_ns));
	else
		snprintf(label, TABLE_TEXT, "  %.60s", points);
	latency_text(texts, latency);
	if (latency->clock_limited)
		snprintf(texts[LATENCY_TRIALS], TABLE_TEXT, " clock-limited");
	table_cells(table->out, latency_columns, PARAMETERS, LATENCY_COLUMNS, label, (const char(*)[TABLE_TEXT])texts,
		    table->wide);
}

static void half_line(const struct table *table, const struct summary_latency *round_trip)
{
	char texts[LATENCY_COLUMNS][TABLE_TEXT];
	struct summary_value half = { .known = round_trip->p50_ns.known, .median = round_trip->p50_ns.median / 2 };

	memset(texts, 0, sizeof(texts));
	time_text(texts[P50], &half);
	table_cells(table->out, latency_columns, PARAMETERS, LATENCY_COLUMNS, "  half the round trip",
		    (const char(*)[TABLE_TEXT])texts, table->wide);
}

static void rates_line(const struct table *table, const struct summary_row *row)
{
	char sender[TABLE_TEXT], receiver[TABLE_TEXT], interval[TABLE_TEXT], period[TABLE_TEXT], batch[NUMBER_TEXT];

	rate_text(sender, &row->sender_rate);
	rate_text(receiver, &row->receiver_rate);
	interval_text(interval, &row->receiver_rate, number_rate_unit(row->receiver_rate.median));
	period_text(period, &row->receiver_rate);
	table_say(table->out, "  sender %s at write; receiver %s %s at read;", sender, receiver, interval);
	table_say(table->out, "%s %s ns per message; batches of %s\n", table->wide ? "" : "\n   ", period,
		  row->mean_batch.known ? number_decimal(batch, row->mean_batch.median) : "-");
}

static void latency_row(const struct table *table, const struct table_row *line)
{
	const struct summary_row *row = line->row;
	char texts[LATENCY_COLUMNS][TABLE_TEXT], trials[TABLE_TEXT], more[TABLE_TEXT];
	bool clock_limited = false;

	parameters_text(texts, row->cell);
	latency_text(texts, line->primary);
	trials_text(trials, more, row);
	snprintf(texts[LATENCY_TRIALS], TABLE_TEXT, " %.100s", trials);
	table_cells(table->out, latency_columns, 0, LATENCY_COLUMNS, "", (const char(*)[TABLE_TEXT])texts, table->wide);
	if (more[0])
		table_say(table->out, "  not counted: %s\n", more);
	for (size_t i = 0; i < row->latency_count; i++)
		if (!row->latency[i].saturated && (&row->latency[i] != line->primary || !line->primary->round_trip)) {
			latency_line(table, &row->latency[i]);
			clock_limited |= row->latency[i].clock_limited;
		}
	if (clock_limited && line->primary->round_trip)
		half_line(table, line->primary);
	if (row->trials > 0)
		rates_line(table, row);
	sides_lines(table, row);
	table_windows_lines(table->out, &row->windows);
}

/* Samples that no percentile shows as they are. */
static void odd_samples_line(const struct table *table, const struct summary_row *row)
{
	for (size_t i = 0; i < row->latency_count; i++) {
		const struct summary_latency *latency = &row->latency[i];
		char points[TABLE_TEXT];

		if (latency->below_zero == 0 && latency->beyond == 0)
			continue;
		points_text(points, latency);
		table_say(table->out, "  %.40s: %ju samples below zero, %ju beyond the histogram's top\n", points,
			  (uintmax_t)latency->below_zero, (uintmax_t)latency->beyond);
	}
}

/* ---- groups ---- */

static void group_head(const struct table *table, const struct table_row *line)
{
	const struct record_cell *cell = line->row->cell;
	char cpus[TABLE_TEXT], number[NUMBER_TEXT], trip[NUMBER_TEXT], from[TABLE_TEXT], to[TABLE_TEXT], *value;
	const char *name;
	json_t *varies;

	table_cpus_text(cpus, json_object_get(cell->json, "cpus"));
	table_say(table->out, "\n%.24s, load %.24s, %ju-byte messages, %.24s (CPUs %s), regime %s\n", cell->workload,
		  cell->load, (uintmax_t)cell->message_bytes, cell->place, cpus, line->regime);
	table_say(
		table->out,
		"  %ju producer%s, %ju consumer%s, touch %.16s, stamps %.16s, trials of %s, one line's round trip %s\n",
		(uintmax_t)cell->producers, cell->producers == 1 ? "" : "s", (uintmax_t)cell->consumers,
		cell->consumers == 1 ? "" : "s", cell->touch, cell->stamps,
		cell->duration_ns > 0.0 ? number_time(number, cell->duration_ns) : "-",
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
	json_object_foreach(table->varying, name, varies) {
		value = json_dumps(json_object_get(cell->json, name),
				   JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
		table_say(table->out, "  %.40s %.70s\n", name, value ? value : "-");
		free(value);
	}
	if (line->primary)
		table_say(table->out, "  p50 to max: %s, from %.16s at %s to %.16s at %s\n",
			  line->primary->round_trip ? "round trip" : "latency", line->primary->from_point,
			  actor_text(from, line->primary->from_actor, line->primary->from_point), line->primary->to_point,
			  actor_text(to, line->primary->to_actor, line->primary->to_point));
	if (!strcmp(line->row->cell->load, "saturate"))
		table_say(table->out, "  no latency: in a saturated queue a message's time is the queue's depth over its rate\n");
	table_head(table->out, line->primary ? latency_columns : rate_columns,
		   line->primary ? LATENCY_COLUMNS : RATE_COLUMNS, table->wide);
}

/* The rows of one group and regime. Returns their number. */
static long group_print(const struct table *table, const struct table_row *rows, long count)
{
	bool floors = false, latencies = rows->primary != NULL;
	long i = 0;

	group_head(table, rows);
	for (; i < count && table_groups_same(&rows[0], &rows[i]); i++) {
		const struct summary_row *row = rows[i].row;

		if (summary_is_floor(row->cell) && !floors) {
			table_say(table->out, "for comparison: the harness alone (null, both ends summed), the hardware alone:\n");
			floors = true;
		}
		if (latencies)
			latency_row(table, &rows[i]);
		else
			rate_row(table, &rows[i]);
		odd_samples_line(table, row);
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
					     "touch",     "stamps",    "duration_ns",   "latency" };
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

static void add_reason(json_t *reasons, size_t count, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add_reason(json_t *reasons, size_t count, const char *format, ...)
{
	char reason[TABLE_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	count += (size_t)json_integer_value(json_object_get(reasons, reason));
	json_object_set_new_nocheck(reasons, reason, json_integer((json_int_t)count));
}

/* Why trials are not among those counted, each reason once. */
static void reasons_print(const struct table *table)
{
	enum { MOST = 20 };
	json_t *reasons = json_object(), *skipped, *count;
	const char *reason;
	size_t i, shown = 0;

	json_array_foreach(json_object_get(json_object_get(table->record->run, "plan"), "skipped"), i, skipped)
		add_reason(reasons, (size_t)json_integer_value(json_object_get(skipped, "cells")),
			   "cells not planned: %.80s", table_string_or_dash(skipped, "reason"));
	for (i = 0; i < table->record->trial_count; i++) {
		const struct record_trial *trial = &table->record->trials[i];

		const char *why = trial->why ? trial->why : "-";
		bool failed = strcmp(trial->status, "ok") != 0;

		/* of what the audit says, the check's name alone: the numbers differ from trial to trial */
		if (failed || !trial->valid)
			add_reason(reasons, 1, "%s: %.*s", failed ? trial->status : "invalid",
				   strcmp(trial->status, "invalid") ? 80 : (int)strcspn(why, ":"), why);
	}
	json_object_foreach(reasons, reason, count) {
		if (shown++ == MOST) {
			table_say(table->out, "  and %zu reasons more, in the record\n",
				  json_object_size(reasons) - MOST);
			break;
		}
		table_say(table->out, "  %" JSON_INTEGER_FORMAT " %.108s\n", json_integer_value(count), reason);
	}
	json_decref(reasons);
}

static void tally_print(const struct table *table)
{
	const struct summary *summary = table->summary;

	table_say(
		table->out,
		"\nTrials: %zu; %zu counted (%zu of them disturbed), %zu moved, %zu invalid, %zu failed, %zu skipped\n",
		summary->trials, summary->counted, summary->disturbed, summary->moved, summary->invalid,
		summary->failed, summary->skipped);
	reasons_print(table);
	for (size_t i = 0; i < summary->regime_count; i++)
		table_say(table->out, "  regime %s: %zu trial%s%s\n", summary->regimes[i].name,
			  summary->regimes[i].trials, summary->regimes[i].trials == 1 ? "" : "s",
			  i == summary->main_regime ? ", the most frequent" : "");
	if (table->record->cut)
		table_say(table->out, "  the file ends in half a line, which is left out\n");
	if (!table->record->end)
		table_say(table->out, "  the run did not come to its end\n");
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
			  WIDE_COLUMNS);
}

void table_print(FILE *out, const struct record *record, const struct summary *summary, unsigned width)
{
	struct table table = { .out = out,
			       .record = record,
			       .summary = summary,
			       .wide = width == 0 || width >= WIDE_COLUMNS,
			       .varying = find_varying(summary) };

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
