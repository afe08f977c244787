/* `twopoint compare`: two records, or the queues of one: which is faster, with what certainty. */
#ifndef BENCH_COMPARE_COMMAND_H
#define BENCH_COMPARE_COMMAND_H

#include "options.h"

/* Returns the exit status. */
int compare_main(const struct options *options);

/* The folder that noise floors are kept in. False: no environment names one. */
bool noise_floor_folder(char *path, size_t size);

/* Columns of the terminal on standard output; 0: there is none. */
unsigned compare_width(void);

#endif
