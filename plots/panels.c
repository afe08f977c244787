#include "panels.h"
#include "regime.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which rows stand together ---- */

static bool row_is_floor(const struct summary_row *row)
{
	return summary_is_floor(row->cell);
}

/* How a figure's rows are filed. */
struct filing {
	struct panels *panels;
	const struct summary *summary;
	const struct panels_wish *wish;
	const struct summary_row **order; /* all rows */
	bool waits_free;
};

static bool along_batch(enum panels_axis axis)
{
	return axis == PANELS_BY_BATCH || axis == PANELS_BY_SWITCHES;
}

static void keys_delete(json_t *object, const char *const *keys)
{
	for (; *keys; keys++)
		json_object_del(object, *keys);
}

/* The cell without what may differ inside a panel. The window of a closed load is the load's; any other only bounds
 * what a queue without bound may hold, and is the queue's own. */
static char *panel_key(const struct record_cell *cell, enum panels_axis axis)
{
	static const char *const own[] = { "batch", "capacity", "wait", NULL };
	static const char *const actors[] = { "producers", "consumers", "stages", "cpus", NULL };
	static const char *const switches[] = { "prewrite", "preread", NULL };
	json_t *rest = json_copy(cell->json);
	char *key;

	if (!rest)
		return NULL;
	keys_delete(rest, own);
	if (axis == PANELS_BY_ACTORS)
		keys_delete(rest, actors);
	if (axis != PANELS_BY_SWITCHES)
		json_object_del(rest, "queue");
	for (const char *const *name = switches; *name; name++) /* on is what a cell is that does not tell */
		if (axis == PANELS_BY_SWITCHES || json_is_true(json_object_get(rest, *name)))
			json_object_del(rest, *name);
	if (strcmp(cell->load, "closed"))
		json_object_del(rest, "window");
	key = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(rest);
	return key;
}

static size_t trials_of_regime(const struct summary *summary, const char *place, const char *regime)
{
	size_t trials = 0;

	for (size_t i = 0; i < summary->row_count; i++)
		if (!strcmp(summary->rows[i].cell->place, place) && !strcmp(summary->rows[i].regime, regime))
			trials += summary->rows[i].trials;
	return trials;
}

/* The regime drawn of a placement: "r?" where its line was never measured. */
static const char *regime_of_place(const struct summary *summary, const char *place)
{
	const char *drawn = "r?";
	size_t most = 0;

	for (size_t i = 0; i < summary->regime_count; i++) {
		size_t trials = trials_of_regime(summary, place, summary->regimes[i].name);

		if (i == summary->main_regime && trials)
			return summary->regimes[i].name;
		if (trials > most) {
			most = trials;
			drawn = summary->regimes[i].name;
		}
	}
	return drawn;
}

static bool row_is_drawn(const struct summary *summary, const struct summary_row *row)
{
	return strcmp(row->regime, regime_of_place(summary, row->cell->place)) == 0;
}

static bool row_is_wanted(const struct filing *filing, const struct summary_row *row)
{
	/* under an open load a rate is what was asked for, and says nothing of the queue */
	return strcmp(row->cell->load, "open") && filing->wish->wanted(row) && (!filing->wish->value || filing->wish->value(row) > 0);
}

/* Whether all rows of its queue have its batch: one that does not batch, or that has a batch of its own. */
static bool row_has_one_batch(const struct filing *filing, const struct summary_row *row)
{
	for (size_t i = 0; i < filing->summary->row_count; i++) {
		const struct summary_row *other = &filing->summary->rows[i];

		if (!strcmp(other->cell->queue, row->cell->queue) && other->cell->batch != row->cell->batch &&
		    other->cell->message_bytes == row->cell->message_bytes &&
		    !strcmp(other->cell->workload, row->cell->workload) && row_is_wanted(filing, other))
			return false;
	}
	return true;
}

static bool batch_fits(const struct filing *filing, const struct panel *panel, const struct summary_row *row)
{
	return along_batch(panel->axis) || row->cell->batch == panel->first->cell->batch ||
	       ((row->cell->batch == 1 || row_is_floor(row)) && row_has_one_batch(filing, row));
}

