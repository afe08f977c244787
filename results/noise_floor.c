#include "noise_floor.h"
#include "compare_parts.h"
#include "identity.h"
#include "statistics.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const double PERCENTILE = 0.95; /* one in twenty differs by more */

const char *const noise_floor_names[COMPARE_METRICS] = { [COMPARE_RATE] = "rate", [COMPARE_TIME] = "p50" };

/* ---- finding it ---- */

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* < 0: there are none. Orders them. */
static double percentile(double *changes, size_t n)
{
	if (!n)
		return -1;
	qsort(changes, n, sizeof(*changes), compare_doubles);
	return changes[(size_t)ceil(PERCENTILE * (double)n) - 1];
}

/* The rows of one metric that have enough trials. changes: as many places as there are rows. Returns their percentile, or −1. */
static double spread(const struct comparison *comparison, enum compare_metric metric, double *changes, size_t *cells, size_t *trials)
{
	size_t n = 0;

	*trials = SIZE_MAX;
	for (size_t i = 0; i < comparison->row_count; i++) {
		const struct compare_row *row = &comparison->rows[i];

		if (!row->tested || row->metric != metric)
			continue;
		changes[n++] = fabs(row->change);
		*trials = row->baseline.n < *trials ? row->baseline.n : *trials;
		*trials = row->sample.n < *trials ? row->sample.n : *trials;
	}
	*cells = n;
	return percentile(changes, n);
}

/* ---- parts of a cell's trials, one after the other ---- */

struct changes {
	double *values;
	size_t n, room;
};

static int changes_add(struct changes *changes, double change)
{
	if (changes->n == changes->room) {
		size_t room = changes->room ? 2 * changes->room : 256;
		double *larger = realloc(changes->values, room * sizeof(*larger));

		if (!larger)
			return -ENOMEM;
		changes->values = larger;
		changes->room = room;
	}
	changes->values[changes->n++] = change;
	return 0;
}

/* Each two parts of the values, which stand in the order of time. Their medians replace them. */
static int parts_compare(struct changes *changes, double *values, size_t n)
{
	size_t parts = n / NOISE_FLOOR_PART < 2 ? 2 : n / NOISE_FLOOR_PART;

	if (n < 2 * STATISTICS_INTERVAL_TRIALS)
		return 0;
	for (size_t i = 0; i < parts; i++) {
		size_t first = i * n / parts;

		values[i] = statistics_median(values + first, (i + 1) * n / parts - first);
		for (size_t k = 0; k < i; k++)
			if (values[k] > 0 && changes_add(changes, fabs(values[i] / values[k] - 1)))
				return -ENOMEM;
	}
	return 0;
}

/* By metric. */
static int parts_find(struct changes changes[COMPARE_METRICS], const struct summary *summary)
{
	double *values = calloc(summary->counted + 1, sizeof(*values));
	struct compare_cell *cells;
	long count = compare_cells_make(&cells, summary);
	int err = values && count >= 0 ? 0 : -ENOMEM;

	for (long i = 0; !err && i < count; i++) {
		enum compare_metric metric;
		size_t n;

		if (summary_is_floor(cells[i].cell))
			continue;
		n = compare_cell_values(&cells[i], &metric, values);
		err = parts_compare(&changes[metric], values, n);
	}
	compare_cells_free(cells, count);
	free(values);
	return err;
}

/* ---- both ---- */

