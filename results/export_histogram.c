#include "export_parts.h"
#include "hdr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Whole ns, as HdrHistogram's values are integers. It has none below 0: those are told of. */
static int take_buckets(struct hdr *hdr, const struct record_bucket *buckets, size_t count, uint64_t *below_zero)
{
	for (size_t i = 0; i < count; i++) {
		double ns = buckets[i].upper_edge_ns;

		if (ns < 0)
			*below_zero += buckets[i].count;
		if (hdr_add(hdr, ns > 0 ? (uint64_t)llround(fmin(ns, 9e18)) : 0, buckets[i].count))
			return -ENOMEM;
	}
	return 0;
}

static int fail(char *error, const struct record *record, int err)
{
	if (err == -ENOMEM)
		snprintf(error, RECORD_TEXT, "%.300s: no memory for a histogram", record->path);
	return err;
}

/* Adds a trial's histogram. */
static int take_trial(struct hdr *hdr, const struct record *record, const struct record_trial *trial, const struct record_latency *latency,
		      uint64_t *below_zero, char *error)
{
	struct record_bucket *buckets = NULL;
	long count = record_histogram(record, trial, (size_t)(latency - trial->latencies), &buckets, error);
	int err = count < 0 ? (int)count : take_buckets(hdr, buckets, (size_t)count, below_zero);

	free(buckets);
	return count < 0 ? err : fail(error, record, err);
}

int export_hgrm(FILE *out, const struct record *record, const struct summary_row *row, const struct summary_latency *latency, char *error)
{
	struct hdr hdr = { 0 };
	uint64_t below_zero = 0, beyond = 0;
	size_t trials = 0;
	int err = 0;

	for (size_t t = 0; !err && t < row->trials; t++) {
		const struct record_latency *found = summary_trial_latency(row->members[t], latency);

		if (!found || summary_trial_fell_behind(row->members[t]))
			continue;
		err = take_trial(&hdr, record, row->members[t], found, &below_zero, error);
		beyond += found->beyond;
		trials++;
	}
	if (!err) {
		hdr_print_percentiles(out, &hdr, 1);
		fprintf(out, "#[Unit    = ns, trials = %zu]\n", trials);
		if (below_zero)
			fprintf(out, "#[%llu samples below 0 stand as 0]\n", (unsigned long long)below_zero);
		if (beyond)
			fprintf(out, "#[%llu samples lie above the last value]\n", (unsigned long long)beyond);
	}
	hdr_free(&hdr);
	return err;
}

/* ---- the log ---- */

static double epoch_of(const json_t *utc)
{
	struct tm parts = { 0 };

	if (!json_is_string(utc) || !strptime(json_string_value(utc), "%Y-%m-%dT%H:%M:%SZ", &parts))
		return 0;
	return (double)timegm(&parts);
}

/* Seconds with three digits, whatever the locale. */
static void put_seconds(FILE *out, double seconds)
{
	uint64_t ms = (uint64_t)llround(fmin(fmax(seconds, 0), 1e12) * 1e3);

	fprintf(out, "%llu.%03llu", (unsigned long long)(ms / 1000), (unsigned long long)(ms % 1000));
}

/* Where the trial stood in the run is not told to the millisecond: intervals follow one another as the trials did. */
static int interval_write(FILE *out, const struct record *record, const struct record_trial *trial, const struct record_latency *latency,
			  const char *tag, double start_s, char *error)
{
	struct hdr hdr = { 0 };
	uint64_t below_zero = 0;
	char *text = NULL;
	int err = take_trial(&hdr, record, trial, latency, &below_zero, error);

	if (!err && hdr.total) {
		text = hdr_encode(&hdr);
		err = text ? 0 : fail(error, record, -ENOMEM);
	}
	if (text) {
		if (below_zero)
			fprintf(out, "#[%llu samples of the next line are below 0 and stand as 0]\n", (unsigned long long)below_zero);
		fprintf(out, "Tag=%s,", tag);
		put_seconds(out, start_s);
		putc(',', out);
		put_seconds(out, trial->cell.duration_ns / 1e9);
		putc(',', out);
		put_seconds(out, (double)hdr.most / 1e6); /* in ms, by custom: of values in ns */
		fprintf(out, ",%s\n", text);
	}
	free(text);
	hdr_free(&hdr);
	return err;
}

static int row_write(FILE *out, const struct record *record, const struct summary_row *row, const char *name, double *at_s, char *error)
{
	int err = 0;

	for (size_t l = 0; !err && l < row->latency_count; l++) {
		char tag[EXPORT_NAME + 64];

		if (!export_has_distribution(row, &row->latency[l]))
			continue;
		export_distribution_name(tag, name, &row->latency[l]);
		for (size_t t = 0; !err && t < row->trials; t++) {
			const struct record_latency *latency = summary_trial_latency(row->members[t], &row->latency[l]);

			if (!latency || summary_trial_fell_behind(row->members[t]))
				continue;
			err = interval_write(out, record, row->members[t], latency, tag, *at_s, error);
			*at_s += row->members[t]->cell.duration_ns / 1e9;
		}
	}
	return err;
}

int export_hlog(FILE *out, const struct record *record, const struct summary *summary, char *error)
{
	char (*names)[EXPORT_NAME] = export_names(summary);
	double start_s = epoch_of(json_object_get(record->run, "started_utc")), at_s = 0;
	int err = names ? 0 : fail(error, record, -ENOMEM);

	fputs("#[Histogram log format version 1.3]\n#[Values in ns; intervals follow one another as the trials of a distribution do]\n#[StartTime: ", out);
	put_seconds(out, start_s);
	fputs(" (seconds since epoch)]\n\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n", out);
	for (size_t i = 0; !err && i < summary->row_count; i++)
		err = row_write(out, record, &summary->rows[i], names[i], &at_s, error);
	free(names);
	return err;
}
