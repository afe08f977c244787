/* Why cells were not planned, and trials do not count. */
#ifndef RESULTS_TABLE_REASONS_H
#define RESULTS_TABLE_REASONS_H

#include <stdio.h>

#include "record.h"

/* A line for each reason, with how often there was one; nothing where there is none. */
void table_reasons_lines(FILE *out, size_t width, const struct record *record);

#endif