/* A queue without bound has no capacity to differ by, one that blocks by its own means no way of waiting, and one that
 * does not batch no batch. */
static bool row_fits(const struct filing *filing, const struct panel *panel, const struct summary_row *row,
		     const char *key)
{
	const struct record_cell *cell = row->cell, *first = panel->first->cell;

	return !strcmp(panel->key, key) &&
	       (panel->axis == PANELS_BY_CAPACITY || !cell->capacity || cell->capacity == first->capacity) &&
	       (panel->waits_free || !strcmp(cell->wait, "native") || !strcmp(cell->wait, first->wait)) &&
	       batch_fits(filing, panel, row);
}

static int panel_add(const struct filing *filing, const struct summary_row *row)
{
	struct panels *panels = filing->panels;
	char *key = panel_key(row->cell, filing->wish->axis);
	struct panel *panel = &panels->list[panels->count];

	if (!key)
		return -ENOMEM;
	for (size_t i = 0; i < panels->count; i++)
		if (panels->list[i].axis == filing->wish->axis && row_fits(filing, &panels->list[i], row, key))
			goto done;
	if (panels->count == PANELS_MOST) {
		panels->left_out++;
		goto done;
	}
	memset(panel, 0, sizeof(*panel));
	panel->rows = calloc(filing->summary->row_count, sizeof(*panel->rows));
	if (!panel->rows) {
		free(key);
		return -ENOMEM;
	}
	panels->count++;
	panel->axis = filing->wish->axis;
	panel->waits_free = filing->waits_free;
	panel->first = row;
	panel->key = key;
	return 0;
done:
	free(key);
	return 0;
}

static bool same_place_on_axis(const struct panel *panel, const struct record_cell *one, const struct record_cell *other)
{
	return one->batch == other->batch &&
	       (panel->axis != PANELS_BY_ACTORS ||
		(one->producers == other->producers && one->consumers == other->consumers));
}

/* A floor is as low in every setting of its workload, load and placement; its size matters, but for `line`, whose
 * message is a line. */
static bool floor_belongs(const struct filing *filing, const struct panel *panel, const struct summary_row *row)
{
	const struct record_cell *cell = row->cell, *first = panel->first->cell;

	if (strcmp(cell->workload, first->workload) || strcmp(cell->load, first->load) ||
	    (strcmp(cell->queue, "line") && cell->message_bytes != first->message_bytes) ||
	    panel->axis == PANELS_BY_SWITCHES || !batch_fits(filing, panel, row))
		return false;
	for (size_t i = 0; i < panel->row_count; i++)
		if (!strcmp(panel->rows[i]->cell->queue, cell->queue) &&
		    same_place_on_axis(panel, panel->rows[i]->cell, cell))
			return false;
	return true;
}

static int row_belongs(const struct filing *filing, const struct panel *panel, const struct summary_row *row)
{
	bool belongs;
	char *key;

	if (strcmp(row->cell->place, panel->first->cell->place) || strcmp(row->regime, panel->first->regime))
		return 0;
	if (row_is_floor(row) && !row_is_floor(panel->first))
		return floor_belongs(filing, panel, row);
	key = panel_key(row->cell, panel->axis);
	if (!key)
		return -ENOMEM;
	belongs = row_fits(filing, panel, row, key);
	free(key);
	return belongs;
}

/* How many of its parameters do not tie a row to one panel. */
static int row_freedom(const struct filing *filing, const struct summary_row *row)
{
	return !row->cell->capacity + !strcmp(row->cell->wait, "native") +
	       (!along_batch(filing->wish->axis) && row->cell->batch == 1 && row_has_one_batch(filing, row));
}

static int compare_counts(uint64_t one, uint64_t other)
{
	return (one > other) - (one < other);
}

