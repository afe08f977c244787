/* Latency against the offered rate, a panel a queue: flat while the queue keeps up, steep where it hardly does. */
#include "figure_fill.h"
#include "number.h"
#include "panels.h"
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a panel, in the legend's order. */
enum line { P50, P99, P99_9, MEAN, MODEL, MACHINE, SATURATED, MISSED, LINES };

enum { MODEL_STEPS = 80 };

/* How far into saturation a model with a pole there is drawn. */
static const double MODEL_MOST = 0.99;

static const struct {
	const char *label;
	double colour, dash, width, shape;
} looks[LINES] = {
	[P50] = { "p50", 0x0072b2, 1, 2, 6 },
	[P99] = { "p99", 0xd55e00, 1, 2, 4 },
	[P99_9] = { "p99.9", 0xcc79a7, 1, 2, 8 },
	[MEAN] = { "mean", 0x009e73, 2, 1.5, 10 },
	[MODEL] = { "", 0x000000, 3, 1.8, 0 },
	[MACHINE] = { "machine's stalls, p99 (floor)", 0x777777, 4, 1.5, 0 },
	[MISSED] = { "top edge: rate not reached", 0xb00000, 0, 2, 6 },
	[SATURATED] = { "top edge: saturated", 0xb00000, 0, 2, 2 },
};

/* A rate that each block measured anew; NAN: it is not known. */
struct spread {
	double per_s, low_per_s, high_per_s; /* low to high: the middle half of the trials */
};

struct load_figure {
	struct panels panels;
	struct series series;
	struct ranges ranges;
	double first[PANELS_MOST]; /* each panel's first series */
	double last_line[PANELS_MOST]; /* and its last one that is a line; behind it are marks */
	double scale[PANELS_MOST];
	struct spread capacity[PANELS_MOST];
	size_t panel;              /* the one that is written */
	size_t saturated, unreached, partly;
	bool bars_missing, other_arrivals, without_capacity;
};

/* ---- what a row tells ---- */

