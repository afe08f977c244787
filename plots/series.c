/* How a queue looks, and where panels and legends lie. */
#include "panels.h"
#include <errno.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours for all kinds of sight, but yellow, which is lost on white, and black, kept for floors. */
static const double colours[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9 };
/* gnuplot's open shapes; the next number is the filled one. */
static const double shapes[] = { 6, 4, 8, 10, 12, 14 };
enum { COLOURS = 6, SHAPES = 6, DASHES = 5 };

/* A queue's place in the record among the queues that are no floors: the same in every figure. */
static size_t queue_index(const struct summary *summary, const char *queue)
{
	size_t index = 0;

	for (size_t i = 0; i < summary->row_count; i++) {
		const char *name = summary->rows[i].cell->queue;
		bool seen = summary_is_floor(summary->rows[i].cell);

		if (strcmp(name, queue) == 0)
			break;
		for (size_t j = 0; j < i && !seen; j++)
			seen = strcmp(name, summary->rows[j].cell->queue) == 0;
		index += !seen;
	}
	return index;
}

static bool series_grow(struct series *series)
{
	double **const arrays[] = { &series->panel, &series->colour, &series->shape, &series->dash, &series->width };
	char **labels = realloc(series->label, (series->count + 1) * sizeof(*labels));

	if (!labels)
		return false;
	series->label = labels;
	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		double *grown = realloc(*arrays[i], (series->count + 1) * sizeof(**arrays[i]));

		if (!grown)
			return false;
		*arrays[i] = grown;
	}
	return true;
}

/* Floors are grey and thick; the machine's own (no queue) is black. */
static void floor_look(struct series *series, size_t at, const char *queue)
{
	series->colour[at] = !queue                       ? 0x000000
			     : strcmp(queue, "null") == 0 ? 0x999999
			     : strcmp(queue, "line") == 0 ? 0x555555
							  : 0x777777;
	series->dash[at] = !queue ? 3 : strcmp(queue, "null") == 0 ? 2 : strcmp(queue, "line") == 0 ? 4 : 5;
	series->shape[at] = !queue ? 12 : strcmp(queue, "null") == 0 ? 4 : strcmp(queue, "line") == 0 ? 6 : 8;
	series->width[at] = 2.5;
}

/* Lines of a panel's legend. */
static size_t legend_lines(const struct series *series, size_t panel)
{
	size_t lines = 0;

	for (size_t i = 0; i < series->count; i++)
		lines += series->panel[i] == (double)panel + 1;
	return lines;
}

long series_add(struct series *series, const struct summary *summary, size_t panel, const struct record_cell *cell,
		const char *label, bool dumb)
{
	size_t at = series->count, index;

	if (!series_grow(series))
		return -ENOMEM;
	series->label[at] = strdup(label);
	if (!series->label[at])
		return -ENOMEM;
	series->count++;
	series->panel[at] = (double)panel + 1;
	if (!cell || summary_is_floor(cell)) {
		floor_look(series, at, cell ? cell->queue : NULL);
	} else {
		index = queue_index(summary, cell->queue);
		series->colour[at] = colours[index % COLOURS];
		series->shape[at] = shapes[(index + index / COLOURS) % SHAPES];
		series->dash[at] = (double)(1 + index / COLOURS % DASHES);
		series->width[at] = 1.5;
	}
	if (dumb) /* shape + 1 is the letter: A, B, C … in each panel */
		series->shape[at] = (double)((legend_lines(series, panel) - 1) % 26);
	return (long)series->count;
}

void series_lay_out(const struct series *series, const struct panels *panels, struct sheet *sheet)
{
	const char *titles[PANELS_MOST];
	double top[PANELS_MOST], bottom[PANELS_MOST];
	size_t label = 8;
	unsigned line = 1, title = panels_title_width(panels) + 15;

	for (size_t i = 0; i < series->count; i++)
		label = sheet_length(series->label[i]) > label ? sheet_length(series->label[i]) : label;
	sheet->width = (sheet->dumb ? 82U : 108U) + (unsigned)label;
	sheet->width = sheet->width < title ? title : sheet->width;
	for (size_t p = 0; p < panels->count; p++) {
		size_t lines = legend_lines(series, p) + 2;

		titles[p] = panels->list[p].title;
		line += titles[p][0] ? 1 : 0;
		top[p] = line;
		line += lines > 22 ? (unsigned)lines : 22;
		bottom[p] = line;
		line += 4; /* ticks, their title, room */
	}
	sheet->height = line;
	sheet_set_number(sheet, "plot_left", 14);
	sheet_set_number(sheet, "plot_right", sheet->dumb ? 74 : 98);
	sheet_set_number(sheet, "panels", (double)panels->count);
	sheet_set_texts(sheet, "panel_title", titles, panels->count);
	sheet_set_numbers(sheet, "panel_top", top, panels->count);
	sheet_set_numbers(sheet, "panel_bottom", bottom, panels->count);
	sheet_set_texts(sheet, "series_label", (const char *const *)series->label, series->count);
	sheet_set_numbers(sheet, "series_colour", series->colour, series->count);
	sheet_set_numbers(sheet, "series_shape", series->shape, series->count);
	sheet_set_numbers(sheet, "series_dash", series->dash, series->count);
	sheet_set_numbers(sheet, "series_width", series->width, series->count);
}

void series_free(struct series *series)
{
	for (size_t i = 0; i < series->count; i++)
		free(series->label[i]);
	free(series->label);
	free(series->panel);
	free(series->colour);
	free(series->shape);
	free(series->dash);
	free(series->width);
}

/* ---- axes ---- */

void ranges_start(struct ranges *ranges)
{
	for (size_t p = 0; p < PANELS_MOST; p++) {
		ranges->x_low[p] = ranges->y_low[p] = DBL_MAX;
		ranges->x_high[p] = ranges->y_high[p] = 0;
	}
}

void ranges_add(struct ranges *ranges, size_t panel, double x, double y)
{
	ranges->x_low[panel] = x < ranges->x_low[panel] ? x : ranges->x_low[panel];
	ranges->x_high[panel] = x > ranges->x_high[panel] ? x : ranges->x_high[panel];
	ranges->y_low[panel] = y < ranges->y_low[panel] ? y : ranges->y_low[panel];
	ranges->y_high[panel] = y > ranges->y_high[panel] ? y : ranges->y_high[panel];
}

void ranges_write(struct ranges *ranges, size_t panels, struct sheet *sheet)
{
	for (size_t p = 0; p < panels; p++)
		sheet_log_range(&ranges->y_low[p], &ranges->y_high[p]);
	sheet_set_numbers(sheet, "panel_x_low", ranges->x_low, panels);
	sheet_set_numbers(sheet, "panel_x_high", ranges->x_high, panels);
	sheet_set_numbers(sheet, "panel_y_low", ranges->y_low, panels);
	sheet_set_numbers(sheet, "panel_y_high", ranges->y_high, panels);
}
