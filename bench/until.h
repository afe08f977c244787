/* A run that goes on until its numbers are good enough: `--until`. Looks at the record after numbers of trials that are fixed
 * beforehand, and ends when every cell's interval was narrow enough at two looks in a row; or with the attempts. */
#ifndef BENCH_UNTIL_H
#define BENCH_UNTIL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct until_cell {
	uint64_t trial_id; /* of the cell's first trial */
	json_t *last;      /* what the last look found, as the record has it */
	unsigned good_in_a_row;
};

struct until {
	double goal; /* half of the interval's width over the median; 0: a run of a fixed number of trials */
	uint64_t next_look; /* after so many trials of each cell */
	uint64_t looks;
	struct until_cell *cells;
	size_t cell_count;
	bool met;
};

void until_begin(struct until *until, uint64_t goal_ppm, uint64_t trials);

/* Looks at the record as it stands. given_up: the first trials' ids of cells that get no more trials, and are waited for no longer.
 * Returns 0 with until->met, or −errno with the reason in error (RECORD_TEXT bytes). */
int until_look(struct until *until, const char *path, const uint64_t *given_up, size_t given_up_count, char *error);

/* Whether the cell of that first trial had reached the goal when it was last looked at. */
bool until_has_reached(const struct until *until, uint64_t trial_id);

/* For the record's last line; null where there is no goal. A new reference. ended: what ended each cell; is taken over. */
json_t *until_to_json(const struct until *until, json_t *ended);
void until_free(struct until *until);

#endif
