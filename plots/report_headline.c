/* What a reader comes for: which queue is fastest for what, and from which others it can't be told. */
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "report_html.h"
#include "report_parts.h"
#include "table_rows.h"

/* Rows of a group that differ by queue, capacity and way of waiting alone, and have a value. Floors are none of them. */
struct step {
	const struct table_row **rows; /* the best first */
	size_t count;
	bool time, any; /* any: of all batches, so that each name needs its own */
};

enum { RIVALS_IN_FULL = 6 }; /* those not told apart, whose numbers stand beside; the table has all of them */

static bool better(const struct step *step, const struct table_row *one, const struct table_row *other)
{
	double a = report_value(one)->median, b = report_value(other)->median;

	return step->time ? a < b : a > b;
}

static void step_add(struct step *step, const struct table_row *row)
{
	size_t at = step->count++;

	for (; at > 0 && better(step, row, step->rows[at - 1]); at--)
		step->rows[at] = step->rows[at - 1];
	step->rows[at] = row;
}

/* Whether the intervals leave it open which of the two is the better one; so they do where one of them is not known. */
static bool overlap(const struct summary_value *a, const struct summary_value *b)
{
	if (!a->interval.known || !b->interval.known)
		return true;
	return a->interval.low <= b->interval.high && b->interval.low <= a->interval.high;
}

/* A queue's name, and what else tells its rows of this step apart. */
static void contestant_say(FILE *out, const struct step *step, const struct table_row *row)
{
	const struct record_cell *cell = row->row->cell;
	char capacity[TABLE_TEXT];
	char batch[NUMBER_TEXT];
	bool batches = step->any, capacities = false, waits = false;

	for (size_t i = 0; i < step->count; i++) {
		const struct record_cell *other = step->rows[i]->row->cell;

		if (strcmp(other->queue, cell->queue))
			continue;
		batches |= other->batch != cell->batch;
		capacities |= other->capacity != cell->capacity || other->window != cell->window;
		waits |= strcmp(other->wait, cell->wait) != 0;
	}
	table_capacity_text(capacity, cell);
	html_say(out, "%.*s%s%s%s%s%s%.20s", TABLE_QUEUE_LETTERS, cell->queue, batches ? ", batch " : "",
		 batches ? number_size(batch, cell->batch) : "", capacities ? ", capacity/window " : "", capacities ? capacity : "",
		 waits ? ", wait " : "", waits ? cell->wait : "");
}

/* What a reader has to know of a row before trusting its number. */
static void caveats_say(FILE *out, const struct table_row *row)
{
	if (row->row->windows.modes.two) {
		fputs("; ", out);
		html_term(out, "modes", "two modes");
	}
	if (row->primary && row->primary->clock_limited) {
		fputs("; ", out);
		html_term(out, "clock-limited", "clock-limited");
	}
	if (row->row->open.saturated || row->row->open.missed) {
		fputs("; ", out);
		html_term(out, "saturated-load", "%zu of its trials fell behind", row->row->open.missed > row->row->open.saturated ?
			  row->row->open.missed : row->row->open.saturated);
	}
}

static void rivals_say(FILE *out, const struct step *step)
{
	const struct summary_value *best = report_value(step->rows[0]);
	size_t rivals = 0;

	for (size_t i = 1; i < step->count; i++) {
		const struct summary_value *value = report_value(step->rows[i]);

		if (!overlap(best, value))
			continue;
		fputs(rivals == RIVALS_IN_FULL ? "; and by their names alone: " : rivals > RIVALS_IN_FULL ? ", " : rivals ? "; " :
		      "not told apart from: ", out);
		contestant_say(out, step, step->rows[i]);
		if (rivals++ >= RIVALS_IN_FULL)
			continue;
		fputc(' ', out);
		report_value_say(out, value, step->time);
		if (!value->interval.known)
			fputs(", no interval", out);
	}
	if (!best->interval.known)
		fputs(rivals ? ". It has no interval itself: fewer than 6 trials" : "no interval: fewer than 6 trials", out);
	else if (step->count == 1)
		fputs("the only one that was measured so", out);
	else if (!rivals && step->count == 2)
		fputs("yes, from the other one", out);
	else if (!rivals)
		html_say(out, "yes, from all %zu others", step->count - 1);
}

