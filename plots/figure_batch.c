/* Nanoseconds per message at the reader against batch size. */
#include "figure_fill.h"
#include "panels.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A ping-pong's rate is its round trip over again. */
static bool wanted(const struct summary_row *row)
{
	return strcmp(row->cell->workload, "pingpong") && row->receiver_rate.known && row->receiver_rate.median > 0;
}

struct batch_figure {
	struct panels panels;
	struct series series;
	struct ranges ranges;
	double panel_first[PANELS_MOST], panel_last[PANELS_MOST], panel_batches[PANELS_MOST];
	double *single; /* an element a series: it has one batch size */
	double *batch;  /* all sizes of the figure, ascending */
	size_t batch_count;
};

static void batch_note(double *batch, size_t *count, uint64_t value)
{
	size_t at = 0;

	while (at < *count && batch[at] < (double)value)
		at++;
	if (at < *count && batch[at] == (double)value)
		return;
	memmove(batch + at + 1, batch + at, (*count - at) * sizeof(*batch));
	batch[at] = (double)value;
	(*count)++;
}

static int by_batch(const void *left, const void *right)
{
	const struct summary_row *const *a = left, *const *b = right;
	uint64_t x = (*a)->cell->batch, y = (*b)->cell->batch;

	return (x > y) - (x < y);
}

static void row_write(struct batch_figure *figure, struct sheet *sheet, size_t panel, long series,
		      const struct summary_row *row)
{
	const struct summary_value *rate = &row->receiver_rate;
	double ns = 1e9 / rate->median, low = NAN, high = NAN;

	if (rate->interval.known && rate->interval.low > 0) {
		low = 1e9 / rate->interval.high;
		high = 1e9 / rate->interval.low;
		ranges_add(&figure->ranges, panel, (double)row->cell->batch, low);
		ranges_add(&figure->ranges, panel, (double)row->cell->batch, high);
	}
	ranges_add(&figure->ranges, panel, (double)row->cell->batch, ns);
	fprintf(sheet->data, "%ld\t%" PRIu64 "\t%.6g\t%.6g\t%.6g\t%zu\t%" PRIu64 "\t%.6g\t", series, row->cell->batch,
		ns, low, high, row->trials, row->cell->message_bytes,
		row->mean_batch.known ? row->mean_batch.median : NAN);
	sheet_data_text(sheet, row->cell->queue);
	fputc('\n', sheet->data);
}

/* One series: the rows of a panel that belong to the one of its row `at`. Returns 0 or -ENOMEM. */
static int series_write(struct batch_figure *figure, struct sheet *sheet, const struct summary *summary, size_t p,
			size_t at)
{
	const struct panel *panel = &figure->panels.list[p];
	const struct summary_row **rows = malloc(panel->row_count * sizeof(*rows));
	char label[SHEET_TEXT];
	size_t count = 0;
	long number = -ENOMEM;
	double *grown;

	panels_label(label, panel, panel->rows[at]);
	for (size_t i = 0; rows && i < panel->row_count; i++) {
		if (!panels_same_series(panel->rows[i], panel->rows[at]))
			continue;
		if (i < at)
			goto done; /* written with that one */
		rows[count++] = panel->rows[i];
	}
	grown = realloc(figure->single, (figure->series.count + 1) * sizeof(*grown));
	if (grown) {
		figure->single = grown;
		grown[figure->series.count] = count == 1;
	}
	if (rows && grown)
		number = series_add(&figure->series, summary, p, panel->rows[at]->cell, label, sheet->dumb);
	if (number < 0) {
		free(rows);
		return (int)number;
	}
	qsort(rows, count, sizeof(*rows), by_batch);
	for (size_t i = 0; i < count; i++)
		row_write(figure, sheet, p, number, rows[i]);
done:
	free(rows);
	return 0;
}

