/* The parts of a record's report. Each writes its own headings; ids begin with "rN-", N: the record's number on the page. */
#ifndef PLOTS_REPORT_PARTS_H
#define PLOTS_REPORT_PARTS_H

#include <stdio.h>

#include "compare.h"
#include "table_groups.h"

struct report_contests;

struct report_part {
	FILE *out;
	size_t number; /* of the record, from 1 on */
	const struct record *record;
	const struct summary *summary;
	const struct table_row *rows; /* of the summary, as a table has them */
	size_t row_count;
	const struct compare_settings *settings;
	struct report_contests *contests;
};

/* Which queue is fastest, group by group and batch by batch, and which can't be told apart from it. Returns 0 or -ENOMEM. */
int report_headline(const struct report_part *part);
/* How sure that is, the floors, what disturbed the run, how to repeat it. */
void report_verdict(const struct report_part *part);
void report_floors(const struct report_part *part);
void report_disturbances(const struct report_part *part);
void report_repeat(const struct report_part *part);
void report_machine(const struct report_part *part);
void report_tables(const struct report_part *part);
/* As report_add(). */
int report_figures(const struct report_part *part, char *message, size_t size);

/* ---- who is told apart ---- */

enum report_apart {
	REPORT_UNTESTED, /* the two are not held against each other */
	REPORT_TOGETHER, /* the test can't say that the other one is the worse */
	REPORT_TOO_FEW,  /* trials for it */
	REPORT_NOISY,    /* the machine disturbed one of them more than the other: no test says anything */
	REPORT_APART     /* the other one is the worse, by the test */
};

struct report_judgement {
	enum report_apart apart;
	const char *reason; /* why, where it is no plain verdict; else "" */
};

/* NULL: out of memory. */
struct report_contests *report_contests_make(void);
void report_contests_free(struct report_contests *contests);

/* What `compare --baseline`, with the best row's queue, says of another one; it judges all cells of the record together, so no more is
 * claimed here than there. Returns 0 or -ENOMEM. */
int report_contest_judge(struct report_judgement *judgement, const struct report_part *part, const struct table_row *best,
			 const struct table_row *other);

/* ---- what they share ---- */

/* What is compared of a row, where that is a latency. NULL: the rate at read, or nothing. */
const struct summary_latency *report_latency(const struct table_row *row);

/* What a row is judged by: a rate, or a time, of which less is better. NULL: it has none. */
const struct summary_value *report_value(const struct table_row *row);
/* Whether a group is judged by times. */
bool report_is_time(const struct table_row *row);
/* "67.98 M/s [61.63 106.8]"; "–" */
void report_value_say(FILE *out, const struct summary_value *value, bool time);
/* How many rows from this one on stand in one table. */
size_t report_group_length(const struct report_part *part, size_t first);
/* "stream, load saturate, 64-byte messages": what a group is, and where it was measured. */
void report_group_title(FILE *out, const struct table_row *row);
/* Behind the title: what else sets the group apart from others of its workload and load, "; stamps none"; nothing where nothing does. */
void report_group_apart(const struct report_part *part, const struct table_row *row);
/* All parameters that its table has no columns for. */
void report_group_parameters(FILE *out, const struct table_row *row);
/* "two cores with a common L3 cache and no common L2"; "" of a placement that is not known. */
const char *report_place_words(const char *place);
/* Without the folders, which are nobody else's business. */
const char *report_file_name(const char *path);
/* Lines of text, as items of a list; nothing where there are none. */
void report_lines(FILE *out, const char *lines);

#endif
