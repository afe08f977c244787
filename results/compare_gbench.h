/* Two results of Google Benchmark against each other, judged as records are. */
#ifndef RESULTS_COMPARE_GBENCH_H
#define RESULTS_COMPARE_GBENCH_H

#include "compare.h"
#include "gbench.h"

#include <stdio.h>

struct compare_gbench {
	struct comparison comparison; /* its rows are of no cells */
	const char **names;           /* of its rows */
	const struct gbench *baseline, *changed;
};

/* Benchmarks of the same name, by the wall time of an iteration; repetitions are trials. Returns 0 or -ENOMEM. It borrows from both. */
int compare_gbench(struct compare_gbench *comparison, const struct gbench *baseline, const struct gbench *changed, double threshold);
void compare_gbench_free(struct compare_gbench *comparison);

void compare_gbench_print(FILE *out, const struct compare_gbench *comparison, unsigned width);
/* A new reference, or NULL: out of memory. */
json_t *compare_gbench_to_json(const struct compare_gbench *comparison, int status);

#endif
