#include "compare_parts.h"
#include "number.h"
#include "summary_parts.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT_OUT_ONE_IN = 10 };
static const double OFFERED_FACTOR = 1.1; /* loads that lie farther apart have latencies of their own */

__attribute__((format(printf, 2, 3))) static void row_refuse(struct compare_row *row, const char *format, ...)
{
	va_list arguments;

	row->verdict = COMPARE_INCOMPARABLE;
	va_start(arguments, format);
	vsnprintf(row->reason, sizeof(row->reason), format, arguments);
	va_end(arguments);
}

/* ---- regimes ---- */

/* Where the line was measured on neither side, nothing is known against it. */
static bool regimes_same(const struct summary_row *a, const struct summary_row *b)
{
	if (a->line_ns <= 0 || b->line_ns <= 0)
		return a->line_ns <= 0 && b->line_ns <= 0;
	return regime_is_same(a->line_ns, b->line_ns);
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Rows of the same regime: of several the ones with most trials. False: there are none. */
static bool regime_choose(const struct compare_cell *a, const struct compare_cell *b, const struct summary_row **row_a,
			  const struct summary_row **row_b)
{
	size_t most = 0;

	for (size_t i = 0; i < a->row_count; i++)
		for (size_t k = 0; k < b->row_count; k++) {
			size_t trials = lesser(a->rows[i].trials, b->rows[k].trials);

			if (trials <= most || !regimes_same(&a->rows[i], &b->rows[k]))
				continue;
			most = trials;
			*row_a = &a->rows[i];
			*row_b = &b->rows[k];
		}
	return most > 0;
}

/* ---- the metric ---- */

/* From that point to `read`, no sojourn in a full queue; round trips, or else those one way that come first. */
static const struct summary_latency *find_from(const struct summary_row *row, const char *from, bool round_trip)
{
	for (size_t i = 0; i < row->latency_count; i++) {
		const struct summary_latency *latency = &row->latency[i];

		if (!latency->saturated && latency->round_trip == round_trip && strcmp(latency->from_point, from) == 0 &&
		    strcmp(latency->to_point, "read") == 0)
			return latency;
	}
	return NULL;
}

const struct summary_latency *compare_primary_latency(const struct summary_row *row)
{
	bool open = strcmp(row->cell->load, "open") == 0;
	const struct summary_latency *found = open ? find_from(row, "intended", true) : NULL;

	if (!found)
		found = find_from(row, "write", true);
	if (!found && open)
		found = find_from(row, "intended", false);
	if (!found && open)
		found = find_from(row, "write", false);
	return found;
}

static bool latencies_same(const struct summary_latency *a, const struct summary_latency *b)
{
	return a->from_actor == b->from_actor && a->from_queue == b->from_queue && a->to_actor == b->to_actor &&
	       a->to_queue == b->to_queue && strcmp(a->from_point, b->from_point) == 0 && strcmp(a->to_point, b->to_point) == 0;
}

/* The other side's. */
static const struct summary_latency *find_latency(const struct summary_row *row, const struct summary_latency *wanted)
{
	for (size_t i = 0; wanted && i < row->latency_count; i++)
		if (latencies_same(&row->latency[i], wanted))
			return &row->latency[i];
	return NULL;
}

static void metric_name(struct compare_row *row, const struct summary_latency *latency)
{
	row->metric = latency ? COMPARE_TIME : COMPARE_RATE;
	if (!latency)
		snprintf(row->metric_name, sizeof(row->metric_name), "rate at read");
	else
		snprintf(row->metric_name, sizeof(row->metric_name), "p50 of %s%.16s:%.16s", latency->round_trip ? "the round trip " : "",
			 latency->from_point, latency->to_point);
}

/* An open load that either side could not keep up with has no latency: there its rate tells which side fell behind. False: refused. */
static bool metric_choose(struct compare_row *row, const struct summary_row *baseline, const struct summary_row *changed,
			  const struct summary_latency **latency)
{
	const struct summary_latency *other;

	*latency = compare_primary_latency(baseline);
	other = find_latency(changed, *latency);
	if (*latency && other && other->saturated)
		*latency = NULL;
	metric_name(row, *latency);
	if (!*latency || !other || (*latency)->round_trip)
		return true;
	row->clock_bound_ns = (*latency)->offset_half_width_ns + other->offset_half_width_ns;
	if (isfinite(row->clock_bound_ns))
		return true;
	row_refuse(row, "clock: the offset between the two CPUs is not known");
	return false;
}

/* NAN: unknown. A p50 below zero, by which two clocks lie apart, is none that is unknown: those have too few samples. */
static double trial_value(const struct record_trial *trial, const struct summary_latency *latency)
{
	const struct record_latency *found;
	double rate;

	if (!latency) {
		rate = summary_trial_receiver_rate(trial);
		return rate < 0 ? NAN : rate;
	}
	found = summary_trial_latency(trial, latency);
	return found && (found->p50_ns >= 0 || found->count >= SUMMARY_P50_SAMPLES) ? found->p50_ns : NAN;
}

/* ---- samples ---- */

static int sample_make(struct compare_sample *sample, size_t room)
{
	*sample = (struct compare_sample){ .values = calloc(room + 1, sizeof(double)),
					   .disturbed = calloc(room + 1, sizeof(double)),
					   .stalls = calloc(room + 1, sizeof(double)) };
	return sample->values && sample->disturbed && sample->stalls ? 0 : -ENOMEM;
}

/* Which trials of a row belong to a side. */
enum part { WHOLE, BY_TURNS_FIRST, BY_TURNS_SECOND, EARLIER, LATER };

/* Turns change sides, as in A B B A: a steady drift is then no difference. */
static bool part_has(enum part part, size_t i, size_t n)
{
	bool second = part == BY_TURNS_FIRST || part == BY_TURNS_SECOND ? i % 4 == 1 || i % 4 == 2 : i >= n / 2;

	return part == WHOLE || second == (part == BY_TURNS_SECOND || part == LATER);
}

static void sample_add(struct compare_sample *sample, const struct summary_row *row, const struct summary_latency *latency, enum part part)
{
	for (size_t i = 0; i < row->trials; i++) {
		const struct record_trial *trial = row->members[i];
		double value = trial_value(trial, latency);

		if (!part_has(part, i, row->trials))
			continue;
		if (isnan(value)) { /* unknown: too few messages for a rate or a percentile */
			sample->left_out++;
			continue;
		}
		sample->zeros += value <= 0;
		sample->thinned += summary_trial_is_thinned(trial);
		sample->disturbed[sample->n] = row->member_disturbed[i];
		sample->values[sample->n++] = value;
		if (trial->stall_share >= 0)
			sample->stalls[sample->stall_n++] = trial->stall_share;
	}
}

static size_t cell_trials(const struct compare_cell *cell)
{
	size_t trials = 0;

	for (size_t i = 0; i < cell->row_count; i++)
		trials += cell->rows[i].trials;
	return trials;
}

/* Of one row, or of all where it is NULL. */
static int sample_fill(struct compare_sample *sample, const struct compare_cell *cell, const struct summary_row *only,
		       const struct summary_latency *latency, enum part part)
{
	if (sample_make(sample, cell_trials(cell)))
		return -ENOMEM;
	for (size_t i = 0; i < cell->row_count; i++)
		if (!only || only == &cell->rows[i])
			sample_add(sample, &cell->rows[i], latency, part);
	return 0;
}

/* ---- a row ---- */

/* A cell of which nothing counts is as good as absent. */
static bool trials_missing(struct compare_row *row, const struct compare_cell *cell, const char *side)
{
	if (cell_trials(cell) > 0)
		return false;
	row->unmatched = true;
	row_refuse(row, "%s has no trial of it that counts: %zu invalid, %zu failed, %zu moved", side, cell->rows->invalid,
		   cell->rows->failed, cell->rows->moved);
	return true;
}

/* The rule that tables have: of more than one in ten trials without a value, the others tell nothing. */
static bool is_too_many(size_t left_out, size_t trials)
{
	return left_out * LEFT_OUT_ONE_IN > trials;
}

static void values_check(struct compare_row *row, const struct compare_sample *sample, const char *side)
{
	bool lacking = is_too_many(sample->left_out, sample->n + sample->left_out);

	if (row->verdict == COMPARE_INCOMPARABLE || (sample->n > 0 && sample->zeros == 0 && !lacking))
		return;
	row->unmatched = true;
	if (sample->n == 0)
		row_refuse(row, "%s knows of no trial's %s", side, row->metric_name);
	else if (lacking) /* the slowest, as a rule: what is left would say that nothing changed */
		row_refuse(row, "%s: %zu of %zu trials have %s", side, sample->left_out, sample->n + sample->left_out,
			   row->metric == COMPARE_TIME ? "too few samples for a median" : "no rate");
	else if (row->metric == COMPARE_TIME)
		row_refuse(row, "%s has %zu of %zu trials whose p50 is 0 or below, as far as the clocks lie apart: no ratio", side, sample->zeros,
			   sample->n);
	else
		row_refuse(row, "%s has trials in which nothing moved: a rate of 0 has no ratio", side);
}

static double offered(const struct summary_row *row)
{
	return row->open.offered_per_s.known ? row->open.offered_per_s.median : -1;
}

/* Neither reached what was offered: it has no part in their rates. */
static bool both_fell_behind(const struct summary_row *a, const struct summary_row *b)
{
	return (a->saturated || a->missed) && (b->saturated || b->missed);
}

/* Shares of a capacity are shares of what each side could do: a faster one is offered more, and waits longer for it. */
static void check_offered(struct compare_row *row, const struct summary_row *baseline, const struct summary_row *changed)
{
	double before = offered(baseline), after = offered(changed);
	char text[NUMBER_TEXT], other[NUMBER_TEXT];

	row->baseline_offered_per_s = before;
	row->offered_per_s = after;
	if (row->verdict == COMPARE_INCOMPARABLE || !row->cell->rate_percent || before <= 0 || after <= 0 ||
	    fmax(before, after) <= OFFERED_FACTOR * fmin(before, after))
		return;
	if (row->metric == COMPARE_RATE && both_fell_behind(baseline, changed))
		return;
	row_refuse(row, "offered %s against %s (%ju %% of each one's own capacity)", number_rate(text, before), number_rate(other, after),
		   (uintmax_t)row->cell->rate_percent);
}

int compare_row_fill(struct compare_row *row, const struct compare_cell *baseline, const struct compare_cell *cell, bool ignore_regime)
{
	const struct summary_row *first = NULL, *second = NULL;
	const struct summary_latency *latency;

	row->baseline_cell = baseline->cell;
	row->cell = cell->cell;
	row->baseline_offered_per_s = row->offered_per_s = -1;
	row->baseline_lost = baseline->rows->invalid + baseline->rows->failed;
	row->lost = cell->rows->invalid + cell->rows->failed;
	snprintf(row->baseline_regime, sizeof(row->baseline_regime), "%s", ignore_regime ? "all" : baseline->rows->regime);
	snprintf(row->regime, sizeof(row->regime), "%s", ignore_regime ? "all" : cell->rows->regime);
	if (trials_missing(row, baseline, "the baseline") || trials_missing(row, cell, "the other side"))
		return 0;
	if (!ignore_regime) {
		if (!regime_choose(baseline, cell, &first, &second)) {
			row_refuse(row, "regime: %s against %s", row->baseline_regime, row->regime);
			return 0;
		}
		snprintf(row->baseline_regime, sizeof(row->baseline_regime), "%s", first->regime);
		snprintf(row->regime, sizeof(row->regime), "%s", second->regime);
	}
	if (!metric_choose(row, first ? first : baseline->rows, second ? second : cell->rows, &latency))
		return 0;
	if (sample_fill(&row->baseline, baseline, first, latency, WHOLE) || sample_fill(&row->sample, cell, second, latency, WHOLE))
		return -ENOMEM;
	values_check(row, &row->baseline, "the baseline");
	values_check(row, &row->sample, "the other side");
	check_offered(row, first ? first : baseline->rows, second ? second : cell->rows);
	return 0;
}

size_t compare_cell_values(const struct compare_cell *cell, enum compare_metric *metric, double *values)
{
	const struct summary_row *row = cell->rows;
	const struct summary_latency *latency = compare_primary_latency(row);
	size_t n = 0;

	*metric = latency ? COMPARE_TIME : COMPARE_RATE;
	for (size_t i = 0; i < row->trials; i++) {
		double value = trial_value(row->members[i], latency);

		if (value >= 0)
			values[n++] = value;
	}
	return n;
}

int compare_row_part(struct compare_row *row, const struct compare_cell *cell, bool by_turns)
{
	const struct summary_latency *latency = compare_primary_latency(cell->rows);

	row->baseline_cell = row->cell = cell->cell;
	snprintf(row->baseline_regime, sizeof(row->baseline_regime), "%s", cell->rows->regime);
	snprintf(row->regime, sizeof(row->regime), "%s", cell->rows->regime);
	metric_name(row, latency);
	if (sample_fill(&row->baseline, cell, cell->rows, latency, by_turns ? BY_TURNS_FIRST : EARLIER) ||
	    sample_fill(&row->sample, cell, cell->rows, latency, by_turns ? BY_TURNS_SECOND : LATER))
		return -ENOMEM;
	values_check(row, &row->baseline, "the first half");
	values_check(row, &row->sample, "the second half");
	return 0;
}
