#include "history_parts.h"

#include "table_text.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reading: what is read into, and where words go. */
struct reading {
	const struct history *history;
	struct history_view *view;
	char *error;
	int64_t *machine_ids, *run_ids; /* beside the view's */
	size_t run_hint;                /* the last that was looked for: the next is at it or behind it */
};

static int reading_fail(const struct reading *reading, const char *what)
{
	snprintf(reading->error, RECORD_TEXT, "%.300s: %s", reading->history->path, what);
	return what[0] == 'o' ? -ENOMEM : -EINVAL;
}

/* Room for one more element of a list that grows by halves. Returns whether there is. */
static bool list_grow(void *list, size_t count, size_t size)
{
	void *grown;

	if (count & (count - 1)) /* room is a power of two */
		return true;
	memcpy(&grown, list, sizeof(grown));
	grown = realloc(grown, (count ? 2 * count : 1) * size);
	if (grown)
		memcpy(list, &grown, sizeof(grown));
	return grown;
}

/* A copy, to be freed; otherwise where there is none. NULL: out of memory. */
static char *column_text(sqlite3_stmt *statement, int at, const char *otherwise)
{
	const unsigned char *text = sqlite3_column_text(statement, at);

	return strdup(text ? (const char *)text : otherwise);
}

static double column_number(sqlite3_stmt *statement, int at, double otherwise)
{
	double value = sqlite3_column_double(statement, at);

	return sqlite3_column_type(statement, at) == SQLITE_NULL || !isfinite(value) ? otherwise : value;
}

/* Medians and intervals are above 0, or nothing is known. */
static struct history_value column_value(sqlite3_stmt *statement, int at)
{
	struct history_value value = { .median = column_number(statement, at, -1),
				       .interval = { true, column_number(statement, at + 1, -1), column_number(statement, at + 2, -1) } };

	value.known = value.median > 0;
	value.interval.known = value.known && value.interval.low > 0 && value.interval.high >= value.interval.low;
	return value;
}

/* Looks from a place on, and from the start where it is not behind it. */
static size_t id_find(const int64_t *ids, size_t count, int64_t id, size_t from)
{
	for (size_t i = 0; i < count; i++) {
		size_t at = from + i < count ? from + i : from + i - count;

		if (ids[at] == id)
			return at;
	}
	return count;
}

/* Steps through a statement, and ends it. */
static int rows_read(struct reading *reading, sqlite3_stmt *statement, int (*take)(struct reading *reading, sqlite3_stmt *statement))
{
	int step = SQLITE_ERROR, status = 0;

	while (!status && statement && (step = sqlite3_step(statement)) == SQLITE_ROW)
		status = take(reading, statement);
	if (!status && step != SQLITE_DONE)
		status = history_fail(reading->history, reading->error);
	return status;
}

static int machine_read(struct reading *reading, sqlite3_stmt *statement)
{
	struct history_view *view = reading->view;
	struct history_machine *machine;
	const unsigned char *fingerprint = sqlite3_column_text(statement, 1), *identity = sqlite3_column_text(statement, 2);

	if (!list_grow(&view->machines, view->machine_count, sizeof(*view->machines)) ||
	    !list_grow(&reading->machine_ids, view->machine_count, sizeof(*reading->machine_ids)))
		return reading_fail(reading, "out of memory");
	reading->machine_ids[view->machine_count] = sqlite3_column_int64(statement, 0);
	machine = &view->machines[view->machine_count++];
	*machine = (struct history_machine){ .identity = json_loads(identity ? (const char *)identity : "", 0, NULL) };
	snprintf(machine->fingerprint, sizeof(machine->fingerprint), "%s", fingerprint ? (const char *)fingerprint : "?");
	return json_is_object(machine->identity) ? 0 : reading_fail(reading, "is damaged: a machine is not JSON");
}

static int run_read(struct reading *reading, sqlite3_stmt *statement)
{
	struct history_view *view = reading->view;
	struct history_run *run;

	if (!list_grow(&view->runs, view->run_count, sizeof(*view->runs)) ||
	    !list_grow(&reading->run_ids, view->run_count, sizeof(*reading->run_ids)))
		return reading_fail(reading, "out of memory");
	reading->run_ids[view->run_count] = sqlite3_column_int64(statement, 0);
	run = &view->runs[view->run_count++];
	*run = (struct history_run){ .id = sqlite3_column_int64(statement, 0),
				     .machine = id_find(reading->machine_ids, view->machine_count, sqlite3_column_int64(statement, 1), 0),
				     .started_utc = column_text(statement, 2, "?"),
				     .commit = column_text(statement, 3, "?"),
				     .version = column_text(statement, 4, "?"),
				     .suite = column_text(statement, 5, ""),
				     .complete = sqlite3_column_int64(statement, 6),
				     .trials = (uint64_t)sqlite3_column_int64(statement, 7) };
	if (!run->started_utc || !run->commit || !run->version || !run->suite)
		return reading_fail(reading, "out of memory");
	return run->machine < view->machine_count ? 0 : reading_fail(reading, "is damaged: a run is of no machine");
}

