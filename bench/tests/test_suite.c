#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "suite.h"

enum { ARGUMENTS_MAX = 16, ERROR_TEXT = 512 };

/* A suite of one's own, in a file that file_end() removes. */
struct file {
	char path[64];
};

static struct file file_begin(const char *text)
{
	struct file file = {"/tmp/twopoint-suite-XXXXXX"};
	int fd = mkstemp(file.path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	return file;
}

static void file_end(struct file *file)
{
	unlink(file->path);
}

/* `twopoint run` with these operands and options, split at blanks. */
static int load(struct suites *suites, const char *line, char *error)
{
	char text[512], *arguments[ARGUMENTS_MAX + 1] = {0};
	struct options options;
	int count = 0, result;

	snprintf(text, sizeof(text), "twopoint run %s", line);
	for (char *word = strtok(text, " "); word && count < ARGUMENTS_MAX; word = strtok(NULL, " "))
		arguments[count++] = word;
	if (options_parse(&options, count, arguments, error, ERROR_TEXT))
		fail_msg("'%s' was refused: %s", line, error);
	result = suites_load(suites, &options, error, ERROR_TEXT);
	options_free(&options);
	return result;
}

static struct suites loaded(const char *line)
{
	struct suites suites;
	char error[ERROR_TEXT] = "";

	if (load(&suites, line, error))
		fail_msg("'%s' was refused: %s", line, error);
	return suites;
}

static struct suites loaded_text(const char *text, const char *options)
{
	struct file file = file_begin(text);
	struct suites suites;
	char line[256];

