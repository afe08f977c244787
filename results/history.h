/* Results of many runs in one file, an SQLite database: what each cell came to in each run, on which machine and in which regime. */
#ifndef RESULTS_HISTORY_H
#define RESULTS_HISTORY_H

#include "summary.h"

struct history;

/* Opens the file. to_write: it is made where there is none (its folder must be there); else that is an error. What is no history, is
 * damaged, or was made by a newer version is refused. Returns 0, or -errno with the reason in error (RECORD_TEXT bytes). */
int history_open(struct history **history, const char *path, bool to_write, char *error);
void history_close(struct history *history);

enum history_added {
	HISTORY_ADDED,
	HISTORY_THERE,     /* that run is in it already: nothing was done */
	HISTORY_COMPLETED, /* it was, with fewer trials: these took their place */
};
/* All of a run or nothing, whoever else adds at the same time. Runs are told apart by what their first line says: when, where, with which
 * seed and command they were started. Returns an enum history_added, or -errno with the reason in error. */
int history_add(struct history *history, const struct record *record, const struct summary *summary, char *error);

/* ---- what is in it ---- */

enum { HISTORY_FINGERPRINT = 24 };

/* The same machine is one of the same CPU model, number of CPUs, major version of the kernel, hypervisor and clock: identity.h's. */
struct history_machine {
	char fingerprint[HISTORY_FINGERPRINT]; /* "3f2a91c0" */
	json_t *identity;
};

struct history_run {
	int64_t id;
	size_t machine;
	char *started_utc, *commit, *version, *suite;
	bool complete;
	uint64_t trials;
};

struct history_cell {
	int64_t id; /* its number, from 1 on; for good */
	json_t *parameters;
	const char *queue; /* of the parameters */
	size_t points;
};

struct history_value {
	bool known;
	double median;
	struct interval interval;
};

/* A cell in one regime of a run. */
struct history_point {
	size_t run, cell;
	double regime_ns;      /* < 0: the line was not measured */
	uint64_t trials;
	struct history_value rate, p50_ns, p99_ns; /* rate: at the reader */
	bool is_time;          /* what is compared of it is the p50, not the rate: compare.h's choice */
	const char *lost;      /* an open load that has no p50, though its cell has one in another run: "saturated", "not reached", or, of an
				  older history, that does not tell which, "saturated?"; it is slower than any that has one. NULL: no such */
	char latency[48];      /* what the percentiles are of: "the round trip write:read"; "": there are none */
	double clock_bound_ns; /* so far the clocks may be apart; infinite where that is not known */
};

/* In the order of their start; points by cell, then run, those of most trials first. */
struct history_view {
	struct history_machine *machines;
	size_t machine_count;
	struct history_run *runs;
	size_t run_count;
	struct history_cell *cells;
	size_t cell_count;
	struct history_point *points;
	size_t point_count;
};

/* Whether a cell is wanted; NULL: each is. */
typedef bool history_filter(const struct history_cell *cell, const void *wish);

/* Reads all runs, and the points of the cells that are wanted. Returns 0, or -errno with the reason in error; the view is to be freed after
 * 0. */
int history_read(struct history *history, struct history_view *view, history_filter *filter, const void *wish, char *error);
void history_view_free(struct history_view *view);

/* "stream ring, saturate, batch 1, …": a cell in words. Returns text. */
char *history_cell_text(char *text, size_t size, const struct history_cell *cell);
/* What is compared of a point, and what that is called. */
const struct history_value *history_headline(const struct history_point *point);
/* Whether it has that, or has lost it. */
bool history_point_counts(const struct history_point *point);
char *history_headline_text(char *text, size_t size, const struct history_point *point);

#endif
