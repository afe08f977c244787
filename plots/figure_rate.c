/* Messages per second at both endpoints: a row a queue, a column a batch size, one grid of them per setting. */
#include "figure_fill.h"
#include "panels.h"
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A ping-pong's rate is its round trip over again. */
static bool wanted(const struct summary_row *row)
{
	return strcmp(row->cell->workload, "pingpong") && ((row->sender_rate.known && row->sender_rate.median > 0) ||
							   (row->receiver_rate.known && row->receiver_rate.median > 0));
}

/* A row of a setting's grid: one queue. */
struct lane {
	size_t panel;
	const struct summary_row *row; /* one of its rows */
	char label[SHEET_TEXT];
	bool floor;
	double best; /* its highest rate */
};

struct rate_figure {
	struct panels panels;
	struct series looks; /* of the lanes */
	struct lane *lanes;
	size_t lane_count;
	uint64_t *batches; /* the columns, ascending */
	size_t batch_count;
	double low, high;
	bool bars_missing;
	size_t drawn; /* panels: a setting with a batch size each */
	size_t data_rows;
};

/* The last column: floors whose batch is of their own choosing, and no queue's. */
static const uint64_t BATCH_OWN = UINT64_MAX;

/* The column of a row: its batch, or that one. */
static uint64_t column_of(const struct rate_figure *figure, const struct summary_row *of)
{
	bool queues = false;

	if (!summary_is_floor(of->cell))
		return of->cell->batch;
	for (size_t p = 0; p < figure->panels.count; p++)
		for (size_t i = 0; i < figure->panels.list[p].row_count; i++) {
			const struct record_cell *cell = figure->panels.list[p].rows[i]->cell;
			bool floor = summary_is_floor(cell);

			if (!floor && cell->batch == of->cell->batch)
				return cell->batch;
			if (!strcmp(cell->queue, of->cell->queue) && cell->message_bytes == of->cell->message_bytes &&
			    cell->batch != of->cell->batch)
				return of->cell->batch; /* it was measured at several */
			queues |= !floor;
		}
	return queues ? BATCH_OWN : of->cell->batch;
}

static void batch_note(struct rate_figure *figure, uint64_t batch)
{
	size_t at = 0;

	while (at < figure->batch_count && figure->batches[at] < batch)
		at++;
	if (at < figure->batch_count && figure->batches[at] == batch)
		return;
	memmove(figure->batches + at + 1, figure->batches + at, (figure->batch_count - at) * sizeof(*figure->batches));
	figure->batches[at] = batch;
	figure->batch_count++;
}

static struct lane *lane_find(struct rate_figure *figure, size_t panel, const struct summary_row *row)
{
	for (size_t i = 0; i < figure->lane_count; i++)
		if (figure->lanes[i].panel == panel && panels_same_series(&figure->panels.list[panel], figure->lanes[i].row, row))
			return &figure->lanes[i];
	return NULL;
}

static void lane_note(struct rate_figure *figure, size_t panel, const struct summary_row *row)
{
	double rate = row->receiver_rate.known ? row->receiver_rate.median : row->sender_rate.median;
	struct lane *lane = lane_find(figure, panel, row);

	if (!lane) {
		lane = &figure->lanes[figure->lane_count++];
		lane->panel = panel;
		lane->row = row;
		lane->floor = summary_is_floor(row->cell);
		panels_label(lane->label, &figure->panels.list[panel], row);
	}
	lane->best = fmax(lane->best, rate);
}

/* By setting; the fastest on top, floors at the bottom. */
static int by_rate(const void *left, const void *right)
{
	const struct lane *a = left, *b = right;

	if (a->panel != b->panel)
		return a->panel < b->panel ? -1 : 1;
	if (a->floor != b->floor)
		return a->floor - b->floor;
	if (a->best != b->best)
		return a->best < b->best ? 1 : -1;
	return strcmp(a->label, b->label);
}

static void range_add(struct rate_figure *figure, double value)
{
	figure->low = fmin(figure->low, value);
	figure->high = fmax(figure->high, value);
}

