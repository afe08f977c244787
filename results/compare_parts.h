/* What a comparison is put together from. */
#ifndef RESULTS_COMPARE_PARTS_H
#define RESULTS_COMPARE_PARTS_H

#include "compare.h"

/* A cell and its rows, of one record. */
struct compare_cell {
	const struct record_cell *cell;
	const struct summary_row *rows; /* one for each regime, the main one first */
	size_t row_count;
	json_t *parameters; /* as the record has them, but that those which older files do not tell are always left out where they say
			       nothing */
	char *key;          /* the same as canonical text */
	bool matched;
};

/* Whether a parameter of that value is as good as one that is not told: older files don't tell it. */
bool compare_says_nothing(const char *name, const json_t *value);

/* The cells of a summary, in its order. *cells is allocated; compare_cells_free() takes it. Returns their number or -ENOMEM. */
long compare_cells_make(struct compare_cell **cells, const struct summary *summary);
void compare_cells_free(struct compare_cell *cells, long count);

/* How two cells differ, where they differ in one parameter and not in the queue: "capacity: 1024 against 4096". CPUs and their placement
 * are one parameter. False: in none or in several. */
bool compare_cells_near(const struct compare_cell *a, const struct compare_cell *b, char reason[COMPARE_TEXT]);

/* What is compared of a row: the p50 of a ping-pong's round trip; of an open load that of the time from when a message was due, or else
 * from its write, to its read, but not of a sojourn in a full queue. NULL: the rate at read. */
const struct summary_latency *compare_primary_latency(const struct summary_row *row);

/* The same record's trials, parted in two cell by cell, in their main regimes: by turns, or the earlier against the later ones. Floors are
 * left out. Returns 0 or -ENOMEM. */
int compare_halves(struct comparison *comparison, struct compare_input input, bool by_turns);
/* One cell of it. */
int compare_row_part(struct compare_row *row, const struct compare_cell *cell, bool by_turns);

/* The values of a cell's trials in its main regime that are compared, in the order in which they were made, of trials where they are
 * known. At most rows->trials. Returns how many. */
size_t compare_cell_values(const struct compare_cell *cell, enum compare_metric *metric, double *values);

/* Fills in a row from the cells' trials: the metric, samples of one regime. What can't be compared is marked so, with the reason. Returns 0
 * or -ENOMEM. */
int compare_row_fill(struct compare_row *row, const struct compare_cell *baseline, const struct compare_cell *cell, bool ignore_regime);

#endif
