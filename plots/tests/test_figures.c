#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "figures.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXAMPLE "results/tests/example.jsonl"

/* ---- records, made of the lines of the example ---- */

struct fixture {
	char folder[64], record_path[96];
	json_t *run, *trial, *end;
	FILE *out;
	int trials;
	struct record record;
	struct summary summary;
	bool read;
	char path[512], message[2048];
};

static json_t *example_line(const char *kind)
{
	FILE *file = fopen(EXAMPLE, "re");
	char *line = NULL;
	size_t size = 0;
	json_t *found = NULL;

	assert_non_null(file);
	while (!found && getline(&line, &size, file) > 0) {
		found = json_loads(line, 0, NULL);
		if (strcmp(json_string_value(json_object_get(found, "kind")), kind)) {
			json_decref(found);
			found = NULL;
		}
	}
	free(line);
	fclose(file);
	assert_non_null(found);
	return found;
}

static void line_put(struct fixture *fixture, const json_t *line)
{
	assert_int_equal(json_dumpf(line, fixture->out, JSON_COMPACT), 0);
	fputc('\n', fixture->out);
}

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	if (!fixture)
		return -1;
	strcpy(fixture->folder, "/tmp/figures-XXXXXX");
	if (!mkdtemp(fixture->folder))
		return -1;
	snprintf(fixture->record_path, sizeof(fixture->record_path), "%s.jsonl", fixture->folder);
	fixture->run = example_line("run");
	fixture->trial = example_line("trial");
	fixture->end = example_line("end");
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

static int teardown(void **state)
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
	json_decref(fixture->end);
	unlink(fixture->record_path);
	folder_remove(fixture->folder);
	free(fixture);
	return 0;
}

static json_t *element(json_t *of, const char *array, size_t index)
{
	json_t *found = json_array_get(json_object_get(of, array), index);

	assert_non_null(found);
	return found;
}

static json_t *trial_like(struct fixture *fixture, const char *queue, const char *workload, const char *load,
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

static json_t *stream_trial(struct fixture *fixture, const char *queue, json_int_t batch, double rate_per_s,
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

static void stream_put(struct fixture *fixture, const char *queue, json_int_t batch, double rate_per_s, double line_ns)
{
	json_t *trial = stream_trial(fixture, queue, batch, rate_per_s, line_ns);

	line_put(fixture, trial);
	json_decref(trial);
}

static void capacity_put(struct fixture *fixture, const char *queue, json_int_t capacity, json_int_t batch,
			 double rate_per_s)
{
	json_t *trial = stream_trial(fixture, queue, batch, rate_per_s, 150), *cell = json_object_get(trial, "cell");

	/* below 0: the window of a queue without bound */
	json_object_set_new(cell, "capacity", capacity < 0 ? json_null() : json_integer(capacity));
	json_object_set_new(cell, "window", capacity < 0 ? json_integer(-capacity) : json_null());
	line_put(fixture, trial);
	json_decref(trial);
}

static void switches_put(struct fixture *fixture, const char *queue, bool prewrite, bool preread, json_int_t batch,
			 double rate_per_s)
{
	json_t *trial = stream_trial(fixture, queue, batch, rate_per_s, 150), *cell = json_object_get(trial, "cell");

	json_object_set_new(cell, "prewrite", json_boolean(prewrite));
	json_object_set_new(cell, "preread", json_boolean(preread));
	line_put(fixture, trial);
	json_decref(trial);
}

/* n threads on a side that has several, on two CPUs. */
static void fan_put(struct fixture *fixture, const char *workload, const char *queue, json_int_t n, double rate_per_s,
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

/* A ping-pong whose round trips are: `fast` of 200 ns, `slow` of 5 us, `beyond` above the histogram's top. */
static void pingpong_put(struct fixture *fixture, const char *queue, json_int_t fast, json_int_t slow,
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

static void slice_put(struct fixture *fixture)
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

static void record_begin(struct fixture *fixture)
{
	line_put(fixture, fixture->run);
}

static void record_take(struct fixture *fixture, const char *path)
{
	char error[RECORD_TEXT] = "";

	if (record_read(&fixture->record, path, error))
		fail_msg("%s", error);
	assert_int_equal(summary_make(&fixture->summary, &fixture->record), 0);
	fixture->read = true;
}

static void record_finish(struct fixture *fixture)
{
	line_put(fixture, fixture->end);
	assert_int_equal(fclose(fixture->out), 0);
	fixture->out = NULL;
	record_take(fixture, fixture->record_path);
}

/* Something for each figure. */
static void record_ordinary(struct fixture *fixture)
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
	}
	slice_put(fixture);
	record_finish(fixture);
}

/* ---- drawing ---- */

static int draw(struct fixture *fixture, const char *name, const char *terminal)
{
	const struct figure_request request = { terminal, fixture->folder, NULL };
	const struct figure *figure = figure_find(name);

	assert_non_null(figure);
	return figure_draw(figure, &fixture->record, &fixture->summary, &request, fixture->path, sizeof(fixture->path),
			   fixture->message, sizeof(fixture->message));
}

static char *file_text(const struct fixture *fixture, const char *name)
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

static bool file_has(const struct fixture *fixture, const char *name, const char *what)
{
	char *text = file_text(fixture, name);
	bool has = text && strstr(text, what);

	free(text);
	return has;
}

static bool file_exists(const struct fixture *fixture, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
	return access(path, F_OK) == 0;
}

static size_t folder_count(const struct fixture *fixture)
{
	DIR *folder = opendir(fixture->folder);
	size_t count = 0;

	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder));)
		count += entry->d_name[0] != '.';
	closedir(folder);
	return count;
}

