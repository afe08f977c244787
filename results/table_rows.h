/* The rows of a table, in the form that suits what was measured: rates, latencies, or what became of an open load. */
#ifndef RESULTS_TABLE_ROWS_H
#define RESULTS_TABLE_ROWS_H

#include "table_groups.h"
#include "table_text.h"

/* Columns that all forms begin with. */
enum { TABLE_QUEUE, TABLE_BATCH, TABLE_CAPACITY, TABLE_WAIT, TABLE_PARAMETERS };

void table_parameters_text(char (*texts)[TABLE_TEXT], const struct record_cell *cell);
/* How evenly those who share a queue came to move messages; nothing where nobody does. */
void table_sides_lines(FILE *out, const struct summary_row *row);

/* What CPU time a way of waiting cost that can sleep; nothing for others. */
void table_cpu_line(FILE *out, const struct summary_row *row);

/* What was not stamped as asked for. */
void table_stamps_lines(FILE *out, const struct summary_row *row);
/* Why percentiles are absent, or rest upon fewer trials than the row. */
void table_samples_lines(FILE *out, const struct summary_row *row);

/* How many of the trials that count have no rate; nothing where all have one. */
void table_unknown_rates_line(FILE *out, const struct summary_row *row);

void table_rates_head(const struct table_form *form);
void table_rates_row(const struct table_form *form, const struct table_row *line);

void table_latency_head(const struct table_form *form);
void table_latency_row(const struct table_form *form, const struct table_row *line);
/* A line of its own for one latency of a row. */
void table_latency_line(const struct table_form *form, const struct summary_latency *latency);
/* "write:read 0>1": the points, and the actors that they are at. */
void table_points_text(char text[TABLE_TEXT], const struct summary_latency *latency);
/* "actor 0"; of a latency of all together: "all senders", whom a message leaves at its flush */
const char *table_actor_text(char text[TABLE_TEXT], int actor, const char *point);

void table_open_head(const struct table_form *form);
void table_open_row(const struct table_form *form, const struct table_row *line);
/* Below a row, where it is unknown of some trials whether the rate was reached, or the load saturated. */
void table_open_unknown_lines(FILE *out, const struct summary_row *row);
/* From `intended` to that point: the first is that of the whole way, or of all together. NULL: there is none. */
const struct summary_latency *table_open_latency(const struct summary_row *row, const char *to_point);
/* "50 %", "1.000 M/s", "/2.000 ms": a share of the capacity, a rate, one burst in that time. */
void table_open_asked_text(char text[TABLE_TEXT], const struct record_cell *cell);
/* "99.80 %" of a share; "-" */
void table_share_text(char text[TABLE_TEXT], const struct summary_value *share);
/* "10", "10, saturated", "10, not reached", "10, 2 saturated"; trials: the text of their numbers. */
void table_open_trials_text(char text[TABLE_TEXT], const struct summary_row *row, const char *trials);

#endif
