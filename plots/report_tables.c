/* The tables of a record: what `twopoint show` prints, row for row, and all latencies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "report_html.h"
#include "report_parts.h"
#include "table_rows.h"
#include "table_windows.h"

enum { RATES_COLUMNS = 14, LATENCY_COLUMNS = 14, OPEN_COLUMNS = 18 }; /* the number of trials among them */

/* ---- cells ---- */

/* value: what the table is sorted by, unknown where it is no number. */
static void cell_begin(FILE *out, bool known, double value)
{
	char number[NUMBER_TEXT];

	fputs("<td", out);
	if (known && isfinite(value))
		html_attribute(out, "data-v", "%s", number_plain(number, value));
	fputc('>', out);
}

static void cell_text(FILE *out, bool known, double value, const char *text)
{
	cell_begin(out, known, value);
	html_say(out, "%s", known ? text : "–");
	fputs("</td>", out);
}

static void cell_time(FILE *out, const struct summary_value *value)
{
	char text[TABLE_TEXT];

	table_time_text(text, value);
	cell_text(out, value->known, value->median, text);
}

static void cell_rate(FILE *out, const struct summary_value *value)
{
	char text[TABLE_TEXT];

	table_rate_text(text, value);
	cell_text(out, value->known, value->median, text);
}

static void cell_share(FILE *out, const struct summary_value *value)
{
	char text[TABLE_TEXT];

	table_share_text(text, value);
	cell_text(out, value->known, value->median, text);
}

/* Sorted by its lower end. */
static void cell_interval(FILE *out, const struct summary_value *value, struct number_unit unit)
{
	char text[TABLE_TEXT];

	table_interval_text(text, value, unit);
	cell_text(out, value->known && value->interval.known, value->interval.low, text);
}

static struct summary_value calm(const struct summary_value *value)
{
	return (struct summary_value){.known = value->calm_known, .median = value->calm_median};
}

/* A head's cell: what leads to the meaning of its word. */
static void head_cell(FILE *out, const char *word, const char *text)
{
	fputs("<th scope=\"col\">", out);
	html_term(out, word, "%s", text);
	fputs("</th>", out);
}

/* ---- columns that all tables have ---- */

static void parameters_head(FILE *out)
{
	head_cell(out, "queue", "queue");
	head_cell(out, "batch", "batch asked");
	head_cell(out, "capacity", "capacity /window");
	head_cell(out, "wait", "wait");
}

static void parameters_cells(FILE *out, const struct record_cell *cell)
{
	char texts[TABLE_PARAMETERS][TABLE_TEXT];

	table_parameters_text(texts, cell);
	fputs("<th scope=\"row\">", out);
	html_say(out, "%s", texts[TABLE_QUEUE]);
	fputs("</th>", out);
	cell_text(out, true, (double)cell->batch, texts[TABLE_BATCH]);
	/* without a bound is more than any */
	cell_text(out, true, cell->capacity ? (double)cell->capacity : 1e18, texts[TABLE_CAPACITY]);
	fputs("<td>", out);
	html_say(out, "%s", texts[TABLE_WAIT]);
	fputs("</td>", out);
}

/* What stands below a row of the printed table, in a row of its own: it has the table's whole width. Nothing where there is nothing to say. */
static void remarks_row(FILE *out, const struct summary_row *row, const char *not_counted, size_t columns)
{
	char *lines = NULL;
	size_t size;
	FILE *memory = open_memstream(&lines, &size);

	if (memory) {
		if (*not_counted)
			fprintf(memory, "not counted: %s\n", not_counted);
		if (row->disturbed)
			fprintf(memory, "%zu disturbed\n", row->disturbed);
		if (strcmp(row->cell->load, "open"))
			table_unknown_rates_line(memory, row);
		else
			table_open_unknown_lines(memory, row);
		table_sides_lines(memory, row);
		table_cpu_line(memory, row);
		table_windows_lines(memory, &row->windows);
		if (!fclose(memory) && *lines) {
			fprintf(out, "<tr class=\"remarks\"><td colspan=\"%zu\"><div>", columns);
			report_lines(out, lines);
			fputs("</div></td></tr>\n", out);
		}
		free(lines);
	}
}

/* ---- the three forms ---- */

static void rates_head(FILE *out)
{
	parameters_head(out);
	head_cell(out, "came", "batch came");
	head_cell(out, "rate", "sender at write");
	head_cell(out, "rate", "receiver at read");
	head_cell(out, "interval", "[95 %]");
	head_cell(out, "period", "ns per message");
	head_cell(out, "calm", "receiver calm");
	head_cell(out, "refused", "refused");
	head_cell(out, "empty", "empty");
	head_cell(out, "cpu-time", "CPU time per message");
}

