#include "panels_parts.h"
#include "number.h"
#include "regime.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which rows stand together ---- */

/* What is found out about a row once, for it is asked again and again. */
struct filed {
	const char *regime; /* drawn of its placement */
	char *key;          /* see panels_key(); NULL: not asked for yet */
};

/* How a figure's rows are filed. */
struct filing {
	struct panels *panels;
	const struct summary *summary;
	const struct panels_wish *wish;
	const struct summary_row **order; /* all rows */
	struct filed *filed;              /* an element a row of the summary */
	bool waits_free;
};

static void keys_delete(json_t *object, const char *const *keys)
{
	for (; *keys; keys++)
		json_object_del(object, *keys);
}

char *panels_key(const struct record_cell *cell, enum panels_axis axis)
{
	static const char *const own[] = { "batch", "capacity", "wait", NULL };
	static const char *const actors[] = { "producers", "consumers", "stages", "cpus", NULL };
	static const char *const switches[] = { "prewrite", "preread", NULL };
	static const char *const rates[] = { "rate_per_s", "rate_percent", NULL };
	static const char *const gaps[] = { "gap_ns", "duration_ns", "messages", NULL }; /* longer gaps take longer trials */
	static const char *const stamps[] = { "stamps", "latency", NULL };
	json_t *rest = json_copy(cell->json);
	char *key;

	if (!rest)
		return NULL;
	keys_delete(rest, own);
	if (axis == PANELS_BY_ACTORS)
		keys_delete(rest, actors);
	if (axis == PANELS_BY_RATE)
		keys_delete(rest, rates);
	if (axis == PANELS_BY_GAP)
		keys_delete(rest, gaps);
	if (axis == PANELS_BY_STAMPS)
		keys_delete(rest, stamps);
	if (along_size(axis, cell))
		json_object_del(rest, "message_bytes");
	if (!of_one_queue(axis))
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

static struct filed *filed_of(const struct filing *filing, const struct summary_row *row)
{
	return &filing->filed[row - filing->summary->rows];
}

static bool row_is_drawn(const struct filing *filing, const struct summary_row *row)
{
	return filing->wish->all_regimes || strcmp(row->regime, filed_of(filing, row)->regime) == 0;
}

/* NULL: there is no memory. */
static const char *row_key(const struct filing *filing, const struct summary_row *row)
{
	struct filed *filed = filed_of(filing, row);

	if (!filed->key)
		filed->key = panels_key(row->cell, filing->wish->axis);
	return filed->key;
}

static bool wish_takes(const struct panels_wish *wish, const struct summary_row *row)
{
	return (wish->takes_open || strcmp(row->cell->load, "open")) && wish->wanted(row);
}

static bool row_is_wanted(const struct filing *filing, const struct summary_row *row)
{
	return wish_takes(filing->wish, row) && (!filing->wish->value || filing->wish->value(row) > 0);
}

/* Trials of what the figure shows of a placement, with floors or without. */
static size_t trials_of_regime(const struct filing *filing, const char *place, const char *regime, bool floors)
{
	size_t trials = 0;

	for (size_t i = 0; i < filing->summary->row_count; i++) {
		const struct summary_row *row = &filing->summary->rows[i];

		if (!strcmp(row->cell->place, place) && !strcmp(row->regime, regime) && wish_takes(filing->wish, row) &&
		    (floors || !row_is_floor(row)))
			trials += row->trials;
	}
	return trials;
}

/* The regime drawn of a placement: of those in which it has what the figure shows. Floors alone count where there is nothing else. "r?": its
 * line was never measured. */
static const char *regime_of_place(const struct filing *filing, const char *place)
{
	const struct summary *summary = filing->summary;
	const char *drawn = "r?";
	size_t most = 0;

	for (int floors = 0; floors < 2 && !most; floors++)
		for (size_t i = 0; i < summary->regime_count; i++) {
			size_t trials = trials_of_regime(filing, place, summary->regimes[i].name, floors);

			if (i == summary->main_regime && trials)
				return summary->regimes[i].name;
			if (trials > most) {
				most = trials;
				drawn = summary->regimes[i].name;
			}
		}
	return drawn;
}

static void regimes_choose(const struct filing *filing)
{
	const struct summary_row *rows = filing->summary->rows;

	for (size_t i = 0; i < filing->summary->row_count; i++) {
		size_t same = 0; /* the first row of its placement */

		while (strcmp(rows[same].cell->place, rows[i].cell->place))
			same++;
		filing->filed[i].regime = same < i ? filing->filed[same].regime : regime_of_place(filing, rows[i].cell->place);
	}
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
	       (along_capacity(panel->axis) || !cell->capacity || cell->capacity == first->capacity) &&
	       (panel->waits_free || !strcmp(cell->wait, "native") || !strcmp(cell->wait, first->wait)) &&
	       batch_fits(filing, panel, row);
}

static int panel_add(const struct filing *filing, const struct summary_row *row)
{
	struct panels *panels = filing->panels;
	const char *key = row_key(filing, row);
	struct panel *panel = &panels->list[panels->count];

	if (!key)
		return -ENOMEM;
	for (size_t i = 0; i < panels->count; i++)
		if (panels->list[i].axis == filing->wish->axis && !strcmp(panels->list[i].first->regime, row->regime) &&
		    row_fits(filing, &panels->list[i], row, key))
			return 0;
	if (panels->count == PANELS_MOST) {
		panels->left_out++;
		return 0;
	}
	*panel = (struct panel){ .axis = filing->wish->axis, .waits_free = filing->waits_free, .first = row, .key = strdup(key),
				 .rows = calloc(filing->summary->row_count, sizeof(*panel->rows)) };
	panels->count++; /* from here on panels_free() frees it */
	return panel->key && panel->rows ? 0 : -ENOMEM;
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
	    (strcmp(record_cell_queue(cell), "line") && cell->message_bytes != first->message_bytes) ||
	    of_one_queue(panel->axis) || !batch_fits(filing, panel, row))
		return false;
	for (size_t i = 0; i < panel->row_count; i++)
		if (!strcmp(panel->rows[i]->cell->queue, cell->queue) &&
		    same_place_on_axis(panel, panel->rows[i]->cell, cell))
			return false;
	return true;
}

