#include "chart.h"
#include "number.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

struct chart_point chart_time_of_rate(double x, const struct summary_value *rate)
{
	struct chart_point point = { x, NAN, NAN, NAN };

	if (rate->known && rate->median > 0)
		point.y = 1e9 / rate->median;
	if (rate->known && rate->interval.known && rate->interval.low > 0) {
		point.low = 1e9 / rate->interval.high;
		point.high = 1e9 / rate->interval.low;
	}
	return point;
}

struct chart_point chart_value_of(double x, const struct summary_value *value)
{
	struct chart_point point = { x, NAN, NAN, NAN };

	if (value->known && value->median > 0)
		point.y = value->median;
	if (value->known && value->interval.known && value->interval.low > 0) {
		point.low = value->interval.low;
		point.high = value->interval.high;
	}
	return point;
}

double chart_reader_rate(const struct summary_row *row)
{
	return row->receiver_rate.known ? row->receiver_rate.median : NAN;
}

double chart_reader_ns(const struct summary_row *row)
{
	return 1e9 / chart_reader_rate(row);
}

const struct summary_value *chart_round_trip(const struct summary_row *row)
{
	for (size_t i = 0; i < row->latency_count; i++)
		if (row->latency[i].round_trip && !row->latency[i].saturated)
			return &row->latency[i].p50_ns;
	return NULL;
}

static bool is_plain(const struct summary_row *row)
{
	return row->cell->prewrite && row->cell->preread;
}

bool chart_has_rate(const struct summary_row *row)
{
	return is_plain(row) && strcmp(row->cell->workload, "pingpong");
}

bool chart_has_trip(const struct summary_row *row)
{
	return is_plain(row) && !strcmp(row->cell->workload, "pingpong") && chart_round_trip(row);
}

double chart_trip_ns(const struct summary_row *row)
{
	const struct summary_value *p50_ns = chart_round_trip(row);

	return p50_ns && p50_ns->known ? p50_ns->median : NAN;
}

double chart_capacity(const struct summary_row *row)
{
	uint64_t most = row->cell->capacity ? row->cell->capacity : row->cell->window;

	return most ? (double)most : NAN;
}

/* ---- areas and lines ---- */

void chart_begin_area(struct chart *chart, const char *title, enum chart_unit unit)
{
	chart->areas[chart->area_count++] = (struct chart_area){ .title = title, .unit = unit, .first = chart->series.count + 1 };
	chart->ranges.is_share[chart->area_count - 1] = unit == CHART_SHARE;
}

/* Whether there was room. */
static bool x_note(double **x, size_t *count, double value)
{
	size_t at = 0;
	double *grown;

	while (at < *count && (*x)[at] < value)
		at++;
	if (at < *count && (*x)[at] == value)
		return true;
	grown = realloc(*x, (*count + 1) * sizeof(*grown));
	if (!grown)
		return false;
	memmove(grown + at + 1, grown + at, (*count - at) * sizeof(*grown));
	grown[at] = value;
	*x = grown;
	(*count)++;
	return true;
}

/* Room for what is known of one more series. */
static bool chart_grow(struct chart *chart)
{
	double **const arrays[] = { &chart->single, &chart->joined, &chart->pointed, &chart->row, &chart->rows };

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
		double *grown = realloc(*arrays[i], (chart->series.count + 1) * sizeof(*grown));

		if (!grown)
			return false;
		*arrays[i] = grown;
	}
	return true;
}

static double colour_of_wait(const char *wait)
{
	static const char *const waits[] = { "spin", "yield", "park", "eventfd", "adaptive" };
	static const double colours[] = { 0x0072b2, 0x009e73, 0xd55e00, 0xcc79a7, 0x56b4e9 };

	for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
		if (!strcmp(wait, waits[i]))
			return colours[i];
	return 0xe69f00; /* native: a queue has no other */
}

static long series_begin(struct chart *chart, const struct sheet *sheet, const struct summary *summary,
			 const struct record_cell *cell, const char *label, bool pointed)
{
	size_t at = chart->series.count;
	long number;

	if (!chart_grow(chart))
		return -ENOMEM;
	chart->single[at] = 0;
	chart->joined[at] = 1;
	chart->pointed[at] = pointed;
	chart->row[at] = 1;
	chart->rows[at] = 0;
	number = series_add(&chart->series, summary, chart->area_count - 1, cell, label, sheet->dumb);
	if (number > 0 && chart->colour_by_wait && cell)
		chart->series.colour[at] = colour_of_wait(cell->wait);
	return number;
}

/* The data has one more row of a series; its rows lie side by side, so that gnuplot need not look through all rows for each series. */
static void row_add(struct chart *chart, long series)
{
	chart->row_count++;
	if (chart->rows[series - 1] <= 0)
		chart->row[series - 1] = (double)chart->row_count;
	chart->rows[series - 1]++;
}

