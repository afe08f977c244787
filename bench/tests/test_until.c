#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "record.h"
#include "until.h"

/* A record that grows, of trials of ping-pongs like the example's first one. */
struct growing {
	char path[64];
	FILE *file;
	json_t *trial;
	int id;
};

static void begin(struct growing *growing)
{
	FILE *example = fopen("results/tests/example.jsonl", "r");
	char *line = NULL;
	size_t size = 0;
	int fd;

	assert_non_null(example);
	*growing = (struct growing){.path = "/tmp/twopoint-until-XXXXXX"};
	fd = mkstemp(growing->path);
	assert_true(fd >= 0);
	growing->file = fdopen(fd, "w");
	assert_non_null(growing->file);
	assert_true(getline(&line, &size, example) > 0);
	fputs(line, growing->file);
	assert_true(getline(&line, &size, example) > 0);
	growing->trial = json_loads(line, 0, NULL);
	assert_non_null(growing->trial);
	free(line);
	fclose(example);
}

static void add(struct growing *growing, const char *queue, double p50_ns)
{
	char *text;

	json_object_set_new(growing->trial, "id", json_integer(++growing->id));
	json_object_set_new(json_object_get(growing->trial, "cell"), "queue", json_string(queue));
	json_object_set_new(json_array_get(json_object_get(growing->trial, "latency"), 0), "p50_ns", json_real(p50_ns));
	text = json_dumps(growing->trial, JSON_COMPACT);
	fprintf(growing->file, "%s\n", text);
	free(text);
}

/* n trials each of two queues, the second of which scatters by so much. */
static void add_both(struct growing *growing, int n, double scatter_ns)
{
	for (int i = 0; i < n; i++) {
		add(growing, "ring", 1000);
		add(growing, "mutex", 1000 + scatter_ns * (i % 2 ? 1 : -1));
	}
	fflush(growing->file);
}

static void end(struct growing *growing)
{
	json_decref(growing->trial);
	fclose(growing->file);
	unlink(growing->path);
}

static void look(struct until *until, const struct growing *growing, const uint64_t *given_up, size_t count, bool met)
{
	char error[RECORD_TEXT] = "";

	if (until_look(until, growing->path, given_up, count, error))
		fail_msg("%s", error);
	assert_int_equal(until->met, met);
}

static bool reached(const struct until *until, size_t cell)
{
	json_t *json = until_to_json(until, json_array());
	bool is = json_is_true(json_object_get(json_array_get(json_object_get(json, "cells"), cell), "reached"));

	json_decref(json);
	return is;
}

static void a_goal_is_met_when_all_cells_were_good_at_two_looks_in_a_row(void **state)
{
	struct growing growing;
	struct until until;

	(void)state;
	begin(&growing);
	until_begin(&until, 20000, 6);
	assert_int_equal(until.next_look, 6);
	add_both(&growing, 6, 100); /* ± 10 % */
	look(&until, &growing, NULL, 0, false);
	assert_int_equal(until.next_look, 8);
	look(&until, &growing, NULL, 0, false);
	assert_true(reached(&until, 0) && !reached(&until, 1));
	add_both(&growing, 40, 1); /* ± 0.1 % now */
	look(&until, &growing, NULL, 0, false); /* the first good one of the second queue */
	look(&until, &growing, NULL, 0, true);
	assert_true(reached(&until, 0) && reached(&until, 1));
	until_free(&until);
	end(&growing);
}

static void a_good_look_before_a_bad_one_does_not_count(void **state)
{
	struct growing growing;
	struct until until;

	(void)state;
	begin(&growing);
	until_begin(&until, 20000, 6);
	add_both(&growing, 6, 1);
	look(&until, &growing, NULL, 0, false);
	add_both(&growing, 30, 100);
	look(&until, &growing, NULL, 0, false);
	add_both(&growing, 200, 1);
	look(&until, &growing, NULL, 0, false);
	look(&until, &growing, NULL, 0, true);
	until_free(&until);
	end(&growing);
}

/* It gets no more trials: to wait for it would be to wait for ever. */
static void a_cell_that_was_given_up_is_not_waited_for(void **state)
{
	const uint64_t given_up[] = {2}; /* the first trial of the second queue */
	struct growing growing;
	struct until until;

	(void)state;
	begin(&growing);
	until_begin(&until, 20000, 6);
	add_both(&growing, 6, 100);
	look(&until, &growing, given_up, 1, false);
	look(&until, &growing, given_up, 1, true);
	assert_false(reached(&until, 1)); /* and is not said to have reached it */
	assert_true(until_has_reached(&until, 1));
	assert_false(until_has_reached(&until, 2));
	assert_true(until_has_reached(&until, 99)); /* no trial of it counts */
	until_free(&until);
	end(&growing);
}

static void without_a_goal_there_is_nothing_to_say(void **state)
{
	struct until until;
	json_t *json;

	(void)state;
	until_begin(&until, 0, 10);
	json = until_to_json(&until, json_array());
	assert_true(json_is_null(json));
	json_decref(json);
	until_free(&until);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_goal_is_met_when_all_cells_were_good_at_two_looks_in_a_row),
		cmocka_unit_test(a_good_look_before_a_bad_one_does_not_count),
		cmocka_unit_test(a_cell_that_was_given_up_is_not_waited_for),
		cmocka_unit_test(without_a_goal_there_is_nothing_to_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
