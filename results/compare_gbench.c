#include "compare_gbench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What tells one machine, or build of the library, from another: a host's name is none of it, and its clock's rate follows its governor. */
static void context_compare(char reason[COMPARE_TEXT], const struct gbench *a, const struct gbench *b)
{
	static const char *const names[] = { "num_cpus", "cpu_model", "caches", "library_build_type" };
	const json_t *context_a = json_object_get(a->json, "context"), *context_b = json_object_get(b->json, "context");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !*reason; i++) {
		const json_t *of_a = json_object_get(context_a, names[i]), *of_b = json_object_get(context_b, names[i]);
		char *text_a, *text_b;

		if (!of_a || !of_b || json_equal(of_a, of_b)) /* what one of them does not tell is not held against it */
			continue;
		text_a = json_dumps(of_a, JSON_ENCODE_ANY | JSON_COMPACT);
		text_b = json_dumps(of_b, JSON_ENCODE_ANY | JSON_COMPACT);
		snprintf(reason, COMPARE_TEXT, "another %s: %s %.50s against %.50s", i < 3 ? "machine" : "build of the library", names[i],
			 text_a ? text_a : "?", text_b ? text_b : "?");
		free(text_a);
		free(text_b);
	}
}

static int sample_make(struct compare_sample *sample, const struct gbench_benchmark *benchmark)
{
	size_t n = benchmark ? benchmark->n : 0;

	*sample = (struct compare_sample){ .values = calloc(n + 1, sizeof(double)), .disturbed = calloc(n + 1, sizeof(double)),
					   .stalls = calloc(n + 1, sizeof(double)), .n = n };
	for (size_t i = 0; sample->values && i < n; i++) {
		sample->values[i] = benchmark->real_ns[i];
		sample->zeros += !(benchmark->real_ns[i] > 0);
	}
	return sample->values && sample->disturbed && sample->stalls ? 0 : -ENOMEM;
}

/* Why a side can't be compared; NULL: it can. */
static const char *side_refuse(const struct gbench_benchmark *benchmark, const struct compare_sample *sample)
{
	if (benchmark->ambiguous)
		return "several benchmarks have this name";
	if (!benchmark->n && benchmark->aggregates)
		return "only aggregates are told of it: --benchmark_report_aggregates_only=false tells its repetitions";
	if (!benchmark->n)
		return "no repetition came to its end";
	return sample->zeros ? "a repetition took no time: there is no ratio" : NULL;
}

static int row_fill(struct compare_row *row, const struct gbench_benchmark *baseline, const struct gbench_benchmark *changed)
{
	const char *reason = NULL;

	row->metric = COMPARE_TIME;
	strcpy(row->metric_name, "real time of an iteration");
	strcpy(row->baseline_regime, "-");
	strcpy(row->regime, "-");
	row->unmatched = baseline && !changed;
	row->baseline_lost = baseline ? baseline->errors : 0;
	row->lost = changed ? changed->errors : 0;
	if (sample_make(&row->baseline, baseline) || sample_make(&row->sample, changed))
		return -ENOMEM;
	if (!changed)
		reason = "the other file has no such benchmark";
	else if (!baseline)
		reason = "the baseline has no such benchmark";
	if (!reason)
		reason = side_refuse(baseline, &row->baseline);
	if (!reason)
		reason = side_refuse(changed, &row->sample);
	if (reason) {
		row->verdict = COMPARE_INCOMPARABLE;
		snprintf(row->reason, sizeof(row->reason), "%s", reason);
	}
	return 0;
}

static json_t *names_index(const struct gbench *gbench)
{
	json_t *index = json_object();

	for (size_t i = 0; index && i < gbench->count; i++)
		if (json_object_set_new(index, gbench->benchmarks[i].name, json_integer((json_int_t)i))) {
			json_decref(index);
			return NULL;
		}
	return index;
}

static const struct gbench_benchmark *find(const struct gbench *gbench, const json_t *index, const char *name)
{
	const json_t *at = json_object_get(index, name);

	return at ? &gbench->benchmarks[json_integer_value(at)] : NULL;
}

/* In the baseline's order, then what it has not. */
static int rows_fill(struct compare_gbench *comparison)
{
	const struct gbench *sides[] = { comparison->baseline, comparison->changed };
	json_t *indices[] = { names_index(sides[0]), names_index(sides[1]) };
	int status = indices[0] && indices[1] ? 0 : -ENOMEM;

	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < sides[s]->count && !status; i++) {
			const struct gbench_benchmark *own = &sides[s]->benchmarks[i], *other = find(sides[!s], indices[!s], own->name);
			size_t row = comparison->comparison.row_count;

			if (s && other)
				continue;
			comparison->names[row] = own->name;
			comparison->comparison.row_count++;
			status = row_fill(&comparison->comparison.rows[row], s ? NULL : own, s ? own : other);
		}
	json_decref(indices[0]);
	json_decref(indices[1]);
	return status;
}

int compare_gbench(struct compare_gbench *comparison, const struct gbench *baseline, const struct gbench *changed, double threshold)
{
	size_t most = baseline->count + changed->count + 1;
	int status = -ENOMEM;

	*comparison = (struct compare_gbench){ .comparison = { .settings = { .threshold = threshold, .floor = { -1, -1 } },
							       .rows = calloc(most, sizeof(struct compare_row)) },
					       .names = calloc(most, sizeof(*comparison->names)), .baseline = baseline, .changed = changed };
	if (comparison->comparison.rows && comparison->names)
		status = rows_fill(comparison);
	if (!status)
		context_compare(comparison->comparison.incomparable, baseline, changed);
	for (size_t i = 0; i < comparison->comparison.row_count && *comparison->comparison.incomparable; i++) {
		comparison->comparison.rows[i].verdict = COMPARE_INCOMPARABLE;
		snprintf(comparison->comparison.rows[i].reason, COMPARE_TEXT, "%s", comparison->comparison.incomparable);
	}
	if (!status)
		status = compare_judge(&comparison->comparison, NULL);
	if (status)
		compare_gbench_free(comparison);
	return status;
}

void compare_gbench_free(struct compare_gbench *comparison)
{
	compare_free(&comparison->comparison);
	free(comparison->names);
	*comparison = (struct compare_gbench){ 0 };
}
