/* `twopoint replay`: the command that repeats a run, or one of its cells. */
#ifndef BENCH_REPLAY_COMMAND_H
#define BENCH_REPLAY_COMMAND_H

#include "options.h"

/* Returns the exit status; with --run it does not return, unless the command can't be started. */
int replay_main(const struct options *options);

#endif
