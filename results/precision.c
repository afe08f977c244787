#include "precision.h"
#include "compare_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The cell's row in the run's main regime, else its first one. */
static const struct summary_row *main_row(const struct summary *summary, const struct compare_cell *cell)
{
	const struct regime *regime = summary->regime_count ? &summary->regimes[summary->main_regime] : NULL;

	for (size_t i = 0; regime && i < cell->row_count; i++)
		if (cell->rows[i].regime == regime->name)
			return &cell->rows[i];
	return cell->rows;
}

/* Why there is no interval. */
static void precision_tell_lack(struct precision *precision, const struct summary_row *row, const struct summary_latency *latency,
				const struct summary_value *value)
{
	char *text = precision->lack;

	if (row->trials < STATISTICS_INTERVAL_TRIALS)
		snprintf(text, sizeof(precision->lack), "too few trials in one regime for an interval");
	else if (latency && latency->samples.poor > latency->samples.left_out)
		snprintf(text, sizeof(precision->lack), "no p50: %zu of %zu trials have fewer than %d samples", latency->samples.poor,
			 latency->samples.trials, SUMMARY_P50_SAMPLES);
	else if (value->n < row->trials)
		snprintf(text, sizeof(precision->lack), "no %s in %zu of %zu trials", precision->metric, row->trials - value->n,
			 row->trials);
	else
		snprintf(text, sizeof(precision->lack), "a median of 0 has no relative width");
}

static void precision_take(struct precision *precision, const struct summary_row *row)
{
	const struct summary_latency *latency = compare_primary_latency(row);
	const struct summary_value *value = latency ? &latency->p50_ns : &row->receiver_rate;

	precision->row = row;
	precision->metric = latency ? "p50" : "rate";
	precision->known = value->known && value->interval.known && value->median > 0;
	precision->n = value->n;
	if (precision->known)
		precision->half_width = (value->interval.high - value->interval.low) / 2 / value->median;
	else
		precision_tell_lack(precision, row, latency, value);
}

long precision_make(struct precision **precisions, const struct record *record, const struct summary *summary)
{
	struct compare_cell *cells;
	long count = compare_cells_make(&cells, summary);

	*precisions = count < 0 ? NULL : calloc((size_t)count + 1, sizeof(**precisions));
	for (long i = 0; *precisions && i < count; i++)
		precision_take(&(*precisions)[i], main_row(summary, &cells[i]));
	for (size_t i = record->trial_count; *precisions && i-- > 0;)
		for (long k = 0; k < count; k++)
			if (record->trials[i].cell.index == cells[k].cell->index)
				(*precisions)[k].trial_id = record->trials[i].id;
	compare_cells_free(cells, count);
	return *precisions ? count : -ENOMEM;
}

uint64_t precision_first_look(uint64_t trials_wanted)
{
	return trials_wanted > STATISTICS_INTERVAL_TRIALS ? trials_wanted : STATISTICS_INTERVAL_TRIALS;
}

uint64_t precision_next_look(uint64_t trials)
{
	return trials + (trials + 3) / 4;
}