static double offered_per_s(const struct summary_row *row)
{
	return row->open.offered_per_s.known ? row->open.offered_per_s.median : NAN;
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double trial_offered(const struct record_trial *trial)
{
	return trial->open.offered_per_s;
}

static double trial_capacity(const struct record_trial *trial)
{
	return trial->open.capacity_per_s;
}

/* Where the middle half of the rows' trials lies. Unknown where memory is short: it is drawn only. */
static void spread_fill(struct spread *spread, const struct summary_row *const *rows, size_t count,
			double (*of)(const struct record_trial *))
{
	double *values = NULL;
	size_t n = 0, trials = 0;

	for (size_t i = 0; i < count; i++)
		trials += rows[i]->trials;
	values = malloc((trials + 1) * sizeof(*values));
	for (size_t i = 0; values && i < count; i++)
		for (size_t t = 0; t < rows[i]->trials; t++)
			if (of(rows[i]->members[t]) > 0)
				values[n++] = of(rows[i]->members[t]);
	if (n) {
		qsort(values, n, sizeof(*values), by_value);
		spread->low_per_s = values[(n - 1) / 4];
		spread->high_per_s = values[n - 1 - (n - 1) / 4];
	}
	free(values);
}

/* Where a share of the capacity was offered, trials differ by what their blocks' capacities were. */
static struct spread offered_spread(const struct summary_row *row)
{
	struct spread spread = { offered_per_s(row), NAN, NAN };

	spread_fill(&spread, &row, 1, trial_offered);
	return spread;
}

/* Of all rows the greatest median, beyond which nothing was kept up with. */
static struct spread capacity_spread(const struct panel *panel)
{
	struct spread spread = { NAN, NAN, NAN };

	for (size_t i = 0; i < panel->row_count; i++) {
		const struct summary_value *capacity = &panel->rows[i]->open.capacity_per_s;

		if (capacity->known && capacity->median > 0)
			spread.per_s = isnan(spread.per_s) ? capacity->median : fmax(spread.per_s, capacity->median);
	}
	spread_fill(&spread, panel->rows, panel->row_count, trial_capacity);
	return spread;
}

/* What is not has no percentile that would stay the same if it were measured for longer. */
static bool is_stationary(const struct summary_row *row)
{
	return !row->saturated && !row->missed;
}

/* The response, be the cell saturated or not. */
static const struct summary_latency *response(const struct summary_row *row)
{
	for (size_t i = 0; i < row->latency_count; i++)
		if (!strcmp(row->latency[i].from_point, "intended") && !strcmp(row->latency[i].to_point, "read"))
			return &row->latency[i];
	return NULL;
}

static bool wanted(const struct summary_row *row)
{
	return row->trials && !strcmp(row->cell->load, "open") && !row->cell->gap_ns && response(row) && offered_per_s(row) > 0;
}

/* ---- lines ---- */

static long line_begin(struct load_figure *figure, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
		       enum line line, const char *label)
{
	struct series *series = &figure->series;
	long number = series_add(series, summary, figure->panel, panel->first->cell, label, sheet->dumb);

	if (number < 0)
		return number;
	series->colour[number - 1] = looks[line].colour;
	series->dash[number - 1] = looks[line].dash;
	series->width[number - 1] = looks[line].width;
	if (!sheet->dumb)
		series->shape[number - 1] = looks[line].shape;
	return number;
}

struct load_point {
	struct spread offered;
	double ns, low_ns, high_ns; /* NAN: not known */
	const struct summary_row *row; /* NULL: nobody measured it */
};

static void point_write(struct load_figure *figure, struct sheet *sheet, long series, enum line line, const struct load_point *point)
{
	double scale = figure->scale[figure->panel], x = point->offered.per_s / scale;
	bool interval = point->low_ns > 0;

	if (!(point->ns > 0)) /* it has a place along the axis, and parts the line that it is of */
		figure->ranges.x_high[figure->panel] = fmax(figure->ranges.x_high[figure->panel], x);
	else
		ranges_add(&figure->ranges, figure->panel, x, point->ns);
	if (interval) {
		ranges_add(&figure->ranges, figure->panel, x, point->low_ns);
		ranges_add(&figure->ranges, figure->panel, x, point->high_ns);
	}
	fprintf(sheet->data, "%ld\t%.6g\t%.6g\t%.6g\t%.6g\t%d\t%zu\t%.9g\t%.6g\t%.6g\t", series, x, point->ns,
		interval ? point->low_ns : NAN, interval ? point->high_ns : NAN, line, point->row ? point->row->trials : 0,
		point->offered.per_s, point->offered.low_per_s / scale, point->offered.high_per_s / scale);
	sheet_data_text(sheet, point->row ? point->row->cell->queue : line == MODEL ? "model" : "machine");
	fputc('\n', sheet->data);
}

/* One that nobody measured. */
static void drawn_point_write(struct load_figure *figure, struct sheet *sheet, long series, enum line line, double per_s, double ns)
{
	const struct load_point point = { { per_s, NAN, NAN }, ns, NAN, NAN, NULL };

	point_write(figure, sheet, series, line, &point);
}

static const struct summary_value *value_of(const struct summary_latency *latency, enum line line)
{
	return line == P50 ? &latency->p50_ns : line == P99 ? &latency->p99_ns : line == P99_9 ? &latency->p99_9_ns : &latency->mean_ns;
}

static int by_offer(const void *left, const void *right)
{
	double a = offered_per_s(*(const struct summary_row *const *)left), b = offered_per_s(*(const struct summary_row *const *)right);

	return (a > b) - (a < b);
}

static bool is_known(const struct summary_row *row, enum line line)
{
	const struct summary_value *value = value_of(response(row), line);

	return is_stationary(row) && value->known && value->median > 0;
}

static bool any_known(const struct panel *panel, enum line line)
{
	for (size_t i = 0; i < panel->row_count; i++)
		if (is_known(panel->rows[i], line))
			return true;
	return false;
}

static int measured_write(struct load_figure *figure, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
			  enum line line)
{
	long number;

	if (line != P50 && !any_known(panel, line)) /* the p50's points are drawn to, be they known or not */
		return 0;
	number = line_begin(figure, sheet, summary, panel, line, looks[line].label);
	for (size_t i = 0; i < panel->row_count && number > 0; i++) {
		const struct summary_row *row = panel->rows[i];
		const struct summary_value *value = value_of(response(row), line);
		bool known = is_known(row, line);
		bool interval = known && value->interval.known && value->interval.low > 0;
		const struct load_point point = { offered_spread(row), known ? value->median : NAN, interval ? value->interval.low : NAN,
						  interval ? value->interval.high : NAN, row };

		figure->bars_missing |= known && !interval;
		point_write(figure, sheet, number, line, &point);
	}
	return number < 0 ? (int)number : 0;
}

/* Marks at the top for what is not stationary, of one kind. Returns how many, or -ENOMEM. */
static long marks_write(struct load_figure *figure, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
			enum line line)
{
	long number = 0, marks = 0;

	for (size_t i = 0; i < panel->row_count && number >= 0; i++) {
		const struct summary_row *row = panel->rows[i];
		const struct load_point point = { offered_spread(row), NAN, NAN, NAN, row };

		if (is_stationary(row) || row->saturated != (line == SATURATED))
			continue;
		if (!number)
			number = line_begin(figure, sheet, summary, panel, line, looks[line].label);
		if (number > 0)
			point_write(figure, sheet, number, line, &point);
		marks++;
	}
	return number < 0 ? number : marks;
}

/* They stand last in the legend. */
static int not_stationary_write(struct load_figure *figure, struct sheet *sheet, const struct summary *summary, const struct panel *panel)
{
	long unreached = marks_write(figure, sheet, summary, panel, MISSED), saturated;

	if (unreached < 0)
		return (int)unreached;
	saturated = marks_write(figure, sheet, summary, panel, SATURATED);
	if (saturated < 0)
		return (int)saturated;
	figure->unreached += (size_t)unreached;
	figure->saturated += (size_t)saturated;
	for (size_t i = 0; i < panel->row_count; i++)
		figure->partly += is_stationary(panel->rows[i]) && panel->rows[i]->open.saturated + panel->rows[i]->open.missed > 0;
	return 0;
}

/* Messages that arrive at random, at a server that takes the same time for each (M/D/1): the mean response is s + ρ s / (2 (1 − ρ)). s is what
 * the capacity says and nothing else of the measurement is in it. */
static int model_write(struct load_figure *figure, struct sheet *sheet, const struct summary *summary, const struct panel *panel)
{
	double most_per_s = figure->capacity[figure->panel].per_s, low = offered_per_s(panel->rows[0]), service_ns;
	char label[SHEET_TEXT], service[NUMBER_TEXT];
	long number;

	figure->without_capacity |= !(most_per_s > 0);
	if (!(most_per_s > 0) || low >= MODEL_MOST * most_per_s)
		return 0;
	figure->other_arrivals |= !panel->first->cell->arrival || strcmp(panel->first->cell->arrival, "poisson");
	service_ns = 1e9 / most_per_s;
	snprintf(label, sizeof(label), "model M/D/1, mean, s = %s", number_time(service, service_ns));
	number = line_begin(figure, sheet, summary, panel, MODEL, label);
	for (int step = 0; step <= MODEL_STEPS && number > 0; step++) {
		double load = low / most_per_s + (MODEL_MOST - low / most_per_s) * step / MODEL_STEPS;

		drawn_point_write(figure, sheet, number, MODEL, load * most_per_s, service_ns + load * service_ns / (2 * (1 - load)));
	}
	return number < 0 ? (int)number : 0;
}

static int machine_write(struct load_figure *figure, struct sheet *sheet, const struct summary *summary, const struct panel *panel)
{
	double model = figure->ranges.x_high[figure->panel] * figure->scale[figure->panel];
	double high = fmax(model, offered_per_s(panel->rows[panel->row_count - 1]));
	long number;

	if (!summary->floor.known || !(summary->floor.p99_ns > 0))
		return 0;
	number = line_begin(figure, sheet, summary, panel, MACHINE, looks[MACHINE].label);
	for (int end = 0; end < 2 && number > 0; end++)
		drawn_point_write(figure, sheet, number, MACHINE, end ? high : 0, summary->floor.p99_ns);
	return number < 0 ? (int)number : 0;
}

static int panel_write(struct load_figure *figure, struct sheet *sheet, const struct summary *summary, const struct panel *panel)
{
	int error = 0;

	qsort(panel->rows, panel->row_count, sizeof(*panel->rows), by_offer);
	figure->scale[figure->panel] = offered_per_s(panel->rows[panel->row_count - 1]) < 1e6 ? 1e3 : 1e6;
	figure->first[figure->panel] = (double)figure->series.count + 1;
	figure->capacity[figure->panel] = capacity_spread(panel);
	if (figure->capacity[figure->panel].per_s > 0)
		figure->ranges.x_high[figure->panel] = figure->capacity[figure->panel].per_s / figure->scale[figure->panel];
	for (enum line line = P50; line <= MEAN && !error; line++)
		error = measured_write(figure, sheet, summary, panel, line);
	if (!error)
		error = model_write(figure, sheet, summary, panel);
	if (!error)
		error = machine_write(figure, sheet, summary, panel);
	figure->last_line[figure->panel] = (double)figure->series.count;
	if (!error)
		error = not_stationary_write(figure, sheet, summary, panel);
	return error;
}

/* ---- settings ---- */

/* One y axis for all, so that queues can be compared. */
static void axes_settle(struct load_figure *figure)
{
	struct ranges *ranges = &figure->ranges;
	double low = DBL_MAX, high = 0;

	for (size_t p = 0; p < figure->panels.count; p++) {
		low = fmin(low, ranges->y_low[p]);
		high = fmax(high, ranges->y_high[p]);
	}
	for (size_t p = 0; p < figure->panels.count; p++) {
		ranges->y_low[p] = high > 0 ? low : 1; /* all are saturated */
		ranges->y_high[p] = high > 0 ? high : 1000;
		ranges->x_low[p] = 0;
		ranges->x_high[p] *= 1.05;
	}
}

/* Along the axes; 0: not known. */
static void capacities_write(const struct load_figure *figure, struct sheet *sheet)
{
	char text[NUMBER_TEXT], label[SHEET_TEXT];

	sheet_set_array(sheet, "capacity", figure->panels.count);
	sheet_set_array(sheet, "capacity_low", figure->panels.count);
	sheet_set_array(sheet, "capacity_high", figure->panels.count);
	sheet_set_array(sheet, "capacity_text", figure->panels.count);
	for (size_t p = 0; p < figure->panels.count; p++) {
		const struct spread *capacity = &figure->capacity[p];
		bool known = capacity->per_s > 0;

		snprintf(label, sizeof(label), "capacity, %s", known ? number_rate(text, capacity->per_s) : "not known");
		sheet_set_element(sheet, "capacity", p + 1, known ? capacity->per_s / figure->scale[p] : 0);
		sheet_set_element(sheet, "capacity_low", p + 1, known ? capacity->low_per_s / figure->scale[p] : 0);
		sheet_set_element(sheet, "capacity_high", p + 1, known ? capacity->high_per_s / figure->scale[p] : 0);
		sheet_set_element_text(sheet, "capacity_text", p + 1, label);
	}
}

static void settings_write(struct load_figure *figure, struct sheet *sheet)
{
	struct series_area areas[PANELS_MOST];
	size_t count = figure->panels.count;

	axes_settle(figure);
	for (size_t p = 0; p < count; p++)
		areas[p] = (struct series_area){ figure->panels.list[p].title, 20, false }; /* more than its legend takes */
	ranges_write(&figure->ranges, count, sheet);
	series_lay_out(&figure->series, areas, count, sheet);
	sheet_set_numbers(sheet, "panel_first", figure->first, count);
	sheet_set_numbers(sheet, "panel_last_line", figure->last_line, count);
	sheet_set_array(sheet, "panel_last", count);
	capacities_write(figure, sheet);
	sheet_set_array(sheet, "panel_x_title", count);
	for (size_t p = 0; p < count; p++) {
		sheet_set_element(sheet, "panel_last", p + 1, p + 1 < count ? figure->first[p + 1] - 1 : (double)figure->series.count);
		sheet_set_element_text(sheet, "panel_x_title", p + 1,
				       figure->scale[p] < 1e6 ? "offered rate, thousand messages/s" : "offered rate, million messages/s");
	}
}

static void notes_write(const struct load_figure *figure, struct sheet *sheet)
{
	char count[NUMBER_TEXT];

	sheet_note(sheet, "Latency counts from the instant at which a message was due, whenever it was written. Bars: 95 %% intervals of "
			  "the median over trials%s",
		   figure->bars_missing ? "; none where a point has fewer than 6 trials." : ".");
	sheet_note(sheet, "Model: the mean response of a server that takes s, which is 1 / capacity, for each of the messages that arrive at "
			  "random: s + \u03c1 s / (2 (1 - \u03c1)). It knows no way from CPU to CPU, no batches and no stalls.%s",
		   figure->other_arrivals ? " Arrivals here were not at random: even ones wait less, bursts longer." : "");
	sheet_note(sheet, "Points stand at the median of the rates that their trials were offered; level bars through the p50 span the "
			  "middle half of these. The upright is the capacity, the greatest of its medians over trials; the band spans the "
			  "middle half of all that was measured of it.");
	if (figure->without_capacity)
		sheet_note(sheet, "Where the capacity was not measured (--rate 50%%) there is neither an upright nor a model.");
	if (figure->saturated)
		sheet_note(sheet, "%s (crosses at the top edge) %s saturated: the backlog never ceased to grow, so that a percentile would say "
				  "how long was measured.",
			   number_of(count, figure->saturated, "point"), number_is(figure->saturated));
	if (figure->unreached)
		sheet_note(sheet, "At %s (circles at the top edge) less than 99 %% of the rate that was asked for was reached: nothing stationary "
				  "is known there either.",
			   number_of(count, figure->unreached, "point"));
	if (figure->partly)
		sheet_note(sheet, "At %s some trials, fewer than half, are saturated or fell short of their rate; they are in "
				  "the medians.",
			   number_of(count, figure->partly, "point"));
}

/* Bursts at set distances have a figure of their own: along the gap. */
static const char *missing(const struct summary *summary)
{
	for (size_t i = 0; i < summary->row_count; i++)
		if (summary->rows[i].trials && summary->rows[i].cell->gap_ns && response(&summary->rows[i]))
			return "trials of an open load count here, but each has a gap between its messages or bursts (--gap): these are in the "
			       "figure idle; this one is of rates (--load open --rate 10%,50%,90%)";
	return "no trial of an open load counts that tells a latency from intended to read (--load open --rate 10%,50%,90%)";
}

int figure_fill_load(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	const struct panels_wish wish = { .axis = PANELS_BY_RATE, .wanted = wanted, .value = offered_per_s,
					  .missing = missing(summary), .takes_open = true };
	struct load_figure figure = { 0 };
	int error = panels_make(&figure.panels, sheet, summary, &wish);

	if (error)
		goto done;
	panels_describe(&figure.panels, sheet, record, summary);
	ranges_start(&figure.ranges);
	fprintf(sheet->data, "series\toffered\tlatency_ns\tlow_ns\thigh_ns\tline\ttrials\toffered_per_s\toffered_quarter\t"
			     "offered_three_quarters\tqueue\n");
	for (; figure.panel < figure.panels.count && !error; figure.panel++)
		error = panel_write(&figure, sheet, summary, &figure.panels.list[figure.panel]);
	if (error)
		goto done;
	settings_write(&figure, sheet);
	notes_write(&figure, sheet);
done:
	series_free(&figure.series);
	panels_free(&figure.panels);
	return error;
}