/* A line of data, where there is a rate. */
static void value_write(struct rate_figure *figure, struct sheet *sheet, int endpoint, size_t lane,
			const struct summary_value *rate, const struct summary_row *row)
{
	bool interval = rate->interval.known && rate->interval.low > 0;
	double shape = figure->looks.shape[lane] + (endpoint == 2);

	if (!rate->known || !(rate->median > 0))
		return;
	if (sheet->dumb)
		shape = endpoint == 2 ? 18 : 19; /* the letters R and S */
	range_add(figure, rate->median);
	if (interval) {
		range_add(figure, rate->interval.low);
		range_add(figure, rate->interval.high);
	}
	figure->bars_missing |= !interval;
	fprintf(sheet->data, "%zu\t%d\t%zu\t%.6g\t%.6g\t%.6g\t%.0f\t%.0f\t%zu\t%" PRIu64 "\t%" PRIu64 "\t",
		figure->drawn + 1, endpoint, lane + 1, rate->median, interval ? rate->interval.low : NAN,
		interval ? rate->interval.high : NAN, figure->looks.colour[lane], shape, row->trials, row->cell->batch,
		row->cell->message_bytes);
	sheet_data_text(sheet, row->cell->queue);
	fputc('\n', sheet->data);
	figure->data_rows++;
}

/* All rows of a setting with one batch size. Returns how many there are. */
static size_t column_write(struct rate_figure *figure, struct sheet *sheet, size_t p, uint64_t batch)
{
	const struct panel *panel = &figure->panels.list[p];
	size_t rows = 0;

	for (size_t i = 0; i < panel->row_count; i++) {
		const struct summary_row *row = panel->rows[i];
		size_t lane;

		if (column_of(figure, row) != batch)
			continue;
		lane = (size_t)(lane_find(figure, p, row) - figure->lanes);
		value_write(figure, sheet, 1, lane, &row->sender_rate, row);
		value_write(figure, sheet, 2, lane, &row->receiver_rate, row);
		rows++;
	}
	return rows;
}

