/* `twopoint history`: results of many runs, kept in one file. */
#ifndef BENCH_HISTORY_COMMAND_H
#define BENCH_HISTORY_COMMAND_H

#include "options.h"

/* Returns the exit status. */
int history_main(const struct options *options);

#endif
