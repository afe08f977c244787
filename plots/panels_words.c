/* What is said of panels and of their lines. */
#include "panels_parts.h"
#include "number.h"
#include "record_join.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ATTRIBUTES = 10 };

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

static void attribute_open(char text[SHEET_TEXT], const struct panel *panel)
{
	const struct record_cell *cell = panel->first->cell;
	size_t used = (size_t)snprintf(text, SHEET_TEXT, "open load, %.20s arrivals", cell->arrival ? cell->arrival : "?");

	if (cell->burst > 1)
		used += (size_t)snprintf(text + used, SHEET_TEXT - used, " of %" PRIu64, cell->burst);
	if (panel->axis == PANELS_BY_RATE || panel->axis == PANELS_BY_GAP)
		return;
	if (cell->gap_ns)
		snprintf(text + used, SHEET_TEXT - used, ", each %.6g us", (double)cell->gap_ns / 1e3);
	else if (cell->rate_percent)
		snprintf(text + used, SHEET_TEXT - used, ", %" PRIu64 " %% of the capacity", cell->rate_percent);
	else
		snprintf(text + used, SHEET_TEXT - used, ", %.6g messages/s", (double)cell->rate_per_s);
}

static void attribute_load(char text[SHEET_TEXT], const struct panel *panel)
{
	const struct record_cell *cell = panel->first->cell;

	if (strcmp(cell->load, "saturate") == 0)
		snprintf(text, SHEET_TEXT, "saturated");
	else if (strcmp(cell->load, "closed") == 0 && cell->window)
		snprintf(text, SHEET_TEXT, "closed load, window %" PRIu64, cell->window);
	else if (strcmp(cell->load, "open") == 0)
		attribute_open(text, panel);
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
	if (along_capacity(panel->axis))
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

	if (panel->axis == PANELS_BY_GAP) { /* a line each */
		text[0] = '\0';
		return;
	}
	for (size_t i = 0; i < panel->row_count; i++) {
		const char *wait = panel->rows[i]->cell->wait;
		size_t used = strlen(others);

		if (!row_is_floor(panel->rows[i]) && strcmp(wait, own) && !strstr(others, wait))
			snprintf(others + used, sizeof(others) - used, "%s%.60s", used ? ", " : "", wait);
	}
	snprintf(text, SHEET_TEXT, others[0] ? "wait %.60s (or %s)" : "wait %.60s", own, others);
}

