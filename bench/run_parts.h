/* What the parts of a run share. */
#ifndef BENCH_RUN_PARTS_H
#define BENCH_RUN_PARTS_H

#include "capacity.h"
#include "clock.h"
#include "headline.h"
#include "limits.h"
#include "plan.h"
#include "plugins.h"
#include "progress.h"
#include "record.h"
#include "run.h"
#include "suite.h"
#include "topology.h"
#include "until.h"

enum {
	RUN_PAIRS = 64,
	RUN_PATH = 4096,
};

/* What is known of two CPUs: it grows with each trial. */
struct pair {
	int cpus[2];
	double least_trip_ns;
	double offset_low_ns, offset_high_ns;
};

/* How one cell fares. */
struct tally {
	uint64_t attempts, trials; /* tried so far; of these, with a result */
	uint64_t failures;         /* crashes and hangs in a row, the last ones */
	bool given_up;
	uint64_t first_id;         /* of its first trial with a result */
	double *line_ns;           /* of its valid trials that did not move, `good` of them */
	size_t good;
	uint64_t blocks;           /* so many blocks have come to it: it was tried in the last of them */
	struct capacity capacity;  /* by its last trial, where others' rates are shares of it */
};

struct run {
	struct suites suites;
	const struct run_settings *settings;
	struct plugins plugins;
	struct plan plan;
	struct topology *topology;
	struct limits limits;
	struct clock clock;
	struct clock_pair clock_began;
	struct pair pairs[RUN_PAIRS];
	size_t pair_count;
	struct tally *tallies; /* by cell */
	struct until until;
	run_report *report; /* NULL: the table, or the record itself */
	struct record_writer *record;
	bool record_failed; /* and was told of */
	char path[RUN_PATH];
	struct progress progress;
	char headline[HEADLINE_TEXT]; /* of the last trial */
	uint64_t next_id, began_ns;
	bool out_of_time, clocks_moved;
	int status; /* what the run must exit with, whatever else comes */
};

/* Tells what is wrong, and what status the run must exit with. Returns false. */
__attribute__((format(printf, 3, 4))) bool run_fail(struct run *run, int status, const char *format, ...);

/* In run_record.c: false where the run can't go on. */

/* Where the record goes. */
bool run_choose_path(struct run *run);
/* At that path, or, where no path was asked for and it is taken, beside it. Returns 0, or -errno with the reason in error. */
int run_create_record(struct run *run, char *error);
/* The record's first line. */
bool run_begin_record(struct run *run, int argc, char **argv);
/* Writes a line and syncs. */
bool run_append_line(struct run *run, const json_t *line);
/* Writes the trial's line and what follows it, and syncs. */
bool run_record_trial(struct run *run, json_t *trial, uint64_t id, const char *details);
/* The record can't be written: told once. Returns false. */
bool run_fail_record(struct run *run, const char *error);

/* In run_trial.c: a trial of the cell at this position, kept. False: the run can't go on, or was interrupted. */
bool run_one(struct run *run, size_t index);

/* In run_blocks.c: block by block. True: all were run. */
bool run_trials(struct run *run);

/* In run_end.c: the record's last line, and what is told of the record. */
void run_finish(struct run *run, bool complete);

#endif