struct placed {
	const struct summary_row *row;
	struct chart_point point;
};

static int by_x(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;

	return (a->point.x > b->point.x) - (a->point.x < b->point.x);
}

static bool point_write(struct chart *chart, struct sheet *sheet, long series, const struct placed *placed)
{
	const struct chart_point *point = &placed->point;
	const struct summary_row *row = placed->row;
	struct chart_area *area = &chart->areas[chart->area_count - 1];

	if (!isnan(point->low)) {
		ranges_add(&chart->ranges, chart->area_count - 1, point->x, point->low);
		ranges_add(&chart->ranges, chart->area_count - 1, point->x, point->high);
	}
	chart->bars_missing |= isnan(point->low);
	ranges_add(&chart->ranges, chart->area_count - 1, point->x, point->y);
	fprintf(sheet->data, "%ld\t%.6g\t%.6g\t%.6g\t%.6g\t%zu\t%" PRIu64 "\t%" PRIu64 "\t%.6g\t", series, point->x,
		point->y, point->low, point->high, row->trials, row->cell->message_bytes, row->cell->batch,
		row->mean_batch.known ? row->mean_batch.median : NAN);
	sheet_data_text(sheet, row->cell->queue);
	fputc('\n', sheet->data);
	row_add(chart, series);
	return x_note(&chart->x, &chart->x_count, point->x) && x_note(&area->x, &area->places, point->x);
}

/* Points of which none is unknown. Takes the array. */
static long placed_write(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct record_cell *cell,
			 const char *label, struct placed *placed, size_t points)
{
	long number = 0;

	qsort(placed, points, sizeof(*placed), by_x);
	if (points)
		number = series_begin(chart, sheet, summary, cell, label, true);
	for (size_t i = 0; i < points && number > 0; i++)
		if (!point_write(chart, sheet, number, &placed[i]))
			number = -ENOMEM;
	if (number > 0)
		chart->single[number - 1] = placed[0].point.x == placed[points - 1].point.x;
	free(placed);
	return number;
}

static void point_place(struct placed *placed, size_t *points, const struct summary_row *row, struct chart_point point)
{
	if (!isnan(point.x) && !isnan(point.y))
		placed[(*points)++] = (struct placed){ row, point };
}

long chart_add_line(struct chart *chart, struct sheet *sheet, const struct summary *summary,
		    const struct record_cell *cell, const char *label, const struct summary_row *const *rows,
		    size_t count, chart_value value)
{
	struct placed *placed = calloc(count + 1, sizeof(*placed));
	size_t points = 0;

	if (!placed)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		point_place(placed, &points, rows[i], value(rows[i]));
	return placed_write(chart, sheet, summary, cell, label, placed, points);
}

long chart_add_points(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct summary_row *row,
		      const char *label, const struct chart_point *points, size_t count)
{
	struct placed *placed = calloc(count + 1, sizeof(*placed));
	size_t known = 0;

	if (!placed)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		point_place(placed, &known, row, points[i]);
	return placed_write(chart, sheet, summary, row->cell, label, placed, known);
}

int chart_add_panel(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
		    chart_value value)
{
	const struct summary_row **rows = malloc((panel->row_count + 1) * sizeof(*rows));
	char label[SHEET_TEXT];
	long number = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < panel->row_count && number >= 0; i++) {
		size_t count = 0;
		bool leads = true;

		for (size_t j = 0; j < panel->row_count; j++)
			if (panels_same_series(panel, panel->rows[i], panel->rows[j])) {
				leads &= j >= i;
				rows[count++] = panel->rows[j];
			}
		if (!leads)
			continue;
		panels_label(label, panel, panel->rows[i]);
		number = chart_add_line(chart, sheet, summary, panel->rows[i]->cell, label, rows, count, value);
	}
	free(rows);
	return number < 0 ? (int)number : 0;
}

long chart_add_curve(struct chart *chart, struct sheet *sheet, const struct summary *summary,
		     const struct record_cell *cell, const char *label, double a, double c, double low, double high)
{
	enum { STEPS = 60 };
	long number = series_begin(chart, sheet, summary, cell, label, false);

	for (int step = 0; step <= STEPS && number > 0; step++) {
		double x = low * pow(high / low, (double)step / STEPS), y = a + c / x;

		if (!(y > 0))
			continue;
		ranges_add(&chart->ranges, chart->area_count - 1, x, y);
		fprintf(sheet->data, "%ld\t%.6g\t%.6g\tnan\tnan\t0\tnan\tnan\tnan\tcurve of ", number, x, y);
		sheet_data_text(sheet, cell ? cell->queue : label);
		fputc('\n', sheet->data);
		row_add(chart, number);
	}
	return number;
}