	snprintf(line, sizeof(line), "%s %s", file.path, options);
	suites = loaded(line);
	file_end(&file);
	return suites;
}

/* The error names the file, this line, and this word. */
static void assert_refused(const char *text, int at, const char *word)
{
	struct file file = file_begin(text);
	struct suites suites;
	char error[ERROR_TEXT] = "", expected[128];
	int result = load(&suites, file.path, error);

	file_end(&file);
	snprintf(expected, sizeof(expected), "%s:%d: ", file.path, at);
	if (result != -EINVAL || strncmp(error, expected, strlen(expected)) || !strstr(error, word))
		fail_msg("expected '%s…%s', got %d '%s'", expected, word, result, error);
}

static void without_a_suite_the_options_are_the_experiment(void **state)
{
	struct suites suites = loaded("--queue ring --trials 3");

	(void)state;
	assert_int_equal(suites.count, 1);
	assert_string_equal(suites.name, "custom");
	assert_int_equal(suites.experiments[0].options.parameters.queues.count, 1);
	assert_int_equal(suites.experiments[0].options.parameters.capacities.values[0], 1024);
	assert_int_equal(suites.options.run.trials, 3);
	suites_free(&suites);
}

static void sections_stand_over_defaults_and_the_command_line_over_both(void **state)
{
	struct suites suites = loaded_text("[defaults]\ntrials = 4\nbatch = 1\nmessage-size = 8\nwarm-up = 1ms\n"
					   "[first]\nbatch = 10, 100 ; both\n# a comment\n[second]\nmessage-size=16\nduration: 1s\n",
					   "--batch 7 --duration 2s");
	const struct parameters *first = &suites.experiments[0].options.parameters;
	const struct parameters *second = &suites.experiments[1].options.parameters;

	(void)state;
	assert_int_equal(suites.count, 2);
	assert_string_equal(suites.experiments[1].name, "second");
	assert_int_equal(suites.options.run.trials, 4);
	assert_int_equal(first->batches.count, 1);
	assert_int_equal(first->batches.values[0], 7);
	assert_int_equal(first->message_sizes.values[0], 8);
	assert_int_equal(first->duration_ns, 2000000000);
	assert_int_equal(second->message_sizes.values[0], 16);
	assert_int_equal(second->duration_ns, 2000000000);
	assert_int_equal(second->warm_up_ns, 1000000);
	suites_free(&suites);
}

static void a_list_in_a_section_is_kept_whole(void **state)
{
	struct suites suites = loaded_text("[a]\n  queue = ring , ypipe\n\tbatch = 1, 10,100\n", "");

	(void)state;
	assert_int_equal(suites.experiments[0].options.parameters.queues.count, 2);
	assert_int_equal(suites.experiments[0].options.parameters.batches.values[2], 100);
	suites_free(&suites);
}

static void an_end_by_count_overrides_an_end_by_time(void **state)
{
	struct suites suites = loaded_text("[defaults]\nduration = 1s\n[counted]\nmessages = 1k\n[timed]\n", "");

	(void)state;
	assert_int_equal(suites.experiments[0].options.parameters.messages, 1000);
	assert_int_equal(suites.experiments[1].options.parameters.messages, 0);
	assert_int_equal(suites.experiments[1].options.parameters.duration_ns, 1000000000);
	suites_free(&suites);
}

static void a_section_without_keys_is_an_experiment(void **state)
{
	struct suites suites = loaded_text("[bare]\n[other]", "");

	(void)state;
	assert_int_equal(suites.count, 2);
	assert_string_equal(suites.experiments[0].name, "bare");
	suites_free(&suites);
}

static void what_is_wrong_is_named_with_its_line(void **state)
{
	(void)state;
	assert_refused("[a]\n\nbacth = 1\n", 3, "'batch'");
	assert_refused("[a]\nbatch = x\n", 2, "batch: 'x'");
	assert_refused("[a]\nbatch = 1\nbatch = 2\n", 3, "twice");
	assert_refused("[a]\nbatch = 1\n  2\n", 3, "KEY = VALUE");
	assert_refused("[a]\nbatch\n", 2, "KEY = VALUE");
	assert_refused("junk\n[a]\nbatch = x\n", 1, "KEY = VALUE");
	assert_refused("[a]\nbatch = x\njunk\n", 2, "'x'");
	assert_refused("[a]\nqueue =\n", 2, "empty");
	assert_refused("batch = 1\n[a]\n", 1, "section");
	assert_refused("[a]\ntrials = 3\n", 2, "[defaults]");
	assert_refused("[a]\nquiet = yes\n", 2, "command line");
	assert_refused("[defaults]\nallow-unpinned = maybe\n", 2, "yes, no");
	assert_refused("[a]\n[b]\n[a]\n", 3, "[a]");
	assert_refused("[defaults]\n[a]\n[defaults]\n", 3, "[defaults]");
	assert_refused("[a\nbatch = 1\n", 1, "section");
	assert_refused("[]\n", 1, "section");
	assert_refused("[a] b\n", 1, "section");
	assert_refused("[a]\nduration = 1s\nmessages = 5\n", 3, "duration");
	assert_refused("[defaults]\nbatch = 1\n", 2, "no experiment");
	assert_refused("[a]\nlatency = read:write\n", 2, "backwards");
}

static void a_line_that_is_too_long_is_refused_and_not_cut(void **state)
{
	char text[512] = "[a]\nbatch = 1";

	(void)state;
	while (strlen(text) < 300)
		strcat(text, ", 1");
	assert_refused(text, 2, "too long");
}

static void what_is_no_text_is_refused(void **state)
{
	struct suites suites;
	char error[ERROR_TEXT];

	(void)state;
	assert_int_equal(load(&suites, "./bench", error), -EISDIR);
	assert_int_equal(load(&suites, "/dev/zero", error), -EFBIG);
	assert_non_null(strstr(error, "no suite"));
	assert_int_equal(load(&suites, "/dev/null", error), -EINVAL);
	assert_non_null(strstr(error, "no section"));
	assert_int_equal(load(&suites, "./no-such.ini", error), -ENOENT);
	assert_non_null(strstr(error, "no-such.ini"));
}

static void an_unknown_name_is_refused_with_the_known_ones(void **state)
{
	struct suites suites;
	char error[ERROR_TEXT];

	(void)state;
	assert_int_equal(load(&suites, "defualt", error), -ENOENT);
	assert_non_null(strstr(error, "'defualt'"));
	assert_non_null(strstr(error, "smoke"));
	assert_non_null(strstr(error, "did you mean 'default'"));
}

static void shipped_suites_load_by_name_from_anywhere(void **state)
{
	char *here = getcwd(NULL, 0);

	(void)state;
	assert_non_null(suite_texts[0].name);
	for (const struct suite_text *suite = suite_texts; suite->name; suite++) {
		struct suites beside = loaded(suite->name), within;

		assert_int_equal(chdir("/"), 0);
		within = loaded(suite->name);
		assert_int_equal(chdir(here), 0);
		assert_string_equal(within.name, suite->name);
		assert_int_equal(within.count, beside.count);
		assert_memory_equal(&within.options.run, &beside.options.run, sizeof(within.options.run));
		suites_free(&beside);
		suites_free(&within);
	}
	free(here);
}

static void two_suites_make_one_run_unless_they_disagree_about_it(void **state)
{
	struct file one = file_begin("[defaults]\ntrials = 3\n[a]\n"), two = file_begin("[defaults]\ntrials = 4\n[a]\n");
	char line[256], error[ERROR_TEXT] = "";
	struct suites suites;

	(void)state;
	snprintf(line, sizeof(line), "%s %s", one.path, two.path);
	assert_int_equal(load(&suites, line, error), -EINVAL);
	assert_non_null(strstr(error, "--trials"));
	strcat(line, " --trials 5");
	suites = loaded(line);
	assert_int_equal(suites.count, 2);
	assert_int_equal(suites.options.run.trials, 5);
	suites_free(&suites);
	snprintf(line, sizeof(line), "%s %s", one.path, one.path);
	suites = loaded(line);
	assert_int_equal(suites.count, 2);
	assert_int_equal(suites.options.run.trials, 3);
	suites_free(&suites);
	file_end(&one);
	file_end(&two);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_suite_the_options_are_the_experiment),
		cmocka_unit_test(sections_stand_over_defaults_and_the_command_line_over_both),
		cmocka_unit_test(a_list_in_a_section_is_kept_whole),
		cmocka_unit_test(an_end_by_count_overrides_an_end_by_time),
		cmocka_unit_test(a_section_without_keys_is_an_experiment),
		cmocka_unit_test(what_is_wrong_is_named_with_its_line),
		cmocka_unit_test(a_line_that_is_too_long_is_refused_and_not_cut),
		cmocka_unit_test(what_is_no_text_is_refused),
		cmocka_unit_test(an_unknown_name_is_refused_with_the_known_ones),
		cmocka_unit_test(shipped_suites_load_by_name_from_anywhere),
		cmocka_unit_test(two_suites_make_one_run_unless_they_disagree_about_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
