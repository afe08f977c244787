/* The file: what is added is what is read; what is no history is refused; many add at once. */
#include "history.h"
#include "history_print.h"
#include "sample.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct fixture {
	char path[64];
	char error[RECORD_TEXT];
};

static int setup(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	int fd;

	if (!fixture)
		return -1;
	strcpy(fixture->path, "/tmp/history-XXXXXX");
	fd = mkstemp(fixture->path);
	if (fd < 0)
		return -1;
	close(fd);
	unlink(fixture->path);
	*state = fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	unlink(fixture->path);
	free(fixture);
	return 0;
}

/* A run of some trials of `ring` as a saturated stream, at so many messages a second. */
struct made {
	const char *started, *model;
	double rate_per_s, line_ns;
	int trials;
	enum { STREAM, PINGPONG, OPEN, SATURATED } kind;
};

static int add(const char *path, const struct made *made, char *error)
{
	struct sample sample;
	struct record record;
	struct summary summary;
	struct history *history;
	json_t *run = sample_line(SAMPLE_RUN);
	int added;

	json_object_set_new(run, "started_utc", json_string(made->started));
	if (made->model)
		json_object_set_new(json_object_get(run, "host"), "cpu_model", json_string(made->model));
	sample_open(&sample);
	sample_json(&sample, run);
	for (int i = 1; i <= made->trials; i++)
		sample_json(&sample, made->kind >= OPEN ? sample_open_load(i, "ring", 50, made->kind == SATURATED)
					     : made->kind == PINGPONG
					     ? sample_trial(i, "ring", made->line_ns, made->line_ns)
					     : sample_stream(i, "ring", 1, made->line_ns, made->rate_per_s + i, made->rate_per_s + i));
	sample_close(&sample);
	sample_read(&record, sample.path);
	assert_int_equal(summary_make(&summary, &record), 0);
	added = history_open(&history, path, true, error);
	if (!added)
		added = history_add(history, &record, &summary, error);
	history_close(history);
	summary_free(&summary);
	record_free(&record);
	sample_remove(&sample);
	return added;
}

static struct history_view view_of(struct fixture *fixture)
{
	struct history *history;
	struct history_view view;

	assert_int_equal(history_open(&history, fixture->path, false, fixture->error), 0);
	assert_int_equal(history_read(history, &view, NULL, NULL, fixture->error), 0);
	history_close(history);
	return view;
}

static void what_is_added_is_read_with_its_intervals(void **state)
{
	struct fixture *fixture = *state;
	struct history_view view;

	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-02T00:00:00Z", NULL, 2e6, 150, 7, STREAM }, fixture->error),
			 HISTORY_ADDED);
	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-01T00:00:00Z", NULL, 1e6, 150, 7, STREAM }, fixture->error),
			 HISTORY_ADDED);
	view = view_of(fixture);
	assert_int_equal(view.run_count, 2);
	assert_string_equal(view.runs[0].started_utc, "2026-01-01T00:00:00Z"); /* in the order of their start */
	assert_string_equal(view.runs[0].commit, "0123abc");
	assert_int_equal(view.machine_count, 1);
	assert_int_equal(view.cell_count, 1);
	assert_string_equal(view.cells[0].queue, "ring");
	assert_int_equal(view.point_count, 2);
	assert_int_equal(view.points[0].run, 0);
	assert_int_equal(view.points[0].trials, 7);
	assert_false(view.points[0].is_time);
	assert_true(view.points[0].rate.known && view.points[0].rate.median == 1e6 + 4);
	assert_true(view.points[0].rate.interval.known);
	assert_true(view.points[0].rate.interval.low >= 1e6 + 1 && view.points[0].rate.interval.high <= 1e6 + 7);
	assert_false(view.points[0].p50_ns.known); /* a sojourn in a full queue */
	assert_true(view.points[0].regime_ns == 150);
	assert_true(view.points[1].rate.median == 2e6 + 4);
	history_view_free(&view);
}

static void a_pingpongs_headline_is_its_round_trip(void **state)
{
	struct fixture *fixture = *state;
	struct history_view view;
	char text[80];

	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-02T00:00:00Z", NULL, 0, 150, 7, PINGPONG }, fixture->error),
			 HISTORY_ADDED);
	view = view_of(fixture);
	assert_int_equal(view.point_count, 1);
	assert_true(view.points[0].is_time && view.points[0].p50_ns.known);
	assert_ptr_equal(history_headline(&view.points[0]), &view.points[0].p50_ns);
	assert_string_equal(history_headline_text(text, sizeof(text), &view.points[0]), "p50 of the round trip write:read");
	history_view_free(&view);
}

