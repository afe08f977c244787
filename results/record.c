#include "record.h"
#include "lines.h"
#include "record_index.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for one more in an array that doubles. Returns the array, or NULL. */
static void *array_grow(void *array, size_t count, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 64;

	if (count < *room)
		return array;
	array = realloc(array, more * size);
	if (array)
		*room = more;
	return array;
}

static struct line_place place_of(const struct lines *lines)
{
	return (struct line_place){ .offset = lines->offset, .length = lines->length, .number = lines->number };
}

static int add_trial(struct record *record, const json_t *json, const struct record_cell *cell,
		     const struct lines *lines, struct fields *fields)
{
	struct record_index *index = record->index;
	size_t count = record->trial_count, room = index->trial_room;
	struct record_trial *trials = array_grow(record->trials, count, &room, sizeof(*trials));
	struct line_place *places;

	if (!trials)
		return fields_fail(fields, -ENOMEM, "out of memory");
	record->trials = trials;
	places = array_grow(index->trials, count, &index->trial_room, sizeof(*places));
	if (!places)
		return fields_fail(fields, -ENOMEM, "out of memory");
	index->trials = places;
	places[count] = place_of(lines);
	record->trial_count++;
	if (record_trial_take(&trials[count], json, cell, &index->pool, fields))
		return fields->failed;
	if (count > 0 && trials[count].id <= trials[count - 1].id)
		return fields_fail(fields, -EINVAL, "id %ju follows id %ju", (uintmax_t)trials[count].id,
				   (uintmax_t)trials[count - 1].id);
	return 0;
}

static int add_detail(struct record *record, uint64_t id, long latency, const struct lines *lines,
		      struct fields *fields)
{
	struct record_index *index = record->index;
	const struct record_trial *trial = record->trial_count ? &record->trials[record->trial_count - 1] : NULL;
	struct record_detail *details;

	if (!trial || id != trial->id)
		return fields_fail(fields, -EINVAL, "id %ju is not the id of the trial before it", (uintmax_t)id);
	if (latency != RECORD_SLICE && (size_t)latency >= trial->latency_count)
		return fields_fail(fields, -EINVAL, "latency %ld is not one of the trial's", latency);
	details = array_grow(index->details, index->detail_count, &index->detail_room, sizeof(*details));
	if (!details)
		return fields_fail(fields, -ENOMEM, "out of memory");
	index->details = details;
	details[index->detail_count++] =
		(struct record_detail){ .place = place_of(lines), .id = id, .latency = latency };
	return 0;
}

/* Takes `text` and the digits after it from *at. */
static bool skip_number(const char **at, const char *text, uint64_t *number)
{
	size_t length = strlen(text);
	char *end;

	if (strncmp(*at, text, length) != 0 || (*at)[length] < '0' || (*at)[length] > '9')
		return false;
	errno = 0;
	*number = strtoull(*at + length, &end, 10);
	*at = end;
	return errno == 0 && *number <= INT64_MAX;
}

/* Recognises histograms and slices as a writer here begins them, so that the bulk of a file need not be parsed. */
static bool detail_begins(const char *at, uint64_t *id, long *latency)
{
	uint64_t number;

	*latency = RECORD_SLICE;
	if (skip_number(&at, "{\"kind\":\"slice\",\"id\":", id))
		return *at == ',';
	if (!skip_number(&at, "{\"kind\":\"histogram\",\"id\":", id) || !skip_number(&at, ",\"latency\":", &number))
		return false;
	*latency = (long)number;
	return *at == ',';
}

