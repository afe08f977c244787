/* The courses of cells over the runs of a history. */
#include "change_point.h"
#include "chart.h"
#include "figure_fill.h"
#include "number.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { AREAS_MOST = 12, LINES_MOST = 10, NAME_BYTES = 64 };

/* An area: one machine, one regime, times or rates. */
struct area {
	const struct history_trend *first;
	const struct history_trend *lines[LINES_MOST];
	size_t count;
	char title[SHEET_TEXT];
};

struct history_figure {
	const struct history_print *history;
	struct area areas[AREAS_MOST];
	size_t area_count, left_out, lost, lost_courses; /* lost: points without a p50, of courses that are drawn */
	size_t *places;    /* of each run: its place along the axis from 1 on; 0: it is not drawn */
	const char **names; /* of these places */
	char (*name_texts)[NAME_BYTES];
	size_t place_count;
	struct summary summary; /* a row each point, with the cell that its line is drawn as */
	struct record_cell *cells;
	char (*queues)[SHEET_LABEL * 2];
	struct chart chart;
};

static bool same_area(const struct history_trend *a, const struct history_trend *b)
{
	return a->machine == b->machine && !strcmp(a->regime, b->regime) && a->regime_ns == b->regime_ns &&
	       a->points[0]->is_time == b->points[0]->is_time;
}

static size_t changes_of(const struct history_trends *trends, const struct history_trend *trend)
{
	size_t count = 0;

	for (size_t i = 0; i < trends->change_count; i++)
		count += &trends->trends[trends->changes[i].trend] == trend;
	return count;
}

/* Into the area that is its own, or a new one. */
static void trend_file(struct history_figure *figure, const struct history_trend *trend)
{
	size_t at = 0;

	while (at < figure->area_count && !same_area(figure->areas[at].first, trend))
		at++;
	if (at == AREAS_MOST || (at < figure->area_count && figure->areas[at].count == LINES_MOST)) {
		figure->left_out++;
		return;
	}
	if (at == figure->area_count)
		figure->areas[figure->area_count++] = (struct area){ .first = trend };
	figure->areas[at].lines[figure->areas[at].count++] = trend;
}

/* Those that change come first, then the longest: where there is no room for all, they are what is to be seen. */
static int by_interest(const void *left, const void *right, void *argument)
{
	const struct history_trends *trends = argument;
	const struct history_trend *a = *(const struct history_trend *const *)left, *b = *(const struct history_trend *const *)right;
	size_t a_changes = changes_of(trends, a), b_changes = changes_of(trends, b);

	if (!a_changes != !b_changes)
		return a_changes ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return (a > b) - (a < b);
}

/* Points that have lost their p50 have no place on its axis. */
static size_t lost_of(const struct history_trend *trend)
{
	size_t lost = 0;

	for (size_t i = 0; i < trend->count; i++)
		lost += trend->points[i]->lost != NULL;
	return lost;
}

static int trends_file(struct history_figure *figure)
{
	const struct history_trends *trends = figure->history->trends;
	const struct history_trend **order = calloc(trends->count + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < trends->count; i++)
		order[i] = &trends->trends[i];
	qsort_r(order, trends->count, sizeof(*order), by_interest, (void *)trends);
	for (size_t i = 0; i < trends->count; i++) {
		size_t lost = lost_of(order[i]);

		if (lost == order[i]->count) {
			figure->lost_courses++;
			continue;
		}
		trend_file(figure, order[i]);
		figure->lost += lost;
	}
	free(order);
	return 0;
}

/* Runs of which something is drawn, named by their commits. */
static int places_make(struct history_figure *figure)
{
	const struct history_view *view = figure->history->view;

	figure->places = calloc(view->run_count + 1, sizeof(*figure->places));
	figure->names = calloc(view->run_count + 1, sizeof(*figure->names));
	figure->name_texts = calloc(view->run_count + 1, sizeof(*figure->name_texts));
	if (!figure->places || !figure->names || !figure->name_texts)
		return -ENOMEM;
	for (size_t a = 0; a < figure->area_count; a++)
		for (size_t l = 0; l < figure->areas[a].count; l++)
			for (size_t i = 0; i < figure->areas[a].lines[l]->count; i++)
				figure->places[figure->areas[a].lines[l]->points[i]->run] = 1;
	for (size_t r = 0; r < view->run_count; r++) {
		char commit[16];

		if (!figure->places[r])
			continue;
		snprintf(commit, sizeof(commit), "%.8s", view->runs[r].commit);
		sheet_clean(figure->name_texts[figure->place_count], NAME_BYTES, commit, 8);
		figure->names[figure->place_count] = figure->name_texts[figure->place_count];
		figure->places[r] = ++figure->place_count;
	}
	return 0;
}

