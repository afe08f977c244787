/* How sure the numbers are, what the machine does to any of them, what disturbed the run. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "report_html.h"
#include "report_parts.h"
#include "table_reasons.h"
#include "table_rows.h"
#include "table_until.h"

/* ---- how sure ---- */

static void verdict_write(FILE *out, const char *word, const char *what, const struct summary_verdict *verdict)
{
	html_fact(out, word, what);
	fprintf(out, "<b class=\"%s\">%s</b>", verdict->fit ? "yes" : "no", verdict->fit ? "yes" : "no");
	if (verdict->reason_count)
		fputs("<ul>", out);
	for (size_t i = 0; i < verdict->reason_count; i++) {
		fputs("<li>", out);
		html_say(out, "%s", verdict->reasons[i]);
		fputs("</li>", out);
	}
	if (verdict->reason_count)
		fputs("</ul>", out);
	html_fact_end(out);
}

/* Half of an interval's width over its median, of the rows that have one. */
static size_t widths(const struct report_part *part, double *least, double *most)
{
	size_t count = 0;

	for (size_t i = 0; i < part->row_count; i++) {
		const struct summary_value *value = report_value(&part->rows[i]);
		double width;

		if (!part->rows[i].main_regime || !value || !value->interval.known || !(value->median > 0))
			continue;
		width = (value->interval.high - value->interval.low) / 2 / value->median;
		*least = count ? fmin(*least, width) : width;
		*most = count ? fmax(*most, width) : width;
		count++;
	}
	return count;
}

static void precision_write(const struct report_part *part)
{
	double least = 0, most = 0;
	size_t count = widths(part, &least, &most);
	char low[NUMBER_TEXT], high[NUMBER_TEXT];

	html_fact(part->out, "interval", "How wide the intervals are");
	if (count)
		html_say(part->out, "95 %% intervals of the medians: between ±%s and ±%s of it, in the main regime of %zu cell%s.",
			 number_percent(low, least), number_percent(high, most), count, count == 1 ? "" : "s");
	else
		html_say(part->out, "No cell has the 6 trials that an interval takes.");
	html_fact_end(part->out);
}

/* What a difference has to exceed. */
static void floors_say(const struct report_part *part)
{
	const struct compare_settings *settings = part->settings;
	char threshold[NUMBER_TEXT], rate[NUMBER_TEXT], time[NUMBER_TEXT];

	html_say(part->out, "Differences up to %s are none; nor are those up to this machine’s own noise: ",
		 number_percent(threshold, settings->threshold));
	if (settings->floor[COMPARE_RATE] < 0 && settings->floor[COMPARE_TIME] < 0)
		html_say(part->out, "not known here, “twopoint aa” measures it.");
	else
		html_say(part->out, "of rates %s, of times %s (by “twopoint aa”, where this page was made).",
			 settings->floor[COMPARE_RATE] < 0 ? "not known" : number_percent(rate, settings->floor[COMPARE_RATE]),
			 settings->floor[COMPARE_TIME] < 0 ? "not known" : number_percent(time, settings->floor[COMPARE_TIME]));
}

void report_verdict(const struct report_part *part)
{
	fprintf(part->out, "<h3 id=\"r%zu-sure\">How sure is that?</h3>\n<dl class=\"facts\">\n", part->number);
	verdict_write(part->out, "fit-rates", "Fit for rates and medians", &part->summary->rates);
	verdict_write(part->out, "fit-tails", "Fit for tails", &part->summary->tails);
	precision_write(part);
	html_fact(part->out, "told-apart", "Not told apart");
	fputs("are queues of which <code>twopoint compare RECORD --baseline QUEUE</code>, QUEUE being the best of them, finds none the slower: "
	      "a rank test, adjusted for all cells that it holds against each other in this record. ", part->out);
	floors_say(part);
	html_fact_end(part->out);
	fputs("</dl>\n", part->out);
}

/* ---- floors ---- */

static void stalls_write(const struct report_part *part)
{
	const struct summary_floor *machine = &part->summary->floor;
	char share[NUMBER_TEXT], p50[NUMBER_TEXT], p90[NUMBER_TEXT], p99[NUMBER_TEXT], p99_9[NUMBER_TEXT], most[NUMBER_TEXT];
	char twice[NUMBER_TEXT];

	html_fact(part->out, "machines-floor", "The machine stands still");
	if (machine->known)
		html_say(part->out, "for %s of the time. An arrival at a random instant waits p50 %s, p90 %s, p99 %s, p99.9 %s, at most "
				    "%s, whatever the queue. A p99 below %s, twice the machine’s own, says nothing of a queue.",
			 number_percent(share, machine->stall_share), number_time(p50, machine->p50_ns), number_time(p90, machine->p90_ns),
			 number_time(p99, machine->p99_ns), number_time(p99_9, machine->p99_9_ns), number_time(most, machine->max_ns),
			 number_time(twice, 2 * machine->p99_ns));
	else
		html_say(part->out, "The machine's own floor was not measured.");
	html_fact_end(part->out);
}