static int row_belongs(const struct filing *filing, const struct panel *panel, const struct summary_row *row)
{
	const char *key;

	if (strcmp(row->cell->place, panel->first->cell->place) || strcmp(row->regime, panel->first->regime))
		return 0;
	if (row_is_floor(row) && !row_is_floor(panel->first))
		return floor_belongs(filing, panel, row);
	key = row_key(filing, row);
	return key ? row_fits(filing, panel, row, key) : -ENOMEM;
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
	if (!order && !along_size(axis, a))
		order = compare_counts(a->message_bytes, b->message_bytes);
	if (!order && !strcmp(a->load, "closed")) /* the load's own parameter */
		order = compare_counts(a->window, b->window);
	if (!order && !along_batch(axis))
		order = compare_counts(a->batch, b->batch);
	if (!order && !along_capacity(axis))
		order = compare_counts(a->capacity - 1, b->capacity - 1); /* without bound: last */
	order = order ? order : strcmp(a->queue, b->queue);
	return order ? order : compare_counts(a->index, b->index);
}

/* A run measures its cells in a random order; panels have one that can be found again. */
static int by_setting(const void *left, const void *right)
{
	const struct panel *a = left, *b = right;
	const double lines_ns[] = { a->first->line_ns, b->first->line_ns };

	if (a->axis == PANELS_BY_SETTING && !strcmp(a->key, b->key) && lines_ns[0] != lines_ns[1]) /* the same in several regimes */
		return lines_ns[0] < lines_ns[1] ? -1 : 1;
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
			    !row_is_drawn(filing, row) || row_freedom(filing, row) != freedom)
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

void panels_name_regime(char list[SHEET_TEXT], size_t most, const char *regime)
{
	size_t length = strlen(regime), used = strlen(list);

	for (const char *at = list; (at = strstr(at, regime)); at += length)
		if (!at[length] || at[length] == ',')
			return;
	if (used < most)
		snprintf(list + used, SHEET_TEXT - used, "%s%s", used ? ", " : "", regime);
}

