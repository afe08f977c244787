/* What a reader comes for: which queue is fastest for what, and from which others it can't be told. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "report_html.h"
#include "report_parts.h"
#include "table_rows.h"

/* Rows of a group that differ by queue, capacity and way of waiting alone, and have a value. Floors are none of them. */
struct step {
	const struct table_row **rows; /* the best first */
	struct report_judgement *judgements; /* by row, against the first */
	size_t count;
	bool time, any; /* any: of all batches, so that each name needs its own */
};

enum { RIVALS_IN_FULL = 6 }; /* those not told apart, whose numbers stand beside; the table has all of them */

/* A share of each queue's own capacity asks another rate of each: there is no best one. */
static bool is_own_share(const struct table_row *row)
{
	return row->open && row->row->cell->rate_percent;
}

static bool better(const struct step *step, const struct table_row *one, const struct table_row *other)
{
	double a = report_value(one)->median, b = report_value(other)->median;

	if (is_own_share(one))
		return strcmp(one->row->cell->queue, other->row->cell->queue) < 0;
	return step->time ? a < b : a > b;
}

static void step_add(struct step *step, const struct table_row *row)
{
	size_t at = step->count++;

	for (; at > 0 && better(step, row, step->rows[at - 1]); at--)
		step->rows[at] = step->rows[at - 1];
	step->rows[at] = row;
}

static bool is_one_queue(const struct step *step)
{
	for (size_t i = 1; i < step->count; i++)
		if (strcmp(step->rows[i]->row->cell->queue, step->rows[0]->row->cell->queue))
			return false;
	return true;
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
	if (report_latency(row) && report_latency(row)->clock_limited) {
		fputs("; ", out);
		html_term(out, "clock-limited", "clock-limited");
	}
	if (row->row->open.saturated || row->row->open.missed) {
		fputs("; ", out);
		html_term(out, "saturated-load", "%zu of its trials fell behind", row->row->open.missed > row->row->open.saturated ?
			  row->row->open.missed : row->row->open.saturated);
	}
}

/* Those that the test does not call worse, their numbers beside them. Returns how many. */
static size_t together_say(FILE *out, const struct step *step)
{
	const char *reason = "";
	size_t rivals = 0, too_few = 0;

	for (size_t i = 1; i < step->count; i++) {
		const struct report_judgement *judgement = &step->judgements[i];

		if (judgement->apart != REPORT_TOGETHER && judgement->apart != REPORT_TOO_FEW)
			continue;
		fputs(rivals == RIVALS_IN_FULL ? "; and by their names alone: " : rivals > RIVALS_IN_FULL ? ", " : rivals ? "; " :
		      "not told apart from: ", out);
		contestant_say(out, step, step->rows[i]);
		if (judgement->apart == REPORT_TOO_FEW) {
			reason = judgement->reason;
			too_few++;
		}
		if (rivals++ >= RIVALS_IN_FULL)
			continue;
		fputc(' ', out);
		report_value_say(out, report_value(step->rows[i]), step->time);
		if (judgement->apart == REPORT_TOGETHER && *judgement->reason)
			html_say(out, " (%s)", judgement->reason);
	}
	if (too_few)
		html_say(out, "; %zu of these for want of trials: %s", too_few, reason);
	return rivals;
}

/* Those that can't be judged, for the machine was not the same to both, their numbers beside them. */
static void noisy_say(FILE *out, const struct step *step)
{
	size_t said = 0;

	for (size_t i = 1; i < step->count; i++) {
		const struct report_judgement *judgement = &step->judgements[i];

		if (judgement->apart != REPORT_NOISY)
			continue;
		fputs(said++ ? "; " : "<br>not judged, the machine having disturbed one more than the other: ", out);
		contestant_say(out, step, step->rows[i]);
		fputc(' ', out);
		report_value_say(out, report_value(step->rows[i]), step->time);
		html_say(out, " (%s)", judgement->reason);
	}
}

