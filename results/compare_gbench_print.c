#include "compare_gbench.h"
#include "compare_print.h"
#include "number.h"
#include "table_print.h"
#include "table_text.h"

#include <math.h>
#include <string.h>

enum { NAME, BASELINE, CHANGED, CHANGE, INTERVAL, LEAST, PROBABILITY, TRIALS, VERDICT, COLUMNS };

enum { NAME_LETTERS = 60 };

static const struct table_column columns[COLUMNS] = {
	[NAME] = { "", "benchmark", 30, true, false },
	[BASELINE] = { "", "baseline", 9, false, false },
	[CHANGED] = { "", "now", 9, false, false },
	[CHANGE] = { "", "change", 7, false, false },
	[INTERVAL] = { "", "[95 %]", 15, true, true },
	[LEAST] = { "least", "seen", 6, false, true },
	[PROBABILITY] = { "", "p", 6, false, true },
	[TRIALS] = { "", "n", 5, false, true },
	[VERDICT] = { "", "verdict", 20, true, false },
};

static void texts_fill(char (*texts)[TABLE_TEXT], const struct compare_row *row)
{
	char number[NUMBER_TEXT], other[NUMBER_TEXT];

	snprintf(texts[BASELINE], TABLE_TEXT, "%s", number_time(number, row->baseline.median));
	snprintf(texts[CHANGED], TABLE_TEXT, "%s", number_time(number, row->sample.median));
	snprintf(texts[CHANGE], TABLE_TEXT, "%s", number_change(number, row->change));
	if (row->tested) {
		snprintf(texts[INTERVAL], TABLE_TEXT, "[%s %s]", number_change(number, row->interval.low),
			 number_change(other, row->interval.high));
		snprintf(texts[PROBABILITY], TABLE_TEXT, "%s", number_probability(number, row->p_adjusted));
	}
	compare_least_text(texts[LEAST], row);
	snprintf(texts[TRIALS], TABLE_TEXT, "%zu/%zu", row->baseline.n, row->sample.n);
}

static void row_print(const struct table_form *form, const struct compare_row *row, const char *name, bool said)
{
	char texts[COLUMNS][TABLE_TEXT];

	for (size_t i = 0; i < COLUMNS; i++)
		strcpy(texts[i], "-");
	if (strlen(name) > NAME_LETTERS) { /* names that differ at their end only are to be told apart */
		table_say(form->out, "%s\n", name);
		name = "";
	}
	snprintf(texts[NAME], TABLE_TEXT, "%s", name);
	if (row->verdict != COMPARE_INCOMPARABLE)
		texts_fill(texts, row);
	if (row->verdict == COMPARE_TOO_FEW)
		snprintf(texts[VERDICT], TABLE_TEXT, "too few trials (%.40s)", row->reason);
	else
		snprintf(texts[VERDICT], TABLE_TEXT, "%s", compare_verdict_text(row->verdict));
	table_cells(form, columns, 0, COLUMNS, "", (const char(*)[TABLE_TEXT])texts);
	if (row->verdict == COMPARE_INCOMPARABLE && !said)
		table_say(form->out, "  %s\n", row->reason);
	if (row->verdict == COMPARE_BLIND)
		table_say(form->out, "  %s: %s\n", compare_verdict_text(row->verdict), row->reason);
	if (row->baseline_lost || row->lost)
		table_say(form->out, "  repetitions with an error: %zu in the baseline, %zu now\n", row->baseline_lost, row->lost);
}

static void file_print(FILE *out, const char *what, const struct gbench *gbench)
{
	const json_t *context = json_object_get(gbench->json, "context");

	table_say(out, "%s %s: Google Benchmark, %.60s, %.40s, on %.40s\n", what, gbench->path, table_string_or_dash(context, "executable"),
		  table_string_or_dash(context, "date"), table_string_or_dash(context, "host_name"));
}

static int name_width(const struct compare_gbench *comparison)
{
	size_t width = 0;

	for (size_t i = 0; i < comparison->comparison.row_count; i++) {
		size_t length = strlen(comparison->names[i]);

		width = length > width ? length : width;
	}
	return width < NAME_LETTERS ? (int)width : NAME_LETTERS;
}