static void label_make(char label[SHEET_LABEL * 2], const struct history_cell *cell)
{
	const char *workload = json_string_value(json_object_get(cell->parameters, "workload"));
	const json_t *batch = json_object_get(cell->parameters, "batch"), *bytes = json_object_get(cell->parameters, "message_bytes"),
		     *capacity = json_object_get(cell->parameters, "capacity");
	int length = snprintf(label, SHEET_LABEL * 2, "%" PRId64 ": %.20s %.10s b=%" JSON_INTEGER_FORMAT " %" JSON_INTEGER_FORMAT " B",
			      cell->id, cell->queue, workload ? workload : "?", json_integer_value(batch), json_integer_value(bytes));

	if (json_integer_value(capacity) > 0 && length < SHEET_LABEL * 2) /* one without bound has none */
		snprintf(label + length, SHEET_LABEL * 2 - (size_t)length, " c=%" JSON_INTEGER_FORMAT, json_integer_value(capacity));
}

/* A row of a summary for each point of a line, so that it is drawn as any other. */
static void rows_make(struct history_figure *figure, const struct history_trend *trend)
{
	const struct history_cell *cell = &figure->history->view->cells[trend->cell];
	char *queue = figure->queues[figure->summary.row_count];

	label_make(queue, cell);
	for (size_t i = 0; i < trend->count; i++) {
		const struct history_value *value = history_headline(trend->points[i]);
		struct record_cell *drawn = &figure->cells[figure->summary.row_count];
		struct summary_row *row = &figure->summary.rows[figure->summary.row_count++];

		*drawn = (struct record_cell){
			.queue = queue, .own_queue = cell->queue, .wait = "", .index = figure->places[trend->points[i]->run]
		};
		drawn->batch = (uint64_t)json_integer_value(json_object_get(cell->parameters, "batch"));
		drawn->message_bytes = (uint64_t)json_integer_value(json_object_get(cell->parameters, "message_bytes"));
		row->cell = drawn;
		row->trials = trend->points[i]->trials;
		row->receiver_rate = (struct summary_value){ .known = value->known, .median = value->median, .interval = value->interval };
	}
}

static int summary_fill(struct history_figure *figure)
{
	size_t points = 0;

	for (size_t a = 0; a < figure->area_count; a++)
		for (size_t l = 0; l < figure->areas[a].count; l++)
			points += figure->areas[a].lines[l]->count;
	figure->summary.rows = calloc(points + 1, sizeof(*figure->summary.rows));
	figure->cells = calloc(points + 1, sizeof(*figure->cells));
	figure->queues = calloc(points + 1, sizeof(*figure->queues));
	if (!figure->summary.rows || !figure->cells || !figure->queues)
		return -ENOMEM;
	for (size_t a = 0; a < figure->area_count; a++)
		for (size_t l = 0; l < figure->areas[a].count; l++)
			rows_make(figure, figure->areas[a].lines[l]);
	return 0;
}

static struct chart_point value(const struct summary_row *row)
{
	return chart_value_of((double)row->cell->index, &row->receiver_rate);
}

static void title_make(struct history_figure *figure, struct area *area)
{
	const struct history_machine *machine = &figure->history->view->machines[area->first->machine];
	const char *model = json_string_value(json_object_get(machine->identity, "cpu_model"));
	char text[SHEET_TEXT];

	snprintf(text, sizeof(text), "machine %.20s (%.60s), line %s%s, %s", machine->fingerprint, model ? model : "unknown CPU",
		 area->first->regime_ns > 0 ? "" : "not measured: ", area->first->regime,
		 area->first->points[0]->is_time ? "median latency" : "rate at read");
	sheet_clean(area->title, SHEET_TEXT, text, PANELS_TITLE);
}

static void marks_add(struct history_figure *figure, const struct area *area)
{
	const struct history_print *history = figure->history;

	for (size_t i = 0; i < history->trends->change_count; i++) {
		const struct history_change *change = &history->trends->changes[i];
		const struct history_trend *trend = &history->trends->trends[change->trend];
		char text[64], share[NUMBER_TEXT];

		for (size_t l = 0; l < area->count; l++)
			if (area->lines[l] == trend) {
				snprintf(text, sizeof(text), "%" PRId64 ": %s, %s", history->view->cells[trend->cell].id,
					 change->slower ? "slower" : "faster", history_change_share_text(share, trend, change));
				chart_add_mark(&figure->chart, (double)figure->places[trend->points[change->at]->run] - 0.5, text);
			}
	}
}

