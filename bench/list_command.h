/* `twopoint list`: what there is, a line each. */
#ifndef BENCH_LIST_COMMAND_H
#define BENCH_LIST_COMMAND_H

#include "options.h"

/* Returns the exit status. */
int list_main(const struct options *options);

#endif