static void an_open_load_that_is_saturated_stays_in_the_course_of_its_p50(void **state)
{
	struct fixture *fixture = *state;
	struct history_view view;
	struct history_trends trends;
	char started[32], *text = NULL;
	size_t size, at;
	FILE *out = open_memstream(&text, &size);
	json_t *json;

	for (int run = 0; run < 24; run++) {
		snprintf(started, sizeof(started), "2026-01-%02dT00:00:00Z", run + 1);
		assert_int_equal(add(fixture->path, &(struct made){ started, NULL, 0, 150, 7, run >= 12 ? SATURATED : OPEN },
				     fixture->error), HISTORY_ADDED);
	}
	view = view_of(fixture);
	assert_int_equal(view.point_count, 24);
	assert_null(view.points[11].lost);
	assert_string_equal(view.points[12].lost, "saturated");
	assert_string_equal(view.points[12].latency, view.points[11].latency);
	assert_int_equal(history_trends_make(&trends, &view, 0.02), 0);
	assert_int_equal(trends.count, 1);
	assert_int_equal(trends.change_count, 1);
	assert_non_null(out);
	assert_int_equal(history_print(out, &(struct history_print){ &view, &trends, fixture->path, false }), 0);
	fclose(out);
	assert_non_null(strstr(text, "slower since 2026-01-13T00:00:00Z"));
	assert_non_null(strstr(text, "saturated, before it"));
	assert_non_null(strstr(text, "   saturated r149\n"));
	assert_non_null(strstr(text, "saturated: the backlog never ceased to grow"));
	json = history_to_json(&(struct history_print){ &view, &trends, fixture->path, false });
	assert_non_null(json);
	assert_int_equal(json_array_size(json_object_get(json, "changes")), 1);
	assert_true(json_is_null(json_object_get(json_array_get(json_object_get(json, "changes"), 0), "after")));
	for (at = 0; at < 24; at++) {
		json_t *point = json_array_get(json_object_get(json_array_get(json_object_get(json, "runs"), at), "cells"), 0);

		assert_int_equal(json_is_string(json_object_get(point, "lost")), at >= 12);
	}
	json_decref(json);
	free(text);
	history_trends_free(&trends);
	history_view_free(&view);
}

static void the_same_run_is_added_once(void **state)
{
	struct fixture *fixture = *state;
	const struct made made = { "2026-01-02T00:00:00Z", NULL, 2e6, 150, 7, STREAM };
	struct history_view view;

	assert_int_equal(add(fixture->path, &made, fixture->error), HISTORY_ADDED);
	assert_int_equal(add(fixture->path, &made, fixture->error), HISTORY_THERE);
	view = view_of(fixture);
	assert_int_equal(view.run_count, 1);
	assert_int_equal(view.point_count, 1);
	history_view_free(&view);
}

static void a_run_that_went_on_takes_its_own_place(void **state)
{
	struct fixture *fixture = *state;
	struct history_view view;

	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-02T00:00:00Z", NULL, 1e6, 150, 3, STREAM }, fixture->error),
			 HISTORY_ADDED);
	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-02T00:00:00Z", NULL, 1e6, 150, 9, STREAM }, fixture->error),
			 HISTORY_COMPLETED);
	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-02T00:00:00Z", NULL, 1e6, 150, 3, STREAM }, fixture->error),
			 HISTORY_THERE);
	view = view_of(fixture);
	assert_int_equal(view.run_count, 1);
	assert_int_equal(view.point_count, 1);
	assert_int_equal(view.points[0].trials, 9);
	history_view_free(&view);
}

static void another_machine_is_another_one(void **state)
{
	struct fixture *fixture = *state;
	struct history_view view;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(add(fixture->path,
				     &(struct made){ i ? "2026-01-03T00:00:00Z" : "2026-01-02T00:00:00Z", NULL, 1e6, 150, 3, STREAM },
				     fixture->error),
				 HISTORY_ADDED);
		assert_int_equal(add(fixture->path,
				     &(struct made){ i ? "2026-01-05T00:00:00Z" : "2026-01-04T00:00:00Z", "Other", 1e6, 150, 3, STREAM },
				     fixture->error),
				 HISTORY_ADDED);
	}
	view = view_of(fixture);
	assert_int_equal(view.machine_count, 2);
	assert_string_not_equal(view.machines[0].fingerprint, view.machines[1].fingerprint);
	assert_int_equal(strlen(view.machines[0].fingerprint), 8);
	assert_int_equal(view.runs[0].machine, 0);
	assert_int_equal(view.runs[1].machine, 0);
	assert_int_equal(view.runs[2].machine, 1);
	assert_int_equal(view.runs[3].machine, 1);
	history_view_free(&view);
}