static int areas_draw(struct history_figure *figure, struct sheet *sheet)
{
	size_t row = 0;

	for (size_t a = 0; a < figure->area_count; a++) {
		struct area *area = &figure->areas[a];

		title_make(figure, area);
		chart_begin_area(&figure->chart, area->title, area->first->points[0]->is_time ? CHART_NS : CHART_PER_S);
		for (size_t l = 0; l < area->count; l++) {
			const struct history_trend *trend = area->lines[l];
			const struct summary_row **rows = calloc(trend->count + 1, sizeof(*rows));
			long number = rows ? 0 : -ENOMEM;

			for (size_t i = 0; rows && i < trend->count; i++)
				rows[i] = &figure->summary.rows[row + i];
			if (rows) {
				char label[SHEET_TEXT];

				sheet_clean(label, sizeof(label), rows[0]->cell->queue, 2 * SHEET_LABEL);
				number = chart_add_line(&figure->chart, sheet, &figure->summary, rows[0]->cell, label, rows, trend->count,
							value);
			}
			free(rows);
			if (number < 0)
				return (int)number;
			row += trend->count;
		}
		marks_add(figure, area);
	}
	return 0;
}

static void notes_write(struct history_figure *figure, struct sheet *sheet)
{
	const struct history_print *history = figure->history;
	const struct history_trends *trends = history->trends;
	char text[1024], clean[1024], count[NUMBER_TEXT];

	for (size_t i = 0; i < trends->change_count; i++) {
		history_change_text(text, sizeof(text), history, &trends->changes[i]);
		sheet_clean(clean, sizeof(clean), text, sizeof(clean));
		sheet_note(sheet, "%s.", clean);
	}
	if (!trends->change_count)
		sheet_note(sheet, "No change of level among %s that were tested (Pettitt, by permutation; Holm over all).",
			   number_of(count, trends->tests, "course"));
	if (trends->few)
		sheet_note(sheet, "Not tested: %s of fewer than %d runs.", number_of(count, trends->few, "course"), CHANGE_POINT_VALUES);
	if (figure->lost)
		sheet_note(sheet, "Not drawn: %s of runs in which the load was saturated or not reached, so that there is no p50.",
			   number_of(count, figure->lost, "point"));
	if (figure->lost_courses)
		sheet_note(sheet, "Not drawn: %s whose load was saturated or not reached in each run.",
			   number_of(count, figure->lost_courses, "course"));
	if (figure->left_out)
		sheet_note(sheet, "%s %s not drawn, for want of room: --cell or --queue chooses.",
			   number_of(count, figure->left_out, "course"), number_is(figure->left_out));
	sheet_note(sheet,
		   "Each area is of one machine, in one regime of its line; a run has a point wherever it has trials of that regime.");
}

int figure_fill_history(struct sheet *sheet, const struct history_print *history)
{
	static const char *const y_titles[3] = { "p50", "messages per second", "" };
	struct history_figure *figure = calloc(1, sizeof(*figure));
	char first[SHEET_TEXT], last[SHEET_TEXT];
	int error = figure ? 0 : -ENOMEM;

	if (!history->trends->count) {
		free(figure);
		return sheet_complain(sheet, "the history has no value of a cell that is asked for");
	}
	if (!error) {
		figure->history = history;
		error = trends_file(figure);
	}
	if (!error && !figure->area_count)
		error = sheet_complain(sheet, "in each run that has the cells, their load was saturated or not reached: there is no p50");
	if (!error)
		error = places_make(figure);
	if (!error)
		error = summary_fill(figure);
	if (!error) {
		const struct history_view *view = history->view;
		size_t from = 0, to = view->run_count - 1;

		while (!figure->places[from])
			from++;
		while (!figure->places[to])
			to--;
		sheet_clean(first, sizeof(first), view->runs[from].started_utc, SHEET_LABEL);
		sheet_clean(last, sizeof(last), view->runs[to].started_utc, SHEET_LABEL);
		sheet_head(sheet, "%zu runs, from %s to %s", figure->place_count, first, last);
		ranges_start(&figure->chart.ranges);
		figure->chart.x_is_linear = true;
		figure->chart.x_names = figure->names;
		figure->chart.x_name_count = figure->place_count;
		fprintf(sheet->data, "series\trun\tvalue\tlow\thigh\ttrials\tmessage_bytes\tbatch\tunused\tcell\n");
		error = areas_draw(figure, sheet);
	}
	if (!error) {
		chart_finish(&figure->chart, sheet, "runs in the order of their start, by commit", y_titles);
		notes_write(figure, sheet);
	}
	if (figure) {
		chart_free(&figure->chart);
		free(figure->places);
		free(figure->names);
		free(figure->name_texts);
		free(figure->summary.rows);
		free(figure->cells);
		free(figure->queues);
	}
	free(figure);
	return error;
}
