/* `twopoint export`: a record in the formats of other tools. */
#ifndef BENCH_EXPORT_COMMAND_H
#define BENCH_EXPORT_COMMAND_H

#include "options.h"

/* Returns the exit status. */
int export_main(const struct options *options);

#endif
