/* Percentiles of the round trip. */
#include "figure_fill.h"
#include "number.h"
#include "panels.h"
#include "pool.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct summary_latency *round_trip(const struct summary_row *row)
{
	for (size_t i = 0; i < row->latency_count; i++)
		if (row->latency[i].round_trip && !row->latency[i].saturated)
			return &row->latency[i];
	return NULL;
}

static bool wanted(const struct summary_row *row)
{
	return strcmp(row->cell->workload, "pingpong") == 0 && round_trip(row) && row->trials;
}

static double round_trip_p50_ns(const struct summary_row *row)
{
	return round_trip(row)->p50_ns.known ? round_trip(row)->p50_ns.median : INFINITY;
}

struct latency_figure {
	struct panels panels;
	struct series series;
	struct ranges ranges;
	double panel_first[PANELS_MOST], panel_last[PANELS_MOST];
	size_t dropped, without; /* points not above 0; rows without a histogram */
	uint64_t beyond;
	size_t behind; /* trials that are left out */
};

static void point_write(struct latency_figure *figure, struct sheet *sheet, size_t panel, long series, double tail,
			double ns, bool marked, const char *name)
{
	if (!(ns > 0)) {
		figure->dropped += isnan(ns) ? 0 : 1;
		return;
	}
	ranges_add(&figure->ranges, panel, tail, ns);
	fprintf(sheet->data, "%ld\t%.6g\t%.9g\t%.6g\t%d\t", series, tail, 100 * (1 - 1 / tail), ns, marked);
	sheet_data_text(sheet, name);
	fputc('\n', sheet->data);
}

static void pool_write(struct latency_figure *figure, struct sheet *sheet, size_t panel, long series, const struct pool *pool,
		       const char *name)
{
	struct pool_point points[POOL_POINTS_MOST];
	size_t count = pool_points(pool, points);

	for (size_t i = 0; i < count; i++)
		point_write(figure, sheet, panel, series, points[i].tail, points[i].ns, points[i].marked, name);
}

static int row_write(struct latency_figure *figure, struct sheet *sheet, const struct record *record,
		     const struct summary *summary, size_t p, const struct summary_row *row)
{
	struct pool pool = { 0 };
	char label[SHEET_TEXT];
	int error = pool_fill(&pool, sheet, record, row, round_trip(row));
	long number;

	if (error)
		goto done;
	if (pool.samples < POOL_SAMPLES_LEAST || !(pool_percentile(&pool, 0.5) > 0)) {
		figure->without++;
		goto done;
	}
	figure->beyond += pool.beyond;
	figure->behind += pool.behind;
	panels_label(label, &figure->panels.list[p], row);
	number = series_add(&figure->series, summary, p, row->cell, label, sheet->dumb);
	if (number < 0)
		error = (int)number;
	else
		pool_write(figure, sheet, p, number, &pool, row->cell->queue);
done:
	pool_free(&pool);
	return error;
}

static int machine_write(struct latency_figure *figure, struct sheet *sheet, const struct summary *summary, size_t p)
{
	const struct summary_floor *machine = &summary->floor;
	const double tails[] = { 2, 10, 100, 1000 };
	const double ns[] = { machine->p50_ns, machine->p90_ns, machine->p99_ns, machine->p99_9_ns };
	long number;

	if (!machine->known || !(machine->p99_9_ns > 0))
		return 0;
	number = series_add(&figure->series, summary, p, NULL, "machine's stalls (floor)", sheet->dumb);
	if (number < 0)
		return (int)number;
	for (size_t i = 0; i < 4; i++)
		point_write(figure, sheet, p, number, tails[i], ns[i], true, "machine");
	return 0;
}

