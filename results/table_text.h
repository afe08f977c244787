/* Parts of a record as texts of a table. */
#ifndef RESULTS_TABLE_TEXT_H
#define RESULTS_TABLE_TEXT_H

#include "record.h"
#include "table_print.h"

/* A text of the record's, lent; "-" where there is none. */
const char *table_string_or_dash(const json_t *object, const char *name);
/* "1Ki/none": how many messages the queue holds, and how many may be on their way. */
void table_capacity_text(char text[TABLE_TEXT], const struct record_cell *cell);
/* "0 1": the operating system's numbers, the first ones where they are many. */
void table_cpus_text(char text[TABLE_TEXT], const json_t *cpus);

#endif