static int workload_rank(const char *workload)
{
	static const char *const order[] = { "stream", "fanin", "fanout", "mesh", "pipeline", "pingpong" };
	int rank = 0;

	while (rank < (int)(sizeof(order) / sizeof(order[0])) && strcmp(workload, order[rank]))
		rank++;
	return rank;
}

static int compare_settings(enum panels_axis axis, const struct record_cell *a, const struct record_cell *b)
{
	int order = workload_rank(a->workload) - workload_rank(b->workload);

	order = order ? order : strcmp(a->load, b->load);
	order = order ? order : strcmp(a->place, b->place);
	if (!order && axis != PANELS_BY_ACTORS)
		order = compare_counts(a->producers + a->consumers + a->stages, b->producers + b->consumers + b->stages);
	order = order ? order : compare_counts(a->message_bytes, b->message_bytes);
	if (!order && !along_batch(axis))
		order = compare_counts(a->batch, b->batch);
	if (!order && axis != PANELS_BY_CAPACITY)
		order = compare_counts(a->capacity - 1, b->capacity - 1); /* without bound: last */
	order = order ? order : strcmp(a->queue, b->queue);
	return order ? order : compare_counts(a->index, b->index);
}

/* A run measures its cells in a random order; panels have one that can be found again. */
static int by_setting(const void *left, const void *right)
{
	const struct panel *a = left, *b = right;

	return compare_settings(a->axis, a->first->cell, b->first->cell);
}

/* Where there are too many panels, the smallest settings have the first claim. */
static int rows_by_setting(const void *left, const void *right)
{
	const struct summary_row *const *a = left, *const *b = right;

	return compare_settings(PANELS_BY_BATCH, (*a)->cell, (*b)->cell);
}

/* Panels for the rows that are tied most come first; the others find theirs among them. */
static int panels_collect(const struct filing *filing, bool floors)
{
	for (int freedom = 0; freedom <= 3; freedom++)
		for (size_t i = 0; i < filing->summary->row_count; i++) {
			const struct summary_row *row = filing->order[i];

			if (row_is_floor(row) != floors || !row_is_wanted(filing, row) ||
			    !row_is_drawn(filing->summary, row) || row_freedom(filing, row) != freedom)
				continue;
			if (panel_add(filing, row))
				return -ENOMEM;
		}
	return 0;
}

static int panels_fill(const struct filing *filing, size_t from)
{
	for (size_t p = from; p < filing->panels->count; p++)
		for (int floors = 0; floors < 2; floors++)
			for (size_t i = 0; i < filing->summary->row_count; i++) {
				struct panel *panel = &filing->panels->list[p];
				const struct summary_row *row = &filing->summary->rows[i];
				int belongs = 0;

				if (row_is_floor(row) == floors && row_is_wanted(filing, row))
					belongs = row_belongs(filing, panel, row);
				if (belongs < 0)
					return belongs;
				if (belongs)
					panel->rows[panel->row_count++] = row;
			}
	return 0;
}

static bool differ_by_wait_only(const struct record_cell *one, const struct record_cell *other)
{
	return strcmp(one->wait, other->wait) && !strcmp(one->queue, other->queue) &&
	       !strcmp(one->workload, other->workload) && !strcmp(one->load, other->load) &&
	       !strcmp(one->place, other->place) && one->window == other->window && one->batch == other->batch &&
	       one->message_bytes == other->message_bytes && one->capacity == other->capacity &&
	       one->producers == other->producers && one->consumers == other->consumers &&
	       one->stages == other->stages;
}

/* More actors than CPUs wait in another way; unless the record compares ways of waiting, that is no other setting. */
static bool waits_are_free(const struct filing *filing)
{
	const struct summary *summary = filing->summary;

	if (filing->wish->axis != PANELS_BY_ACTORS)
		return false;
	for (size_t i = 0; i < summary->row_count; i++)
		for (size_t j = 0; j < i; j++)
			if (differ_by_wait_only(summary->rows[i].cell, summary->rows[j].cell) &&
			    row_is_wanted(filing, &summary->rows[i]) && row_is_wanted(filing, &summary->rows[j]))
				return false;
	return true;
}

