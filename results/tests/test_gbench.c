#include "compare_gbench.h"
#include "sample.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct sample file;

static const char context[] = "\"context\": {\"date\": \"today\", \"host_name\": \"h\", \"num_cpus\": 2, \"library_build_type\": \"release\"}";

/* A file with these entries; read. Returns what gbench_read() did. */
static int read_entries(struct gbench *gbench, const char *entries, char *error)
{
	char *text;
	int status;

	assert_true(asprintf(&text, "{\n  %s,\n  \"benchmarks\": [%s]\n}", context, entries) > 0);
	sample_open(&file);
	sample_text(&file, text);
	sample_close(&file);
	free(text);
	assert_true(gbench_is_file(file.path));
	status = gbench_read(gbench, file.path, error);
	sample_remove(&file);
	return status;
}

/* n repetitions of a benchmark, from `first` on by `step`, as entries. To be freed. */
static char *repetitions(const char *name, int n, double first, double step, const char *unit)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int i = 0; i < n; i++)
		fprintf(out,
			"%s{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"family_index\": 0, "
			"\"per_family_instance_index\": 0, \"repetition_index\": %d, \"real_time\": %.6f, \"cpu_time\": 1, \"time_unit\": \"%s\"}",
			i ? ", " : "", name, name, i, first + i * step, unit);
	fclose(out);
	return text;
}

static void repetitions_are_trials_and_units_are_ns(void **state)
{
	struct gbench gbench;
	char error[RECORD_TEXT], *text = repetitions("BM/64", 3, 1.5, 0.5, "us");

	(void)state;
	assert_int_equal(read_entries(&gbench, text, error), 0);
	assert_int_equal(gbench.count, 1);
	assert_string_equal(gbench.benchmarks[0].name, "BM/64");
	assert_int_equal(gbench.benchmarks[0].n, 3);
	assert_true(gbench.benchmarks[0].real_ns[0] == 1500 && gbench.benchmarks[0].real_ns[2] == 2500);
	gbench_free(&gbench);
	free(text);
}

static void aggregates_errors_and_odd_numbers_are_no_trials(void **state)
{
	struct gbench gbench;
	char error[RECORD_TEXT];

	(void)state;
	assert_int_equal(read_entries(&gbench,
				      "{\"name\": \"B\", \"run_name\": \"B\", \"run_type\": \"iteration\", \"real_time\": 5, \"time_unit\": \"ns\", \"odd\": NaN, "
				      "\"NaN \\\" nan,\": -NaN, \"far\": -Infinity, \"near\": Infinity },"
				      "{\"name\": \"B_cv\", \"run_name\": \"B\", \"run_type\": \"aggregate\", \"real_time\": NaN, \"time_unit\": \"ns\"},"
				      "{\"name\": \"B\", \"run_name\": \"B\", \"run_type\": \"iteration\", \"error_occurred\": true, \"error_message\": \"x\", "
				      "\"real_time\": 0, \"time_unit\": \"ns\"},"
				      "{\"name\": \"Old\", \"real_time\": 2e3, \"time_unit\": \"ms\"}, {\"name\": \"Old_mean\", \"real_time\": 2, \"time_unit\": \"ms\"}",
				      error),
			 0);
	assert_int_equal(gbench.count, 2);
	assert_int_equal(gbench.benchmarks[0].n, 1);
	assert_int_equal(gbench.benchmarks[0].aggregates, 1);
	assert_int_equal(gbench.benchmarks[0].errors, 1);
	assert_false(gbench.benchmarks[0].ambiguous);
	assert_string_equal(gbench.benchmarks[1].name, "Old");
	assert_true(gbench.benchmarks[1].real_ns[0] == 2e9);
	gbench_free(&gbench);
}

static void what_is_malformed_is_told_with_its_place(void **state)
{
	static const char *const wrong[][2] = {
		{ "{\"name\": \"B\", \"real_time\": 5,, \"time_unit\": \"ns\"}", "line 3, column" },
		{ "{\"name\": \"B\", \"real_time\": \"5\", \"time_unit\": \"ns\"}", "benchmarks[0]: real_time" },
		{ "{\"name\": \"B\", \"real_time\": -5, \"time_unit\": \"ns\"}", "benchmarks[0]: real_time" },
		{ "{\"name\": \"B\", \"real_time\": NaN, \"time_unit\": \"ns\"}", "benchmarks[0]: real_time" },
		{ "{\"name\": \"B\", \"real_time\": 1e308, \"time_unit\": \"s\"}", "benchmarks[0]: real_time" },
		{ "{\"name\": \"B\", \"real_time\": 5, \"time_unit\": \"min\"}", "benchmarks[0]: time_unit" },
		{ "{\"name\": \"B\", \"real_time\": 5, \"time_unit\": \"ns\"}, {\"real_time\": 5}", "benchmarks[1]: name" },
		{ "7", "benchmarks[0]: is not an object" },
		{ "[", "line " },
	};
	struct gbench gbench;
	char error[RECORD_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_true(read_entries(&gbench, wrong[i][0], error) < 0);
		if (!strstr(error, wrong[i][1]) || !strstr(error, file.path))
			fail_msg("%zu: %s", i, error);
	}
}