/* A program called gnuplot, first on the PATH while the test runs. Returns the PATH before; freed by path_restore(). */
static char *gnuplot_replace(const struct fixture *fixture, const char *program)
{
	char path[128], *before = strdup(getenv("PATH"));
	FILE *file;

	assert_non_null(before);
	snprintf(path, sizeof(path), "%s/gnuplot", fixture->folder);
	if (program) {
		file = fopen(path, "we");
		assert_non_null(file);
		fprintf(file, "#!/bin/sh\n%s\n", program);
		assert_int_equal(fclose(file), 0);
		assert_int_equal(chmod(path, 0700), 0);
	}
	setenv("PATH", fixture->folder, 1);
	return before;
}

static void path_restore(char *before)
{
	setenv("PATH", before, 1);
	free(before);
}

static void each_figure_draws_without_a_word_from_gnuplot(void **state)
{
	struct fixture *fixture = *state;
	size_t count;
	const struct figure *figures = figure_list(&count);
	const char *const terminals[] = { "svg", "png", "pdf" };
	char name[64];

	record_ordinary(fixture);
	for (size_t i = 0; i < count; i++)
		for (size_t t = 0; t < 3; t++) {
			struct stat status;

			assert_int_equal(draw(fixture, figures[i].name, terminals[t]), 0);
			assert_string_equal(fixture->message, "");
			assert_int_equal(stat(fixture->path, &status), 0);
			assert_true(status.st_size > 1000);
			snprintf(name, sizeof(name), "%s.gp", figures[i].name);
			assert_true(file_has(fixture, name, "AMD EPYC"));
			assert_true(file_has(fixture, name, "same-l3"));
		}
}

static void each_figure_draws_in_characters_on_stdout(void **state)
{
	struct fixture *fixture = *state;
	size_t count;
	const struct figure *figures = figure_list(&count);
	int before = dup(STDOUT_FILENO), file;
	char path[128];
	int results[16] = { 0 };
	char words[16][128];

	record_ordinary(fixture);
	snprintf(path, sizeof(path), "%s/drawn", fixture->folder);
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(before >= 0 && file >= 0 && count <= 16);
	fflush(stdout);
	dup2(file, STDOUT_FILENO);
	for (size_t i = 0; i < count; i++) {
		results[i] = draw(fixture, figures[i].name, "dumb");
		snprintf(words[i], sizeof(words[i]), "%.20s%.100s", fixture->path, fixture->message);
	}
	dup2(before, STDOUT_FILENO);
	close(before);
	close(file);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(results[i], 0);
		assert_string_equal(words[i], "");
		assert_true(file_has(fixture, "drawn", figures[i].title));
	}
}