static void attribute_busy(char text[SHEET_TEXT], const struct record_cell *cell)
{
	size_t used = 0;

	if (cell->work_ns)
		used = (size_t)snprintf(text, SHEET_TEXT, "%" PRIu64 " ns of work on each message", cell->work_ns);
	if (cell->think_ns)
		snprintf(text + used, SHEET_TEXT - used, "%s%" PRIu64 " ns of thought before each", used ? ", " : "", cell->think_ns);
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
		if (of_one_queue(panel->axis))
			sheet_clean(text, SHEET_TEXT, cell->queue, cell->own_queue ? 2 * SHEET_LABEL : SHEET_LABEL);
		break;
	case 3:
		attribute_load(text, panel);
		break;
	case 4:
		if (!along_size(panel->axis, cell))
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
	case 8:
		attribute_busy(text, cell);
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
					    "prewrite", "preread",     "rate_percent", "arrival",   "burst",
					    "gap_ns", "work_ns",   "think_ns" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static bool lies_along(enum panels_axis axis, const char *key)
{
	return (axis == PANELS_BY_STAMPS && !strcmp(key, "stamps")) ||
	       (axis == PANELS_BY_GAP && (!strcmp(key, "duration_ns") || !strcmp(key, "messages")));
}

/* Any other parameter of the cell is named where it differs. */
static void parameters_write(struct panels *panels)
{
	const char *key;
	json_t *value;

	json_object_foreach (panels->list[0].first->cell->json, key, value) {
		bool same = true;

		if (is_attribute(key) || lies_along(panels->list[0].axis, key))
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

void panels_note_stamps(struct sheet *sheet, const struct summary *summary)
{
	size_t thinned = 0, full = 0;
	char some[NUMBER_TEXT], others[NUMBER_TEXT];

	for (size_t i = 0; i < summary->row_count; i++) {
		thinned += summary->rows[i].stamps.thinned;
		full += summary->rows[i].stamps.full;
	}
	if (thinned + full)
		sheet_note(sheet, "For want of room for stamps, in the whole record: %s stamped one in more messages than asked for, "
				  "%s ended early.",
			   number_of(some, thinned, "trial"), number_of(others, full, "trial"));
}

/* Which file is meant by its name, and what it is a record of. */
static void files_describe(struct sheet *sheet, const struct record *record)
{
	for (size_t p = 0; record->join && p < record->join->count; p++) {
		const struct record_part *part = &record->join->parts[p];
		const char *started = json_string_value(json_object_get(part->record->run, "started_utc"));
		const char *commit = json_string_value(json_object_get(json_object_get(part->record->run, "tool"), "commit"));
		char words[SHEET_TEXT], clean[SHEET_TEXT];

		snprintf(words, sizeof(words), "(%.60s): %.300s, %.40s, commit %.40s", part->name, part->record->path, started ? started : "?",
			 commit ? commit : "?");
		sheet_clean(clean, sizeof(clean), words, SHEET_TEXT);
		sheet_head(sheet, "%s", clean);
	}
}

void panels_describe(struct panels *panels, struct sheet *sheet, const struct record *record,
		     const struct summary *summary)
{
	const char *model = json_string_value(json_object_get(json_object_get(record->run, "host"), "cpu_model"));
	char common[SHEET_TEXT] = "", trials[SHEET_TEXT], machine[SHEET_TEXT], count[NUMBER_TEXT];

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
	files_describe(sheet, record);

	if (panels->trials_elsewhere)
		sheet_note(sheet, "%s of other regimes of the line (%s) %s not drawn.",
			   number_of(count, panels->trials_elsewhere, "trial"), panels->elsewhere, number_is(panels->trials_elsewhere));
	if (summary->invalid + summary->moved + summary->failed)
		sheet_note(sheet,
			   "Not counted, in the whole record: %zu invalid, %zu whose line moved, %zu crashed or hung.",
			   summary->invalid, summary->moved, summary->failed);
	if (summary->disturbed)
		sheet_note(sheet, "Counted, though disturbed, in the whole record: %zu trial%s.", summary->disturbed,
			   summary->disturbed == 1 ? "" : "s");
	if (panels->dropped)
		sheet_note(sheet, "%s not above 0 %s left out: a log axis has no place for it.",
			   number_of(count, panels->dropped, "point"), number_is(panels->dropped));
	if (panels->unknown && panels->list[0].axis != PANELS_BY_GAP) /* whose figure names them */
		sheet_note(sheet, "%s %s left out, because no trial that counts has the value.",
			   number_of(count, panels->unknown, "point"), number_is(panels->unknown));
	if (panels->left_out)
		sheet_note(sheet,
			   "%s %s not drawn: a figure has at most %d panels. The table of the record has them "
			   "all.",
			   number_of(count, panels->left_out, "cell"), number_is(panels->left_out), PANELS_MOST);
	if (!json_is_true(json_object_get(record->end, "complete")))
		sheet_note(sheet, "The run was cut off: the record is not complete.");
}

unsigned panels_title_width(const struct panels *panels)
{
	size_t width = 0;

	for (size_t p = 0; p < panels->count; p++)
		width = sheet_length(panels->list[p].title) > width ? sheet_length(panels->list[p].title) : width;
	return (unsigned)(width < PANELS_TITLE ? width : PANELS_TITLE);
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
		sheet_clean(label, SHEET_TEXT, cell->queue, cell->own_queue ? 2 * SHEET_LABEL : SHEET_LABEL);
	if (row_is_floor(row))
		/* one thread bears both ends there: a queue whose ends work side by side may take less time a message */
		strcat(label, strcmp(record_cell_queue(cell), "null") ? " (floor)" : " (both ends)");
	if (panel->axis == PANELS_BY_GAP)
		snprintf(label + strlen(label), SHEET_TEXT - strlen(label), ", %.20s", cell->wait);
	if (!along_batch(panel->axis) && cell->batch != panel->first->cell->batch)
		snprintf(label + strlen(label), SHEET_TEXT - strlen(label), " b=%" PRIu64, cell->batch);
	if (!row_is_floor(row) && has_windows(panel, cell))
		snprintf(label + strlen(label), SHEET_TEXT - strlen(label), " w=%" PRIu64, cell->window);
}
