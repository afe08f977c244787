#include "history_print.h"

#include "change_point.h"
#include "number.h"
#include "table_print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_UNASKED = 4, COLUMNS_MOST = 12, CELL_WORDS = 512 };

static char *value_text(char text[NUMBER_TEXT], bool is_time, double value)
{
	return is_time ? number_time(text, value) : number_rate(text, value);
}

/* One side of a change; `beside`: its point next to the change. */
static char *level_text(char text[NUMBER_TEXT], const struct history_point *beside, double level)
{
	if (!history_level_is_lost(level))
		return value_text(text, beside->is_time, level);
	snprintf(text, NUMBER_TEXT, "%s", beside->lost ? beside->lost : "mostly saturated");
	return text;
}

char *history_change_share_text(char *text, const struct history_trend *trend, const struct history_change *change)
{
	if (history_level_is_lost(change->after))
		return level_text(text, trend->points[change->at], change->after);
	if (history_level_is_lost(change->before))
		snprintf(text, NUMBER_TEXT, "no longer so");
	else
		number_change(text, change->change);
	return text;
}

char *history_change_text(char *text, size_t size, const struct history_print *print, const struct history_change *change)
{
	const struct history_trend *trend = &print->trends->trends[change->trend];
	const struct history_run *run = &print->view->runs[trend->points[change->at]->run];
	const struct history_cell *cell = &print->view->cells[trend->cell];
	char words[CELL_WORDS], metric[80], before[NUMBER_TEXT], after[NUMBER_TEXT], share[NUMBER_TEXT], p[NUMBER_TEXT];

	snprintf(text, size, "%s since %.30s (commit %.40s): %s %s, before it %s (%s, p %s); cell %" PRId64 ", %s, machine %s: %.200s",
		 change->slower ? "slower" : "faster", run->started_utc, run->commit,
		 history_headline_text(metric, sizeof(metric), trend->points[0]), level_text(after, trend->points[change->at], change->after),
		 level_text(before, trend->points[change->at - 1], change->before), history_change_share_text(share, trend, change),
		 number_probability(p, change->p_adjusted), cell->id, trend->regime, print->view->machines[trend->machine].fingerprint,
		 history_cell_text(words, sizeof(words), cell));
	return text;
}

/* ---- which cells have a column ---- */

static int by_points(const void *left, const void *right, void *argument)
{
	const struct history_view *view = argument;
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	if (view->cells[a].points != view->cells[b].points)
		return view->cells[a].points < view->cells[b].points ? 1 : -1;
	return (a > b) - (a < b);
}

static int by_number(const void *left, const void *right)
{
	size_t a = *(const size_t *)left, b = *(const size_t *)right;

	return (a > b) - (a < b);
}

/* Those of most points; all where they were asked for, and are few enough. Returns how many. */
static size_t columns_choose(const struct history_print *print, size_t *columns)
{
	const struct history_view *view = print->view;
	size_t most = print->chosen ? COLUMNS_MOST : COLUMNS_UNASKED, count = view->cell_count < most ? view->cell_count : most;

	for (size_t i = 0; i < view->cell_count; i++)
		columns[i] = i;
	qsort_r(columns, view->cell_count, sizeof(*columns), by_points, (void *)view);
	qsort(columns, count, sizeof(*columns), by_number);
	return count;
}

/* ---- lines ---- */

/* What a run came to: by run and column, the point of most trials; NULL: it has none. */
struct grid {
	size_t *columns, column_count;
	const struct history_point **points; /* run_count × column_count */
	const char **regimes;                /* beside them: their trends' */
};

static void grid_free(struct grid *grid)
{
	free(grid->columns);
	free(grid->points);
	free(grid->regimes);
}

static int grid_make(struct grid *grid, const struct history_print *print)
{
	const struct history_view *view = print->view;
	size_t room;

	*grid = (struct grid){ .columns = calloc(view->cell_count + 1, sizeof(*grid->columns)) };
	if (!grid->columns)
		return -ENOMEM;
	grid->column_count = columns_choose(print, grid->columns);
	room = view->run_count * grid->column_count + 1;
	grid->points = calloc(room, sizeof(*grid->points));
	grid->regimes = calloc(room, sizeof(*grid->regimes));
	if (!grid->points || !grid->regimes) {
		grid_free(grid);
		return -ENOMEM;
	}
	for (size_t t = 0; t < print->trends->count; t++) {
		const struct history_trend *trend = &print->trends->trends[t];

		for (size_t c = 0; c < grid->column_count; c++)
			for (size_t i = 0; i < trend->count && grid->columns[c] == trend->cell; i++) {
				size_t at = trend->points[i]->run * grid->column_count + c;

				if (grid->points[at] && grid->points[at]->trials >= trend->points[i]->trials)
					continue;
				grid->points[at] = trend->points[i];
				grid->regimes[at] = trend->regime;
			}
	}
	return 0;
}

static bool run_has_any(const struct grid *grid, size_t run)
{
	for (size_t c = 0; c < grid->column_count; c++)
		if (grid->points[run * grid->column_count + c])
			return true;
	return false;
}

