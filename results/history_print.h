/* A history as a table, and as JSON. */
#ifndef RESULTS_HISTORY_PRINT_H
#define RESULTS_HISTORY_PRINT_H

#include "history_trend.h"

#include <stdio.h>

struct history_print {
	const struct history_view *view;
	const struct history_trends *trends;
	const char *path;
	bool chosen; /* cells were asked for: each has a column, and runs that have none of them no line */
};

/* A line a run, and what changed. Returns 0 or -ENOMEM. */
int history_print(FILE *out, const struct history_print *print);
/* A line a cell, with its number. */
void history_print_cells(FILE *out, const struct history_view *view);
/* A new reference, or NULL: out of memory. */
json_t *history_to_json(const struct history_print *print);

/* By how much: "+5.1 %", or what took the p50's place. Returns text (NUMBER_TEXT bytes). */
char *history_change_share_text(char *text, const struct history_trend *trend, const struct history_change *change);
/* A change in one line. Returns text. */
char *history_change_text(char *text, size_t size, const struct history_print *print, const struct history_change *change);

#endif
