/* How far measurements of the same thing lie apart on a machine: kept with the machine, found again when records of it are compared. */
#ifndef RESULTS_NOISE_FLOOR_H
#define RESULTS_NOISE_FLOOR_H

#include "compare.h"

enum {
	NOISE_FLOOR_PATH = 4096,
	NOISE_FLOOR_PART = 10,
	NOISE_FLOOR_PAIRS = 20, /* of fewer pairs of parts, what one in twenty exceeds is no more than the greatest that was met */
};

extern const char *const noise_floor_names[COMPARE_METRICS]; /* "rate", "p50" */

/* Of one metric: 95th percentiles of |ratio of medians − 1|, of parts of the same cell's trials. */
struct noise_floor_metric {
	bool known;
	double interleaved; /* over cells, of halves whose trials alternated: what two queues of one run can differ by */
	/* over cells and each two of a cell's parts of NOISE_FLOOR_PART trials, or of its halves where they are smaller, one after the other:
	 * what two runs can differ by */
	double successive;
	size_t cells;
	size_t trials; /* of a half, in the cell that had fewest */
	size_t pairs;  /* of parts one after the other; 0: not told, by an older file */
	char measured_utc[24], commit[64];
};

/* Whether it rests on so few pairs of parts that two runs may well differ by more. */
static inline bool noise_floor_is_thin(const struct noise_floor_metric *metric)
{
	return metric->known && metric->pairs && metric->pairs < NOISE_FLOOR_PAIRS;
}

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