static void settings_write(struct latency_figure *figure, struct sheet *sheet, const struct summary *summary)
{
	char count[NUMBER_TEXT];
	struct series_area areas[PANELS_MOST];

	for (size_t p = 0; p < figure->panels.count; p++) {
		areas[p] = (struct series_area){ figure->panels.list[p].title, 22, false };
		figure->ranges.x_low[p] = 1;
		figure->ranges.x_high[p] = fmax(12, figure->ranges.x_high[p] * 1.3);
	}
	ranges_write(&figure->ranges, figure->panels.count, sheet);
	series_lay_out(&figure->series, areas, figure->panels.count, sheet);
	sheet_set_numbers(sheet, "panel_first", figure->panel_first, figure->panels.count);
	sheet_set_numbers(sheet, "panel_last", figure->panel_last, figure->panels.count);
	sheet_note(sheet,
		   "Samples of all counted trials in one distribution; a line ends where fewer than %d samples lie "
		   "beyond.",
		   POOL_BEYOND_LEAST);
	if (summary->floor.known)
		sheet_note(sheet,
			   "The machine's floor: the stall that an arrival at a random instant meets, %.3g %% of all "
			   "time. A tail near it is the machine's. A loop that waits for each answer meets few of these stalls, and "
			   "its percentiles count messages: they may lie below.",
			   100 * summary->floor.stall_share);
	else
		sheet_note(sheet, "The machine's own stalls were not measured: no tail here is known to be a queue's.");
	if (figure->dropped)
		sheet_note(sheet, "%s at 0 ns %s left out: a log axis has no place for it.",
			   number_of(count, figure->dropped, "point"), number_is(figure->dropped));
	if (figure->beyond)
		sheet_note(sheet, "%s above the histogram's top; percentiles there are left out.",
			   number_of(count, figure->beyond, "sample"));
	if (figure->behind)
		sheet_note(sheet, "Left out: trials that fell behind their load: %zu.", figure->behind);
	if (figure->without)
		sheet_note(sheet, "%zu curves are left out: no histogram, or fewer than %d samples.", figure->without,
			   POOL_SAMPLES_LEAST);
}

/* Panels none of whose rows has a histogram are taken out; the rest move up. */
static int panels_write(struct latency_figure *figure, struct sheet *sheet, const struct record *record,
			const struct summary *summary)
{
	for (size_t p = 0; p < figure->panels.count;) {
		struct panel *panel = &figure->panels.list[p];
		int error = 0;

		figure->panel_first[p] = (double)figure->series.count + 1;
		for (size_t i = 0; i < panel->row_count && !error; i++)
			error = row_write(figure, sheet, record, summary, p, panel->rows[i]);
		if (!error && (double)figure->series.count < figure->panel_first[p]) {
			panels_remove(&figure->panels, p);
			continue;
		}
		if (!error)
			error = machine_write(figure, sheet, summary, p);
		if (error)
			return error;
		figure->panel_last[p++] = (double)figure->series.count;
	}
	return 0;
}

int figure_fill_latency(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_BATCH, .wanted = wanted, .value = NULL,
						 .missing = "no ping-pong trial with a round trip counts" };
	struct latency_figure figure = { 0 };
	int error;

	error = panels_make(&figure.panels, sheet, summary, &wish);
	if (!error)
		error = panels_choose(&figure.panels, sheet, round_trip_p50_ns);
	if (error) {
		panels_free(&figure.panels);
		return error;
	}
	ranges_start(&figure.ranges);
	fprintf(sheet->data, "series\tone_over_one_minus_p\tpercentile\tround_trip_ns\tmarked\tqueue\n");
	error = panels_write(&figure, sheet, record, summary);
	if (!error && !figure.panels.count)
		error = sheet_complain(sheet, "no ping-pong trial has a histogram of at least %d samples",
				       POOL_SAMPLES_LEAST);
	if (!error) {
		panels_describe(&figure.panels, sheet, record, summary);
		settings_write(&figure, sheet, summary);
	}
	series_free(&figure.series);
	panels_free(&figure.panels);
	return error;
}