static void the_example_has_a_latency_and_curves_and_says_what_it_lacks(void **state)
{
	struct fixture *fixture = *state;

	record_take(fixture, EXAMPLE);
	assert_int_equal(draw(fixture, "latency", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_int_equal(draw(fixture, "curves", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_int_equal(draw(fixture, "rate", "svg"), 1);
	assert_non_null(strstr(fixture->message, "rate"));
	assert_int_equal(draw(fixture, "batch", "svg"), 1);
	assert_int_equal(folder_count(fixture), 6);
}

static void an_empty_record_is_a_message_and_no_file(void **state)
{
	struct fixture *fixture = *state;
	size_t count;
	const struct figure *figures = figure_list(&count);

	record_begin(fixture);
	record_finish(fixture);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(draw(fixture, figures[i].name, "svg"), 1);
		assert_true(strlen(fixture->message) > 10);
		assert_string_equal(fixture->path, "");
	}
	assert_int_equal(folder_count(fixture), 0);
}

static void hostile_names_are_text_and_nothing_more(void **state)
{
	static const char hostile[] = "x`touch pwned`\"'; system('touch pwned') #@a {b_c}\\n%s\t<b>&\n$(touch pwned)";
	struct fixture *fixture = *state;
	const char *const names[] = { "rate", "batch", "latency", "capacity", "fan" };

	json_object_set_new(json_object_get(fixture->run, "host"), "cpu_model", json_string(hostile));
	record_begin(fixture);
	stream_put(fixture, hostile, 1, 1e7, 150);
	stream_put(fixture, hostile, 8, 3e7, 150);
	pingpong_put(fixture, hostile, 900, 100, 0);
	capacity_put(fixture, hostile, 64, 1, 1e6);
	fan_put(fixture, "fanin", hostile, 2, 1e6, 0.5);
	record_finish(fixture);
	for (size_t i = 0; i < 5; i++) {
		char name[32];

		assert_int_equal(draw(fixture, names[i], "svg"), 0);
		assert_string_equal(fixture->message, "");
		assert_false(file_exists(fixture, "pwned"));
		snprintf(name, sizeof(name), "%s.svg", names[i]);
		assert_false(file_has(fixture, name, "<b>"));
		assert_true(file_has(fixture, name, "`touch"));
	}
	assert_int_equal(folder_count(fixture), 15);
}

static void a_missing_gnuplot_is_one_line_and_data_and_script_stay(void **state)
{
	struct fixture *fixture = *state;
	char *before;
	int result;

	record_ordinary(fixture);
	before = gnuplot_replace(fixture, NULL);
	result = draw(fixture, "rate", "svg");
	path_restore(before);
	assert_int_equal(result, -ENOENT);
	assert_non_null(strstr(fixture->message, "no gnuplot"));
	assert_null(strchr(fixture->message, '\n'));
	assert_string_equal(fixture->path, "");
	assert_true(file_has(fixture, "rate.tsv", "ring"));
	assert_true(file_has(fixture, "rate.gp", "rate.tsv"));
	assert_int_equal(folder_count(fixture), 2);
}

static void gnuplots_own_words_are_in_the_message(void **state)
{
	struct fixture *fixture = *state;
	char *before;
	int result;

	record_ordinary(fixture);
	before = gnuplot_replace(fixture, "echo 'no font, no drawing' >&2; exit 1");
	result = draw(fixture, "rate", "svg");
	path_restore(before);
	assert_int_equal(result, -EIO);
	assert_non_null(strstr(fixture->message, "no font, no drawing"));
}

static void half_a_figure_is_an_error_and_does_not_stay(void **state)
{
	struct fixture *fixture = *state;
	char *before;
	int result;

	record_ordinary(fixture);
	before = gnuplot_replace(fixture, "echo '<svg>' > rate.svg");
	result = draw(fixture, "rate", "svg");
	path_restore(before);
	assert_int_equal(result, -EIO);
	assert_false(file_exists(fixture, "rate.svg"));
}

static void a_full_disk_is_an_error_that_names_the_file(void **state)
{
	struct fixture *fixture = *state;
	char path[128];

	record_ordinary(fixture);
	snprintf(path, sizeof(path), "%s/rate.tsv", fixture->folder);
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(draw(fixture, "rate", "svg"), -ENOSPC);
	assert_non_null(strstr(fixture->message, path));
	assert_int_equal(folder_count(fixture), 0);
}

static void a_folder_that_takes_no_files_is_an_error_that_names_it(void **state)
{
	const char *const folders[] = { "/proc/self", "/nowhere/at/all" };
	struct fixture *fixture = *state;

	record_ordinary(fixture);
	for (size_t i = 0; i < 2; i++) {
		const struct figure_request request = { "svg", folders[i], NULL };
		int result =
			figure_draw(figure_find("rate"), &fixture->record, &fixture->summary, &request, fixture->path,
				    sizeof(fixture->path), fixture->message, sizeof(fixture->message));

		assert_true(result < 0);
		assert_non_null(strstr(fixture->message, folders[i]));
	}
}

static void a_read_only_folder_is_an_error(void **state)
{
	struct fixture *fixture = *state;

	if (geteuid() == 0)
		skip(); /* root writes anywhere */
	record_ordinary(fixture);
	assert_int_equal(chmod(fixture->folder, 0500), 0);
	assert_int_equal(draw(fixture, "rate", "svg"), -EACCES);
	assert_int_equal(chmod(fixture->folder, 0700), 0);
	assert_non_null(strstr(fixture->message, fixture->folder));
}

static void scripts_are_read_from_a_folder_and_never_overwritten(void **state)
{
	struct fixture *fixture = *state;
	struct figure_request request = { "svg", fixture->folder, "plots" };

	record_ordinary(fixture);
	assert_int_equal(figure_draw(figure_find("rate"), &fixture->record, &fixture->summary, &request, fixture->path,
				     sizeof(fixture->path), fixture->message, sizeof(fixture->message)),
			 0);
	request.folder = "plots/.";
	assert_int_equal(figure_draw(figure_find("rate"), &fixture->record, &fixture->summary, &request, fixture->path,
				     sizeof(fixture->path), fixture->message, sizeof(fixture->message)),
			 -EINVAL);
	request.folder = fixture->folder;
	request.scripts = "/nowhere";
	assert_int_equal(figure_draw(figure_find("rate"), &fixture->record, &fixture->summary, &request, fixture->path,
				     sizeof(fixture->path), fixture->message, sizeof(fixture->message)),
			 -ENOENT);
}

static void an_unknown_terminal_is_refused(void **state)
{
	struct fixture *fixture = *state;

	record_ordinary(fixture);
	assert_int_equal(draw(fixture, "rate", "x11"), -EINVAL);
	assert_non_null(strstr(fixture->message, "x11"));
}

/* ---- the numbers ---- */

static void rates_stand_apart_by_endpoint(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 4, 1.25e7, 150);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_true(file_has(fixture, "rate.tsv", "1\t1\t1\t2.5e+07\tnan\tnan"));
	assert_true(file_has(fixture, "rate.tsv", "1\t2\t1\t1.25e+07\tnan\tnan"));
}

static void a_batch_costs_the_inverse_of_the_readers_rate(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 32, 1e8, 150);
	stream_put(fixture, "ring", 4, 1.25e7, 150);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "batch", "svg"), 0);
	assert_true(file_has(fixture, "batch.tsv", "1\t4\t80\tnan\tnan\t1\t64"));
	assert_true(file_has(fixture, "batch.tsv", "1\t32\t10\tnan\tnan\t1\t64"));
}

