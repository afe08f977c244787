/* What a record says, cell by cell and regime by regime: medians over trials with their intervals. */
#ifndef RESULTS_SUMMARY_H
#define RESULTS_SUMMARY_H

#include "record.h"
#include "regime.h"
#include "statistics.h"
#include "windows.h"

struct summary_value {
	bool known;    /* false: no trial has it (null) */
	double median; /* over the trials that count: valid and not moved, disturbed ones included */
	struct interval interval;
	bool calm_known;
	double calm_median; /* the same without the disturbed ones */
	size_t n;           /* how many trials have it */
};

/* Percentiles are told only where ten samples lie beyond them. */
enum { SUMMARY_P50_SAMPLES = 20, SUMMARY_P99_SAMPLES = 1000 };

/* How many samples the trials of a row have of one latency. */
struct summary_samples {
	size_t trials;        /* that have this latency */
	size_t poor;          /* of these, with too few for a p50 */
	size_t left_out;      /* the poor ones where they are few: left out of all that is told of the latency; else 0 */
	uint64_t least, most; /* of those that are not left out */
	uint64_t most_left_out;
};

/* What became of the stamps of a row's trials. */
struct summary_stamps {
	size_t thinned;            /* trials that stamped one in more messages than asked for */
	uint64_t asked;            /* one in so many, of these */
	uint64_t every_least, every_most; /* the same as it came */
	size_t full;               /* trials that ended early, for their stamps found no more room */
};

struct summary_latency {
	const char *from_point, *to_point;
	int from_actor, from_queue, to_actor, to_queue; /* actors < 0: all producers, all consumers */
	bool round_trip; /* out by one queue and back by another: both points at one actor */
	bool saturated;     /* a sojourn at the stated capacity, or under an open load that is saturated or missed: none of the queue's */
	bool clock_limited; /* the clock's bound exceeds a quarter of the p50 */
	struct summary_samples samples;
	struct summary_value min_ns, mean_ns, p50_ns, p90_ns, p99_ns, p99_9_ns, p99_99_ns, max_ns;
	double greatest_ns; /* of all trials: what the median of their maxima is no bound of; < 0: unknown */
	/* The clocks' bound: a one-way latency is the difference of two clocks as they stand, so it is the farthest
	 * that their offset can be from 0 by what all trials of the run found out; 0 for a round trip, infinite where
	 * the two clocks were not held against each other. */
	double offset_half_width_ns;
	uint64_t below_zero, beyond; /* samples of all trials: negative, and above the histogram's top */
};

/* How evenly the endpoints of one side moved messages; of a workload where several share a queue. */
struct summary_side {
	struct summary_value least_rate, most_rate; /* messages/s: of the slowest, of the fastest endpoint */
	struct summary_value jain;                  /* Jain's index over their rates: 1 is even, 1 / n: one moved all */
	struct summary_value longest_gap_ns;        /* the longest time in which an endpoint moved hardly anything */
};

/* What the receivers' windows of time tell (windows.h), of all trials that count and have them. */
struct summary_windows {
	size_t count, stalls;       /* windows; next to nothing moved in these */
	double width_ns;
	struct windows_modes modes; /* of all together: between trials, or within them */
	size_t courses[WINDOWS_COURSES]; /* trials; those of too few windows are unknown */
};

/* What became of an open load; nothing is known of others. */
struct summary_open {
	struct summary_value offered_per_s, capacity_per_s; /* capacity: where the rate was a share of it */
	struct summary_value reached_per_s, reached_share;  /* as in struct record_open */
	size_t saturated, missed;                           /* trials whose backlog never ceased to grow; whose rate was not reached */
	size_t untold;                                      /* trials of which it is not known whether they were saturated */
};

struct summary_row {
	const struct record_cell *cell; /* borrowed from the record */
	const char *regime;             /* "r150"; "r?" where the line was not measured or no trial counts */
	double line_ns;                 /* the regime's; < 0: unknown */
	size_t trials;                  /* counted into the medians */
	size_t disturbed;               /* of these */
	bool first;                     /* the cell's first row, where most of its trials are: its main regime */
	/* Not counted: the audit voided it, the line moved, crash or hang. They belong to no regime, and are told of
	 * the whole cell in its first row only, so that they add up over rows. */
	size_t invalid, moved, failed;
	/* messages/s at the `write` points of queue 0's producers and at the `read` points of its consumers (of a
	 * pipeline: of its last queue's), summed over endpoints */
	struct summary_value sender_rate, receiver_rate;
	size_t both_rates; /* trials that have both of them: where one alone is known, the two medians are of different trials */
	struct summary_side senders, receivers; /* nothing is known where nobody shares a queue */
	struct summary_windows windows;
	struct summary_stamps stamps;
	struct summary_open open;
	bool saturated; /* an open load: half of its trials or more are so */
	bool missed;    /* half of them or more were saturated, or their rate was not reached; of the latter there are some */
	struct summary_value mean_batch;                 /* messages per flush at the producers that came about */
	struct summary_value refused_share, empty_share; /* refused per accepted message, empty per preread */
	struct summary_value cpu_ns_per_message;
	/* CPU time over time, summed over the actors that write to queue 0, and over all others */
	struct summary_value senders_cpu_share, others_cpu_share;
	struct summary_latency *latency; /* one for each pair of points, in the trials' order */
	size_t latency_count;
	struct record_trial const **members; /* the trials counted, `trials` of them, in the record's order */
	bool *member_disturbed;              /* by member */
};

/* The machine's own floor: the stall that an arrival at a random instant meets, pooled over the run's gap detectors. */
struct summary_floor {
	bool known;
	double stall_share;                              /* of all time, that stood still */
	double p50_ns, p90_ns, p99_ns, p99_9_ns, max_ns; /* of the wait that a random arrival meets */
};

struct summary_verdict {
	bool fit;
	char reasons[8][200];
	size_t reason_count;
};

struct summary {
	struct summary_row
		*rows; /* in the record's order of cells; in one, regimes by their number of trials, most first */
	size_t row_count;
	struct regime *regimes;           /* of the trials counted */
	size_t regime_count, main_regime; /* main: the most frequent one */
	struct summary_floor floor;
	struct summary_verdict rates, tails;
	size_t trials, counted, invalid, failed, moved, disturbed, skipped; /* disturbed ones are counted */
};

/* Returns 0 or -errno. The summary borrows from the record, which must outlive it. */
int summary_make(struct summary *summary, const struct record *record);
void summary_free(struct summary *summary);

/* Whether an open load's trial was saturated, or its rate not reached: its latencies are no stationary ones. */
bool summary_trial_fell_behind(const struct record_trial *trial);

/* Whether it stamped one in more messages than it was asked to. */
bool summary_trial_is_thinned(const struct record_trial *trial);

/* null, line, stream-limit, stream-near: what the harness and the hardware allow, measured as if it were a queue. */
bool summary_is_floor(const struct record_cell *cell);

#endif
