/* `twopoint list`: what there is, a line each. */
#ifndef BENCH_LIST_COMMAND_H
#define BENCH_LIST_COMMAND_H

#include "options.h"

/* Returns the exit status. */
/* One of list_names. The same for each of them. */
int list_what(const struct options *options, const char *what);
int list_main(const struct options *options);

#endif