static void names_that_look_alike_when_cut_stay_apart(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "a-queue-whose-name-is-so-long-1-that-its-middle-is-lost", 1, 1e7, 150);
	stream_put(fixture, "a-queue-whose-name-is-so-long-2-that-its-middle-is-lost", 1, 2e7, 150);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "batch", "svg"), 0);
	assert_true(file_has(fixture, "batch.tsv", "1\t1\t50\t"));
	assert_true(file_has(fixture, "batch.tsv", "2\t1\t100\t"));
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_true(file_has(fixture, "rate.tsv", "1\t2\t1\t2e+07"));
	assert_true(file_has(fixture, "rate.tsv", "1\t2\t2\t1e+07"));
}

static void another_regime_is_counted_and_not_drawn(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 3; trial++)
		stream_put(fixture, "ring", 1, 1e7, 150);
	stream_put(fixture, "ring", 1, 1e6, 560);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_true(file_has(fixture, "rate.tsv", "1e+07"));
	assert_false(file_has(fixture, "rate.tsv", "1e+06"));
	assert_true(file_has(fixture, "rate.gp", "line r150"));
	assert_true(file_has(fixture, "rate.gp", "1 trials lay in other regimes of the line (r560)"));
}

/* ---- lines along an axis ---- */

/* t = 2 + 100/b of mutex-batch; ring takes `ring_ns` at batch 1. */
static void square_record(struct fixture *fixture, double ring_ns)
{
	static const json_int_t batches[] = { 1, 2, 10, 50, 1000 };

	record_begin(fixture);
	for (size_t i = 0; i < 5; i++) {
		stream_put(fixture, "mutex-batch", batches[i], 1e9 / (2 + 100.0 / (double)batches[i]), 150);
		stream_put(fixture, "null", batches[i], 1e9, 150);
	}
	stream_put(fixture, "mutex", 1, 1e7, 150);
	stream_put(fixture, "ring", 1, 1e9 / ring_ns, 150);
	stream_put(fixture, "ring", 10, 5e8, 150);
	record_finish(fixture);
}

