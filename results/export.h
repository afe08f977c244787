/* A record in the formats of other tools. Each writer gives 0, or −errno with the reason in error (RECORD_TEXT bytes); whether all that was
 * written arrived is for the caller to ask of the stream. */
#ifndef RESULTS_EXPORT_H
#define RESULTS_EXPORT_H

#include "summary.h"

#include <stdio.h>

/* One row a trial, those that do not count among them, by RFC 4180; its first row names the columns, with their units. Null is empty. */
int export_csv(FILE *out, const struct record *record, const struct summary *summary, char *error);

/* Benchmarks in the JSON of Google Benchmark: each trial that counts is a repetition, times are of one message, or of one round
 * trip or latency (its p50), which a name's end tells: /rate_read, /p50_round-trip_write-read; cpu_time is that of all threads for one message, 0 where it is not known. */
int export_gbench(FILE *out, const struct record *record, const struct summary *summary, char *error);

/* The medians with their intervals as gauges of OpenMetrics 1.0. */
int export_openmetrics(FILE *out, const struct record *record, const struct summary *summary, char *error);

/* Latencies as HdrHistogram's log, version 1.3, of histograms of version 2 with three digits, in ns: one interval a trial and latency, whose
 * tag is the name of its distribution. */
int export_hlog(FILE *out, const struct record *record, const struct summary *summary, char *error);

/* One latency of one row, all trials together, as HdrHistogram prints percentiles, in ns. */
int export_hgrm(FILE *out, const struct record *record, const struct summary_row *row, const struct summary_latency *latency, char *error);

/* ---- names ---- */

enum { EXPORT_NAME = 400 };

/* What a row is called: "stream/ring/saturate/batch:10/message_bytes:64/…/line:90-128ns", with what is usual left out. It is the same in each
 * record of the same cell and of about the same regime: tools pair runs by it. Two rows of one record never have the same. Allocated, one a
 * row of the summary; NULL: no memory. */
char (*export_names(const struct summary *summary))[EXPORT_NAME];
/* "…_write_0-read_1", as a tag or a file's name: of letters, digits, '.', '_' and '-'. */
void export_distribution_name(char name[EXPORT_NAME + 64], const char *row_name, const struct summary_latency *latency);

/* Whether it is a latency that is exported as a histogram: what a table shows, and of one trial that has a sample, at least. */
bool export_has_distribution(const struct summary_row *row, const struct summary_latency *latency);

/* What histograms leave out, as tables do. */
struct export_left_out {
	size_t saturated; /* sojourns in full queues, and latencies of rows whose rate was not reached */
	size_t behind;    /* trials of the other rows that fell behind their schedule */
};
struct export_left_out export_left_out_count(const struct summary *summary);

#endif
