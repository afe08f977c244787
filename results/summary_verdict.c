#include "number.h"
#include "summary_parts.h"

#include <stdarg.h>
#include <stdio.h>

static const size_t TRIALS_FOR_A_CLAIM = 10;
static const double UNQUIET_SHARE = 0.3; /* of the trials: more, and the rates are not fit */

enum { REASONS = sizeof(((struct summary_verdict *)0)->reasons) / sizeof(((struct summary_verdict *)0)->reasons[0]) };

__attribute__((format(printf, 2, 3))) static void unfit(struct summary_verdict *verdict, const char *format, ...)
{
	va_list arguments;

	verdict->fit = false;
	if (verdict->reason_count == REASONS)
		return;
	va_start(arguments, format);
	vsnprintf(verdict->reasons[verdict->reason_count++], sizeof(verdict->reasons[0]), format, arguments);
	va_end(arguments);
}

static void judge_counts(struct summary *summary)
{
	const struct summary_row *fewest = NULL;
	size_t cells = 0, few = 0;

	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];

		if (!row->first)
			continue;
		cells++;
		few += row->trials < TRIALS_FOR_A_CLAIM;
		if (!fewest || row->trials < fewest->trials)
			fewest = row;
	}
	if (!fewest)
		unfit(&summary->rates, "nothing was measured");
	else if (few > 0 && !fewest->trials)
		unfit(&summary->rates, "%zu of %zu cells have fewer than %zu trials that count in one regime; %.40s %.20s has none",
		      few, cells, TRIALS_FOR_A_CLAIM, fewest->cell->queue, fewest->cell->workload);
	else if (few > 0)
		unfit(&summary->rates,
		      "%zu of %zu cells have fewer than %zu trials that count in one regime; %.40s %.20s in %s has %zu",
		      few, cells, TRIALS_FOR_A_CLAIM, fewest->cell->queue, fewest->cell->workload, fewest->regime,
		      fewest->trials);
}

/* A median between two modes is a rate that hardly ever was; one of trials that went on changing hangs on their length. */
static void judge_windows(struct summary *summary)
{
	const struct summary_row *worst = NULL;
	size_t rows = 0, two = 0, judged = 0, odd = 0;
	char upper[NUMBER_TEXT], lower[NUMBER_TEXT];

	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];
		const struct summary_windows *windows = &row->windows;

		judged += row->trials - windows->courses[WINDOWS_UNKNOWN];
		odd += row->trials - windows->courses[WINDOWS_UNKNOWN] - windows->courses[WINDOWS_FLAT];
		rows += windows->modes.known;
		if (!windows->modes.two)
			continue;
		two++;
		if (!worst || windows->modes.upper_per_s / windows->modes.lower_per_s >
				      worst->windows.modes.upper_per_s / worst->windows.modes.lower_per_s)
			worst = row;
	}
	if (worst)
		unfit(&summary->rates, "%zu of %zu cells have two modes; farthest apart %.40s %.20s: %s in %.0f %% of the time, "
				       "%s in %.0f %%",
		      two, rows, worst->cell->queue, worst->cell->workload, number_rate(upper, worst->windows.modes.upper_per_s),
		      100.0 * (double)worst->windows.modes.upper / (double)worst->windows.count,
		      number_rate(lower, worst->windows.modes.lower_per_s),
		      100.0 * (double)worst->windows.modes.lower / (double)worst->windows.count);
	if ((double)odd > UNQUIET_SHARE * (double)judged)
		unfit(&summary->rates, "%zu of the %zu trials that have %d windows of time went on warming or slowing, or were unsteady",
		      odd, judged, WINDOWS_LEAST);
}

static void judge_clock(struct summary_verdict *verdict, const struct record *record)
{
	const json_t *clock = json_object_get(record->end, "clock"), *ok = json_object_get(clock, "ok");
	const json_t *drift = json_object_get(clock, "drift_ppm");
	char ppm[NUMBER_TEXT];

	if (json_is_true(ok) || !record->end)
		return;
	if (json_is_false(ok) && json_is_number(drift))
		unfit(verdict,
		      "the clock did not hold: its rate changed by %s ppm, or its offsets contradict each other",
		      number_decimal(ppm, json_number_value(drift)));
	else
		unfit(verdict, "the clock was not checked at the end");
}

static void judge_rates(struct summary *summary, const struct record *record)
{
	struct summary_verdict *rates = &summary->rates;
	size_t tried = summary->trials - summary->skipped, unquiet = summary->moved + summary->disturbed;

	rates->fit = true;
	judge_counts(summary);
	if (summary->invalid > 0)
		unfit(rates, "%zu of %zu trials are invalid: the audit refused them", summary->invalid, tried);
	if (summary->failed > 0)
		unfit(rates, "%zu of %zu trials crashed or hung", summary->failed, tried);
	judge_clock(rates, record);
	if (!record->end || !json_is_true(json_object_get(record->end, "complete")))
		unfit(rates, "the run is not complete");
	if ((double)unquiet > UNQUIET_SHARE * (double)tried)
		unfit(rates, "%zu of %zu trials were disturbed or saw the line move", unquiet, tried);
	judge_windows(summary);
}

/* p99 says something of a queue only where it stands clear of what the machine does to any thread. */
static void judge_tails(struct summary *summary)
{
	struct summary_verdict *tails = &summary->tails;
	const struct summary_row *worst_row = NULL, *unknown_row = NULL;
	const struct summary_latency *worst = NULL;
	size_t latencies = 0, unknown = 0, near = 0;
	char p99[NUMBER_TEXT], least[NUMBER_TEXT];

	tails->fit = true;
	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];

		for (size_t k = 0; k < row->latency_count; k++) {
			const struct summary_latency *latency = &row->latency[k];

			if (latency->saturated || summary_is_floor(row->cell))
				continue;
			latencies++;
			if (!latency->p99_ns.known) {
				unknown++;
				unknown_row = row;
				continue;
			}
			near += latency->p99_ns.median < 2 * summary->floor.p99_ns;
			if (!worst || latency->p99_ns.median < worst->p99_ns.median) {
				worst = latency;
				worst_row = row;
			}
		}
	}
	if (latencies == 0)
		unfit(tails, "no latency was measured");
	if (!summary->floor.known)
		unfit(tails, "the machine's own floor was not measured");
	if (unknown > 0)
		unfit(tails, "%zu of %zu latencies have too few samples for a p99, as %.40s %.20s", unknown, latencies,
		      unknown_row->cell->queue, unknown_row->cell->workload);
	if (near > 0 && summary->floor.known)
		unfit(tails, "a p99 is a queue's only above %s, twice the machine's own: %zu of %zu are below; least: %.40s %.20s in %s, %s",
		      number_time(least, 2 * summary->floor.p99_ns), near, latencies, worst_row->cell->queue, worst_row->cell->workload,
		      worst_row->regime, number_time(p99, worst->p99_ns.median));
}

void summary_verdict_make(struct summary *summary, const struct record *record)
{
	judge_rates(summary, record);
	judge_tails(summary);
}
