#include "table_rows.h"
#include "table_windows.h"

#include <math.h>
#include <string.h>

enum { P50 = TABLE_PARAMETERS, P50_INTERVAL, P50_CALM, P99, P99_9, MAX, LATENCY_TRIALS, LATENCY_COLUMNS };

static const struct table_column latency_columns[LATENCY_COLUMNS] = {
	[TABLE_QUEUE] = { "", "queue", 14, true, false },
	[TABLE_BATCH] = { "batch", "asked", 5, false, false },
	[TABLE_CAPACITY] = { "capacity", "/window", 10, false, false },
	[TABLE_WAIT] = { "", "wait", 8, true, false },
	[P50] = { "", "p50", 9, false, false },
	[P50_INTERVAL] = { "", "[95 %]", 14, true, true },
	[P50_CALM] = { "p50", "calm", 9, false, true },
	[P99] = { "", "p99", 9, false, false },
	[P99_9] = { "", "p99.9", 9, false, true },
	[MAX] = { "", "max", 9, false, false },
	[LATENCY_TRIALS] = { "", " n", 1, true, false },
};

/* latency: NULL gives dashes. */
static void latency_text(char (*texts)[TABLE_TEXT], const struct summary_latency *latency)
{
	static const struct summary_latency unknown;
	const struct summary_latency *shown = latency ? latency : &unknown;
	struct summary_value calm = { .known = shown->p50_ns.calm_known, .median = shown->p50_ns.calm_median };
	struct summary_value greatest = { .known = latency && shown->greatest_ns >= 0.0, .median = shown->greatest_ns };

	table_time_text(texts[P50], &shown->p50_ns);
	table_interval_text(texts[P50_INTERVAL], &shown->p50_ns, number_time_unit(shown->p50_ns.median));
	table_time_text(texts[P50_CALM], &calm);
	table_time_text(texts[P99], &shown->p99_ns);
	table_time_text(texts[P99_9], &shown->p99_9_ns);
	table_time_text(texts[MAX], &greatest);
	texts[LATENCY_TRIALS][0] = '\0';
}

void table_points_text(char text[TABLE_TEXT], const struct summary_latency *latency)
{
	if (latency->from_actor < 0)
		snprintf(text, TABLE_TEXT, "%.16s:%.16s all>all", latency->from_point, latency->to_point);
	else
		snprintf(text, TABLE_TEXT, "%.16s:%.16s %d>%d", latency->from_point, latency->to_point,
			 latency->from_actor, latency->to_actor);
}

const char *table_actor_text(char text[TABLE_TEXT], int actor, const char *point)
{
	bool received = !strcmp(point, "preread") || !strcmp(point, "read") || !strcmp(point, "handled");

	if (actor < 0)
		snprintf(text, TABLE_TEXT, "all %s", received ? "receivers" : "senders");
	else
		snprintf(text, TABLE_TEXT, "actor %d", actor);
	return text;
}

void table_latency_line(const struct table_form *form, const struct summary_latency *latency)
{
	char texts[LATENCY_COLUMNS][TABLE_TEXT], points[TABLE_TEXT], label[TABLE_TEXT], number[NUMBER_TEXT];

	table_points_text(points, latency);
	if (isinf(latency->offset_half_width_ns))
		snprintf(label, TABLE_TEXT, "  %.60s +-?", points);
	else if (latency->offset_half_width_ns > 0.0)
		snprintf(label, TABLE_TEXT, "  %.60s +-%s", points, number_time(number, latency->offset_half_width_ns));
	else
		snprintf(label, TABLE_TEXT, "  %.60s", points);
	latency_text(texts, latency);
	if (latency->clock_limited)
		snprintf(texts[LATENCY_TRIALS], TABLE_TEXT, " clock-limited");
	table_cells(form, latency_columns, TABLE_PARAMETERS, LATENCY_COLUMNS, label, (const char(*)[TABLE_TEXT])texts);
}

static void half_line(const struct table_form *form, const struct summary_latency *round_trip)
{
	char texts[LATENCY_COLUMNS][TABLE_TEXT];
	struct summary_value half = { .known = round_trip->p50_ns.known, .median = round_trip->p50_ns.median / 2 };

	memset(texts, 0, sizeof(texts));
	table_time_text(texts[P50], &half);
	table_cells(form, latency_columns, TABLE_PARAMETERS, LATENCY_COLUMNS, "  half the round trip",
		    (const char(*)[TABLE_TEXT])texts);
}

static void rates_line(const struct table_form *form, const struct summary_row *row)
{
	char sender[TABLE_TEXT], receiver[TABLE_TEXT], interval[TABLE_TEXT], period[TABLE_TEXT], batch[NUMBER_TEXT];

	table_rate_text(sender, &row->sender_rate);
	table_rate_text(receiver, &row->receiver_rate);
	table_interval_text(interval, &row->receiver_rate, number_rate_unit(row->receiver_rate.median));
	table_period_text(period, &row->receiver_rate);
	table_say(form->out, "  sender %s at write; receiver %s %s at read;", sender, receiver, interval);
	table_say(form->out, "%s %s ns per message; batches of %s\n", form->wide ? "" : "\n   ", period,
		  row->mean_batch.known ? number_decimal(batch, row->mean_batch.median) : "-");
}

void table_latency_head(const struct table_form *form)
{
	table_head(form, latency_columns, LATENCY_COLUMNS);
}

void table_latency_row(const struct table_form *form, const struct table_row *line)
{
	const struct summary_row *row = line->row;
	char texts[LATENCY_COLUMNS][TABLE_TEXT], trials[TABLE_TEXT], more[TABLE_TEXT];
	bool clock_limited = false;

	table_parameters_text(texts, row->cell);
	latency_text(texts, line->primary);
	table_trials_text(trials, more, row);
	snprintf(texts[LATENCY_TRIALS], TABLE_TEXT, " %.100s", trials);
	table_cells(form, latency_columns, 0, LATENCY_COLUMNS, "", (const char(*)[TABLE_TEXT])texts);
	if (more[0])
		table_say(form->out, "  not counted: %s\n", more);
	for (size_t i = 0; i < row->latency_count; i++)
		if (!row->latency[i].saturated && (&row->latency[i] != line->primary || !line->primary->round_trip)) {
			table_latency_line(form, &row->latency[i]);
			clock_limited |= row->latency[i].clock_limited;
		}
	if (clock_limited && line->primary->round_trip)
		half_line(form, line->primary);
	if (row->trials > 0)
		rates_line(form, row);
	table_unknown_rates_line(form->out, row);
	table_sides_lines(form->out, row);
	table_cpu_line(form->out, row);
	table_windows_lines(form->out, &row->windows);
}
