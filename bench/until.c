#include "until.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "precision.h"
#include "record.h"
#include "summary.h"

void until_begin(struct until *until, uint64_t goal_ppm, uint64_t trials)
{
	*until = (struct until){.goal = (double)goal_ppm / 1e6, .next_look = precision_first_look(trials)};
}

void until_free(struct until *until)
{
	for (size_t i = 0; i < until->cell_count; i++)
		json_decref(until->cells[i].last);
	free(until->cells);
	*until = (struct until){0};
}

/* The cell of that first trial, made where it is new. NULL: no memory. */
static struct until_cell *find_cell(struct until *until, uint64_t trial_id)
{
	struct until_cell *grown;

	for (size_t i = 0; i < until->cell_count; i++)
		if (until->cells[i].trial_id == trial_id)
			return &until->cells[i];
	grown = realloc(until->cells, (until->cell_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	until->cells = grown;
	grown[until->cell_count] = (struct until_cell){.trial_id = trial_id};
	return &grown[until->cell_count++];
}

static bool note_cell(struct until *until, const struct precision *precision)
{
	struct until_cell *cell = find_cell(until, precision->trial_id);
	bool good = precision->known && precision->half_width <= until->goal;

	if (!cell)
		return false;
	cell->good_in_a_row = good ? cell->good_in_a_row + 1 : 0;
	json_decref(cell->last);
	cell->last = json_pack("{s:I, s:s, s:s, s:I, s:o, s:s?, s:b}", "trial", (json_int_t)precision->trial_id, "metric", precision->metric,
			       "regime", precision->row->regime, "n", (json_int_t)precision->n, "half_width",
			       precision->known ? json_real(precision->half_width) : json_null(), "lack",
			       precision->known ? NULL : precision->lack, "reached",
			       cell->good_in_a_row >= PRECISION_LOOKS_IN_A_ROW);
	return true;
}

static bool is_one_of(uint64_t id, const uint64_t *ids, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

static bool all_reached(const struct until *until, const uint64_t *given_up, size_t given_up_count)
{
	for (size_t i = 0; i < until->cell_count; i++)
		if (until->cells[i].good_in_a_row < PRECISION_LOOKS_IN_A_ROW &&
		    !is_one_of(until->cells[i].trial_id, given_up, given_up_count))
			return false;
	return true;
}

static int look_at(struct until *until, const struct record *record)
{
	struct precision *precisions;
	struct summary summary;
	long count;
	int err = summary_make(&summary, record);

	if (err)
		return err;
	count = precision_make(&precisions, record, &summary);
	for (long i = 0; !err && i < count; i++)
		err = note_cell(until, &precisions[i]) ? 0 : -ENOMEM;
	free(precisions);
	summary_free(&summary);
	return count < 0 ? (int)count : err;
}

int until_look(struct until *until, const char *path, const uint64_t *given_up, size_t given_up_count, char *error)
{
	struct record record;
	int err = record_read(&record, path, error);

	if (err)
		return err;
	err = look_at(until, &record);
	if (err)
		snprintf(error, RECORD_TEXT, "%.300s: no memory to sum it up", path);
	record_free(&record);
	until->looks++;
	until->next_look = precision_next_look(until->next_look);
	until->met = !err && all_reached(until, given_up, given_up_count);
	return err;
}

bool until_has_reached(const struct until *until, uint64_t trial_id)
{
	for (size_t i = 0; i < until->cell_count; i++)
		if (until->cells[i].trial_id == trial_id)
			return until->cells[i].good_in_a_row >= PRECISION_LOOKS_IN_A_ROW;
	return until->met; /* none of its trials counts: the run waited for the others */
}

json_t *until_to_json(const struct until *until, json_t *ended)
{
	json_t *cells;

	if (!(until->goal > 0)) {
		json_decref(ended);
		return json_null();
	}
	cells = json_array();
	for (size_t i = 0; i < until->cell_count; i++)
		json_array_append(cells, until->cells[i].last);
	return json_pack("{s:f, s:I, s:b, s:o, s:o}", "goal", until->goal, "looks", (json_int_t)until->looks, "met", until->met, "cells", cells,
			 "ended", ended);
}
