#include "record_pool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int record_pool_make(struct record_pool *pool)
{
	*pool = (struct record_pool){ .texts = json_object(), .cell_numbers = json_object() };
	return pool->texts && pool->cell_numbers ? 0 : -ENOMEM;
}

void record_pool_free(struct record_pool *pool)
{
	for (size_t i = 0; i < pool->cell_count; i++)
		json_decref(pool->cells[i].json);
	free(pool->cells);
	json_decref(pool->texts);
	json_decref(pool->cell_numbers);
	number_lists_free(&pool->lists);
}

const char *record_pool_text(struct record_pool *pool, const char *text, struct fields *fields)
{
	json_t *kept;

	if (!text)
		return NULL;
	kept = json_object_get(pool->texts, text);
	if (kept)
		return json_string_value(kept);
	kept = json_string(text);
	if (!kept || json_object_set_new(pool->texts, text, kept) < 0) {
		fields_fail(fields, -ENOMEM, "out of memory");
		return NULL;
	}
	return json_string_value(kept);
}

/* Counts that older files do not have. */
static uint64_t newer_count(struct fields *fields, const json_t *json, const char *name)
{
	return json_object_get(json, name) ? fields_count_or_null(fields, json, name) : 0;
}

static void cell_take_load(struct record_cell *cell, const json_t *json, struct fields *fields)
{
	cell->load = fields_text(fields, json, "load");
	cell->rate_per_s = newer_count(fields, json, "rate_per_s");
	cell->rate_percent = newer_count(fields, json, "rate_percent");
	cell->arrival = json_object_get(json, "arrival") ? fields_text_or_null(fields, json, "arrival") : NULL;
	cell->burst = newer_count(fields, json, "burst");
	cell->gap_ns = newer_count(fields, json, "gap_ns");
	cell->work_ns = newer_count(fields, json, "work_ns");
	cell->think_ns = newer_count(fields, json, "think_ns");
}

static struct record_cell cell_take(json_t *json, struct fields *fields)
{
	struct record_cell cell = { .json = json };

	fields_at(fields, "cell.");
	cell.queue = fields_text(fields, json, "queue");
	cell.workload = fields_text(fields, json, "workload");
	cell_take_load(&cell, json, fields);
	cell.place = fields_text(fields, json, "place");
	cell.wait = fields_text(fields, json, "wait");
	cell.stamps = fields_text(fields, json, "stamps");
	cell.touch = fields_text(fields, json, "touch");
	cell.batch = fields_count(fields, json, "batch");
	cell.message_bytes = fields_count(fields, json, "message_bytes");
	cell.capacity = fields_count_or_null(fields, json, "capacity");
	cell.window = fields_count_or_null(fields, json, "window");
	cell.producers = fields_count(fields, json, "producers");
	cell.consumers = fields_count(fields, json, "consumers");
	cell.stages = newer_count(fields, json, "stages");
	cell.prewrite = !json_object_get(json, "prewrite") || fields_bool(fields, json, "prewrite");
	cell.preread = !json_object_get(json, "preread") || fields_bool(fields, json, "preread");
	cell.duration_ns = fields_positive(fields, json, "duration_ns");
	return cell;
}

static int pool_add_cell(struct record_pool *pool, json_t *json, const char *key, struct fields *fields)
{
	struct record_cell cell = cell_take(json, fields);

	if (fields->failed)
		return fields->failed;
	if (pool->cell_count == pool->cell_room) {
		size_t room = pool->cell_room ? pool->cell_room * 2 : 64;
		struct record_cell *larger = realloc(pool->cells, room * sizeof(*larger));

		if (!larger)
			return fields_fail(fields, -ENOMEM, "out of memory");
		pool->cells = larger;
		pool->cell_room = room;
	}
	cell.index = pool->cell_count;
	cell.key = record_pool_text(pool, key, fields);
	if (json_object_set_new(pool->cell_numbers, key, json_integer((json_int_t)cell.index)) < 0)
		fields_fail(fields, -ENOMEM, "out of memory");
	if (fields->failed)
		return fields->failed;
	json_incref(json);
	pool->cells[pool->cell_count++] = cell;
	return 0;
}

struct record_cell record_pool_cell(struct record_pool *pool, json_t *json, struct fields *fields)
{
	char *key = json ? json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15)) : NULL;
	const json_t *number = key ? json_object_get(pool->cell_numbers, key) : NULL;
	size_t index = number ? (size_t)json_integer_value(number) : pool->cell_count;

	if (json && !key)
		fields_fail(fields, -ENOMEM, "out of memory");
	if (key && !number)
		pool_add_cell(pool, json, key, fields);
	free(key);
	return fields->failed ? (struct record_cell){ 0 } : pool->cells[index];
}

const struct record_cell *record_pool_find_cell(const struct record_pool *pool, char *text, size_t length)
{
	char behind = text[length];
	const json_t *number;

	text[length] = '\0';
	number = json_object_get(pool->cell_numbers, text);
	text[length] = behind;
	return number ? &pool->cells[json_integer_value(number)] : NULL;
}

void record_pool_note_cell(struct record_pool *pool, char *text, size_t length, size_t index)
{
	char behind = text[length];

	text[length] = '\0';
	json_object_set_new(pool->cell_numbers, text, json_integer((json_int_t)index)); /* failing costs time only */
	text[length] = behind;
}
