#include "compare_print.h"
#include "compare_parts.h"
#include "number.h"
#include "table_groups.h"
#include "table_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDE_COLUMNS = 120, NARROW_COLUMNS = 80, LEAST_FACTOR_SHOWN = 100000 /* no column is that wide */ };

struct print {
	FILE *out;
	const struct comparison *comparison;
	const struct compare_subject *subject;
	bool wide;
	int queue_width; /* of the column: as the longest name */
};

enum { QUEUE, BATCH, CAPACITY, WAIT, BASELINE, CHANGED, CHANGE, INTERVAL, LEAST, PROBABILITY, TRIALS, VERDICT, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[QUEUE] = { "", "queue", 14, true, false },
	[BATCH] = { "", "batch", 5, false, false },
	[CAPACITY] = { "capacity", "/window", 9, false, false },
	[WAIT] = { "", "wait", 6, true, true },
	[BASELINE] = { "", "baseline", 9, false, false },
	[CHANGED] = { "", "now", 9, false, false },
	[CHANGE] = { "", "change", 7, false, false },
	[INTERVAL] = { "", "[95 %]", 13, true, true },
	[LEAST] = { "least", "seen", 6, false, true },
	[PROBABILITY] = { "", "p", 6, false, true },
	[TRIALS] = { "", "n", 5, false, true },
	[VERDICT] = { "", "verdict", 20, true, false },
};

/* ---- rows ---- */

static const struct record_cell *row_cell(const struct compare_row *row)
{
	return row->cell ? row->cell : row->baseline_cell;
}

static void value_text(char text[TABLE_TEXT], const struct compare_row *row, const struct compare_sample *sample)
{
	char number[NUMBER_TEXT];

	if (sample->n == 0 || row->verdict == COMPARE_INCOMPARABLE)
		strcpy(text, "-");
	else
		snprintf(text, TABLE_TEXT, "%s",
			 row->metric == COMPARE_RATE ? number_rate(number, sample->median) : number_time(number, sample->median));
}

/* Without the unit, which the change beside it has. */
static char *bound_text(char *text, double share)
{
	number_change(text, share);
	text[strcspn(text, " ")] = '\0';
	return text;
}

void compare_least_text(char text[TABLE_TEXT], const struct compare_row *row)
{
	char number[NUMBER_TEXT];

	if ((row->verdict != COMPARE_UNCHANGED && row->verdict != COMPARE_BLIND) || row->least_change < 0)
		return;
	if (row->least_change < 1)
		snprintf(text, TABLE_TEXT, "%s", number_percent(number, row->least_change));
	else if (row->least_factor < LEAST_FACTOR_SHOWN) /* rounded up: so much is sure to be called */
		snprintf(text, TABLE_TEXT, "x%d", (int)ceil(row->least_factor));
}

const char *compare_verdict_text(enum compare_verdict verdict)
{
	return verdict == COMPARE_BLIND ? "not judged" : compare_verdict_names[verdict];
}

const char *compare_tally_text(enum compare_verdict verdict)
{
	return verdict == COMPARE_BLIND ? "would not have seen a doubling" : compare_verdict_names[verdict];
}

static void difference_text(char (*texts)[TABLE_TEXT], const struct compare_row *row)
{
	char number[NUMBER_TEXT], other[NUMBER_TEXT];

	snprintf(texts[CHANGE], TABLE_TEXT, "%s", number_change(number, row->change));
	if (row->tested) {
		snprintf(texts[INTERVAL], TABLE_TEXT, "[%s %s]", bound_text(number, row->interval.low),
			 bound_text(other, row->interval.high));
		snprintf(texts[PROBABILITY], TABLE_TEXT, "%s", number_probability(number, row->p_adjusted));
	}
	compare_least_text(texts[LEAST], row);
	snprintf(texts[TRIALS], TABLE_TEXT, "%zu/%zu", row->baseline.n, row->sample.n);
}

static bool is_said_of_all(const struct comparison *comparison, const char *reason)
{
	return strcmp(reason, comparison->incomparable) == 0 || strcmp(reason, comparison->noisy) == 0;
}

