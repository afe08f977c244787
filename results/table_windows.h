/* What a row's windows of time tell, where they tell of anything. */
#ifndef RESULTS_TABLE_WINDOWS_H
#define RESULTS_TABLE_WINDOWS_H

#include "summary.h"

#include <stdio.h>

void table_windows_lines(FILE *out, const struct summary_windows *windows);

#endif
