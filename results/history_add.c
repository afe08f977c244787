#include "compare_parts.h"
#include "history_parts.h"
#include "identity.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TICKS_TOLERANCE = 0.01; /* as identity.c has it */

/* ---- binding ---- */

static void bind_number(sqlite3_stmt *statement, int at, double value)
{
	if (isfinite(value))
		sqlite3_bind_double(statement, at, value);
	else
		sqlite3_bind_null(statement, at);
}

static void bind_value(sqlite3_stmt *statement, int at, const struct summary_value *value)
{
	bool interval = value && value->known && value->interval.known;

	bind_number(statement, at, value && value->known ? value->median : NAN);
	bind_number(statement, at + 1, interval ? value->interval.low : NAN);
	bind_number(statement, at + 2, interval ? value->interval.high : NAN);
}

static void bind_text(sqlite3_stmt *statement, int at, const char *text)
{
	if (text)
		sqlite3_bind_text(statement, at, text, -1, SQLITE_TRANSIENT);
	else
		sqlite3_bind_null(statement, at);
}

/* Runs a statement to its end and ends it. *number, unless NULL, becomes what its first row has in its first column, 0 where there is none.
 * Returns 0 or -errno. */
static int finish(const struct history *history, sqlite3_stmt *statement, int64_t *number, char *error)
{
	int step = statement ? sqlite3_step(statement) : SQLITE_ERROR, status = 0;

	if (number)
		*number = step == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	if (step != SQLITE_ROW && step != SQLITE_DONE)
		status = history_fail(history, error);
	sqlite3_finalize(statement);
	return status;
}

/* ---- the machine ---- */

