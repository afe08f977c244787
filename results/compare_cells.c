#include "compare_parts.h"
#include "table_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* What an older file does not tell is, where a newer one tells nothing else by it: null, or true of switches, or no work. */
bool compare_says_nothing(const char *name, const json_t *value)
{
	static const char *const switches[] = { "prewrite", "preread" }, *const work[] = { "work_ns", "think_ns" };

	return json_is_null(value) || (json_is_true(value) && is_one_of(name, switches, 2)) ||
	       (json_is_integer(value) && json_integer_value(value) == 0 && is_one_of(name, work, 2));
}

static json_t *parameters_of(const struct record_cell *cell)
{
	json_t *parameters = json_object(), *value;
	const char *name;

	json_object_foreach (cell->json, name, value)
		if (!compare_says_nothing(name, value) && json_object_set(parameters, name, value)) {
			json_decref(parameters);
			return NULL;
		}
	return parameters;
}

long compare_cells_make(struct compare_cell **cells, const struct summary *summary)
{
	struct compare_cell *cell = NULL;
	long count = 0;

	*cells = calloc(summary->row_count + 1, sizeof(**cells));
	if (!*cells)
		return -ENOMEM;
	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];

		if (!row->first) {
			cell->row_count++;
			continue;
		}
		cell = &(*cells)[count++];
		*cell = (struct compare_cell){ .cell = row->cell, .rows = row, .row_count = 1, .parameters = parameters_of(row->cell) };
		cell->key = cell->parameters ? json_dumps(cell->parameters, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15)) : NULL;
		if (!cell->key) {
			compare_cells_free(*cells, count);
			*cells = NULL; /* whoever asked frees them, too */
			return -ENOMEM;
		}
	}
	return count;
}

void compare_cells_free(struct compare_cell *cells, long count)
{
	for (long i = 0; i < count; i++) {
		json_decref(cells[i].parameters);
		free(cells[i].key);
	}
	free(cells);
}

/* ---- near ones ---- */

/* One parameter with others that follow from it. */
static const char *parameter_root(const char *name)
{
	return strcmp(name, "cpus") == 0 ? "place" : name;
}

static void parameter_text(char text[64], const json_t *parameters, const char *name)
{
	const json_t *value = json_object_get(parameters, name);
	char shown[TABLE_TEXT] = "none";

	if (value)
		table_value_text(shown, name, value);
	snprintf(text, 64, "%.60s", shown);
}

/* To the last digit, as it stands in the record. */
static void parameter_dump(char text[64], const json_t *parameters, const char *name)
{
	char *value = json_dumps(json_object_get(parameters, name), JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));

	snprintf(text, 64, "%.60s", value ? value : "none");
	free(value);
}

static void place_text(char text[64], const json_t *parameters)
{
	char place[64], cpus[64];

	parameter_text(place, parameters, "place");
	parameter_text(cpus, parameters, "cpus");
	snprintf(text, 64, "%.24s %.30s", place, cpus);
}

/* Whether `name` is a first or the same difference as the one that is known. */
static bool difference_add(const char **known, const char *name)
{
	name = parameter_root(name);
	if (*known && strcmp(*known, name) != 0)
		return false;
	*known = name;
	return strcmp(name, "queue") != 0;
}

bool compare_cells_near(const struct compare_cell *a, const struct compare_cell *b, char reason[COMPARE_TEXT])
{
	const char *name, *differs = NULL;
	char before[64], after[64];
	json_t *value;

	json_object_foreach (a->parameters, name, value) {
		const json_t *other = json_object_get(b->parameters, name);

		if ((!other || !json_equal(value, other)) && !difference_add(&differs, name))
			return false;
	}
	json_object_foreach (b->parameters, name, value)
		if (!json_object_get(a->parameters, name) && !difference_add(&differs, name))
			return false;
	if (!differs)
		return false;
	if (strcmp(differs, "place") == 0) {
		place_text(before, a->parameters);
		place_text(after, b->parameters);
	} else {
		parameter_text(before, a->parameters, differs);
		parameter_text(after, b->parameters, differs);
		if (strcmp(before, after) == 0) { /* rounded to the same */
			parameter_dump(before, a->parameters, differs);
			parameter_dump(after, b->parameters, differs);
		}
	}
	snprintf(reason, COMPARE_TEXT, "%.40s: %s against %s", differs, before, after);
	return true;
}
