#include "compare.h"
#include "rank_test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const double compare_threshold = 0.02;
const double compare_level = 0.05;
static const double BLIND_CHANGE = 1;       /* who can't tell a doubling has seen nothing */
static const double DISTURBED_POINTS = 0.2; /* shares of disturbed trials that differ by more make noise … */
static const double STALL_FACTOR = 2;       /* … and shares of time stood still that differ by a larger factor … */
static const double STALL_LEAST = 0.005;    /* … unless both are this small: that much is borne of other disturbances */

const char *const compare_verdict_names[COMPARE_VERDICTS] = {
	[COMPARE_SLOWER] = "slower",
	[COMPARE_FASTER] = "faster",
	[COMPARE_UNCHANGED] = "no detectable change",
	[COMPARE_BLIND] = "blind",
	[COMPARE_NOISY] = "noisy",
	[COMPARE_TOO_FEW] = "too few trials",
	[COMPARE_INCOMPARABLE] = "incomparable",
};

/* ---- noise ---- */

static bool stalls_differ(double a, double b)
{
	return fmax(a, b) > STALL_LEAST && fmax(a, b) > STALL_FACTOR * fmin(a, b);
}

static double mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return n ? sum / (double)n : -1;
}

static void noise_say(char text[COMPARE_TEXT], const char *what, double baseline, double changed)
{
	snprintf(text, COMPARE_TEXT, "%s: %.0f %% against %.0f %%", what, 100 * baseline, 100 * changed);
}

/* Shares of few trials differ by chance: only more than that is noise. */
static bool is_no_chance(const double *a, size_t a_n, const double *b, size_t b_n)
{
	return a_n && b_n && rank_test_p(a, a_n, b, b_n) <= compare_level;
}

/* The machine while one side's trials were made, against the machine while the other's were. */
static void noise_of_runs(char text[COMPARE_TEXT], const struct compare_machine machines[2])
{
	const struct compare_machine *a = &machines[0], *b = &machines[1];

	if (a->disturbed_share >= 0 && b->disturbed_share >= 0 && fabs(a->disturbed_share - b->disturbed_share) > DISTURBED_POINTS &&
	    is_no_chance(a->disturbed, a->n, b->disturbed, b->n))
		noise_say(text, "disturbed trials of the whole run", a->disturbed_share, b->disturbed_share);
	else if (a->stall_share >= 0 && b->stall_share >= 0 && stalls_differ(a->stall_share, b->stall_share) &&
		 is_no_chance(a->stalls, a->stall_n, b->stalls, b->stall_n))
		noise_say(text, "time that the machine stood still in the whole run", a->stall_share, b->stall_share);
}

/* The same of the row's own trials. */
static void noise_of_row(char text[COMPARE_TEXT], const struct compare_row *row)
{
	const struct compare_sample *a = &row->baseline, *b = &row->sample;
	double before = mean(a->disturbed, a->n), after = mean(b->disturbed, b->n);

	if (fabs(before - after) > DISTURBED_POINTS && is_no_chance(a->disturbed, a->n, b->disturbed, b->n))
		noise_say(text, "disturbed trials", before, after);
	if (*text || !a->stall_n || !b->stall_n)
		return;
	before = mean(a->stalls, a->stall_n);
	after = mean(b->stalls, b->stall_n);
	if (stalls_differ(before, after) && is_no_chance(a->stalls, a->stall_n, b->stalls, b->stall_n))
		noise_say(text, "time that the machine stood still", before, after);
}

/* ---- the least change that would have been called ---- */

/* Of all pairs of one value each, over / under: how many quotients lie below x. Both ascend. */
static size_t quotients_below(const double *over, size_t over_n, const double *under, size_t under_n, double x)
{
	size_t count = 0, i = 0;

	for (size_t k = 0; k < under_n; k++) {
		while (i < over_n && over[i] < x * under[k])
			i++;
		count += i;
	}
	return count;
}

