/* Messages per second, all readers together, against the number of threads; and how even their shares are. */
#include "chart.h"
#include "figure_fill.h"
#include "number.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static const char *const workloads[] = { "fanin", "fanout", "mesh", "pipeline" };
enum { FANIN, FANOUT, MESH, PIPELINE, WORKLOADS };

static int workload_of(const struct summary_row *row)
{
	int workload = 0;

	while (workload < WORKLOADS && strcmp(row->cell->workload, workloads[workload]))
		workload++;
	return workload;
}

static bool is_lopsided(const struct summary_row *row)
{
	return workload_of(row) == MESH && row->cell->producers != row->cell->consumers;
}

static bool wanted(const struct summary_row *row)
{
	return workload_of(row) < WORKLOADS && !is_lopsided(row) && row->cell->prewrite && row->cell->preread;
}

/* N: what the workload has several of. */
static double number(const struct summary_row *row)
{
	switch (workload_of(row)) {
	case FANOUT:
		return (double)row->cell->consumers;
	case PIPELINE:
		return (double)row->cell->stages;
	default:
		return (double)row->cell->producers;
	}
}

static struct chart_point rate(const struct summary_row *row)
{
	return chart_value_of(number(row), &row->receiver_rate);
}

/* Of a mesh the worse of its two sides. */
static struct chart_point evenness(const struct summary_row *row)
{
	const struct summary_value *producers = &row->senders.jain, *consumers = &row->receivers.jain;
	struct chart_point point = { number(row), NAN, NAN, NAN };

	switch (workload_of(row)) {
	case FANIN:
		return chart_value_of(number(row), producers);
	case FANOUT:
		return chart_value_of(number(row), consumers);
	case MESH:
		if (!producers->known || !consumers->known)
			return point;
		return chart_value_of(number(row), producers->median < consumers->median ? producers : consumers);
	default:
		return point;
	}
}

static double cost(const struct summary_row *row)
{
	return -chart_reader_rate(row);
}

static bool is_crowded(const struct summary_row *row)
{
	const json_t *cpus = json_object_get(row->cell->json, "cpus");

	for (size_t i = 0; i < json_array_size(cpus); i++)
		for (size_t j = 0; j < i; j++)
			if (json_equal(json_array_get(cpus, i), json_array_get(cpus, j)))
				return true;
	return false;
}

/* From which N on threads share CPUs: what is seen there is the scheduler's work, too. */
static void crowds_note(const struct panels *panels, struct sheet *sheet)
{
	double least[WORKLOADS];
	char text[SHEET_TEXT] = "";

	for (int w = 0; w < WORKLOADS; w++)
		least[w] = INFINITY;
	for (size_t p = 0; p < panels->count; p++)
		for (size_t i = 0; i < panels->list[p].row_count; i++) {
			const struct summary_row *row = panels->list[p].rows[i];

			if (is_crowded(row))
				least[workload_of(row)] = fmin(least[workload_of(row)], number(row));
		}
	for (int w = 0; w < WORKLOADS; w++)
		if (!isinf(least[w]))
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s from N = %.0f on", text[0] ? ", " : "",
				 workloads[w], least[w]);
	if (text[0])
		sheet_note(sheet, "Threads share CPUs, so that the scheduler is measured, too: %s.", text);
}

/* The leanest stream from one core to another of the same place, size and regime; NULL: was not measured, or is no limit, for several move
 * messages at both ends. */
static const struct summary_row *limit_of(const struct summary *summary, const struct panel *panel)
{
	const struct summary_row *limit = NULL;

	for (size_t i = 0; i < summary->row_count && workload_of(panel->first) <= FANOUT; i++) {
		const struct summary_row *row = &summary->rows[i];

		if (summary_is_floor(row->cell) && !strncmp(record_cell_queue(row->cell), "stream-", 7) && row->receiver_rate.known &&
		    row->receiver_rate.median > 0 && !strcmp(row->cell->workload, "stream") && !strcmp(row->regime, panel->first->regime) &&
		    row->cell->message_bytes == panel->first->cell->message_bytes && !strcmp(row->cell->place, panel->first->cell->place) &&
		    (!limit || row->receiver_rate.median > limit->receiver_rate.median))
			limit = row;
	}
	return limit;
}

/* The panel's numbers, and where there is one alone some room beside it. */
static void numbers_span(const struct panel *panel, double *low, double *high)
{
	*low = INFINITY;
	*high = 0;
	for (size_t i = 0; i < panel->row_count; i++) {
		*low = fmin(*low, number(panel->rows[i]));
		*high = fmax(*high, number(panel->rows[i]));
	}
	if (*low == *high) {
		*low /= 1.2;
		*high *= 1.2;
	}
}

