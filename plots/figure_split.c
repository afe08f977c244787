/* Where a message spends its time: waiting for its batch's flush, in the queue, or waiting to be handed out. A bar a queue and batch. */
#include "figure_fill.h"
#include "number.h"
#include "panels.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NUMBER_WIDE: characters of a column of numbers. */
enum { PARTS = 3, NUMBER_WIDE = 11, NUMBERS_WIDE = (PARTS + 1) * NUMBER_WIDE };

/* Queues whose longest bars differ by more than this have an axis each. */
static const double ONE_AXIS_MOST = 8;

static const char *const part_points[PARTS][2] = { { "write", "flush" }, { "flush", "preread" }, { "preread", "read" } };

struct bar {
	size_t panel;
	const struct summary_row *row;
	char label[SHEET_TEXT];
	bool floor;
	double least_ns; /* of its queue's bars the shortest: the queue's rank */
	double end_ns;   /* of its parts, one behind the other, or of the whole: whichever is longer */
};

/* Bars that share an axis: [first, last], from 0 on. */
struct split_area {
	size_t panel, first, last;
	double high_ns;
	bool leads; /* it bears its panel's title */
};

struct split_figure {
	struct panels panels;
	struct bar *bars;
	size_t count;
	struct split_area *areas;
	size_t area_count;
	double offset_ns; /* the greatest bound of a part that two clocks measured */
	bool clock_limited;
};

static double p50_ns(const struct summary_row *row, const char *from, const char *to)
{
	const struct summary_latency *latency = panels_latency(row, from, to);

	return latency && latency->p50_ns.known ? latency->p50_ns.median : NAN;
}

static double mean_ns(const struct summary_row *row, const char *from, const char *to)
{
	const struct summary_latency *latency = panels_latency(row, from, to);

	return latency && latency->mean_ns.known ? latency->mean_ns.median : NAN;
}

static double part_ns(const struct summary_row *row, size_t part)
{
	return p50_ns(row, part_points[part][0], part_points[part][1]);
}

static bool wanted(const struct summary_row *row)
{
	for (size_t part = 0; part < PARTS; part++)
		if (!panels_latency(row, part_points[part][0], part_points[part][1]))
			return false;
	return panels_latency(row, "write", "read") != NULL;
}

/* NAN where a part is not known: a median below zero is none. */
static double parts_ns(const struct summary_row *row)
{
	return part_ns(row, 0) + part_ns(row, 1) + part_ns(row, 2) + 0 * p50_ns(row, "write", "read");
}

/* ---- bars ---- */

static void bounds_note(struct split_figure *figure, const struct summary_row *row)
{
	for (size_t part = 0; part < PARTS; part++) {
		const struct summary_latency *latency = panels_latency(row, part_points[part][0], part_points[part][1]);

		figure->offset_ns = fmax(figure->offset_ns, latency->offset_half_width_ns);
		figure->clock_limited |= latency->clock_limited;
	}
}

static double queue_least_ns(const struct panel *panel, const struct summary_row *of)
{
	double least = INFINITY;

	for (size_t i = 0; i < panel->row_count; i++)
		if (panels_same_series(panel, panel->rows[i], of))
			least = fmin(least, p50_ns(panel->rows[i], "write", "read"));
	return least;
}

/* By panel; floors last; queues by their shortest bar, each queue's by batch. */
static int by_place(const void *left, const void *right)
{
	const struct bar *a = left, *b = right;
	int order;

	if (a->panel != b->panel)
		return a->panel < b->panel ? -1 : 1;
	if (a->floor != b->floor)
		return a->floor - b->floor;
	if (a->least_ns != b->least_ns)
		return a->least_ns < b->least_ns ? -1 : 1;
	order = strcmp(a->label, b->label);
	return order ? order : (a->row->cell->batch > b->row->cell->batch) - (a->row->cell->batch < b->row->cell->batch);
}

static int bars_make(struct split_figure *figure)
{
	size_t rows = 0;

	for (size_t p = 0; p < figure->panels.count; p++)
		rows += figure->panels.list[p].row_count;
	figure->bars = calloc(rows + 1, sizeof(*figure->bars));
	figure->areas = calloc(rows + 1, sizeof(*figure->areas));
	if (!figure->bars || !figure->areas)
		return -ENOMEM;
	for (size_t p = 0; p < figure->panels.count; p++)
		for (size_t i = 0; i < figure->panels.list[p].row_count; i++) {
			const struct summary_row *row = figure->panels.list[p].rows[i];
			struct bar *bar = &figure->bars[figure->count++];

			bar->panel = p;
			bar->row = row;
			bar->floor = summary_is_floor(row->cell);
			bar->least_ns = queue_least_ns(&figure->panels.list[p], row);
			bar->end_ns = fmax(parts_ns(row), p50_ns(row, "write", "read"));
			panels_label(bar->label, &figure->panels.list[p], row);
			bounds_note(figure, row);
		}
	qsort(figure->bars, figure->count, sizeof(*figure->bars), by_place);
	return 0;
}

