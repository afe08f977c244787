/* How a queue looks, and where panels and legends lie. */
#include "panels.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Okabe and Ito's colours for all kinds of sight, but yellow, which is lost on white, and black, kept for floors. */
static const double colours[] = { 0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9 };
/* gnuplot's open shapes; the next number is the filled one. */
static const double shapes[] = { 6, 4, 8, 10, 12, 14 };
/* Without the third, the dotted one: it carries over what has one point. */
static const double dashes[] = { 1, 2, 4, 5 };
enum { COLOURS = 6, SHAPES = 6, DASHES = 4 };

static double best_rate(const struct summary *summary, const char *queue)
{
	double best = 0;

	for (size_t i = 0; i < summary->row_count; i++)
		if (!strcmp(summary->rows[i].cell->queue, queue) && summary->rows[i].receiver_rate.known)
			best = fmax(best, summary->rows[i].receiver_rate.median);
	return best;
}

struct ranked {
	const char *queue;
	double best;
};

static int by_rank(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->best != b->best)
		return a->best < b->best ? 1 : -1;
	return strcmp(a->queue, b->queue);
}

/* The queues that are no floors, by their best rate in the whole record: the same order in every figure. */
static bool queues_rank(struct series *series, const struct summary *summary)
{
	struct ranked *ranked = calloc(summary->row_count + 1, sizeof(*ranked));
	size_t count = 0;

	series->queues = calloc(summary->row_count + 1, sizeof(*series->queues));
	for (size_t i = 0; ranked && series->queues && i < summary->row_count; i++) {
		const char *queue = summary->rows[i].cell->queue;
		bool seen = summary_is_floor(summary->rows[i].cell);

		for (size_t j = 0; j < count && !seen; j++)
			seen = strcmp(queue, ranked[j].queue) == 0;
		if (!seen)
			ranked[count++] = (struct ranked){ queue, best_rate(summary, queue) };
	}
	if (ranked && series->queues) {
		qsort(ranked, count, sizeof(*ranked), by_rank);
		for (size_t i = 0; i < count; i++)
			series->queues[i] = ranked[i].queue;
		series->queue_count = count;
	}
	free(ranked);
	return ranked && series->queues;
}

static size_t queue_index(const struct series *series, const char *queue)
{
	size_t index = 0;

	while (index < series->queue_count && strcmp(series->queues[index], queue))
		index++;
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
	static const struct {
		const char *queue;
		double colour, dash, shape;
	} looks[] = { { "null", 0x999999, 2, 4 }, { "line", 0x555555, 4, 6 }, { "stream-near", 0x999999, 4, 10 } };

	series->colour[at] = queue ? 0x666666 : 0x000000;
	series->dash[at] = queue ? 5 : 3;
	series->shape[at] = queue ? 8 : 12;
	series->width[at] = 2.5;
	for (size_t i = 0; queue && i < sizeof(looks) / sizeof(looks[0]); i++)
		if (!strcmp(queue, looks[i].queue)) {
			series->colour[at] = looks[i].colour;
			series->dash[at] = looks[i].dash;
			series->shape[at] = looks[i].shape;
		}
}

/* The same floor of several records is told apart by its shape. */
static void floor_distinguish(struct series *series, size_t at)
{
	size_t same = 0;

	for (size_t i = 0; i < at; i++)
		same += series->panel[i] == series->panel[at] && series->colour[i] == series->colour[at] &&
			series->dash[i] == series->dash[at];
	if (same)
		series->shape[at] = shapes[(size_t)(series->shape[at] / 2 + (double)same) % SHAPES];
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

	if ((!series->queues && !queues_rank(series, summary)) || !series_grow(series))
		return -ENOMEM;
	series->label[at] = strdup(label);
	if (!series->label[at])
		return -ENOMEM;
	series->count++;
	series->panel[at] = (double)panel + 1;
	if (!cell || summary_is_floor(cell)) {
		floor_look(series, at, cell ? record_cell_queue(cell) : NULL);
		if (cell && cell->own_queue)
			floor_distinguish(series, at);
	} else {
		index = queue_index(series, cell->queue);
		series->colour[at] = colours[index % COLOURS];
		series->shape[at] = shapes[(index + index / COLOURS) % SHAPES];
		series->dash[at] = dashes[index / COLOURS % DASHES];
		series->width[at] = 1.5;
	}
	if (dumb) /* shape + 1 is the letter: A, B, C … in each panel */
		series->shape[at] = (double)((legend_lines(series, panel) - 1) % 26);
	return (long)series->count;
}

void series_lay_out(const struct series *series, const struct series_area *areas, size_t count, struct sheet *sheet)
{
	const char *titles[RANGES_MOST];
	double top[RANGES_MOST], bottom[RANGES_MOST];
	size_t label = 8;
	unsigned line = 1;

	for (size_t i = 0; i < series->count; i++)
		label = sheet_columns(sheet, series->label[i]) > label ? sheet_columns(sheet, series->label[i]) : label;
	sheet->width = (sheet->dumb ? 82U : 110U) + (unsigned)label;
	for (size_t p = 0; p < count; p++) {
		size_t lines = areas[p].bare ? 0 : legend_lines(series, p) + 2, title = sheet_length(areas[p].title) + 15;

		sheet->width = sheet->width < title ? (unsigned)title : sheet->width;
		titles[p] = areas[p].title;
		line += titles[p][0] ? 1 : 0;
		top[p] = line;
		line += lines > areas[p].lines ? (unsigned)lines : areas[p].lines;
		bottom[p] = line;
		line += 5; /* ticks, their title, room: what follows is the title of the next one */
	}
	sheet->height = line;
	sheet_set_number(sheet, "plot_left", AXIS_LEFT);
	sheet_set_number(sheet, "plot_right", AXIS_LEFT + (sheet->dumb ? AXIS_COLUMNS_DUMB : AXIS_COLUMNS));
	sheet_set_number(sheet, "panels", (double)count);
	sheet_set_texts(sheet, "panel_title", titles, count);
	sheet_set_numbers(sheet, "panel_top", top, count);
	sheet_set_numbers(sheet, "panel_bottom", bottom, count);
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
	free(series->queues);
}

/* ---- axes ---- */

void ranges_start(struct ranges *ranges)
{
	for (size_t p = 0; p < RANGES_MOST; p++) {
		ranges->x_low[p] = ranges->y_low[p] = DBL_MAX;
		ranges->x_high[p] = ranges->y_high[p] = 0;
	}
}

void ranges_add(struct ranges *ranges, size_t area, double x, double y)
{
	ranges->x_low[area] = x < ranges->x_low[area] ? x : ranges->x_low[area];
	ranges->x_high[area] = x > ranges->x_high[area] ? x : ranges->x_high[area];
	ranges->y_low[area] = y < ranges->y_low[area] ? y : ranges->y_low[area];
	ranges->y_high[area] = y > ranges->y_high[area] ? y : ranges->y_high[area];
}

void ranges_write(struct ranges *ranges, size_t areas, struct sheet *sheet)
{
	for (size_t p = 0; p < areas; p++) {
		if (ranges->is_share[p]) {
			ranges->y_low[p] = 0;
			ranges->y_high[p] = 1.05;
		} else {
			sheet_log_range(&ranges->y_low[p], &ranges->y_high[p]);
		}
	}
	sheet_set_numbers(sheet, "panel_x_low", ranges->x_low, areas);
	sheet_set_numbers(sheet, "panel_x_high", ranges->x_high, areas);
	sheet_set_numbers(sheet, "panel_y_low", ranges->y_low, areas);
	sheet_set_numbers(sheet, "panel_y_high", ranges->y_high, areas);
}
