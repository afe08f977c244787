/* One trial, in a process of its own: pins its actors, allocates, brackets with the line's round trip, warms up, measures, verifies. */
#ifndef BENCH_TRIAL_H
#define BENCH_TRIAL_H

#include <jansson.h>
#include <stdio.h>

#include "cell.h"
#include "clock.h"
#include "disturbance.h"
#include "endpoint.h"
#include "gap.h"
#include "line.h"
#include "memory.h"

enum { TRIAL_TEXT = 256, TRIAL_PATH = 4096 };

/* What the parent asks for: the last argument of `twopoint trial`, as JSON. */
struct trial_request {
	struct cell cell;
	struct clock clock;
	uint64_t seed;       /* lays out stack and heap; below 2^53, as a reader of JSON may keep it */
	uint64_t gap_ns;     /* how long each CPU is watched for stalls */
	uint64_t memory_limit_bytes;
	double least_trip_ns;                /* the least round trip of this pair seen so far; 0: none yet */
	double offset_low_ns, offset_high_ns; /* the clocks' offset as known so far; −, + infinity */
	bool allow_unpinned;
	bool slice; /* some consecutive messages' stamps are wanted */
	/* of an open load */
	uint64_t rate_per_s;      /* of all producers together; 0 where the cell has a gap */
	double capacity_per_s;    /* that it is a share of; 0: it is none */
	uint64_t capacity_trial;  /* the id of the trial that measured that */
	char raw[TRIAL_PATH];     /* the file that all stamps are appended to; empty: none */
	uint64_t id;              /* the trial's in that file */
};

json_t *trial_request_to_json(const struct trial_request *request);
/* plugin: the table of the queue that is asked for, where it is a plug-in's; else NULL. */
int trial_request_from_json(struct trial_request *request, const json_t *json, const struct queue *plugin, char error[CELL_TEXT]);

/* An endpoint in use: which actor holds it, what it was given, what it gave back. */
struct trial_endpoint {
	bool used;
	unsigned actor, queue;
	unsigned index; /* among the queue's producers, or consumers */
	struct endpoint_plan plan;
	struct endpoint_account account;
};

struct trial_actor {
	struct trial *trial;
	unsigned index;
	int cpu;
	pthread_t thread;
	bool started, pinned;
	struct trial_endpoint out, in;
	struct arrivals arrivals; /* of out, under an open load */
	double work_took_ns, think_took_ns; /* by the calibration; 0: there is none */
	struct gap_account gaps;
	struct disturbance before, after; /* around the loops, and around the wait for the common start */
	struct thread_times began, ended; /* around the loops alone */
	struct memory_region *stamps_memory;
	const char *volatile doing; /* NULL: it has not begun; looked at by the main thread if the trial hangs */
	char error[TRIAL_TEXT];
	bool environment_error; /* not the queue's fault but the machine's: the run can't go on */
};

struct trial {
	const struct trial_request *request;
	const struct target *target;
	FILE *out; /* where its lines go */
	void *queues[CELL_QUEUES_MAX];
	unsigned queue_count, actor_count;
	struct queue_memory memory; /* what the queues are handed: passes on to the region */
	struct memory_region *region;
	struct memory_facts memory_before; /* when the measured phase began */
	struct memory_facts memory_after;
	struct stream_shared *shared; /* [queue_count] */
	struct fan_shared *fan;       /* NULL: each queue has one producer and one consumer */
	struct line_exchange *exchange;
	struct line_result line_before, line_after; /* of actor 0 with cell_line_partner() */
	struct trial_actor actors[CELL_ACTORS_MAX];
	uint64_t start; /* ticks: time 0 */
	struct clock_pair clock_before, clock_after;
	int64_t throttled_before_ns, throttled_after_ns;
	/* where actors meet */
	pthread_mutex_t meeting;
	pthread_cond_t met;
	unsigned waiting, meetings;
	bool failed;
};

/* The whole of `twopoint trial REQUEST`: writes the trial's lines to stdout, whose first is the trial. Returns the exit status. */
int trial_main(const char *request);

/* Whether each actor runs on its CPU and nowhere else. */
bool trial_is_pinned(const struct trial *trial);

/* Writes what a finished trial found: its line, histograms, a slice. In trial_report.c. */
void trial_report(const struct trial *trial, FILE *out);

#endif
