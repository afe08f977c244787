/* Several records as one, so that what draws one record draws them side by side. */
#ifndef RESULTS_RECORD_JOIN_H
#define RESULTS_RECORD_JOIN_H

#include "record.h"

struct record_part {
	const struct record *record;
	const char *name; /* UTF-8, short, and no other's: its cells' queues are called "QUEUE (NAME)" */
};

struct record_join {
	struct record_part *parts;
	size_t count;
	struct record_cell *cells; /* the parts' cells, one behind the other; each owns its json */
	size_t cell_count;
	char **texts; /* two a cell: its queue, its key */
};

/* One record that holds the trials of all parts, which must outlive it. No cell is shared by two parts, even where their parameters are the
 * same. Its first line is the first part's; its last line says of clocks only what holds for all. To be ended by record_join_free(), not by
 * record_free(). Returns 0 or -ENOMEM. */
int record_join(struct record *joined, const struct record_part *parts, size_t count);
void record_join_free(struct record *joined);

/* The record that a trial was read from; *trial becomes its own. A record that is not joined is its own. */
const struct record *record_join_part(const struct record *record, const struct record_trial **trial);

#endif