static void rates_cells(FILE *out, const struct table_row *line)
{
	const struct summary_row *row = line->row;
	struct summary_value receiver_calm = calm(&row->receiver_rate);
	char text[TABLE_TEXT], number[NUMBER_TEXT];

	cell_text(out, row->mean_batch.known, row->mean_batch.median, number_decimal(number, row->mean_batch.median));
	cell_rate(out, &row->sender_rate);
	cell_rate(out, &row->receiver_rate);
	cell_interval(out, &row->receiver_rate, number_rate_unit(row->receiver_rate.median));
	table_period_text(text, &row->receiver_rate);
	cell_text(out, row->receiver_rate.known && row->receiver_rate.median > 0, 1e9 / row->receiver_rate.median, text);
	cell_rate(out, &receiver_calm);
	cell_share(out, &row->refused_share);
	cell_share(out, &row->empty_share);
	cell_time(out, &row->cpu_ns_per_message);
}

static void percentiles_head(FILE *out)
{
	head_cell(out, "p50", "p50");
	head_cell(out, "interval", "[95 %]");
	head_cell(out, "calm", "p50 calm");
	head_cell(out, "percentile", "p90");
	head_cell(out, "percentile", "p99");
	head_cell(out, "percentile", "p99.9");
	head_cell(out, "percentile", "p99.99");
	head_cell(out, "max", "max");
}

/* latency NULL, or of no stationary load: nothing is known. */
static void percentiles_cells(FILE *out, const struct summary_latency *latency)
{
	static const struct summary_latency unknown;
	const struct summary_latency *shown = latency && !latency->saturated ? latency : &unknown;
	struct summary_value p50_calm = calm(&shown->p50_ns);
	struct summary_value greatest = { .known = shown != &unknown && shown->greatest_ns >= 0.0, .median = shown->greatest_ns };

	cell_time(out, &shown->p50_ns);
	cell_interval(out, &shown->p50_ns, number_time_unit(shown->p50_ns.median));
	cell_time(out, &p50_calm);
	cell_time(out, &shown->p90_ns);
	cell_time(out, &shown->p99_ns);
	cell_time(out, &shown->p99_9_ns);
	cell_time(out, &shown->p99_99_ns);
	cell_time(out, &greatest);
}

static void latency_head(FILE *out)
{
	parameters_head(out);
	percentiles_head(out);
	head_cell(out, "rate", "receiver at read");
}

static void latency_cells(FILE *out, const struct table_row *line)
{
	percentiles_cells(out, line->primary);
	cell_rate(out, &line->row->receiver_rate);
}

static void open_head(FILE *out)
{
	parameters_head(out);
	head_cell(out, "asked", "asked");
	head_cell(out, "at-once", "at once");
	head_cell(out, "offered", "offered");
	head_cell(out, "reached", "reached");
	head_cell(out, "lag", "lag p99");
	head_cell(out, "response", "response p50");
	head_cell(out, "interval", "[95 %]");
	head_cell(out, "calm", "p50 calm");
	head_cell(out, "response", "p90");
	head_cell(out, "response", "p99");
	head_cell(out, "response", "p99.9");
	head_cell(out, "response", "p99.99");
	head_cell(out, "max", "max");
}

static void open_cells(FILE *out, const struct table_row *line)
{
	static const struct summary_value unknown;
	const struct summary_row *row = line->row;
	const struct record_cell *cell = row->cell;
	const struct summary_latency *lag = table_open_latency(row, "write");
	char text[TABLE_TEXT], number[NUMBER_TEXT];

	table_open_asked_text(text, cell);
	cell_text(out, true, (double)(cell->rate_percent ? cell->rate_percent : cell->rate_per_s ? cell->rate_per_s : cell->gap_ns), text);
	cell_text(out, true, cell->burst ? (double)cell->burst : 1, number_size(number, cell->burst ? cell->burst : 1));
	cell_rate(out, &row->open.offered_per_s);
	cell_share(out, &row->open.reached_share);
	cell_time(out, lag && !lag->saturated ? &lag->p99_ns : &unknown);
	percentiles_cells(out, table_open_latency(row, "read"));
}

static void row_write(FILE *out, const struct table_row *line, bool latencies)
{
	char trials[TABLE_TEXT], more[TABLE_TEXT], text[TABLE_TEXT];

	fputs("<tr>", out);
	parameters_cells(out, line->row->cell);
	(line->open ? open_cells : latencies ? latency_cells : rates_cells)(out, line);
	table_trials_text(trials, more, line->row);
	if (line->open)
		table_open_trials_text(text, line->row, trials);
	else
		snprintf(text, sizeof(text), "%s", trials);
	cell_text(out, true, (double)line->row->trials, text);
	fputs("</tr>\n", out);
	remarks_row(out, line->row, more, line->open ? OPEN_COLUMNS : latencies ? LATENCY_COLUMNS : RATES_COLUMNS);
}

/* ---- all latencies ---- */

