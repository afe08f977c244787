/* `twopoint compare`: two records, or the queues of one: which is faster, with what certainty. */
#ifndef BENCH_COMPARE_COMMAND_H
#define BENCH_COMPARE_COMMAND_H

#include "noise_floor.h"
#include "options.h"

/* Returns the exit status. */
int compare_main(const struct options *options);

/* The folder that noise floors are kept in. False: no environment names one. */
bool noise_floor_folder(char *path, size_t size);

/* Puts into the settings what aa found on the machine that the record is of: of two runs one after the other, or of one. False, and told on
 * stderr, where it can't be read. */
bool compare_floor_take(struct compare_settings *settings, struct noise_floor *floor, const struct record *record, bool successive);

/* Columns of the terminal on standard output; 0: there is none. */
unsigned compare_width(void);

#endif