/* The quotient that `rank` others (from 0) lie below. By halving: there are too many to be sorted. */
static double quotient_of_rank(const double *over, size_t over_n, const double *under, size_t under_n, size_t rank)
{
	double low = over[0] / under[under_n - 1], high = over[over_n - 1] / under[0];

	for (int i = 0; i < 100 && low < high; i++) {
		double middle = low + (high - low) / 2;

		if (middle <= low || middle >= high)
			break;
		if (quotients_below(over, over_n, under, under_n, middle) <= rank)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The pairs that must be ordered one way, for samples of these sizes: many rows have the same. */
struct needed {
	size_t baseline_n, n, pairs;
};

/* With both medians put to 1, the changed side is multiplied by a factor: how far must that be from 1, upwards and downwards, until the
 * test's p reaches the level that the first of all tests must reach, the interval leaves 1, and the limit is passed? Values ascend. */
static void least_change(struct compare_row *row, double limit, const struct needed *needed)
{
	const struct compare_sample *a = &row->baseline, *b = &row->sample;
	double scale = b->median / a->median, up, down;

	if (!needed->pairs)
		return;
	up = quotient_of_rank(a->values, a->n, b->values, b->n, needed->pairs - 1) * scale;
	down = quotient_of_rank(a->values, a->n, b->values, b->n, a->n * b->n - needed->pairs) * scale;
	up = fmax(up, scale / (1 + row->interval.low));
	down = fmin(down, scale / (1 + row->interval.high));
	row->least_change = fmax(limit, fmax(up - 1, 1 - down));
	down = fmin(down, 1 - limit);
	row->least_factor = down > 0 ? fmax(fmax(up, 1 + limit), 1 / down) : INFINITY;
}

/* ---- a row's numbers ---- */

static double row_limit(const struct comparison *comparison, const struct compare_row *row)
{
	double limit = fmax(comparison->settings.threshold, comparison->settings.floor[row->metric]);

	return row->metric == COMPARE_TIME ? fmax(limit, row->clock_bound_ns / row->baseline.median) : limit;
}

/* What the bootstrap of n values has in common, by n: most rows have as many. */
struct known_middles {
	struct statistics_middles **of;
	size_t most;
};

static int known_make(struct known_middles *known, const struct comparison *comparison)
{
	known->most = 0;
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compare_row *row = &comparison->rows[i];
		size_t more = row->baseline.n > row->sample.n ? row->baseline.n : row->sample.n;

		known->most = more > known->most ? more : known->most;
	}
	known->of = calloc(known->most + 1, sizeof(struct statistics_middles *));
	return known->of ? 0 : -ENOMEM;
}

static void known_free(struct known_middles *known)
{
	for (size_t n = 0; known->of && n <= known->most; n++)
		statistics_middles_free(known->of[n]);
	free(known->of);
}

/* NULL: too few, or no memory. */
static const struct statistics_middles *middles_of(struct known_middles *known, size_t n)
{
	if (!known->of[n])
		known->of[n] = statistics_middles_make(n);
	return known->of[n];
}

static void sample_measure(struct compare_sample *sample, const struct statistics_middles *middles)
{
	sample->median = statistics_median(sample->values, sample->n);
	sample->interval = statistics_interval(middles, sample->values);
	qsort(sample->values, sample->n, sizeof(double), compare_doubles);
}

static int row_measure(struct compare_row *row, struct known_middles *known)
{
	const struct statistics_middles *baseline = middles_of(known, row->baseline.n), *sample = middles_of(known, row->sample.n);

	sample_measure(&row->baseline, baseline);
	sample_measure(&row->sample, sample);
	row->change = row->sample.median / row->baseline.median - 1;
	row->interval = statistics_ratio_interval(sample, row->sample.values, baseline, row->baseline.values);
	row->interval.low -= 1;
	row->interval.high -= 1;
	row->tested = row->interval.known;
	if (!row->tested)
		return row->baseline.n < STATISTICS_INTERVAL_TRIALS || row->sample.n < STATISTICS_INTERVAL_TRIALS ? 0 : -ENOMEM;
	row->p = rank_test_p(row->baseline.values, row->baseline.n, row->sample.values, row->sample.n);
	return isnan(row->change) || isnan(row->p) ? -ENOMEM : 0;
}

static size_t fewest(const struct compare_row *row)
{
	return row->baseline.n < row->sample.n ? row->baseline.n : row->sample.n;
}

static void too_few(const struct comparison *comparison, struct compare_row *row)
{
	size_t needed = rank_test_needed_values(comparison->tests ? comparison->tests : 1, compare_level);

	if (needed < STATISTICS_INTERVAL_TRIALS)
		needed = STATISTICS_INTERVAL_TRIALS;
	row->verdict = COMPARE_TOO_FEW;
	snprintf(row->reason, sizeof(row->reason), "%zu, needed %zu", fewest(row), needed);
}

static void row_judge(const struct comparison *comparison, struct compare_row *row)
{
	bool more = row->change > 0, slower = more == (row->metric == COMPARE_TIME);

	snprintf(row->reason, sizeof(row->reason), "%s", comparison->noisy);
	if (!*row->reason)
		noise_of_row(row->reason, row);
	if (*row->reason)
		row->verdict = COMPARE_NOISY;
	else if (row->p_adjusted <= compare_level && (row->interval.low > 0 || row->interval.high < 0) &&
		 fabs(row->change) > row_limit(comparison, row))
		row->verdict = slower ? COMPARE_SLOWER : COMPARE_FASTER;
	else
		row->verdict = COMPARE_UNCHANGED;
}

/* ---- all rows ---- */

/* p: as many places as there are rows. Adjusts what `of` says of each row that was tested. */
static int adjust(struct comparison *comparison, double *p, double (*of)(const struct compare_row *))
{
	size_t n = 0;

	for (size_t i = 0; i < comparison->row_count; i++)
		if (comparison->rows[i].tested)
			p[n++] = of(&comparison->rows[i]);
	return rank_test_adjust(p, n);
}

static double row_p(const struct compare_row *row)
{
	return row->p;
}

static double row_least_p(const struct compare_row *row)
{
	return rank_test_least_p(row->baseline.n, row->sample.n);
}

static int judge_tested(struct comparison *comparison, double *p, double *least_p)
{
	struct needed needed = { 0 };
	size_t at = 0;

	if (adjust(comparison, p, row_p) || adjust(comparison, least_p, row_least_p))
		return -ENOMEM;
	for (size_t i = 0; i < comparison->row_count; i++) {
		struct compare_row *row = &comparison->rows[i];

		if (!row->tested)
			continue;
		row->p_adjusted = p[at];
		/* an adjusted p only grows with the others: if even with the least of all it is too large, it always is */
		if (least_p[at++] > compare_level) {
			too_few(comparison, row);
			continue;
		}
		if (needed.baseline_n != row->baseline.n || needed.n != row->sample.n)
			needed = (struct needed){ row->baseline.n, row->sample.n,
						  rank_test_needed_pairs(row->baseline.n, row->sample.n,
									 compare_level / (double)comparison->tests) };
		if (needed.pairs == SIZE_MAX)
			return -ENOMEM;
		row_judge(comparison, row);
		least_change(row, row_limit(comparison, row), &needed);
		if (row->verdict == COMPARE_UNCHANGED && row->least_change >= BLIND_CHANGE) {
			row->verdict = COMPARE_BLIND;
			snprintf(row->reason, sizeof(row->reason), "would not have seen a doubling");
		}
	}
	return 0;
}

int compare_judge(struct comparison *comparison, const struct compare_machine machines[2])
{
	double *p = calloc(comparison->row_count + 1, sizeof(*p)), *least_p = calloc(comparison->row_count + 1, sizeof(*p));
	struct known_middles known;
	int err = known_make(&known, comparison);

	if (!p || !least_p)
		err = -ENOMEM;
	comparison->tests = 0;
	if (machines)
		noise_of_runs(comparison->noisy, machines);
	for (size_t i = 0; !err && i < comparison->row_count; i++) {
		struct compare_row *row = &comparison->rows[i];

		row->least_change = row->least_factor = -1;
		row->tested = false;
		if (row->verdict == COMPARE_INCOMPARABLE)
			continue;
		err = row_measure(row, &known);
		comparison->tests += row->tested;
	}
	for (size_t i = 0; !err && i < comparison->row_count; i++)
		if (!comparison->rows[i].tested && comparison->rows[i].verdict != COMPARE_INCOMPARABLE)
			too_few(comparison, &comparison->rows[i]);
	if (!err)
		err = judge_tested(comparison, p, least_p);
	for (size_t i = 0; !err && i < comparison->row_count; i++) {
		comparison->verdicts[comparison->rows[i].verdict]++;
		comparison->unmatched += comparison->rows[i].unmatched;
	}
	known_free(&known);
	free(p);
	free(least_p);
	return err;
}

int compare_status(const struct comparison *comparison, bool slower_is_regression)
{
	const size_t *verdicts = comparison->verdicts;
	size_t judged;

	if (slower_is_regression && verdicts[COMPARE_SLOWER])
		return 1;
	judged = verdicts[COMPARE_SLOWER] + verdicts[COMPARE_FASTER] + verdicts[COMPARE_UNCHANGED];
	return comparison->unmatched || !judged ? 4 : 0;
}
