/* The report: records as one HTML page that needs nothing beside it. It shows what the summary has, as the table does and by the same
 * words, and can be read without its script, which sorts, filters and names lines. Nothing out of a record is ever markup. */
#ifndef PLOTS_REPORT_H
#define PLOTS_REPORT_H

#include <stddef.h>
#include <stdio.h>

#include "compare.h"

struct report {
	FILE *out;
	size_t count, added; /* records of the page; of these, those that are written */
};

/* The page's head; what follows are `count` records. paths: of them. */
void report_begin(struct report *report, FILE *out, const char *const *paths, size_t count);

/* One record, its figures among it; its queues are judged as compare_queues() does with these settings. Returns 0, or -errno where a figure
 * could not be drawn though the record has something for it (the page says so as well), with what is wrong in message. */
int report_add(struct report *report, struct compare_input input, const struct compare_settings *settings, char *message, size_t size);

/* What the words mean, and the script. */
void report_end(struct report *report);

/* Style, script and glossary by the names of their files, ended by {NULL, NULL}: generated when the folder is compiled. */
struct report_text {
	const char *name, *text;
};
extern const struct report_text report_texts[];

#endif
