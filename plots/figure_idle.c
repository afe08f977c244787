/* Latency of a message after a silence: what a queue's way of waiting costs whoever comes first. */
#include "chart.h"
#include "figure_fill.h"
#include "number.h"
#include <math.h>
#include <string.h>

static bool wanted(const struct summary_row *row)
{
	return row->cell->gap_ns && (panels_latency(row, "intended", "read") || panels_latency(row, "write", "read"));
}

static const struct summary_latency *latency(const struct summary_row *row)
{
	const struct summary_latency *found = panels_latency(row, "intended", "read");

	return found ? found : panels_latency(row, "write", "read");
}

static double p50_ns(const struct summary_row *row)
{
	return latency(row)->p50_ns.known ? latency(row)->p50_ns.median : NAN;
}

static struct chart_point p50(const struct summary_row *row)
{
	return chart_value_of((double)row->cell->gap_ns, &latency(row)->p50_ns);
}

static struct chart_point p99(const struct summary_row *row)
{
	return chart_value_of((double)row->cell->gap_ns, &latency(row)->p99_ns);
}

static bool knows_p99(const struct panel *panel)
{
	for (size_t i = 0; i < panel->row_count; i++)
		if (!isnan(p99(panel->rows[i]).y))
			return true;
	return false;
}

/* From when they count, and at which percentile. */
static const char *y_title(const struct panel *panel, bool p99)
{
	if (!strcmp(latency(panel->first)->from_point, "intended"))
		return p99 ? "due to read, p99" : "due to read, p50";
	return p99 ? "write to read, p99" : "write to read, p50";
}

static int panel_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel)
{
	int error;

	chart_begin_area(chart, panel->title, CHART_NS);
	chart->areas[chart->area_count - 1].y_title = y_title(panel, false);
	error = chart_add_panel(chart, sheet, summary, panel, p50);
	if (error || !knows_p99(panel))
		return error;
	chart_begin_area(chart, "the 99th percentile, lines as above", CHART_NS);
	chart->areas[chart->area_count - 1].y_title = y_title(panel, true);
	chart->areas[chart->area_count - 1].bare = true;
	return chart_add_panel(chart, sheet, summary, panel, p99);
}

/* ---- what is missing ---- */

static bool same_line_and_gap(const struct record_cell *a, const struct record_cell *b)
{
	return a->gap_ns == b->gap_ns && !strcmp(a->queue, b->queue) && !strcmp(a->wait, b->wait);
}

static bool is_drawn(const struct panels *panels, const struct record_cell *cell, bool at_p99)
{
	for (size_t p = 0; p < panels->count; p++)
		for (size_t i = 0; i < panels->list[p].row_count; i++) {
			const struct summary_row *row = panels->list[p].rows[i];

			if (same_line_and_gap(row->cell, cell) && !isnan(at_p99 ? p99(row).y : p50(row).y))
				return true;
		}
	return false;
}

/* The first row of its queue, way of waiting and gap. */
static bool leads(const struct summary *summary, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (same_line_and_gap(summary->rows[i].cell, summary->rows[at].cell))
			return false;
	return true;
}

/* Gaps that were measured and have no point: whoever sees none is to know that there should be one. */
static void missing_note(const struct panels *panels, struct sheet *sheet, const struct summary *summary)
{
	enum { NAMED = 8 };
	char text[SHEET_TEXT] = "", count[NUMBER_TEXT];
	size_t missing = 0, without_p99 = 0, used = 0;

	for (size_t i = 0; i < summary->row_count; i++) {
		const struct record_cell *cell = summary->rows[i].cell;
		const struct number_unit unit = number_time_unit((double)cell->gap_ns);

		if (!cell->gap_ns || !leads(summary, i))
			continue;
		if (is_drawn(panels, cell, false)) {
			without_p99 += !is_drawn(panels, cell, true);
			continue;
		}
		if (missing++ < NAMED)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%.20s, %.10s, %g %s", used ? "; " : "", cell->queue,
						 cell->wait, (double)cell->gap_ns / unit.scale, unit.name);
	}
	if (missing)
		sheet_note(sheet, "%s %s missing, because no trial counts, is of the regime that is drawn, keeps up with "
				  "its schedule, and has the messages that a median takes: %s%s.",
			   number_of(count, missing, "point"), number_is(missing), text, missing > NAMED ? "; and others" : "");
	if (without_p99)
		sheet_note(sheet, "%s without a 99th percentile: too few messages, or above the histogram's top.",
			   number_of(count, without_p99, "point"));
}

int figure_fill_idle(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_GAP, .wanted = wanted, .value = p50_ns,
						 .missing = "no trial counts in which messages come after silences (--load open "
							    "--arrival burst --burst 1 --gap 1us,100us,10ms)",
						 .takes_open = true };
	static const char *const y_titles[3] = { "", "", "" };
	struct chart chart = { .x_is_time = true, .colour_by_wait = true };
	char p99_text[NUMBER_TEXT];
	bool bursts = false;
	int error = panels_make(&chart.panels, sheet, summary, &wish);

	if (error)
		goto done;
	panels_describe(&chart.panels, sheet, record, summary);
	missing_note(&chart.panels, sheet, summary); /* before lines that are known are left out for their number */
	error = panels_choose(&chart.panels, sheet, p50_ns);
	ranges_start(&chart.ranges);
	fprintf(sheet->data, "series\tgap_ns\tlatency_ns\tlow_ns\thigh_ns\ttrials\tmessage_bytes\tbatch\tmean_batch_messages\tqueue\n");
	for (size_t p = 0; p < chart.panels.count && !error; p++) {
		bursts |= chart.panels.list[p].first->cell->burst > 1;
		error = panel_write(&chart, sheet, summary, &chart.panels.list[p]);
	}
	if (error)
		goto done;
	chart_finish(&chart, sheet, "time from one burst to the next", y_titles);
	sheet_note(sheet, "Colours are ways of waiting, shapes are queues. Where a line rises, whoever waits has gone to "
			  "sleep, or its cache has gone cold.");
	if (bursts)
		sheet_note(sheet, "Of a burst of several, each message counts: those behind the first wait for it as well.");
	if (summary->floor.known)
		sheet_note(sheet, "The machine alone makes an arrival at a random instant wait %s at the 99th percentile.",
			   number_time(p99_text, summary->floor.p99_ns));
done:
	chart_free(&chart);
	return error;
}