void chart_add_mark(struct chart *chart, double x, const char *text)
{
	size_t at = chart->mark_count;

	if (at == RANGES_MOST)
		return; /* the notes have it */
	chart->marks[at].area = chart->area_count;
	chart->marks[at].x = x;
	snprintf(chart->marks[at].text, sizeof(chart->marks[at].text), "%s", text);
	chart->mark_count++;
}

/* ---- settings ---- */

static void areas_write(const struct chart *chart, struct sheet *sheet, const char *x_title, const char *const y_titles[3])
{
	sheet_set_array(sheet, "panel_unit", chart->area_count);
	sheet_set_array(sheet, "panel_first", chart->area_count);
	sheet_set_array(sheet, "panel_last", chart->area_count);
	sheet_set_array(sheet, "panel_places", chart->area_count);
	sheet_set_array(sheet, "panel_bare", chart->area_count);
	sheet_set_array(sheet, "panel_x_title", chart->area_count);
	sheet_set_array(sheet, "panel_y_title", chart->area_count);
	sheet_set_array(sheet, "panel_x_step", chart->area_count); /* of a linear axis: of whole numbers */
	for (size_t i = 0; i < chart->area_count; i++) {
		const struct chart_area *area = &chart->areas[i];
		size_t next = i + 1 < chart->area_count ? chart->areas[i + 1].first : chart->series.count + 1;

		sheet_set_element(sheet, "panel_unit", i + 1, area->unit);
		sheet_set_element(sheet, "panel_first", i + 1, (double)area->first);
		sheet_set_element(sheet, "panel_last", i + 1, (double)next - 1);
		sheet_set_element(sheet, "panel_places", i + 1, (double)area->places);
		sheet_set_element(sheet, "panel_bare", i + 1, area->bare);
		sheet_set_element(sheet, "panel_x_step", i + 1,
				  fmax(1, sheet_tick_step(chart->ranges.x_high[i] - chart->ranges.x_low[i])));
		sheet_set_element_text(sheet, "panel_x_title", i + 1, area->x_title ? area->x_title : x_title);
		sheet_set_element_text(sheet, "panel_y_title", i + 1, area->y_title ? area->y_title : y_titles[area->unit]);
	}
}

static void marks_write(const struct chart *chart, struct sheet *sheet)
{
	sheet_set_number(sheet, "marks", (double)chart->mark_count);
	sheet_set_array(sheet, "mark_panel", chart->mark_count);
	sheet_set_array(sheet, "mark_x", chart->mark_count);
	sheet_set_array(sheet, "mark_text", chart->mark_count);
	for (size_t i = 0; i < chart->mark_count; i++) {
		sheet_set_element(sheet, "mark_panel", i + 1, (double)chart->marks[i].area);
		sheet_set_element(sheet, "mark_x", i + 1, chart->marks[i].x);
		sheet_set_element_text(sheet, "mark_text", i + 1, chart->marks[i].text);
	}
}

/* Names that do not touch each other, the last one among them. */
static void names_write(const struct chart *chart, struct sheet *sheet)
{
	size_t width = 1, each, count = 0, places = sheet->dumb ? AXIS_COLUMNS_DUMB : AXIS_COLUMNS;

	for (size_t i = 0; i < chart->x_name_count; i++)
		width = sheet_columns(sheet, chart->x_names[i]) > width ? sheet_columns(sheet, chart->x_names[i]) : width;
	each = (chart->x_name_count * (width + 2) + places - 1) / places;
	sheet_set_array(sheet, "name", chart->x_name_count);
	sheet_set_array(sheet, "name_x", chart->x_name_count);
	for (size_t i = 0; i < chart->x_name_count; i++)
		if ((chart->x_name_count - 1 - i) % each == 0) {
			sheet_set_element_text(sheet, "name", ++count, chart->x_names[i]);
			sheet_set_element(sheet, "name_x", count, (double)i + 1);
		}
	sheet_set_number(sheet, "name_count", (double)count);
}

static void tick_text(char text[NUMBER_TEXT], const struct chart *chart, double x)
{
	struct number_unit unit = number_time_unit(x);

	if (chart->x_is_time)
		snprintf(text, NUMBER_TEXT, "%g %s", x / unit.scale, unit.name);
	else if (x == floor(x))
		number_size(text, (uint64_t)x);
	else
		snprintf(text, NUMBER_TEXT, "%g", x);
}

