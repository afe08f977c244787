/* Records for tests: lines of example.jsonl, changed at will, in files that vanish. */
#ifndef RESULTS_TESTS_SAMPLE_H
#define RESULTS_TESTS_SAMPLE_H

#include "record.h"

#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>

enum { SAMPLE_RUN, SAMPLE_TRIAL, SAMPLE_HISTOGRAM, SAMPLE_SLICE = 4, SAMPLE_CRASH, SAMPLE_OPEN, SAMPLE_END };

#define SAMPLE_EXAMPLE "results/tests/example.jsonl"

/* A line of the example, by its number from 0. The caller releases it. */
json_t *sample_line(int number);

/* A file under /tmp, to be written line by line. */
struct sample {
	char path[64];
	FILE *file;
};
void sample_open(struct sample *sample);
void sample_text(struct sample *sample, const char *line); /* adds the newline */
void sample_json(struct sample *sample, json_t *line);     /* takes the reference */
void sample_close(struct sample *sample);
void sample_remove(struct sample *sample);

/* The example's pingpong trial with this id, queue and round trip of the line, before and after. */
json_t *sample_trial(int id, const char *queue, double before_ns, double after_ns);
/* The same as a saturated stream: one latency, tagged; the rates at both ends. */
json_t *sample_stream(int id, const char *queue, int batch, double line_ns, double sender_per_s, double receiver_per_s);
/* The example's stream under an open load of that share of the capacity, and whether its backlog never ceased to grow; a saturated one
 * reached half of the rate. */
json_t *sample_open_load(int id, const char *queue, int percent, bool saturated);
/* Sets a percentile of latency 0 … in a trial. */
void sample_latency(json_t *trial, size_t latency, const char *field, double value);

/* Latency 0 … of so few samples that it has no percentile (fewer than 20). */
void sample_poor(json_t *trial, size_t latency, int samples);
/* One message in so many was stamped, and was to be. */
void sample_stamps(json_t *trial, int every, int asked, bool full);

/* Reads and summarises nothing but what must be readable: fails the test otherwise. */
void sample_read(struct record *record, const char *path);

#endif
