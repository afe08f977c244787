/* Lines of points along an axis, with intervals: what several figures are made of. Each area has its own legend;
 * chart.gp draws it. */
#ifndef PLOTS_CHART_H
#define PLOTS_CHART_H

#include "panels.h"
#include "sheet.h"
#include "summary.h"

/* What an area's y axis shows. */
enum chart_unit {
	CHART_NS,    /* a time; log axis */
	CHART_PER_S, /* a rate; log axis */
	CHART_SHARE, /* 0 to 1; linear axis */
};

/* A row's place on the axes. y NAN: it has none. low, high NAN: no interval is known. */
struct chart_point {
	double x, y, low, high;
};

struct chart_area {
	const char *title;
	enum chart_unit unit;
	bool bare;      /* no legend: it has the lines of the area above */
	const char *x_title, *y_title; /* NULL: chart_finish() has one for all, or for its unit */
	size_t first;   /* its first series, from 1 on */
	size_t places;  /* different x */
	double *x;      /* these, ascending */
};

struct chart {
	struct panels panels;
	struct series series;
	struct ranges ranges;
	struct chart_area areas[RANGES_MOST];
	size_t area_count;
	bool x_is_time; /* in ns */
	bool x_is_linear; /* and each area has its own x axis */
	const char *const *x_names; /* of a linear axis, which all areas share: what stands at 1, 2 … instead of the numbers; or NULL */
	size_t x_name_count;
	bool colour_by_wait; /* and shape and dash by queue: points that no line leads to are told apart, too */
	bool reaches; /* the value of a line that has one point holds to its right, too */
	/* elements a series: it has one point in an area of several x; its points are joined; it has points at all */
	double *single, *joined, *pointed;
	double *row, *rows; /* elements a series, too: the first of its rows in the data, counted from 1, and their number */
	size_t row_count;   /* of all */
	double *x; /* of all areas, ascending */
	size_t x_count;
	struct {
		size_t area;
		double x;
		char text[64];
	} marks[RANGES_MOST]; /* vertical lines */
	size_t mark_count;
	bool bars_missing;
};

typedef struct chart_point (*chart_value)(const struct summary_row *row);

/* 1 / rate, and its interval. */
struct chart_point chart_time_of_rate(double x, const struct summary_value *rate);
struct chart_point chart_value_of(double x, const struct summary_value *value);
/* ns per message at the reader; for panels_wish.value and panels_choose(). */
double chart_reader_rate(const struct summary_row *row);
double chart_reader_ns(const struct summary_row *row);

/* What is asked of a row with all of its queue's batching on, for panels_wish: the rate at its reader, or the p50 of its round trip; and
 * how much it may hold, which of a queue without bound is its window. NAN: unknown. */
bool chart_has_rate(const struct summary_row *row);
bool chart_has_trip(const struct summary_row *row);
double chart_trip_ns(const struct summary_row *row);
double chart_capacity(const struct summary_row *row);
/* NULL: it has none. */
const struct summary_value *chart_round_trip(const struct summary_row *row);

/* The next area; its lines are added before the one after it. title is borrowed. */
void chart_begin_area(struct chart *chart, const char *title, enum chart_unit unit);
/* A line of rows, by x. Rows without a y are left out; a line of no points is none. cell: whose looks it has. Returns
 * its series' number, 0 (no points), or -ENOMEM. */
long chart_add_line(struct chart *chart, struct sheet *sheet, const struct summary *summary,
		    const struct record_cell *cell, const char *label, const struct summary_row *const *rows,
		    size_t count, chart_value value);
/* A line of several points of one row. Returns the same. */
long chart_add_points(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct summary_row *row,
		      const char *label, const struct chart_point *points, size_t count);
/* A line of the panel for each of its queues. Returns 0 or -ENOMEM. */
int chart_add_panel(struct chart *chart, struct sheet *sheet, const struct summary *summary, const struct panel *panel,
		    chart_value value);
/* y = a + c / x from low to high, without points; what is not above 0 is not drawn. cell NULL: a limit that nobody measured. Returns as
 * chart_add_line(). */
long chart_add_curve(struct chart *chart, struct sheet *sheet, const struct summary *summary,
		     const struct record_cell *cell, const char *label, double a, double c, double low, double high);
/* A vertical line in the last area. */
void chart_add_mark(struct chart *chart, double x, const char *text);

/* Writes all that chart.gp needs. */
void chart_finish(struct chart *chart, struct sheet *sheet, const char *x_title, const char *const y_titles[3]);
void chart_free(struct chart *chart);

#endif