/* Of each area the x that were measured there, so far apart that their labels do not touch. */
static void ticks_write(const struct chart *chart, struct sheet *sheet)
{
	double width = chart->x_is_linear ? 1 : log(chart->ranges.x_high[0] / chart->ranges.x_low[0]);
	double per_column = width / (sheet->dumb ? AXIS_COLUMNS_DUMB : AXIS_COLUMNS);
	size_t count = 0, most = chart->area_count * chart->x_count;
	char text[NUMBER_TEXT];

	sheet_set_array(sheet, "tick", most);
	sheet_set_array(sheet, "tick_text", most);
	sheet_set_array(sheet, "tick_panel", most);
	for (size_t p = 0; p < chart->area_count && !chart->x_is_linear; p++) {
		const struct chart_area *area = &chart->areas[p - (p && chart->areas[p].bare)]; /* the same as above it */
		double end = -INFINITY; /* of the last label, on the axis */

		for (size_t i = 0; i < area->places; i++) {
			double at = log(area->x[i]), half;

			tick_text(text, chart, area->x[i]);
			half = (double)(sheet_columns(sheet, text) + 1) / 2 * per_column;
			if (at - half < end)
				continue;
			end = at + half;
			sheet_set_element(sheet, "tick", ++count, area->x[i]);
			sheet_set_element_text(sheet, "tick_text", count, text);
			sheet_set_element(sheet, "tick_panel", count, (double)p + 1);
		}
	}
	sheet_set_number(sheet, "tick_count", (double)count);
}

/* Above the data, where the words beside the vertical lines stand. */
static void marks_make_room(struct chart *chart)
{
	for (size_t p = 0; p < chart->area_count; p++) {
		double *low = &chart->ranges.y_low[p], *high = &chart->ranges.y_high[p];
		double marks = 0;

		for (size_t m = 0; m < chart->mark_count; m++)
			marks += chart->marks[m].area == p + 1;
		*high *= pow(fmax(*high / *low, 10), marks * 0.08);
	}
}

/* What has one place along its axis has no course to be seen. */
static unsigned area_lines(const struct chart_area *area)
{
	return area->unit == CHART_SHARE ? 10 : area->places > 1 ? (area->bare ? 14 : 22) : area->bare ? 10 : 14;
}

void chart_finish(struct chart *chart, struct sheet *sheet, const char *x_title, const char *const y_titles[3])
{
	struct series_area areas[RANGES_MOST];
	bool points = false;

	for (size_t i = 0; i < chart->area_count; i++) {
		const struct chart_area *area = &chart->areas[i];

		areas[i] = (struct series_area){ area->title, area_lines(area), area->bare };
		if (chart->x_names) {
			chart->ranges.x_low[i] = 0.5;
			chart->ranges.x_high[i] = (double)chart->x_name_count + 0.5;
			continue;
		}
		if (chart->x_is_linear) {
			double room = fmax(chart->ranges.x_high[i] - chart->ranges.x_low[i], 1) * 0.03;

			chart->ranges.x_low[i] -= room;
			chart->ranges.x_high[i] += room;
			continue;
		}
		/* one axis for all, so that they can be compared */
		chart->ranges.x_low[i] = chart->x[0] / 1.5;
		chart->ranges.x_high[i] = chart->x[chart->x_count - 1] * 1.5;
	}
	for (size_t s = 0; s < chart->series.count; s++)
		if (chart->single[s] > 0 && chart->reaches && chart->x_count > 1) {
			points = true;
			chart->series.dash[s] = 3; /* as it is drawn */
			chart->series.width[s] = 1.5;
		}
	marks_make_room(chart);
	ranges_write(&chart->ranges, chart->area_count, sheet);
	series_lay_out(&chart->series, areas, chart->area_count, sheet);
	areas_write(chart, sheet, x_title, y_titles);
	marks_write(chart, sheet);
	ticks_write(chart, sheet);
	names_write(chart, sheet);
	sheet_set_numbers(sheet, "series_single", chart->single, chart->series.count);
	sheet_set_numbers(sheet, "series_joined", chart->joined, chart->series.count);
	sheet_set_numbers(sheet, "series_pointed", chart->pointed, chart->series.count);
	sheet_set_numbers(sheet, "series_row", chart->row, chart->series.count);
	sheet_set_numbers(sheet, "series_rows", chart->rows, chart->series.count);
	sheet_set_number(sheet, "reaches", chart->reaches);
	sheet_set_number(sheet, "x_is_linear", chart->x_is_linear);
	sheet_note(sheet, "Bars: 95 %% intervals of the median over trials%s",
		   chart->bars_missing ? "; none where a point has fewer than 6 trials." : ".");
	if (points)
		sheet_note(sheet, "A dotted line carries the value of one point over to larger batches.");
}

void chart_free(struct chart *chart)
{
	for (size_t i = 0; i < chart->area_count; i++)
		free(chart->areas[i].x);
	free(chart->single);
	free(chart->joined);
	free(chart->pointed);
	free(chart->row);
	free(chart->rows);
	free(chart->x);
	series_free(&chart->series);
	panels_free(&chart->panels);
}
