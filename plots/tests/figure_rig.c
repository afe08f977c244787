#include "figure_rig.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- records ---- */

static json_t *example_line(const char *kind, const char *load)
{
	FILE *file = fopen(EXAMPLE, "re");
	char *line = NULL;
	size_t size = 0;
	json_t *found = NULL;

	assert_non_null(file);
	while (!found && getline(&line, &size, file) > 0) {
		found = json_loads(line, 0, NULL);
		if (strcmp(json_string_value(json_object_get(found, "kind")), kind) ||
		    (load && strcmp(json_string_value(json_object_get(json_object_get(found, "cell"), "load")), load))) {
			json_decref(found);
			found = NULL;
		}
	}
	free(line);
	fclose(file);
	assert_non_null(found);
	return found;
}

void line_put(struct fixture *fixture, const json_t *line)
{
	assert_int_equal(json_dumpf(line, fixture->out, JSON_COMPACT), 0);
	fputc('\n', fixture->out);
}

int rig_setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	strcpy(fixture->folder, "/tmp/figures-XXXXXX");
	if (!mkdtemp(fixture->folder))
		return -1;
	snprintf(fixture->record_path, sizeof(fixture->record_path), "%s.jsonl", fixture->folder);
	fixture->run = example_line("run", NULL);
	fixture->trial = example_line("trial", NULL);
	fixture->open = example_line("trial", "open");
	fixture->end = example_line("end", NULL);
	fixture->out = fopen(fixture->record_path, "wxe");
	if (!fixture->out)
		return -1;
	*state = fixture;
	return 0;
}

static void folder_remove(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	if (folder)
		closedir(folder);
	rmdir(path);
}

int rig_teardown(void **state)
{
	struct fixture *fixture = *state;

	if (fixture->read) {
		summary_free(&fixture->summary);
		record_free(&fixture->record);
	}
	if (fixture->out)
		fclose(fixture->out);
	json_decref(fixture->run);
	json_decref(fixture->trial);
	json_decref(fixture->open);
	json_decref(fixture->end);
	unlink(fixture->record_path);
	folder_remove(fixture->folder);
	free(fixture);
	return 0;
}

json_t *element(json_t *of, const char *array, size_t index)
{
	json_t *found = json_array_get(json_object_get(of, array), index);

	assert_non_null(found);
	return found;
}

json_t *trial_like(struct fixture *fixture, const char *queue, const char *workload, const char *load,
			  json_int_t batch, double line_ns)
{
	json_t *trial = json_deep_copy(fixture->trial), *cell = json_object_get(trial, "cell");

	json_object_set_new(trial, "id", json_integer(++fixture->trials));
	json_object_set_new(trial, "line_before_ns", json_real(line_ns));
	json_object_set_new(trial, "line_after_ns", json_real(line_ns));
	json_object_set_new(cell, "queue", json_string(queue));
	json_object_set_new(cell, "workload", json_string(workload));
	json_object_set_new(cell, "load", json_string(load));
	json_object_set_new(cell, "window", strcmp(load, "closed") ? json_null() : json_integer(1));
	json_object_set_new(cell, "batch", json_integer(batch));
	json_object_set_new(cell, "capacity", json_integer(1024));
	return trial;
}

json_t *stream_trial(struct fixture *fixture, const char *queue, json_int_t batch, double rate_per_s,
			    double line_ns)
{
	json_t *trial = trial_like(fixture, queue, "stream", "saturate", batch, line_ns);
	json_t *endpoints = json_object_get(trial, "endpoints");

	json_array_remove(endpoints, 3);
	json_array_remove(endpoints, 2);
	for (size_t i = 0; i < 2; i++)
		json_object_set_new(element(element(trial, "endpoints", i), "points", 0), "rate_per_s",
				    json_real(i ? rate_per_s : 2 * rate_per_s));
	json_array_remove(json_object_get(trial, "latency"), 2);
	json_array_remove(json_object_get(trial, "latency"), 0);
	json_object_set_new(element(trial, "latency", 0), "tag", json_string("saturated"));
	return trial;
}

void stream_put(struct fixture *fixture, const char *queue, json_int_t batch, double rate_per_s, double line_ns)
{
	json_t *trial = stream_trial(fixture, queue, batch, rate_per_s, line_ns);

	line_put(fixture, trial);
	json_decref(trial);
}

void capacity_put(struct fixture *fixture, const char *queue, json_int_t capacity, json_int_t batch,
			 double rate_per_s)
{
	json_t *trial = stream_trial(fixture, queue, batch, rate_per_s, 150), *cell = json_object_get(trial, "cell");

	/* below 0: the window of a queue without bound */
	json_object_set_new(cell, "capacity", capacity < 0 ? json_null() : json_integer(capacity));
	json_object_set_new(cell, "window", capacity < 0 ? json_integer(-capacity) : json_null());
	line_put(fixture, trial);
	json_decref(trial);
}

