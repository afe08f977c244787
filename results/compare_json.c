#include "compare_print.h"

#include <math.h>

/* What can't be allocated is left out: the caller looks at the whole. */
static void set(json_t *object, const char *name, json_t *value)
{
	json_object_set_new(object, name, value);
}

static json_t *text_or_null(const char *text)
{
	return text && text[0] ? json_string(text) : json_null();
}

static json_t *number_or_null(bool known, double value)
{
	return known && isfinite(value) ? json_real(value) : json_null();
}

static json_t *count_to_json(size_t count)
{
	return json_integer((json_int_t)count);
}

static json_t *interval_or_null(bool known, const struct interval *interval)
{
	known = known && interval->known && isfinite(interval->low) && isfinite(interval->high);
	return known ? json_pack("[f, f]", interval->low, interval->high) : json_null();
}

/* Of a row that can be compared. */
static json_t *side_to_json(const struct compare_row *row, const struct record_cell *cell, const char *regime,
			    const struct compare_sample *sample, size_t lost, double offered_per_s)
{
	bool known = row->verdict != COMPARE_INCOMPARABLE;
	json_t *json = json_object();

	set(json, "cell", cell ? json_incref(cell->json) : json_null());
	set(json, "regime", json_string(regime));
	set(json, "median", number_or_null(known, sample->median));
	set(json, "interval", interval_or_null(known, &sample->interval));
	set(json, "n", count_to_json(sample->n));
	set(json, "left_out", count_to_json(sample->left_out));
	set(json, "invalid_or_failed", count_to_json(lost));
	set(json, "offered_per_s", number_or_null(offered_per_s > 0, offered_per_s));
	return json;
}

static json_t *row_to_json(const struct compare_row *row)
{
	bool known = row->verdict != COMPARE_INCOMPARABLE;
	const char *unit = row->metric == COMPARE_RATE ? "per_s" : "ns";
	json_t *json = json_object();

	set(json, "verdict", json_string(compare_verdict_names[row->verdict]));
	set(json, "reason", text_or_null(row->reason));
	set(json, "unmatched", json_boolean(row->unmatched));
	set(json, "metric", text_or_null(row->metric_name));
	set(json, "unit", text_or_null(known ? unit : NULL));
	set(json, "baseline",
	    side_to_json(row, row->baseline_cell, row->baseline_regime, &row->baseline, row->baseline_lost, row->baseline_offered_per_s));
	set(json, "now", side_to_json(row, row->cell, row->regime, &row->sample, row->lost, row->offered_per_s));
	set(json, "change", number_or_null(known, row->change));
	set(json, "change_interval", interval_or_null(row->tested, &row->interval));
	set(json, "p", number_or_null(row->tested, row->p));
	set(json, "p_adjusted", number_or_null(row->tested, row->p_adjusted));
	set(json, "least_change", number_or_null(row->tested && row->least_change >= 0, row->least_change));
	set(json, "least_factor", number_or_null(row->tested && row->least_factor >= 0, row->least_factor));
	return json;
}

static json_t *record_to_json(const struct record *record)
{
	static const char *const names[] = { "tool", "build", "host", "started_utc" };
	json_t *json = json_object();

	set(json, "path", json_string(record->path));
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		json_t *value = json_object_get(record->run, names[i]);

		set(json, names[i], value ? json_incref(value) : json_null());
	}
	set(json, "complete", json_boolean(json_is_true(json_object_get(record->end, "complete"))));
	return json;
}

static json_t *metric_to_json(const struct noise_floor_metric *metric, double used)
{
	json_t *json = json_object();

	if (!metric->known) {
		json_decref(json);
		return json_null();
	}
	set(json, "used", json_real(used));
	set(json, "interleaved", json_real(metric->interleaved));
	set(json, "successive", json_real(metric->successive));
	set(json, "cells", count_to_json(metric->cells));
	set(json, "trials", count_to_json(metric->trials));
	set(json, "measured_utc", text_or_null(metric->measured_utc));
	set(json, "commit", text_or_null(metric->commit));
	return json;
}

static json_t *floor_to_json(const struct comparison *comparison, const struct noise_floor *floor)
{
	const double *used = comparison->settings.floor;
	json_t *json;

	if (!floor || (!floor->metrics[COMPARE_RATE].known && !floor->metrics[COMPARE_TIME].known))
		return json_null();
	json = json_object();
	set(json, "file", json_string(floor->path));
	set(json, "rate", metric_to_json(&floor->metrics[COMPARE_RATE], used[COMPARE_RATE]));
	set(json, "p50", metric_to_json(&floor->metrics[COMPARE_TIME], used[COMPARE_TIME]));
	return json;
}

json_t *compare_to_json(const struct comparison *comparison, const struct compare_subject *subject, int status)
{
	json_t *json = json_object(), *rows = json_array(), *verdicts = json_object();

	for (size_t i = 0; i < comparison->row_count; i++)
		json_array_append_new(rows, row_to_json(&comparison->rows[i]));
	for (size_t i = 0; i < COMPARE_VERDICTS; i++)
		set(verdicts, compare_verdict_names[i], count_to_json(comparison->verdicts[i]));
	set(json, "kind", json_string("comparison"));
	set(json, "baseline", record_to_json(subject->baseline));
	set(json, "now", record_to_json(subject->record));
	set(json, "queue", text_or_null(subject->queue));
	set(json, "threshold", json_real(comparison->settings.threshold));
	set(json, "noise_floor", floor_to_json(comparison, subject->floor));
	set(json, "ignore_regime", json_boolean(comparison->settings.ignore_regime));
	set(json, "tests", count_to_json(comparison->tests));
	set(json, "incomparable", text_or_null(comparison->incomparable));
	set(json, "noisy", text_or_null(comparison->noisy));
	set(json, "verdicts", verdicts);
	set(json, "unmatched", count_to_json(comparison->unmatched));
	set(json, "status", json_integer(status));
	set(json, "rows", rows);
	return json;
}
