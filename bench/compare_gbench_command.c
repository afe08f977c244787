#include "compare_gbench_command.h"

#include <stdio.h>

#include "compare_command.h"
#include "compare_gbench.h"

bool compare_gbench_is_asked(const struct options *options)
{
	bool any = false;

	for (size_t i = 0; i < options->operand_count; i++)
		any = any || gbench_is_file(options->operands[i]);
	return any;
}

static int conclude(const struct options *options, const struct compare_gbench *comparison)
{
	int status = compare_status(&comparison->comparison, true);
	json_t *json;
	bool good;

	if (!options->json) {
		if (!options->compare.quiet)
			compare_gbench_print(stdout, comparison, compare_width());
		return status;
	}
	json = compare_gbench_to_json(comparison, status);
	good = json && !json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(json);
	if (!good)
		fprintf(stderr, "twopoint: the comparison can't be written as JSON\n");
	return good ? status : 3;
}

static int compare_read(const struct options *options, const struct gbench *baseline, const struct gbench *changed)
{
	struct compare_gbench comparison;
	int status;

	if (compare_gbench(&comparison, baseline, changed, (double)options->compare.threshold_ppm / 1e6)) {
		fprintf(stderr, "twopoint: no memory to compare\n");
		return 3;
	}
	status = conclude(options, &comparison);
	compare_gbench_free(&comparison);
	return status;
}

int compare_gbench_main(const struct options *options)
{
	struct gbench files[2];
	char error[RECORD_TEXT];
	size_t read = 0;
	int status = 3;

	if (options->compare.baseline || options->operand_count != 2) {
		fprintf(stderr, "twopoint: compare: results of Google Benchmark are compared two at a time, OLD NEW; --baseline takes a record\n");
		return 2;
	}
	for (size_t i = 0; i < 2; i++)
		if (!gbench_is_file(options->operands[i])) {
			fprintf(stderr, "twopoint: compare: %s is no result of Google Benchmark, as %s is: they have nothing in common\n",
				options->operands[i], options->operands[!i]);
			return 4;
		}
	while (read < 2 && !gbench_read(&files[read], options->operands[read], error))
		read++;
	if (read == 2)
		status = compare_read(options, &files[0], &files[1]);
	else
		fprintf(stderr, "twopoint: %s\n", error);
	while (read-- > 0)
		gbench_free(&files[read]);
	return status;
}