/* What a reader must know of the two sides' trials. */
static void sides_print(FILE *out, const struct compare_row *row)
{
	bool judged = row->verdict != COMPARE_INCOMPARABLE; /* else the reason tells */
	char number[NUMBER_TEXT], other[NUMBER_TEXT];

	if (row->baseline_lost || row->lost)
		table_say(out, "  invalid or failed trials: %zu in the baseline, %zu now\n", row->baseline_lost, row->lost);
	if (judged && (row->baseline.left_out || row->sample.left_out))
		table_say(out, "  left out, with %s: %zu of %zu trials in the baseline, %zu of %zu now\n",
			  row->metric == COMPARE_TIME ? "too few samples for a median" : "no rate", row->baseline.left_out,
			  row->baseline.n + row->baseline.left_out, row->sample.left_out, row->sample.n + row->sample.left_out);
	if (judged && row_cell(row)->rate_percent && row->baseline_offered_per_s > 0 && row->offered_per_s > 0)
		table_say(out, "  offered: %s in the baseline, %s now (%ju %% of each one's own capacity)\n",
			  number_rate(number, row->baseline_offered_per_s), number_rate(other, row->offered_per_s),
			  (uintmax_t)row_cell(row)->rate_percent);
}

static void row_print(const struct print *print, const struct compare_row *row)
{
	const struct record_cell *cell = row_cell(row);
	const struct table_form form = { print->out, print->wide, print->queue_width };
	char texts[COLUMNS][TABLE_TEXT], number[NUMBER_TEXT];

	for (size_t i = 0; i < COLUMNS; i++)
		strcpy(texts[i], "-");
	snprintf(texts[QUEUE], TABLE_TEXT, "%.*s", TABLE_QUEUE_LETTERS, cell->queue);
	snprintf(texts[BATCH], TABLE_TEXT, "%s", number_size(number, cell->batch));
	table_capacity_text(texts[CAPACITY], cell);
	snprintf(texts[WAIT], TABLE_TEXT, "%.40s", cell->wait);
	value_text(texts[BASELINE], row, &row->baseline);
	value_text(texts[CHANGED], row, &row->sample);
	if (row->verdict != COMPARE_INCOMPARABLE)
		difference_text(texts, row);
	if (row->verdict == COMPARE_TOO_FEW)
		snprintf(texts[VERDICT], TABLE_TEXT, "too few trials (%.40s)", row->reason);
	else
		snprintf(texts[VERDICT], TABLE_TEXT, "%s", compare_verdict_text(row->verdict));
	table_cells(&form, columns, 0, COLUMNS, "", (const char(*)[TABLE_TEXT])texts);
	if (row->reason[0] && row->verdict != COMPARE_TOO_FEW && !is_said_of_all(print->comparison, row->reason))
		table_say(print->out, "  %s: %s\n", compare_verdict_text(row->verdict), row->reason);
	sides_print(print->out, row);
}

/* ---- groups ---- */

struct grouped {
	const struct compare_row *row;
	char *group; /* of rows that stand under one head */
};

static int compare_counts(uint64_t x, uint64_t y)
{
	return (x > y) - (x < y);
}

/* As a reader looks for them. */
static int compare_groups(const struct grouped *a, const struct grouped *b)
{
	const struct record_cell *x = row_cell(a->row), *y = row_cell(b->row);
	int order = strcmp(x->workload, y->workload);

	if (!order)
		order = strcmp(x->load, y->load);
	if (!order)
		order = compare_counts(x->message_bytes, y->message_bytes);
	return order ? order : strcmp(a->group, b->group);
}