void switches_put(struct fixture *fixture, const char *queue, bool prewrite, bool preread, json_int_t batch,
			 double rate_per_s)
{
	json_t *trial = stream_trial(fixture, queue, batch, rate_per_s, 150), *cell = json_object_get(trial, "cell");

	json_object_set_new(cell, "prewrite", json_boolean(prewrite));
	json_object_set_new(cell, "preread", json_boolean(preread));
	line_put(fixture, trial);
	json_decref(trial);
}

void fan_put(struct fixture *fixture, const char *workload, const char *queue, json_int_t n, double rate_per_s,
		    double jain)
{
	bool producers = !strcmp(workload, "fanin") || !strcmp(workload, "mesh"),
	     consumers = !strcmp(workload, "fanout") || !strcmp(workload, "mesh");
	json_t *trial = stream_trial(fixture, queue, 1, rate_per_s, 150), *cell = json_object_get(trial, "cell"),
	       *cpus = json_array();
	json_int_t actors = !strcmp(workload, "pipeline") ? n : (producers ? n : 1) + (consumers ? n : 1);

	json_object_set_new(cell, "workload", json_string(workload));
	json_object_set_new(cell, "producers", json_integer(producers ? n : 1));
	json_object_set_new(cell, "consumers", json_integer(consumers ? n : 1));
	json_object_set_new(cell, "stages", strcmp(workload, "pipeline") ? json_null() : json_integer(n));
	json_object_set_new(cell, "wait", json_string(actors > 2 ? "park" : "spin"));
	for (json_int_t i = 0; i < actors; i++)
		json_array_append_new(cpus, json_integer(i % 2));
	json_object_set_new(cell, "cpus", cpus);
	if (jain > 0)
		json_object_set_new(trial, "fairness",
				    json_pack("{s:{s:f,s:f},s:{s:f,s:f}}", "producers", "jain", producers ? jain : 1.0,
					      "longest_gap_ns", 1e6, "consumers", "jain", consumers ? 0.9 * jain : 1.0,
					      "longest_gap_ns", 1e6));
	line_put(fixture, trial);
	json_decref(trial);
}

void pingpong_put(struct fixture *fixture, const char *queue, json_int_t fast, json_int_t slow,
			 json_int_t beyond)
{
	json_t *trial = trial_like(fixture, queue, "pingpong", "closed", 1, 150), *histogram;

	json_object_set_new(element(trial, "latency", 0), "count", json_integer(fast + slow + beyond));
	json_object_set_new(element(trial, "latency", 0), "beyond", json_integer(beyond));
	line_put(fixture, trial);
	json_decref(trial);
	histogram = json_pack("{s:s,s:i,s:i,s:[[f,I],[f,I],[f,I]]}", "kind", "histogram", "id", fixture->trials,
			      "latency", 0, "buckets", 200.0, fast, 5000.0, slow, 1e9, beyond);
	assert_non_null(histogram);
	if (!beyond)
		json_array_remove(json_object_get(histogram, "buckets"), 2);
	line_put(fixture, histogram);
	json_decref(histogram);
}

void slice_put(struct fixture *fixture)
{
	json_t *trial = trial_like(fixture, "ypipe", "stream", "closed", 1, 150), *slice;

	line_put(fixture, trial);
	json_decref(trial);
	slice = json_pack("{s:s,s:i,s:s,s:s,s:[iii],s:[fff],s:[fff]}", "kind", "slice", "id", fixture->trials, "from",
			  "write", "to", "read", "sequence", 7, 8, 9, "from_ns", 1000.0, 1100.0, 1200.0, "to_ns",
			  1150.0, 1260.0, 1390.0);
	assert_non_null(slice);
	line_put(fixture, slice);
	json_decref(slice);
}

static void latency_append(json_t *trial, const char *from, int from_actor, const char *to, int to_actor, double p50_ns)
{
	json_t *list = json_object_get(trial, "latency"), *latency = json_deep_copy(json_array_get(list, 0));

	json_object_set_new(latency, "from", json_pack("{s:i,s:i,s:s}", "actor", from_actor, "queue", 0, "point", from));
	json_object_set_new(latency, "to", json_pack("{s:i,s:i,s:s}", "actor", to_actor, "queue", 0, "point", to));
	json_object_set_new(latency, "tag", json_null());
	json_object_set_new(latency, "p50_ns", p50_ns < 0 ? json_null() : json_real(p50_ns));
	json_object_set_new(latency, "mean_ns", json_real(2 * p50_ns));
	json_array_append_new(list, latency);
}

