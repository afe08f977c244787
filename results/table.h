/* The table of a run, as text. */
#ifndef RESULTS_TABLE_H
#define RESULTS_TABLE_H

#include "summary.h"
#include <stdio.h>

/* Prints: the machine in two lines; per workload, load and regime one table; the floors; the verdict in two parts;
 * where the record lies. width: columns of the terminal, 0: as wide as it gets. */
void table_print(FILE *out, const struct record *record, const struct summary *summary, unsigned width);

#endif
