/* Two measurements of the same cells: which is faster, with what certainty. Of two records, or of one record's queues against one of them.
 */
#ifndef RESULTS_COMPARE_H
#define RESULTS_COMPARE_H

#include "summary.h"

enum { COMPARE_TEXT = 200 };

extern const double compare_threshold; /* a share: changes no larger are none where nobody asks for another */
extern const double compare_level; /* of an error: the chance of even one false verdict among a comparison's */

enum compare_verdict {
	COMPARE_SLOWER,
	COMPARE_FASTER,
	COMPARE_UNCHANGED,    /* no detectable change */
	COMPARE_BLIND,        /* none either, but not even a doubling would have been seen: not judged */
	COMPARE_NOISY,        /* the machine disturbed one side more than the other */
	COMPARE_TOO_FEW,      /* so few trials can't show a difference of any size, among so many cells */
	COMPARE_INCOMPARABLE, /* and why */
	COMPARE_VERDICTS
};
extern const char *const compare_verdict_names[COMPARE_VERDICTS];

/* What is compared of a cell: one thing. */
enum compare_metric {
	COMPARE_RATE, /* messages/s that the receiver (the sum of the receivers) read: more is faster */
	COMPARE_TIME, /* the p50 of a latency: less is faster */
	COMPARE_METRICS
};

/* One side of a comparison: a number for each trial. */
struct compare_sample {
	double *values;
	size_t n, zeros;   /* values of 0 or below, which have no ratio: where there are any, the row is refused */
	size_t left_out;   /* trials besides the n: with too few messages for a median or a rate; where they are many, the row is refused */
	size_t thinned;    /* of the n: stamped one in more messages than asked for, as older versions did where room was short */
	double *disturbed; /* for each of the n: 0 or 1 */
	double *stalls;    /* share of time that the CPUs stood still, of those trials where it was watched */
	size_t stall_n;
	double median;            /* of the values; this and what follows is filled in by compare_judge() */
	struct interval interval; /* of the median */
};

struct compare_row {
	/* the cells, borrowed from their records; NULL: that side has none. baseline: old, or the queue compared with */
	const struct record_cell *baseline_cell, *cell;
	char baseline_regime[16], regime[16]; /* "r104"; "-" where no trial is compared; "all" where they are not told apart */
	size_t baseline_lost, lost;           /* trials of the whole cell that were invalid, crashed or hung */
	enum compare_metric metric;
	char metric_name[64];  /* "rate at read", "p50 of the round trip write:read", "p50 of intended:read" */
	double baseline_offered_per_s, offered_per_s; /* of an open load, medians; < 0: unknown */
	double clock_bound_ns; /* of a one-way latency: by so much the clocks' unknown offsets alone may make the two sides differ */
	struct compare_sample baseline, sample;
	bool unmatched; /* a cell of the baseline that nothing stands against */

	enum compare_verdict verdict;
	char reason[COMPARE_TEXT]; /* of one that was not judged; else "" */
	double change;             /* median over the baseline's median, less 1; known where both have a trial */
	bool tested;               /* the following are known */
	struct interval interval;  /* of the change, 95 % */
	double p, p_adjusted;      /* Mann-Whitney's, and by Holm over all rows that were tested */
	double least_change;       /* any change of this size or more, either way, would have been called; < 0: none would */
	double least_factor;       /* the same as a factor, up or down: no rate falls by 100 %. INFINITY: one of the two ways none would */
};

struct compare_settings {
	double threshold;              /* share: changes no larger are none */
	double floor[COMPARE_METRICS]; /* the machine's own noise, as a share; < 0: unknown */
	bool ignore_regime;            /* trials of all regimes together */
};

/* The machine while all trials of a side were measured; shares < 0: unknown. */
struct compare_machine {
	double disturbed_share, stall_share;
	double *disturbed; /* of the n trials that count, each 0 or 1 */
	size_t n;
	double *stalls; /* share of time that the CPUs stood still, of those trials where it was watched */
	size_t stall_n;
};

struct comparison {
	struct compare_settings settings;
	struct compare_row *rows; /* in the baseline's order, then what it has not */
	size_t row_count;
	size_t tests;                      /* rows that were tested together */
	size_t verdicts[COMPARE_VERDICTS]; /* rows of each */
	size_t unmatched;                  /* cells of the baseline that nothing stands against */
	char incomparable[COMPARE_TEXT];   /* why nothing can be compared at all; else "" */
	char noisy[COMPARE_TEXT];          /* why all is noisy: one side's whole run was disturbed more; else "" */
};

/* A record with what it says. */
struct compare_input {
	const struct record *record;
	const struct summary *summary;
};

/* Cells of `changed` against the same cells of `baseline`. Returns 0 or -ENOMEM. The comparison borrows from both. */
int compare_records(struct comparison *comparison, struct compare_input baseline, struct compare_input changed,
		    const struct compare_settings *settings);

/* A record's other queues, floors excepted, against the queue of that name in cells whose parameters are the same but for what the queues'
 * nature decides: a wait of native, and a window in place of a capacity. Returns 0 or -ENOMEM. */
int compare_queues(struct comparison *comparison, struct compare_input input, const char *baseline,
		   const struct compare_settings *settings);

void compare_free(struct comparison *comparison);

/* Judges rows whose samples are filled in, and counts the verdicts; rows with the verdict COMPARE_INCOMPARABLE are left as they are.
 * machines: of the baseline and of the other side, or NULL where both sides were measured at one time. Returns 0 or -ENOMEM. */
int compare_judge(struct comparison *comparison, const struct compare_machine machines[2]);

/* The verdict as an exit status: 1: a row is slower, where that is a regression; 4: no row is faster, slower or without a change that
 * would have been seen, be it a doubling, or a cell of the baseline is unmatched; else 0. */
int compare_status(const struct comparison *comparison, bool slower_is_regression);

#endif