/* Place p of the batch takes (batch + 1 − p) × step_ns, its 99th percentile ten times that. */
static json_t *positions_json(json_int_t batch, double step_ns)
{
	json_t *places = json_array(), *p50 = json_array(), *p99 = json_array();

	for (json_int_t place = 1; place <= batch; place++) {
		json_array_append_new(places, json_integer(place));
		json_array_append_new(p50, json_real(step_ns * (double)(batch + 1 - place)));
		json_array_append_new(p99, json_real(step_ns * 10 * (double)(batch + 1 - place)));
	}
	return json_pack("{s:s,s:s,s:i,s:I,s:i,s:i,s:o,s:o,s:o}", "from", "write", "to", "read", "queue", 0, "batch", batch,
			 "batches", 1000, "others", 10, "position", places, "p50_ns", p50, "p99_ns", p99);
}

json_t *parts_trial(struct fixture *fixture, const char *queue, json_int_t batch, const double *p50_ns, double whole_ns)
{
	json_t *trial = stream_trial(fixture, queue, batch, 1e6, 150), *cell = json_object_get(trial, "cell");

	json_object_set_new(cell, "load", json_string("closed"));
	json_object_set_new(cell, "window", json_integer(256));
	json_object_set_new(cell, "stamps", json_string("message"));
	latency_append(trial, "write", 0, "read", 1, whole_ns);
	latency_append(trial, "write", 0, "flush", 0, p50_ns[0]);
	latency_append(trial, "flush", 0, "preread", 1, p50_ns[1]);
	latency_append(trial, "preread", 1, "read", 1, p50_ns[2]);
	json_array_remove(json_object_get(trial, "latency"), 0);
	if (batch > 1)
		json_object_set_new(trial, "positions", positions_json(batch, 100));
	return trial;
}

void parts_put(struct fixture *fixture, const char *queue, json_int_t batch, const double *p50_ns, double whole_ns)
{
	json_t *trial = parts_trial(fixture, queue, batch, p50_ns, whole_ns);

	line_put(fixture, trial);
	json_decref(trial);
}

void windows_put(struct fixture *fixture, const char *queue, const int *messages, size_t kinds, size_t n)
{
	json_t *trial = stream_trial(fixture, queue, 8, 1e6, 150), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(messages[i % kinds]));
	json_object_set_new(element(trial, "endpoints", 1), "windows",
			    json_pack("{s:f,s:i,s:o}", "width_ns", 1e7, "within_messages", 1, "messages", list));
	line_put(fixture, trial);
	json_decref(trial);
}

/* A trial of the example's open load, with its three latencies. */
static json_t *open_trial(struct fixture *fixture, const char *queue, double p50_ns)
{
	json_t *trial = json_deep_copy(fixture->open), *latency;
	size_t i;

	json_object_set_new(trial, "id", json_integer(++fixture->trials));
	json_object_set_new(trial, "line_before_ns", json_real(150));
	json_object_set_new(trial, "line_after_ns", json_real(150));
	json_object_set_new(json_object_get(trial, "cell"), "queue", json_string(queue));
	json_array_foreach(json_object_get(trial, "latency"), i, latency) {
		json_object_set_new(latency, "p50_ns", json_real(p50_ns));
		json_object_set_new(latency, "p99_ns", json_real(10 * p50_ns));
	}
	return trial;
}

json_t *open_share_trial(struct fixture *fixture, const char *queue, json_int_t percent, double capacity_per_s, double p50_ns,
			 bool saturated)
{
	json_t *trial = open_trial(fixture, queue, p50_ns), *cell = json_object_get(trial, "cell"), *open = json_object_get(trial, "open");

	json_object_set_new(cell, "rate_per_s", json_null());
	json_object_set_new(cell, "rate_percent", json_integer(percent));
	json_object_set_new(cell, "gap_ns", json_null());
	json_object_set_new(cell, "arrival", json_string("poisson"));
	json_object_set_new(cell, "burst", json_null());
	json_object_set_new(open, "offered_per_s", json_real(capacity_per_s * (double)percent / 100));
	json_object_set_new(open, "capacity_per_s", json_real(capacity_per_s));
	json_object_set_new(open, "saturated", json_boolean(saturated));
	for (size_t i = 0; i < 3; i++)
		json_object_set_new(element(trial, "latency", i), "tag", saturated ? json_string("saturated") : json_null());
	return trial;
}

void open_put(struct fixture *fixture, const char *queue, json_int_t percent, double capacity_per_s, double p50_ns, bool saturated)
{
	json_t *trial = open_share_trial(fixture, queue, percent, capacity_per_s, p50_ns, saturated);

	line_put(fixture, trial);
	json_decref(trial);
}

