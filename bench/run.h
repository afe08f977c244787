/* A run: all trials of one command, in shuffled blocks, each in a process of its own, each kept as soon as it ended. */
#ifndef BENCH_RUN_H
#define BENCH_RUN_H

#include "options.h"

#include "record.h"
#include "summary.h"

/* Tells what came of a run, of whose record all but the table is done. Returns 0, or the status that the run is to exit with. */
typedef int run_report(const struct options *options, const struct record *record, const struct summary *summary);

/* Returns the exit status. Problems go to stderr; the table, the record where JSON is asked for, or what a report tells
 * instead, to stdout. */
int run_main(const struct options *command_line, int argc, char **argv, run_report *report);

#endif
