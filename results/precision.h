/* How well each cell of a run is known by now: what a run goes on for until it is good enough. */
#ifndef RESULTS_PRECISION_H
#define RESULTS_PRECISION_H

#include "summary.h"

/* A goal counts as reached when it was so at as many looks in a row: one narrow interval is often a lucky one. */
enum { PRECISION_LOOKS_IN_A_ROW = 2 };

/* A cell, by what would be compared of it (compare.h), over its trials in the run's main regime or, where it has none there, in its own. */
struct precision {
	uint64_t trial_id; /* of the cell's first trial */
	const struct summary_row *row;
	const char *metric; /* "rate", "p50" */
	bool known;         /* there is an interval */
	double half_width;  /* of the median's interval, over the median */
	size_t n;           /* trials that it rests upon */
	char lack[96];      /* why there is none */
};

/* One for each cell, in the record's order. *cells is allocated; the caller frees it. Returns their number or -ENOMEM. */
long precision_make(struct precision **cells, const struct record *record, const struct summary *summary);

/* After how many trials of each cell a run that goes on until its goal is looked at for the first time, where so many are wanted at least;
 * and when again, after a look at so many. Looking is what makes intervals seem too narrow: so it is done seldom, at numbers that do not
 * depend on what was measured. */
uint64_t precision_first_look(uint64_t trials_wanted);
uint64_t precision_next_look(uint64_t trials);

#endif