void compare_gbench_print(FILE *out, const struct compare_gbench *comparison, unsigned width)
{
	const struct comparison *all = &comparison->comparison;
	const struct table_form form = { .out = out, .wide = !width || width >= 120, .first_width = name_width(comparison) };
	char number[NUMBER_TEXT];

	file_print(out, "Baseline:", comparison->baseline);
	file_print(out, "Now:     ", comparison->changed);
	if (all->incomparable[0])
		table_say(out, "Nothing can be compared: %s\n", all->incomparable);
	table_say(out, "\nreal time of an iteration, median over repetitions\n");
	table_head(&form, columns, COLUMNS);
	for (size_t i = 0; i < all->row_count; i++)
		row_print(&form, &all->rows[i], comparison->names[i], all->incomparable[0]);
	table_say(out, "\nBenchmarks: %zu;", all->row_count);
	for (size_t i = 0; i < COMPARE_VERDICTS; i++)
		table_say(out, " %zu %s%s", all->verdicts[i], compare_tally_text((enum compare_verdict)i), i + 1 < COMPARE_VERDICTS ? "," : "");
	table_say(out, "\n");
	if (all->unmatched)
		table_say(out, "Benchmarks of the baseline that nothing stands against: %zu\n", all->unmatched);
	table_say(out, "Threshold %s. Slower, faster: p <= 0.05 (Mann and Whitney; adjusted by Holm for %zu test%s),\n",
		  number_percent(number, all->settings.threshold), all->tests, all->tests == 1 ? "" : "s");
	table_say(out, "the interval leaves 0, and the change exceeds the threshold.\n");
	table_say(out, "Repetitions are of one process: what differs from one process to the next, as where its memory lies, is not in them.\n");
}

/* ---- JSON ---- */

static json_t *number_or_null(bool known, double value)
{
	return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *side_to_json(const struct compare_sample *sample, size_t errors, bool known)
{
	json_t *interval = known && sample->interval.known ? json_pack("[f, f]", sample->interval.low, sample->interval.high) : json_null();

	return json_pack("{s:o, s:o, s:I, s:I}", "median", number_or_null(known, sample->median), "interval", interval, "n",
			 (json_int_t)sample->n, "errors", (json_int_t)errors);
}

static json_t *row_to_json(const struct compare_row *row, const char *name)
{
	bool known = row->verdict != COMPARE_INCOMPARABLE;
	json_t *interval = row->tested ? json_pack("[f, f]", row->interval.low, row->interval.high) : json_null();

	return json_pack("{s:s, s:s, s:o, s:b, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "benchmark", name, "verdict",
			 compare_verdict_names[row->verdict], "reason", *row->reason ? json_string(row->reason) : json_null(), "unmatched",
			 row->unmatched, "metric", row->metric_name, "unit", "ns", "baseline",
			 side_to_json(&row->baseline, row->baseline_lost, known), "now", side_to_json(&row->sample, row->lost, known), "change",
			 number_or_null(known, row->change), "change_interval", interval, "p", number_or_null(row->tested, row->p),
			 "p_adjusted", number_or_null(row->tested, row->p_adjusted), "least_change",
			 number_or_null(row->tested && row->least_change >= 0, row->least_change));
}

static json_t *file_to_json(const struct gbench *gbench)
{
	json_t *context = json_object_get(gbench->json, "context");

	return json_pack("{s:s, s:o}", "path", gbench->path, "context", context ? json_incref(context) : json_null());
}

json_t *compare_gbench_to_json(const struct compare_gbench *comparison, int status)
{
	const struct comparison *all = &comparison->comparison;
	json_t *rows = json_array(), *verdicts = json_object();

	for (size_t i = 0; i < all->row_count; i++)
		json_array_append_new(rows, row_to_json(&all->rows[i], comparison->names[i]));
	for (size_t i = 0; i < COMPARE_VERDICTS; i++)
		json_object_set_new(verdicts, compare_verdict_names[i], json_integer((json_int_t)all->verdicts[i]));
	return json_pack("{s:s, s:o, s:o, s:f, s:I, s:o, s:o, s:I, s:i, s:o}", "kind", "comparison", "baseline",
			 file_to_json(comparison->baseline), "now", file_to_json(comparison->changed), "threshold", all->settings.threshold,
			 "tests", (json_int_t)all->tests, "incomparable",
			 *all->incomparable ? json_string(all->incomparable) : json_null(), "verdicts", verdicts, "unmatched",
			 (json_int_t)all->unmatched, "status", status, "rows", rows);
}