static bool same_queue(const struct bar *a, const struct bar *b)
{
	return a->panel == b->panel && !strcmp(a->label, b->label);
}

/* ---- axes ---- */

/* The longest bars of the queue with the longest, and of the one with the shortest. */
static double spread(const struct split_figure *figure, size_t panel)
{
	double least = INFINITY, most = 0;

	for (size_t i = 0; i < figure->count; i++) {
		double longest = 0;

		for (size_t k = 0; k < figure->count; k++)
			if (same_queue(&figure->bars[i], &figure->bars[k]))
				longest = fmax(longest, figure->bars[k].end_ns);
		if (figure->bars[i].panel != panel)
			continue;
		least = fmin(least, longest);
		most = fmax(most, longest);
	}
	return most / least;
}

/* Returns whether some panel's queues have axes of their own. */
static bool areas_make(struct split_figure *figure)
{
	bool apart = false;

	for (size_t i = 0; i < figure->count; i++) {
		const struct bar *bar = &figure->bars[i];
		bool leads = !i || bar[-1].panel != bar->panel, own = spread(figure, bar->panel) > ONE_AXIS_MOST;
		struct split_area *area;

		if (leads || (own && !same_queue(bar - 1, bar)))
			figure->areas[figure->area_count++] = (struct split_area){ bar->panel, i, i, 0, leads };
		area = &figure->areas[figure->area_count - 1];
		area->last = i;
		area->high_ns = fmax(area->high_ns, bar->end_ns);
		apart |= own;
	}
	return apart;
}

/* ---- writing ---- */

static void bar_write(const struct bar *bar, struct sheet *sheet, size_t area, double y)
{
	const struct summary_row *row = bar->row;

	fprintf(sheet->data, "%zu\t%g", area + 1, y);
	for (size_t part = 0; part < PARTS; part++)
		fprintf(sheet->data, "\t%.6g", part_ns(row, part));
	fprintf(sheet->data, "\t%.6g", p50_ns(row, "write", "read"));
	for (size_t part = 0; part < PARTS; part++)
		fprintf(sheet->data, "\t%.6g", mean_ns(row, part_points[part][0], part_points[part][1]));
	fprintf(sheet->data, "\t%.6g\t%zu\t%" PRIu64 "\t%" PRIu64 "\t", mean_ns(row, "write", "read"), row->trials, row->cell->batch,
		row->cell->message_bytes);
	sheet_data_text(sheet, row->cell->queue);
	fputc('\n', sheet->data);
}

/* Beside the bar, for those that are too short to be seen. */
static void numbers_write(const struct bar *bar, struct sheet *sheet, size_t at)
{
	char text[NUMBER_TEXT];

	for (size_t part = 0; part < PARTS; part++)
		sheet_set_element_text(sheet, "row_number", at * (PARTS + 1) + part + 1, number_time(text, part_ns(bar->row, part)));
	sheet_set_element_text(sheet, "row_number", (at + 1) * (PARTS + 1), number_time(text, p50_ns(bar->row, "write", "read")));
}

static const char *const area_arrays[] = { "panel_top",  "panel_bottom", "panel_first", "panel_last",
					   "panel_high", "panel_step",   "panel_rows" };