/* Those that are not held against it, by their reasons. */
static void untested_say(FILE *out, const struct step *step)
{
	for (size_t i = 1; i < step->count; i++) {
		const char *reason = step->judgements[i].reason;
		size_t said = 0;
		bool known = step->judgements[i].apart != REPORT_UNTESTED;

		for (size_t k = 1; k < i && !known; k++)
			known = step->judgements[k].apart == REPORT_UNTESTED && !strcmp(step->judgements[k].reason, reason);
		for (size_t k = i; k < step->count && !known; k++) {
			if (step->judgements[k].apart != REPORT_UNTESTED || strcmp(step->judgements[k].reason, reason))
				continue;
			if (said++ < RIVALS_IN_FULL) {
				fputs(said == 1 ? "<br>not tested against: " : ", ", out);
				contestant_say(out, step, step->rows[k]);
			}
		}
		if (said > RIVALS_IN_FULL)
			html_say(out, " and %zu more", said - RIVALS_IN_FULL);
		if (said)
			html_say(out, " (%s)", reason);
	}
}

static void rivals_say(FILE *out, const struct step *step)
{
	size_t apart = 0, tested = 0, rivals;

	for (size_t i = 1; i < step->count; i++) {
		apart += step->judgements[i].apart == REPORT_APART;
		tested += step->judgements[i].apart != REPORT_UNTESTED && step->judgements[i].apart != REPORT_NOISY;
	}
	rivals = together_say(out, step);
	if (!tested)
		fputs("no other one can be tested against it", out);
	else if (rivals && apart)
		html_say(out, "; told apart from %zu", apart);
	else if (apart && step->count == 2)
		fputs("yes, from the other one", out);
	else if (apart == step->count - 1)
		html_say(out, "yes, from all %zu others", apart);
	else if (apart)
		html_say(out, "yes, from the %zu that were tested", apart);
	noisy_say(out, step);
	untested_say(out, step);
}

/* Where there is nothing to be ranked: what was measured, and why no one is the best. */
static void unranked_write(FILE *out, const struct step *step, const char *name)
{
	bool shares = is_own_share(step->rows[0]);
	char trials[TABLE_TEXT], more[TABLE_TEXT];

	fputs("<tr><th scope=\"row\" data-label=\"for\">", out);
	html_say(out, "%s", name);
	fputs("</th><td data-label=\"best median\">no ranking: ", out);
	if (shares)
		fputs("each is asked for a share of its own capacity, another rate for each", out);
	else
		html_say(out, "only %.*s has a number", TABLE_QUEUE_LETTERS, step->rows[0]->row->cell->queue);
	fputs("</td><td data-label=\"medians [95 %]\">", out);
	for (size_t i = 0; i < step->count && i < RIVALS_IN_FULL; i++) {
		fputs(i ? "<br>" : "", out);
		contestant_say(out, step, step->rows[i]);
		fputs(": ", out);
		report_value_say(out, report_value(step->rows[i]), step->time);
		caveats_say(out, step->rows[i]);
	}
	if (step->count > RIVALS_IN_FULL)
		html_say(out, "; %zu more in the table", step->count - RIVALS_IN_FULL);
	fputs("</td><td data-label=\"n\">", out);
	for (size_t i = 0; i < step->count && i < RIVALS_IN_FULL; i++) {
		table_trials_text(trials, more, step->rows[i]->row);
		html_say(out, "%s%s", i ? ", " : "", trials);
	}
	fputs("</td><td data-label=\"told apart?\">not asked</td></tr>\n", out);
}

/* Returns 0 or -ENOMEM. */
static int step_judge(const struct report_part *part, struct step *step)
{
	int error = 0;

	for (size_t i = 1; i < step->count && !error; i++)
		error = report_contest_judge(&step->judgements[i], part, step->rows[0], step->rows[i]);
	return error;
}

static int step_write(const struct report_part *part, struct step *step, const char *name)
{
	const struct table_row *best = step->rows[0];
	char trials[TABLE_TEXT], more[TABLE_TEXT];
	FILE *out = part->out;
	int error;

	if (is_own_share(best) || is_one_queue(step)) {
		unranked_write(out, step, name);
		return 0;
	}
	error = step_judge(part, step);
	if (error)
		return error;
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
	fputs("</td><td data-label=\"told apart?\">", out);
	rivals_say(out, step);
	fputs("</td></tr>\n", out);
	return 0;
}

