#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "rows.h"

struct comparison *rows_make(size_t count, enum compare_metric metric)
{
	struct comparison *comparison = calloc(1, sizeof(*comparison));

	assert_non_null(comparison);
	*comparison = (struct comparison){ .settings = { .threshold = 0.02, .floor = { -1, -1 } },
					   .rows = calloc(count, sizeof(*comparison->rows)),
					   .row_count = count };
	assert_non_null(comparison->rows);
	for (size_t i = 0; i < count; i++)
		comparison->rows[i].metric = metric;
	return comparison;
}

static void sample_set(struct compare_sample *sample, const double *values, size_t n)
{
	free(sample->values);
	free(sample->disturbed);
	free(sample->stalls);
	*sample = (struct compare_sample){
		.values = calloc(n, sizeof(double)), .disturbed = calloc(n, sizeof(double)), .stalls = calloc(n, sizeof(double)), .n = n
	};
	memcpy(sample->values, values, n * sizeof(*values));
}

void rows_set(struct comparison *comparison, size_t row, const double *baseline, size_t baseline_n, const double *values, size_t n)
{
	sample_set(&comparison->rows[row].baseline, baseline, baseline_n);
	sample_set(&comparison->rows[row].sample, values, n);
}

void rows_judge(struct comparison *comparison, const struct compare_machine machines[2])
{
	memset(comparison->verdicts, 0, sizeof(comparison->verdicts));
	comparison->unmatched = 0;
	comparison->noisy[0] = '\0';
	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i].verdict != COMPARE_INCOMPARABLE) {
			comparison->rows[i].verdict = COMPARE_SLOWER;
			comparison->rows[i].reason[0] = '\0';
		}
	assert_int_equal(compare_judge(comparison, machines), 0);
}

void rows_free(struct comparison *comparison)
{
	compare_free(comparison);
	free(comparison);
}