static int panel_write(struct batch_figure *figure, struct sheet *sheet, const struct summary *summary, size_t p)
{
	const struct panel *panel = &figure->panels.list[p];
	double *batch = calloc(panel->row_count + 1, sizeof(*batch));
	size_t count = 0;
	int error = batch ? 0 : -ENOMEM;

	figure->panel_first[p] = (double)figure->series.count + 1;
	for (size_t i = 0; i < panel->row_count && !error; i++) {
		batch_note(batch, &count, panel->rows[i]->cell->batch);
		batch_note(figure->batch, &figure->batch_count, panel->rows[i]->cell->batch);
		error = series_write(figure, sheet, summary, p, i);
	}
	figure->panel_last[p] = (double)figure->series.count;
	figure->panel_batches[p] = (double)count;
	free(batch);
	return error;
}

static void settings_write(struct batch_figure *figure, struct sheet *sheet)
{
	double most = 0;
	bool points = false;

	for (size_t p = 0; p < figure->panels.count; p++) {
		/* One axis for all panels, so that they can be compared. */
		figure->ranges.x_low[p] = figure->batch[0] / 1.5;
		figure->ranges.x_high[p] = figure->batch[figure->batch_count - 1] * 1.5;
		most = fmax(most, figure->panel_batches[p]);
	}
	ranges_write(&figure->ranges, figure->panels.count, sheet);
	series_lay_out(&figure->series, &figure->panels, sheet);
	sheet_set_numbers(sheet, "series_single", figure->single, figure->series.count);
	sheet_set_numbers(sheet, "panel_first", figure->panel_first, figure->panels.count);
	sheet_set_numbers(sheet, "panel_last", figure->panel_last, figure->panels.count);
	sheet_set_numbers(sheet, "panel_batches", figure->panel_batches, figure->panels.count);
	sheet_set_number(sheet, "batch_count", (double)figure->batch_count);
	sheet_set_numbers(sheet, "batch", figure->batch, figure->batch_count);
	sheet_note(sheet, "Bars: 95 %% intervals of the median over trials; none where a point has fewer than 6 "
			  "trials.");
	for (size_t i = 0; i < figure->series.count; i++)
		points |= figure->single[i] > 0;
	if (most > 1 && points)
		sheet_note(sheet, "A point with a dotted line: measured at that batch size only, as queues that do not "
				  "batch are.");
	if (most <= 1)
		sheet_note(sheet, "One batch size was measured: a curve needs two.");
}

static bool has_batches(const struct panel *panel)
{
	for (size_t i = 1; i < panel->row_count; i++)
		if (panel->rows[i]->cell->batch != panel->rows[0]->cell->batch)
			return true;
	return false;
}

/* Where one setting has a curve, those with points only are left out. */
static void single_panels_remove(struct batch_figure *figure, struct sheet *sheet)
{
	struct panels *panels = &figure->panels;
	size_t with = 0, all = panels->count;

	for (size_t p = 0; p < all; p++)
		with += has_batches(&panels->list[p]) ? 1 : 0;
	if (!with || with == all)
		return;
	for (size_t p = all; p-- > 0;)
		if (!has_batches(&panels->list[p]))
			panels_remove(panels, p);
	sheet_note(sheet, "%zu settings that were measured at one batch size only are left out.", all - with);
}

int figure_fill_batch(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	struct batch_figure figure = { 0 };
	int error;

	error = panels_make(&figure.panels, sheet, summary, wanted, "no trial counts that has a reader's rate");
	if (error)
		return error;
	single_panels_remove(&figure, sheet);
	panels_describe(&figure.panels, sheet, record, summary);
	ranges_start(&figure.ranges);
	figure.batch = calloc(summary->row_count + 1, sizeof(*figure.batch));
	error = figure.batch ? 0 : -ENOMEM;
	fprintf(sheet->data, "series\tbatch_messages\ttime_per_message_ns\tlow_ns\thigh_ns\ttrials\tmessage_"
			     "bytes\tmean_batch_messages\tqueue\n");
	for (size_t p = 0; p < figure.panels.count && !error; p++)
		error = panel_write(&figure, sheet, summary, p);
	if (!error)
		settings_write(&figure, sheet);
	free(figure.single);
	free(figure.batch);
	series_free(&figure.series);
	panels_free(&figure.panels);
	return error;
}
