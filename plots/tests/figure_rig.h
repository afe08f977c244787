/* Records for figures, made of lines of the example, and what was drawn of them. */
#ifndef PLOTS_TESTS_FIGURE_RIG_H
#define PLOTS_TESTS_FIGURE_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "figures.h"
#include <stdio.h>

#define EXAMPLE "results/tests/example.jsonl"

struct fixture {
	char folder[64], record_path[96];
	json_t *run, *trial, *open, *end;
	FILE *out;
	int trials, stamp_every; /* 0: as the example has it */
	struct record record;
	struct summary summary;
	bool read;
	char path[512], message[2048];
};

/* Around each test: a folder and a file that vanish. */
int rig_setup(void **state);
int rig_teardown(void **state);
#define TEST(name) cmocka_unit_test_setup_teardown(name, rig_setup, rig_teardown)

/* ---- the record: record_begin(), lines, record_finish() ---- */

void record_begin(struct fixture *fixture);
void record_finish(struct fixture *fixture);
/* The record of a file that is there. */
void record_take(struct fixture *fixture, const char *path);
/* Something for each figure. */
void record_ordinary(struct fixture *fixture);

/* A trial to be changed; the caller releases it. */
json_t *trial_like(struct fixture *fixture, const char *queue, const char *workload, const char *load,
		json_int_t batch, double line_ns);
json_t *stream_trial(struct fixture *fixture, const char *queue, json_int_t batch, double rate_per_s, double line_ns);
/* That element of an array that must be there. */
json_t *element(json_t *of, const char *array, size_t index);
void line_put(struct fixture *fixture, const json_t *line);

/* Whole trials. */
void stream_put(struct fixture *fixture, const char *queue, json_int_t batch, double rate_per_s, double line_ns);
/* capacity below 0: the window of a queue without bound */
void capacity_put(struct fixture *fixture, const char *queue, json_int_t capacity, json_int_t batch, double rate_per_s);
void switches_put(struct fixture *fixture, const char *queue, bool prewrite, bool preread, json_int_t batch, double rate_per_s);
/* n threads on a side that has several, on two CPUs. */
void fan_put(struct fixture *fixture, const char *workload, const char *queue, json_int_t n, double rate_per_s, double jain);
/* A ping-pong whose round trips are: `fast` of 200 ns, `slow` of 5 us, `beyond` above the histogram's top. */
void pingpong_put(struct fixture *fixture, const char *queue, json_int_t fast, json_int_t slow, json_int_t beyond);
void slice_put(struct fixture *fixture);
/* A closed stream with the medians of write:flush, flush:preread, preread:read (below 0: null) and of the whole; batches of more than
 * one tell that place p takes (batch + 1 − p) × 100 ns, ten times that at the 99th percentile. */
json_t *parts_trial(struct fixture *fixture, const char *queue, json_int_t batch, const double *p50_ns, double whole_ns);
void parts_put(struct fixture *fixture, const char *queue, json_int_t batch, const double *p50_ns, double whole_ns);
/* An open load of that share of the capacity; the 99th percentile is ten times the median. */
json_t *open_share_trial(struct fixture *fixture, const char *queue, json_int_t percent, double capacity_per_s, double p50_ns,
			 bool saturated);
void open_put(struct fixture *fixture, const char *queue, json_int_t percent, double capacity_per_s, double p50_ns, bool saturated);
/* A message each gap. */
void gap_put(struct fixture *fixture, const char *queue, const char *wait, json_int_t gap_ns, double p50_ns);
void stamps_put(struct fixture *fixture, const char *queue, const char *stamps, double rate_per_s);
/* A saturated stream whose reader passed so many messages in n windows of 10 ms, over and over. */
void windows_put(struct fixture *fixture, const char *queue, const int *messages, size_t kinds, size_t n);

/* ---- what was drawn ---- */

int draw(struct fixture *fixture, const char *name, const char *terminal);
/* A file of the folder; NULL: there is none. The caller frees it. */
char *file_text(const struct fixture *fixture, const char *name);
bool file_has(const struct fixture *fixture, const char *name, const char *what);
bool file_exists(const struct fixture *fixture, const char *name);
size_t folder_count(const struct fixture *fixture);

#endif
