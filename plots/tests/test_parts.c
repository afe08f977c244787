/* The figures of a message's parts and of windows of time. */
#include "figure_rig.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How many lines of the data begin like that. */
static size_t lines_with(const struct fixture *fixture, const char *name, const char *beginning)
{
	char *text = file_text(fixture, name);
	size_t count = 0;

	assert_non_null(text);
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		count += strncmp(line, beginning, strlen(beginning)) == 0;
	free(text);
	return count;
}

static void parts_lie_one_behind_the_other_with_the_whole_beside(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 3; trial++) {
		parts_put(fixture, "ring", 64, (const double[]){ 1000, 300, 900 }, 2100);
		parts_put(fixture, "ring", 4, (const double[]){ 50 + trial, 300, 60 }, 500);
		parts_put(fixture, "spin", 4, (const double[]){ 55, 600, 62 }, 900);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "split", "svg"), 0);
	assert_string_equal(fixture->message, "");
	/* the queue with the shortest bar on top, each one's by batch; half a row between queues */
	assert_true(file_has(fixture, "split.tsv", "\n1\t1\t51\t300\t60\t500\t102\t600\t120\t1000\t3\t4\t64\tring\n"
						   "1\t2\t1000\t300\t900\t2100\t2000\t600\t1800\t4200\t3\t64\t64\tring\n"
						   "1\t3.5\t55\t600\t62\t900\t"));
	assert_true(file_has(fixture, "split.gp", "'spin, batch 4'"));
	/* what is too short to be seen is written beside it */
	assert_true(file_has(fixture, "split.gp", "row_number[1] = '51.00 ns'\nrow_number[2] = '300.0 ns'\n"));
	assert_true(file_has(fixture, "split.gp", "row_number[8] = '2.100 us'\n"));
	assert_false(file_has(fixture, "split.gp", "an axis each"));
}

static void parts_of_very_different_queues_have_an_axis_each(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	parts_put(fixture, "ring", 4, (const double[]){ 50, 300, 60 }, 500);
	parts_put(fixture, "mutex", 4, (const double[]){ 50, 80000, 60 }, 81000);
	parts_put(fixture, "mutex", 8, (const double[]){ 50, 90000, 60 }, 91000);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "split", "svg"), 0);
	assert_true(file_has(fixture, "split.gp", "an axis each"));
	assert_true(file_has(fixture, "split.gp", "panels = 2\n"));
	assert_int_equal(lines_with(fixture, "split.tsv", "1\t"), 1);
	assert_int_equal(lines_with(fixture, "split.tsv", "2\t"), 2);
}

static void a_part_that_is_not_known_leaves_its_bar_out(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	parts_put(fixture, "ring", 4, (const double[]){ 50, -1, 60 }, 500);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "split", "svg"), 1);
	assert_false(file_exists(fixture, "split.tsv"));
}

static void a_sojourn_is_no_part_of_a_latency(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	stream_put(fixture, "ring", 4, 1e6, 150);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "split", "svg"), 1);
	assert_non_null(strstr(fixture->message, "--latency"));
	assert_int_equal(draw(fixture, "position", "svg"), 1);
	assert_non_null(strstr(fixture->message, "--stamps message"));
}

static void each_place_in_a_batch_has_its_latency(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 6; trial++) {
		parts_put(fixture, "ring", 4, (const double[]){ 50, 300, 60 }, 500);
		parts_put(fixture, "ring", 1, (const double[]){ 50, 300, 60 }, 500); /* has no places */
		parts_put(fixture, "ring", 16, (const double[]){ 50, 300, 60 }, 500);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "position", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "position.tsv", "\n1\t1\t400\t400\t400\t6\t64\t4\t"));
	assert_true(file_has(fixture, "position.tsv", "\n1\t4\t100\t100\t100\t6\t64\t4\t"));
	assert_true(file_has(fixture, "position.tsv", "\n2\t1\t4000\t"));
	assert_true(file_has(fixture, "position.tsv", "\n3\t16\t100\t"));
	assert_int_equal(lines_with(fixture, "position.tsv", "1\t") + lines_with(fixture, "position.tsv", "2\t"), 8);
	assert_int_equal(lines_with(fixture, "position.tsv", "3\t") + lines_with(fixture, "position.tsv", "4\t"), 32);
	/* 10 of a trial, of 4,010 and 16,010 */
	assert_true(file_has(fixture, "position.gp", "0.0999 % of the messages"));
	assert_true(file_has(fixture, "position.gp", "write to read, p99"));
	assert_false(file_has(fixture, "position.gp", "No line"));
}

static void lines_without_points_are_told_of(void **state)
{
	struct fixture *fixture = *state;
	const double parts[] = { 50, 300, 60 };
	json_t *trial, *nulls;

	record_begin(fixture);
	parts_put(fixture, "ring", 4, parts, 500);
	trial = parts_trial(fixture, "spin", 4, parts, 500); /* too few messages for a 99th percentile */
	nulls = json_object_get(json_object_get(trial, "positions"), "p99_ns");
	for (size_t i = 0; i < json_array_size(nulls); i++)
		json_array_set_new(nulls, i, json_null());
	line_put(fixture, trial);
	json_object_set_new(json_object_get(trial, "cell"), "queue", json_string("mutex")); /* for any */
	json_object_set_new(trial, "id", json_integer(++fixture->trials));
	json_object_set(json_object_get(trial, "positions"), "p50_ns", nulls);
	line_put(fixture, trial);
	json_object_set_new(json_object_get(trial, "cell"), "queue", json_string("scq")); /* no trial tells any place */
	json_object_set_new(trial, "id", json_integer(++fixture->trials));
	json_object_set_new(trial, "positions", json_null());
	line_put(fixture, trial);
	json_decref(trial);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "position", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "position.gp", "no trial tells places in the batch: scq batch 4 window 256 in r150."));
	assert_true(file_has(fixture, "position.gp", "too few batches came to their full size: mutex batch 4 window 256."));
	assert_true(file_has(fixture, "position.gp", "No line of the 99th percentile"));
	assert_true(file_has(fixture, "position.svg", "spin batch 4"));
}