/* ---- what is said of them ---- */

enum { ATTRIBUTES = 9 };

static bool cpu_is_listed(const json_t *cpus, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (json_equal(json_array_get(cpus, i), json_array_get(cpus, before)))
			return true;
	return false;
}

static void attribute_place(char text[SHEET_TEXT], const struct panel *panel)
{
	const json_t *cpus = json_object_get(panel->first->cell->json, "cpus");
	const char *separator = " (CPUs ";
	size_t used;

	for (size_t i = 0; i < panel->row_count; i++) { /* along a number of actors: those of the most */
		const json_t *more = json_object_get(panel->rows[i]->cell->json, "cpus");

		cpus = json_array_size(more) > json_array_size(cpus) ? more : cpus;
	}
	used = (size_t)snprintf(text, SHEET_TEXT, "%.60s", panel->first->cell->place);
	for (size_t i = 0; i < json_array_size(cpus) && used < SHEET_TEXT / 2; i++) {
		if (panel->axis == PANELS_BY_ACTORS && cpu_is_listed(cpus, i))
			continue;
		used += (size_t)snprintf(text + used, SHEET_TEXT - used, "%s%" JSON_INTEGER_FORMAT, separator,
					 json_integer_value(json_array_get(cpus, i)));
		separator = ",";
	}
	if (json_array_size(cpus))
		used += (size_t)snprintf(text + used, SHEET_TEXT - used, ")");
	if (strcmp(panel->first->regime, "r?"))
		snprintf(text + used, SHEET_TEXT - used, ", line %.20s", panel->first->regime);
	else
		snprintf(text + used, SHEET_TEXT - used, ", line not measured");
}

static void attribute_workload(char text[SHEET_TEXT], const struct panel *panel)
{
	static const char *const along[][2] = { { "fanin", "N producers to 1 consumer" },
						{ "fanout", "1 producer to N consumers" },
						{ "mesh", "N producers to N consumers" },
						{ "pipeline", "N stages" } };
	const struct record_cell *cell = panel->first->cell;

	for (size_t i = 0; panel->axis == PANELS_BY_ACTORS && i < sizeof(along) / sizeof(along[0]); i++)
		if (strcmp(cell->workload, along[i][0]) == 0) {
			snprintf(text, SHEET_TEXT, "%s, %s", along[i][0], along[i][1]);
			return;
		}
	snprintf(text, SHEET_TEXT, "%.60s", cell->workload);
	if (cell->stages)
		snprintf(text + strlen(text), SHEET_TEXT - strlen(text), " of %" PRIu64 " stages", cell->stages);
	else if (strcmp(cell->workload, "stream") && strcmp(cell->workload, "pingpong"))
		snprintf(text + strlen(text), SHEET_TEXT - strlen(text), " %" PRIu64 " to %" PRIu64, cell->producers,
			 cell->consumers);
}

static void attribute_load(char text[SHEET_TEXT], const struct record_cell *cell)
{
	json_t *rate = json_object_get(cell->json, "rate_per_s");

	if (strcmp(cell->load, "saturate") == 0)
		snprintf(text, SHEET_TEXT, "saturated");
	else if (strcmp(cell->load, "closed") == 0 && cell->window)
		snprintf(text, SHEET_TEXT, "closed load, window %" PRIu64, cell->window);
	else if (json_is_number(rate))
		snprintf(text, SHEET_TEXT, "%.20s load, %.6g messages/s", cell->load, json_number_value(rate));
	else
		snprintf(text, SHEET_TEXT, "%.20s load", cell->load);
}