/* Batches, or what an open load asks for and batches: what a group's steps are. */
static void step_name(char name[TABLE_TEXT], const struct table_row *row)
{
	char asked[TABLE_TEXT], batch[NUMBER_TEXT], gap[NUMBER_TEXT], burst[NUMBER_TEXT] = "";

	number_size(batch, row->row->cell->batch);
	if (row->open) {
		if (row->row->cell->gap_ns)
			snprintf(asked, sizeof(asked), "every %s", number_time(gap, (double)row->row->cell->gap_ns));
		else
			table_open_asked_text(asked, row->row->cell);
		if (row->row->cell->burst > 1)
			number_size(burst, row->row->cell->burst);
		snprintf(name, TABLE_TEXT, "%.40s%s%s%s, batch %s", asked, *burst ? ", " : "", burst, *burst ? " at once" : "", batch);
	} else {
		snprintf(name, TABLE_TEXT, "batch %s", batch);
	}
}

/* One of what the group is judged by, its first row. */
static bool has_value(const struct table_row *row, const struct table_row *rows)
{
	return !summary_is_floor(row->row->cell) && row->row->trials && report_is_time(row) == report_is_time(rows) && report_value(row);
}

/* The group's rows of one step; name NULL: of all of them. */
static void step_fill(struct step *step, const struct table_row *rows, size_t count, const char *name)
{
	char own[TABLE_TEXT];

	step->count = 0;
	step->time = report_is_time(rows);
	step->any = !name;
	for (size_t i = 0; i < count; i++) {
		if (!has_value(&rows[i], rows))
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

		if (!has_value(&rows[i], rows))
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

/* Why a row had no part in this; "": it had, or it is nothing of the group's. */
static void absence_text(char text[TABLE_TEXT], const struct table_row *other, const struct table_row *rows, size_t count)
{
	*text = 0;
	if (strcmp(other->group, rows->group) || summary_is_floor(other->row->cell) || !other->row->first)
		return;
	for (size_t k = 0; k < count; k++)
		if (rows[k].row->cell->index == other->row->cell->index && has_value(&rows[k], rows))
			return;
	if (!other->row->trials)
		snprintf(text, TABLE_TEXT, "for no trial counts");
	else if (!other->main_regime)
		snprintf(text, TABLE_TEXT, "measured in %.20s", other->regime);
	else if (other->row->saturated || other->row->missed)
		snprintf(text, TABLE_TEXT, "for they fell behind the load, so no latency is stationary");
	else
		snprintf(text, TABLE_TEXT, "for nothing to compare is known");
}

/* Cells whose trials all fell elsewhere, or do not count, gathered by the reason from that row on. */
static void absent_alike_say(const struct report_part *part, const struct table_row *rows, size_t count, size_t from, const char *reason)
{
	char own[TABLE_TEXT], name[TABLE_TEXT];
	size_t said = 0;

	for (size_t i = 0; i < part->row_count; i++) {
		const struct table_row *other = &part->rows[i];

		absence_text(own, other, rows, count);
		if (strcmp(own, reason))
			continue;
		if (i < from)
			return; /* it was said there */
		step_name(name, other);
		html_say(part->out, "%s%s%s%.*s, %s", said ? "" : "Not among them, ", said ? "" : reason, said ? "; " : ": ",
			 TABLE_QUEUE_LETTERS, other->row->cell->queue, name);
		said++;
	}
	fputs(". ", part->out);
}

static void absent_say(const struct report_part *part, const struct table_row *rows, size_t count)
{
	char reason[TABLE_TEXT];
	size_t absent = 0;

	for (size_t i = 0; i < part->row_count; i++) {
		absence_text(reason, &part->rows[i], rows, count);
		if (!*reason)
			continue;
		fputs(absent++ ? "" : "<p class=\"small\">", part->out);
		absent_alike_say(part, rows, count, i, reason);
	}
	if (absent)
		fputs("</p>\n", part->out);
}

static void group_head(const struct report_part *part, const struct table_row *rows)
{
	const struct summary_latency *latency = report_latency(rows);

	fputs("<table class=\"headline best\"><caption>", part->out);
	report_group_title(part->out, rows);
	report_group_apart(part, rows);
	fputs("</caption>\n<thead><tr><th scope=\"col\">for</th><th scope=\"col\">", part->out);
	html_term(part->out, "fastest", "best median");
	fputs("</th><th scope=\"col\">", part->out);
	html_term(part->out, rows->open ? "response" : latency ? "p50" : "rate", "%s",
		  rows->open ? "response p50 [95 %]" : !latency ? "at read [95 %]" :
		  latency->round_trip ? "round trip p50 [95 %]" : "latency p50 [95 %]");
	fputs("</th><th scope=\"col\">", part->out);
	html_term(part->out, "n", "n");
	fputs("</th><th scope=\"col\">", part->out);
	html_term(part->out, "told-apart", "told apart by compare’s test?");
	fputs("</th></tr></thead>\n<tbody>\n", part->out);
}

/* Returns 0 or -ENOMEM. */
static int steps_write(const struct report_part *part, struct step *step, const struct table_row *rows, size_t count,
		       char (*names)[TABLE_TEXT], size_t steps)
{
	int error = 0;

	group_head(part, rows);
	for (size_t i = 0; i < steps && !error; i++) {
		step_fill(step, rows, count, names[i]);
		error = step_write(part, step, names[i]);
	}
	if (steps > 1 && !rows->open && !error) {
		step_fill(step, rows, count, NULL);
		error = step_write(part, step, "any of these batches");
	}
	fputs("</tbody></table>\n", part->out);
	return error;
}

/* The row's median latency from write to read; NULL: it has none. */
static const struct summary_value *one_way(const struct summary_row *row)
{
	for (size_t k = 0; k < row->latency_count; k++) {
		const struct summary_latency *latency = &row->latency[k];

		if (!latency->saturated && !latency->round_trip && latency->p50_ns.known && !strcmp(latency->from_point, "write") &&
		    !strcmp(latency->to_point, "read"))
			return &latency->p50_ns;
	}
	return NULL;
}

/* A closed load has a rate and a latency, and who has the best of one need not have the best of the other. */
static void other_best_say(const struct report_part *part, const struct table_row *rows, size_t count)
{
	const struct table_row *best = NULL;
	char number[NUMBER_TEXT];

	if (strcmp(rows->row->cell->load, "closed") || report_latency(rows))
		return;
	for (size_t i = 0; i < count; i++)
		if (one_way(rows[i].row) && !summary_is_floor(rows[i].row->cell) &&
		    (!best || one_way(rows[i].row)->median < one_way(best->row)->median))
			best = &rows[i];
	if (!best)
		return;
	fputs("<p class=\"small\">", part->out);
	html_say(part->out, "By their rates within the window. The least median latency from write to read is %.*s’s at batch %ju: %s; the "
			    "tables have the others’.",
		 TABLE_QUEUE_LETTERS, best->row->cell->queue, (uintmax_t)best->row->cell->batch,
		 number_time(number, one_way(best->row)->median));
	fputs("</p>\n", part->out);
}

static int group_write(const struct report_part *part, const struct table_row *rows, size_t count)
{
	struct step step = {.rows = calloc(count, sizeof(*step.rows)), .judgements = calloc(count, sizeof(*step.judgements))};
	const struct table_row **first = calloc(count, sizeof(*first));
	char (*names)[TABLE_TEXT] = calloc(count, sizeof(*names));
	int error = step.rows && step.judgements && first && names ? 0 : -ENOMEM;
	size_t steps = error ? 0 : steps_name(names, first, rows, count);

	if (steps) {
		error = steps_write(part, &step, rows, count, names, steps);
		absent_say(part, rows, count);
		other_best_say(part, rows, count);
	}
	free(step.rows);
	free(step.judgements);
	free(first);
	free(names);
	return error;
}

int report_headline(const struct report_part *part)
{
	size_t written = 0;
	int error = 0;

	fprintf(part->out, "<h3 id=\"r%zu-fastest\">Which queue is fastest, and for what?</h3>\n", part->number);
	if (!part->summary->rates.fit)
		fprintf(part->out, "<p class=\"warning\">This run is not fit for claims about rates and medians, for the reasons <a "
				   "href=\"#r%zu-sure\">below</a>: what follows is what it found, no more.</p>\n", part->number);
	for (size_t i = 0; i < part->row_count && !error; i += report_group_length(part, i)) {
		if (!part->rows[i].main_regime)
			continue;
		error = group_write(part, &part->rows[i], report_group_length(part, i));
		written++;
	}
	if (!written)
		fputs("<p>No trial was measured.</p>\n", part->out);
	else
		fputs("<p class=\"small\">Each table is of one workload, one placement and one regime; nothing is ranked across them. Floors "
		      "are no queues and have no rank. Rates of different batches, times of different loads answer different questions.</p>\n",
		      part->out);
	return error;
}