static int take_run(struct record *record, json_t *json, struct fields *fields)
{
	const char *kind = json_string_value(json_object_get(json, "kind"));
	uint64_t schema;

	if (!kind || strcmp(kind, "run") != 0)
		return fields_fail(fields, -EINVAL, "this is no record of twopoint: the first line's kind is not run");
	schema = fields_count(fields, json, "schema");
	if (!fields->failed && (schema == 0 || schema > RECORD_SCHEMA))
		return fields_fail(fields, -EINVAL, "schema %ju is newer than this program, which reads up to %d",
				   (uintmax_t)schema, RECORD_SCHEMA);
	if (!fields->failed)
		record->run = json_incref(json);
	return fields->failed;
}

static int take_end(struct record *record, json_t *json, struct fields *fields)
{
	fields_bool(fields, json, "complete");
	if (!fields->failed)
		record->end = json_incref(json);
	return fields->failed;
}

/* cell: of a trial, where it is known already. */
static int take_json(struct record *record, json_t *json, const struct record_cell *cell, const struct lines *lines,
		     struct fields *fields)
{
	const char *kind;

	if (!record->run)
		return take_run(record, json, fields);
	kind = fields_text(fields, json, "kind");
	if (fields->failed)
		return fields->failed;
	if (strcmp(kind, "trial") == 0)
		return add_trial(record, json, cell, lines, fields);
	if (strcmp(kind, "end") == 0)
		return take_end(record, json, fields);
	if (strcmp(kind, "histogram") == 0 || strcmp(kind, "slice") == 0) {
		uint64_t id = fields_count(fields, json, "id");
		long latency = *kind == 'h' ? fields_small(fields, json, "latency") : RECORD_SLICE;

		return fields->failed ? fields->failed : add_detail(record, id, latency, lines, fields);
	}
	return fields_fail(fields, -EINVAL, "kind is none of trial, histogram, slice, end");
}

/* The text of the cell in a trial's line that begins as a writer here begins it, with or without the id before the
 * cell; NULL otherwise. */
static char *cell_begins(char *text)
{
	static const char trial[] = "{\"kind\":\"trial\"", cell[] = ",\"cell\":";
	const char *at = text + sizeof(trial) - 1;
	uint64_t id;

	if (strncmp(text, trial, sizeof(trial) - 1) != 0)
		return NULL;
	skip_number(&at, ",\"id\":", &id);
	return strncmp(at, cell, sizeof(cell) - 1) == 0 ? text + (at - text) + sizeof(cell) - 1 : NULL;
}

/* Behind the object or list that begins at `at`; NULL where there is none, it does not end, or what stands in it can't
 * be JSON (NaN), which is left to the parser to refuse. */
static char *nest_end(char *at)
{
	bool quoted = false;
	int depth = 0;

	if (*at != '{' && *at != '[')
		return NULL;
	for (; *at; at++) {
		if (quoted && *at == '\\' && at[1])
			at++;
		else if (*at == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*at == '{' || *at == '[')
			depth++;
		else if ((*at == '}' || *at == ']') && --depth == 0)
			return at + 1;
		else if (*at >= 'A' && *at <= 'Z' && *at != 'E')
			return NULL;
	}
	return NULL;
}

/* Puts `{}` in the place of what lies between the two. */
static void cut_out(char *start, char *end, char *text, size_t *length)
{
	memmove(start + 2, end, *length - (size_t)(end - text) + 1);
	memcpy(start, "{}", 2);
	*length -= (size_t)(end - start) - 2;
}

/* Takes out of a trial's line, behind its cell, what no summary reads: a third of it, and jansson reads some 30 MB a
 * second. (A quote within a text is written with a backslash, so that no text holds such a name.) */
static void trial_shorten(char *behind_cell, char *text, size_t *length)
{
	static const char *const unread[] = { "\"audit\":", "\"memory\":" };

	for (size_t i = 0; i < sizeof(unread) / sizeof(unread[0]); i++) {
		char *name = strstr(behind_cell, unread[i]), *value = name ? name + strlen(unread[i]) : NULL;
		char *end = value ? nest_end(value) : NULL;

		if (end)
			cut_out(value, end, text, length);
	}
}