static void an_ablation_fits_a_and_c_and_marks_where_the_mutex_overtakes(void **state)
{
	struct fixture *fixture = *state;

	square_record(fixture, 7);
	assert_int_equal(draw(fixture, "ablation", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "ablation.gp", "  2 + 100/b ns, R² 1.000"));
	assert_true(file_has(fixture, "ablation.gp", "mark_text[1] = 'b* = 20: ring'"));
	assert_true(file_has(fixture, "ablation.gp", "mutex-batch overtakes ring at batch 1 from batch b* = 20 on"));
	assert_false(file_has(fixture, "ablation.gp", "overtakes ypipe"));
	assert_true(file_has(fixture, "ablation.gp", "null (both ends)"));
}

static void an_ablation_says_where_no_batch_is_enough(void **state)
{
	struct fixture *fixture = *state;

	square_record(fixture, 2.05);
	assert_int_equal(draw(fixture, "ablation", "svg"), 0);
	assert_true(file_has(fixture, "ablation.gp", "marks = 0"));
	assert_true(file_has(fixture, "ablation.gp", "not reached in this range, up to batch 1000"));
}

static void an_ablation_says_where_each_batch_is_enough(void **state)
{
	struct fixture *fixture = *state;

	square_record(fixture, 500);
	assert_int_equal(draw(fixture, "ablation", "svg"), 0);
	assert_true(file_has(fixture, "ablation.gp", "marks = 0"));
	assert_true(file_has(fixture, "ablation.gp", "mutex-batch is faster than ring at batch 1 from the smallest batch on"));
}

static void two_batches_make_no_fit(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 1, 1e7, 150);
	stream_put(fixture, "ring", 10, 1e8, 150);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "ablation", "png"), 0);
	assert_false(file_has(fixture, "ablation.gp", "R²"));
	assert_true(file_has(fixture, "ablation.gp", "series_joined[2] = 1"));
}

static void the_switches_of_a_queue_are_four_lines_that_share_batch_1(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int look = 0; look < 4; look++) {
		bool prewrite = look & 2, preread = look & 1;

		if (prewrite)
			switches_put(fixture, "faa-array", prewrite, preread, 1, preread ? 1e7 : 5e6);
		switches_put(fixture, "faa-array", prewrite, preread, 10, 1e7 * (1 + look));
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "ablation", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "ablation.gp", "series_label[1] = 'prewrite on, preread on'"));
	assert_true(file_has(fixture, "ablation.gp", "series_label[4] = 'prewrite off, preread off'"));
	assert_true(file_has(fixture, "ablation.tsv", "1\t10\t25\t"));
	assert_true(file_has(fixture, "ablation.tsv", "3\t1\t100\t")); /* prewrite off, preread on */
	assert_true(file_has(fixture, "ablation.tsv", "4\t1\t200\t"));
	assert_true(file_has(fixture, "ablation.tsv", "4\t10\t100\t"));
	/* the batch figure is about queues as they are */
	assert_int_equal(draw(fixture, "batch", "svg"), 0);
	assert_false(file_has(fixture, "batch.tsv", "2\t10\t"));
}

static void a_file_that_does_not_tell_the_switches_has_them_on(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 10, 1e8, 150);
	switches_put(fixture, "ring", true, true, 1, 1e7);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "batch", "svg"), 0);
	assert_true(file_has(fixture, "batch.tsv", "1\t1\t100\t"));
	assert_true(file_has(fixture, "batch.tsv", "1\t10\t10\t"));
}

static void rates_lie_along_the_capacity_a_panel_each_batch(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	capacity_put(fixture, "ring", 64, 32, 2e7);
	capacity_put(fixture, "ring", 1024, 32, 5e7);
	capacity_put(fixture, "ring", 64, 1, 1e7);
	capacity_put(fixture, "ring", 1024, 1, 1.5e7);
	capacity_put(fixture, "mutex", 64, 1, 1e6);
	capacity_put(fixture, "mutex", 1024, 1, 2e6);
	capacity_put(fixture, "ypipe", -512, 32, 4e7);
	capacity_put(fixture, "null", 2, 32, 9e8);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "capacity", "svg"), 0);
	assert_string_equal(fixture->message, "");
	/* batch 1: ring, mutex; batch 32: ring, ypipe at its window, mutex; and the floor all over */
	assert_true(file_has(fixture, "capacity.gp", "panel_title[1] = 'batch 1'"));
	assert_true(file_has(fixture, "capacity.gp", "panel_title[2] = 'batch 32'"));
	assert_true(file_has(fixture, "capacity.tsv", "1\t64\t1e+07\t"));
	assert_true(file_has(fixture, "capacity.tsv", "4\t1024\t5e+07\t"));
	assert_true(file_has(fixture, "capacity.tsv", "5\t512\t4e+07\t"));
	assert_true(file_has(fixture, "capacity.tsv", "6\t64\t1e+06\t"));
	assert_true(file_has(fixture, "capacity.gp", "series_label[3] = 'null (both ends) b=32'"));
	assert_true(file_has(fixture, "capacity.gp", "series_label[6] = 'mutex b=1'"));
	assert_true(file_has(fixture, "capacity.tsv", "7\t64\t9e+08\t"));
	assert_true(file_has(fixture, "capacity.tsv", "7\t1024\t9e+08\t"));
	assert_false(file_has(fixture, "capacity.tsv", "\t2\t9e+08"));
}

