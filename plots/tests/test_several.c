/* Several records in one figure; and records of one point, or of equal ones, in each. */
#include "figure_rig.h"
#include "record_join.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The fixture's record beside itself or another, as one. */
static int draw_joined(struct fixture *fixture, const struct record *other, const char *name, const char *terminal)
{
	const struct record_part parts[] = { { &fixture->record, "old" }, { other, "new" } };
	const struct figure_request request = { terminal, fixture->folder, NULL };
	struct summary summary;
	struct record joined;
	int result;

	assert_int_equal(record_join(&joined, parts, 2), 0);
	assert_int_equal(summary_make(&summary, &joined), 0);
	result = figure_draw(figure_find(name), &joined, &summary, &request, fixture->path, sizeof(fixture->path), fixture->message,
			     sizeof(fixture->message));
	summary_free(&summary);
	record_join_free(&joined);
	return result;
}

static void figures_that_can_show_two_records_have_the_lines_of_both(void **state)
{
	struct fixture *fixture = *state;
	char tsv[64];
	size_t count;
	const struct figure *figures = figure_list(&count);

	record_ordinary(fixture);
	for (size_t i = 0; i < count; i++) {
		if (figures[i].one_record)
			continue;
		assert_int_equal(draw_joined(fixture, &fixture->record, figures[i].name, "svg"), 0);
		assert_string_equal(fixture->message, "");
		snprintf(tsv, sizeof(tsv), "%s.tsv", figures[i].name);
		assert_true(file_has(fixture, tsv, "(old)"));
		assert_true(file_has(fixture, tsv, "(new)"));
		snprintf(tsv, sizeof(tsv), "%s.gp", figures[i].name);
		assert_true(file_has(fixture, tsv, "(old): "));
	}
}

static void the_figures_asked_for_most_show_two_records(void **state)
{
	const char *const names[] = { "batch", "latency", "load", "rate" };

	(void)state;
	for (size_t i = 0; i < 4; i++)
		assert_false(figure_find(names[i])->one_record);
}

static void each_record_keeps_its_numbers(void **state)
{
	struct fixture *fixture = *state;
	struct fixture *second;
	void *other;

	for (int i = 0; i < 2; i++) {
		if (i == 0)
			record_begin(fixture);
		stream_put(fixture, "ring", i ? 8 : 1, i ? 2e7 : 1e7, 150);
	}
	record_finish(fixture);
	assert_int_equal(rig_setup(&other), 0);
	second = other;
	record_begin(second);
	stream_put(second, "ring", 1, 4e7, 150);
	stream_put(second, "ring", 8, 5e7, 150);
	record_finish(second);
	assert_int_equal(draw_joined(fixture, &second->record, "batch", "svg"), 0);
	rig_teardown(&other);
	assert_true(file_has(fixture, "batch.tsv", "\t1\t100\t"));
	assert_true(file_has(fixture, "batch.tsv", "\t8\t50\t"));
	assert_true(file_has(fixture, "batch.tsv", "\t1\t25\t"));
	assert_true(file_has(fixture, "batch.tsv", "\t8\t20\t"));
}

static void a_record_in_another_regime_is_left_out_and_told(void **state)
{
	struct fixture *fixture = *state;
	void *other;
	struct fixture *second;

	record_begin(fixture);
	for (int i = 0; i < 4; i++)
		stream_put(fixture, "ring", 1 + i % 2, 1e7, 150);
	record_finish(fixture);
	assert_int_equal(rig_setup(&other), 0);
	second = other;
	record_begin(second);
	stream_put(second, "ring", 1, 4e7, 600);
	stream_put(second, "ring", 2, 4e7, 600);
	record_finish(second);
	assert_int_equal(draw_joined(fixture, &second->record, "batch", "svg"), 0);
	rig_teardown(&other);
	assert_false(file_has(fixture, "batch.tsv", "(new)"));
	assert_true(file_has(fixture, "batch.gp", "2 trials of other regimes of the line (r600) are not drawn"));
}

/* Histograms, slices and places are read from the file that a trial came from. */
static void details_come_from_their_own_file(void **state)
{
	struct fixture *fixture = *state;
	struct fixture *second;
	struct record joined;
	struct record_bucket *buckets;
	char error[RECORD_TEXT];
	uint64_t samples[2] = { 0 };
	void *other;

	record_begin(fixture);
	pingpong_put(fixture, "ring", 900, 100, 0);
	record_finish(fixture);
	assert_int_equal(rig_setup(&other), 0);
	second = other;
	record_begin(second);
	pingpong_put(second, "ring", 40, 2, 0);
	record_finish(second);
	{
		const struct record_part parts[] = { { &fixture->record, "old" }, { &second->record, "new" } };

		assert_int_equal(record_join(&joined, parts, 2), 0);
		assert_int_equal(joined.trial_count, 2);
		assert_int_equal(joined.cell_count, 2);
		for (size_t t = 0; t < 2; t++)
			for (size_t l = 0; l < joined.trials[t].latency_count; l++) {
				long count = record_histogram(&joined, &joined.trials[t], l, &buckets, error);

				for (long b = 0; b < count; b++)
					samples[t] += buckets[b].count;
				free(buckets);
			}
		record_join_free(&joined);
	}
	rig_teardown(&other);
	assert_true(samples[0] >= 1000);
	assert_true(samples[1] >= 42 && samples[1] < 1000);
}

