/* What makes a message cheap: {mutex, lock-free} × {message by message, in batches}, and of one queue
 * {prewrite on, off} × {preread on, off}. */
#include "chart.h"
#include "figure_fill.h"
#include "fit.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char locked[] = "mutex", locked_batched[] = "mutex-batch";
static const char *const lock_free[] = { "ypipe", "ring" };
enum { LOCK_FREE = 2 };

/* ---- which rows ---- */

static bool is_queue(const struct summary_row *row, const char *queue)
{
	return strcmp(row->cell->queue, queue) == 0;
}

static bool streams(const struct summary_row *row)
{
	return strcmp(row->cell->workload, "pingpong") != 0;
}

static bool square_wanted(const struct summary_row *row)
{
	bool wanted = is_queue(row, locked) || is_queue(row, locked_batched) || summary_is_floor(row->cell);

	for (size_t i = 0; i < LOCK_FREE; i++)
		wanted |= is_queue(row, lock_free[i]);
	return wanted && streams(row) && row->cell->prewrite && row->cell->preread;
}

static bool switches_wanted(const struct summary_row *row)
{
	return streams(row) && !summary_is_floor(row->cell);
}

static bool is_batched(const struct summary_row *row)
{
	return is_queue(row, locked_batched) || is_queue(row, lock_free[0]) || is_queue(row, lock_free[1]);
}

static bool has_square(const struct panel *panel)
{
	for (size_t i = 0; i < panel->row_count; i++)
		for (size_t j = 0; j < i; j++)
			if (is_batched(panel->rows[i]) && is_queue(panel->rows[j], panel->rows[i]->cell->queue) &&
			    panel->rows[i]->cell->batch != panel->rows[j]->cell->batch)
				return true;
	return false;
}

static bool has_switches(const struct panel *panel)
{
	for (size_t i = 0; i < panel->row_count; i++)
		if (!panel->rows[i]->cell->prewrite || !panel->rows[i]->cell->preread)
			return true;
	return false;
}

static int panels_collect(struct panels *panels, struct sheet *sheet, const struct summary *summary)
{
	static const struct panels_wish square = { .axis = PANELS_BY_BATCH, .wanted = square_wanted, .value = chart_reader_rate,
						   .missing = "" };
	static const struct panels_wish switches = { .axis = PANELS_BY_SWITCHES, .wanted = switches_wanted, .value = chart_reader_rate,
						     .missing = "" };
	const struct panels_wish *const wishes[] = { &square, &switches };

	for (size_t i = 0; i < 2; i++) {
		size_t from = panels->count, full = panels->left_out;
		int error = panels_make(panels, sheet, summary, wishes[i]);

		if (error < 0)
			return error;
		for (size_t p = panels->count; p-- > from;)
			if (!(i ? has_switches(&panels->list[p]) : has_square(&panels->list[p])))
				panels_remove(panels, p);
		/* a panel that had no room might have been one of those taken out: not counted where there is room now */
		if (panels->count < PANELS_MOST)
			panels->left_out = full;
	}
	if (!panels->count)
		return sheet_complain(sheet,
				      "neither %s, %s nor %s was measured at two batches (--batch 1,10,100), nor any queue "
				      "with --prewrite or --preread off",
				      locked_batched, lock_free[0], lock_free[1]);
	return 0;
}

/* ---- the square ---- */

static struct chart_point value(const struct summary_row *row)
{
	return chart_time_of_rate((double)row->cell->batch, &row->receiver_rate);
}

static int by_batch(const void *left, const void *right)
{
	const struct summary_row *const *a = left, *const *b = right;
	uint64_t x = (*a)->cell->batch, y = (*b)->cell->batch;

	return (x > y) - (x < y);
}

/* The panel's rows of a queue, by batch; several windows of one without bound: those of the first. */
static size_t rows_of(const struct panel *panel, const char *queue, const struct summary_row **rows)
{
	size_t count = 0;

	for (size_t i = 0; i < panel->row_count; i++)
		if (is_queue(panel->rows[i], queue) && (!count || panels_same_series(panel, rows[0], panel->rows[i])))
			rows[count++] = panel->rows[i];
	qsort(rows, count, sizeof(*rows), by_batch);
	return count;
}

/* Three digits, and no power of ten. */
static void number_text(char text[32], double value)
{
	snprintf(text, 32, fabs(value) < 999.5 ? "%.3g" : "%.0f", value);
}

