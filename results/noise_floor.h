/* How far measurements of the same thing lie apart on a machine: kept with the machine, found again when records of it are compared. */
#ifndef RESULTS_NOISE_FLOOR_H
#define RESULTS_NOISE_FLOOR_H

#include "compare.h"

enum { NOISE_FLOOR_PATH = 4096 };

extern const char *const noise_floor_names[COMPARE_METRICS]; /* "rate", "p50" */

/* Of one metric: the 95th percentile over cells of |ratio of the halves' medians − 1|, a cell's trials being parted into halves. */
struct noise_floor_metric {
	bool known;
	double interleaved; /* halves whose trials alternated: what two queues of one run can differ by */
	double successive;  /* the earlier and the later half: what two runs can, one after the other */
	size_t cells;
	size_t trials; /* of a half, in the cell that had fewest */
	char measured_utc[24], commit[64];
};

struct noise_floor {
	struct noise_floor_metric metrics[COMPARE_METRICS];
	char path[NOISE_FLOOR_PATH]; /* of its file, be it there or not */
};

/* Finds what a summary says of it; cells with fewer than 6 trials a half tell nothing, floors are left out. The halves themselves are
 * handed out, too: by turns, and the earlier against the later; compare_free() takes each. Returns 0 or -ENOMEM. */
int noise_floor_find(struct noise_floor *floor, struct compare_input input, struct comparison halves[2]);

/* Reads what is known of the machine that the run is of, from its file in the folder. Returns 0 (also where there is none: nothing is known
 * then), or -errno with the reason in error (RECORD_TEXT bytes). */
int noise_floor_read(struct noise_floor *floor, const char *folder, const json_t *run, char *error);

/* Puts what is known into the machine's file, and sets path; of metrics that are unknown, what stands there is kept. Missing folders are
 * made. Returns 0, or -errno with the reason in error. */
int noise_floor_write(struct noise_floor *floor, const char *folder, const json_t *run, char *error);

#endif
