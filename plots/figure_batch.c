/* Nanoseconds per message at the reader against batch size. */
#include "chart.h"
#include "figure_fill.h"
#include "number.h"
#include <string.h>

/* A ping-pong's rate is its round trip over again; what a queue does without its batches is the ablation's. */
static bool wanted(const struct summary_row *row)
{
	return strcmp(row->cell->workload, "pingpong") && row->cell->prewrite && row->cell->preread;
}

static struct chart_point value(const struct summary_row *row)
{
	return chart_time_of_rate((double)row->cell->batch, &row->receiver_rate);
}

static bool has_batches(const struct panel *panel)
{
	for (size_t i = 0; i < panel->row_count; i++)
		for (size_t j = 0; j < i; j++)
			if (!summary_is_floor(panel->rows[i]->cell) && panel->rows[i]->cell->batch != panel->rows[j]->cell->batch &&
			    !strcmp(panel->rows[i]->cell->queue, panel->rows[j]->cell->queue))
				return true;
	return false;
}

/* Where one setting has a curve, those with points only are left out. */
static void single_panels_remove(struct panels *panels, struct sheet *sheet)
{
	size_t with = 0, all = panels->count;
	char count[NUMBER_TEXT];

	for (size_t p = 0; p < all; p++)
		with += has_batches(&panels->list[p]) ? 1 : 0;
	if (!with || with == all)
		return;
	for (size_t p = all; p-- > 0;)
		if (!has_batches(&panels->list[p]))
			panels_remove(panels, p);
	sheet_note(sheet, "%s in which no queue was measured at two batch sizes %s left out.",
		   number_of(count, all - with, "setting"), number_is(all - with));
}

int figure_fill_batch(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_BATCH, .wanted = wanted, .value = chart_reader_rate,
						 .missing = "no trial counts that has a reader's rate" };
	static const char *const y_titles[3] = { "time per message at read", "", "" };
	struct chart chart = { .reaches = true };
	int error = panels_make(&chart.panels, sheet, summary, &wish);

	if (error)
		goto done;
	single_panels_remove(&chart.panels, sheet);
	panels_describe(&chart.panels, sheet, record, summary);
	error = panels_choose(&chart.panels, sheet, chart_reader_ns);
	ranges_start(&chart.ranges);
	fprintf(sheet->data, "series\tbatch_messages\ttime_per_message_ns\tlow_ns\thigh_ns\ttrials\tmessage_bytes\t"
			     "batch\tmean_batch_messages\tqueue\n");
	for (size_t p = 0; p < chart.panels.count && !error; p++) {
		chart_begin_area(&chart, chart.panels.list[p].title, CHART_NS);
		error = chart_add_panel(&chart, sheet, summary, &chart.panels.list[p], value);
	}
	if (error)
		goto done;
	chart_finish(&chart, sheet, "batch size, messages staged before a flush", y_titles);
	if (chart.x_count <= 1)
		sheet_note(sheet, "One batch size was measured: a curve needs two.");
done:
	chart_free(&chart);
	return error;
}