/* A queue's points, and the curve through them where they tell one. */
static int batched_write(struct chart *chart, struct sheet *sheet, const struct summary *summary,
			 const struct summary_row **rows, size_t count)
{
	const struct record_cell *cell = rows[0]->cell;
	double *batch = calloc(2 * count, sizeof(*batch)), *ns = batch + count;
	char label[SHEET_TEXT], a[32], c[32];
	struct fit fit;
	long number;

	if (!batch)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		batch[i] = (double)rows[i]->cell->batch;
		ns[i] = chart_reader_ns(rows[i]);
	}
	snprintf(label, sizeof(label), "%s, in batches", cell->queue);
	number = chart_add_line(chart, sheet, summary, cell, label, rows, count, value);
	if (number > 0 && fit_inverse(&fit, batch, ns, count)) {
		chart->joined[number - 1] = 0;
		number_text(a, fit.a);
		number_text(c, fabs(fit.c));
		snprintf(label, sizeof(label), "  %s %s %s/b ns, R² %.3f", a, fit.c < 0 ? "-" : "+", c, fit.r_squared);
		number = chart_add_curve(chart, sheet, summary, cell, label, fit.a, fit.c, batch[0], batch[count - 1]);
	}
	free(batch);
	return number < 0 ? (int)number : 0;
}

/* A queue at batch 1: its value reaches over all batches. */
static int single_write(struct chart *chart, struct sheet *sheet, const struct summary *summary,
			const struct summary_row *row)
{
	char label[SHEET_TEXT];
	long number;

	snprintf(label, sizeof(label), "%s, per message", row->cell->queue);
	number = chart_add_line(chart, sheet, summary, row->cell, label, &row, 1, value);
	return number < 0 ? (int)number : 0;
}

/* What a bound of 1 / rate is, if that is known of all. */
static void bounds_take(const struct summary_row *row, double *low, double *high)
{
	struct chart_point point = value(row);

	*low = point.low;
	*high = point.high;
}

/* From which batch on the batched mutex takes less time than the lock-free queue does at batch 1. */
static void overtaking_write(struct chart *chart, struct sheet *sheet, const struct summary_row *const *rows,
			     size_t count, const struct summary_row *rival)
{
	double *batch = calloc(4 * count, sizeof(*batch)), *ns = batch + count, *low = ns + count, *high = low + count;
	double at, earliest, latest, rival_low, rival_high;
	char text[64], range[96] = "";
	const char *title = chart->areas[chart->area_count - 1].title;

	if (!batch)
		return; /* no words is what is lost */
	for (size_t i = 0; i < count; i++) {
		batch[i] = (double)rows[i]->cell->batch;
		ns[i] = chart_reader_ns(rows[i]);
		bounds_take(rows[i], &low[i], &high[i]);
	}
	bounds_take(rival, &rival_low, &rival_high);
	at = fit_crossing(batch, ns, count, chart_reader_ns(rival));
	earliest = fit_crossing(batch, low, count, rival_high);
	latest = fit_crossing(batch, high, count, rival_low);
	if (isfinite(earliest) && isinf(latest))
		snprintf(range, sizeof(range), " (intervals: %.3g to beyond this range)", earliest);
	else if (isfinite(earliest) && isfinite(latest))
		snprintf(range, sizeof(range), " (intervals: %.3g to %.3g)", earliest, latest);
	if (isinf(at)) {
		sheet_note(sheet, "%s%s%s overtaking %s at batch 1: not reached in this range, up to batch %.0f%s.", title,
			   title[0] ? ": " : "", locked_batched, rival->cell->queue, batch[count - 1], range);
	} else if (at <= batch[0]) {
		sheet_note(sheet, "%s%s%s is faster than %s at batch 1 from the smallest batch on, b = %.0f%s.", title,
			   title[0] ? ": " : "", locked_batched, rival->cell->queue, batch[0], range);
	} else {
		snprintf(text, sizeof(text), "b* = %.3g: %s", at, rival->cell->queue);
		chart_add_mark(chart, at, text);
		sheet_note(sheet, "%s%s%s overtakes %s at batch 1 from batch b* = %.3g on%s.", title, title[0] ? ": " : "",
			   locked_batched, rival->cell->queue, at, range);
	}
	free(batch);
}

static const struct summary_row *row_at_batch_1(const struct panel *panel, const char *queue)
{
	for (size_t i = 0; i < panel->row_count; i++)
		if (is_queue(panel->rows[i], queue) && panel->rows[i]->cell->batch == 1)
			return panel->rows[i];
	return NULL;
}

static int floors_write(struct chart *chart, struct sheet *sheet, const struct summary *summary,
			const struct panel *panel)
{
	struct panel floors = *panel;
	int error;

	floors.rows = calloc(panel->row_count + 1, sizeof(*floors.rows));
	floors.row_count = 0;
	if (!floors.rows)
		return -ENOMEM;
	for (size_t i = 0; i < panel->row_count; i++)
		if (summary_is_floor(panel->rows[i]->cell))
			floors.rows[floors.row_count++] = panel->rows[i];
	error = chart_add_panel(chart, sheet, summary, &floors, value);
	free(floors.rows);
	return error;
}