static void one_capacity_is_no_figure(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	capacity_put(fixture, "ring", 64, 1, 1e7);
	capacity_put(fixture, "mutex", 1024, 1, 1e7);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "capacity", "svg"), 1);
	assert_non_null(strstr(fixture->message, "two capacities"));
}

static void a_fan_has_an_area_each_workload_and_its_evenness_below(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	fan_put(fixture, "pipeline", "ring", 3, 3e6, -1);
	fan_put(fixture, "mesh", "scq", 1, 1e6, 1);
	fan_put(fixture, "mesh", "scq", 2, 2e6, 0.5);
	fan_put(fixture, "fanin", "scq", 1, 1e7, 1);
	fan_put(fixture, "fanin", "scq", 4, 2e7, 0.25);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "fan", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "fan.gp", "fanin, N producers to 1 consumer"));
	assert_true(file_has(fixture, "fan.gp", "mesh, N producers to N consumers"));
	assert_true(file_has(fixture, "fan.gp", "pipeline, N stages"));
	assert_true(file_has(fixture, "fan.gp", "panels = 5"));
	assert_true(file_has(fixture, "fan.tsv", "1\t4\t2e+07\t"));
	assert_true(file_has(fixture, "fan.tsv", "2\t4\t0.25\t"));
	assert_true(file_has(fixture, "fan.tsv", "4\t2\t0.45\t")); /* the consumers' is the lower one */
	assert_true(file_has(fixture, "fan.tsv", "5\t3\t3e+06\t"));
	assert_true(file_has(fixture, "fan.gp", "fanin from N = 4 on"));
}

static void ways_of_waiting_that_are_compared_stay_apart(void **state)
{
	struct fixture *fixture = *state;
	json_t *trial;

	record_begin(fixture);
	fan_put(fixture, "fanin", "scq", 1, 1e7, 1);
	fan_put(fixture, "fanin", "scq", 2, 2e7, 1);
	trial = stream_trial(fixture, "scq", 1, 3e7, 150);
	json_object_set_new(json_object_get(trial, "cell"), "workload", json_string("fanin"));
	json_object_set_new(json_object_get(trial, "cell"), "stages", json_null());
	json_object_set_new(json_object_get(trial, "cell"), "wait", json_string("yield"));
	line_put(fixture, trial);
	json_decref(trial);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "fan", "svg"), 0);
	assert_true(file_has(fixture, "fan.gp", "wait yield"));
	assert_true(file_has(fixture, "fan.tsv", "5\t1\t3e+07\t") || file_has(fixture, "fan.tsv", "3\t1\t3e+07\t") ||
		    file_has(fixture, "fan.tsv", "1\t1\t3e+07\t"));
}

/* Forty queues, q0 the fastest; and a mutex, the slowest. */
static void record_of_many(struct fixture *fixture)
{
	char name[16];

	record_begin(fixture);
	for (int i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "q%d", i);
		stream_put(fixture, name, 1, 1e7 / (1 + i), 150);
		stream_put(fixture, name, 10, 1e8 / (1 + i), 150);
		capacity_put(fixture, name, 64, 1, 1e6 / (1 + i));
		fan_put(fixture, "fanin", name, 2, 1e6 / (1 + i), 0.5);
		pingpong_put(fixture, name, 900, 100, 0);
	}
	stream_put(fixture, "mutex", 1, 1e3, 150);
	stream_put(fixture, "null", 1, 1e9, 150);
	record_finish(fixture);
}