static int limit_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel)
{
	const struct summary_row *limit = limit_of(summary, panel);
	double low, high;
	char label[SHEET_TEXT];

	if (!limit)
		return 0;
	numbers_span(panel, &low, &high);
	snprintf(label, sizeof(label), "%.20s, 1 to 1 (floor)", limit->cell->queue);
	return chart_add_curve(chart, sheet, summary, limit->cell, label, limit->receiver_rate.median, 0, low, high) < 0 ? -ENOMEM : 0;
}

/* The rates of a panel, and below them how even they are, where that was measured. Returns 0 or -ENOMEM. */
static int panel_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
		       size_t *uneven)
{
	static const char *const titles[] = { "Evenness among the producers, lines as above; dotted: 1/N, one moves all",
					      "Evenness among the consumers, lines as above; dotted: 1/N, one moves all",
					      "Evenness among producers or consumers, lines as above; dotted: 1/N, one moves all" };
	static const char *const x_titles[] = { "N: producers", "N: consumers", "N: producers, and as many consumers", "N: stages" };
	int workload = workload_of(panel->first), error;
	double low, high;
	bool told = false;

	chart_begin_area(chart, panel->title, CHART_PER_S);
	chart->areas[chart->area_count - 1].x_title = x_titles[workload];
	error = chart_add_panel(chart, sheet, summary, panel, rate);
	if (!error)
		error = limit_write(chart, sheet, summary, panel);
	for (size_t i = 0; i < panel->row_count; i++)
		told |= !isnan(evenness(panel->rows[i]).y);
	if (error || !told)
		return error;
	chart_begin_area(chart, titles[workload], CHART_SHARE);
	chart->areas[chart->area_count - 1].bare = true;
	chart->areas[chart->area_count - 1].x_title = x_titles[workload];
	(*uneven)++;
	error = chart_add_panel(chart, sheet, summary, panel, evenness);
	numbers_span(panel, &low, &high);
	if (!error && chart_add_curve(chart, sheet, summary, NULL, "1/N", 0, 1, low, high) < 0)
		error = -ENOMEM;
	return error;
}

static void notes_write(const struct chart *chart, struct sheet *sheet, const struct summary *summary, size_t uneven)
{
	size_t lopsided = 0;
	char count[NUMBER_TEXT];
	bool limited = false;

	for (size_t i = 0; i < summary->row_count; i++)
		lopsided += is_lopsided(&summary->rows[i]);
	sheet_note(sheet, "Rates are sums over all readers; of a queue that gives each reader each message, each copy counts.");
	if (uneven)
		sheet_note(sheet, "Jain's index of the threads' rates: 1 where all are equal, 1/N where one has moved all; of a "
				  "mesh the lower one of its two sides.");
	for (size_t p = 0; p < chart->panels.count; p++)
		limited |= limit_of(summary, &chart->panels.list[p]) != NULL;
	sheet_note(sheet, limited ? "The floor is the leanest stream from one core to another: a single reader, or a single producer, "
				    "can hardly move more."
				  : "No floor is drawn: none can be measured under these workloads, and the record has no stream-limit "
				    "or stream-near of a stream of this size, placement and regime.");
	crowds_note(&chart->panels, sheet);
	if (lopsided)
		sheet_note(sheet, "%s of a mesh with more on one side than on the other %s not drawn.",
			   number_of(count, lopsided, "setting"), number_is(lopsided));
	if (chart->x_count <= 1)
		sheet_note(sheet, "One number was measured: a curve needs two (--producers 1,2,4).");
}

int figure_fill_fan(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_ACTORS, .wanted = wanted, .value = chart_reader_rate,
						 .missing = "no trial of fanin, fanout, mesh or pipeline counts that has a reader's rate" };
	static const char *const y_titles[3] = { "", "messages/s at read, all readers", "Jain's index" };
	struct chart chart = { 0 };
	size_t uneven = 0;
	int error = panels_make(&chart.panels, sheet, summary, &wish);

	if (error)
		goto done;
	panels_describe(&chart.panels, sheet, record, summary);
	error = panels_choose(&chart.panels, sheet, cost);
	ranges_start(&chart.ranges);
	fprintf(sheet->data, "series\tnumber\trate_per_s_or_jain\tlow\thigh\ttrials\tmessage_bytes\tbatch\t"
			     "mean_batch_messages\tqueue\n");
	for (size_t p = 0; p < chart.panels.count && !error; p++)
		error = panel_write(&chart, sheet, summary, &chart.panels.list[p], &uneven);
	if (error)
		goto done;
	chart_finish(&chart, sheet, "", y_titles);
	notes_write(&chart, sheet, summary, uneven);
done:
	chart_free(&chart);
	return error;
}
