/* The record of a run: JSON Lines. README.md in this folder has the format, record.schema.json has it for machines. */
#ifndef RESULTS_RECORD_H
#define RESULTS_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* RECORD_LINE_BYTES: no line is longer; a writer refuses it as well as a reader. */
enum { RECORD_SCHEMA = 1, RECORD_TEXT = 512, RECORD_LINE_BYTES = 16 << 20 };

/* ---- writing ---- */

struct record_writer;

/* Opens a new file; one that exists is never overwritten (-EEXIST), but a device or a pipe is written to. Missing
 * folders are not made. Returns 0, or -errno with the path and the reason in error (RECORD_TEXT bytes). */
int record_create(struct record_writer **writer, const char *path, char *error);

/* Appends the object as one line. NaN and infinity can't be in it (jansson refuses them). Nothing is synced yet.
 * Once a write failed, the file is cut back to its last whole line where that can be done, and every later call fails.
 */
int record_append(struct record_writer *writer, const json_t *line, char *error);
/* The same for a line that is text already, without its newline. */
int record_append_text(struct record_writer *writer, const char *line, size_t length, char *error);
/* Puts all that was appended onto the disk (fdatasync; a pipe or /dev/null is only written). */
int record_sync(struct record_writer *writer, char *error);
/* Syncs and closes; the error of any step is returned. The writer is gone afterwards. */
int record_close(struct record_writer *writer, char *error);

/* ---- reading ---- */

struct record_point {
	const char *point; /* intended, write, flush, preread, read, handled */
	uint64_t messages;
	double first_ns, last_ns; /* NAN: null; 0 is the trial's common start */
	double rate_per_s;        /* < 0: null */
};

/* Messages that passed in each window of time. */
struct record_windows {
	double width_ns;          /* 0: there are none, or the file does not tell */
	uint64_t within_messages; /* the end of each is as exact as that */
	uint64_t *messages;
	size_t count;
};

struct record_endpoint {
	int actor, queue, cpu;
	bool producer;
	struct record_point points[8];
	size_t point_count;
	double refused, empty; /* attempts; < 0: null, the queue waits by its own means */
	uint64_t batches, messages;
	double longest_gap_ns; /* < 0: null, or not told: one of a workload where nobody shares a queue */
	struct record_windows windows;
};

struct record_latency {
	int from_actor, from_queue, to_actor, to_queue; /* actors < 0: null: all producers, all consumers */
	const char *from_point, *to_point;
	const char *tag; /* "saturated" or NULL: no latency of the queue's */
	uint64_t count, below_zero, beyond;
	/* < 0: null; min_ns may be truly negative, so min_known tells. (In a trial that the audit voided for its clock
	 * the others may be negative too, and are unknown here.) */
	bool min_known;
	double min_ns, mean_ns, p50_ns, p90_ns, p99_ns, p99_9_ns, p99_99_ns, max_ns;
	double offset_half_width_ns; /* the clock's bound on this one-way latency; 0 where both points have one clock */
};

struct record_cell {
	json_t *json;    /* the cell object, borrowed from the record; one object for all trials of the cell */
	const char *key; /* the cell object as canonical text: equal keys, equal cells */
	size_t index;    /* cells are numbered in the order of their first trials */
	const char *queue, *workload, *load, *place, *wait, *stamps, *touch;
	const char *own_queue; /* in a record that was joined of several, where `queue` names its file, too; else NULL */
	uint64_t batch, message_bytes, capacity /* 0: unbounded */, window /* 0: none */, producers, consumers,
		stages /* 0: no pipeline */;
	bool prewrite, preread; /* true where a file does not tell */
	/* of an open load: offered by all producers together, or its share of the capacity; 0: not asked for so */
	uint64_t rate_per_s, rate_percent;
	const char *arrival;        /* constant, poisson, burst; NULL: no open load */
	uint64_t burst, gap_ns;     /* messages, time from one to the next; 0: none */
	uint64_t work_ns, think_ns; /* busy work per message, of a consumer, of a producer */
	double duration_ns;
};

/* The queue's name, without a file's. */
static inline const char *record_cell_queue(const struct record_cell *cell)
{
	return cell->own_queue ? cell->own_queue : cell->queue;
}

/* A bucket of the gap detector: stalls no longer than the edge, and their time in all. */
struct record_stall {
	double upper_edge_ns;
	uint64_t count;
	double total_ns;
};

/* Of a trial under an open load. < 0: null */
struct record_open {
	double offered_per_s, capacity_per_s; /* capacity: null where the rate was no share of it */
	double reached_per_s;                 /* of all producers together, until the last was written */
	double reached_share;                 /* of what was scheduled; 1 at most */
	bool rate_reached_known, rate_reached;
	bool saturated_known, saturated; /* the backlog never ceased to grow */
};

