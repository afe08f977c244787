/* `twopoint compare` of results of Google Benchmark. */
#ifndef BENCH_COMPARE_GBENCH_COMMAND_H
#define BENCH_COMPARE_GBENCH_COMMAND_H

#include "options.h"

/* Whether one of the operands is such a file. */
bool compare_gbench_is_asked(const struct options *options);
/* Returns the exit status. */
int compare_gbench_main(const struct options *options);

#endif
