/* What the parts of history.h share. */
#ifndef RESULTS_HISTORY_PARTS_H
#define RESULTS_HISTORY_PARTS_H

#include "history.h"

#include <sqlite3.h>

struct history {
	sqlite3 *db;
	char *path;
};

/* Writes what SQLite last said. Returns -errno. */
int history_fail(const struct history *history, char *error);
/* A statement of our own text; NULL with history_fail()'s words to be asked for. */
sqlite3_stmt *history_prepare(const struct history *history, const char *sql);
/* Runs statements that return nothing. Returns 0 or -errno. */
int history_run(const struct history *history, const char *sql, char *error);

#endif