static bool no_cell(const struct history_cell *cell, const void *wish)
{
	(void)cell;
	(void)wish;
	return false;
}

static void cells_that_are_not_wanted_are_not_read(void **state)
{
	struct fixture *fixture = *state;
	struct history *history;
	struct history_view view;

	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-02T00:00:00Z", NULL, 1e6, 150, 3, STREAM }, fixture->error),
			 HISTORY_ADDED);
	assert_int_equal(history_open(&history, fixture->path, false, fixture->error), 0);
	assert_int_equal(history_read(history, &view, no_cell, NULL, fixture->error), 0);
	assert_int_equal(view.cell_count, 0);
	assert_int_equal(view.point_count, 0);
	assert_int_equal(view.run_count, 1);
	history_view_free(&view);
	history_close(history);
}

/* ---- what is no history ---- */

static void refuses(struct fixture *fixture, bool to_write, const char *words)
{
	struct history *history;

	fixture->error[0] = 0;
	assert_true(history_open(&history, fixture->path, to_write, fixture->error) < 0);
	assert_null(history);
	assert_non_null(strstr(fixture->error, fixture->path));
	if (!strstr(fixture->error, words))
		fail_msg("'%s' is not in: %s", words, fixture->error);
}

static void sql(struct fixture *fixture, const char *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(fixture->path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void text_put(struct fixture *fixture, const char *text)
{
	FILE *file = fopen(fixture->path, "we");

	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void a_missing_one_is_made_only_to_be_written(void **state)
{
	refuses(*state, false, "no history yet");
	strcpy(((struct fixture *)*state)->path, "/nowhere/at/all");
	refuses(*state, true, "No such file");
}

static void other_files_are_refused_and_left_alone(void **state)
{
	struct fixture *fixture = *state;
	struct stat about;

	text_put(fixture, "{\"kind\":\"run\"}\n, and more text than a header of SQLite's is long, to be sure that it is looked at, "
			  "whatever comes, at all\n");
	for (int to_write = 0; to_write < 2; to_write++)
		refuses(fixture, to_write, "no SQLite database");
	assert_int_equal(stat(fixture->path, &about), 0);
	assert_true(about.st_size > 100 && about.st_size < 200);
}

static void databases_of_others_are_refused(void **state)
{
	struct fixture *fixture = *state;

	sql(fixture, "CREATE TABLE run(id INTEGER)");
	for (int to_write = 0; to_write < 2; to_write++)
		refuses(fixture, to_write, "another program");
}

static void a_newer_version_is_refused(void **state)
{
	struct fixture *fixture = *state;

	assert_int_equal(add(fixture->path, &(struct made){ "2026-01-02T00:00:00Z", NULL, 1e6, 150, 3, STREAM }, fixture->error),
			 HISTORY_ADDED);
	sql(fixture, "PRAGMA user_version = 99");
	for (int to_write = 0; to_write < 2; to_write++)
		refuses(fixture, to_write, "version 99 is newer");
}

/* Cut off or overwritten anywhere: an error or nothing new, never a crash, whether read or written. */
static void damaged_ones_are_errors(void **state)
{
	struct fixture *fixture = *state;
	char *bytes, date[32];
	long size;
	FILE *file;
	unsigned errors = 0;

	for (int i = 0; i < 12; i++) {
		snprintf(date, sizeof(date), "2026-01-%02dT00:00:00Z", i + 1);
		assert_int_equal(add(fixture->path, &(struct made){ date, NULL, 1e6, 150, 3, i % 2 ? PINGPONG : STREAM }, fixture->error), HISTORY_ADDED);
	}
	file = fopen(fixture->path, "re");
	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	rewind(file);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	for (long at = 1; at < size; at += 509) {
		for (int cut = 0; cut < 2; cut++) {
			struct history *history;
			struct history_view view;
			long written = cut ? at : size;
			int fd = open(fixture->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

			assert_true(fd >= 0);
			assert_int_equal(write(fd, bytes, (size_t)written), written);
			if (!cut)
				assert_int_equal(pwrite(fd, "\xff\xfe\xfd\xfc\xff\xff\xff\xff", 8, at), 8);
			close(fd);
			fixture->error[0] = 0;
			if (history_open(&history, fixture->path, false, fixture->error)) {
				assert_true(strlen(fixture->error) > 10);
				errors++;
				continue;
			}
			if (!history_read(history, &view, NULL, NULL, fixture->error)) {
				history_view_free(&view);
			} else {
				assert_true(strlen(fixture->error) > 10);
				errors++;
			}
			history_close(history);
		}
	}
	free(bytes);
	assert_true(errors > 50);
}

/* Eight processes, five runs each, into a file that is not there yet. */
static void many_add_at_once(void **state)
{
	enum { PROCESSES = 8, EACH = 5 };
	struct fixture *fixture = *state;
	struct history_view view;
	pid_t children[PROCESSES];

	for (int c = 0; c < PROCESSES; c++) {
		children[c] = fork();
		assert_true(children[c] >= 0);
		if (children[c])
			continue;
		for (int i = 0; i < EACH; i++) {
			char date[32];

			snprintf(date, sizeof(date), "2026-%02d-%02dT00:00:00Z", c + 1, i + 1);
			if (add(fixture->path, &(struct made){ date, NULL, 1e6, 150, 3, STREAM }, fixture->error) != HISTORY_ADDED)
				_exit(1);
		}
		_exit(0);
	}
	for (int c = 0; c < PROCESSES; c++) {
		int status;

		assert_int_equal(waitpid(children[c], &status, 0), children[c]);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	view = view_of(fixture);
	assert_int_equal(view.run_count, PROCESSES * EACH);
	assert_int_equal(view.point_count, PROCESSES * EACH);
	assert_int_equal(view.machine_count, 1);
	assert_int_equal(view.cell_count, 1);
	history_view_free(&view);
}

/* What stands in a record is a value, never a part of a statement. */
static void hostile_texts_are_texts(void **state)
{
	static const char hostile[] = "'; DROP TABLE run; --\" OR 1=1";
	struct fixture *fixture = *state;
	struct history_view view;

	assert_int_equal(add(fixture->path, &(struct made){ hostile, hostile, 1e6, 150, 3, STREAM }, fixture->error), HISTORY_ADDED);
	view = view_of(fixture);
	assert_int_equal(view.run_count, 1);
	assert_string_equal(view.runs[0].started_utc, hostile);
	assert_string_equal(json_string_value(json_object_get(view.machines[0].identity, "cpu_model")), hostile);
	history_view_free(&view);
}

static void a_history_is_printed_and_is_json(void **state)
{
	struct fixture *fixture = *state;
	struct history_view view;
	struct history_trends trends;
	char *text = NULL, date[32];
	size_t size;
	FILE *out;
	json_t *json;

	for (int i = 0; i < 20; i++) {
		snprintf(date, sizeof(date), "2026-01-%02dT00:00:00Z", i + 1);
		assert_int_equal(add(fixture->path, &(struct made){ date, NULL, i < 10 ? 2e6 + 1e3 * i : 1e6 + 1e3 * i, 150, 6, STREAM },
				     fixture->error),
				 HISTORY_ADDED);
	}
	view = view_of(fixture);
	assert_int_equal(history_trends_make(&trends, &view, 0.02), 0);
	assert_int_equal(trends.change_count, 1);
	out = open_memstream(&text, &size);
	assert_int_equal(history_print(out, &(struct history_print){ &view, &trends, fixture->path, false }), 0);
	fclose(out);
	assert_non_null(strstr(text, "2026-01-11T00:00:00Z  0123abc"));
	assert_non_null(strstr(text, "slower since 2026-01-11T00:00:00Z (commit 0123abc): rate at read 1.015 M/s, before it 2.005 M/s"));
	free(text);
	json = history_to_json(&(struct history_print){ &view, &trends, fixture->path, false });
	assert_non_null(json);
	assert_int_equal(json_array_size(json_object_get(json, "runs")), 20);
	assert_int_equal(json_array_size(json_object_get(json, "changes")), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(json, "changes"), 0), "since_utc")),
			    "2026-01-11T00:00:00Z");
	json_decref(json);
	history_trends_free(&trends);
	history_view_free(&view);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_added_is_read_with_its_intervals),
		TEST(a_pingpongs_headline_is_its_round_trip),
		TEST(an_open_load_that_is_saturated_stays_in_the_course_of_its_p50),
		TEST(the_same_run_is_added_once),
		TEST(a_run_that_went_on_takes_its_own_place),
		TEST(another_machine_is_another_one),
		TEST(cells_that_are_not_wanted_are_not_read),
		TEST(a_missing_one_is_made_only_to_be_written),
		TEST(other_files_are_refused_and_left_alone),
		TEST(databases_of_others_are_refused),
		TEST(a_newer_version_is_refused),
		TEST(damaged_ones_are_errors),
		TEST(many_add_at_once),
		TEST(hostile_texts_are_texts),
		TEST(a_history_is_printed_and_is_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
