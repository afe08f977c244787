#include "history_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	APPLICATION = 0x74777074, /* "twpt": what kind of SQLite file it is */
	VERSION = 1,
	BUSY_MS = 30000,
};

/* part: a cell may have been measured in several regimes of a run, the first is that of most trials. Without rowid: a cell's points lie
 * side by side. */
static const char tables[] =
	"CREATE TABLE machine(id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE, identity TEXT NOT NULL, ticks_per_s REAL) STRICT;"
	"CREATE TABLE run(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, machine INTEGER NOT NULL REFERENCES machine,"
	" started_utc TEXT NOT NULL, tool_commit TEXT, tool_version TEXT, host TEXT, suite TEXT, complete INTEGER NOT NULL,"
	" trials INTEGER NOT NULL) STRICT;"
	"CREATE TABLE cell(id INTEGER PRIMARY KEY, parameters TEXT NOT NULL UNIQUE) STRICT;"
	"CREATE TABLE point(cell INTEGER NOT NULL REFERENCES cell, run INTEGER NOT NULL REFERENCES run ON DELETE CASCADE,"
	" part INTEGER NOT NULL, regime_ns REAL, trials INTEGER NOT NULL, headline TEXT NOT NULL, rate REAL,"
	" rate_low REAL, rate_high REAL, latency TEXT,"
	" clock_bound_ns REAL, p50_ns REAL, p50_low_ns REAL, p50_high_ns REAL, p99_ns REAL, p99_low_ns REAL, p99_high_ns REAL,"
	" PRIMARY KEY(cell, run, part)) STRICT, WITHOUT ROWID;"
	"CREATE INDEX point_of_run ON point(run);"
	"PRAGMA application_id = 1953984628;"
	"PRAGMA user_version = 1;";

_Static_assert(APPLICATION == 1953984628 && VERSION == 1, "the same numbers stand in the text above");

/* SQLite's own numbers say more than errno where a file is meant, less where the system refused. */
static int errno_of(sqlite3 *db)
{
	int system = sqlite3_system_errno(db);

	switch (sqlite3_errcode(db)) {
	case SQLITE_NOMEM:
		return -ENOMEM;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return -EBUSY;
	case SQLITE_FULL:
		return -ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return -EROFS;
	case SQLITE_CANTOPEN:
	case SQLITE_IOERR:
		return system > 0 ? -system : -EIO;
	default:
		return -EINVAL;
	}
}

int history_fail(const struct history *history, char *error)
{
	int status = errno_of(history->db);
	const char *words = sqlite3_errmsg(history->db);

	if (sqlite3_errcode(history->db) == SQLITE_CORRUPT)
		words = "is damaged: parts of the database are missing or no longer fit together";
	else if (sqlite3_errcode(history->db) == SQLITE_NOTADB)
		words = "is no history: no SQLite database";
	else if (status == -EBUSY)
		words = "is being written to by another program, and did not come free";
	else if (sqlite3_errcode(history->db) == SQLITE_CANTOPEN)
		words = strerror(-status);
	snprintf(error, RECORD_TEXT, "%.300s: %.150s", history->path, words);
	return status;
}

sqlite3_stmt *history_prepare(const struct history *history, const char *sql)
{
	sqlite3_stmt *statement = NULL;

	return sqlite3_prepare_v2(history->db, sql, -1, &statement, NULL) == SQLITE_OK ? statement : NULL;
}

int history_run(const struct history *history, const char *sql, char *error)
{
	return sqlite3_exec(history->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : history_fail(history, error);
}

/* A number that stands alone. */
static int number_read(const struct history *history, const char *sql, int64_t *number, char *error)
{
	sqlite3_stmt *statement = history_prepare(history, sql);
	bool good = statement && sqlite3_step(statement) == SQLITE_ROW;

	if (good)
		*number = sqlite3_column_int64(statement, 0);
	else
		history_fail(history, error);
	sqlite3_finalize(statement);
	return good ? 0 : -EINVAL;
}

/* Within a transaction that no other can write in: whose tables these are; makes them where there are none. */
static int tables_check(const struct history *history, bool to_write, char *error)
{
	int64_t application = 0, version = 0, count = 0;
	int status = number_read(history, "PRAGMA application_id", &application, error);

	if (!status)
		status = number_read(history, "PRAGMA user_version", &version, error);
	if (!status)
		status = number_read(history, "SELECT count(*) FROM sqlite_schema", &count, error);
	if (status)
		return status;
	if (!count && !application && to_write)
		return history_run(history, tables, error);
	if (!count && !application)
		snprintf(error, RECORD_TEXT, "%.300s: holds no history; twopoint history add FILE puts a run into it", history->path);
	else if (application != APPLICATION)
		snprintf(error, RECORD_TEXT, "%.300s: is a database of another program, no history of twopoint", history->path);
	else if (version > VERSION)
		snprintf(error, RECORD_TEXT, "%.300s: version %lld is newer than this program, which reads up to %d", history->path,
			 (long long)version, VERSION);
	else if (version < 1)
		snprintf(error, RECORD_TEXT, "%.300s: is damaged: it has no version", history->path);
	else
		return 0;
	return -EINVAL;
}

static int begin(const struct history *history, bool to_write, char *error)
{
	int status = history_run(history, to_write ? "BEGIN IMMEDIATE" : "BEGIN", error);

	if (status)
		return status;
	status = tables_check(history, to_write, error);
	if (status)
		sqlite3_exec(history->db, "ROLLBACK", NULL, NULL, NULL);
	else
		status = history_run(history, "COMMIT", error);
	return status;
}

int history_open(struct history **history, const char *path, bool to_write, char *error)
{
	struct history *opened = calloc(1, sizeof(*opened));
	int status = -ENOMEM;

	*history = NULL;
	if (opened)
		opened->path = strdup(path);
	if (!opened || !opened->path) {
		snprintf(error, RECORD_TEXT, "%.300s: out of memory", path);
		free(opened);
		return status;
	}
	/* to be read, too, a file is opened to be written: what a writer left half done when it died has to be undone first */
	if (sqlite3_open_v2(path, &opened->db, SQLITE_OPEN_READWRITE | (to_write ? SQLITE_OPEN_CREATE : 0), NULL) != SQLITE_OK) {
		status = opened->db ? history_fail(opened, error) : -ENOMEM;
		if (status == -ENOENT && !to_write)
			snprintf(error, RECORD_TEXT, "%.300s: there is no history yet; twopoint history add FILE begins one", path);
		goto fail;
	}
	/* a file may come from anywhere: what it says of itself is not to be run */
	sqlite3_db_config(opened->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(opened->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_busy_timeout(opened->db, BUSY_MS);
	status = history_run(opened, "PRAGMA foreign_keys = ON", error);
	if (!status)
		status = begin(opened, to_write, error);
	if (!status) {
		*history = opened;
		return 0;
	}
fail:
	history_close(opened);
	return status;
}

void history_close(struct history *history)
{
	if (!history)
		return;
	sqlite3_close(history->db);
	free(history->path);
	free(history);
}