/* ---- next to nothing, and nothing that differs ---- */

enum { KINDS = 7 };

static void kind_put(struct fixture *fixture, int kind)
{
	const double parts[] = { 100, 100, 100 };
	const int messages[] = { 1000 };

	if (kind == 0)
		stream_put(fixture, "ring", 1, 1e7, 150);
	else if (kind == 1)
		pingpong_put(fixture, "ring", 1000, 0, 0);
	else if (kind == 2)
		parts_put(fixture, "ring", 4, parts, 300);
	else if (kind == 3)
		open_put(fixture, "ring", 50, 1e7, 200, false);
	else if (kind == 4)
		gap_put(fixture, "ring", "spin", 1000, 200);
	else if (kind == 5)
		fan_put(fixture, "fanin", "ring", 2, 1e7, 1);
	else
		windows_put(fixture, "ring", messages, 1, 20);
}

static void each_figure_is_drawn_or_says_why_not(struct fixture *fixture)
{
	size_t count;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++) {
		int result = draw(fixture, figures[i].name, "svg");

		assert_in_range(result, 0, 1);
		if (result) {
			assert_true(strlen(fixture->message) > 10);
			assert_null(strstr(fixture->message, "gnuplot"));
		} else {
			assert_string_equal(fixture->message, "");
		}
	}
}

static void a_single_point_is_drawn_or_says_why_not(void **state)
{
	for (int kind = 0; kind < KINDS; kind++) {
		void *own = NULL;

		assert_int_equal(rig_setup(&own), 0);
		record_begin(own);
		kind_put(own, kind);
		record_finish(own);
		each_figure_is_drawn_or_says_why_not(own);
		rig_teardown(&own);
	}
	(void)state;
}

static void points_that_are_all_equal_are_drawn_or_say_why_not(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int i = 0; i < 7 * KINDS; i++)
		kind_put(fixture, i % KINDS);
	for (json_int_t i = 1; i <= 4; i++) {
		stream_put(fixture, "spin", i, 1e7, 150);
		capacity_put(fixture, "ring", 64 * i, 1, 1e7);
		stamps_put(fixture, "ring", i % 2 ? "none" : "batch", 1e7);
		switches_put(fixture, "mutex", i % 2, true, 4, 1e7);
	}
	record_finish(fixture);
	each_figure_is_drawn_or_says_why_not(fixture);
}

/* The gnuplot that is here, with some of its terminals hidden from the script. */
static void a_gnuplot_without_the_terminal_is_told_with_those_that_it_has(void **state)
{
	struct fixture *fixture = *state;
	char path[128], *before = strdup(getenv("PATH"));
	FILE *file;
	int result;

	assert_non_null(before);
	record_ordinary(fixture);
	snprintf(path, sizeof(path), "%s/gnuplot", fixture->folder);
	file = fopen(path, "we");
	assert_non_null(file);
	fprintf(file, "#!/bin/sh\nPATH='%s'\nrm ./gnuplot\nsed \"s/GPVAL_TERMINALS/'dumb svg'/\" \"$2\" >hidden.gp\nexec gnuplot -d hidden.gp\n", before);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0700), 0);
	setenv("PATH", fixture->folder, 1);
	result = draw(fixture, "rate", "png");
	setenv("PATH", before, 1);
	free(before);
	assert_true(result < 0);
	assert_non_null(strstr(fixture->message, "this gnuplot cannot draw png; it can draw: svg dumb"));
	assert_string_equal(fixture->path, "");
	assert_false(file_exists(fixture, "rate.png"));
	assert_true(file_exists(fixture, "rate.tsv"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(figures_that_can_show_two_records_have_the_lines_of_both),
		cmocka_unit_test(the_figures_asked_for_most_show_two_records),
		TEST(each_record_keeps_its_numbers),
		TEST(a_record_in_another_regime_is_left_out_and_told),
		TEST(details_come_from_their_own_file),
		cmocka_unit_test(a_single_point_is_drawn_or_says_why_not),
		TEST(points_that_are_all_equal_are_drawn_or_say_why_not),
		TEST(a_gnuplot_without_the_terminal_is_told_with_those_that_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