static int take_line(struct record *record, const struct lines *lines, struct fields *fields)
{
	struct record_pool *pool = &record->index->pool;
	char *cell_text = cell_begins(lines->text), *cell_end = cell_text ? nest_end(cell_text) : NULL;
	const struct record_cell *cell = NULL;
	size_t length = lines->length;
	json_error_t reason;
	json_t *json;
	uint64_t id;
	long latency;

	if (record->end)
		return fields_fail(fields, -EINVAL, "there is more after the line of kind end");
	if (record->run && lines->terminated && detail_begins(lines->text, &id, &latency))
		return add_detail(record, id, latency, lines, fields);
	pool->lists.count = 0;
	if (cell_end) {
		cell = record_pool_find_cell(pool, cell_text, (size_t)(cell_end - cell_text));
		trial_shorten(cell_end, lines->text, &length);
		number_lists_cut(&pool->lists, "\"messages\":[", cell_end, lines->text, &length);
		if (cell) /* it was read before, in the same words */
			cut_out(cell_text, cell_end, lines->text, &length);
	}
	json = json_loadb(lines->text, length, JSON_REJECT_DUPLICATES, &reason);
	if (!json && record->run && !lines->terminated) {
		record->cut = true;
		return 0;
	}
	if (!json_is_object(json))
		fields_fail(fields, -EINVAL, "%s",
			    !record->run ? "this is no record of twopoint: its first line is no JSON object"
			    : json	 ? "not an object"
					 : reason.text);
	else
		take_json(record, json, cell, lines, fields);
	json_decref(json);
	if (cell_end && !cell && !fields->failed)
		record_pool_note_cell(pool, cell_text, (size_t)(cell_end - cell_text),
				      record->trials[record->trial_count - 1].cell.index);
	return fields->failed;
}

static int take_lines(struct record *record, struct lines *lines, struct fields *fields)
{
	int found;

	while ((found = lines_next(lines)) > 0) {
		fields->line = lines->number;
		fields_at(fields, "%s", "");
		if (take_line(record, lines, fields))
			return fields->failed;
	}
	fields->line = lines->number;
	if (found == -EMSGSIZE)
		return fields_fail(fields, found, "longer than %d bytes", RECORD_LINE_BYTES);
	if (found < 0)
		return fields_fail(fields, found, "%s", strerror(-found));
	if (!record->run)
		return fields_fail(fields, -EINVAL, "this is no record of twopoint: the file is empty");
	return 0;
}

int record_read(struct record *record, const char *path, char *error)
{
	struct fields fields = { .path = path, .error = error };
	struct lines lines;
	int err = -ENOMEM;

	*record = (struct record){ .path = strdup(path), .index = calloc(1, sizeof(*record->index)) };
	if (record->index)
		record->index->fd = -1;
	if (!record->path || !record->index || record_pool_make(&record->index->pool)) {
		snprintf(error, RECORD_TEXT, "%.300s: out of memory", path);
		goto fail;
	}
	err = lines_open(&lines, path);
	if (err) {
		snprintf(error, RECORD_TEXT, "cannot read %.300s: %s", path, strerror(-err));
		goto fail;
	}
	record->index->fd = lines.fd;
	err = take_lines(record, &lines, &fields);
	record->cell_count = record->index->pool.cell_count;
	lines_close(&lines, true);
	if (err)
		goto fail;
	return 0;
fail:
	record_free(record);
	return err;
}

void record_free(struct record *record)
{
	for (size_t i = 0; i < record->trial_count; i++)
		record_trial_free(&record->trials[i]);
	free(record->trials);
	json_decref(record->run);
	json_decref(record->end);
	free(record->path);
	if (record->index) {
		record_pool_free(&record->index->pool);
		free(record->index->trials);
		free(record->index->details);
		if (record->index->fd >= 0)
			close(record->index->fd);
		free(record->index);
	}
	*record = (struct record){ 0 };
}
