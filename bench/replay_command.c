#include "replay_command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cell_text.h"
#include "record.h"

enum { REPLAY_WORDS = 256 };

/* A command's words, allocated; the last one is followed by NULL. */
struct replayed {
	char *words[REPLAY_WORDS + 1];
	size_t count;
	bool failed; /* no memory, or too many */
};

__attribute__((format(printf, 2, 3))) static void command_add(struct replayed *command, const char *format, ...)
{
	va_list arguments;

	if (command->count == REPLAY_WORDS) {
		command->failed = true;
		return;
	}
	va_start(arguments, format);
	if (vasprintf(&command->words[command->count], format, arguments) < 0) {
		command->words[command->count] = NULL;
		command->failed = true;
	} else {
		command->count++;
	}
	va_end(arguments);
}

/* A comma within a path is not one between two. */
static void command_add_plugin(struct replayed *command, const char *file)
{
	char *path = malloc(2 * strlen(file) + 1), *to = path;

	if (!path) {
		command->failed = true;
		return;
	}
	for (; *file; *to++ = *file++)
		if (*file == ',')
			*to++ = '\\';
	*to = '\0';
	command_add(command, "--plugin=%s", path);
	free(path);
}

static void command_free(struct replayed *command)
{
	for (size_t i = 0; i < command->count; i++)
		free(command->words[i]);
}

/* As a shell takes it. */
static void word_print(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:%=+@-";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){*word, '\0'}, stdout);
	putchar('\'');
}

/* number: of the cell, which no table shows; 0: of none. */
static void command_print(const struct replayed *command, size_t number)
{
	for (size_t i = 0; i < command->count; i++) {
		if (i)
			putchar(' ');
		word_print(command->words[i]);
	}
	if (number)
		printf(" # %zu", number);
	putchar('\n');
}

/* Whether a word is this option, alone or with its value. */
static bool is_option(const char *word, const char *option, bool *has_value)
{
	size_t length = strlen(option);

	*has_value = !strncmp(word, option, length) && word[length] == '=';
	return *has_value || !strcmp(word, option);
}

/* The program as the record's was called. */
static const char *program_name(const struct record *record)
{
	const char *first = json_string_value(json_array_get(json_object_get(record->run, "command"), 0));
	size_t length = first ? strlen(first) : 0;
	static const char name[] = "twopoint";

	return length >= strlen(name) && !strcmp(first + length - strlen(name), name) ? first : name;
}

/* ---- a whole run ---- */

/* The words that were typed, but for where the record went, and with the seed that was drawn: the same order, the same layouts. */
static int run_command(struct replayed *command, const struct record *record)
{
	json_t *words = json_object_get(record->run, "command"), *word, *seed = json_object_get(record->run, "seed");
	bool has_value, seeded = false;
	size_t i;

	if (json_array_size(words) < 2) {
		fprintf(stderr, "twopoint: %s: tells no command\n", record->path);
		return 3;
	}
	json_array_foreach(words, i, word) {
		const char *text = json_string_value(word);

		if (!text || !strcmp(text, "(not UTF-8)")) {
			fprintf(stderr, "twopoint: %s: a word of its command is not told, for it is not UTF-8\n", record->path);
			return 3;
		}
		if (is_option(text, "--out", &has_value) || is_option(text, "--raw", &has_value)) {
			i += !has_value;
			continue;
		}
		seeded |= is_option(text, "--seed", &has_value);
		command_add(command, "%s", i ? text : program_name(record));
	}
	if (!seeded && json_is_integer(seed))
		command_add(command, "--seed=%" JSON_INTEGER_FORMAT, json_integer_value(seed));
	return 0;
}

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

	command_add(command, "%s", program_name(record));
	command_add(command, "run");
	json_object_foreach(trial->cell.json, field, value)
		if (!field_is_implied(field, cell_field_text(field, value, text), &trial->cell))
			command_add(command, "--%s=%s", cell_field_option(field, name), text);
	json_array_foreach(plugins, i, plugin) {
		const char *file = json_string_value(json_object_get(plugin, "file")), *queue = json_string_value(json_object_get(plugin, "queue"));

		if (file && queue && trial->cell.queue && !strcmp(queue, trial->cell.queue))
			command_add_plugin(command, file);
	}
	if (json_is_integer(trials))
		command_add(command, "--trials=%" JSON_INTEGER_FORMAT, json_integer_value(trials));
}

/* ---- both ---- */

static int conclude(const struct options *options, struct replayed *command, const char *path, size_t number)
{
	if (command->failed) {
		fprintf(stderr, "twopoint: %s: no memory for its command, or it is too long\n", path);
		return 3;
	}
	if (!options->replay.run) {
		command_print(command, number);
		return 0;
	}
	execv("/proc/self/exe", command->words);
	fprintf(stderr, "twopoint: replay: %s\n", strerror(errno));
	return 3;
}

/* index: of the cell; SIZE_MAX: the whole run. */
static int replay(const struct options *options, const struct record *record, size_t index)
{
	struct replayed command = {.count = 0};
	const struct record_trial *trial = index == SIZE_MAX ? NULL : cell_find(record, index);
	int status = 0;

	if (trial)
		cell_command(&command, record, trial);
	else
		status = run_command(&command, record);
	if (!status)
		status = conclude(options, &command, record->path, options->replay.cell == REPLAY_ALL ? index + 1 : 0);
	command_free(&command);
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
