/* Which of a summary's rows stand in one panel, what the panels have in common, and how a queue looks in every figure.
 */
#ifndef PLOTS_PANELS_H
#define PLOTS_PANELS_H

#include "sheet.h"
#include "summary.h"

enum { PANELS_MOST = 12, PANELS_TITLE = 150 };

/* What the rows of a panel differ by beside their queue: what lies along a figure's axis. */
enum panels_axis {
	PANELS_BY_BATCH,
	PANELS_BY_CAPACITY,
	PANELS_BY_ACTORS,   /* producers, consumers, stages; and their CPUs */
	PANELS_BY_SWITCHES, /* batch, prewrite, preread, of one queue */
	PANELS_BY_QUEUE,    /* nothing else */
	PANELS_BY_RATE,     /* the offered rate, of one queue */
	PANELS_BY_GAP,      /* the gap between two bursts, and the way of waiting */
	PANELS_BY_STAMPS,   /* how many messages are stamped */
	PANELS_BY_SETTING,  /* batch and capacity; of a ping-pong its messages' size, too */
};

/* What a figure shows of a record. */
struct panels_wish {
	enum panels_axis axis;
	bool (*wanted)(const struct summary_row *row);
	/* What has to be above 0, for a log axis; NAN: unknown, not drawn either. NULL: the figure sees to that. */
	double (*value)(const struct summary_row *row);
	const char *missing; /* said where the record has nothing of it */
	bool takes_open;     /* rows of open loads, too: their rate is what was asked for, and says nothing of the queue */
	bool all_regimes;    /* a panel each, instead of one regime of a placement alone */
};

/* Rows that differ by queue and axis only, all of one regime. A queue without bound stands in the panel of each
 * capacity, one that does not batch in that of each batch, one that blocks by its own means beside each way of
 * waiting, a floor in each panel of its workload, load and placement. */
struct panel {
	enum panels_axis axis;
	bool waits_free;                /* each way of waiting belongs to a number of actors */
	const struct summary_row *first; /* the row that the panel was made for */
	char *key;                       /* the cell as text without what may differ */
	const struct summary_row **rows; /* floors last */
	size_t row_count;
	char title[SHEET_TEXT]; /* what sets this panel apart from the others */
};

struct panels {
	struct panel list[PANELS_MOST];
	size_t count, left_out;
	bool *counted;              /* an element a row of the summary: it is among the next two, or drawn */
	size_t dropped;             /* rows whose value is not above 0 */
	size_t unknown;             /* rows of which trials count, but none has the value */
	size_t trials_elsewhere;    /* in another regime than the one drawn of their placement … */
	char elsewhere[SHEET_TEXT]; /* … and these are they */
};

/* Files the wanted rows into panels, behind those that are there already (panels begin as zeros). Of each placement one
 * regime is drawn, unless all are wished for: of what is wanted there the run's main one, else the most
 * frequent. Returns 0, 1 (there is none, complained of) or -errno; the panels are to be freed in any case. */
int panels_make(struct panels *panels, struct sheet *sheet, const struct summary *summary,
		const struct panels_wish *wish);
/* The cell without what may differ inside a panel: struct panel's key. The window of a closed load is the load's; any other only bounds
 * what a queue without bound may hold, and is the queue's own. The caller frees it; NULL: no memory. */
char *panels_key(const struct record_cell *cell, enum panels_axis axis);
/* What a figure says that took all panels out again, since none had what it shows: cells that found no panel may have. Returns 1. */
int panels_complain(const struct panels *panels, struct sheet *sheet, const char *missing);
/* Orders each panel's rows by their line's least cost: the best first, floors last. Where there are too many lines to be
 * told apart it keeps the best and those that are known by name, and says so in a note. Returns
 * 0 or -ENOMEM. */
int panels_choose(struct panels *panels, struct sheet *sheet, double (*cost)(const struct summary_row *row));
/* Takes one out; those behind it move up. */
void panels_remove(struct panels *panels, size_t at);
/* Writes the panels' titles, and the header and the notes that all figures share. */
void panels_describe(struct panels *panels, struct sheet *sheet, const struct record *record,
		     const struct summary *summary);
void panels_free(struct panels *panels);

/* The row's latency between two points of one way: of all that send and receive together, where there are several. NULL: it was not
 * asked for, or is a sojourn in a saturated queue. */
const struct summary_latency *panels_latency(const struct summary_row *row, const char *from_point, const char *to_point);

/* Adds a regime to a list of names, "r150, r560", that has not got it; not where the list is longer than `most` already. */
void panels_name_regime(char list[SHEET_TEXT], size_t most, const char *regime);

/* Characters of the longest title. */
unsigned panels_title_width(const struct panels *panels);

/* Whether two rows of a panel are of one line: they differ by what lies along its axis only. */
bool panels_same_series(const struct panel *panel, const struct summary_row *one, const struct summary_row *other);

/* Notes what was stamped otherwise than asked for, in the whole record; nothing where nothing was. */
void panels_note_stamps(struct sheet *sheet, const struct summary *summary);

/* A row's name in its panel's legend. */
void panels_label(char label[SHEET_TEXT], const struct panel *panel, const struct summary_row *row);

/* The series of a figure, panel by panel, with the looks that a queue has in all figures of a record. */
struct series {
	double *panel, *colour, *shape, *dash,
		*width; /* an element a series; shape is the open one, shape + 1 the filled */
	char **label;
	size_t count;
	const char **queues; /* of the record, the fastest first: neighbours look different */
	size_t queue_count;
};
/* cell NULL: the machine's own floor. Returns the new series' number from 1 on, or -ENOMEM. */
long series_add(struct series *series, const struct summary *summary, size_t panel, const struct record_cell *cell,
		const char *label, bool dumb);

/* Columns left of an area's axes, and of its x axis. */
enum { AXIS_LEFT = 14, AXIS_COLUMNS = 84, AXIS_COLUMNS_DUMB = 60 };

/* An area with axes; series belong to one by its place in the list. */
struct series_area {
	const char *title;
	unsigned lines; /* its height, or more where the legend needs more */
	bool bare;      /* it has no legend */
};
/* Writes the series' arrays and lays the areas out, one below the other, each with its legend on the right. */
void series_lay_out(const struct series *series, const struct series_area *areas, size_t count, struct sheet *sheet);
void series_free(struct series *series);

/* The axes of each area; grown by the values that are drawn, then given room. */
enum { RANGES_MOST = 2 * PANELS_MOST };
struct ranges {
	double x_low[RANGES_MOST], x_high[RANGES_MOST], y_low[RANGES_MOST], y_high[RANGES_MOST];
	bool is_share[RANGES_MOST]; /* its y axis is linear, from 0 to 1 */
};
void ranges_start(struct ranges *ranges);
void ranges_add(struct ranges *ranges, size_t area, double x, double y);
/* Writes panel_x_low … panel_y_high; y is a log axis but of a share. */
void ranges_write(struct ranges *ranges, size_t areas, struct sheet *sheet);

#endif