/* The areas one below the other; between two queues of one there is half a row. */
static void areas_write(const struct split_figure *figure, struct sheet *sheet)
{
	double row_lines = sheet->dumb ? 3 : 1.25, line = 2; /* the numbers' heads stand above the first area */

	sheet_set_array(sheet, "row_label", figure->count);
	sheet_set_array(sheet, "row_y", figure->count);
	sheet_set_array(sheet, "row_number", figure->count * (PARTS + 1));
	sheet_set_array(sheet, "panel_title", figure->area_count);
	for (size_t i = 0; i < sizeof(area_arrays) / sizeof(area_arrays[0]); i++)
		sheet_set_array(sheet, area_arrays[i], figure->area_count);
	for (size_t a = 0; a < figure->area_count; a++) {
		const struct split_area *area = &figure->areas[a];
		const char *title = area->leads ? figure->panels.list[area->panel].title : "";
		double y = 0, top = line += title[0] ? 1.5 : 0.5;
		char label[SHEET_TEXT + 32];

		for (size_t i = area->first; i <= area->last; i++) {
			y += i == area->first || same_queue(&figure->bars[i - 1], &figure->bars[i]) ? 1 : 1.5;
			snprintf(label, sizeof(label), "%s, batch %" PRIu64, figure->bars[i].label,
				 figure->bars[i].row->cell->batch);
			sheet_set_element_text(sheet, "row_label", i + 1, label);
			sheet_set_element(sheet, "row_y", i + 1, y);
			numbers_write(&figure->bars[i], sheet, i);
			bar_write(&figure->bars[i], sheet, a, y);
		}
		line += fmax(2, row_lines * (y + 0.5));
		sheet_set_element_text(sheet, "panel_title", a + 1, title);
		for (size_t i = 0; i < sizeof(area_arrays) / sizeof(area_arrays[0]); i++)
			sheet_set_element(sheet, area_arrays[i], a + 1,
					  (const double[]){ top, line, (double)area->first + 1, (double)area->last + 1,
							    area->high_ns * 1.04, sheet_tick_step(area->high_ns), y + 0.5 }[i]);
		line += 2;
	}
	sheet_set_number(sheet, "panels", (double)figure->area_count);
	sheet_set_number(sheet, "legend_line", ceil(line) + 1);
	sheet->height = (unsigned)ceil(line) + (sheet->dumb ? 8 : 4);
}

static void settings_write(const struct split_figure *figure, struct sheet *sheet, bool apart)
{
	size_t label = 8;
	unsigned title = panels_title_width(&figure->panels) + 2;
	char text[NUMBER_TEXT];

	areas_write(figure, sheet);
	for (size_t i = 0; i < figure->count; i++) {
		size_t length = sheet_columns(sheet, figure->bars[i].label) + sizeof(", batch 1000");

		label = length > label ? length : label;
	}
	sheet->width = (unsigned)label + (sheet->dumb ? 46 : 86) + NUMBERS_WIDE;
	sheet->width = sheet->width < title ? title : sheet->width;
	sheet_set_number(sheet, "plot_left", (double)label + 2);
	sheet_set_number(sheet, "plot_right", (double)sheet->width - 3 - NUMBERS_WIDE);
	sheet_set_number(sheet, "number_wide", NUMBER_WIDE);
	sheet_note(sheet, "Medians, over trials, of each trial's median. Medians of parts need not add up to the median of the whole, "
			  "which is the mark. Means, which do add up, are in the data beside the figure.");
	if (apart)
		sheet_note(sheet, "Queues whose times differ by more than %g times have an axis each.", ONE_AXIS_MOST);
	if (isinf(figure->offset_ns))
		sheet_note(sheet, "The two ends have clocks of their own, whose offset is not known: the time in the queue is "
				  "wrong by that.");
	else if (figure->offset_ns > 0)
		sheet_note(sheet, "The two ends have clocks of their own: the time in the queue may be wrong by %s%s.",
			   number_time(text, figure->offset_ns), figure->clock_limited ? ", of some more than a quarter of it" : "");
}

int figure_fill_split(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_BATCH, .wanted = wanted, .value = parts_ns,
						 .missing = "no trial counts that stamps each message at all four points of a queue that "
							    "is not saturated (--stamps message --latency "
							    "write:read,write:flush,flush:preread,preread:read)",
						 .takes_open = true };
	struct split_figure figure = { 0 };
	int error = panels_make(&figure.panels, sheet, summary, &wish);

	if (!error)
		error = panels_choose(&figure.panels, sheet, parts_ns);
	if (!error)
		error = bars_make(&figure);
	if (!error) {
		panels_describe(&figure.panels, sheet, record, summary);
		fprintf(sheet->data, "panel\trow\twrite_flush_p50_ns\tflush_preread_p50_ns\tpreread_read_p50_ns\twrite_read_p50_ns\t"
				     "write_flush_mean_ns\tflush_preread_mean_ns\tpreread_read_mean_ns\twrite_read_mean_ns\ttrials\t"
				     "batch_messages\tmessage_bytes\tqueue\n");
		settings_write(&figure, sheet, areas_make(&figure));
	}
	free(figure.bars);
	free(figure.areas);
	panels_free(&figure.panels);
	return error;
}
