/* The figure of a history, of views that are made up. */
#include "figure_rig.h"
#include "history_print.h"
#include "svg_boxes.h"
#include <stdlib.h>
#include <string.h>

enum { RUNS = 24, CELLS = 24 };

struct made {
	struct history_view view;
	struct history_run runs[RUNS];
	struct history_cell cells[CELLS];
	struct history_machine machines[2];
	struct history_point points[RUNS * CELLS];
};

static struct made *made_of(size_t runs, size_t cells)
{
	struct made *made = calloc(1, sizeof(*made));

	assert_non_null(made);
	made->view = (struct history_view){ made->machines, 2, made->runs, runs, made->cells, cells, made->points, runs * cells };
	for (size_t m = 0; m < 2; m++) {
		made->machines[m].identity = json_pack("{s:s}", "cpu_model", m ? "Other" : "One");
		snprintf(made->machines[m].fingerprint, HISTORY_FINGERPRINT, "%08zx", m + 1);
	}
	for (size_t c = 0; c < cells; c++) {
		made->cells[c].id = (int64_t)c + 1;
		made->cells[c].parameters = json_pack("{s:s, s:s, s:s, s:i, s:i}", "queue", c ? "mutex" : "it's `ring`\n", "workload",
						      "stream", "load", "saturate", "batch", 1, "message_bytes", 64);
		made->cells[c].queue = json_string_value(json_object_get(made->cells[c].parameters, "queue"));
	}
	for (size_t r = 0; r < runs; r++) {
		made->runs[r].started_utc = strdup("2026-01-01T00:00:00Z");
		made->runs[r].commit = strdup("c0ffee-`x`");
	}
	for (size_t i = 0; i < runs * cells; i++)
		made->points[i] = (struct history_point){ .run = i % runs, .cell = i / runs, .regime_ns = 100, .trials = 10,
							  .rate = { true, 1e6, { true, 9e5, 1.1e6 } } };
	return made;
}

static void made_free(struct made *made)
{
	for (size_t m = 0; m < 2; m++)
		json_decref(made->machines[m].identity);
	for (size_t c = 0; c < CELLS; c++)
		json_decref(made->cells[c].parameters);
	for (size_t r = 0; r < RUNS; r++) {
		free(made->runs[r].started_utc);
		free(made->runs[r].commit);
	}
	free(made);
}

static int made_draw(struct fixture *fixture, const struct made *made, const char *terminal)
{
	const struct figure_request request = { terminal, fixture->folder, NULL };
	struct history_trends trends;
	int result;

	assert_int_equal(history_trends_make(&trends, &made->view, 0.02), 0);
	result = figure_draw_history(&(struct history_print){ &made->view, &trends, "made", false }, &request, fixture->path,
				     sizeof(fixture->path), fixture->message, sizeof(fixture->message));
	history_trends_free(&trends);
	return result;
}

static void a_change_is_marked_and_named(void **state)
{
	struct fixture *fixture = *state;
	struct made *made = made_of(RUNS, 2);
	const char *const terminals[] = { "svg", "png", "pdf" };

	for (size_t r = 14; r < RUNS; r++)
		made->points[r].rate.median = 5e5;
	for (size_t t = 0; t < 3; t++) {
		assert_int_equal(made_draw(fixture, made, terminals[t]), 0);
		assert_string_equal(fixture->message, "");
	}
	assert_true(file_has(fixture, "history.tsv", "\t15\t500000\t"));
	assert_true(file_has(fixture, "history.gp", "mark_x[1] = 14.5"));
	assert_true(file_has(fixture, "history.gp", "1: slower, -50.0 %"));
	assert_true(file_has(fixture, "history.gp", "c0ffee-`"));
	figure_is_legible(fixture, "history", SVG_WORDS);
	assert_false(file_exists(fixture, "x"));
	assert_int_equal(folder_count(fixture), 5);
	made_free(made);
}

static void machines_and_regimes_have_areas_of_their_own(void **state)
{
	struct fixture *fixture = *state;
	struct made *made = made_of(12, 1);

	for (size_t r = 0; r < 12; r++) {
		made->runs[r].machine = r % 3 == 1;
		made->points[r].regime_ns = r % 3 == 2 ? 560 : 100;
	}
	assert_int_equal(made_draw(fixture, made, "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "history.gp", "panels = 3"));
	assert_true(file_has(fixture, "history.gp", "machine 00000001 (One), line r100"));
	assert_true(file_has(fixture, "history.gp", "machine 00000001 (One), line r560"));
	assert_true(file_has(fixture, "history.gp", "machine 00000002 (Other), line r100"));
	made_free(made);
}

static void one_run_equal_values_and_more_than_there_is_room_for_are_drawn(void **state)
{
	struct fixture *fixture = *state;

	for (int way = 0; way < 3; way++) {
		struct made *made = made_of(way ? RUNS : 1, way == 2 ? CELLS : 1);

		assert_int_equal(made_draw(fixture, made, "svg"), 0);
		assert_string_equal(fixture->message, "");
		figure_is_legible(fixture, "history", SVG_NO_WORDS);
		if (way == 2)
			assert_true(file_has(fixture, "history.gp", "14 courses are not drawn"));
		made_free(made);
	}
}

static void nothing_is_a_message_and_no_file(void **state)
{
	struct fixture *fixture = *state;
	struct made *made = made_of(1, 1);

	made->points[0].rate.known = false;
	assert_int_equal(made_draw(fixture, made, "svg"), 1);
	assert_non_null(strstr(fixture->message, "no value"));
	assert_int_equal(folder_count(fixture), 0);
	made_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_change_is_marked_and_named),
		TEST(machines_and_regimes_have_areas_of_their_own),
		TEST(one_run_equal_values_and_more_than_there_is_room_for_are_drawn),
		TEST(nothing_is_a_message_and_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