static void attribute_capacity(char text[SHEET_TEXT], const struct panel *panel)
{
	uint64_t window = 0;
	bool unbounded = false;

	for (size_t i = 0; i < panel->row_count; i++)
		if (!panel->rows[i]->cell->capacity && !row_is_floor(panel->rows[i])) {
			unbounded = true;
			window = strcmp(panel->rows[i]->cell->load, "closed") ? panel->rows[i]->cell->window : 0;
		}
	text[0] = '\0';
	if (panel->axis == PANELS_BY_CAPACITY)
		return;
	if (panel->first->cell->capacity)
		snprintf(text, SHEET_TEXT, "capacity %" PRIu64 "%s", panel->first->cell->capacity,
			 unbounded ? " (or unbounded" : "");
	else
		snprintf(text, SHEET_TEXT, "capacity unbounded%s", unbounded && window ? " (" : "");
	if (unbounded && window)
		snprintf(text + strlen(text), SHEET_TEXT - strlen(text), "%swindow %" PRIu64 ")",
			 panel->first->cell->capacity ? ", " : "", window);
	else if (unbounded && panel->first->cell->capacity)
		strcat(text, ")");
}

/* The panel's own way, and in brackets the others of its rows. */
static void attribute_wait(char text[SHEET_TEXT], const struct panel *panel)
{
	const char *own = panel->first->cell->wait;
	char others[SHEET_TEXT / 2] = "";

	for (size_t i = 0; i < panel->row_count; i++) {
		const char *wait = panel->rows[i]->cell->wait;
		size_t used = strlen(others);

		if (!row_is_floor(panel->rows[i]) && strcmp(wait, own) && !strstr(others, wait))
			snprintf(others + used, sizeof(others) - used, "%s%.60s", used ? ", " : "", wait);
	}
	snprintf(text, SHEET_TEXT, others[0] ? "wait %.60s (or %s)" : "wait %.60s", own, others);
}

static void attribute_switches(char text[SHEET_TEXT], const struct panel *panel)
{
	bool writes = panel->first->cell->prewrite, reads = panel->first->cell->preread;

	if (panel->axis != PANELS_BY_SWITCHES && !(writes && reads))
		snprintf(text, SHEET_TEXT, "%s%s%s", writes ? "" : "prewrite off", writes || reads ? "" : ", ",
			 reads ? "" : "preread off");
}

static void attribute(char text[SHEET_TEXT], const struct panel *panel, int which)
{
	const struct record_cell *cell = panel->first->cell;

	text[0] = '\0';
	switch (which) {
	case 0:
		attribute_place(text, panel);
		break;
	case 1:
		attribute_workload(text, panel);
		break;
	case 2:
		if (panel->axis == PANELS_BY_SWITCHES)
			sheet_clean(text, SHEET_TEXT, cell->queue, SHEET_LABEL);
		break;
	case 3:
		attribute_load(text, cell);
		break;
	case 4:
		snprintf(text, SHEET_TEXT, "%" PRIu64 "-byte messages", cell->message_bytes);
		break;
	case 5:
		if (!along_batch(panel->axis))
			snprintf(text, SHEET_TEXT, "batch %" PRIu64, cell->batch);
		break;
	case 6:
		attribute_capacity(text, panel);
		break;
	case 7:
		attribute_wait(text, panel);
		break;
	default:
		attribute_switches(text, panel);
	}
}

static void append(char text[SHEET_TEXT], const char *more)
{
	size_t used = strlen(text);

	if (more[0])
		snprintf(text + used, SHEET_TEXT - used, "%s%s", used ? " | " : "", more);
}

/* What all panels share goes into the header, what differs into their titles. */
static void attributes_write(struct panels *panels, char common[SHEET_TEXT])
{
	char first[SHEET_TEXT], other[SHEET_TEXT];

	for (int which = 0; which < ATTRIBUTES; which++) {
		bool same = true;

		attribute(first, &panels->list[0], which);
		for (size_t p = 1; p < panels->count; p++) {
			attribute(other, &panels->list[p], which);
			same &= strcmp(first, other) == 0;
		}
		if (same)
			append(common, first);
		for (size_t p = 0; !same && p < panels->count; p++) {
			attribute(other, &panels->list[p], which);
			append(panels->list[p].title, other);
		}
	}
}

