#include "compare_parts.h"
#include "export_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is compared of a trial, as the time of one message or of one round trip; < 0: unknown. rate: < 0 where it is no rate. */
static double trial_time_ns(const struct summary_latency *latency, const struct record_trial *trial, double *rate)
{
	const struct record_latency *found;

	*rate = -1;
	if (latency) {
		found = summary_trial_latency(trial, latency);
		return found ? found->p50_ns : -1;
	}
	*rate = summary_trial_receiver_rate(trial);
	return *rate > 0 && isfinite(1e9 / *rate) ? 1e9 / *rate : -1;
}

/* A row's name, and what its time is: an equal name never stands for another quantity. */
static void name_write(char name[EXPORT_NAME + 64], const char *row_name, const struct summary_latency *latency)
{
	if (!latency)
		snprintf(name, EXPORT_NAME + 64, "%s/rate_read", row_name);
	else
		snprintf(name, EXPORT_NAME + 64, "%s/p50_%s%.12s-%.12s", row_name, latency->round_trip ? "round-trip_" : "", latency->from_point,
			 latency->to_point);
}

static uint64_t trial_messages(const struct record_trial *trial)
{
	uint64_t messages = 0;

	for (size_t i = 0; i < trial->endpoint_count; i++)
		if (!trial->endpoints[i].producer)
			messages += trial->endpoints[i].messages;
	return messages;
}

static int trial_add(json_t *list, const struct summary_row *row, const char *row_name, size_t family, size_t repetition)
{
	const struct summary_latency *latency = compare_primary_latency(row);
	const struct record_trial *trial = row->members[repetition];
	double rate, time_ns = trial_time_ns(latency, trial, &rate);
	char name[EXPORT_NAME + 64];
	json_t *json;

	if (time_ns < 0)
		return 0;
	name_write(name, row_name, latency);
	json = json_pack("{s:s, s:I, s:i, s:s, s:s, s:I, s:I, s:i, s:I, s:f, s:f, s:s}", "name", name, "family_index", (json_int_t)family,
			 "per_family_instance_index", 0, "run_name", name, "run_type", "iteration", "repetitions", (json_int_t)row->trials,
			 "repetition_index", (json_int_t)repetition, "threads", (int)(row->cell->producers + row->cell->consumers),
			 "iterations", (json_int_t)trial_messages(trial), "real_time", time_ns, "cpu_time",
			 fmax(trial->cpu_ns_per_message, 0), "time_unit", "ns");
	if (json && rate > 0)
		json_object_set_new(json, "items_per_second", json_real(rate));
	return !json || json_array_append_new(list, json) ? -ENOMEM : 0;
}

static json_t *context_to_json(const struct record *record)
{
	const json_t *host = json_object_get(record->run, "host"), *tool = json_object_get(record->run, "tool"),
		     *clock = json_object_get(record->run, "clock");
	json_t *json = json_object();
	static const struct {
		const char *name, *from;
	} texts[] = { { "host_name", "name" }, { "num_cpus", "cpus" }, { "cpu_model", "cpu_model" }, { "kernel", "kernel" } };

	json_object_set(json, "date", json_object_get(record->run, "started_utc"));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		json_object_set(json, texts[i].name, json_object_get(host, texts[i].from));
	json_object_set_new(json, "executable", json_string("twopoint"));
	json_object_set(json, "twopoint_version", json_object_get(tool, "version"));
	json_object_set(json, "twopoint_commit", json_object_get(tool, "commit"));
	json_object_set_new(json, "mhz_per_cpu",
			    json_integer(llround(fmin(fmax(json_number_value(json_object_get(clock, "ticks_per_s")) / 1e6, 0), 1e9))));
	json_object_set_new(json, "cpu_scaling_enabled", json_false());
	json_object_set_new(json, "caches", json_array());
	json_object_set_new(json, "load_avg", json_array());
	json_object_set_new(json, "library_build_type", json_string("release"));
	return json;
}

int export_gbench(FILE *out, const struct record *record, const struct summary *summary, char *error)
{
	char (*names)[EXPORT_NAME] = export_names(summary);
	json_t *list = json_array(), *json = NULL;
	int err = names && list ? 0 : -ENOMEM;

	for (size_t i = 0; i < summary->row_count; i++)
		for (size_t t = 0; !err && t < summary->rows[i].trials; t++)
			err = trial_add(list, &summary->rows[i], names[i], i, t);
	if (!err)
		json = json_pack("{s:o, s:O}", "context", context_to_json(record), "benchmarks", list);
	if (!json || json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(10))) {
		err = err || !json ? -ENOMEM : -EIO;
		snprintf(error, RECORD_TEXT, "%.300s: can't be written as JSON: %s", record->path,
			 ferror(out) ? strerror(errno) : "out of memory");
	} else {
		putc('\n', out);
	}
	json_decref(json);
	json_decref(list);
	free(names);
	return err;
}