static int cell_read(struct reading *reading, sqlite3_stmt *statement)
{
	struct history_view *view = reading->view;
	struct history_cell *cell;
	const unsigned char *parameters = sqlite3_column_text(statement, 1);

	if (!list_grow(&view->cells, view->cell_count, sizeof(*view->cells)))
		return reading_fail(reading, "out of memory");
	cell = &view->cells[view->cell_count++];
	*cell = (struct history_cell){ .id = sqlite3_column_int64(statement, 0),
				       .parameters = json_loads(parameters ? (const char *)parameters : "", 0, NULL) };
	cell->queue = json_string_value(json_object_get(cell->parameters, "queue"));
	return cell->queue ? 0 : reading_fail(reading, "is damaged: a cell is not JSON, or has no queue");
}

/* What history_add() wrote of an open load without a p50. NULL: nothing of the kind. */
static const char *lost_word(const char *headline)
{
	static const char *const words[] = { "saturated", "not reached" };

	for (size_t i = 0; headline && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(headline, words[i]))
			return words[i];
	return NULL;
}

/* A cell of an open load has one course: points that have lost their p50 stand in that of those that have one. Where none has, what is
 * known of all is their rate. */
static void points_join(struct history_point *points, size_t count, const struct history_cell *cell)
{
	const char *load = json_string_value(json_object_get(cell->parameters, "load"));
	const struct history_point *with = NULL;

	for (size_t i = 0; i < count && !with; i++)
		with = points[i].is_time ? &points[i] : NULL;
	for (size_t i = 0; i < count; i++) {
		struct history_point *point = &points[i];

		if (!with || point->is_time || !load || strcmp(load, "open")) {
			point->lost = NULL;
			continue;
		}
		point->lost = point->lost ? point->lost : "saturated?";
		point->is_time = true;
		point->p50_ns = point->p99_ns = (struct history_value){ .median = -1, .interval = { false, -1, -1 } };
		memcpy(point->latency, with->latency, sizeof(point->latency));
	}
}

static int point_read(struct reading *reading, sqlite3_stmt *statement)
{
	struct history_view *view = reading->view;
	struct history_point *point;
	const char *headline = (const char *)sqlite3_column_text(statement, 3);
	const unsigned char *latency = sqlite3_column_text(statement, 7);
	size_t run = id_find(reading->run_ids, view->run_count, sqlite3_column_int64(statement, 0), reading->run_hint);

	if (run == view->run_count)
		return reading_fail(reading, "is damaged: a result is of no run");
	reading->run_hint = run;
	if (!list_grow(&view->points, view->point_count, sizeof(*view->points)))
		return reading_fail(reading, "out of memory");
	point = &view->points[view->point_count++];
	*point = (struct history_point){ .run = run,
					 .cell = view->cell_count - 1,
					 .regime_ns = column_number(statement, 1, -1),
					 .trials = (uint64_t)sqlite3_column_int64(statement, 2),
					 .is_time = headline && !strcmp(headline, "p50"),
					 .lost = lost_word(headline),
					 .rate = column_value(statement, 4),
					 .clock_bound_ns = column_number(statement, 8, INFINITY),
					 .p50_ns = column_value(statement, 9),
					 .p99_ns = column_value(statement, 12) };
	if (!(point->regime_ns > 0))
		point->regime_ns = -1;
	snprintf(point->latency, sizeof(point->latency), "%s", latency ? (const char *)latency : "");
	view->cells[point->cell].points++;
	return 0;
}

static int list_read(struct reading *reading, const char *sql, int (*take)(struct reading *, sqlite3_stmt *))
{
	sqlite3_stmt *statement = history_prepare(reading->history, sql);
	int status = rows_read(reading, statement, take);

	sqlite3_finalize(statement);
	return status;
}

