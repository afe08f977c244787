#include "aa_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_command.h"
#include "compare_print.h"
#include "interrupt.h"
#include "list.h"
#include "noise_floor.h"
#include "number.h"
#include "run.h"

static void print_floor(const struct noise_floor *floor, const struct comparison halves[2])
{
	char by_turns[NUMBER_TEXT], successive[NUMBER_TEXT];
	bool any = false, thin = false;

	for (int i = 0; i < COMPARE_METRICS; i++) {
		const struct noise_floor_metric *metric = &floor->metrics[i];

		any |= metric->known;
		thin |= noise_floor_is_thin(metric);
		if (metric->known)
			printf("Noise floor of a %s: %s by turns, %s one after the other (cells: %zu; pairs of parts: %zu)\n",
			       noise_floor_names[i], number_percent(by_turns, metric->interleaved),
			       number_percent(successive, metric->successive), metric->cells, metric->pairs);
	}
	if (!any)
		return;
	printf("So far apart, or less, lie 19 in 20 medians of the same: of halves of a cell's trials, by turns, and of its parts of %d trials,\n"
	       "one after the other. One half after the other, cells that would be slower or faster: %zu; by turns: %zu. That is chance,\n"
	       "or a machine that changes.\n",
	       NOISE_FLOOR_PART,
	       halves[1].verdicts[COMPARE_SLOWER] + halves[1].verdicts[COMPARE_FASTER],
	       halves[0].verdicts[COMPARE_SLOWER] + halves[0].verdicts[COMPARE_FASTER]);
	if (thin)
		printf("Of fewer than %d pairs of parts 19 in 20 can't be told: between two runs the noise may be far greater.\n"
		       "More --trials, or more cells, tell more.\n", NOISE_FLOOR_PAIRS);
}

/* With a floor that was just found. */
static int keep_floor(struct noise_floor *floor, const struct record *record)
{
	char folder[NOISE_FLOOR_PATH], error[RECORD_TEXT];

	if (interrupted) {
		fprintf(stderr, "twopoint: interrupted: the noise floor is not kept\n");
		return 0;
	}
	if (!noise_floor_folder(folder, sizeof(folder))) {
		fprintf(stderr, "twopoint: neither XDG_STATE_HOME nor HOME says where to keep the noise floor\n");
		return 3;
	}
	if (noise_floor_write(floor, folder, record->run, error)) {
		fprintf(stderr, "twopoint: %s\n", error);
		return 3;
	}
	return 0;
}

static int print(const struct options *options, const struct noise_floor *floor, const struct comparison halves[2],
		 const struct compare_subject *subject, int status)
{
	json_t *json;
	bool good;

	if (!options->json) {
		compare_print(stdout, &halves[0], subject, compare_width());
		print_floor(floor, halves);
		if (!status && !interrupted)
			printf("Kept in %s\n", floor->path);
		if (!status)
			printf("Record: %s\n", subject->record->path);
		return status;
	}
	json = compare_to_json(&halves[0], subject, status);
	good = json && !json_dumpf(json, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(json);
	return good ? status : 3;
}

static int report(const struct options *options, const struct record *record, const struct summary *summary)
{
	const struct compare_input input = {record, summary};
	struct compare_subject subject = {.baseline = record, .record = record, .halves = "its trials, by turns"};
	struct comparison halves[2];
	struct noise_floor floor;
	int status;

	if (noise_floor_find(&floor, input, halves)) {
		fprintf(stderr, "twopoint: no memory to compare\n");
		return 3;
	}
	if (floor.metrics[COMPARE_RATE].known || floor.metrics[COMPARE_TIME].known) {
		status = keep_floor(&floor, record);
		subject.floor = options->json ? &floor : NULL;
	} else {
		fprintf(stderr, "twopoint: no cell has 6 trials a half in one regime: more --trials tell the machine's noise\n");
		status = 4;
	}
	status = print(options, &floor, halves, &subject, status);
	compare_free(&halves[0]);
	compare_free(&halves[1]);
	return status;
}

/* A machine's noise needs not every queue, but one of each kind: of these, those that were built. */
static int choose_queues(struct options *options, char *error, size_t size)
{
	static const char *const few[] = {"ypipe", "ring", "spin", "mutex"};
	char names[64] = "";

	for (size_t i = 0; i < sizeof(few) / sizeof(*few); i++)
		if (queue_find(few[i]))
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s", *names ? "," : "", few[i]);
	return *names ? option_set(options, option_find(options->command, "queue"), names, "--", error, size) : 0;
}

int aa_main(const struct options *options, int argc, char **argv)
{
	char error[OPTIONS_TEXT];
	struct options *chosen;
	int status;

	if (options->operand_count || options->plugins.count || option_is_given(options, "queue"))
		return run_main(options, argc, argv, report);
	chosen = malloc(sizeof(*chosen));
	if (!chosen) {
		fprintf(stderr, "twopoint: no memory\n");
		return 3;
	}
	*chosen = *options;
	if (choose_queues(chosen, error, sizeof(error))) {
		fprintf(stderr, "twopoint: %s\n", error);
		status = 2;
	} else {
		status = run_main(chosen, argc, argv, report);
	}
	free(chosen); /* what it points to is the original's */
	return status;
}
