#include "record_join.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool cell_rename(struct record_join *join, struct record_cell *cell, const char *name)
{
	size_t at = 2 * join->cell_count;
	json_t *json = json_copy(cell->json);

	cell->json = json;
	join->cells[join->cell_count++] = *cell; /* from here on it is freed with the rest */
	if (!json || asprintf(&join->texts[at], "%s (%s)", cell->queue, name) < 0) {
		join->texts[at] = NULL;
		return false;
	}
	if (json_object_set_new(json, "queue", json_string(join->texts[at])))
		return false;
	join->texts[at + 1] = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
	cell->own_queue = cell->queue;
	cell->queue = join->texts[at];
	cell->key = join->texts[at + 1];
	cell->index = join->cell_count - 1;
	join->cells[cell->index] = *cell;
	return cell->key;
}

/* The cells of a part come in the order of its trials, as their numbers do. */
static bool part_take(struct record *joined, const struct record_part *part)
{
	struct record_join *join = joined->join;
	size_t first = join->cell_count;

	for (size_t i = 0; i < part->record->trial_count; i++) {
		struct record_trial *trial = &joined->trials[joined->trial_count++];

		*trial = part->record->trials[i];
		if (first + trial->cell.index >= join->cell_count && !cell_rename(join, &trial->cell, part->name))
			return false;
		trial->cell = join->cells[first + part->record->trials[i].cell.index];
	}
	return true;
}

static const json_t *offset_of(const struct record *record, const json_t *cpus)
{
	const json_t *offset;
	size_t i;

	json_array_foreach(json_object_get(record->end, "offsets"), i, offset)
		if (json_equal(json_object_get(offset, "cpus"), cpus))
			return offset;
	return NULL;
}

/* The interval that holds all parts' intervals between two CPUs; nothing where one of them does not tell. */
static void offset_widen(json_t *offsets, const struct record_part *parts, size_t count, json_t *cpus)
{
	double low_ns = INFINITY, high_ns = -INFINITY;

	for (size_t p = 0; p < count; p++) {
		const json_t *offset = offset_of(parts[p].record, cpus), *low = json_object_get(offset, "low_ns"),
			     *high = json_object_get(offset, "high_ns");

		if (!json_is_number(low) || !json_is_number(high))
			return;
		low_ns = fmin(low_ns, json_number_value(low));
		high_ns = fmax(high_ns, json_number_value(high));
	}
	json_array_append_new(offsets, json_pack("{s:O, s:f, s:f}", "cpus", cpus, "low_ns", low_ns, "high_ns", high_ns));
}

static json_t *end_make(const struct record_part *parts, size_t count)
{
	json_t *offsets = json_array(), *offset;
	bool complete = true;
	size_t i;

	for (size_t p = 0; p < count; p++)
		complete = complete && json_is_true(json_object_get(parts[p].record->end, "complete"));
	json_array_foreach(json_object_get(parts[0].record->end, "offsets"), i, offset)
		offset_widen(offsets, parts, count, json_object_get(offset, "cpus"));
	return json_pack("{s:s, s:b, s:o}", "kind", "end", "complete", complete, "offsets", offsets);
}

int record_join(struct record *joined, const struct record_part *parts, size_t count)
{
	size_t trials = 0, cells = 0;
	bool good;

	*joined = (struct record){ .join = calloc(1, sizeof(*joined->join)) };
	for (size_t p = 0; p < count; p++) {
		trials += parts[p].record->trial_count;
		cells += parts[p].record->cell_count;
		joined->cut = joined->cut || parts[p].record->cut;
	}
	if (!joined->join)
		return -ENOMEM;
	joined->join->parts = calloc(count, sizeof(*parts));
	joined->join->cells = calloc(cells + 1, sizeof(*joined->join->cells));
	joined->join->texts = calloc(2 * cells + 1, sizeof(*joined->join->texts));
	joined->trials = calloc(trials + 1, sizeof(*joined->trials));
	joined->path = strdup(parts[0].record->path);
	joined->run = json_incref(parts[0].record->run);
	joined->end = end_make(parts, count);
	good = joined->join->parts && joined->join->cells && joined->join->texts && joined->trials && joined->path && joined->end;
	for (size_t p = 0; good && p < count; p++) {
		joined->join->parts[joined->join->count++] = parts[p];
		good = part_take(joined, &parts[p]);
	}
	joined->cell_count = joined->join->cell_count;
	if (good)
		return 0;
	record_join_free(joined);
	return -ENOMEM;
}

void record_join_free(struct record *joined)
{
	struct record_join *join = joined->join;

	if (join) {
		for (size_t i = 0; i < join->cell_count; i++) {
			json_decref(join->cells[i].json);
			free(join->texts[2 * i]);
			free(join->texts[2 * i + 1]);
		}
		free(join->cells);
		free(join->texts);
		free(join->parts);
		free(join);
	}
	free(joined->trials);
	free(joined->path);
	json_decref(joined->run);
	json_decref(joined->end);
	*joined = (struct record){ 0 };
}

const struct record *record_join_part(const struct record *record, const struct record_trial **trial)
{
	size_t at = (size_t)(*trial - record->trials);

	for (size_t p = 0; record->join && p < record->join->count; p++) {
		const struct record *part = record->join->parts[p].record;

		if (at < part->trial_count) {
			*trial = &part->trials[at];
			return part;
		}
		at -= part->trial_count;
	}
	return record;
}
