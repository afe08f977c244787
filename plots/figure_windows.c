/* The reader's rate over time, in windows: stalls, two modes, warm-up. An area a cell, its trials one behind the other. */
#include "figure_fill.h"
#include "number.h"
#include "panels.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More rows, or more trials of one, nobody looks at. */
enum { ROWS_MOST = 8, TRIALS_MOST = 12 };

_Static_assert((int)ROWS_MOST <= (int)PANELS_MOST, "each has a panel");

static bool wanted(const struct summary_row *row)
{
	return row->windows.count > 0;
}

static double rate_per_s(const struct summary_row *row)
{
	return row->receiver_rate.known ? row->receiver_rate.median : NAN;
}

/* A row that is drawn. */
struct strip {
	const struct summary_row *row;
	char title[SHEET_TEXT];
	double high_per_s, end_ns;
	size_t trials;
};

struct windows_figure {
	struct panels panels;
	struct series series;
	struct strip strips[ROWS_MOST];
	size_t count, left_out, trials_left_out;
};

/* ---- which rows ---- */

static size_t unsteady(const struct summary_row *row)
{
	return row->windows.courses[WINDOWS_WARMING] + row->windows.courses[WINDOWS_SLOWING] + row->windows.courses[WINDOWS_UNSTEADY];
}

/* Those that have most to tell first: two modes, then trials that were not flat, then stalls. */
static int by_interest(const void *left, const void *right)
{
	const struct strip *a = left, *b = right;
	double stalled_a = (double)a->row->windows.stalls / (double)a->row->windows.count,
	       stalled_b = (double)b->row->windows.stalls / (double)b->row->windows.count;

	if (a->row->windows.modes.two != b->row->windows.modes.two)
		return b->row->windows.modes.two - a->row->windows.modes.two;
	if (unsteady(a->row) != unsteady(b->row))
		return unsteady(a->row) > unsteady(b->row) ? -1 : 1;
	if (stalled_a != stalled_b)
		return stalled_a > stalled_b ? -1 : 1;
	return (a->row->cell->index > b->row->cell->index) - (a->row->cell->index < b->row->cell->index);
}

static void strip_title(struct strip *strip, const struct panel *panel)
{
	char label[SHEET_TEXT];

	panels_label(label, panel, strip->row);
	snprintf(strip->title, sizeof(strip->title), "%.60s, batch %" PRIu64 "%s%.300s", label, strip->row->cell->batch,
		 panel->title[0] ? " | " : "", panel->title);
}

static int strips_choose(struct windows_figure *figure)
{
	struct strip *all;
	size_t rows = 0, n = 0;

	for (size_t p = 0; p < figure->panels.count; p++)
		rows += figure->panels.list[p].row_count;
	all = calloc(rows + 1, sizeof(*all));
	if (!all)
		return -ENOMEM;
	for (size_t p = 0; p < figure->panels.count; p++)
		for (size_t i = 0; i < figure->panels.list[p].row_count; i++) {
			bool seen = false; /* a floor stands in several panels */

			for (size_t k = 0; k < n && !seen; k++)
				seen = all[k].row == figure->panels.list[p].rows[i];
			if (seen)
				continue;
			all[n++].row = figure->panels.list[p].rows[i];
		}
	qsort(all, n, sizeof(*all), by_interest);
	figure->count = n < ROWS_MOST ? n : ROWS_MOST;
	figure->left_out = n - figure->count;
	memcpy(figure->strips, all, figure->count * sizeof(*all));
	free(all);
	return 0;
}

/* A panel each in place of what was shared: what a title says of a floor, or of a queue without bound, is of that cell alone. */
static int panels_part(struct windows_figure *figure)
{
	struct panels *panels = &figure->panels;
	enum panels_axis axis = panels->list[0].axis;

	while (panels->count)
		panels_remove(panels, panels->count - 1);
	for (size_t at = 0; at < figure->count; at++) {
		struct panel *panel = &panels->list[at];

		*panel = (struct panel){ .axis = axis, .first = figure->strips[at].row, .rows = malloc(sizeof(*panel->rows)) };
		panels->count++;
		if (!panel->rows)
			return -ENOMEM;
		panel->rows[panel->row_count++] = figure->strips[at].row;
	}
	return 0;
}