static bool is_attribute(const char *key)
{
	static const char *const keys[] = { "queue", "batch",      "capacity",     "window",    "wait",
					    "place", "cpus",       "workload",     "producers", "consumers",
					    "load",  "rate_per_s", "message_bytes", "latency",  "stages",
					    "prewrite", "preread" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

/* Any other parameter of the cell is named where it differs. */
static void parameters_write(struct panels *panels)
{
	const char *key;
	json_t *value;

	json_object_foreach (panels->list[0].first->cell->json, key, value) {
		bool same = true;

		if (is_attribute(key))
			continue;
		for (size_t p = 1; p < panels->count; p++)
			same &= json_equal(value, json_object_get(panels->list[p].first->cell->json, key));
		for (size_t p = 0; !same && p < panels->count; p++) {
			char text[SHEET_TEXT];
			char *dump =
				json_dumps(json_object_get(panels->list[p].first->cell->json, key), JSON_ENCODE_ANY);
			const char *string = json_string_value(json_object_get(panels->list[p].first->cell->json, key));

			snprintf(text, sizeof(text), "%.60s %.100s", key, string ? string : dump ? dump : "null");
			append(panels->list[p].title, text);
			free(dump);
		}
	}
}

/* The wanted rows that are not drawn; each once, whatever it is wanted for. */
static void left_out_count(const struct filing *filing)
{
	struct panels *panels = filing->panels;

	for (size_t i = 0; i < filing->summary->row_count; i++) {
		const struct summary_row *row = &filing->summary->rows[i];
		size_t used = strlen(panels->elsewhere);

		if (panels->counted[i] || !filing->wish->wanted(row))
			continue;
		panels->counted[i] = true;
		if (row_is_drawn(filing->summary, row)) {
			panels->dropped += filing->wish->value && filing->wish->value(row) <= 0;
			continue;
		}
		panels->trials_elsewhere += row->trials;
		if (!strstr(panels->elsewhere, row->regime) && used < SHEET_TEXT / 4)
			snprintf(panels->elsewhere + used, SHEET_TEXT - used, "%s%s", used ? ", " : "", row->regime);
	}
}

static void trials_text(char text[SHEET_TEXT], const struct panels *panels)
{
	size_t least = SIZE_MAX, most = 0;

	for (size_t p = 0; p < panels->count; p++)
		for (size_t i = 0; i < panels->list[p].row_count; i++) {
			size_t trials = panels->list[p].rows[i]->trials;

			most = trials > most ? trials : most;
			least = trials < least ? trials : least;
		}
	if (least < most)
		snprintf(text, SHEET_TEXT, "%zu to %zu trials each", least, most);
	else
		snprintf(text, SHEET_TEXT, "%zu trial%s each", most, most == 1 ? "" : "s");
}

void panels_describe(struct panels *panels, struct sheet *sheet, const struct record *record,
		     const struct summary *summary)
{
	const char *model = json_string_value(json_object_get(json_object_get(record->run, "host"), "cpu_model"));
	char common[SHEET_TEXT] = "", trials[SHEET_TEXT], machine[SHEET_TEXT];

	sheet_clean(machine, sizeof(machine), model ? model : "unknown CPU", 60);
	append(common, machine);
	attributes_write(panels, common);
	parameters_write(panels);
	for (size_t p = 0; p < panels->count; p++) {
		char title[SHEET_TEXT];

		sheet_clean(title, sizeof(title), panels->list[p].title, PANELS_TITLE);
		memcpy(panels->list[p].title, title, sizeof(title));
	}
	trials_text(trials, panels);
	append(common, trials);
	sheet_head(sheet, "%s", common);

	if (panels->trials_elsewhere)
		sheet_note(sheet, "%zu trials lay in other regimes of the line (%s) and are not drawn.",
			   panels->trials_elsewhere, panels->elsewhere);
	if (summary->invalid + summary->moved + summary->failed)
		sheet_note(sheet,
			   "Not counted, in the whole record: %zu invalid, %zu whose line moved, %zu crashed or hung.",
			   summary->invalid, summary->moved, summary->failed);
	if (summary->disturbed)
		sheet_note(sheet, "Counted, though disturbed, in the whole record: %zu trials.", summary->disturbed);
	if (panels->dropped)
		sheet_note(sheet, "%zu points that are not above 0 have no place on a log axis and are left out.",
			   panels->dropped);
	if (panels->left_out)
		sheet_note(sheet,
			   "%zu cells are not drawn: a figure has at most %d panels. The table of the record has them "
			   "all.",
			   panels->left_out, PANELS_MOST);
	if (!json_is_true(json_object_get(record->end, "complete")))
		sheet_note(sheet, "The run was cut off: the record is not complete.");
}

int panels_make(struct panels *panels, struct sheet *sheet, const struct summary *summary,
		const struct panels_wish *wish)
{
	struct filing filing = { panels, summary, wish, calloc(summary->row_count + 1, sizeof(*filing.order)), false };
	size_t from = panels->count;
	int error = filing.order ? 0 : -ENOMEM;

	if (!panels->counted)
		panels->counted = calloc(summary->row_count + 1, sizeof(*panels->counted));
	if (error || !panels->counted) {
		free(filing.order);
		return -ENOMEM;
	}
	for (size_t i = 0; i < summary->row_count; i++)
		filing.order[i] = &summary->rows[i];
	qsort(filing.order, summary->row_count, sizeof(*filing.order), rows_by_setting);
	filing.waits_free = waits_are_free(&filing);
	error = panels_collect(&filing, false);
	if (!error && panels->count == from)
		error = panels_collect(&filing, true);
	if (!error)
		error = panels_fill(&filing, from);
	free(filing.order);
	if (error)
		return error;
	qsort(panels->list + from, panels->count - from, sizeof(panels->list[0]), by_setting);
	left_out_count(&filing);
	if (panels->count == from)
		return sheet_complain(sheet, "%s%s", wish->missing,
				      panels->dropped            ? " above 0"
				      : panels->trials_elsewhere ? " in the main regime"
								 : "");
	return 0;
}

/* ---- which lines are drawn ---- */

/* More lines than LINES_MOST nobody tells apart. */
enum { LINES_MOST = 16, LINES_BEST = 12 };

/* What the others are measured against. */
static const char *const known[] = { "ypipe", "ring", "mutex", "mutex-batch" };

struct choice {
	const struct summary_row *row;
	bool floor, leads; /* leads: the first of its line */
	double cost;       /* its line's */
	size_t index;      /* of its line's first row */
};

static int by_cost(const void *left, const void *right)
{
	const struct choice *a = left, *b = right;

	if (a->floor != b->floor)
		return a->floor - b->floor;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	return b->leads - a->leads;
}

static bool is_known(const struct summary_row *row)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(row->cell->queue, known[i]) == 0)
			return true;
	return false;
}