static int square_write(struct chart *chart, struct sheet *sheet, const struct summary *summary,
			const struct panel *panel)
{
	const char *const batched[] = { locked_batched, lock_free[0], lock_free[1] };
	const char *const singles[] = { locked, lock_free[0], lock_free[1] };
	const struct summary_row **rows = calloc(panel->row_count + 1, sizeof(*rows));
	int error = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < 3 && !error; i++) {
		const struct summary_row *single = row_at_batch_1(panel, singles[i]);
		size_t count;

		if (single)
			error = single_write(chart, sheet, summary, single);
		count = rows_of(panel, batched[i], rows);
		if (count && !error)
			error = batched_write(chart, sheet, summary, rows, count);
	}
	if (!error)
		error = floors_write(chart, sheet, summary, panel);
	for (size_t i = 0; i < LOCK_FREE && !error; i++) {
		const struct summary_row *rival = row_at_batch_1(panel, lock_free[i]);
		size_t count = rows_of(panel, locked_batched, rows);

		if (rival && count)
			overtaking_write(chart, sheet, rows, count, rival);
	}
	free(rows);
	return error;
}

/* ---- the switches ---- */

/* Colours and shapes that tell the four apart; blue for both, as a queue in use has them. */
static void switches_look(struct chart *chart, bool dumb, long number, bool prewrite, bool preread)
{
	static const double colours[] = { 0xd55e00, 0xe69f00, 0x009e73, 0x0072b2 }, shapes[] = { 6, 4, 8, 12 };
	size_t at = (size_t)number - 1, look = (prewrite ? 2u : 0u) + (preread ? 1u : 0u);

	chart->series.colour[at] = colours[look];
	chart->series.dash[at] = (double)(4 - look);
	if (!dumb)
		chart->series.shape[at] = shapes[look];
}

/* At batch 1 there is nothing that prewrite could gather: on and off are the same, and measured as on. */
static bool switches_belong(const struct summary_row *row, const struct summary_row *lead, bool prewrite, bool preread)
{
	bool writes = row->cell->prewrite;

	return row->cell->window == lead->cell->window && row->cell->preread == preread &&
	       (writes == prewrite || (writes && row->cell->batch == 1));
}

static int switches_write(struct chart *chart, struct sheet *sheet, const struct summary *summary,
			  const struct panel *panel)
{
	const struct summary_row **rows = calloc(panel->row_count + 1, sizeof(*rows));
	long number = rows ? 0 : -ENOMEM;

	for (int look = 3; look >= 0 && number >= 0; look--) {
		bool prewrite = look & 2, preread = look & 1, own = false;
		char label[SHEET_TEXT];
		size_t count = 0;

		for (size_t i = 0; i < panel->row_count; i++)
			if (switches_belong(panel->rows[i], panel->rows[0], prewrite, preread)) {
				rows[count++] = panel->rows[i];
				own |= panel->rows[i]->cell->prewrite == prewrite;
			}
		if (!own)
			continue;
		snprintf(label, sizeof(label), "prewrite %s, preread %s", prewrite ? "on" : "off", preread ? "on" : "off");
		number = chart_add_line(chart, sheet, summary, rows[0]->cell, label, rows, count, value);
		if (number > 0)
			switches_look(chart, sheet->dumb, number, prewrite, preread);
	}
	free(rows);
	return number < 0 ? (int)number : 0;
}

/* ---- */

static void notes_write(const struct chart *chart, struct sheet *sheet)
{
	bool switches = false, fitted = false;

	for (size_t p = 0; p < chart->panels.count; p++)
		switches |= chart->panels.list[p].axis == PANELS_BY_SWITCHES;
	for (size_t s = 0; s < chart->series.count; s++)
		fitted |= chart->pointed[s] <= 0;
	if (fitted)
		sheet_note(sheet, "Curves: t = a + c/b, least squares of the medians' relative errors (weights 1/t²), as are "
				  "R²; from three batches on. a: what each message costs, c: what each batch does.");
	if (chart->mark_count)
		sheet_note(sheet, "b*: between the two measured batches where the medians cross for good, by a line in 1/b.");
	if (switches)
		sheet_note(sheet, "prewrite off: each message is flushed by itself; preread off: one read a preread. At batch "
				  "1 prewrite has nothing to gather: its lines share that point.");
}

int figure_fill_ablation(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const char *const y_titles[3] = { "time per message at read", "", "" };
	struct chart chart = { .reaches = true };
	int error = panels_collect(&chart.panels, sheet, summary);

	if (error)
		goto done;
	panels_describe(&chart.panels, sheet, record, summary);
	ranges_start(&chart.ranges);
	fprintf(sheet->data, "series\tbatch_messages\ttime_per_message_ns\tlow_ns\thigh_ns\ttrials\tmessage_bytes\t"
			     "batch\tmean_batch_messages\tqueue\n");
	for (size_t p = 0; p < chart.panels.count && !error; p++) {
		const struct panel *panel = &chart.panels.list[p];

		chart_begin_area(&chart, panel->title, CHART_NS);
		error = panel->axis == PANELS_BY_BATCH ? square_write(&chart, sheet, summary, panel) :
							 switches_write(&chart, sheet, summary, panel);
	}
	if (error)
		goto done;
	chart_finish(&chart, sheet, "batch size b, messages staged before a flush", y_titles);
	notes_write(&chart, sheet);
done:
	chart_free(&chart);
	return error;
}
