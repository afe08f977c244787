#include "table_rows.h"
#include "table_windows.h"

#include <string.h>

void table_parameters_text(char (*texts)[TABLE_TEXT], const struct record_cell *cell)
{
	char number[NUMBER_TEXT];

	snprintf(texts[TABLE_QUEUE], TABLE_TEXT, "%.*s", TABLE_QUEUE_LETTERS, cell->queue);
	snprintf(texts[TABLE_BATCH], TABLE_TEXT, "%s", number_size(number, cell->batch));
	table_capacity_text(texts[TABLE_CAPACITY], cell);
	snprintf(texts[TABLE_WAIT], TABLE_TEXT, "%.40s", cell->wait);
}

/* "each of 2 receivers 1.2 M/s to 1.4 M/s, Jain 0.99, longest gap 3 ms": how evenly they came to move messages. */
static int side_text(char *text, size_t size, const struct summary_side *side, uintmax_t count, const char *who)
{
	char least[NUMBER_TEXT], most[NUMBER_TEXT], jain[NUMBER_TEXT], gap[NUMBER_TEXT];

	if (count < 2)
		return snprintf(text, size, "the %s: longest gap %s", who,
				side->longest_gap_ns.known ? number_time(gap, side->longest_gap_ns.median) : "-");
	return snprintf(text, size, "each of %ju %ss: %s to %s, Jain %s, longest gap %s", count, who,
			side->least_rate.known ? number_rate(least, side->least_rate.median) : "-",
			side->most_rate.known ? number_rate(most, side->most_rate.median) : "-",
			side->jain.known ? number_decimal(jain, side->jain.median) : "-",
			side->longest_gap_ns.known ? number_time(gap, side->longest_gap_ns.median) : "-");
}

void table_sides_lines(FILE *out, const struct summary_row *row)
{
	char text[2 * TABLE_TEXT];

	if (!row->senders.longest_gap_ns.known && !row->receivers.longest_gap_ns.known)
		return;
	side_text(text, sizeof(text), &row->senders, (uintmax_t)row->cell->producers, "sender");
	table_say(out, "  %s\n", text);
	side_text(text, sizeof(text), &row->receivers, (uintmax_t)row->cell->consumers, "receiver");
	table_say(out, "  %s\n", text);
}

static const char *percent_text(char text[TABLE_TEXT], const struct summary_value *share)
{
	char number[NUMBER_TEXT];

	if (!share->known)
		return "-";
	snprintf(text, TABLE_TEXT, "%s %%", number_decimal(number, 100.0 * share->median));
	return text;
}

void table_cpu_line(FILE *out, const struct summary_row *row)
{
	char senders[TABLE_TEXT], others[TABLE_TEXT], time[NUMBER_TEXT];
	bool many = row->cell->producers > 1;

	/* whoever never sleeps has all of a CPU's time */
	if (!strcmp(row->cell->wait, "spin") || !strcmp(row->cell->wait, "yield") || !row->cpu_ns_per_message.known)
		return;
	table_say(out, "  CPU time: sender%s %s, all others %s of the time; %s per message\n", many ? "s" : "",
		  percent_text(senders, &row->senders_cpu_share), percent_text(others, &row->others_cpu_share),
		  number_time(time, row->cpu_ns_per_message.median));
}

void table_unknown_rates_line(FILE *out, const struct summary_row *row)
{
	size_t sender = row->trials - row->sender_rate.n, receiver = row->trials - row->receiver_rate.n;

	if (sender || receiver)
		table_say(out, "  no rate in %zu at write, in %zu at read, of %zu trials: too few stamps, or over less than half of the time\n",
			  sender, receiver, row->trials);
	if (row->sender_rate.known && row->receiver_rate.known && (row->both_rates < row->sender_rate.n || row->both_rates < row->receiver_rate.n))
		table_say(out, "  so sender and receiver are medians of different trials: %zu of them %s both rates\n", row->both_rates,
			  row->both_rates == 1 ? "has" : "have");
}

enum { CAME = TABLE_PARAMETERS, SENDER, RECEIVER, RECEIVER_INTERVAL, PERIOD, RECEIVER_CALM, RATE_TRIALS, RATE_COLUMNS };

static const struct table_column rate_columns[RATE_COLUMNS] = {
	[TABLE_QUEUE] = { "", "queue", 14, true, false },
	[TABLE_BATCH] = { "batch", "asked", 5, false, false },
	[TABLE_CAPACITY] = { "capacity", "/window", 10, false, false },
	[TABLE_WAIT] = { "", "wait", 8, true, false },
	[CAME] = { "batch", "came", 6, false, false },
	[SENDER] = { "sender", "at write", 10, false, false },
	[RECEIVER] = { "receiver", "at read", 10, false, false },
	[RECEIVER_INTERVAL] = { "", "[95 %]", 15, true, true },
	[PERIOD] = { "ns per", "message", 8, false, true },
	[RECEIVER_CALM] = { "receiver", "calm", 10, false, true },
	[RATE_TRIALS] = { "", " n", 1, true, false },
};

void table_rates_head(const struct table_form *form)
{
	table_head(form, rate_columns, RATE_COLUMNS);
}

void table_rates_row(const struct table_form *form, const struct table_row *line)
{
	const struct summary_row *row = line->row;
	struct summary_value calm = { .known = row->receiver_rate.calm_known,
				      .median = row->receiver_rate.calm_median };
	char texts[RATE_COLUMNS][TABLE_TEXT], trials[TABLE_TEXT], more[TABLE_TEXT], number[NUMBER_TEXT];

	table_parameters_text(texts, row->cell);
	snprintf(texts[CAME], TABLE_TEXT, "%s",
		 row->mean_batch.known ? number_decimal(number, row->mean_batch.median) : "-");
	table_rate_text(texts[SENDER], &row->sender_rate);
	table_rate_text(texts[RECEIVER], &row->receiver_rate);
	table_interval_text(texts[RECEIVER_INTERVAL], &row->receiver_rate, number_rate_unit(row->receiver_rate.median));
	table_period_text(texts[PERIOD], &row->receiver_rate);
	table_rate_text(texts[RECEIVER_CALM], &calm);
	table_trials_text(trials, more, row);
	snprintf(texts[RATE_TRIALS], TABLE_TEXT, " %.100s", trials);
	table_cells(form, rate_columns, 0, RATE_COLUMNS, "", (const char(*)[TABLE_TEXT])texts);
	if (more[0])
		table_say(form->out, "  not counted: %s\n", more);
	table_unknown_rates_line(form->out, row);
	table_sides_lines(form->out, row);
	table_cpu_line(form->out, row);
	table_windows_lines(form->out, &row->windows);
}