static void records_are_no_such_files(void **state)
{
	(void)state;
	assert_false(gbench_is_file(SAMPLE_EXAMPLE));
	assert_false(gbench_is_file("/nowhere/at/all"));
	assert_false(gbench_is_file("/dev/null"));
}

/* Reads both, compares, and takes them apart again but for the verdict of the first row. */
static struct compare_row judge(const char *old, const char *new, char *incomparable, int *status)
{
	struct gbench files[2];
	struct compare_gbench comparison;
	struct compare_row row;
	char error[RECORD_TEXT], *text = NULL;
	size_t size;
	FILE *out;
	json_t *json;

	assert_int_equal(read_entries(&files[0], old, error), 0);
	assert_int_equal(read_entries(&files[1], new, error), 0);
	if (incomparable)
		json_object_set_new(json_object_get(files[1].json, "context"), "num_cpus", json_integer(64));
	assert_int_equal(compare_gbench(&comparison, &files[0], &files[1], 0.02), 0);
	*status = compare_status(&comparison.comparison, true);
	row = comparison.comparison.rows[0];
	if (incomparable)
		strcpy(incomparable, comparison.comparison.incomparable);
	out = open_memstream(&text, &size);
	compare_gbench_print(out, &comparison, 0);
	fclose(out);
	assert_non_null(strstr(text, compare_verdict_names[row.verdict]));
	assert_non_null(strstr(text, comparison.names[0]));
	free(text);
	json = compare_gbench_to_json(&comparison, *status);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(json, "rows"), 0), "verdict")),
			    compare_verdict_names[row.verdict]);
	json_decref(json);
	compare_gbench_free(&comparison);
	gbench_free(&files[0]);
	gbench_free(&files[1]);
	return row;
}

static void more_time_is_slower_and_less_is_faster(void **state)
{
	char *quick = repetitions("BM/a", 12, 100, 0.1, "ns"), *slow = repetitions("BM/a", 12, 130, 0.1, "ns");
	struct compare_row row;
	int status;

	(void)state;
	row = judge(quick, slow, NULL, &status);
	assert_int_equal(row.verdict, COMPARE_SLOWER);
	assert_int_equal(status, 1);
	assert_true(row.change > 0.29 && row.change < 0.31);
	row = judge(slow, quick, NULL, &status);
	assert_int_equal(row.verdict, COMPARE_FASTER);
	assert_int_equal(status, 0);
	row = judge(slow, slow, NULL, &status);
	assert_int_equal(row.verdict, COMPARE_UNCHANGED);
	free(quick);
	free(slow);
}

static void what_can_not_be_judged_is_not(void **state)
{
	static const char aggregate[] = "{\"name\": \"BM/a_mean\", \"run_name\": \"BM/a\", \"run_type\": \"aggregate\", \"real_time\": 1, \"time_unit\": \"ns\"}";
	char *few = repetitions("BM/a", 3, 100, 1, "ns"), *many = repetitions("BM/a", 12, 100, 1, "ns"), *other = repetitions("BM/b", 12, 100, 1, "ns"),
	     *zero = repetitions("BM/a", 12, 0, 1, "ns"), incomparable[COMPARE_TEXT], *twice;
	struct compare_row row;
	int status;

	(void)state;
	assert_int_equal(judge(few, few, NULL, &status).verdict, COMPARE_TOO_FEW);
	assert_int_equal(status, 4);
	row = judge(many, other, NULL, &status);
	assert_int_equal(row.verdict, COMPARE_INCOMPARABLE);
	assert_true(row.unmatched);
	assert_int_equal(status, 4);
	assert_non_null(strstr(judge(many, aggregate, NULL, &status).reason, "only aggregates"));
	assert_non_null(strstr(judge(zero, many, NULL, &status).reason, "no time"));
	row = judge(many, many, incomparable, &status);
	assert_int_equal(row.verdict, COMPARE_INCOMPARABLE);
	assert_string_equal(incomparable, "another machine: num_cpus 2 against 64");
	assert_true(asprintf(&twice, "%s, {\"name\": \"BM/a\", \"run_name\": \"BM/a\", \"run_type\": \"iteration\", \"family_index\": 1, "
				     "\"per_family_instance_index\": 0, \"real_time\": 1, \"time_unit\": \"ns\"}", many) > 0);
	assert_non_null(strstr(judge(twice, many, NULL, &status).reason, "several benchmarks"));
	free(twice);
	free(few);
	free(many);
	free(other);
	free(zero);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(repetitions_are_trials_and_units_are_ns),
		cmocka_unit_test(aggregates_errors_and_odd_numbers_are_no_trials),
		cmocka_unit_test(what_is_malformed_is_told_with_its_place),
		cmocka_unit_test(records_are_no_such_files),
		cmocka_unit_test(more_time_is_slower_and_less_is_faster),
		cmocka_unit_test(what_can_not_be_judged_is_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
