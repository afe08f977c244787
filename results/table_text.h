/* Parts of a record as texts of a table. */
#ifndef RESULTS_TABLE_TEXT_H
#define RESULTS_TABLE_TEXT_H

#include "number.h"
#include "summary.h"
#include "table_print.h"

enum { TABLE_QUEUE_LETTERS = 40 }; /* of a name; what is beyond them is not shown */

/* A text of the record's, lent; "-" where there is none. */
const char *table_string_or_dash(const json_t *object, const char *name);
/* "1Ki/none": how many messages the queue holds, and how many may be on their way. */
void table_capacity_text(char text[TABLE_TEXT], const struct record_cell *cell);
/* "0 1": the operating system's numbers, the first ones where they are many. */
void table_cpus_text(char text[TABLE_TEXT], const json_t *cpus);

/* How wide a column has to be for this queue's name, too. */
int table_queue_width(int width, const struct record_cell *cell);

/* What a parameter is, by its name in the record: "100.0 ms" of duration_ns, "write:read,write:flush", "off"; "-" of null. */
void table_value_text(char text[TABLE_TEXT], const char *name, const json_t *value);
/* With what it is called: "duration 100.0 ms", "latency write:read". */
void table_parameter_text(char text[TABLE_TEXT], const char *name, const json_t *value);

/* Medians; "-" where nothing is known. */
void table_time_text(char text[TABLE_TEXT], const struct summary_value *value);
void table_rate_text(char text[TABLE_TEXT], const struct summary_value *value);
/* "[a b]", in the unit that the median beside it has; "[a 27.99 us]" where an end is too far from it for that. */
void table_interval_text(char text[TABLE_TEXT], const struct summary_value *value, struct number_unit unit);
/* The time from message to message at the point where the rate was taken. */
void table_period_text(char text[TABLE_TEXT], const struct summary_value *rate);
/* "10", "9+1 invalid", or "7+3" and the reasons in a line of their own. */
void table_trials_text(char text[TABLE_TEXT], char more[TABLE_TEXT], const struct summary_row *row);

#endif
