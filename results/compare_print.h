/* A comparison for people and for programs. */
#ifndef RESULTS_COMPARE_PRINT_H
#define RESULTS_COMPARE_PRINT_H

#include <stdio.h>

#include "compare.h"
#include "noise_floor.h"
#include "table_text.h"

/* What the numbers are of. */
struct compare_subject {
	const struct record *baseline, *record; /* the same, where one record's queues are compared */
	const char *queue;                      /* the baseline, of a record's queues; else NULL */
	const char *halves;                     /* how one record was parted in two, where it was; else NULL */
	const struct noise_floor *floor;        /* where the settings' floors come from; NULL: they were not asked for */
	bool successive;                        /* which of its numbers they are */
};

/* width: columns of the terminal, 0: as wide as it gets. */
void compare_print(FILE *out, const struct comparison *comparison, const struct compare_subject *subject, unsigned width);

/* What a row would have seen, in tables: a share, or from a doubling on a factor. Left as it is where that is not told. */
void compare_least_text(char text[TABLE_TEXT], const struct compare_row *row);

/* The verdict as a table's row has it. */
const char *compare_verdict_text(enum compare_verdict verdict);
/* The same behind a count of cells. */
const char *compare_tally_text(enum compare_verdict verdict);

/* A new reference, or NULL: out of memory. */
json_t *compare_to_json(const struct comparison *comparison, const struct compare_subject *subject, int status);

#endif
