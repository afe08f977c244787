/* Which lines of a panel are drawn. */
#include "panels_parts.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More lines than LINES_MOST nobody tells apart. */
enum { LINES_MOST = 16, LINES_BEST = 12 };

/* What the others are measured against. */
static const char *const known[] = { "ypipe", "ring", "mutex", "mutex-batch" };

struct choice {
	const struct summary_row *row;
	bool floor, leads; /* leads: the first of its line */
	double cost;       /* its line's */
	size_t index;      /* of its line's first row */
};

static int by_cost(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (a->floor != b->floor)
		return a->floor - b->floor;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return b->leads - a->leads;
}

static bool is_known(const struct summary_row *row)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(record_cell_queue(row->cell), known[i]) == 0)
			return true;
	return false;
}

static void choice_make(struct choice *choice, const struct panel *panel, size_t at,
			double (*cost)(const struct summary_row *))
{
	*choice = (struct choice){ panel->rows[at], row_is_floor(panel->rows[at]), false, INFINITY, SIZE_MAX };
	for (size_t i = 0; i < panel->row_count; i++) {
		double own = cost(panel->rows[i]);

		if (!panels_same_series(panel, panel->rows[i], panel->rows[at]))
			continue;
		choice->index = choice->index == SIZE_MAX ? i : choice->index;
		choice->cost = own < choice->cost ? own : choice->cost;
	}
	choice->leads = choice->index == at;
}

/* Returns how many lines were taken out. */
static size_t rows_choose(struct panel *panel, const struct choice *choices)
{
	size_t lines = 0, line = 0, left_out = 0, kept = 0;
	bool keeps = true;

	for (size_t i = 0; i < panel->row_count; i++)
		lines += choices[i].leads && !choices[i].floor;
	for (size_t i = 0; i < panel->row_count; i++) {
		const struct choice *choice = &choices[i];

		if (choice->leads) {
			line += !choice->floor;
			keeps = choice->floor || lines <= LINES_MOST || line <= LINES_BEST || is_known(choice->row);
			left_out += !keeps;
		}
		if (keeps)
			panel->rows[kept++] = choice->row;
	}
	panel->row_count = kept;
	return left_out;
}

int panels_choose(struct panels *panels, struct sheet *sheet, double (*cost)(const struct summary_row *row))
{
	size_t left_out = 0;

	for (size_t p = 0; p < panels->count; p++) {
		struct panel *panel = &panels->list[p];
		struct choice *choices = calloc(panel->row_count + 1, sizeof(*choices));

		if (!choices)
			return -ENOMEM;
		for (size_t i = 0; i < panel->row_count; i++)
			choice_make(&choices[i], panel, i, cost);
		qsort(choices, panel->row_count, sizeof(*choices), by_cost);
		left_out += rows_choose(panel, choices);
		free(choices);
	}
	if (left_out)
		sheet_note(sheet,
			   "Of more than %d queues the %d best are drawn, the floors, and %s, %s, %s and %s: %zu lines are left out. "
			   "The table of the record has them all, the figure rate those that stream.",
			   LINES_MOST, LINES_BEST, known[0], known[1], known[2], known[3], left_out);
	return 0;
}
