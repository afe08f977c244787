/* Results of Google Benchmark: the JSON that it writes with --benchmark_format=json, or --benchmark_out. */
#ifndef RESULTS_GBENCH_H
#define RESULTS_GBENCH_H

#include "record.h"

struct gbench_benchmark {
	const char *name;       /* as it ran: with arguments and threads, without what an aggregate is called */
	double *real_ns;        /* of each repetition: wall time of an iteration */
	size_t n;
	size_t errors;          /* repetitions that ended with an error, or were skipped */
	size_t aggregates;      /* means, medians and the like, of which nothing is read */
	bool ambiguous;         /* several benchmarks have this name */
	const json_t *instance; /* which one it is, where the file tells: its family's number */
	json_int_t number;      /* and its own in that */
};

struct gbench {
	char *path;
	json_t *json; /* the whole of it; its context is what it tells of the machine */
	struct gbench_benchmark *benchmarks; /* in the file's order */
	size_t count;
};

/* Whether a file looks like one, and not like a record; false, too, where it can't be read, or is no file. */
bool gbench_is_file(const char *path);

/* Reads it whole. NaN and infinity, which it writes beside JSON's rules, are null. Returns 0, or -errno with the reason in error (RECORD_TEXT
 * bytes). */
int gbench_read(struct gbench *gbench, const char *path, char *error);
void gbench_free(struct gbench *gbench);

#endif
