#include "table_until.h"
#include "number.h"
#include "table_print.h"

#include <string.h>

enum { MOST = 20 }; /* cells that are named */

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "-";
}

static const struct record_trial *find_trial(const struct record *record, const json_t *id)
{
	for (size_t i = 0; json_is_integer(id) && i < record->trial_count; i++)
		if (record->trials[i].id == (uint64_t)json_integer_value(id))
			return &record->trials[i];
	return NULL;
}

/* What the last look found of the cell of that first trial, or NULL. */
static const json_t *find_look(const json_t *until, const json_t *id)
{
	const json_t *cell;
	size_t i;

	json_array_foreach(json_object_get(until, "cells"), i, cell)
		if (json_is_integer(id) && json_equal(json_object_get(cell, "trial"), id))
			return cell;
	return NULL;
}

/* "  time budget: ring stream, batch 1: ± 3.4 % of 8 trials in r150" */
static void cell_line(FILE *out, const struct record *record, const json_t *until, const json_t *ended)
{
	const json_t *id = json_object_get(ended, "trial"), *look = find_look(until, id);
	const struct record_trial *trial = find_trial(record, id);
	const json_t *half_width = json_object_get(look, "half_width");
	char percent[NUMBER_TEXT], batch[NUMBER_TEXT];

	table_say(out, "  %.16s: ", text_of(ended, "by"));
	if (!trial) {
		table_say(out, "a cell without a trial\n");
		return;
	}
	table_say(out, "%.40s %.24s %.24s, batch %s: ", trial->cell.queue, trial->cell.workload, trial->cell.load,
		  number_size(batch, trial->cell.batch));
	if (json_is_number(half_width))
		table_say(out, "+-%s %% of %" JSON_INTEGER_FORMAT " trials in %.16s\n",
			  number_decimal(percent, 100.0 * json_number_value(half_width)),
			  json_integer_value(json_object_get(look, "n")), text_of(look, "regime"));
	else
		table_say(out, "%.96s\n",
			  json_is_string(json_object_get(look, "lack")) ? text_of(look, "lack") :
			  look						? "there is no interval" :
									  "not looked at yet");
}

void table_until_lines(FILE *out, const struct record *record)
{
	const json_t *until = json_object_get(record->end, "until"), *list = json_object_get(until, "ended"), *ended;
	size_t cells = json_array_size(list), reached = 0, shown = 0, i;
	char goal[NUMBER_TEXT];

	json_array_foreach(list, i, ended)
		reached += !strcmp(text_of(ended, "by"), "until");
	if (!cells)
		return;
	table_say(out, "Until %s %%: reached by %zu of %zu cells%s\n",
		  number_decimal(goal, 100.0 * json_number_value(json_object_get(until, "goal"))), reached, cells,
		  reached < cells ? "; the others were ended by" : "");
	json_array_foreach(list, i, ended)
		if (strcmp(text_of(ended, "by"), "until") && shown++ < MOST)
			cell_line(out, record, until, ended);
	if (shown > MOST)
		table_say(out, "  and %zu more, in the record\n", shown - MOST);
}