static const char *floor_words(const char *queue)
{
	static const char *const words[][2] = {{"null", "the harness alone, both ends summed on one thread: two cores that share this work may take less"},
					       {"line", "one cache line handed over, by the loops that measure queues and with their readings of the "
							"clock: no round trip is shorter (the line that a regime is named after is timed without)"},
					       {"stream-limit", "the leanest transfer between cores without a common cache"},
					       {"stream-near", "the leanest transfer between cores with a common cache"}};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(queue, words[i][0]))
			return words[i][1];
	return "";
}

static void floor_row(FILE *out, const struct table_row *row)
{
	const struct record_cell *cell = row->row->cell;
	char trials[TABLE_TEXT], more[TABLE_TEXT], batch[NUMBER_TEXT];

	fputs("<tr><th scope=\"row\" data-label=\"floor\">", out);
	html_term(out, "floors", "%.*s", TABLE_QUEUE_LETTERS, cell->queue);
	fputs("</th><td data-label=\"is\">", out);
	html_say(out, "%s", floor_words(cell->queue));
	fputs("</td><td data-label=\"measured\">", out);
	html_say(out, "%.24s, %ju-byte messages, batch %s, %.24s, %.20s", cell->workload, (uintmax_t)cell->message_bytes,
		 number_size(batch, cell->batch), cell->place, row->regime);
	fputs("</td><td data-label=\"median [95 %]\">", out);
	report_value_say(out, report_value(row), report_is_time(row));
	html_say(out, "%s", report_is_time(row) ? row->primary && row->primary->round_trip ? " a round trip" : "" : " at read");
	table_trials_text(trials, more, row->row);
	fputs("</td><td data-label=\"n\">", out);
	html_say(out, "%s", trials);
	fputs("</td></tr>\n", out);
}

void report_floors(const struct report_part *part)
{
	size_t floors = 0;

	fprintf(part->out, "<h3 id=\"r%zu-floor\">What is the machine’s own floor?</h3>\n<dl class=\"facts\">\n", part->number);
	stalls_write(part);
	fputs("</dl>\n", part->out);
	for (size_t i = 0; i < part->row_count; i++) {
		if (!part->rows[i].main_regime || !summary_is_floor(part->rows[i].row->cell) || !report_value(&part->rows[i]))
			continue;
		if (!floors++)
			fputs("<table class=\"headline\"><caption>Floors of harness and hardware, each table’s in its regime</caption>\n"
			      "<thead><tr><th scope=\"col\">floor</th><th scope=\"col\">is</th><th scope=\"col\">measured</th><th "
			      "scope=\"col\">median [95 %]</th><th scope=\"col\">n</th></tr></thead>\n<tbody>\n", part->out);
		floor_row(part->out, &part->rows[i]);
	}
	fputs(floors ? "</tbody></table>\n" : "<p>The record has no trials of the floors <code>null</code>, <code>line</code>, "
					      "<code>stream-limit</code>, <code>stream-near</code>.</p>\n", part->out);
}

/* ---- disturbance ---- */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { TIME_SHARE = NUMBER_TEXT + 16 };

static const char *time_share(char text[TIME_SHARE], double share)
{
	char percent[NUMBER_TEXT];

	snprintf(text, TIME_SHARE, "%s of the time", share < 1 ? number_percent(percent, share) : "all");
	return text;
}

/* "half of the trials 0.1 % or less, at most 12 % (of 180)": what the system took of the trials' time; share < 0: not known. */
static void loss_write(const struct report_part *part, const char *word, const char *name, double (*share)(const struct record_trial *trial))
{
	double *shares = calloc(part->record->trial_count + 1, sizeof(*shares));
	char half[TIME_SHARE], most[TIME_SHARE];
	size_t count = 0;

	for (size_t i = 0; shares && i < part->record->trial_count; i++) {
		const struct record_trial *trial = &part->record->trials[i];

		if (share(trial) >= 0)
			shares[count++] = share(trial);
	}
	html_fact(part->out, word, name);
	if (count) {
		qsort(shares, count, sizeof(*shares), ascending);
		html_say(part->out, "in half of %zu trial%s %s or less, in the worst one %s", count, count == 1 ? "" : "s",
			 time_share(half, shares[(count - 1) / 2]), time_share(most, shares[count - 1]));
	} else {
		html_say(part->out, "not known");
	}
	html_fact_end(part->out);
	free(shares);
}

