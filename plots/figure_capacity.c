/* Messages per second at the reader against the capacity: rankings turn with it. */
#include "chart.h"
#include "figure_fill.h"
#include "number.h"
#include <math.h>
#include <string.h>

static struct chart_point rate_value(const struct summary_row *row)
{
	return chart_value_of(chart_capacity(row), &row->receiver_rate);
}

static struct chart_point trip_value(const struct summary_row *row)
{
	return chart_value_of(chart_capacity(row), chart_round_trip(row));
}

static bool has_capacities(const struct panel *panel)
{
	for (size_t i = 0; i < panel->row_count; i++)
		for (size_t j = 0; j < i; j++)
			if (!summary_is_floor(panel->rows[i]->cell) && !summary_is_floor(panel->rows[j]->cell) &&
			    !strcmp(panel->rows[i]->cell->queue, panel->rows[j]->cell->queue) &&
			    chart_capacity(panel->rows[i]) != chart_capacity(panel->rows[j]))
				return true;
	return false;
}

/* A figure along the capacity is one of settings that were measured at several. */
static int panels_collect(struct panels *panels, struct sheet *sheet, const struct summary *summary)
{
	static const struct panels_wish wishes[] = {
		{ .axis = PANELS_BY_CAPACITY, .wanted = chart_has_rate, .value = chart_reader_rate, .missing = "" },
		{ .axis = PANELS_BY_CAPACITY, .wanted = chart_has_trip, .value = chart_trip_ns, .missing = "" },
	};
	char count[NUMBER_TEXT];
	size_t left_out = 0;

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++) {
		int error = panels_make(panels, sheet, summary, &wishes[i]);

		if (error < 0)
			return error;
	}
	for (size_t p = panels->count; p-- > 0;)
		if (!has_capacities(&panels->list[p])) {
			panels_remove(panels, p);
			left_out++;
		}
	if (!panels->count)
		return panels_complain(panels, sheet, "no queue was measured at two capacities (--capacity 64,1024,16384)");
	if (left_out)
		sheet_note(sheet, "%s in which no queue was measured at two capacities %s left out.",
			   number_of(count, left_out, "setting"), number_is(left_out));
	return 0;
}

static bool has_unbounded(const struct panels *panels)
{
	for (size_t p = 0; p < panels->count; p++)
		for (size_t i = 0; i < panels->list[p].row_count; i++)
			if (!panels->list[p].rows[i]->cell->capacity && !summary_is_floor(panels->list[p].rows[i]->cell))
				return true;
	return false;
}

/* A floor has a capacity of its own: it is a line over all that were measured. */
static int floor_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
		       const struct summary_row *row, chart_value value)
{
	const struct chart_area *area = &chart->areas[chart->area_count - 1];
	struct chart_point point = value(row);
	char label[SHEET_TEXT];
	long number;

	if (isnan(point.y) || !area->places)
		return 0;
	panels_label(label, panel, row);
	number = chart_add_curve(chart, sheet, summary, row->cell, label, point.y, 0, area->x[0],
				 area->x[area->places - 1]);
	return number < 0 ? (int)number : 0;
}

static int panel_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel)
{
	bool trip = !strcmp(panel->first->cell->workload, "pingpong");
	struct panel queues = *panel; /* floors are last in it */
	int error;

	chart_begin_area(chart, panel->title, trip ? CHART_NS : CHART_PER_S);
	queues.row_count = 0;
	while (queues.row_count < panel->row_count && !summary_is_floor(panel->rows[queues.row_count]->cell))
		queues.row_count++;
	error = chart_add_panel(chart, sheet, summary, &queues, trip ? trip_value : rate_value);
	for (size_t i = queues.row_count; i < panel->row_count && !error; i++)
		error = floor_write(chart, sheet, summary, panel, panel->rows[i], trip ? trip_value : rate_value);
	return error;
}

int figure_fill_capacity(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const char *const y_titles[3] = { "round trip, p50", "messages per second at read", "" };
	struct chart chart = { 0 };
	int error = panels_collect(&chart.panels, sheet, summary);

	if (error)
		goto done;
	panels_describe(&chart.panels, sheet, record, summary);
	error = panels_choose(&chart.panels, sheet, chart_reader_ns);
	ranges_start(&chart.ranges);
	fprintf(sheet->data, "series\tcapacity_messages\trate_per_s_or_p50_ns\tlow\thigh\ttrials\tmessage_bytes\t"
			     "batch\tmean_batch_messages\tqueue\n");
	for (size_t p = 0; p < chart.panels.count && !error; p++)
		error = panel_write(&chart, sheet, summary, &chart.panels.list[p]);
	if (error)
		goto done;
	chart_finish(&chart, sheet, "capacity, messages", y_titles);
	if (has_unbounded(&chart.panels))
		sheet_note(sheet, "A queue without bound stands at its window: the most messages that may be in it.");
done:
	chart_free(&chart);
	return error;
}
