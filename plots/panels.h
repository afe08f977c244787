/* Which of a summary's rows stand in one panel, what the panels have in common, and how a queue looks in every figure.
 */
#ifndef PLOTS_PANELS_H
#define PLOTS_PANELS_H

#include "sheet.h"
#include "summary.h"

enum { PANELS_MOST = 12, PANELS_TITLE = 150 };

/* Rows that differ by queue and batch only, all of one regime. A queue without bound stands in the panel of each
 * capacity, one that blocks by its own means beside each way of waiting, a floor in each panel of its workload, load
 * and placement. */
struct panel {
	const struct summary_row *first; /* the row that the panel was made for */
	char *key;                       /* the cell as text without what may differ */
	const struct summary_row **rows; /* floors last */
	size_t row_count;
	char title[SHEET_TEXT]; /* what sets this panel apart from the others */
};

struct panels {
	struct panel list[PANELS_MOST];
	size_t count, left_out;
	size_t trials_elsewhere;    /* in another regime than the one drawn of their placement … */
	char elsewhere[SHEET_TEXT]; /* … and these are they */
};

/* Files the wanted rows into panels. Of each placement one regime is drawn: the run's main one where the placement has
 * it, else its most frequent. Returns 0, 1 (there is none, complained of with missing) or -errno. */
int panels_make(struct panels *panels, struct sheet *sheet, const struct summary *summary,
		bool (*wanted)(const struct summary_row *row), const char *missing);
/* Takes one out; those behind it move up. */
void panels_remove(struct panels *panels, size_t at);
/* Writes the panels' titles, and the header and the notes that all figures share. */
void panels_describe(struct panels *panels, struct sheet *sheet, const struct record *record,
		     const struct summary *summary);
void panels_free(struct panels *panels);

/* Characters of the longest title. */
unsigned panels_title_width(const struct panels *panels);

/* Whether two rows of a panel differ in their batch only: they are one line of a figure. */
bool panels_same_series(const struct summary_row *one, const struct summary_row *other);

/* A row's name in its panel's legend. */
void panels_label(char label[SHEET_TEXT], const struct panel *panel, const struct summary_row *row);

/* The series of a figure, panel by panel, with the looks that a queue has in all figures of a record. */
struct series {
	double *panel, *colour, *shape, *dash,
		*width; /* an element a series; shape is the open one, shape + 1 the filled */
	char **label;
	size_t count;
};
/* cell NULL: the machine's own floor. Returns the new series' number from 1 on, or -ENOMEM. */
long series_add(struct series *series, const struct summary *summary, size_t panel, const struct record_cell *cell,
		const char *label, bool dumb);
/* Writes the arrays and lays the panels out, one below the other, each with its legend on the right. */
void series_lay_out(const struct series *series, const struct panels *panels, struct sheet *sheet);
void series_free(struct series *series);

/* The axes of each panel; grown by the values that are drawn, then given room. */
struct ranges {
	double x_low[PANELS_MOST], x_high[PANELS_MOST], y_low[PANELS_MOST], y_high[PANELS_MOST];
};
void ranges_start(struct ranges *ranges);
void ranges_add(struct ranges *ranges, size_t panel, double x, double y);
/* Writes panel_x_low … panel_y_high; y is a log axis. */
void ranges_write(struct ranges *ranges, size_t panels, struct sheet *sheet);

#endif