static double run_delay(const struct record_trial *trial)
{
	return trial->run_delay_share;
}

static double steal(const struct record_trial *trial)
{
	return trial->steal_share;
}

static double throttling(const struct record_trial *trial)
{
	return trial->throttled_share;
}

static void tally_write(const struct report_part *part)
{
	const struct summary *summary = part->summary;
	const struct {
		const char *word, *name;
		size_t count;
	} tallies[] = {{"counted", "counted", summary->counted}, {"disturbed", "of these disturbed", summary->disturbed},
		       {"moved", "moved, not counted", summary->moved}, {"valid", "invalid, not counted", summary->invalid},
		       {"failed", "crashed or hung", summary->failed}, {"skipped", "skipped", summary->skipped}};
	char *lines = NULL;
	size_t size;
	FILE *memory = open_memstream(&lines, &size);

	html_fact(part->out, "trial", "Trials");
	html_say(part->out, "%zu: ", summary->trials);
	for (size_t i = 0; i < sizeof(tallies) / sizeof(tallies[0]); i++) {
		html_say(part->out, "%s%zu ", i ? ", " : "", tallies[i].count);
		html_term(part->out, tallies[i].word, "%s", tallies[i].name);
	}
	if (memory) {
		table_reasons_lines(memory, 0, part->record);
		table_until_lines(memory, part->record);
		if (part->record->cut)
			fputs("the file ends in half a line, which is left out\n", memory);
		if (!part->record->end)
			fputs("the run did not come to its end\n", memory);
		else if (json_is_string(json_object_get(part->record->end, "why")))
			fprintf(memory, "the run is not complete: %.100s\n", table_string_or_dash(part->record->end, "why"));
		if (!fclose(memory))
			report_lines(part->out, lines);
		free(lines);
	}
	html_fact_end(part->out);
}

static void regimes_write(const struct report_part *part)
{
	const struct summary *summary = part->summary;
	char line[NUMBER_TEXT];

	html_fact(part->out, "regime", "Regimes");
	if (!summary->regime_count)
		html_say(part->out, "none: the line was not measured, or no trial counts");
	else
		html_say(part->out, "%s", summary->regime_count == 1 ?
			 "one: the CPUs stood to each other in one way all the time." :
			 "the CPUs stood to each other in several ways; what was measured in one is never mixed with another or ranked "
			 "against it.");
	if (summary->regime_count)
		fputs("<ul>", part->out);
	for (size_t i = 0; i < summary->regime_count; i++) {
		fputs("<li>", part->out);
		html_say(part->out, "%s, a line’s round trip %s: %zu trial%s%s", summary->regimes[i].name,
			 number_time(line, summary->regimes[i].line_ns), summary->regimes[i].trials,
			 summary->regimes[i].trials == 1 ? "" : "s",
			 i == summary->main_regime && summary->regime_count > 1 ? ", the most frequent" : "");
		fputs("</li>", part->out);
	}
	if (summary->regime_count)
		fputs("</ul>", part->out);
	html_fact_end(part->out);
}

static void clock_write(const struct report_part *part)
{
	const json_t *clock = json_object_get(part->record->end, "clock"), *ok = json_object_get(clock, "ok");
	const json_t *drift = json_object_get(clock, "drift_ppm");
	char ppm[NUMBER_TEXT];

	html_fact(part->out, "clock", "Clock");
	html_say(part->out, "%s", json_is_true(ok) ? "held" : json_is_false(ok) ? "did not hold" : "was not checked at the end");
	if (json_is_number(drift))
		html_say(part->out, ": its rate changed by %s ppm over the run", number_decimal(ppm, json_number_value(drift)));
	html_fact_end(part->out);
}

void report_disturbances(const struct report_part *part)
{
	fprintf(part->out, "<h3 id=\"r%zu-disturbed\">What disturbed the run?</h3>\n<dl class=\"facts\">\n", part->number);
	tally_write(part);
	regimes_write(part);
	loss_write(part, "run-delay", "Waiting for a CPU (run delay), worst actor", run_delay);
	loss_write(part, "steal", "Taken by the hypervisor (steal), worst actor", steal);
	loss_write(part, "throttled", "Throttled", throttling);
	clock_write(part);
	fputs("</dl>\n", part->out);
}
