#include "panels.h"
#include "regime.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- which rows stand together ---- */

static bool row_is_floor(const struct summary_row *row)
{
	return summary_is_floor(row->cell);
}

/* The cell without what may differ inside a panel. The window of a closed load is the load's; any other only bounds
 * what a queue without bound may hold, and is the queue's own. */
static char *panel_key(const struct record_cell *cell)
{
	static const char *const own[] = { "queue", "batch", "capacity", "wait" };
	json_t *rest = json_copy(cell->json);
	char *key;

	if (!rest)
		return NULL;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		json_object_del(rest, own[i]);
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

/* A queue without bound has no capacity to differ by, and one that blocks by its own means no way of waiting. */
static bool row_fits(const struct panel *panel, const struct summary_row *row, const char *key)
{
	const struct record_cell *cell = row->cell, *first = panel->first->cell;

	return !strcmp(panel->key, key) && (!cell->capacity || cell->capacity == first->capacity) &&
	       (!strcmp(cell->wait, "native") || !strcmp(cell->wait, first->wait));
}

static int panel_add(struct panels *panels, const struct summary_row *row, size_t room)
{
	char *key = panel_key(row->cell);
	struct panel *panel = &panels->list[panels->count];

	if (!key)
		return -ENOMEM;
	for (size_t i = 0; i < panels->count; i++)
		if (row_fits(&panels->list[i], row, key))
			goto done;
	if (panels->count == PANELS_MOST) {
		panels->left_out++;
		goto done;
	}
	panel->rows = calloc(room, sizeof(*panel->rows));
	if (!panel->rows) {
		free(key);
		return -ENOMEM;
	}
	panels->count++;
	panel->first = row;
	panel->key = key;
	return 0;
done:
	free(key);
	return 0;
}

/* A floor is as low in every setting of its workload, load and placement; its size matters, but for `line`, whose
 * message is a line. */
static bool floor_belongs(const struct panel *panel, const struct summary_row *row)
{
	const struct record_cell *cell = row->cell, *first = panel->first->cell;

	if (strcmp(cell->workload, first->workload) || strcmp(cell->load, first->load) ||
	    (strcmp(cell->queue, "line") && cell->message_bytes != first->message_bytes))
		return false;
	for (size_t i = 0; i < panel->row_count; i++)
		if (!strcmp(panel->rows[i]->cell->queue, cell->queue) && panel->rows[i]->cell->batch == cell->batch)
			return false;
	return true;
}

static int row_belongs(const struct panel *panel, const struct summary_row *row)
{
	bool belongs;
	char *key;

	if (strcmp(row->cell->place, panel->first->cell->place) || strcmp(row->regime, panel->first->regime))
		return 0;
	if (row_is_floor(row) && !row_is_floor(panel->first))
		return floor_belongs(panel, row);
	key = panel_key(row->cell);
	if (!key)
		return -ENOMEM;
	belongs = row_fits(panel, row, key);
	free(key);
	return belongs;
}

/* How many of its parameters do not tie a row to one panel. */
static int row_freedom(const struct summary_row *row)
{
	return !row->cell->capacity + !strcmp(row->cell->wait, "native");
}

/* Panels for the rows that are tied most come first; the others find theirs among them. */
static int panels_collect(struct panels *panels, const struct summary *summary,
			  bool (*wanted)(const struct summary_row *), bool floors)
{
	for (int freedom = 0; freedom <= 2; freedom++)
		for (size_t i = 0; i < summary->row_count; i++) {
			const struct summary_row *row = &summary->rows[i];

			if (row_freedom(row) != freedom || row_is_floor(row) != floors || !wanted(row) ||
			    !row_is_drawn(summary, row))
				continue;
			if (panel_add(panels, row, summary->row_count))
				return -ENOMEM;
		}
	return 0;
}

static int panels_fill(struct panels *panels, const struct summary *summary, bool (*wanted)(const struct summary_row *))
{
	for (size_t p = 0; p < panels->count; p++)
		for (int floors = 0; floors < 2; floors++)
			for (size_t i = 0; i < summary->row_count; i++) {
				struct panel *panel = &panels->list[p];
				const struct summary_row *row = &summary->rows[i];
				int belongs = wanted(row) && row_is_floor(row) == floors ? row_belongs(panel, row) : 0;

				if (belongs < 0)
					return belongs;
				if (belongs)
					panel->rows[panel->row_count++] = row;
			}
	return 0;
}

/* ---- what is said of them ---- */

enum { ATTRIBUTES = 6 };

static void attribute_place(char text[SHEET_TEXT], const struct panel *panel)
{
	const struct record_cell *cell = panel->first->cell;
	json_t *cpus = json_object_get(cell->json, "cpus"), *cpu;
	size_t used, i;

	used = (size_t)snprintf(text, SHEET_TEXT, "%.60s", cell->place);
	json_array_foreach (cpus, i, cpu)
		if (used < SHEET_TEXT / 2)
			used += (size_t)snprintf(text + used, SHEET_TEXT - used, "%s%" JSON_INTEGER_FORMAT,
						 i ? "," : " (CPUs ", json_integer_value(cpu));
	if (json_array_size(cpus))
		used += (size_t)snprintf(text + used, SHEET_TEXT - used, ")");
	if (strcmp(panel->first->regime, "r?"))
		snprintf(text + used, SHEET_TEXT - used, ", line %.20s", panel->first->regime);
	else
		snprintf(text + used, SHEET_TEXT - used, ", line not measured");
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

static void attribute_wait(char text[SHEET_TEXT], const struct panel *panel)
{
	const char *wait = panel->first->cell->wait;
	bool native = false;

	for (size_t i = 0; i < panel->row_count; i++)
		native |= !row_is_floor(panel->rows[i]) && strcmp(panel->rows[i]->cell->wait, wait);
	snprintf(text, SHEET_TEXT, "wait %.60s%s", wait, native ? " (or native)" : "");
}

static void attribute(char text[SHEET_TEXT], const struct panel *panel, int which)
{
	const struct record_cell *cell = panel->first->cell;

	switch (which) {
	case 0:
		attribute_place(text, panel);
		break;
	case 1:
		if (cell->producers + cell->consumers > 2)
			snprintf(text, SHEET_TEXT, "%.60s %" PRIu64 " to %" PRIu64, cell->workload, cell->producers,
				 cell->consumers);
		else
			snprintf(text, SHEET_TEXT, "%.60s", cell->workload);
		break;
	case 2:
		attribute_load(text, cell);
		break;
	case 3:
		snprintf(text, SHEET_TEXT, "%" PRIu64 "-byte messages", cell->message_bytes);
		break;
	case 4:
		attribute_capacity(text, panel);
		break;
	default:
		attribute_wait(text, panel);
	}
}

static void append(char text[SHEET_TEXT], const char *more)
{
	size_t used = strlen(text);

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
					    "load",  "rate_per_s", "message_bytes", "latency" };

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

static void elsewhere_count(struct panels *panels, const struct summary *summary,
			    bool (*wanted)(const struct summary_row *))
{
	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];
		size_t used = strlen(panels->elsewhere);

		if (!wanted(row) || row_is_drawn(summary, row))
			continue;
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
	if (panels->left_out)
		sheet_note(sheet,
			   "%zu cells are not drawn: a figure has at most %d panels. The table of the record has them "
			   "all.",
			   panels->left_out, PANELS_MOST);
	if (!json_is_true(json_object_get(record->end, "complete")))
		sheet_note(sheet, "The run was cut off: the record is not complete.");
}

int panels_make(struct panels *panels, struct sheet *sheet, const struct summary *summary,
		bool (*wanted)(const struct summary_row *row), const char *missing)
{
	int error;

	memset(panels, 0, sizeof(*panels));
	error = panels_collect(panels, summary, wanted, false);
	if (!error && !panels->count)
		error = panels_collect(panels, summary, wanted, true);
	if (!error)
		error = panels_fill(panels, summary, wanted);
	if (error) {
		panels_free(panels);
		return error;
	}
	elsewhere_count(panels, summary, wanted);
	if (!panels->count)
		return sheet_complain(sheet, "%s%s", missing, panels->trials_elsewhere ? " in the main regime" : "");
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
}

unsigned panels_title_width(const struct panels *panels)
{
	size_t width = 0;

	for (size_t p = 0; p < panels->count; p++)
		width = sheet_length(panels->list[p].title) > width ? sheet_length(panels->list[p].title) : width;
	return (unsigned)(width < PANELS_TITLE ? width : PANELS_TITLE);
}

bool panels_same_series(const struct summary_row *one, const struct summary_row *other)
{
	return !strcmp(one->cell->queue, other->cell->queue) &&
	       (row_is_floor(one) || one->cell->window == other->cell->window);
}

void panels_label(char label[SHEET_TEXT], const struct panel *panel, const struct summary_row *row)
{
	const struct record_cell *cell = row->cell;
	bool windows = false;

	for (size_t i = 0; i < panel->row_count; i++)
		windows |= !strcmp(panel->rows[i]->cell->queue, cell->queue) &&
			   panel->rows[i]->cell->window != cell->window;
	sheet_clean(label, SHEET_TEXT, cell->queue, SHEET_LABEL);
	if (row_is_floor(row))
		/* one thread bears both ends there: a queue whose ends work side by side may take less time a message */
		strcat(label, strcmp(cell->queue, "null") ? " (floor)" : " (both ends)");
	else if (windows)
		snprintf(label + strlen(label), SHEET_TEXT - strlen(label), " w=%" PRIu64, cell->window);
}
