/* `twopoint topo`: the machine, its placements, the measured core-to-core matrix. */
#ifndef BENCH_TOPO_H
#define BENCH_TOPO_H

#include "options.h"

/* Returns the exit status. */
int topo_main(const struct options *options);

#endif