static void of_forty_queues_the_best_and_the_known_are_drawn(void **state)
{
	struct fixture *fixture = *state;

	record_of_many(fixture);
	assert_int_equal(draw(fixture, "batch", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "batch.tsv", "\tq0\n"));
	assert_true(file_has(fixture, "batch.tsv", "\tq11\n"));
	assert_false(file_has(fixture, "batch.tsv", "\tq12\n"));
	assert_true(file_has(fixture, "batch.tsv", "\tmutex\n"));
	assert_true(file_has(fixture, "batch.tsv", "\tnull\n"));
	assert_true(file_has(fixture, "batch.gp", "28 lines are left out"));
	assert_int_equal(draw(fixture, "latency", "svg"), 0);
	assert_int_equal(draw(fixture, "capacity", "svg"), 0);
	assert_int_equal(draw(fixture, "fan", "svg"), 0);
	assert_true(file_has(fixture, "fan.tsv", "\tq11\n"));
	assert_false(file_has(fixture, "fan.tsv", "\tq12\n"));
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_true(file_has(fixture, "rate.tsv", "\tq39\n")); /* rows, not lines: there is room for all */
}

static void values_not_above_0_are_counted(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 1, 0, 150);
	stream_put(fixture, "ring", 10, 1e8, 150);
	fan_put(fixture, "fanin", "scq", 1, 0, 1);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "batch", "svg"), 0);
	assert_true(file_has(fixture, "batch.gp", "2 points that are not above 0"));
	assert_int_equal(draw(fixture, "fan", "svg"), 1);
	assert_non_null(strstr(fixture->message, "above 0"));
}

static void one_point_and_equal_values_are_drawn(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 7; trial++) {
		fan_put(fixture, "fanout", "scq", 2, 1e6, 1);
		capacity_put(fixture, "ring", 64, 1, 1e6);
		capacity_put(fixture, "ring", 256, 1, 1e6);
	}
	stream_put(fixture, "ring", 1, 1e6, 150);
	stream_put(fixture, "ring", 2, 1e6, 150);
	stream_put(fixture, "ring", 3, 1e6, 150);
	record_finish(fixture);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(draw(fixture, (const char *const[]){ "fan", "capacity", "batch", "ablation" }[i], "png"), 0);
		assert_string_equal(fixture->message, "");
	}
	assert_true(file_has(fixture, "fan.gp", "One number was measured"));
}

static void no_figure_mixes_regimes(void **state)
{
	struct fixture *fixture = *state;
	json_t *trial;

	record_begin(fixture);
	for (int i = 0; i < 3; i++) {
		capacity_put(fixture, "ring", 64, 1, 1e6);
		capacity_put(fixture, "ring", 256, 1, 2e6);
	}
	trial = stream_trial(fixture, "ring", 10, 7e6, 560);
	line_put(fixture, trial);
	json_object_set_new(json_object_get(trial, "cell"), "capacity", json_integer(256));
	json_object_set_new(json_object_get(trial, "cell"), "batch", json_integer(1));
	json_object_set_new(trial, "id", json_integer(++fixture->trials));
	line_put(fixture, trial);
	json_decref(trial);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "capacity", "svg"), 0);
	assert_false(file_has(fixture, "capacity.tsv", "7e+06"));
	assert_true(file_has(fixture, "capacity.gp", "2 trials lay in other regimes of the line (r560)"));
}

static void a_percentile_needs_ten_samples_beyond(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	pingpong_put(fixture, "ring", 450, 50, 0);
	pingpong_put(fixture, "ring", 450, 50, 0);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "latency", "svg"), 0);
	assert_true(file_has(fixture, "latency.tsv", "1\t2\t50\t200\t1\tring"));
	assert_true(file_has(fixture, "latency.tsv", "1\t10\t90\t200\t1\tring"));
	assert_true(file_has(fixture, "latency.tsv", "1\t100\t99\t5000\t1\tring"));
	assert_false(file_has(fixture, "latency.tsv", "1\t133"));
	assert_false(file_has(fixture, "latency.tsv", "1\t1000\t"));
}

static void values_beyond_the_top_are_counted_and_no_percentile(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	pingpong_put(fixture, "ring", 900, 0, 100);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "latency", "svg"), 0);
	assert_true(file_has(fixture, "latency.tsv", "1\t10\t90\t200\t1\tring"));
	assert_false(file_has(fixture, "latency.tsv", "e+09"));
	assert_true(file_has(fixture, "latency.gp", "100 samples lay above the histogram''s top"));
}

static void too_few_samples_are_no_curve(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	pingpong_put(fixture, "ring", 12, 3, 0);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "latency", "svg"), 1);
	assert_non_null(strstr(fixture->message, "20 samples"));
}

static void the_area_between_the_curves_is_the_sum_of_latencies(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	slice_put(fixture);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "curves", "svg"), 0);
	/* 150 + 160 + 190 */
	assert_true(file_has(fixture, "curves.gp",
			     "area = sum of latencies = 500 message ns, over 3 messages: mean latency 166.7 ns"));
	assert_true(file_has(fixture, "curves.tsv", "3\t200.0\t390.0\t390.0\t9"));
}

