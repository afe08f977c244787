/* A run: all trials of one command, in shuffled blocks, each in a process of its own, each kept as soon as it ended. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "options.h"

/* Returns the exit status. Problems go to stderr, the table to stdout. */
int run_main(const struct options *command_line, int argc, char **argv);

#endif
