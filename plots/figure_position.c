/* Latency against the place in the batch: the first message of a batch waits longest for its flush, the last longest to be handed out. */
#include "chart.h"
#include "figure_fill.h"
#include "number.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 16, ENDS = 4 }; /* drawn: about so many of a batch, and so many at its beginning and end */

static bool wanted(const struct summary_row *row)
{
	for (size_t t = 0; t < row->trials; t++)
		if (row->members[t]->has_positions)
			return panels_latency(row, "write", "read") != NULL;
	return false;
}

/* A row like those, but that none of its trials tells places: each stamped one message in several, say, or saw no full batch. */
static bool is_without(const struct summary_row *row)
{
	return row->trials && row->cell->batch > 1 && row->cell->producers == 1 && row->cell->consumers == 1 &&
	       !summary_is_floor(row->cell) && !wanted(row) && panels_latency(row, "write", "read") &&
	       (panels_latency(row, "write", "flush") || panels_latency(row, "flush", "preread") || panels_latency(row, "flush", "read"));
}

static double p50_ns(const struct summary_row *row)
{
	const struct summary_latency *latency = panels_latency(row, "write", "read");

	return latency->p50_ns.known ? latency->p50_ns.median : NAN;
}

/* What the trials of one row tell. */
struct told {
	struct record_positions *trials;
	size_t count;
	uint64_t batches, others;
	size_t without; /* trials that tell nothing */
};

/* Lines that have no points: in the area of medians and in the other one. */
struct missing {
	char text[SHEET_TEXT];
	size_t count;
};

static int told_read(struct told *told, struct sheet *sheet, const struct record *record, const struct summary_row *row)
{
	char error_text[RECORD_TEXT];

	*told = (struct told){ .trials = calloc(row->trials + 1, sizeof(*told->trials)) };
	if (!told->trials)
		return -ENOMEM;
	for (size_t t = 0; t < row->trials; t++) {
		int found = row->members[t]->has_positions ?
				    record_positions(record, row->members[t], &told->trials[told->count], error_text) : 0;

		if (found < 0) {
			sheet_complain(sheet, "%s", error_text);
			return found;
		}
		if (!found)
			continue;
		told->batches += told->trials[told->count].batches;
		told->others += told->trials[told->count].others;
		told->count++;
	}
	return 0;
}

static void told_free(struct told *told)
{
	for (size_t t = 0; t < told->count; t++)
		record_positions_free(&told->trials[t]);
	free(told->trials);
}

/* A percentile at place number `at`, over the trials that know it. */
static struct chart_point point_of(const struct told *told, size_t at, bool p99, double *values)
{
	struct summary_value value = { .n = 0 };

	for (size_t t = 0; t < told->count; t++) {
		const struct record_positions *positions = &told->trials[t];
		double ns = NAN;

		if (at < positions->n && positions->position[at] == told->trials[0].position[at])
			ns = (p99 ? positions->p99_ns : positions->p50_ns)[at];
		if (!isnan(ns))
			values[value.n++] = ns;
	}
	value.known = value.n > 0;
	if (value.known) {
		value.median = statistics_median(values, value.n);
		value.interval = statistics_median_interval(values, value.n);
	}
	return chart_value_of((double)told->trials[0].position[at], &value);
}

/* Of a larger batch some places in the middle are left out: a line leads over them. */
static bool is_drawn(size_t at, size_t n)
{
	size_t step = (n + PLACES - 1) / PLACES;

	return at < ENDS || at + ENDS >= n || at % step == 0;
}

static long line_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
		       const struct summary_row *row, const struct told *told, bool p99)
{
	size_t n = told->count ? told->trials[0].n : 0;
	struct chart_point *points = calloc(n + 1, sizeof(*points));
	double *values = calloc(told->count + 1, sizeof(*values));
	char label[SHEET_TEXT];
	long number = -ENOMEM;

	if (points && values) {
		size_t drawn = 0;

		for (size_t at = 0; at < n; at++)
			if (is_drawn(at, n))
				points[drawn++] = point_of(told, at, p99, values);
		panels_label(label, panel, row);
		number = chart_add_points(chart, sheet, summary, row, label, points, drawn);
	}
	free(points);
	free(values);
	return number;
}

static void missing_add(struct missing *missing, const struct summary_row *row, bool tell_regime)
{
	enum { NAMED = 8 };
	size_t used = strlen(missing->text);
	char window[32] = "";

	if (row->cell->window)
		snprintf(window, sizeof(window), " window %" PRIu64, row->cell->window);
	if (missing->count++ < NAMED)
		snprintf(missing->text + used, SHEET_TEXT - used, "%s%.20s batch %" PRIu64 "%s%s%s", used ? ", " : "", row->cell->queue,
			 row->cell->batch, window, tell_regime ? " in " : "", tell_regime ? row->regime : "");
	else if (missing->count == NAMED + 1)
		snprintf(missing->text + used, SHEET_TEXT - used, " and others");
}

