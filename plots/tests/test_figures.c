#include "figure_rig.h"
#include "svg_boxes.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Fails where one of the lines above or below the figure is not among what was drawn. */
static void words_were_drawn(const struct fixture *fixture, const char *figure)
{
	char name[64], *script;

	snprintf(name, sizeof(name), "%s.gp", figure);
	script = file_text(fixture, name);
	assert_non_null(script);
	for (char *line = strtok(script, "\n"); line; line = strtok(NULL, "\n")) {
		char *words = strstr(line, "] = '");

		if (!words || (strncmp(line, "header[", 7) && strncmp(line, "notes[", 6)))
			continue;
		words += strlen("] = '");
		words[strcspn(words, "'")] = '\0'; /* or as far as a quote, which is written twice */
		if (!file_has(fixture, "drawn", words))
			fail_msg("%s lacks '%s'", figure, words);
	}
	free(script);
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
		words_were_drawn(fixture, figures[i].name);
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
	figure_is_legible(fixture, "matrix", SVG_LEGENDS);
	assert_int_equal(folder_count(fixture), 3);
}

static void times_that_hardly_differ_have_colours_that_hardly_differ(void **state)
{
	static const double ns[] = { -1, 95, 101, -1 };
	struct fixture *fixture = *state;

	assert_int_equal(matrix_draw(fixture, ns, 2, "two"), 0);
	assert_true(file_has(fixture, "matrix.gp", "low = 50.5\nhigh = 101\n"));
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
			found |= strncmp(script->name, figures[i].script, strcspn(figures[i].script, " ")) == 0;
		assert_true(found);
		assert_ptr_equal(figure_find(figures[i].name), &figures[i]);
		assert_int_equal(figures[i].question[strlen(figures[i].question) - 1], '?');
	}
	assert_null(figure_find("nothing"));
}

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
		TEST(a_matrix_draws_with_equal_missing_and_hostile_parts),
		TEST(times_that_hardly_differ_have_colours_that_hardly_differ),
		TEST(a_matrix_of_nothing_is_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