/* ---- lines and marks ---- */

static long look_add(struct windows_figure *figure, struct sheet *sheet, const struct summary *summary, size_t at, const char *label)
{
	return series_add(&figure->series, summary, at, figure->strips[at].row->cell, label, sheet->dumb);
}

/* What the legend says beside the rate. */
static int legend_add(struct windows_figure *figure, struct sheet *sheet, const struct summary *summary, size_t at)
{
	const struct summary_windows *windows = &figure->strips[at].row->windows;
	const double count = (double)windows->count;
	char label[SHEET_TEXT];
	long number = look_add(figure, sheet, summary, at, "rate at read, by window");

	snprintf(label, sizeof(label), "stalled: %zu of %zu", windows->stalls, windows->count);
	if (number > 0)
		number = look_add(figure, sheet, summary, at, label);
	for (int upper = 1; upper >= 0 && number > 0 && windows->modes.two; upper--) {
		char rate[NUMBER_TEXT];

		number_rate(rate, upper ? windows->modes.upper_per_s : windows->modes.lower_per_s);
		snprintf(label, sizeof(label), "mode: %s, %.0f %% of the time", rate,
			 100 * (double)(upper ? windows->modes.upper : windows->modes.lower) / count);
		number = look_add(figure, sheet, summary, at, label);
	}
	return number < 0 ? (int)number : 0;
}

/* "7 flat, 1 warming" into text; "" where none could be judged. */
static void courses_text(char text[SHEET_TEXT], const struct summary_windows *windows)
{
	size_t used = 0;

	text[0] = '\0';
	for (int course = WINDOWS_FLAT; course < WINDOWS_COURSES; course++)
		if (windows->courses[course])
			used += (size_t)snprintf(text + used, SHEET_TEXT - used, "%s%zu %s", used ? ", " : "", windows->courses[course],
						 windows_course_names[course]);
}

/* A trial's windows, behind those before it. */
static void trial_write(struct sheet *sheet, struct strip *strip, size_t at, const double *per_s, size_t n, double stall_per_s)
{
	double width_ns = strip->row->windows.width_ns;

	strip->trials++;
	for (size_t i = 0; i < n; i++) {
		fprintf(sheet->data, "%zu\t%.6g\t%.6g\t%.6g\t%d\t%zu\t", at + 1, strip->end_ns / 1e6, (strip->end_ns + width_ns) / 1e6,
			per_s[i], per_s[i] < stall_per_s, strip->trials);
		sheet_data_text(sheet, strip->row->cell->queue);
		fputc('\n', sheet->data);
		strip->end_ns += width_ns;
		strip->high_per_s = fmax(strip->high_per_s, per_s[i]);
	}
	fputc('\n', sheet->data); /* no line from one trial to the next */
}

static int strip_write(struct windows_figure *figure, struct sheet *sheet, size_t at)
{
	struct strip *strip = &figure->strips[at];
	double *per_s = NULL, stall_per_s;
	long n = 0;

	for (size_t t = 0; t < strip->row->trials && n >= 0; t++)
		n = windows_collect(&per_s, (size_t)n, strip->row->members[t], false);
	stall_per_s = n > 0 ? windows_stall_rate(per_s, (size_t)n) : 0;
	for (size_t t = 0; t < strip->row->trials && n >= 0; t++) {
		n = windows_collect(&per_s, 0, strip->row->members[t], false);
		if (n > 0 && strip->trials == TRIALS_MOST)
			figure->trials_left_out++;
		else if (n > 0)
			trial_write(sheet, strip, at, per_s, (size_t)n, stall_per_s);
	}
	free(per_s);
	return n < 0 || isnan(stall_per_s) ? -ENOMEM : 0;
}

/* ---- settings ---- */

static const char *const strip_arrays[] = { "strip_end", "strip_high", "strip_upper", "strip_lower", "strip_scale", "strip_first" };