/* The medians of a panel, or the 99th percentiles below them. An area without lines is none. */
static int area_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
		      const struct told *told, bool p99, struct missing *missing)
{
	size_t before = chart->series.count;

	chart_begin_area(chart, p99 ? "the 99th percentile, lines as above" : panel->title, CHART_NS);
	chart->areas[chart->area_count - 1].bare = p99;
	chart->areas[chart->area_count - 1].y_title = p99 ? "write to read, p99" : "write to read, p50";
	for (size_t i = 0; i < panel->row_count; i++) {
		long number = line_write(chart, sheet, summary, panel, panel->rows[i], &told[i], p99);

		if (number < 0)
			return (int)number;
		if (!number && (!p99 || told[i].count)) /* what has no trial is told of once */
			missing_add(missing, panel->rows[i], false);
	}
	chart->area_count -= chart->series.count == before;
	return 0;
}

static int panel_write(struct chart *chart, struct sheet *sheet, const struct record *record, const struct summary *summary,
		       const struct panel *panel, struct told *all, struct missing missing[2])
{
	struct told *told = calloc(panel->row_count + 1, sizeof(*told));
	int error = told ? 0 : -ENOMEM;

	for (size_t i = 0; i < panel->row_count && !error; i++) {
		error = told_read(&told[i], sheet, record, panel->rows[i]);
		all->batches += told[i].batches * (uint64_t)panel->rows[i]->cell->batch;
		all->others += told[i].others;
		all->without += panel->rows[i]->trials - told[i].count;
	}
	if (!error)
		error = area_write(chart, sheet, summary, panel, told, false, &missing[0]);
	if (!error)
		error = area_write(chart, sheet, summary, panel, told, true, &missing[1]);
	for (size_t i = 0; told && i < panel->row_count; i++)
		told_free(&told[i]);
	free(told);
	return error;
}

/* In whatever regime: whoever sees no line is to know that there should be one. */
static void without_note(struct sheet *sheet, const struct summary *summary)
{
	struct missing without = { 0 };

	for (size_t i = 0; i < summary->row_count; i++)
		if (is_without(&summary->rows[i]))
			missing_add(&without, &summary->rows[i], true);
	if (without.count)
		sheet_note(sheet, "No line, for no trial tells places in the batch: %s.", without.text);
}

static void notes_write(const struct chart *chart, struct sheet *sheet, const struct told *all, const struct missing missing[2])
{
	double offset_ns = 0;
	uint64_t most = 0;
	char text[NUMBER_TEXT];

	for (size_t p = 0; p < chart->panels.count; p++)
		most = chart->panels.list[p].first->cell->batch > most ? chart->panels.list[p].first->cell->batch : most;
	sheet_note(sheet, "Messages of batches that came to their full size, by their place in it: 1 is written first. "
			  "Medians over trials.");
	if (most > PLACES)
		sheet_note(sheet, "Of batches of more than %d messages some places in the middle are not drawn.", PLACES);
	if (all->others)
		sheet_note(sheet, "%.3g %% of the messages were in batches of other sizes and are left out.",
			   100 * (double)all->others / (double)(all->others + all->batches));
	if (all->without)
		sheet_note(sheet, "Left out: trials that stamped one message in several, for want of room, or saw no full batch: %zu.",
			   all->without);
	if (missing[0].count)
		sheet_note(sheet, "No line, for too few batches came to their full size: %s.", missing[0].text);
	if (missing[1].count)
		sheet_note(sheet, "No line of the 99th percentile, for too few messages or such as are above the histogram's top: %s.",
			   missing[1].text);
	for (size_t p = 0; p < chart->panels.count; p++)
		for (size_t i = 0; i < chart->panels.list[p].row_count; i++)
			offset_ns = fmax(offset_ns, panels_latency(chart->panels.list[p].rows[i], "write", "read")->offset_half_width_ns);
	if (isinf(offset_ns))
		sheet_note(sheet, "The two ends have clocks of their own, whose offset is not known.");
	else if (offset_ns > 0)
		sheet_note(sheet, "The two ends have clocks of their own: a line as a whole may lie wrong by %s.",
			   number_time(text, offset_ns));
}

int figure_fill_position(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_QUEUE, .wanted = wanted, .value = p50_ns,
						 .missing = "no trial counts that tells latencies by place in the batch of a queue that "
							    "is not saturated (--batch 16 --stamps message --latency "
							    "write:read,write:flush --load closed)",
						 .takes_open = true };
	static const char *const y_titles[3] = { "", "", "" };
	struct chart chart = { .x_is_linear = true };
	struct told all = { 0 };
	struct missing missing[2] = { 0 };
	int error = panels_make(&chart.panels, sheet, summary, &wish);

	if (error)
		goto done;
	panels_describe(&chart.panels, sheet, record, summary);
	error = panels_choose(&chart.panels, sheet, p50_ns);
	ranges_start(&chart.ranges);
	fprintf(sheet->data, "series\tposition\tlatency_ns\tlow_ns\thigh_ns\ttrials\tmessage_bytes\tbatch\tmean_batch_messages\tqueue\n");
	for (size_t p = 0; p < chart.panels.count && !error; p++)
		error = panel_write(&chart, sheet, record, summary, &chart.panels.list[p], &all, missing);
	if (!error && !chart.area_count)
		error = sheet_complain(sheet, "no place in a batch has a latency above 0");
	if (error)
		goto done;
	chart_finish(&chart, sheet, "place in the batch, 1: written first", y_titles);
	notes_write(&chart, sheet, &all, missing);
	without_note(sheet, summary);
done:
	chart_free(&chart);
	return error;
}
