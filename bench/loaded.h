/* A record as the commands have it that tell of one: read and summed up. */
#ifndef BENCH_LOADED_H
#define BENCH_LOADED_H

#include "summary.h"

struct loaded {
	struct record record;
	struct summary summary;
};

/* Returns 0, or -errno with path and reason in error (RECORD_TEXT bytes): then there is nothing to be freed. */
int loaded_read(struct loaded *loaded, const char *path, char *error);
/* The same; false, and told on stderr, where it can't be had. */
bool loaded_open(struct loaded *loaded, const char *path);
void loaded_free(struct loaded *loaded);

#endif