static void strips_settle(const struct windows_figure *figure, struct sheet *sheet)
{
	size_t first = 1;

	for (size_t i = 0; i < sizeof(strip_arrays) / sizeof(strip_arrays[0]); i++)
		sheet_set_array(sheet, strip_arrays[i], figure->count);
	sheet_set_array(sheet, "strip_unit", figure->count);
	for (size_t at = 0; at < figure->count; at++) {
		const struct strip *strip = &figure->strips[at];
		const struct windows_modes *modes = &strip->row->windows.modes;
		double scale = strip->high_per_s < 1e6 ? 1e3 : 1e6;
		const double values[] = { strip->end_ns / 1e6, fmax(strip->high_per_s, 1) * 1.1 / scale,
					  modes->two ? modes->upper_per_s / scale : 0, modes->two ? modes->lower_per_s / scale : 0,
					  scale, (double)first };

		for (size_t i = 0; i < sizeof(strip_arrays) / sizeof(strip_arrays[0]); i++)
			sheet_set_element(sheet, strip_arrays[i], at + 1, values[i]);
		sheet_set_element_text(sheet, "strip_unit", at + 1, scale < 1e6 ? "thousand/s at read" : "million/s at read");
		first += modes->two ? 4 : 2;
	}
}

static void settings_write(struct windows_figure *figure, struct sheet *sheet)
{
	struct series_area areas[ROWS_MOST];

	for (size_t at = 0; at < figure->count; at++)
		areas[at] = (struct series_area){ figure->strips[at].title, 9, false };
	series_lay_out(&figure->series, areas, figure->count, sheet);
	strips_settle(figure, sheet);
}

static void notes_write(const struct windows_figure *figure, struct sheet *sheet)
{
	size_t judged = 0;

	sheet_note(sheet, "A step is a window of %.3g ms; trials stand one behind the other, in the order in which they were made, with "
			  "an upright between them. Stalled: a tenth or less of the rate that the median message met.",
		   figure->strips[0].row->windows.width_ns / 1e6);
	for (size_t at = 0; at < figure->count; at++)
		for (int course = WINDOWS_FLAT; course < WINDOWS_COURSES; course++)
			judged += figure->strips[at].row->windows.courses[course];
	if (!judged)
		sheet_note(sheet, "No trial has the %d windows that it takes to say whether it warmed up.", WINDOWS_LEAST);
	if (figure->trials_left_out)
		sheet_note(sheet, "Of a cell the first %d trials are drawn; %zu more count, and are judged.",
			   TRIALS_MOST, figure->trials_left_out);
	if (figure->left_out)
		sheet_note(sheet, "%zu cell%s more %s not drawn: those are that have two modes, change, or stall most. The "
				  "table has them all.",
			   figure->left_out, figure->left_out == 1 ? "" : "s", number_is(figure->left_out));
}

int figure_fill_windows(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_BATCH, .wanted = wanted, .value = rate_per_s,
						 .missing = "no trial counts that tells its messages by windows of time, or has enough "
							    "of them in each" };
	struct windows_figure figure = { 0 };
	int error = panels_make(&figure.panels, sheet, summary, &wish);

	if (error)
		goto done;
	error = strips_choose(&figure);
	if (!error)
		error = panels_part(&figure);
	if (error)
		goto done;
	panels_describe(&figure.panels, sheet, record, summary);
	fprintf(sheet->data, "panel\tbegin_ms\tend_ms\trate_per_s\tstalled\ttrial\tqueue\n");
	for (size_t at = 0; at < figure.count && !error; at++) {
		char courses[SHEET_TEXT];
		size_t used;

		strip_title(&figure.strips[at], &figure.panels.list[at]);
		used = strlen(figure.strips[at].title);
		courses_text(courses, &figure.strips[at].row->windows);
		if (courses[0])
			snprintf(figure.strips[at].title + used, SHEET_TEXT - used, " | trials: %.100s", courses);
		error = legend_add(&figure, sheet, summary, at);
		if (!error)
			error = strip_write(&figure, sheet, at);
	}
	if (error)
		goto done;
	settings_write(&figure, sheet);
	notes_write(&figure, sheet);
done:
	series_free(&figure.series);
	panels_free(&figure.panels);
	return error;
}