/* Points lie by cell, runs in the order of their start, regimes of one run by their trials. */
static int points_read(struct reading *reading, history_filter *filter, const void *wish)
{
	static const char sql[] =
		"SELECT run, regime_ns, point.trials, headline, rate, rate_low, rate_high, latency, clock_bound_ns, p50_ns,"
		" p50_low_ns, p50_high_ns, p99_ns, p99_low_ns, p99_high_ns FROM point JOIN run ON run.id = point.run"
		" WHERE cell = ?1 ORDER BY started_utc, run, part";
	struct history_view *view = reading->view;
	sqlite3_stmt *statement = history_prepare(reading->history, sql);
	size_t count = view->cell_count;
	int status = statement ? 0 : history_fail(reading->history, reading->error);

	view->cell_count = 0; /* those that are wanted move up */
	for (size_t i = 0; i < count; i++) {
		struct history_cell cell = view->cells[i];
		size_t first = view->point_count;

		if (status || (filter && !filter(&cell, wish))) {
			json_decref(cell.parameters);
			continue;
		}
		view->cells[view->cell_count++] = cell;
		sqlite3_bind_int64(statement, 1, cell.id);
		status = rows_read(reading, statement, point_read);
		if (!status)
			points_join(view->points + first, view->point_count - first, &cell);
		sqlite3_reset(statement);
	}
	sqlite3_finalize(statement);
	return status;
}

int history_read(struct history *history, struct history_view *view, history_filter *filter, const void *wish, char *error)
{
	struct reading reading = { history, view, error, NULL, NULL, 0 };
	char ignored[RECORD_TEXT];
	int status;

	*view = (struct history_view){ 0 };
	status = history_run(history, "BEGIN", error); /* all of it at one instant */
	if (status)
		return status;
	status = list_read(&reading, "SELECT id, fingerprint, identity FROM machine ORDER BY id", machine_read);
	if (!status)
		status = list_read(&reading, "SELECT id, machine, started_utc, tool_commit, tool_version, suite, complete, trials FROM run"
					     " ORDER BY started_utc, id", run_read);
	if (!status)
		status = list_read(&reading, "SELECT id, parameters FROM cell ORDER BY id", cell_read);
	if (!status)
		status = points_read(&reading, filter, wish);
	history_run(history, "ROLLBACK", ignored);
	free(reading.machine_ids);
	free(reading.run_ids);
	if (status)
		history_view_free(view);
	return status;
}

void history_view_free(struct history_view *view)
{
	for (size_t i = 0; i < view->machine_count; i++)
		json_decref(view->machines[i].identity);
	for (size_t i = 0; i < view->run_count; i++) {
		free(view->runs[i].started_utc);
		free(view->runs[i].commit);
		free(view->runs[i].version);
		free(view->runs[i].suite);
	}
	for (size_t i = 0; i < view->cell_count; i++)
		json_decref(view->cells[i].parameters);
	free(view->machines);
	free(view->runs);
	free(view->cells);
	free(view->points);
	*view = (struct history_view){ 0 };
}

/* ---- words ---- */

char *history_cell_text(char *text, size_t size, const struct history_cell *cell)
{
	static const char *const first[] = { "queue", "workload", "load", NULL };
	static const char *const unsaid[] = { "queue",	    "workload", "load",	       "cpus",	     "memory_node",
					      "huge_pages", "latency",	"duration_ns", "warm_up_ns", NULL };
	const char *name;
	const json_t *value;
	size_t used = 0;

	*text = 0;
	for (size_t i = 0; first[i] && used < size; i++) {
		const char *word = json_string_value(json_object_get(cell->parameters, first[i]));

		used += (size_t)snprintf(text + used, size - used, "%s%.60s", i ? " " : "", word ? word : "?");
	}
	json_object_foreach((json_t *)cell->parameters, name, value) {
		char shown[TABLE_TEXT];
		bool said = true;

		for (size_t i = 0; unsaid[i]; i++)
			said = said && strcmp(name, unsaid[i]);
		if (!said || used >= size)
			continue;
		table_parameter_text(shown, name, value);
		used += (size_t)snprintf(text + used, size - used, ", %s", shown);
	}
	return text;
}

const struct history_value *history_headline(const struct history_point *point)
{
	return point->is_time ? &point->p50_ns : &point->rate;
}

bool history_point_counts(const struct history_point *point)
{
	return point->lost || history_headline(point)->known;
}

char *history_headline_text(char *text, size_t size, const struct history_point *point)
{
	if (point->is_time)
		snprintf(text, size, "p50 of %s", point->latency);
	else
		snprintf(text, size, "rate at read");
	return text;
}
