/* `twopoint history`: results of many runs, kept in one file. */
#ifndef BENCH_HISTORY_COMMAND_H
#define BENCH_HISTORY_COMMAND_H

#include "options.h"

/* What can be done with it, ended by NULL. */
extern const char *const history_actions[];

/* Returns the exit status. */
int history_main(const struct options *options);

#endif
