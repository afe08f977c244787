/* A trial's line, taken apart into struct record_trial. */
#ifndef RESULTS_RECORD_TRIAL_H
#define RESULTS_RECORD_TRIAL_H

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
/* The cell that was noted under this text, or NULL. Both write to text[length], and put it back. */
const struct record_cell *record_pool_find_cell(const struct record_pool *pool, char *text, size_t length);
void record_pool_note_cell(struct record_pool *pool, char *text, size_t length, size_t index);

/* cell: NULL for the line's own. Returns 0, or -errno with the reason in fields->error. The trial borrows from the pool
 * alone; record_trial_free() is due in any case. */
int record_trial_take(struct record_trial *trial, const json_t *line, const struct record_cell *cell,
		      struct record_pool *pool, struct fields *fields);
void record_trial_free(struct record_trial *trial);

#endif