static void run_print(FILE *out, const struct history_print *print, const struct grid *grid, size_t at)
{
	const struct history_run *run = &print->view->runs[at];

	table_say(out, "%-20.20s  %-12.12s  %-10.10s  %-10.10s %6" PRIu64 "%c", run->started_utc, run->commit,
		  print->view->machines[run->machine].fingerprint, *run->suite ? run->suite : "-", run->trials, run->complete ? ' ' : '+');
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct history_point *point = grid->points[at * grid->column_count + c];
		char text[NUMBER_TEXT], both[NUMBER_TEXT + 24];

		if (point)
			snprintf(both, sizeof(both), "%s %s",
				 point->lost ? point->lost : value_text(text, point->is_time, history_headline(point)->median),
				 grid->regimes[at * grid->column_count + c]);
		table_say(out, " %16s", point ? both : "-");
	}
	putc('\n', out);
}

static void head_print(FILE *out, const struct history_print *print, const struct grid *grid)
{
	table_say(out, "%-20s  %-12s  %-10s  %-10s %6s ", "started", "commit", "machine", "suite", "trials");
	for (size_t c = 0; c < grid->column_count; c++) {
		char name[32];

		snprintf(name, sizeof(name), "cell %" PRId64, print->view->cells[grid->columns[c]].id);
		table_say(out, " %16s", name);
	}
	putc('\n', out);
}

static const struct history_point *column_point(const struct history_print *print, const struct grid *grid, size_t column)
{
	for (size_t r = print->view->run_count; r-- > 0;)
		if (grid->points[r * grid->column_count + column])
			return grid->points[r * grid->column_count + column];
	return NULL;
}

static void columns_explain(FILE *out, const struct history_print *print, const struct grid *grid)
{
	for (size_t c = 0; c < grid->column_count; c++) {
		const struct history_cell *cell = &print->view->cells[grid->columns[c]];
		const struct history_point *point = column_point(print, grid, c);
		char words[CELL_WORDS], metric[80];

		table_say(out, "cell %" PRId64 ": %s; %s\n", cell->id, history_cell_text(words, sizeof(words), cell),
			  point ? history_headline_text(metric, sizeof(metric), point) : "no value");
	}
	for (size_t i = 0, all = print->view->run_count * grid->column_count; i < all; i++)
		if (grid->points[i] && grid->points[i]->lost) {
			table_say(out, "in place of a p50, and slower than any: saturated: the backlog never ceased to grow;\n");
			table_say(out, "  not reached: less than 99 %% of the rate was; saturated?: one of the two\n");
			break;
		}
	if (grid->column_count < print->view->cell_count)
		table_say(out, "%zu more cells: --cell or --queue chooses, twopoint history cells lists them\n",
			  print->view->cell_count - grid->column_count);
}

static void machines_explain(FILE *out, const struct history_view *view)
{
	for (size_t i = 0; i < view->machine_count; i++) {
		const json_t *identity = view->machines[i].identity;
		const char *model = json_string_value(json_object_get(identity, "cpu_model")),
			   *hypervisor = json_string_value(json_object_get(identity, "hypervisor"));

		table_say(out, "machine %s: %.60s, %" JSON_INTEGER_FORMAT " CPUs%s%.20s\n", view->machines[i].fingerprint,
			  model ? model : "unknown CPU", json_integer_value(json_object_get(identity, "cpus")), hypervisor ? ", " : "",
			  hypervisor ? hypervisor : "");
	}
}

static void changes_print(FILE *out, const struct history_print *print)
{
	const struct history_trends *trends = print->trends;
	char text[1024], count[NUMBER_TEXT];

	for (size_t i = 0; i < trends->change_count; i++)
		table_say(out, "%s\n", history_change_text(text, sizeof(text), print, &trends->changes[i]));
	if (!trends->change_count)
		table_say(out, "no change of level among %s that were tested\n", number_of(count, trends->tests, "course"));
	if (trends->few)
		table_say(out, "not tested: %s with fewer than %d runs on one machine and in one regime\n",
			  number_of(count, trends->few, "course"), CHANGE_POINT_VALUES);
	if (trends->doubled)
		table_say(out, "left out: %s of runs that have another one, of more trials, in the same regime\n",
			  number_of(count, trends->doubled, "point"));
}

int history_print(FILE *out, const struct history_print *print)
{
	struct grid grid;
	int status = grid_make(&grid, print);
	bool cut = false;

	if (status)
		return status;
	head_print(out, print, &grid);
	for (size_t r = 0; r < print->view->run_count; r++) {
		if (print->chosen && !run_has_any(&grid, r))
			continue;
		run_print(out, print, &grid, r);
		cut = cut || !print->view->runs[r].complete;
	}
	putc('\n', out);
	if (cut)
		table_say(out, "+: the run did not come to its end\n");
	columns_explain(out, print, &grid);
	machines_explain(out, print->view);
	putc('\n', out);
	changes_print(out, print);
	table_say(out, "\nHistory: %s\n", print->path);
	grid_free(&grid);
	return 0;
}

void history_print_cells(FILE *out, const struct history_view *view)
{
	table_say(out, "%6s  %6s  cell\n", "number", "points");
	for (size_t i = 0; i < view->cell_count; i++) {
		char words[CELL_WORDS];

		table_say(out, "%6" PRId64 "  %6zu  %s\n", view->cells[i].id, view->cells[i].points,
			  history_cell_text(words, sizeof(words), &view->cells[i]));
	}
}