/* What the same machine has in common, as text: that, and how its clock is read. */
static char *identity_text(const json_t *run)
{
	json_t *identity = identity_of_run(run), *source = json_object_get(json_object_get(run, "clock"), "source"),
	       *ordering = json_object_get(json_object_get(run, "clock"), "ordering");
	char *text = NULL;

	if (identity && !json_object_set_new(identity, "clock", source ? json_incref(source) : json_null()) &&
	    !json_object_set_new(identity, "clock_ordering", ordering ? json_incref(ordering) : json_null()))
		text = json_dumps(identity, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(identity);
	return text;
}

/* FNV-1a (Fowler, Noll, Vo), folded: short, and the same everywhere. */
static uint32_t checksum(const char *text)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (; *text; text++)
		sum = (sum ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
	return (uint32_t)(sum ^ (sum >> 32));
}

/* A machine that is in it; *id 0: none is. count: of those that differ by the rate of their clock alone. */
static int machine_find(const struct history *history, const char *identity, double ticks_per_s, int64_t *id, size_t *count, char *error)
{
	sqlite3_stmt *statement = history_prepare(history, "SELECT id, ticks_per_s FROM machine WHERE identity = ?1 ORDER BY id");
	int step = SQLITE_ERROR, status = 0;

	*id = 0;
	*count = 0;
	if (statement)
		bind_text(statement, 1, identity);
	while (statement && (step = sqlite3_step(statement)) == SQLITE_ROW) {
		bool known = sqlite3_column_type(statement, 1) != SQLITE_NULL;

		++*count;
		if (!*id &&
		    (!known || isnan(ticks_per_s) || fabs(sqlite3_column_double(statement, 1) / ticks_per_s - 1) <= TICKS_TOLERANCE))
			*id = sqlite3_column_int64(statement, 0);
	}
	if (step != SQLITE_DONE)
		status = history_fail(history, error);
	sqlite3_finalize(statement);
	return status;
}

static int machine_add(const struct history *history, const char *identity, double ticks_per_s, size_t same, int64_t *id, char *error)
{
	sqlite3_stmt *statement =
		history_prepare(history, "INSERT INTO machine(fingerprint, identity, ticks_per_s) VALUES(?1, ?2, ?3) RETURNING id");
	char fingerprint[HISTORY_FINGERPRINT];
	size_t length = (size_t)snprintf(fingerprint, sizeof(fingerprint), "%08x", (unsigned)checksum(identity));

	if (same)
		snprintf(fingerprint + length, sizeof(fingerprint) - length, ".%zu", same + 1);
	if (statement) {
		bind_text(statement, 1, fingerprint);
		bind_text(statement, 2, identity);
		bind_number(statement, 3, ticks_per_s);
	}
	return finish(history, statement, id, error);
}

static int machine_take(const struct history *history, const json_t *run, int64_t *id, char *error)
{
	const json_t *ticks = json_object_get(json_object_get(run, "clock"), "ticks_per_s");
	double ticks_per_s = json_is_number(ticks) ? json_number_value(ticks) : NAN;
	char *identity = identity_text(run);
	size_t same;
	int status = -ENOMEM;

	if (!identity)
		snprintf(error, RECORD_TEXT, "%.300s: out of memory", history->path);
	else
		status = machine_find(history, identity, ticks_per_s, id, &same, error);
	if (!status && !*id)
		status = machine_add(history, identity, ticks_per_s, same, id, error);
	free(identity);
	return status;
}

/* ---- the run ---- */

/* What no two runs have in common. */
static char *run_key(const json_t *run)
{
	static const char *const names[] = { "started_utc", "seed", "command" };
	json_t *key = json_object(), *host = json_object_get(json_object_get(run, "host"), "name");
	char *text = NULL;
	bool good = key && (!host || !json_object_set(key, "host", host));

	for (size_t i = 0; good && i < sizeof(names) / sizeof(names[0]); i++) {
		json_t *value = json_object_get(run, names[i]);

		good = !value || !json_object_set(key, names[i], value);
	}
	if (good)
		text = json_dumps(key, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(key);
	return text;
}

static int run_find(const struct history *history, const char *key, int64_t *id, int64_t *trials, char *error)
{
	sqlite3_stmt *statement = history_prepare(history, "SELECT id, trials FROM run WHERE key = ?1");
	int step = SQLITE_ERROR, status = 0;

	*id = *trials = 0;
	if (statement) {
		bind_text(statement, 1, key);
		step = sqlite3_step(statement);
	}
	if (step == SQLITE_ROW) {
		*id = sqlite3_column_int64(statement, 0);
		*trials = sqlite3_column_int64(statement, 1);
	} else if (step != SQLITE_DONE) {
		status = history_fail(history, error);
	}
	sqlite3_finalize(statement);
	return status;
}

static int run_add(const struct history *history, const struct record *record, const char *key, int64_t machine, int64_t *id, char *error)
{
	static const char sql[] = "INSERT INTO run(key, machine, started_utc, tool_commit, tool_version, host, suite, complete, trials)"
				  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id";
	const json_t *run = record->run, *tool = json_object_get(run, "tool");
	const char *started = json_string_value(json_object_get(run, "started_utc"));
	sqlite3_stmt *statement = history_prepare(history, sql);

	if (statement) {
		bind_text(statement, 1, key);
		sqlite3_bind_int64(statement, 2, machine);
		bind_text(statement, 3, started ? started : "?");
		bind_text(statement, 4, json_string_value(json_object_get(tool, "commit")));
		bind_text(statement, 5, json_string_value(json_object_get(tool, "version")));
		bind_text(statement, 6, json_string_value(json_object_get(json_object_get(run, "host"), "name")));
		bind_text(statement, 7, json_string_value(json_object_get(run, "suite")));
		sqlite3_bind_int64(statement, 8, json_is_true(json_object_get(record->end, "complete")));
		sqlite3_bind_int64(statement, 9, (int64_t)record->trial_count);
	}
	return finish(history, statement, id, error);
}

static int run_delete(const struct history *history, int64_t id, char *error)
{
	sqlite3_stmt *statement = history_prepare(history, "DELETE FROM run WHERE id = ?1");

	if (statement)
		sqlite3_bind_int64(statement, 1, id);
	return finish(history, statement, NULL, error);
}

/* ---- its cells ---- */

static int cell_take(const struct history *history, const char *parameters, int64_t *id, char *error)
{
	sqlite3_stmt *statement = history_prepare(history, "INSERT INTO cell(parameters) VALUES(?1) ON CONFLICT DO NOTHING");
	int status;

	if (statement)
		bind_text(statement, 1, parameters);
	status = finish(history, statement, NULL, error);
	if (status)
		return status;
	statement = history_prepare(history, "SELECT id FROM cell WHERE parameters = ?1");
	if (statement)
		bind_text(statement, 1, parameters);
	return finish(history, statement, id, error);
}

/* What percentiles are told of: what is compared, or else the first latency that is one. */
static const struct summary_latency *latency_of(const struct summary_row *row)
{
	const struct summary_latency *latency = compare_primary_latency(row);

	for (size_t i = 0; i < row->latency_count && !latency; i++)
		if (!row->latency[i].saturated)
			latency = &row->latency[i];
	return latency;
}

/* Of an open load that has no stationary latency, the reason: history_read.c knows these words. */
static const char *headline_of(const struct summary_row *row)
{
	return compare_primary_latency(row) ? "p50" : row->saturated ? "saturated" : row->missed ? "not reached" : "rate";
}

static int point_add(const struct history *history, int64_t run, int64_t cell, size_t part, const struct summary_row *row, char *error)
{
	static const char sql[] = "INSERT INTO point(cell, run, part, regime_ns, trials, headline, rate, rate_low, rate_high, latency,"
				  " clock_bound_ns, p50_ns, p50_low_ns, p50_high_ns, p99_ns, p99_low_ns, p99_high_ns)"
				  " VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
	const struct summary_latency *latency = latency_of(row);
	sqlite3_stmt *statement = history_prepare(history, sql);
	char name[48];

	if (statement) {
		sqlite3_bind_int64(statement, 1, cell);
		sqlite3_bind_int64(statement, 2, run);
		sqlite3_bind_int64(statement, 3, (int64_t)part);
		bind_number(statement, 4, row->line_ns > 0 ? row->line_ns : NAN);
		sqlite3_bind_int64(statement, 5, (int64_t)row->trials);
		bind_text(statement, 6, headline_of(row));
		bind_value(statement, 7, &row->receiver_rate);
		if (latency)
			snprintf(name, sizeof(name), "%s%.12s:%.12s", latency->round_trip ? "the round trip " : "", latency->from_point,
				 latency->to_point);
		bind_text(statement, 10, latency ? name : NULL);
		bind_number(statement, 11, latency ? latency->offset_half_width_ns : NAN);
		bind_value(statement, 12, latency ? &latency->p50_ns : NULL);
		bind_value(statement, 15, latency ? &latency->p99_ns : NULL);
	}
	return finish(history, statement, NULL, error);
}

static int cells_add(const struct history *history, int64_t run, const struct summary *summary, char *error)
{
	struct compare_cell *cells;
	long count = compare_cells_make(&cells, summary);
	int status = count < 0 ? (int)count : 0;

	if (status)
		snprintf(error, RECORD_TEXT, "%.300s: out of memory", history->path);
	for (long c = 0; c < count && !status; c++) {
		int64_t cell = 0;

		status = cell_take(history, cells[c].key, &cell, error);
		for (size_t part = 0; part < cells[c].row_count && !status; part++)
			if (cells[c].rows[part].trials)
				status = point_add(history, run, cell, part, &cells[c].rows[part], error);
	}
	if (count >= 0)
		compare_cells_free(cells, count);
	return status;
}

/* Within a transaction. */
static int add(const struct history *history, const struct record *record, const struct summary *summary, const char *key, char *error)
{
	int64_t id, trials, machine = 0;
	enum history_added added = HISTORY_ADDED;
	int status = run_find(history, key, &id, &trials, error);

	if (!status && id && trials >= (int64_t)record->trial_count)
		return HISTORY_THERE;
	if (!status && id) {
		added = HISTORY_COMPLETED;
		status = run_delete(history, id, error);
	}
	if (!status)
		status = machine_take(history, record->run, &machine, error);
	if (!status)
		status = run_add(history, record, key, machine, &id, error);
	if (!status)
		status = cells_add(history, id, summary, error);
	return status ? status : (int)added;
}

int history_add(struct history *history, const struct record *record, const struct summary *summary, char *error)
{
	char *key = run_key(record->run);
	int added;

	if (!key) {
		snprintf(error, RECORD_TEXT, "%.300s: out of memory", history->path);
		return -ENOMEM;
	}
	added = history_run(history, "BEGIN IMMEDIATE", error);
	if (!added) {
		char ignored[RECORD_TEXT];
		int ended;

		added = add(history, record, summary, key, error);
		ended = history_run(history, added < 0 ? "ROLLBACK" : "COMMIT", added < 0 ? ignored : error);
		if (added >= 0 && ended) {
			added = ended;
			history_run(history, "ROLLBACK", ignored);
		}
	}
	free(key);
	return added;
}