static int lanes_make(struct rate_figure *figure, struct sheet *sheet, const struct summary *summary)
{
	size_t rows = 0;

	for (size_t p = 0; p < figure->panels.count; p++)
		rows += figure->panels.list[p].row_count;
	figure->lanes = calloc(rows, sizeof(*figure->lanes));
	figure->batches = calloc(rows, sizeof(*figure->batches));
	if (!figure->lanes || !figure->batches)
		return -ENOMEM;
	for (size_t p = 0; p < figure->panels.count; p++)
		for (size_t i = 0; i < figure->panels.list[p].row_count; i++) {
			lane_note(figure, p, figure->panels.list[p].rows[i]);
			batch_note(figure, column_of(figure, figure->panels.list[p].rows[i]));
		}
	qsort(figure->lanes, figure->lane_count, sizeof(*figure->lanes), by_rate);
	for (size_t i = 0; i < figure->lane_count; i++) {
		struct lane *lane = &figure->lanes[i];

		if (series_add(&figure->looks, summary, lane->panel, lane->row->cell, lane->label, sheet->dumb) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* The lanes of a setting: [first, last], floors from floor on; counted from 1. */
struct lane_span {
	size_t first, last, floor;
};

static struct lane_span span_of_panel(const struct rate_figure *figure, size_t p)
{
	struct lane_span span = { 0 };

	for (size_t i = 0; i < figure->lane_count; i++) {
		if (figure->lanes[i].panel != p)
			continue;
		span.first = span.first ? span.first : i + 1;
		span.last = i + 1;
		span.floor = figure->lanes[i].floor && !span.floor ? i + 1 : span.floor;
	}
	span.floor = span.floor ? span.floor : span.last + 1;
	return span;
}

static const char *const panel_arrays[] = { "panel_left",      "panel_top",       "panel_bottom",
					    "panel_is_first",  "panel_first_row", "panel_last_row",
					    "panel_floor_row", "panel_data",      "panel_data_last",
					    "panel_title",     "column_title" };

/* Columns between two panels: their outermost ticks' numbers stand below it, half of each. */
enum { GRID_GAP = 5 };

struct grid {
	unsigned left, width, line; /* of the first column; of a column; where the next setting starts */
};

/* A setting: a panel for each batch size that has data. */
static void setting_write(struct rate_figure *figure, struct sheet *sheet, struct grid *grid, size_t p)
{
	struct lane_span span = span_of_panel(figure, p);
	size_t lanes = span.last + 1 - span.first;
	unsigned height = (unsigned)(sheet->dumb ? lanes * 3 : (lanes * 3 + 1) / 2);
	char title[64];
	bool first = true;

	height = height < 4 ? 4 : height;
	grid->line += figure->panels.list[p].title[0] ? 3 : 2;
	for (size_t b = 0; b < figure->batch_count; b++) {
		size_t data = figure->data_rows, rows = column_write(figure, sheet, p, figure->batches[b]);
		double values[] = { grid->left + (double)b * (grid->width + GRID_GAP),
				    grid->line,
				    grid->line + height,
				    first,
				    (double)span.first,
				    (double)span.last,
				    (double)span.floor,
				    1 + (double)data, /* lines before its own */
				    (double)(figure->data_rows - data) - 1 };

		if (!rows)
			continue;
		figure->drawn++;
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			sheet_set_element(sheet, panel_arrays[i], figure->drawn, values[i]);
		if (figure->batches[b] == BATCH_OWN)
			snprintf(title, sizeof(title), "a batch of its own");
		else
			snprintf(title, sizeof(title), "batch %" PRIu64, figure->batches[b]);
		sheet_set_element_text(sheet, "panel_title", figure->drawn, first ? figure->panels.list[p].title : "");
		sheet_set_element_text(sheet, "column_title", figure->drawn, title);
		first = false;
	}
	grid->line += height + 2;
}

static void grid_write(struct rate_figure *figure, struct sheet *sheet)
{
	size_t label = 8, columns = figure->batch_count;
	unsigned title = panels_title_width(&figure->panels) + 2;
	struct grid grid = { .width = columns == 1   ? 84
				      : columns == 2 ? 50
				      : columns == 3 ? 36
				      : columns < 6  ? 28
						     : 24 };

	for (size_t i = 0; i < figure->lane_count; i++)
		label = sheet_columns(sheet, figure->lanes[i].label) > label ? sheet_columns(sheet, figure->lanes[i].label) : label;
	grid.left = (unsigned)label + 3;
	for (size_t i = 0; i < sizeof(panel_arrays) / sizeof(panel_arrays[0]); i++)
		sheet_set_array(sheet, panel_arrays[i], figure->panels.count * columns);
	for (size_t p = 0; p < figure->panels.count; p++)
		setting_write(figure, sheet, &grid, p);
	sheet->width = grid.left + (unsigned)columns * (grid.width + GRID_GAP) + 1;
	sheet->width = sheet->width < title ? title : sheet->width;
	sheet->height = grid.line + 4;
	sheet_set_number(sheet, "grid_left", grid.left);
	sheet_set_number(sheet, "panel_width", grid.width);
	sheet_set_number(sheet, "legend_line", grid.line + 2);
	sheet_set_number(sheet, "panels", (double)figure->drawn);
}

static void settings_write(struct rate_figure *figure, struct sheet *sheet)
{
	sheet_log_range(&figure->low, &figure->high);
	sheet_set_number(sheet, "x_low", figure->low);
	sheet_set_number(sheet, "x_high", figure->high);
	sheet_set_array(sheet, "row_label", figure->lane_count);
	for (size_t i = 0; i < figure->lane_count; i++)
		sheet_set_element_text(sheet, "row_label", i + 1, figure->lanes[i].label);
	sheet_set_number(sheet, "sender_shape", sheet->dumb ? 19 : 6);
	sheet_set_number(sheet, "receiver_shape", sheet->dumb ? 18 : 7);
}

static void notes_write(const struct rate_figure *figure, struct sheet *sheet)
{
	bool several = false, floors = false;

	for (size_t p = 0; p < figure->panels.count; p++)
		several |=
			figure->panels.list[p].first->cell->producers + figure->panels.list[p].first->cell->consumers >
			2;
	for (size_t i = 0; i < figure->lane_count; i++)
		floors |= figure->lanes[i].floor;
	if (several)
		sheet_note(sheet, "A rate is the sum over the workload's producers, or over its consumers.");
	sheet_note(sheet, "Bars: 95 %% intervals of the median over trials%s",
		   figure->bars_missing ? "; none where a point has fewer than 6 trials." : ".");
	if (floors)
		sheet_note(sheet, "Floors (below the line) are no queues: null is the harness's own cost, both ends on one thread; "
				  "stream-limit and stream-near the leanest transfers between two cores.");
}

static void figure_free(struct rate_figure *figure)
{
	free(figure->lanes);
	free(figure->batches);
	series_free(&figure->looks);
	panels_free(&figure->panels);
}

int figure_fill_rate(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_BATCH, .wanted = wanted, .value = NULL,
						 .missing = "no trial counts that has a rate, ping-pongs aside" };
	struct rate_figure figure = { .low = DBL_MAX };
	int error = panels_make(&figure.panels, sheet, summary, &wish);

	if (error) {
		panels_free(&figure.panels);
		return error;
	}
	panels_describe(&figure.panels, sheet, record, summary);
	fprintf(sheet->data, "panel\tendpoint_1_write_2_read\trow\trate_per_s\tlow_per_s\thigh_per_"
			     "s\tcolour\tshape\ttrials\tbatch_messages\tmessage_bytes\tqueue\n");
	error = lanes_make(&figure, sheet, summary);
	if (!error) {
		grid_write(&figure, sheet);
		settings_write(&figure, sheet);
		notes_write(&figure, sheet);
	}
	figure_free(&figure);
	return error;
}