static bool has_latencies(const struct table_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < rows[i].row->latency_count; k++)
			if (!rows[i].row->latency[k].saturated)
				return true;
	return false;
}

static void bound_cell(FILE *out, const struct summary_latency *latency)
{
	char number[NUMBER_TEXT];

	cell_begin(out, true, latency->offset_half_width_ns);
	if (isinf(latency->offset_half_width_ns))
		fputs("±?", out);
	else if (latency->offset_half_width_ns > 0)
		html_say(out, "±%s", number_time(number, latency->offset_half_width_ns));
	else
		fputs("one clock", out);
	if (latency->clock_limited) {
		fputs(", ", out);
		html_term(out, "clock-limited", "clock-limited");
	}
	fputs("</td>", out);
}

static void latency_row(FILE *out, const struct table_row *line, const struct summary_latency *latency)
{
	char points[TABLE_TEXT], number[NUMBER_TEXT];

	fputs("<tr>", out);
	parameters_cells(out, line->row->cell);
	fputs("<td>", out);
	if (line->open) {
		table_open_asked_text(points, line->row->cell);
		html_say(out, "%s: ", points);
	}
	table_points_text(points, latency);
	html_say(out, "%s%s", points, latency->round_trip ? ", there and back" : "");
	fputs("</td>", out);
	bound_cell(out, latency);
	cell_time(out, &latency->min_ns);
	cell_time(out, &latency->mean_ns);
	percentiles_cells(out, latency);
	cell_text(out, true, (double)latency->below_zero, number_size(number, latency->below_zero));
	cell_text(out, true, (double)latency->beyond, number_size(number, latency->beyond));
	cell_text(out, true, (double)latency->p50_ns.n, number_size(number, latency->p50_ns.n));
	fputs("</tr>\n", out);
}

static void latencies_write(const struct report_part *part, const struct table_row *rows, size_t count)
{
	FILE *out = part->out;

	if (!has_latencies(rows, count))
		return;
	fputs("<details><summary>All latencies, by the points that they lie between</summary>\n<div class=\"scroll\" tabindex=\"0\">"
	      "<table class=\"data\"><caption>", out);
	report_group_title(out, rows);
	report_group_apart(part, rows);
	fputs("</caption>\n<thead><tr>", out);
	parameters_head(out);
	head_cell(out, "points", "from:to, actors");
	head_cell(out, "clock-bound", "clocks' bound");
	head_cell(out, "max", "min");
	head_cell(out, "mean", "mean");
	percentiles_head(out);
	head_cell(out, "below-zero", "below zero");
	head_cell(out, "beyond", "beyond");
	head_cell(out, "n", "n");
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < rows[i].row->latency_count; k++)
			if (!rows[i].row->latency[k].saturated)
				latency_row(out, &rows[i], &rows[i].row->latency[k]);
	fputs("</tbody></table></div></details>\n", out);
}

/* ---- groups ---- */

static void group_write(const struct report_part *part, const struct table_row *rows, size_t count)
{
	FILE *out = part->out;
	bool latencies = rows->primary != NULL, floors = false;

	fputs("<div class=\"scroll\" tabindex=\"0\"><table class=\"data\"><caption>", out);
	report_group_title(out, rows);
	report_group_parameters(out, rows);
	fputs("</caption>\n<thead><tr>", out);
	(rows->open ? open_head : latencies ? latency_head : rates_head)(out);
	head_cell(out, "n", "n");
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t i = 0; i < count; i++) {
		if (summary_is_floor(rows[i].row->cell) && !floors) {
			fputs("</tbody>\n<tbody class=\"floors\">\n", out);
			floors = true;
		}
		row_write(out, &rows[i], latencies);
	}
	fputs("</tbody></table></div>\n", out);
	latencies_write(part, rows, count);
}

void report_tables(const struct report_part *part)
{
	FILE *out = part->out;
	bool others = false;

	fprintf(out, "<h3 id=\"r%zu-tables\">Tables</h3>\n<p class=\"small\">Below a row stand its <a class=\"term\" "
		     "href=\"#w-remarks\">remarks</a>, where there are any.</p>\n<p class=\"filter\" hidden><label>Show rows with "
		     "<input type=\"search\" placeholder=\"ring 10\" size=\"16\"></label> <output></output></p>\n", part->number);
	for (size_t i = 0; i < part->row_count; i += report_group_length(part, i)) {
		if (!part->rows[i].main_regime && !others) {
			fputs("<details class=\"others\"><summary>Other regimes: trials that fell into them while the CPUs stood otherwise "
			      "to each other</summary>\n", out);
			others = true;
		}
		group_write(part, &part->rows[i], report_group_length(part, i));
	}
	if (others)
		fputs("</details>\n", out);
	if (!part->row_count)
		fputs("<p>No trial was measured.</p>\n", out);
}
