#include "suite.h"

#include <errno.h>
#include <ini.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"

enum { SUITE_BYTES_MAX = 1 << 20, SUITE_PATH = 256 };

/* A suite while it is read. */
struct reading {
	struct suites *suites;
	char path[SUITE_PATH];
	const char *rest;         /* of the text */
	struct options *defaults;
	struct options *section;  /* the one being read; NULL: none has begun */
	size_t first;             /* of its experiments among those of all suites */
	bool defaults_begun;
	int line, failed_line;    /* failed_line 0: all is well */
	char *error;
	size_t size;
};

/* Keeps the first failure. Returns 0, which is inih's word for a failure. */
__attribute__((format(printf, 2, 3)))
static int reading_fail(struct reading *reading, const char *format, ...)
{
	va_list arguments;
	int used;

	if (reading->failed_line)
		return 0;
	reading->failed_line = reading->line;
	used = snprintf(reading->error, reading->size, "%s:%d: ", reading->path, reading->line);
	if (used < 0 || (size_t)used >= reading->size)
		return 0;
	va_start(arguments, format);
	vsnprintf(reading->error + used, reading->size - (size_t)used, format, arguments);
	va_end(arguments);
	return 0;
}

static struct experiment *experiments_add(struct suites *suites, const char *name)
{
	struct experiment *grown = realloc(suites->experiments, (suites->count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	suites->experiments = grown;
	grown += suites->count++;
	memset(grown, 0, sizeof(*grown));
	snprintf(grown->name, sizeof(grown->name), "%s", name);
	return grown;
}

/* inih tells of sections only through their keys; one without any is an experiment too, and so they are noted here. */
static int section_begin(struct reading *reading, const char *line)
{
	size_t length = strcspn(line + 1, "]");
	const char *behind = line + 1 + length + (line[1 + length] == ']');
	struct experiment *experiment;
	char name[SUITE_NAME];

	behind += strspn(behind, " \t\r\n");
	if (line[1 + length] != ']' || !length || length >= sizeof(name) || (*behind && !strchr(";#", *behind)))
		return reading_fail(reading, "not a section: [NAME], of at most %d letters", SUITE_NAME - 1);
	snprintf(name, sizeof(name), "%.*s", (int)length, line + 1);
	if (!strcmp(name, "defaults")) {
		if (reading->defaults_begun)
			return reading_fail(reading, "[defaults] stands there twice");
		reading->defaults_begun = true;
		reading->section = reading->defaults;
		return 1;
	}
	for (size_t i = reading->first; i < reading->suites->count; i++)
		if (!strcmp(reading->suites->experiments[i].name, name))
			return reading_fail(reading, "[%s] stands there twice", name);
	experiment = experiments_add(reading->suites, name);
	if (!experiment)
		return reading_fail(reading, "out of memory");
	reading->section = &experiment->options;
	return 1;
}

/* inih's reader: one line, without the blanks before it, which would join it to the line before. */
static char *line_next(char *line, int size, void *stream)
{
	struct reading *reading = stream;
	size_t length = strcspn(reading->rest, "\n");
	const char *text = reading->rest;

	if (!*text || reading->failed_line)
		return NULL;
	reading->line++;
	reading->rest += length + (text[length] == '\n');
	while (length && strchr(" \t", *text))
		text++, length--;
	if (length + 2 >= (size_t)size) {
		reading_fail(reading, "the line is too long; allowed: %d letters", size - 3);
		return NULL;
	}
	memcpy(line, text, length);
	line[length] = '\0';
	if (*line == '[' && !section_begin(reading, line))
		return NULL;
	return line;
}

static int key_refuse(struct reading *reading, const char *key)
{
	struct nearest nearest = nearest_begin(key);
	char suggestion[80];

	for (size_t i = 0; i < option_count; i++)
		if (option_table[i].scope != SCOPE_COMMAND_LINE)
			nearest_offer(&nearest, option_table[i].name);
	return reading_fail(reading, "unknown key '%s'%s", key, nearest_text(&nearest, suggestion, sizeof(suggestion)));
}

/* inih's handler: one key with its value. */
static int key_take(void *user, const char *section, const char *key, const char *value)
{
	struct reading *reading = user;
	const struct option_entry *entry = option_find(COMMAND_RUN, key);
	char reason[OPTIONS_TEXT];

	(void)section;
	if (!reading->section)
		return reading_fail(reading, "'%s' stands before the first section", key);
	if (!entry)
		return key_refuse(reading, key);
	if (entry->scope == SCOPE_COMMAND_LINE)
		return reading_fail(reading, "'%s' belongs on the command line, not into a suite", key);
	if (entry->scope == SCOPE_RUN && reading->section != reading->defaults)
		return reading_fail(reading, "'%s' holds for the whole run: it belongs into [defaults]", key);
	if (option_set(reading->section, entry, value, "", reason, sizeof(reason)))
		return reading_fail(reading, "%s: %s", key, reason);
	return 1;
}

/* Adds a suite's experiments to those of reading->suites, each with its own section's options only. Returns 0 or −EINVAL. */
static int text_read(struct reading *reading)
{
	int result = ini_parse_stream(line_next, reading, key_take, reading);

	if (result > 0 && (!reading->failed_line || result < reading->failed_line)) {
		reading->line = result;
		reading->failed_line = 0;
		reading_fail(reading, "neither [SECTION] nor KEY = VALUE");
	} else if (result < 0) {
		reading_fail(reading, "out of memory");
	} else if (!reading->failed_line && reading->first == reading->suites->count) {
		reading->line = reading->line ? reading->line : 1;
		reading_fail(reading, "no section but [defaults]: there is no experiment");
	}
	return reading->failed_line ? -EINVAL : 0;
}

/* The whole file; the caller frees it. NULL with errno set. */
static char *file_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = file ? malloc(SUITE_BYTES_MAX + 1) : NULL;
	size_t length = text ? fread(text, 1, SUITE_BYTES_MAX + 1, file) : 0;
	int error = errno;

	if (text && ferror(file)) {
		free(text);
		text = NULL;
	} else if (text && (length > SUITE_BYTES_MAX || memchr(text, '\0', length))) {
		free(text);
		text = NULL;
		error = EFBIG; /* or no text at all */
	} else if (text) {
		text[length] = '\0';
	}
	if (file)
		fclose(file);
	errno = error;
	return text;
}

static bool is_path(const char *suite)
{
	size_t length = strlen(suite);

	return strchr(suite, '/') || (length > 4 && !strcmp(suite + length - 4, ".ini"));
}

static int name_refuse(const char *name, char *error, size_t size)
{
	const char *names[64];
	size_t count = 0;
	int used = snprintf(error, size, "suite ");

	for (; suite_texts[count].name && count < sizeof(names) / sizeof(*names) - 1; count++)
		names[count] = suite_texts[count].name;
	names[count] = NULL;
	words_refuse(name, names, ", or a path", error + used, size - (size_t)used);
	return -ENOENT;
}

/* The text of a suite by path or name, and the path to be named in errors. The caller frees *text. */
static int suite_find(const char *suite, char path[SUITE_PATH], char **text, char *error, size_t size)
{
	snprintf(path, SUITE_PATH, is_path(suite) ? "%s" : "bench/suites/%s.ini", suite);
	*text = file_read(path);
	if (*text)
		return 0;
	if (is_path(suite) || errno != ENOENT) {
		int failed = -errno;

		snprintf(error, size, "%s: %s", path, errno == EFBIG ? "no suite: it is no text, or longer than 1 MiB" : strerror(errno));
		return failed;
	}
	for (const struct suite_text *known = suite_texts; known->name; known++)
		if (!strcmp(known->name, suite)) {
			*text = strdup(known->text);
			return *text ? 0 : -ENOMEM;
		}
	return name_refuse(suite, error, size);
}

/* Its path without folders and ending, joined to the name of all. */
static void name_join(struct suites *suites, const char *suite)
{
	const char *slash = strrchr(suite, '/'), *base = slash ? slash + 1 : suite;
	size_t used = strlen(suites->name);

	snprintf(suites->name + used, sizeof(suites->name) - used, "%s%.*s", used ? "+" : "",
		 (int)(strlen(base) - (is_path(base) ? 4 : 0)), base);
}

/* Takes what a suite's [defaults] say of the whole run; two suites must say the same there, unless the command line decides. */
static int run_settings_take(struct reading *reading, const struct options *command_line)
{
	struct options settings = *reading->defaults;

	for (size_t i = 0; i < option_count; i++) {
		if (option_table[i].scope != SCOPE_RUN) {
			settings.given[i] = false;
		} else if (!command_line->given[i] && options_disagree(&reading->suites->options, &settings, &option_table[i])) {
			snprintf(reading->error, reading->size, "%s: another suite says otherwise of %s; say --%s", reading->path,
				 option_table[i].name, option_table[i].name);
			return -EINVAL;
		}
	}
	options_override(&reading->suites->options, &settings);
	return 0;
}

/* Puts each experiment's options over the suite's defaults. */
static void experiments_settle(struct reading *reading)
{
	for (size_t i = reading->first; i < reading->suites->count; i++) {
		struct options settled = *reading->defaults;

		options_override(&settled, &reading->suites->experiments[i].options);
		reading->suites->experiments[i].options = settled;
	}
}

static int suite_load(struct suites *suites, const char *suite, const struct options *command_line, char *error, size_t size)
{
	struct options defaults = {0};
	struct reading reading = {
		.suites = suites, .defaults = &defaults, .first = suites->count, .error = error, .size = size,
	};
	char *text;
	int result = suite_find(suite, reading.path, &text, error, size);

	if (result)
		return result;
	reading.rest = text;
	result = text_read(&reading);
	free(text);
	if (!result)
		result = run_settings_take(&reading, command_line);
	if (!result) {
		experiments_settle(&reading);
		name_join(suites, suite);
	}
	return result;
}

/* The command line over all of it, and the table's defaults under all of it. */
static void suites_complete(struct suites *suites, const struct options *command_line)
{
	for (size_t i = 0; i < suites->count; i++) {
		options_override(&suites->experiments[i].options, command_line);
		options_complete(&suites->experiments[i].options);
	}
	options_override(&suites->options, command_line);
	options_complete(&suites->options);
}

int suites_load(struct suites *suites, const struct options *command_line, char *error, size_t size)
{
	int result = 0;

	memset(suites, 0, sizeof(*suites));
	for (size_t i = 0; !result && i < command_line->operand_count; i++)
		result = suite_load(suites, command_line->operands[i], command_line, error, size);
	if (!result && !command_line->operand_count) {
		snprintf(suites->name, sizeof(suites->name), "custom");
		if (!experiments_add(suites, "")) {
			snprintf(error, size, "out of memory");
			result = -ENOMEM;
		}
	}
	if (result) {
		suites_free(suites);
		return result;
	}
	suites_complete(suites, command_line);
	return 0;
}

void suites_free(struct suites *suites)
{
	free(suites->experiments);
	suites->experiments = NULL;
	suites->count = 0;
}
