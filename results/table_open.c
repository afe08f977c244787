/* What became of open loads: what was offered and reached, how late messages were written, how long after they were due they were read. */
#include "table_rows.h"

#include <string.h>

enum { ASKED = TABLE_PARAMETERS, BURST, OFFERED, REACHED, LAG, P50, P99, P99_9, VERDICT, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[TABLE_QUEUE] = { "", "queue", 12, true, false },
	[TABLE_BATCH] = { "", "batch", 5, false, true },
	[TABLE_CAPACITY] = { "capacity", "/window", 9, false, true },
	[TABLE_WAIT] = { "", "wait", 6, true, true },
	[ASKED] = { "", "asked", 9, false, false },
	[BURST] = { "at", "once", 4, false, false },
	[OFFERED] = { "", "offered", 9, false, true },
	[REACHED] = { "", "reached", 7, false, false },
	[LAG] = { "lag", "p99", 8, false, false },
	[P50] = { "response", "p50", 8, false, false },
	[P99] = { "", "p99", 8, false, false },
	[P99_9] = { "", "p99.9", 8, false, true },
	[VERDICT] = { "", "n", 1, true, false },
};

void table_open_head(const struct table_form *form)
{
	table_say(form->out, "  response: from when a message was due (intended) to read; lag: from then to write; with all lateness\n");
	table_head(form, columns, COLUMNS);
}

const struct summary_latency *table_open_latency(const struct summary_row *row, const char *to_point)
{
	for (size_t i = 0; i < row->latency_count; i++)
		if (!strcmp(row->latency[i].from_point, "intended") && !strcmp(row->latency[i].to_point, to_point))
			return &row->latency[i];
	return NULL;
}

void table_open_asked_text(char text[TABLE_TEXT], const struct record_cell *cell)
{
	char number[NUMBER_TEXT];

	if (cell->rate_percent)
		snprintf(text, TABLE_TEXT, "%ju %%", (uintmax_t)cell->rate_percent);
	else if (cell->rate_per_s)
		snprintf(text, TABLE_TEXT, "%s", number_rate(number, (double)cell->rate_per_s));
	else
		snprintf(text, TABLE_TEXT, "/%s", number_time(number, (double)cell->gap_ns));
}

/* How many messages are due at once. */
static void burst_text(char text[TABLE_TEXT], const struct record_cell *cell)
{
	char count[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s", number_size(count, cell->burst ? cell->burst : 1));
}

void table_share_text(char text[TABLE_TEXT], const struct summary_value *share)
{
	char number[NUMBER_TEXT];

	if (share->known)
		snprintf(text, TABLE_TEXT, "%s %%", number_decimal(number, 100.0 * share->median));
	else
		snprintf(text, TABLE_TEXT, "-");
}

/* A percentile of what is stationary. */
static void percentile_text(char text[TABLE_TEXT], const struct summary_latency *latency, const struct summary_value *value)
{
	if (latency && !latency->saturated)
		table_time_text(text, value);
	else
		snprintf(text, TABLE_TEXT, "-");
}

void table_open_trials_text(char text[TABLE_TEXT], const struct summary_row *row, const char *trials)
{
	if (row->saturated)
		snprintf(text, TABLE_TEXT, "%.60s, saturated", trials);
	else if (row->missed)
		snprintf(text, TABLE_TEXT, "%.60s, not reached", trials);
	else if (row->open.saturated)
		snprintf(text, TABLE_TEXT, "%.60s, %zu saturated", trials, row->open.saturated);
	else if (row->open.missed)
		snprintf(text, TABLE_TEXT, "%.60s, %zu not reached", trials, row->open.missed);
	else
		snprintf(text, TABLE_TEXT, "%.60s", trials);
}

void table_open_unknown_lines(FILE *out, const struct summary_row *row)
{
	if (row->open.reached_share.n < row->trials) {
		table_say(out, "  in %zu of %zu trials whether the rate was reached is unknown: no two stamped messages were due\n",
			  row->trials - row->open.reached_share.n, row->trials);
		table_say(out, "  at different times within the trial; a longer trial or a higher rate has more of them\n");
	}
	if (!row->open.untold || row->saturated || row->missed) /* what fell behind has no percentile that could mislead */
		return;
	table_say(out, "  in %zu of %zu trials whether the load was saturated is unknown: a quarter of the trial or more had no\n",
		  row->open.untold, row->trials);
	table_say(out, "  stamped message, and the response may have grown with each; a longer trial has more of them\n");
}

void table_open_row(const struct table_form *form, const struct table_row *line)
{
	static const struct summary_latency unknown;
	const struct table_form beside = { .out = form->out, .wide = form->wide }; /* no column of this table stands above its lines */
	const struct summary_row *row = line->row;
	const struct summary_latency *response = table_open_latency(row, "read"), *lag = table_open_latency(row, "write");
	const struct summary_latency *shown = response ? response : &unknown;
	size_t told = shown->max_ns.n + shown->samples.left_out; /* the latter are told of in a line of their own */
	char texts[COLUMNS][TABLE_TEXT], trials[TABLE_TEXT], more[TABLE_TEXT], *state = NULL; /* state: what the last column has no room for */

	table_parameters_text(texts, row->cell);
	table_open_asked_text(texts[ASKED], row->cell);
	burst_text(texts[BURST], row->cell);
	table_rate_text(texts[OFFERED], &row->open.offered_per_s);
	table_share_text(texts[REACHED], &row->open.reached_share);
	percentile_text(texts[LAG], lag, lag ? &lag->p99_ns : &unknown.p99_ns);
	percentile_text(texts[P50], response, &shown->p50_ns);
	percentile_text(texts[P99], response, &shown->p99_ns);
	percentile_text(texts[P99_9], response, &shown->p99_9_ns);
	table_trials_text(trials, more, row);
	table_open_trials_text(texts[VERDICT], row, trials);
	if ((int)strlen(texts[VERDICT]) > table_last_room(form, columns, COLUMNS)) {
		state = texts[VERDICT] + strlen(trials);
		*state = '\0';
		state += strlen(", ");
	}
	table_cells(form, columns, 0, COLUMNS, "", (const char(*)[TABLE_TEXT])texts);
	if (state)
		table_say(form->out, "  of these trials: %s\n", state);
	if (more[0])
		table_say(form->out, "  not counted: %s\n", more);
	table_open_unknown_lines(form->out, row);
	if (response && !response->saturated && told < row->trials)
		table_say(form->out, "  response is of %zu of %zu trials: in the others no stamped message was read\n", told, row->trials);
	/* a narrow table has room for what the columns don't tell alone */
	for (size_t i = 0; i < row->latency_count; i++) {
		const struct summary_latency *latency = &row->latency[i];

		if (!latency->saturated && latency != lag && (form->wide || latency != response))
			table_latency_line(&beside, latency);
	}
	table_sides_lines(form->out, row);
	table_cpu_line(form->out, row);
}