/* ---- the matrix ---- */

static int matrix_draw(struct fixture *fixture, const double *round_trip_ns, size_t n, const char *title)
{
	const struct figure_request request = { "svg", fixture->folder, NULL };
	const int cpus[] = { 0, 3, 40 };

	return figure_draw_matrix(cpus, round_trip_ns, n, title, &request, fixture->path, sizeof(fixture->path),
				  fixture->message, sizeof(fixture->message));
}

static void a_matrix_draws_with_equal_missing_and_hostile_parts(void **state)
{
	static const double ns[] = { -1, 100, 100, 100, -1, -1, 100, 100, -1 };
	struct fixture *fixture = *state;

	assert_int_equal(matrix_draw(fixture, ns, 3, "it's `touch pwned`"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "matrix.tsv", "0\t2\t100\t0\t40"));
	assert_true(file_has(fixture, "matrix.gp", "5 of 6 pairs were measured"));
	assert_int_equal(folder_count(fixture), 3);
}

static void a_matrix_of_nothing_is_a_message(void **state)
{
	static const double ns[] = { -1, -1, -1, -1 };
	struct fixture *fixture = *state;

	assert_int_equal(matrix_draw(fixture, ns, 2, "nothing"), 1);
	assert_int_equal(matrix_draw(fixture, ns, 0, "nothing"), 1);
	assert_int_equal(folder_count(fixture), 0);
}

static void each_figure_has_its_script_built_in(void **state)
{
	size_t count;
	const struct figure *figures = figure_list(&count);

	(void)state;
	assert_true(count >= 4);
	for (size_t i = 0; i < count; i++) {
		bool found = false;

		for (const struct figure_script *script = figure_scripts; script->name; script++)
			found |= strcmp(script->name, figures[i].script) == 0;
		assert_true(found);
		assert_ptr_equal(figure_find(figures[i].name), &figures[i]);
		assert_int_equal(figures[i].question[strlen(figures[i].question) - 1], '?');
	}
	assert_null(figure_find("nothing"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_figure_has_its_script_built_in),
		TEST(each_figure_draws_without_a_word_from_gnuplot),
		TEST(each_figure_draws_in_characters_on_stdout),
		TEST(the_example_has_a_latency_and_curves_and_says_what_it_lacks),
		TEST(an_empty_record_is_a_message_and_no_file),
		TEST(hostile_names_are_text_and_nothing_more),
		TEST(a_missing_gnuplot_is_one_line_and_data_and_script_stay),
		TEST(gnuplots_own_words_are_in_the_message),
		TEST(half_a_figure_is_an_error_and_does_not_stay),
		TEST(a_full_disk_is_an_error_that_names_the_file),
		TEST(a_folder_that_takes_no_files_is_an_error_that_names_it),
		TEST(a_read_only_folder_is_an_error),
		TEST(scripts_are_read_from_a_folder_and_never_overwritten),
		TEST(an_unknown_terminal_is_refused),
		TEST(rates_stand_apart_by_endpoint),
		TEST(a_batch_costs_the_inverse_of_the_readers_rate),
		TEST(names_that_look_alike_when_cut_stay_apart),
		TEST(another_regime_is_counted_and_not_drawn),
		TEST(an_ablation_fits_a_and_c_and_marks_where_the_mutex_overtakes),
		TEST(an_ablation_says_where_no_batch_is_enough),
		TEST(an_ablation_says_where_each_batch_is_enough),
		TEST(two_batches_make_no_fit),
		TEST(the_switches_of_a_queue_are_four_lines_that_share_batch_1),
		TEST(a_file_that_does_not_tell_the_switches_has_them_on),
		TEST(rates_lie_along_the_capacity_a_panel_each_batch),
		TEST(one_capacity_is_no_figure),
		TEST(a_fan_has_an_area_each_workload_and_its_evenness_below),
		TEST(ways_of_waiting_that_are_compared_stay_apart),
		TEST(of_forty_queues_the_best_and_the_known_are_drawn),
		TEST(values_not_above_0_are_counted),
		TEST(one_point_and_equal_values_are_drawn),
		TEST(no_figure_mixes_regimes),
		TEST(a_percentile_needs_ten_samples_beyond),
		TEST(values_beyond_the_top_are_counted_and_no_percentile),
		TEST(too_few_samples_are_no_curve),
		TEST(the_area_between_the_curves_is_the_sum_of_latencies),
		TEST(a_matrix_draws_with_equal_missing_and_hostile_parts),
		TEST(a_matrix_of_nothing_is_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
