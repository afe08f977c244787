/* What the trials of a record share: texts, and cells, which many trials are of. */
#ifndef RESULTS_RECORD_POOL_H
#define RESULTS_RECORD_POOL_H

#include "fields.h"
#include "number_lists.h"
#include "record.h"

/* Texts and cells that many trials share are kept once, and lent. */
struct record_pool {
	json_t *texts;             /* text → the same text */
	json_t *cell_numbers;      /* a cell's text, canonical or as it stands in a file → its index in cells */
	struct record_cell *cells; /* each owns its json */
	size_t cell_count, cell_room;
	struct number_lists lists; /* of the line that is being read */
};

/* Returns 0 or -ENOMEM. */
int record_pool_make(struct record_pool *pool);
void record_pool_free(struct record_pool *pool);
/* The pool's own copy, which lives as long as the pool. NULL stays NULL; also after a failure. */
const char *record_pool_text(struct record_pool *pool, const char *text, struct fields *fields);
/* The cell that this object describes; a new one is added. */
struct record_cell record_pool_cell(struct record_pool *pool, json_t *json, struct fields *fields);
/* The cell that was noted under this text, or NULL. Both write to text[length], and put it back. */
const struct record_cell *record_pool_find_cell(const struct record_pool *pool, char *text, size_t length);
void record_pool_note_cell(struct record_pool *pool, char *text, size_t length, size_t index);

#endif
