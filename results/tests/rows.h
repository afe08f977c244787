/* Comparisons for tests, of numbers that were made up. */
#ifndef RESULTS_TESTS_ROWS_H
#define RESULTS_TESTS_ROWS_H

#include "compare.h"

/* A comparison of `count` rows without values, at a threshold of 2 % and without known noise floors. */
struct comparison *rows_make(size_t count, enum compare_metric metric);
/* Copies n values of each side into a row; its trials are undisturbed, and nobody watched for stalls. */
void rows_set(struct comparison *comparison, size_t row, const double *baseline, size_t baseline_n, const double *values, size_t n);
/* Judges it anew. */
void rows_judge(struct comparison *comparison, const struct compare_machine machines[2]);
void rows_free(struct comparison *comparison);

#endif