static void choice_make(struct choice *choice, const struct panel *panel, size_t at,
			double (*cost)(const struct summary_row *))
{
	*choice = (struct choice){ panel->rows[at], row_is_floor(panel->rows[at]), false, INFINITY, SIZE_MAX };
	for (size_t i = 0; i < panel->row_count; i++) {
		double own = cost(panel->rows[i]);

		if (!panels_same_series(panel, panel->rows[i], panel->rows[at]))
			continue;
		choice->index = choice->index == SIZE_MAX ? i : choice->index;
		choice->cost = own < choice->cost ? own : choice->cost;
	}
	choice->leads = choice->index == at;
}

/* Returns how many lines were taken out. */
static size_t rows_choose(struct panel *panel, const struct choice *choices)
{
	size_t lines = 0, line = 0, left_out = 0, kept = 0;
	bool keeps = true;

	for (size_t i = 0; i < panel->row_count; i++)
		lines += choices[i].leads && !choices[i].floor;
	for (size_t i = 0; i < panel->row_count; i++) {
		const struct choice *choice = &choices[i];

		if (choice->leads) {
			line += !choice->floor;
			keeps = choice->floor || lines <= LINES_MOST || line <= LINES_BEST || is_known(choice->row);
			left_out += !keeps;
		}
		if (keeps)
			panel->rows[kept++] = choice->row;
	}
	panel->row_count = kept;
	return left_out;
}

