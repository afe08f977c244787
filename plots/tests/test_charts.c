/* What the figures show. */
#include "figure_rig.h"
#include <stdlib.h>
#include <string.h>

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
	assert_true(file_has(fixture, "rate.gp", "1 trial of other regimes of the line (r560) is not drawn"));
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
	assert_true(file_has(fixture, "ablation.gp", "b*: between the two measured batches"));
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
	assert_false(file_has(fixture, "ablation.gp", "b*"));
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

/* So many trials of each of two queues at two batches; `lone`, which does not batch, is ahead at the second. */
static void map_record(struct fixture *fixture, int trials)
{
	record_begin(fixture);
	for (int i = 0; i < trials; i++) {
		capacity_put(fixture, "ring", 64, 1, 1e7);
		capacity_put(fixture, "sealed", 64, 1, 2e7);
		capacity_put(fixture, "ring", 1024, 32, 4e7);
		capacity_put(fixture, "sealed", 1024, 32, 3.2e7);
		capacity_put(fixture, "lone", 1024, 1, 5e7);
		capacity_put(fixture, "null", 2, 32, 9e8);
	}
	record_finish(fixture);
}

static void a_map_names_who_is_ahead_and_by_how_much(void **state)
{
	struct fixture *fixture = *state;

	map_record(fixture, 6);
	assert_int_equal(draw(fixture, "map", "svg"), 0);
	assert_true(file_has(fixture, "map.tsv", "\t1\t64\t2e+07\t1e+07\t1\tsealed\t2.00 x ring\t20.00 M/s\tsealed\tring\n"));
	assert_true(file_has(fixture, "map.tsv", "\t32\t1024\t5e+07\t4e+07\t1\tlone\t1.25 x ring\t50.00 M/s\tlone\tring\n"));
	assert_true(file_has(fixture, "map.tsv", "\t1\t1024\t5e+07\tnan\t0\tlone\talone\t50.00 M/s\tlone\t\n"));
	assert_false(file_has(fixture, "map.tsv", "\t32\t64\t")); /* where nothing was measured is no tile */
	assert_true(file_has(fixture, "map.gp", "map_count = 1\n"));
	assert_int_equal(draw(fixture, "map", "dumb"), 0);
}

static void a_map_of_few_trials_tells_nobody_apart(void **state)
{
	struct fixture *fixture = *state;

	map_record(fixture, 5);
	assert_int_equal(draw(fixture, "map", "svg"), 0);
	assert_true(file_has(fixture, "map.tsv", "\t1\t64\t2e+07\t1e+07\t0\tsealed\t~2.00 x ring\t20.00 M/s\tsealed\tring\n"));
}

static void each_regime_has_a_map(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (json_int_t batch = 0; batch < 3; batch++) /* at the first one there are two trials of the other regime: too few */
		for (int far = 0; far < 2; far++)
			for (int trial = 0; trial < (far ? batch + 2 : 5); trial++) {
				stream_put(fixture, "ring", 1 << batch, far ? 1e6 : 1e8, far ? 560 : 150);
				stream_put(fixture, "sealed", 1 << batch, 1e7, far ? 560 : 150);
			}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "map", "svg"), 0);
	assert_true(file_has(fixture, "map.gp", "map_count = 2\n"));
	assert_true(file_has(fixture, "map.gp", "map_title[1] = 'same-l3 (CPUs 0,1), line r150'"));
	assert_true(file_has(fixture, "map.gp", "map_title[2] = 'same-l3 (CPUs 0,1), line r560'"));
	assert_true(file_has(fixture, "map.tsv", "\n1\t1\t1\t"));
	assert_false(file_has(fixture, "map.tsv", "\n2\t1\t1\t"));
	assert_true(file_has(fixture, "map.tsv", "\n2\t2\t1\t"));
	assert_true(file_has(fixture, "map.tsv", "\tring\t~10 x sealed\t"));
	assert_true(file_has(fixture, "map.tsv", "\tsealed\t~10 x ring\t"));
}

/* What a regime has by chance: of spin its batches of one alone, which are not held against others' larger ones; of lanes nothing. */
static void a_map_tells_who_is_missing(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (json_int_t batch = 1; batch < 17; batch *= 4)
		for (int trial = 0; trial < 5; trial++) {
			stream_put(fixture, "ring", batch, 1e8, 150);
			stream_put(fixture, "sealed", batch, 1e7, 150);
			stream_put(fixture, "spin", batch, 5e7, 150);
			stream_put(fixture, "lanes", batch, 9e7, 150);
			if (trial < 3) {
				stream_put(fixture, "ring", batch, 1e6, 560);
				stream_put(fixture, "sealed", batch, 1e7, 560);
			}
			if (trial < 3 && batch == 1)
				stream_put(fixture, "spin", batch, 5e6, 560);
		}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "map", "svg"), 0);
	assert_true(file_has(fixture, "map.gp", "map_title[2] = 'same-l3 (CPUs 0,1), line r560'"));
	assert_true(file_has(fixture, "map.tsv", "\tsealed\t~2.00 x spin\t10.00 M/s, 3 of 4\t"));
	assert_true(file_has(fixture, "map.tsv", "\tsealed\t~10 x ring\t10.00 M/s, 2 of 4\t"));
	assert_true(file_has(fixture, "map.tsv", "\tring\t~1.11 x lanes\t100.0 M/s\t"));
	assert_true(file_has(fixture, "map.gp", "2 of 8: so many of the queues"));
}

