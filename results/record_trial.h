/* A trial's line, taken apart into struct record_trial. */
#ifndef RESULTS_RECORD_TRIAL_H
#define RESULTS_RECORD_TRIAL_H

#include "record_pool.h"

/* cell: NULL for the line's own. Returns 0, or -errno with the reason in fields->error. The trial borrows from the pool
 * alone; record_trial_free() is due in any case. */
int record_trial_take(struct record_trial *trial, const json_t *line, const struct record_cell *cell,
		      struct record_pool *pool, struct fields *fields);
void record_trial_free(struct record_trial *trial);

#endif