int panels_choose(struct panels *panels, struct sheet *sheet, double (*cost)(const struct summary_row *row))
{
	size_t left_out = 0;

	for (size_t p = 0; p < panels->count; p++) {
		struct panel *panel = &panels->list[p];
		struct choice *choices = calloc(panel->row_count + 1, sizeof(*choices));

		if (!choices)
			return -ENOMEM;
		for (size_t i = 0; i < panel->row_count; i++)
			choice_make(&choices[i], panel, i, cost);
		qsort(choices, panel->row_count, sizeof(*choices), by_cost);
		left_out += rows_choose(panel, choices);
		free(choices);
	}
	if (left_out)
		sheet_note(sheet,
			   "Of more than %d queues the %d best are drawn, the floors, and %s, %s, %s and %s: %zu lines are left out. "
			   "The table of the record has them all, the figure rate those that stream.",
			   LINES_MOST, LINES_BEST, known[0], known[1], known[2], known[3], left_out);
	return 0;
}

void panels_remove(struct panels *panels, size_t at)
{
	struct panel *panel = &panels->list[at];

	free(panel->key);
	free(panel->rows);
	memmove(panel, panel + 1, (--panels->count - at) * sizeof(*panel));
}

void panels_free(struct panels *panels)
{
	for (size_t i = 0; i < panels->count; i++) {
		free(panels->list[i].key);
		free(panels->list[i].rows);
	}
	panels->count = 0;
	free(panels->counted);
	panels->counted = NULL;
}

unsigned panels_title_width(const struct panels *panels)
{
	size_t width = 0;

	for (size_t p = 0; p < panels->count; p++)
		width = sheet_length(panels->list[p].title) > width ? sheet_length(panels->list[p].title) : width;
	return (unsigned)(width < PANELS_TITLE ? width : PANELS_TITLE);
}

bool panels_same_series(const struct panel *panel, const struct summary_row *one, const struct summary_row *other)
{
	const struct record_cell *a = one->cell, *b = other->cell;

	if (strcmp(a->queue, b->queue))
		return false;
	if (panel->axis == PANELS_BY_SWITCHES && (a->prewrite != b->prewrite || a->preread != b->preread))
		return false;
	/* along the capacity, a window is a queue's without bound */
	return row_is_floor(one) || panel->axis == PANELS_BY_CAPACITY || a->window == b->window;
}

static bool has_windows(const struct panel *panel, const struct record_cell *cell)
{
	for (size_t i = 0; panel->axis != PANELS_BY_CAPACITY && i < panel->row_count; i++)
		if (!strcmp(panel->rows[i]->cell->queue, cell->queue) &&
		    panel->rows[i]->cell->window != cell->window)
			return true;
	return false;
}

void panels_label(char label[SHEET_TEXT], const struct panel *panel, const struct summary_row *row)
{
	const struct record_cell *cell = row->cell;

	if (panel->axis == PANELS_BY_SWITCHES)
		snprintf(label, SHEET_TEXT, "prewrite %s, preread %s", cell->prewrite ? "on" : "off",
			 cell->preread ? "on" : "off");
	else
		sheet_clean(label, SHEET_TEXT, cell->queue, SHEET_LABEL);
	if (row_is_floor(row))
		/* one thread bears both ends there: a queue whose ends work side by side may take less time a message */
		strcat(label, strcmp(cell->queue, "null") ? " (floor)" : " (both ends)");
	if (!along_batch(panel->axis) && cell->batch != panel->first->cell->batch)
		snprintf(label + strlen(label), SHEET_TEXT - strlen(label), " b=%" PRIu64, cell->batch);
	if (!row_is_floor(row) && has_windows(panel, cell))
		snprintf(label + strlen(label), SHEET_TEXT - strlen(label), " w=%" PRIu64, cell->window);
}