static void windows_stand_with_their_stalls_and_modes(void **state)
{
	static const int two[] = { 620000, 620000, 250000, 620000, 250000, 620000, 620000, 620000, 250000, 620000 };
	static const int stalls[] = { 400000, 400000, 400000, 400000, 0 };
	struct fixture *fixture = *state;

	record_begin(fixture);
	windows_put(fixture, "spin", stalls, 5, 10);
	windows_put(fixture, "ring", two, 10, 40);
	windows_put(fixture, "spin", stalls, 5, 10);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "windows", "svg"), 0);
	assert_string_equal(fixture->message, "");
	/* what has two modes first; trials one behind the other */
	assert_true(file_has(fixture, "windows.tsv", "\n1\t0\t10\t6.2e+07\t0\t1\tring\n"));
	assert_true(file_has(fixture, "windows.tsv", "\n2\t40\t50\t0\t1\t1\tspin\n"));
	assert_true(file_has(fixture, "windows.tsv", "\n2\t100\t110\t4e+07\t0\t2\tspin\n"));
	assert_int_equal(lines_with(fixture, "windows.tsv", "1\t"), 40);
	assert_int_equal(lines_with(fixture, "windows.tsv", "2\t"), 20);
	assert_true(file_has(fixture, "windows.gp", "'mode: 62.00 M/s, 70 % of the time'"));
	assert_true(file_has(fixture, "windows.gp", "'mode: 25.00 M/s, 30 % of the time'"));
	assert_true(file_has(fixture, "windows.gp", "'stalled: 4 of 20'"));
	assert_true(file_has(fixture, "windows.gp", "trials: 1 unsteady"));
}

static void a_title_tells_the_capacity_of_its_own_cell(void **state)
{
	static const int steady[] = { 400000 };
	struct fixture *fixture = *state;
	char *gp, *floor, *ring;

	record_begin(fixture);
	windows_put(fixture, "ring", steady, 1, 8);
	windows_put(fixture, "line", steady, 1, 8);
	record_finish(fixture);
	for (size_t i = 0; i < fixture->summary.row_count; i++) { /* as a record has it of a floor, and of the queue beside it */
		struct record_cell *cell = (struct record_cell *)fixture->summary.rows[i].cell;

		cell->capacity = strcmp(cell->queue, "line") ? 1024 : 1;
	}
	assert_int_equal(draw(fixture, "windows", "svg"), 0);
	assert_string_equal(fixture->message, "");
	gp = file_text(fixture, "windows.gp");
	floor = strstr(gp, "line (");
	ring = strstr(gp, "ring, batch");
	assert_true(floor && ring);
	*strchr(floor, '\n') = *strchr(ring, '\n') = '\0';
	assert_non_null(strstr(floor, "capacity 1'"));
	assert_non_null(strstr(ring, "capacity 1024'"));
	free(gp);
}

static void of_many_cells_and_trials_some_are_drawn_and_the_rest_is_counted(void **state)
{
	static const int steady[] = { 400000 };
	struct fixture *fixture = *state;
	char queue[16];

	record_begin(fixture);
	for (int cell = 0; cell < 9; cell++) {
		snprintf(queue, sizeof(queue), "queue%d", cell);
		for (int trial = 0; trial < (cell ? 1 : 14); trial++)
			windows_put(fixture, queue, steady, 1, 2);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "windows", "png"), 0);
	assert_string_equal(fixture->message, "");
	assert_int_equal(lines_with(fixture, "windows.tsv", "1\t"), 24);
	assert_true(file_has(fixture, "windows.gp", "; 2 more count"));
	assert_true(file_has(fixture, "windows.gp", "1 cell more is not drawn"));
}

static void nothing_but_stalls_and_no_windows_are_drawn_or_told(void **state)
{
	static const int nothing[] = { 0 }, once[] = { 0, 0, 0, 0, 0, 0, 0, 90000 };
	struct fixture *fixture = *state;

	record_begin(fixture);
	windows_put(fixture, "ring", nothing, 1, 8);
	windows_put(fixture, "spin", once, 8, 8);
	windows_put(fixture, "mutex", once, 8, 0);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "windows", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_int_equal(lines_with(fixture, "windows.tsv", "1\t"), 8); /* ring's are none: too few messages to be sure of */
	assert_int_equal(lines_with(fixture, "windows.tsv", "2\t"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(parts_lie_one_behind_the_other_with_the_whole_beside),
		TEST(parts_of_very_different_queues_have_an_axis_each),
		TEST(a_part_that_is_not_known_leaves_its_bar_out),
		TEST(a_sojourn_is_no_part_of_a_latency),
		TEST(each_place_in_a_batch_has_its_latency),
		TEST(lines_without_points_are_told_of),
		TEST(windows_stand_with_their_stalls_and_modes),
		TEST(a_title_tells_the_capacity_of_its_own_cell),
		TEST(of_many_cells_and_trials_some_are_drawn_and_the_rest_is_counted),
		TEST(nothing_but_stalls_and_no_windows_are_drawn_or_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