static void step_write(FILE *out, const struct step *step, const char *name)
{
	const struct table_row *best;
	char trials[TABLE_TEXT], more[TABLE_TEXT];

	if (!step->count)
		return;
	best = step->rows[0];
	table_trials_text(trials, more, best->row);
	fputs("<tr><th scope=\"row\" data-label=\"for\">", out);
	html_say(out, "%s", name);
	fputs("</th><td data-label=\"best median\"><b>", out);
	contestant_say(out, step, best);
	fputs("</b></td><td data-label=\"median [95 %]\">", out);
	report_value_say(out, report_value(best), step->time);
	caveats_say(out, best);
	fputs("</td><td data-label=\"n\">", out);
	html_say(out, "%s", trials);
	fputs("</td><td data-label=\"told apart\">", out);
	rivals_say(out, step);
	fputs("</td></tr>\n", out);
}

/* Batches, or what an open load asks for and batches: what a group's steps are. */
static void step_name(char name[TABLE_TEXT], const struct table_row *row)
{
	char asked[TABLE_TEXT], batch[NUMBER_TEXT], burst[NUMBER_TEXT] = "";

	number_size(batch, row->row->cell->batch);
	if (row->open) {
		table_open_asked_text(asked, row->row->cell);
		if (row->row->cell->burst > 1)
			number_size(burst, row->row->cell->burst);
		snprintf(name, TABLE_TEXT, "%.40s%s%s%s, batch %s", asked, *burst ? ", " : "", burst, *burst ? " at once" : "", batch);
	} else {
		snprintf(name, TABLE_TEXT, "batch %s", batch);
	}
}

static bool has_value(const struct table_row *row)
{
	return !summary_is_floor(row->row->cell) && row->row->trials && report_value(row);
}

/* The group's rows of one step; name NULL: of all of them. */
static void step_fill(struct step *step, const struct table_row *rows, size_t count, const char *name)
{
	char own[TABLE_TEXT];

	step->count = 0;
	step->time = report_is_time(rows);
	step->any = !name;
	for (size_t i = 0; i < count; i++) {
		if (!has_value(&rows[i]))
			continue;
		step_name(own, &rows[i]);
		if (!name || !strcmp(own, name))
			step_add(step, &rows[i]);
	}
}

/* Names of the group's steps, each once, by batch. first: a row of each, for the order. */
static size_t steps_name(char (*names)[TABLE_TEXT], const struct table_row **first, const struct table_row *rows, size_t count)
{
	size_t steps = 0;

	for (size_t i = 0; i < count; i++) {
		char name[TABLE_TEXT];
		size_t at = 0;

		if (!has_value(&rows[i]))
			continue;
		step_name(name, &rows[i]);
		while (at < steps && strcmp(names[at], name))
			at++;
		if (at < steps)
			continue;
		/* an open load's come in the order of what they offer */
		for (at = steps++; at > 0 && !rows[i].open && first[at - 1]->row->cell->batch > rows[i].row->cell->batch; at--) {
			first[at] = first[at - 1];
			memcpy(names[at], names[at - 1], TABLE_TEXT);
		}
		first[at] = &rows[i];
		memcpy(names[at], name, TABLE_TEXT);
	}
	return steps;
}

