/* `twopoint aa`: the same build against itself. How far the halves lie apart is the machine's noise floor, kept with the machine. */
#ifndef BENCH_AA_COMMAND_H
#define BENCH_AA_COMMAND_H

#include "options.h"

/* Returns the exit status. */
int aa_main(const struct options *options, int argc, char **argv);

#endif
