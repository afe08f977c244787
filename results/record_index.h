/* Where the lines of a record lie that are read on demand. */
#ifndef RESULTS_RECORD_INDEX_H
#define RESULTS_RECORD_INDEX_H

#include "record_trial.h"

struct line_place {
	uint64_t offset;
	size_t length, number;
};

enum { RECORD_SLICE = -1 }; /* in place of a latency's number */

/* A histogram or a slice, which stays in the file until it is asked for. */
struct record_detail {
	struct line_place place;
	uint64_t id;
	long latency;
};

struct record_index {
	int fd;
	struct line_place *trials; /* beside record->trials */
	size_t trial_room;
	struct record_detail *details; /* in the file's order, thus by ascending id */
	size_t detail_count, detail_room;
	struct record_pool pool;
};

#endif