/* Cells whose trials all fell elsewhere, or do not count: they had no part in this. */
static void absent_say(const struct report_part *part, const struct table_row *rows, size_t count)
{
	size_t absent = 0;

	for (size_t i = 0; i < part->row_count; i++) {
		const struct table_row *other = &part->rows[i];
		bool here = false;

		if (strcmp(other->group, rows->group) || summary_is_floor(other->row->cell))
			continue;
		for (size_t k = 0; k < count && !here; k++)
			here = rows[k].row->cell->index == other->row->cell->index && has_value(&rows[k]);
		if (here || !other->row->first)
			continue;
		fputs(absent++ ? "; " : "<p class=\"small\">Not among them: ", part->out);
		html_say(part->out, "%.*s, batch %ju (", TABLE_QUEUE_LETTERS, other->row->cell->queue, (uintmax_t)other->row->cell->batch);
		if (!other->row->trials)
			html_say(part->out, "no trial counts");
		else if (other->main_regime)
			html_say(part->out, "nothing to compare is known");
		else
			html_say(part->out, "measured in %.20s", other->regime);
		fputc(')', part->out);
	}
	if (absent)
		fputs("</p>\n", part->out);
}

static void group_head(const struct report_part *part, const struct table_row *rows)
{
	fputs("<table class=\"headline best\"><caption>", part->out);
	report_group_title(part->out, rows);
	fputs("</caption>\n<thead><tr><th scope=\"col\">for</th><th scope=\"col\">", part->out);
	html_term(part->out, "fastest", "best median");
	fputs("</th><th scope=\"col\">", part->out);
	html_term(part->out, rows->open ? "response" : report_is_time(rows) ? "p50" : "rate", "%s",
		  rows->open ? "response p50 [95 %]" : !report_is_time(rows) ? "at read [95 %]" :
		  rows->primary->round_trip ? "round trip p50 [95 %]" : "latency p50 [95 %]");
	fputs("</th><th scope=\"col\">", part->out);
	html_term(part->out, "n", "n");
	fputs("</th><th scope=\"col\">", part->out);
	html_term(part->out, "told-apart", "told apart from the others?");
	fputs("</th></tr></thead>\n<tbody>\n", part->out);
}

static void group_write(const struct report_part *part, const struct table_row *rows, size_t count)
{
	struct step step = {.rows = calloc(count, sizeof(*step.rows))};
	const struct table_row **first = calloc(count, sizeof(*first));
	char (*names)[TABLE_TEXT] = calloc(count, sizeof(*names));
	size_t steps = step.rows && first && names ? steps_name(names, first, rows, count) : 0;

	if (steps) {
		group_head(part, rows);
		for (size_t i = 0; i < steps; i++) {
			step_fill(&step, rows, count, names[i]);
			step_write(part->out, &step, names[i]);
		}
		if (steps > 1 && !rows->open) {
			step_fill(&step, rows, count, NULL);
			step_write(part->out, &step, "any of these batches");
		}
		fputs("</tbody></table>\n", part->out);
		absent_say(part, rows, count);
	}
	free(step.rows);
	free(first);
	free(names);
}

void report_headline(const struct report_part *part)
{
	size_t written = 0;

	fprintf(part->out, "<h3 id=\"r%zu-fastest\">Which queue is fastest, and for what?</h3>\n", part->number);
	if (!part->summary->rates.fit)
		fprintf(part->out, "<p class=\"warning\">This run is not fit for claims about rates and medians, for the reasons <a "
				   "href=\"#r%zu-sure\">below</a>: what follows is what it found, no more.</p>\n", part->number);
	for (size_t i = 0; i < part->row_count; i += report_group_length(part, i)) {
		if (!part->rows[i].main_regime)
			continue;
		group_write(part, &part->rows[i], report_group_length(part, i));
		written++;
	}
	if (!written)
		fputs("<p>No trial was measured.</p>\n", part->out);
	else
		fputs("<p class=\"small\">Each table is of one workload, one placement and one regime; nothing is ranked across them. Floors "
		      "are no queues and have no rank. Rates of different batches, times of different loads answer different questions.</p>\n",
		      part->out);
}
