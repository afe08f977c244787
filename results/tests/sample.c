#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sample.h"

json_t *sample_line(int number)
{
	FILE *file = fopen(SAMPLE_EXAMPLE, "r");
	char *line = NULL;
	size_t size = 0;
	json_t *json;

	assert_non_null(file);
	for (int i = 0; i <= number; i++)
		assert_true(getline(&line, &size, file) > 0);
	json = json_loads(line, 0, NULL);
	assert_non_null(json);
	free(line);
	fclose(file);
	return json;
}

void sample_open(struct sample *sample)
{
	int fd;

	strcpy(sample->path, "/tmp/twopoint-record-XXXXXX");
	fd = mkstemp(sample->path);
	assert_true(fd >= 0);
	sample->file = fdopen(fd, "w");
	assert_non_null(sample->file);
}

void sample_text(struct sample *sample, const char *line)
{
	assert_true(fprintf(sample->file, "%s\n", line) > 0);
}

void sample_json(struct sample *sample, json_t *line)
{
	char *text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(15));

	assert_non_null(text);
	sample_text(sample, text);
	free(text);
	json_decref(line);
}

void sample_close(struct sample *sample)
{
	assert_int_equal(fclose(sample->file), 0);
}

void sample_remove(struct sample *sample)
{
	assert_int_equal(unlink(sample->path), 0);
}

json_t *sample_trial(int id, const char *queue, double before_ns, double after_ns)
{
	json_t *trial = sample_line(SAMPLE_TRIAL);

	json_object_set_new(trial, "id", json_integer(id));
	json_object_set_new(json_object_get(trial, "cell"), "queue", json_string(queue));
	json_object_set_new(trial, "line_before_ns", json_real(before_ns));
	json_object_set_new(trial, "line_after_ns", json_real(after_ns));
	return trial;
}

static void set_rate(json_t *trial, size_t endpoint, double per_s)
{
	json_t *points = json_object_get(json_array_get(json_object_get(trial, "endpoints"), endpoint), "points");

	json_object_set_new(json_array_get(points, 0), "rate_per_s", json_real(per_s));
}

json_t *sample_stream(int id, const char *queue, int batch, double line_ns, double sender_per_s, double receiver_per_s)
{
	json_t *trial = sample_trial(id, queue, line_ns, line_ns), *cell = json_object_get(trial, "cell");
	json_t *latency = json_object_get(trial, "latency"), *endpoints = json_object_get(trial, "endpoints");

	json_object_set_new(cell, "workload", json_string("stream"));
	json_object_set_new(cell, "load", json_string("saturate"));
	json_object_set_new(cell, "stamps", json_string("batch"));
	json_object_set_new(cell, "batch", json_integer(batch));
	json_object_set_new(cell, "capacity", json_integer(1024));
	json_object_set_new(cell, "window", json_null());
	json_array_remove(latency, 2);
	json_array_remove(latency, 0);
	json_object_set_new(json_array_get(latency, 0), "tag", json_string("saturated"));
	json_array_remove(endpoints, 3);
	json_array_remove(endpoints, 2);
	set_rate(trial, 0, sender_per_s);
	set_rate(trial, 1, receiver_per_s);
	return trial;
}

json_t *sample_open_load(int id, const char *queue, int percent, bool saturated)
{
	json_t *trial = sample_line(SAMPLE_OPEN), *cell = json_object_get(trial, "cell"), *open = json_object_get(trial, "open"), *latency;
	size_t i;

	json_object_set_new(trial, "id", json_integer(id));
	json_object_set_new(cell, "queue", json_string(queue));
	json_object_set_new(cell, "rate_per_s", json_null());
	json_object_set_new(cell, "rate_percent", json_integer(percent));
	json_object_set_new(open, "capacity_per_s", json_real(4e6));
	json_object_set_new(open, "offered_per_s", json_real(4e4 * percent));
	json_object_set_new(open, "saturated", json_boolean(saturated));
	json_object_set_new(open, "rate_reached", json_boolean(!saturated));
	json_object_set_new(open, "reached_share", json_real(saturated ? 0.5 : 1));
	json_object_set_new(open, "reached_per_s", json_real(4e4 * percent * (saturated ? 0.5 : 1)));
	json_array_foreach(json_object_get(trial, "latency"), i, latency)
		json_object_set_new(latency, "tag", saturated ? json_string("saturated") : json_null());
	return trial;
}

void sample_latency(json_t *trial, size_t latency, const char *field, double value)
{
	json_object_set_new(json_array_get(json_object_get(trial, "latency"), latency), field, json_real(value));
}

void sample_poor(json_t *trial, size_t latency, int samples)
{
	static const char *const percentiles[] = { "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns" };
	json_t *json = json_array_get(json_object_get(trial, "latency"), latency);

	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		json_object_set_new(json, percentiles[i], json_null());
	json_object_set_new(json, "count", json_integer(samples));
}

void sample_stamps(json_t *trial, int every, int asked, bool full)
{
	json_t *stamps = json_object_get(trial, "stamps");

	json_object_set_new(stamps, "every", json_integer(every));
	json_object_set_new(stamps, "asked", json_integer(asked));
	json_object_set_new(stamps, "full", json_boolean(full));
}

void sample_read(struct record *record, const char *path)
{
	char error[RECORD_TEXT] = "";

	if (record_read(record, path, error) != 0)
		fail_msg("%s", error);
}