void gap_put(struct fixture *fixture, const char *queue, const char *wait, json_int_t gap_ns, double p50_ns)
{
	json_t *trial = open_trial(fixture, queue, p50_ns), *cell = json_object_get(trial, "cell");

	json_object_set_new(cell, "wait", json_string(wait));
	json_object_set_new(cell, "rate_per_s", json_null());
	json_object_set_new(cell, "rate_percent", json_null());
	json_object_set_new(cell, "arrival", json_string("burst"));
	json_object_set_new(cell, "burst", json_integer(1));
	json_object_set_new(cell, "gap_ns", json_integer(gap_ns));
	json_object_set_new(cell, "duration_ns", json_integer(1000 * gap_ns)); /* longer where messages come more seldom */
	line_put(fixture, trial);
	json_decref(trial);
}

void stamps_put(struct fixture *fixture, const char *queue, const char *stamps, double rate_per_s)
{
	json_t *trial = stream_trial(fixture, queue, 8, rate_per_s, 150), *cell = json_object_get(trial, "cell");

	json_object_set_new(cell, "stamps", json_string(stamps));
	if (fixture->stamp_every) {
		json_object_set_new(json_object_get(trial, "stamps"), "every", json_integer(fixture->stamp_every));
		json_object_del(json_object_get(trial, "stamps"), "asked");
	}
	if (!strcmp(stamps, "none")) {
		json_object_set_new(cell, "latency", json_array());
		json_object_set_new(trial, "latency", json_array());
	}
	line_put(fixture, trial);
	json_decref(trial);
}

void record_begin(struct fixture *fixture)
{
	line_put(fixture, fixture->run);
}

void record_take(struct fixture *fixture, const char *path)
{
	char error[RECORD_TEXT] = "";

	if (record_read(&fixture->record, path, error))
		fail_msg("%s", error);
	assert_int_equal(summary_make(&fixture->summary, &fixture->record), 0);
	fixture->read = true;
}

void record_finish(struct fixture *fixture)
{
	line_put(fixture, fixture->end);
	assert_int_equal(fclose(fixture->out), 0);
	fixture->out = NULL;
	record_take(fixture, fixture->record_path);
}

void record_ordinary(struct fixture *fixture)
{
	record_begin(fixture);
	for (int trial = 0; trial < 7; trial++) {
		stream_put(fixture, "ring", 1, 1e7 + 1e5 * trial, 150);
		stream_put(fixture, "ring", 32, 1e8 + 1e6 * trial, 150);
		stream_put(fixture, "mutex", 1, 4e6, 150);
		stream_put(fixture, "null", 1, 5e8, 150);
		pingpong_put(fixture, "ring", 900, 100, 0);
		pingpong_put(fixture, "line", 990, 10, 0);
		capacity_put(fixture, "ring", 64, 1, 5e6 + 1e5 * trial);
		fan_put(fixture, "fanin", "lanes", 2, 5e6 + 1e5 * trial, 0.8);
		fan_put(fixture, "fanin", "lanes", 4, 4e6 + 1e5 * trial, 0.7);
		parts_put(fixture, "ring", 4, (const double[]){ 50, 300, 60 }, 500);
		parts_put(fixture, "ring", 16, (const double[]){ 200, 320, 210 }, 800);
		open_put(fixture, "ring", 10, 1e7, 300, false);
		open_put(fixture, "ring", 90, 1e7, 900, false);
		gap_put(fixture, "ring", "spin", 1000, 300);
		gap_put(fixture, "ring", "spin", 1000000, 600);
		stamps_put(fixture, "ring", "none", 2e7);
		stamps_put(fixture, "ring", "message", 1e7);
	}
	slice_put(fixture);
	record_finish(fixture);
}

/* ---- drawing ---- */

int draw(struct fixture *fixture, const char *name, const char *terminal)
{
	const struct figure_request request = { terminal, fixture->folder, NULL };
	const struct figure *figure = figure_find(name);

	assert_non_null(figure);
	return figure_draw(figure, &fixture->record, &fixture->summary, &request, fixture->path, sizeof(fixture->path),
			   fixture->message, sizeof(fixture->message));
}

char *file_text(const struct fixture *fixture, const char *name)
{
	char path[128], *text = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
	file = fopen(path, "re");
	if (!file)
		return NULL;
	if (getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	fclose(file);
	return text;
}

bool file_has(const struct fixture *fixture, const char *name, const char *what)
{
	char *text = file_text(fixture, name);
	bool has = text && strstr(text, what);

	free(text);
	return has;
}

bool file_exists(const struct fixture *fixture, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
	return access(path, F_OK) == 0;
}

size_t folder_count(const struct fixture *fixture)
{
	DIR *folder = opendir(fixture->folder);
	size_t count = 0;

	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}
