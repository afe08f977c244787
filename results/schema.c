#include "schema.h"
#include "lines.h"
#include "record.h"
#include "schema_interpret.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* record.schema.json, turned into an array by the Makefile */
extern const char schema_text[];

static json_t *schema_load(char error[SCHEMA_TEXT])
{
	json_error_t reason;
	json_t *schema = json_loads(schema_text, JSON_REJECT_DUPLICATES, &reason);

	if (!schema)
		snprintf(error, SCHEMA_TEXT, "record.schema.json: line %d: %.160s", reason.line, reason.text);
	return schema;
}

_Static_assert((int)SCHEMA_TEXT == (int)RECORD_TEXT, "a reader's error goes where a schema's does");

/* Each kind of line has a definition of its name; asked alone, it tells what is wrong better than "none of five". */
static int line_check(const json_t *schema, const json_t *line, char error[SCHEMA_TEXT])
{
	static const char *const kinds[] = { "run", "trial", "histogram", "slice", "end" };
	const char *kind = json_string_value(json_object_get(line, "kind"));

	for (size_t i = 0; kind && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kind, kinds[i]) == 0)
			return schema_interpret(schema, json_object_get(json_object_get(schema, "definitions"), kind),
						line, error);
	snprintf(error, SCHEMA_TEXT, "/kind: it must be run, trial, histogram, slice or end");
	return -EINVAL;
}

int schema_check_line(const json_t *line, char error[SCHEMA_TEXT])
{
	json_t *schema = schema_load(error);
	int err = schema ? line_check(schema, line, error) : -EINVAL;

	json_decref(schema);
	return err;
}

/* What the lines so far say of the next one. */
struct order {
	bool run, trial, end;
	json_int_t id;     /* of the last trial */
	json_int_t trials; /* how many there were */
};

/* Takes a line that is in order by itself. Returns what is wrong, or NULL. */
static const char *order_check(struct order *order, const json_t *line)
{
	const char *kind = json_string_value(json_object_get(line, "kind"));
	json_int_t id = json_integer_value(json_object_get(line, "id"));

	if (order->end)
		return "there is more after the line of kind end";
	if (!order->run != (strcmp(kind, "run") == 0))
		return "the first line, and no other, must be of kind run";
	order->run = true;
	if (strcmp(kind, "trial") == 0) {
		if (order->trial && id <= order->id)
			return "the id is not above that of the trial before it";
		order->trial = true;
		order->id = id;
		order->trials++;
	} else if (strcmp(kind, "end") == 0) {
		order->end = true;
		if (json_integer_value(json_object_get(line, "trials")) != order->trials)
			return "trials is not the number of trials in the file";
	} else if (strcmp(kind, "run") != 0 && (!order->trial || id != order->id)) {
		return "the id is not that of the trial before it";
	}
	return NULL;
}

static int text_check(const json_t *schema, const struct lines *lines, struct order *order, char error[SCHEMA_TEXT])
{
	json_error_t reason;
	json_t *line = json_loadb(lines->text, lines->length, JSON_REJECT_DUPLICATES, &reason);
	const char *wrong = NULL;
	int err = -EINVAL;

	if (!line) {
		snprintf(error, SCHEMA_TEXT, "column %d: %.160s%s", reason.column, reason.text,
			 lines->terminated ? "" : " (the file ends in half a line)");
		return err;
	}
	err = line_check(schema, line, error);
	if (!err)
		wrong = order_check(order, line);
	json_decref(line);
	if (wrong)
		snprintf(error, SCHEMA_TEXT, "%s", wrong);
	return wrong ? -EINVAL : err;
}

/* Puts the place before the reason. */
static int file_fail(int err, const char *path, size_t line, char error[SCHEMA_TEXT])
{
	char reason[SCHEMA_TEXT];

	snprintf(reason, sizeof(reason), "%s", error);
	snprintf(error, SCHEMA_TEXT, "%.200s: line %zu: %.260s", path, line, reason);
	return err;
}

static int lines_check(const json_t *schema, struct lines *lines, const char *path, char error[SCHEMA_TEXT])
{
	struct order order = { 0 };
	int found;

	while ((found = lines_next(lines)) > 0) {
		int err = text_check(schema, lines, &order, error);

		if (err)
			return file_fail(err, path, lines->number, error);
	}
	if (found < 0)
		snprintf(error, SCHEMA_TEXT, "%s", strerror(-found));
	else if (!order.run)
		snprintf(error, SCHEMA_TEXT, "the file is empty");
	return found == 0 && order.run ? 0 : file_fail(found < 0 ? found : -EINVAL, path, lines->number, error);
}

int schema_check_file(const char *path, char error[SCHEMA_TEXT])
{
	json_t *schema = schema_load(error);
	struct lines lines;
	struct stat about;
	int err;

	if (!schema)
		return -EINVAL;
	err = lines_open(&lines, path);
	if (err) {
		snprintf(error, SCHEMA_TEXT, "cannot read %.300s: %s", path, strerror(-err));
	} else {
		bool again = !stat(path, &about) && S_ISREG(about.st_mode);

		err = lines_check(schema, &lines, path, error);
		lines_close(&lines, false);
		if (!err && !again) {
			snprintf(error, SCHEMA_TEXT, "%.300s: each line keeps to the schema; what they say of each other can be checked of a file only", path);
			err = -ESPIPE;
		}
		if (!err) /* what lines say of each other, and numbers that a reader has no room for */
			err = record_check(path, error);
	}
	json_decref(schema);
	return err;
}