static void one_queue_makes_no_map(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	capacity_put(fixture, "ring", 64, 1, 1e7);
	capacity_put(fixture, "ring", 1024, 32, 4e7);
	capacity_put(fixture, "sealed", 64, 1, 4e7); /* one tile with two */
	record_finish(fixture);
	assert_int_equal(draw(fixture, "map", "svg"), 1);
	assert_false(file_exists(fixture, "map.svg"));
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
	assert_true(file_has(fixture, "fan.tsv", "5\t2\t0.45\t")); /* the consumers' is the lower one */
	assert_true(file_has(fixture, "fan.tsv", "7\t3\t3e+06\t"));
	assert_true(file_has(fixture, "fan.tsv", "3\t4\t0.25\tnan\tnan\t0\tnan\tnan\tnan\tcurve of 1/N\n"));
	/* the pipeline's three stages are no mark of the others' axes */
	assert_true(file_has(fixture, "fan.gp",
			     "tick[1] = 1\ntick_text[1] = '1'\ntick_panel[1] = 1\ntick[2] = 4\ntick_text[2] = '4'\ntick_panel[2] = 1\n"
			     "tick[3] = 1\n"));
	assert_true(file_has(fixture, "fan.gp", "tick[9] = 3\ntick_text[9] = '3'\ntick_panel[9] = 5\ntick_count = 9\n"));
	assert_true(file_has(fixture, "fan.gp", "'N: stages'"));
	assert_true(file_has(fixture, "fan.gp", "No floor is drawn"));
	assert_true(file_has(fixture, "fan.gp", "fanin from N = 4 on"));
}

/* As with all else in a panel, what was measured while the line was nearer is no limit of it. */
static void a_stream_of_another_regime_is_no_floor_of_a_fan(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int n = 0; n < 3; n++)
		fan_put(fixture, "fanin", "scq", 2, 1e7, 1);
	stream_put(fixture, "stream-limit", 256, 4e8, 150);
	stream_put(fixture, "stream-near", 256, 9e8, 60);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "fan", "svg"), 0);
	assert_true(file_has(fixture, "fan.gp", "'stream-limit, 1 to 1 (floor)'"));
	assert_false(file_has(fixture, "fan.tsv", "stream-near"));
}

/* Records put together, or a line that went away between two workloads: what the main regime has nothing of is drawn in its own. */
static void what_was_measured_in_a_regime_of_its_own_is_drawn(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (int trial = 0; trial < 3; trial++)
		stream_put(fixture, "ring", 1, 1e7, 560);
	fan_put(fixture, "fanin", "scq", 2, 2e7, 1);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "fan", "svg"), 0);
	assert_true(file_has(fixture, "fan.gp", "line r150"));
	assert_true(file_has(fixture, "fan.tsv", "2e+07"));
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_true(file_has(fixture, "rate.gp", "line r560"));
}

static void the_leanest_stream_is_the_floor_of_a_fan_with_one_end(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	fan_put(fixture, "fanin", "scq", 2, 1e7, 1);
	fan_put(fixture, "mesh", "scq", 2, 1e7, 1);
	stream_put(fixture, "stream-limit", 256, 4e8, 150);
	stream_put(fixture, "stream-near", 256, 5e8, 150);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "fan", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "fan.tsv", "2\t2.4\t5e+08\tnan\tnan\t0\tnan\tnan\tnan\tcurve of stream-near\n"));
	assert_true(file_has(fixture, "fan.gp", "'stream-near, 1 to 1 (floor)'"));
	assert_false(file_has(fixture, "fan.tsv", "stream-limit"));
	assert_false(file_has(fixture, "fan.gp", "No floor is drawn"));
	assert_false(file_has(fixture, "fan.gp", "'stream-near, 1 to 1 (floor)'\nseries_label[5]")); /* the mesh has none */
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
	assert_true(file_has(fixture, "fan.tsv", "7\t1\t3e+07\t") || file_has(fixture, "fan.tsv", "4\t1\t3e+07\t") ||
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
	assert_true(file_has(fixture, "batch.gp", "2 points not above 0 are left out"));
	assert_int_equal(draw(fixture, "fan", "svg"), 1);
	assert_non_null(strstr(fixture->message, "above 0"));
}