static int compare_grouped(const void *a, const void *b)
{
	const struct grouped *x = a, *y = b;
	const struct record_cell *first = row_cell(x->row), *second = row_cell(y->row);
	int order = compare_groups(x, y);

	if (!order)
		order = strcmp(first->queue, second->queue);
	if (!order)
		order = compare_counts(first->batch, second->batch);
	if (!order)
		order = compare_counts(first->capacity, second->capacity);
	if (!order)
		order = compare_counts(first->window, second->window);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

static char *group_of(const struct compare_row *row)
{
	char *key = table_groups_key(row_cell(row)), *group = NULL;

	if (!key || asprintf(&group, "%s %s %s %s", row->baseline_regime, row->regime, row->metric_name, key) < 0)
		group = NULL;
	free(key);
	return group;
}

static void grouped_free(struct grouped *rows, size_t count)
{
	for (size_t i = 0; rows && i < count; i++)
		free(rows[i].group);
	free(rows);
}

/* NULL: out of memory. */
static struct grouped *rows_group(const struct comparison *comparison)
{
	struct grouped *rows = calloc(comparison->row_count + 1, sizeof(*rows));

	for (size_t i = 0; rows && i < comparison->row_count; i++) {
		rows[i] = (struct grouped){ .row = &comparison->rows[i], .group = group_of(&comparison->rows[i]) };
		if (!rows[i].group) {
			grouped_free(rows, comparison->row_count);
			return NULL;
		}
	}
	if (rows)
		qsort(rows, comparison->row_count, sizeof(*rows), compare_grouped);
	return rows;
}

/* What the head's first line and the columns do not tell of a cell: "touch all, stamps batch, duration 100.0 ms". */
static void parameters_print(const struct print *print, const struct record_cell *cell)
{
	static const char *const told[] = { "queue",    "batch", "capacity",      "window", "wait",
					    "workload", "load",  "message_bytes", "place",  "cpus" };
	size_t width = print->wide ? WIDE_COLUMNS : NARROW_COLUMNS, length = 0;
	json_t *rest = json_copy(cell->json), *value;
	char text[TABLE_TEXT];
	const char *name;

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		json_object_del(rest, told[i]);
	json_object_foreach (rest, name, value) {
		if (compare_says_nothing(name, value))
			continue;
		table_parameter_text(text, name, value);
		if (length > 0 && length + strlen(text) + 3 <= width)
			length += (size_t)fprintf(print->out, ", ");
		else
			length = (size_t)fprintf(print->out, length ? ",\n  " : "  ") - (length ? 2 : 0);
		table_say(print->out, "%s", text);
		length += strlen(text);
	}
	fputc('\n', print->out);
	json_decref(rest);
}

static void group_head(const struct print *print, const struct compare_row *row)
{
	const struct table_form form = { print->out, print->wide, print->queue_width };
	const struct record_cell *cell = row_cell(row);
	char cpus[TABLE_TEXT];

	table_cpus_text(cpus, json_object_get(cell->json, "cpus"));
	table_say(print->out, "\n%.24s, load %.24s, %ju-byte messages, %.24s (CPUs %s)", cell->workload, cell->load,
		  (uintmax_t)cell->message_bytes, cell->place, cpus);
	if (row->verdict != COMPARE_INCOMPARABLE) {
		fputs(print->wide ? ", " : "\n  ", print->out);
		table_say(print->out, "regime %s against %s: %s", row->regime, row->baseline_regime, row->metric_name);
	}
	fputc('\n', print->out);
	parameters_print(print, cell);
	table_head(&form, columns, COLUMNS);
}

static void rows_print(const struct print *print)
{
	struct grouped *rows = rows_group(print->comparison);

	if (!rows) {
		table_say(print->out, "out of memory: the rows are not shown\n");
		return;
	}
	for (size_t i = 0; i < print->comparison->row_count; i++) {
		if (i == 0 || compare_groups(&rows[i], &rows[i - 1]) != 0)
			group_head(print, rows[i].row);
		row_print(print, rows[i].row);
	}
	grouped_free(rows, print->comparison->row_count);
}

/* ---- what stands around them ---- */

static void record_print(const struct print *print, const char *what, const struct record *record)
{
	const json_t *tool = json_object_get(record->run, "tool"), *build = json_object_get(record->run, "build");

	table_say(print->out, "%s %s: twopoint %.12s (%.14s), %.20s, %.24s%s\n", what, record->path, table_string_or_dash(tool, "version"),
		  table_string_or_dash(tool, "commit"), table_string_or_dash(build, "compiler"),
		  table_string_or_dash(record->run, "started_utc"),
		  !record->end  ? ", did not come to its end"
		  : record->cut ? ", ends in half a line"
				: "");
}

static void subject_print(const struct print *print)
{
	const struct compare_subject *subject = print->subject;

	if (subject->queue) {
		record_print(print, "Record:", subject->record);
		table_say(print->out, "Baseline: the queue %.40s\n", subject->queue);
	} else if (subject->halves) {
		record_print(print, "Record:", subject->record);
		table_say(print->out, "Baseline and now: %s\n", subject->halves);
	} else {
		record_print(print, "Baseline:", subject->baseline);
		record_print(print, "Now:     ", subject->record);
	}
	if (print->comparison->incomparable[0])
		table_say(print->out, "Nothing can be compared: %s\n", print->comparison->incomparable);
	if (print->comparison->noisy[0])
		table_say(print->out, "All is noisy: %s\n", print->comparison->noisy);
}

/* A good exit status tells of the others only. */
static void unjudged_print(const struct print *print)
{
	const size_t *verdicts = print->comparison->verdicts;
	size_t unjudged = verdicts[COMPARE_BLIND] + verdicts[COMPARE_NOISY] + verdicts[COMPARE_TOO_FEW] + verdicts[COMPARE_INCOMPARABLE];
	size_t cells = print->comparison->row_count;

	if (unjudged > 0 && unjudged < cells)
		table_say(print->out, "%zu of %zu cells %s not judged: whether %s slower is not known\n", unjudged, cells,
			  unjudged == 1 ? "was" : "were", unjudged == 1 ? "it is" : "they are");
	else if (unjudged > 0)
		table_say(print->out, "No cell was judged\n");
}

/* Their latencies are of fewer messages, which are others, than the cell says: told, for the medians are across both. */
static void thinned_print(const struct print *print)
{
	size_t before = 0, now = 0;

	for (size_t i = 0; i < print->comparison->row_count; i++) {
		before += print->comparison->rows[i].baseline.thinned;
		now += print->comparison->rows[i].sample.thinned;
	}
	if (before || now)
		table_say(print->out, "Trials that stamped one in more messages than asked: %zu of the baseline, %zu of the other side\n", before,
			  now);
}

static void tally_print(const struct print *print)
{
	const struct comparison *comparison = print->comparison;

	table_say(print->out, "\nCells: %zu;", comparison->row_count);
	for (size_t i = 0; i < COMPARE_VERDICTS; i++) {
		if (i == COMPARE_BLIND)
			fputs("\n ", print->out);
		table_say(print->out, " %zu %s%s", comparison->verdicts[i], compare_tally_text((enum compare_verdict)i), i + 1 < COMPARE_VERDICTS ? "," : "");
	}
	table_say(print->out, "\n");
	unjudged_print(print);
	thinned_print(print);
	if (comparison->unmatched)
		table_say(print->out, "Cells of the baseline that nothing stands against: %zu\n", comparison->unmatched);
}

static void floor_print(const struct print *print)
{
	const struct noise_floor *floor = print->subject->floor;
	char number[NUMBER_TEXT];
	bool any = false, thin = false;

	if (print->subject->halves) /* no change is too small to tell of there */
		return;
	table_say(print->out, "Threshold %s.", number_percent(number, print->comparison->settings.threshold));
	for (size_t i = 0; floor && i < COMPARE_METRICS; i++) {
		const struct noise_floor_metric *metric = &floor->metrics[i];

		if (!metric->known)
			continue;
		table_say(print->out, "%s of a %s %s (%zu cells, %zu trials a half, %.24s)",
			  any ? ";" : " The machine's own noise, by aa:", noise_floor_names[i],
			  number_percent(number, print->comparison->settings.floor[i]), metric->cells, metric->trials,
			  metric->measured_utc);
		any = true;
		thin |= noise_floor_is_thin(metric);
	}
	if (any) {
		table_say(print->out, "\n  between %s, from %s\n",
			  print->subject->successive ? "two runs" : "cells of one run, which alternate", floor->path);
		if (thin && print->subject->successive)
			table_say(print->out, "  Its aa was short: between two runs the noise may be far greater; a longer aa tells.\n");
	} else {
		table_say(print->out, "%s\n", floor ? " No noise floor of this machine is known: twopoint aa finds it." : "");
	}
}

static void notes_print(const struct print *print)
{
	size_t tests = print->comparison->tests;

	table_say(print->out, "Slower, faster: p <= 0.05 (Mann and Whitney; adjusted by Holm for %zu test%s),\n", tests,
		  tests == 1 ? "" : "s");
	table_say(print->out, "the interval leaves 0%s.\n",
		  print->subject->halves ? "" : ", and the change exceeds threshold and noise");
	table_say(print->out, "Least seen: a change of that size or more, or by that factor up or down, would\n");
	table_say(print->out, "have been called.\n");
	if (!print->wide)
		table_say(print->out, "Intervals, p and n stand in tables of %d columns.\n", WIDE_COLUMNS);
}

void compare_print(FILE *out, const struct comparison *comparison, const struct compare_subject *subject, unsigned width)
{
	struct print print = { out, comparison, subject, width == 0 || width >= WIDE_COLUMNS, 0 };

	for (size_t i = 0; i < comparison->row_count; i++)
		print.queue_width = table_queue_width(print.queue_width, row_cell(&comparison->rows[i]));

	subject_print(&print);
	rows_print(&print);
	tally_print(&print);
	floor_print(&print);
	notes_print(&print);
}
