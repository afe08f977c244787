#include "history_print.h"

#include <math.h>

static json_t *number_or_null(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* NAME: the median; NAME_low, NAME_high. */
static void value_set(json_t *json, const char *name, const char *low, const char *high, const struct history_value *value)
{
	json_object_set_new(json, name, number_or_null(value->known ? value->median : NAN));
	json_object_set_new(json, low, number_or_null(value->interval.known ? value->interval.low : NAN));
	json_object_set_new(json, high, number_or_null(value->interval.known ? value->interval.high : NAN));
}

static json_t *point_to_json(const struct history_view *view, const struct history_point *point)
{
	json_t *json = json_pack("{s:I, s:I, s:s}", "cell", (json_int_t)view->cells[point->cell].id, "trials", (json_int_t)point->trials,
				 "headline", point->is_time ? "p50" : "rate");

	json_object_set_new(json, "regime_ns", number_or_null(point->regime_ns > 0 ? point->regime_ns : NAN));
	json_object_set_new(json, "latency", *point->latency ? json_string(point->latency) : json_null());
	json_object_set_new(json, "clock_bound_ns", number_or_null(point->clock_bound_ns));
	json_object_set_new(json, "lost", point->lost ? json_string(point->lost) : json_null());
	value_set(json, "rate_per_s", "rate_low_per_s", "rate_high_per_s", &point->rate);
	value_set(json, "p50_ns", "p50_low_ns", "p50_high_ns", &point->p50_ns);
	value_set(json, "p99_ns", "p99_low_ns", "p99_high_ns", &point->p99_ns);
	return json;
}

static json_t *runs_to_json(const struct history_print *print)
{
	const struct history_view *view = print->view;
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < view->run_count; i++) {
		const struct history_run *run = &view->runs[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:[]}", "started_utc", run->started_utc,
						      "commit", run->commit, "version", run->version, "suite", run->suite, "machine",
						      view->machines[run->machine].fingerprint, "complete", run->complete, "trials",
						      (json_int_t)run->trials, "cells"));
	}
	for (i = 0; i < view->point_count; i++)
		json_array_append_new(json_object_get(json_array_get(list, view->points[i].run), "cells"),
				      point_to_json(view, &view->points[i]));
	for (i = view->run_count; print->chosen && i-- > 0;)
		if (!json_array_size(json_object_get(json_array_get(list, i), "cells")))
			json_array_remove(list, i);
	return list;
}

/* null: saturated or not reached, as the points beside it tell */
static json_t *level_to_json(double level)
{
	return number_or_null(history_level_is_lost(level) ? NAN : level);
}

static json_t *change_to_json(const struct history_print *print, const struct history_change *change)
{
	const struct history_view *view = print->view;
	const struct history_trend *trend = &print->trends->trends[change->trend];
	const struct history_run *since = &view->runs[trend->points[change->at]->run],
				 *before = &view->runs[trend->points[change->at - 1]->run];
	char metric[80];

	return json_pack("{s:I, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:f}", "cell",
			 (json_int_t)view->cells[trend->cell].id, "machine", view->machines[trend->machine].fingerprint, "regime",
			 trend->regime, "what", history_headline_text(metric, sizeof(metric), trend->points[0]), "verdict",
			 change->slower ? "slower" : "faster", "since_utc", since->started_utc, "since_commit", since->commit,
			 "last_before_utc", before->started_utc, "last_before_commit", before->commit, "before",
			 level_to_json(change->before), "after", level_to_json(change->after), "change",
			 history_level_is_lost(change->before) || history_level_is_lost(change->after) ? json_null() : json_real(change->change),
			 "p_adjusted", change->p_adjusted);
}

json_t *history_to_json(const struct history_print *print)
{
	const struct history_view *view = print->view;
	json_t *cells = json_array(), *machines = json_array(), *changes = json_array();

	for (size_t i = 0; i < view->cell_count; i++)
		json_array_append_new(cells, json_pack("{s:I, s:I, s:O}", "cell", (json_int_t)view->cells[i].id, "points",
						       (json_int_t)view->cells[i].points, "parameters", view->cells[i].parameters));
	for (size_t i = 0; i < view->machine_count; i++)
		json_array_append_new(machines, json_pack("{s:s, s:O}", "machine", view->machines[i].fingerprint, "identity",
							  view->machines[i].identity));
	for (size_t i = 0; i < print->trends->change_count; i++)
		json_array_append_new(changes, change_to_json(print, &print->trends->changes[i]));
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:I, s:I}", "history", print->path, "runs", runs_to_json(print), "cells", cells,
			 "machines", machines, "changes", changes, "tested", (json_int_t)print->trends->tests, "too_few_runs",
			 (json_int_t)print->trends->few);
}
