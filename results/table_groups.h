/* Rows of a summary, ordered as a table shows them. */
#ifndef RESULTS_TABLE_GROUPS_H
#define RESULTS_TABLE_GROUPS_H

#include "summary.h"

struct table_row {
	const struct summary_row *row;
	const struct summary_latency *primary; /* the round trip, else the first latency; NULL: only rates */
	bool open;                             /* of an open load: in a table of its own form */
	char *group;                           /* all parameters but those that the table has columns for */
	const char *regime;
	double line_ns;   /* the regime's; < 0: unknown */
	bool main_regime; /* the run's most frequent one, or, where the group has no trial in that, the group's */
};

/* Groups whose rows share all but queue, batch, capacity, window and wait (and, of an open load, how much it offers), and the regime: first
 * all in their main regimes, then the others. In a group the best first, floors last; of an open load, at each that is offered. *rows is
 * allocated; table_groups_free() takes it.
 * Returns their number, or -ENOMEM. */
long table_groups_make(struct table_row **rows, const struct summary *summary);
void table_groups_free(struct table_row *rows, long count);

/* All parameters but those that a table has columns for, as text. To be freed; NULL: out of memory. */
char *table_groups_key(const struct record_cell *cell);
/* Do two rows belong into one table? */
bool table_groups_same(const struct table_row *a, const struct table_row *b);

#endif