/* The wanted rows that are not drawn; each once, whatever it is wanted for. */
static void left_out_count(const struct filing *filing)
{
	struct panels *panels = filing->panels;

	for (size_t i = 0; i < filing->summary->row_count; i++) {
		const struct summary_row *row = &filing->summary->rows[i];

		if (panels->counted[i] || !wish_takes(filing->wish, row))
			continue;
		panels->counted[i] = true;
		if (row_is_drawn(filing, row)) {
			panels->dropped += filing->wish->value && filing->wish->value(row) <= 0;
			panels->unknown += filing->wish->value && row->trials && isnan(filing->wish->value(row));
			continue;
		}
		panels->trials_elsewhere += row->trials;
		panels_name_regime(panels->elsewhere, SHEET_TEXT / 4, row->regime);
	}
}

static void filing_free(const struct filing *filing)
{
	for (size_t i = 0; filing->filed && i < filing->summary->row_count; i++)
		free(filing->filed[i].key);
	free(filing->filed);
	free(filing->order);
}

static int filing_start(struct filing *filing)
{
	size_t rows = filing->summary->row_count;

	filing->order = calloc(rows + 1, sizeof(*filing->order));
	filing->filed = calloc(rows + 1, sizeof(*filing->filed));
	if (!filing->panels->counted)
		filing->panels->counted = calloc(rows + 1, sizeof(*filing->panels->counted));
	if (!filing->order || !filing->filed || !filing->panels->counted)
		return -ENOMEM;
	for (size_t i = 0; i < rows; i++)
		filing->order[i] = &filing->summary->rows[i];
	qsort(filing->order, rows, sizeof(*filing->order), rows_by_setting);
	regimes_choose(filing);
	filing->waits_free = filing->wish->axis == PANELS_BY_GAP || waits_are_free(filing);
	return 0;
}

int panels_make(struct panels *panels, struct sheet *sheet, const struct summary *summary,
		const struct panels_wish *wish)
{
	struct filing filing = { .panels = panels, .summary = summary, .wish = wish };
	size_t from = panels->count;
	int error = filing_start(&filing);

	if (!error)
		error = panels_collect(&filing, false);
	if (!error && panels->count == from)
		error = panels_collect(&filing, true);
	if (!error)
		error = panels_fill(&filing, from);
	if (!error) {
		qsort(panels->list + from, panels->count - from, sizeof(panels->list[0]), by_setting);
		left_out_count(&filing);
	}
	filing_free(&filing);
	if (error || panels->count > from)
		return error;
	return sheet_complain(sheet, "%s%s", wish->missing, panels->dropped ? " above 0" : "");
}

const struct summary_latency *panels_latency(const struct summary_row *row, const char *from_point, const char *to_point)
{
	for (size_t i = 0; i < row->latency_count; i++) {
		const struct summary_latency *latency = &row->latency[i];

		if (!latency->saturated && !latency->round_trip && !strcmp(latency->from_point, from_point) &&
		    !strcmp(latency->to_point, to_point))
			return latency;
	}
	return NULL;
}

int panels_complain(const struct panels *panels, struct sheet *sheet, const char *missing)
{
	char count[NUMBER_TEXT];

	if (!panels->left_out)
		return sheet_complain(sheet, "%s", missing);
	return sheet_complain(sheet, "%s, among the first %d settings; %s beyond them %s not looked at", missing, PANELS_MOST,
			      number_of(count, panels->left_out, "cell"), number_is(panels->left_out));
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

bool panels_same_series(const struct panel *panel, const struct summary_row *one, const struct summary_row *other)
{
	const struct record_cell *a = one->cell, *b = other->cell;

	if (strcmp(a->queue, b->queue))
		return false;
	if (panel->axis == PANELS_BY_GAP && strcmp(a->wait, b->wait))
		return false;
	if (panel->axis == PANELS_BY_SWITCHES && (a->prewrite != b->prewrite || a->preread != b->preread))
		return false;
	/* along the capacity, a window is a queue's without bound */
	return row_is_floor(one) || panel->axis == PANELS_BY_CAPACITY || a->window == b->window;
}