static void values_that_no_trial_has_are_counted(void **state)
{
	struct fixture *fixture = *state;
	json_t *trial;

	record_begin(fixture);
	stream_put(fixture, "ring", 1, 1e7, 150);
	stream_put(fixture, "ring", 10, 1e8, 150);
	trial = stream_trial(fixture, "mutex", 1, 1e6, 150);
	json_object_set_new(element(element(trial, "endpoints", 1), "points", 0), "rate_per_s", json_null());
	line_put(fixture, trial);
	json_decref(trial);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "batch", "svg"), 0);
	assert_true(file_has(fixture, "batch.gp", "1 point is left out, because no trial"));
}

static void floors_of_a_batch_of_their_own_share_a_column(void **state)
{
	struct fixture *fixture = *state;
	json_t *trial;

	record_begin(fixture);
	stream_put(fixture, "ring", 1, 1e7, 150);
	stream_put(fixture, "ring", 10, 1e8, 150);
	stream_put(fixture, "null", 1, 5e8, 150);
	stream_put(fixture, "null", 100, 9e8, 150); /* measured at several: each in its own */
	stream_put(fixture, "stream-limit", 256, 4e8, 150);
	trial = stream_trial(fixture, "stream-limit", 2048, 6e8, 150);
	json_object_set_new(json_object_get(trial, "cell"), "message_bytes", json_integer(8));
	line_put(fixture, trial);
	json_object_set_new(json_object_get(trial, "cell"), "queue", json_string("ring"));
	json_object_set_new(json_object_get(trial, "cell"), "batch", json_integer(1));
	json_object_set_new(trial, "id", json_integer(++fixture->trials));
	line_put(fixture, trial);
	json_decref(trial);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_string_equal(fixture->message, "");
	assert_true(file_has(fixture, "rate.gp", "'batch 100'"));
	assert_true(file_has(fixture, "rate.gp", "'a batch of its own'"));
	assert_false(file_has(fixture, "rate.gp", "'batch 256'"));
	assert_false(file_has(fixture, "rate.gp", "'batch 2048'"));
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

/* A regime's name may begin as another one's does. */
static void each_regime_that_is_not_drawn_is_named(void **state)
{
	static const double lines_ns[] = { 150, 150, 150, 560, 560, 56 };
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (size_t n = 0; n < sizeof(lines_ns) / sizeof(lines_ns[0]); n++)
		stream_put(fixture, "ring", 8, 3e8, lines_ns[n]);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	assert_true(file_has(fixture, "rate.gp", "3 trials of other regimes of the line (r560, r56)"));
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
	assert_true(file_has(fixture, "capacity.gp", "2 trials of other regimes of the line (r560)"));
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
	assert_true(file_has(fixture, "latency.gp", "100 samples above the histogram''s top"));
	assert_true(file_has(fixture, "latency.gp", "meets few of these stalls"));
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
			     "area = sum of latencies = 500.0 ns, over 3 messages: mean latency 166.7 ns"));
	assert_true(file_has(fixture, "curves.tsv", "3\t200.0\t390.0\t390.0\t9"));
}

/* ---- the matrix ---- */

static void what_found_no_panel_is_not_said_to_be_missing(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (json_int_t capacity = 1; capacity <= 14; capacity++)
		capacity_put(fixture, "ring", capacity, 8, 1e7);
	stamps_put(fixture, "ring", "none", 2e7);
	stamps_put(fixture, "ring", "message", 1e7);
	record_finish(fixture);
	assert_int_equal(draw(fixture, "stamps", "svg"), 1);
	assert_non_null(strstr(fixture->message, "among the first 12 settings; 4 cells beyond them are not looked at"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
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
		TEST(a_map_names_who_is_ahead_and_by_how_much),
		TEST(a_map_of_few_trials_tells_nobody_apart),
		TEST(each_regime_has_a_map),
		TEST(a_map_tells_who_is_missing),
		TEST(one_queue_makes_no_map),
		TEST(rates_lie_along_the_capacity_a_panel_each_batch),
		TEST(one_capacity_is_no_figure),
		TEST(a_fan_has_an_area_each_workload_and_its_evenness_below),
		TEST(a_stream_of_another_regime_is_no_floor_of_a_fan),
		TEST(what_was_measured_in_a_regime_of_its_own_is_drawn),
		TEST(the_leanest_stream_is_the_floor_of_a_fan_with_one_end),
		TEST(ways_of_waiting_that_are_compared_stay_apart),
		TEST(of_forty_queues_the_best_and_the_known_are_drawn),
		TEST(values_not_above_0_are_counted),
		TEST(values_that_no_trial_has_are_counted),
		TEST(floors_of_a_batch_of_their_own_share_a_column),
		TEST(one_point_and_equal_values_are_drawn),
		TEST(each_regime_that_is_not_drawn_is_named),
		TEST(no_figure_mixes_regimes),
		TEST(a_percentile_needs_ten_samples_beyond),
		TEST(values_beyond_the_top_are_counted_and_no_percentile),
		TEST(too_few_samples_are_no_curve),
		TEST(the_area_between_the_curves_is_the_sum_of_latencies),
		TEST(what_found_no_panel_is_not_said_to_be_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
