/* What ended each cell of a run that went on until a goal: the goal, or what came before it. */
#ifndef RESULTS_TABLE_UNTIL_H
#define RESULTS_TABLE_UNTIL_H

#include "record.h"

#include <stdio.h>

/* Nothing where there was no goal, or the record does not tell. */
void table_until_lines(FILE *out, const struct record *record);

#endif