struct record_trial {
	uint64_t id; /* unique in its file, ascending */
	struct record_cell cell;
	const char *status; /* ok, invalid, crash, hang, skipped */
	const char *why;    /* NULL: null */
	bool valid, moved, disturbed;
	double line_before_ns, line_after_ns, line_least_ns; /* < 0: null */
	bool offset_known; /* of the clock of the cell's second CPU to that of its first */
	double offset_low_ns, offset_high_ns;
	double cpu_ns_per_message; /* < 0: null */
	/* CPU time over time, of the actors that write to queue 0 and of all others, summed; < 0: not known, or there are none */
	double senders_cpu_share, others_cpu_share;
	double stall_share;        /* < 0: null */
	double stall_window_ns;    /* watched by the gap detectors, summed over CPUs; < 0: null */
	/* what the system took of the time that it was watched: from the actor that lost most by each; < 0: null */
	double run_delay_share, steal_share, throttled_share;
	struct record_stall *stalls;
	size_t stall_count;
	uint64_t stamp_every, stamp_asked; /* one message in so many was stamped, and was to be; 0: null, or not told */
	bool stamps_full;                  /* the memory for stamps was full: it ended early */
	/* of a workload with several producers or consumers of a queue; < 0: null, or not told */
	double producers_jain, producers_longest_gap_ns, consumers_jain, consumers_longest_gap_ns;
	bool is_open; /* open is known */
	struct record_open open;
	double work_took_ns, think_took_ns; /* < 0: null, or not told */
	struct record_endpoint *endpoints;
	size_t endpoint_count;
	struct record_latency *latencies;
	size_t latency_count;
	bool has_positions; /* record_positions() finds some */
};

struct record {
	json_t *run; /* the first line; never NULL after record_read() */
	json_t *end; /* the last line; NULL in the record of a run that was cut off */
	struct record_trial *trials;
	size_t trial_count, cell_count;
	bool cut; /* the file ends in half a line, which was left out */
	char *path;
	struct record_index *index; /* lines read on demand; texts and cells lent to trials */
	struct record_join *join;   /* of what it was joined (record_join.h); NULL: it is a file's */
};

/* Reads a file whole, but for histograms and slices, which are found again on demand. Every schema number ≤
 * RECORD_SCHEMA is read; a newer one, another kind of file, NaN in it or a broken line other than a last one that lacks
 * its newline are errors that name the line and the field. Returns 0, or -errno with the reason in error (RECORD_TEXT
 * bytes). */
int record_read(struct record *record, const char *path, char *error);
void record_free(struct record *record);

/* Reads all that can be read of a file, histograms, slices and places in batches too: whether anything of it will be refused. The same
 * errors. */
int record_check(const char *path, char *error);

/* The whole line of a trial, for what struct record_trial has not: read again from the file, since 10,000 trees would
 * take 350 MB. NULL with the reason in error; the caller releases it with json_decref(). */
json_t *record_trial_json(const struct record *record, const struct record_trial *trial, char *error);

/* The histogram of latencies[latency] of a trial as (upper edge in ns, count), ascending; the last may stand for values
 * beyond the top. *buckets is allocated; the caller frees it. Returns their number (0: there is none), or -errno. */
struct record_bucket {
	double upper_edge_ns;
	uint64_t count;
};
long record_histogram(const struct record *record, const struct record_trial *trial, size_t latency,
		      struct record_bucket **buckets, char *error);

/* Latency by place in the batch, of a trial that tells it. Arrays are allocated, of n elements; free with record_positions_free().
 * Returns 1, 0 where the trial tells none, or -errno. */
struct record_positions {
	char from_point[16], to_point[16];
	uint64_t batch, batches, others; /* batches of that size, messages in others */
	size_t n;
	uint64_t *position;       /* from 1 on, ascending */
	double *p50_ns, *p99_ns;  /* NAN: null */
};
int record_positions(const struct record *record, const struct record_trial *trial, struct record_positions *positions, char *error);
void record_positions_free(struct record_positions *positions);

/* The slice of a trial: consecutive messages with their times at two points. Arrays are allocated; free with
 * record_slice_free(). Returns 1, 0 where the trial has none, or -errno. */
struct record_slice {
	char from_point[16], to_point[16];
	size_t n;
	uint64_t *sequence;
	double *from_ns, *to_ns;
};
int record_slice(const struct record *record, const struct record_trial *trial, struct record_slice *slice,
		 char *error);
void record_slice_free(struct record_slice *slice);

#endif
