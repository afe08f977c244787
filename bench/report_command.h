/* `twopoint report`: records as one HTML page. */
#ifndef BENCH_REPORT_COMMAND_H
#define BENCH_REPORT_COMMAND_H

#include "options.h"

/* Returns the exit status. */
int report_main(const struct options *options);

#endif
