#include "replay_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_text.h"
#include "replayed.h"

/* ---- one cell ---- */

static const struct record_trial *cell_find(const struct record *record, size_t index)
{
	for (size_t i = 0; i < record->trial_count; i++)
		if (record->trials[i].cell.index == index)
			return &record->trials[i];
	return NULL;
}

/* What options need not or can't say: what does not apply, and what goes by the workload, the load, or the CPUs. */
static bool field_is_implied(const char *field, const char *text, const struct record_cell *cell)
{
	bool unpinned = cell->place && !strcmp(cell->place, CELL_UNPINNED), fan = cell->workload && strstr("fanin fanout mesh", cell->workload);
	bool ends = !strcmp(field, "producers") || !strcmp(field, "consumers");

	if (!strcmp(text, "-") || !strcmp(field, unpinned ? "cpus" : "place"))
		return true;
	if (!strcmp(field, "work_ns") || !strcmp(field, "think_ns"))
		return !strcmp(text, "0");
	if (ends && (!fan || (!strcmp(cell->workload, "fanin") && *field == 'c') || (!strcmp(cell->workload, "fanout") && *field == 'p')))
		return true;
	if (!strcmp(field, "window"))
		return cell->workload && !strcmp(cell->workload, "pingpong");
	return !strcmp(field, "burst") && !cell->burst;
}

static void cell_command(struct replayed *command, const struct record *record, const struct record_trial *trial)
{
	json_t *plugins = json_object_get(record->run, "plugins"), *plugin, *value,
	       *trials = json_object_get(json_object_get(record->run, "plan"), "trials");
	char text[CELL_TEXT], name[CELL_TEXT];
	const char *field;
	size_t i;

	replayed_add(command, "%s", replayed_program(record));
	replayed_add(command, "run");
	json_object_foreach(trial->cell.json, field, value)
		if (!field_is_implied(field, cell_field_text(field, value, text), &trial->cell))
			replayed_add(command, "--%s=%s", cell_field_option(field, name), text);
	json_array_foreach(plugins, i, plugin) {
		const char *file = json_string_value(json_object_get(plugin, "file")), *queue = json_string_value(json_object_get(plugin, "queue"));

		if (file && queue && trial->cell.queue && !strcmp(queue, trial->cell.queue))
			replayed_add_plugin(command, file);
	}
	if (json_is_integer(trials))
		replayed_add(command, "--trials=%" JSON_INTEGER_FORMAT, json_integer_value(trials));
}

/* ---- both ---- */

/* number: of the cell, which no table shows; 0: of none. */
static int conclude(const struct options *options, struct replayed *command, const char *path, size_t number)
{
	char *text = replayed_text(command);

	if (!text) {
		fprintf(stderr, "twopoint: %s: no memory for its command, or it is too long\n", path);
		return 3;
	}
	if (!options->replay.run) {
		fputs(text, stdout);
		if (number)
			printf(" # %zu", number);
		putchar('\n');
		free(text);
		return 0;
	}
	free(text);
	execv("/proc/self/exe", command->words);
	fprintf(stderr, "twopoint: replay: %s\n", strerror(errno));
	return 3;
}

/* index: of the cell; SIZE_MAX: the whole run. */
static int replay(const struct options *options, const struct record *record, size_t index)
{
	struct replayed command = {.count = 0};
	const struct record_trial *trial = index == SIZE_MAX ? NULL : cell_find(record, index);
	const char *why = NULL;
	int status = 3;

	if (trial)
		cell_command(&command, record, trial);
	else
		why = replayed_add_run(&command, record);
	if (why)
		fprintf(stderr, "twopoint: %s: %s\n", record->path, why);
	else
		status = conclude(options, &command, record->path, options->replay.cell == REPLAY_ALL ? index + 1 : 0);
	replayed_free(&command);
	return status;
}

int replay_main(const struct options *options)
{
	bool all = options->replay.cell == REPLAY_ALL, one = options->replay.cell >= REPLAY_FIRST;
	struct record record;
	char error[RECORD_TEXT];
	int status = 0;

	if (all && options->replay.run) {
		fprintf(stderr, "twopoint: --cell: 'all' can't be given with --run; allowed: one cell's number, or none, for the whole run\n");
		return 2;
	}
	if (record_read(&record, options->operands[0], error)) {
		fprintf(stderr, "twopoint: %s\n", error);
		return 3;
	}
	if (one && options->replay.cell - REPLAY_FIRST >= record.cell_count) {
		fprintf(stderr, "twopoint: --cell: '%zu' is none of the record's; allowed: 1 to %zu\n", (size_t)options->replay.cell - REPLAY_FIRST + 1,
			record.cell_count);
		status = 2;
	} else if (all) {
		for (size_t i = 0; i < record.cell_count && !status; i++)
			status = replay(options, &record, i);
	} else {
		status = replay(options, &record, one ? (size_t)options->replay.cell - REPLAY_FIRST : SIZE_MAX);
	}
	record_free(&record);
	return status;
}