static void now_utc(char text[24])
{
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(text, 24, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static void metric_find(struct noise_floor_metric *found, enum compare_metric metric, const struct comparison *by_turns,
			struct changes *successive, const json_t *run, double *changes)
{
	const char *commit = json_string_value(json_object_get(json_object_get(run, "tool"), "commit"));

	*found = (struct noise_floor_metric){ .pairs = successive->n };
	found->interleaved = spread(by_turns, metric, changes, &found->cells, &found->trials);
	found->successive = percentile(successive->values, successive->n);
	found->known = found->interleaved >= 0 && found->successive >= 0;
	snprintf(found->commit, sizeof(found->commit), "%s", commit ? commit : "");
	now_utc(found->measured_utc);
}

int noise_floor_find(struct noise_floor *floor, struct compare_input input, struct comparison halves[2])
{
	double *changes = calloc(input.summary->row_count + 1, sizeof(*changes));
	struct changes successive[COMPARE_METRICS] = { 0 };
	int err = changes ? parts_find(successive, input.summary) : -ENOMEM;

	*floor = (struct noise_floor){ 0 };
	if (!err)
		err = compare_halves(&halves[0], input, true);
	if (!err) {
		err = compare_halves(&halves[1], input, false);
		if (err)
			compare_free(&halves[0]);
	}
	for (enum compare_metric metric = 0; metric < COMPARE_METRICS; metric++) {
		if (!err)
			metric_find(&floor->metrics[metric], metric, &halves[0], &successive[metric], input.record->run, changes);
		free(successive[metric].values);
	}
	free(changes);
	return err;
}

/* ---- its file ---- */

static int say(char *error, int err, const char *path, const char *why)
{
	snprintf(error, RECORD_TEXT, "%.300s: %.160s", path, why);
	return err;
}

/* "folder/AMD_EPYC-2-6-KVMKVMKVM-tsc.json": names that come out equal are told apart by what the file says of its machine. */
static int path_make(char path[NOISE_FLOOR_PATH], const char *folder, const json_t *identity, char *error)
{
	static const char *const parts[] = { "cpu_model", "cpus", "kernel_major", "hypervisor", "clock_source" };
	size_t length = (size_t)snprintf(path, NOISE_FLOOR_PATH, "%s/", folder), start = length;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && length < NOISE_FLOOR_PATH; i++) {
		const json_t *value = json_object_get(identity, parts[i]);
		const char *between = i ? "-" : "";

		if (json_is_integer(value))
			length += (size_t)snprintf(path + length, NOISE_FLOOR_PATH - length, "%s%" JSON_INTEGER_FORMAT, between,
						   json_integer_value(value));
		else
			length += (size_t)snprintf(path + length, NOISE_FLOOR_PATH - length, "%s%.40s", between,
						   json_is_string(value) ? json_string_value(value) : "none");
	}
	if (length + sizeof(".json.new") > NOISE_FLOOR_PATH || length - start > 200)
		return say(error, -ENAMETOOLONG, folder, strerror(ENAMETOOLONG));
	for (size_t i = start; i < length; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-", path[i]))
			path[i] = '_';
	strcpy(path + length, ".json");
	return 0;
}

static double share_of(const json_t *object, const char *name)
{
	const json_t *value = json_object_get(object, name);

	return json_is_number(value) ? json_number_value(value) : -1;
}

static void metric_take(struct noise_floor_metric *metric, const json_t *json)
{
	const char *utc = json_string_value(json_object_get(json, "measured_utc")),
		   *commit = json_string_value(json_object_get(json, "commit"));

	*metric = (struct noise_floor_metric){ .interleaved = share_of(json, "interleaved"), .successive = share_of(json, "successive") };
	metric->known = metric->interleaved >= 0 && metric->successive >= 0;
	metric->cells = (size_t)json_integer_value(json_object_get(json, "cells"));
	metric->trials = (size_t)json_integer_value(json_object_get(json, "trials"));
	metric->pairs = (size_t)json_integer_value(json_object_get(json, "pairs"));
	snprintf(metric->measured_utc, sizeof(metric->measured_utc), "%s", utc ? utc : "");
	snprintf(metric->commit, sizeof(metric->commit), "%s", commit ? commit : "");
}

/* A file that is there and can't be understood is an error: a gate must not go on with a lower limit than it was given. */
static int file_take(struct noise_floor *floor, const json_t *identity, char *error)
{
	json_error_t reason;
	json_t *json;

	if (access(floor->path, F_OK))
		return errno == ENOENT || errno == ENOTDIR ? 0 : say(error, -errno, floor->path, strerror(errno));
	json = json_load_file(floor->path, JSON_REJECT_DUPLICATES, &reason);
	if (!json)
		return say(error, -EINVAL, floor->path, reason.text);
	if (json_equal(json_object_get(json, "machine"), identity))
		for (int i = 0; i < COMPARE_METRICS; i++)
			metric_take(&floor->metrics[i], json_object_get(json_object_get(json, "floors"), noise_floor_names[i]));
	json_decref(json);
	return 0;
}

int noise_floor_read(struct noise_floor *floor, const char *folder, const json_t *run, char *error)
{
	json_t *identity = identity_of_run(run);
	int err;

	*floor = (struct noise_floor){ 0 };
	err = identity ? path_make(floor->path, folder, identity, error) : say(error, -ENOMEM, folder, "out of memory");
	if (!err)
		err = file_take(floor, identity, error);
	json_decref(identity);
	return err;
}

/* Each folder on the way that is not there. */
static int folders_make(char *path, char *error)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int failed;

		*slash = '\0';
		failed = mkdir(path, 0777) && errno != EEXIST ? errno : 0;
		if (failed)
			say(error, -failed, path, strerror(failed));
		*slash = '/';
		if (failed)
			return -failed;
	}
	return 0;
}

static json_t *metric_to_json(const struct noise_floor_metric *metric)
{
	return json_pack("{s:f, s:f, s:I, s:I, s:I, s:s, s:s}", "interleaved", metric->interleaved, "successive", metric->successive,
			 "cells", (json_int_t)metric->cells, "trials", (json_int_t)metric->trials, "pairs", (json_int_t)metric->pairs,
			 "measured_utc", metric->measured_utc, "commit",
			 metric->commit);
}

/* Whole or not at all: written beside it, then put in its place. */
static int file_write(const char *path, const json_t *json, char *error)
{
	char new[NOISE_FLOOR_PATH + 8];

	snprintf(new, sizeof(new), "%s.new", path);
	if (json_dump_file(json, new, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) || rename(new, path)) {
		int failed = errno ? errno : EIO;

		unlink(new);
		return say(error, -failed, path, strerror(failed));
	}
	return 0;
}

int noise_floor_write(struct noise_floor *floor, const char *folder, const json_t *run, char *error)
{
	json_t *identity = identity_of_run(run), *floors = json_object(), *json;
	struct noise_floor known;
	int err = noise_floor_read(&known, folder, run, error);

	if (err == -EINVAL)
		err = 0; /* what can't be understood is written anew */
	strcpy(floor->path, known.path);
	if (!err)
		err = folders_make(floor->path, error);
	for (int i = 0; i < COMPARE_METRICS; i++) {
		const struct noise_floor_metric *metric = floor->metrics[i].known ? &floor->metrics[i] : &known.metrics[i];

		if (metric->known)
			json_object_set_new(floors, noise_floor_names[i], metric_to_json(metric));
	}
	json = json_pack("{s:s, s:i, s:o, s:o}", "kind", "noise-floor", "schema", 1, "machine", identity, "floors", floors);
	if (!err)
		err = json ? file_write(floor->path, json, error) : say(error, -ENOMEM, floor->path, "out of memory");
	json_decref(json);
	return err;
}
