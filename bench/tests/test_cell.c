#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cell.h"
#include "list.h"
#include "memory.h"

static struct cell cell_example(void)
{
	return (struct cell){
		.queue = queue_find("ring"), .workload = WORKLOAD_STREAM, .load = LOAD_CLOSED, .window = 64, .batch = 10,
		.message_bytes = 40, .touch = TOUCH_HEAD, .capacity = 1000, .producers = 1, .consumers = 1, .prewrite = true,
		.preread = true, .place = "same-l3:E-P", .cpus = {3, 17},
		.wait = WAIT_PARK, .memory_owner = MEMORY_OF_NODE, .memory_node = 1, .huge_pages = MEMORY_PAGES_TRY_HUGE,
		.duration_ns = 50000000, .warm_up_ns = 0, .stamps = STAMPS_EVERY, .stamp_every = 16,
		.latencies = {{POINT_WRITE, POINT_READ}, {POINT_FLUSH, POINT_PREREAD}}, .latency_count = 2,
	};
}

static json_t *example_json(void)
{
	struct cell cell = cell_example();

	return cell_to_json(&cell);
}

static char *canonical(json_t *json)
{
	char *text = json_dumps(json, JSON_SORT_KEYS | JSON_COMPACT);

	json_decref(json);
	return text;
}

static void a_cell_survives_json_both_ways(void **state)
{
	struct cell cell = cell_example(), back;
	char error[CELL_TEXT] = "";
	json_t *json = cell_to_json(&cell);
	char *before, *after;

	(void)state;
	if (cell_from_json(&back, json, error))
		fail_msg("%s", error);
	assert_ptr_equal(back.queue, cell.queue);
	assert_int_equal(back.stamp_every, 16);
	assert_int_equal(back.memory_node, 1);
	assert_int_equal(back.cpus[1], 17);
	before = canonical(json);
	after = canonical(cell_to_json(&back));
	assert_string_equal(after, before);
	free(before);
	free(after);
}

/* The record's own example is the agreement about the fields. */
static void fields_are_those_of_the_example_record(void **state)
{
	FILE *file = fopen("results/tests/example.jsonl", "r");
	char line[1 << 16];
	unsigned cells = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		json_t *trial = json_loads(line, 0, NULL), *expected = json_object_get(trial, "cell");
		json_t *got = example_json();
		const char *field;
		json_t *value;

		assert_non_null(trial);
		if (expected) {
			cells++;
			json_object_foreach(expected, field, value)
				if (!json_object_get(got, field))
					fail_msg("missing: %s", field);
			json_object_foreach(got, field, value)
				if (!json_object_get(expected, field))
					fail_msg("not in the example: %s", field);
		}
		json_decref(got);
		json_decref(trial);
	}
	fclose(file);
	assert_true(cells > 0);
}

static void what_does_not_apply_is_null(void **state)
{
	struct cell cell = cell_example();
	json_t *json;

	(void)state;
	cell.queue = queue_find("ypipe");
	cell.capacity = cell.window = 0;
	json = cell_to_json(&cell);
	assert_true(json_is_null(json_object_get(json, "capacity")));
	assert_true(json_is_null(json_object_get(json, "window")));
	assert_true(json_is_null(json_object_get(json, "messages")));
	json_decref(json);
}

static void assert_refused(json_t *json, const char *field)
{
	char error[CELL_TEXT] = "";
	struct cell cell;
	int result = cell_from_json(&cell, json, error);

	if (result != -EINVAL || strncmp(error, field, strlen(field)))
		fail_msg("expected a refusal of %s, got %d '%s'", field, result, error);
	json_decref(json);
}

static void each_missing_field_is_named(void **state)
{
	json_t *whole = example_json();
	const char *field;
	json_t *value;

	(void)state;
	json_object_foreach(whole, field, value) {
		json_t *lacking = json_copy(whole);

		json_object_del(lacking, field);
		assert_refused(lacking, field);
	}
	json_decref(whole);
}

static void each_wrong_value_is_named(void **state)
{
	static const struct {
		const char *field, *value;
	} wrong[] = {
		{"queue", "\"no-such\""}, {"queue", "7"}, {"workload", "\"streams\""}, {"load", "null"}, {"batch", "0"},
		{"batch", "1.5"}, {"batch", "-1"}, {"window", "0"}, {"window", "\"8\""}, {"message_bytes", "7"},
		{"message_bytes", "1048577"}, {"capacity", "null"}, {"producers", "2"}, {"place", "null"}, {"cpus", "[0]"}, {"cpus", "[0,1,2]"},
		{"rate_per_s", "1000"}, {"rate_percent", "\"50%\""}, {"arrival", "\"constant\""}, {"burst", "8"}, {"gap_ns", "1000"},
		{"work_ns", "null"}, {"think_ns", "-1"}, {"latency", "[\"intended:read\"]"},
		{"consumers", "2"}, {"stages", "3"}, {"prewrite", "null"}, {"preread", "\"on\""},
		{"cpus", "[0,\"1\"]"}, {"cpus", "[0,-1]"}, {"cpus", "[0,4294967296]"}, {"wait", "\"auto\""},
		{"memory_node", "\"x\""}, {"memory_node", "1"}, {"huge_pages", "\"yes\""}, {"duration_ns", "null"},
		{"warm_up_ns", "-1"}, {"stamps", "\"1\""}, {"stamps", "\"all\""}, {"latency", "\"write:read\""},
		{"latency", "[\"write:write\"]"}, {"latency", "[\"read:write\"]"}, {"latency", "[\"write\"]"}, {"touch", "\"\""},
		{"place", "\"a-name-that-is-longer-than-any-placement-has\""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		json_t *json = example_json();

		json_object_set_new(json, wrong[i].field, json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
		assert_refused(json, wrong[i].field);
	}
}

static struct cell open_example(void)
{
	struct cell cell = cell_example();

	cell.load = LOAD_OPEN;
	cell.window = 0;
	cell.arrival = ARRIVAL_BURST;
	cell.burst = 8;
	cell.gap_ns = 1000000;
	cell.work_ns = 100;
	cell.latencies[0] = (struct latency_pair){POINT_INTENDED, POINT_HANDLED};
	return cell;
}

static void an_open_load_survives_json(void **state)
{
	struct cell cell = open_example(), back;
	char error[CELL_TEXT] = "";
	json_t *json = cell_to_json(&cell);

	(void)state;
	if (cell_from_json(&back, json, error))
		fail_msg("%s", error);
	json_decref(json);
	assert_int_equal(back.load, LOAD_OPEN);
	assert_int_equal(back.arrival, ARRIVAL_BURST);
	assert_int_equal(back.burst, 8);
	assert_int_equal(back.gap_ns, 1000000);
	assert_int_equal(back.work_ns, 100);
	assert_int_equal(back.latencies[0].from, POINT_INTENDED);
	assert_int_equal(back.latencies[0].to, POINT_HANDLED);
}

/* One thing says how often, and only bursts have a size and a gap. */
static void a_schedule_that_contradicts_itself_is_refused(void **state)
{
	struct cell cell = open_example();

	(void)state;
	cell.rate_per_s = 1000;
	assert_refused(cell_to_json(&cell), "rate_per_s");
	cell.gap_ns = 0;
	cell.rate_percent = 50;
	assert_refused(cell_to_json(&cell), "rate_per_s");
	cell.rate_per_s = cell.rate_percent = 0;
	assert_refused(cell_to_json(&cell), "rate_per_s");
	cell.rate_percent = 50;
	cell.burst = 0;
	assert_refused(cell_to_json(&cell), "burst");
	cell.arrival = ARRIVAL_POISSON;
	cell.burst = 8;
	assert_refused(cell_to_json(&cell), "burst");
	cell.burst = 0;
	cell.gap_ns = 1000;
	assert_refused(cell_to_json(&cell), "gap_ns");
}

static void an_unknown_field_is_refused(void **state)
{
	json_t *json = example_json();

	(void)state;
	json_object_set_new(json, "extra", json_true());
	assert_refused(json, "cell");
	assert_refused(json_array(), "cell");
}

static void pingpong_takes_memory_for_two_queues(void **state)
{
	struct cell cell = cell_example();
	size_t stream, pingpong;

	(void)state;
	assert_int_equal(cell_footprint(&cell, &stream), 0);
	cell.workload = WORKLOAD_PINGPONG;
	assert_int_equal(cell_footprint(&cell, &pingpong), 0);
	assert_true(stream >= 1000 * 40);
	assert_int_equal(pingpong, 2 * stream);
}

static struct cell mesh_example(void)
{
	struct cell cell = cell_example();

	cell.queue = queue_find("spin");
	cell.workload = WORKLOAD_MESH;
	cell.producers = 3;
	cell.consumers = 2;
	for (int i = 0; i < 5; i++)
		cell.cpus[i] = i % 4;
	return cell;
}

static void cells_of_many_survive_json(void **state)
{
	struct cell cells[2] = {mesh_example(), cell_example()};

	(void)state;
	cells[1].workload = WORKLOAD_PIPELINE;
	cells[1].stages = 4;
	cells[1].prewrite = cells[1].preread = false;
	for (size_t i = 0; i < 2; i++) {
		struct cell back;
		char error[CELL_TEXT] = "";
		json_t *json = cell_to_json(&cells[i]);

		if (cell_from_json(&back, json, error))
			fail_msg("%s", error);
		json_decref(json);
		assert_int_equal(cell_actors(&back), i ? 4 : 5);
		assert_int_equal(cell_queues(&back), i ? 3 : 1);
		assert_int_equal(back.prewrite, !i);
		assert_int_equal(back.preread, !i);
		assert_memory_equal(back.cpus, cells[i].cpus, sizeof(back.cpus));
	}
}

static void what_a_workload_does_not_have_is_refused(void **state)
{
	struct cell cell = mesh_example();

	(void)state;
	cell.workload = WORKLOAD_FANIN;
	assert_refused(cell_to_json(&cell), "consumers");
	cell.workload = WORKLOAD_FANOUT;
	assert_refused(cell_to_json(&cell), "producers");
	cell = mesh_example();
	cell.stages = 3;
	assert_refused(cell_to_json(&cell), "stages");
	cell = cell_example();
	cell.workload = WORKLOAD_PIPELINE;
	cell.stages = 2;
	assert_refused(cell_to_json(&cell), "stages");
}

static void the_line_goes_to_another_cpu_where_there_is_one(void **state)
{
	struct cell cell = mesh_example();

	(void)state;
	assert_int_equal(cell_first_consumer(&cell), 3);
	assert_int_equal(cell_line_partner(&cell), 3);
	assert_true(cell_is_crowded(&cell)); /* 0 and 4 */
	assert_true(cell_shares_cpu(&cell, 0) && cell_shares_cpu(&cell, 4) && !cell_shares_cpu(&cell, 1));
	cell.cpus[3] = 0;
	cell.cpus[4] = 0;
	assert_int_equal(cell_line_partner(&cell), 1);
	cell.cpus[1] = cell.cpus[2] = 0;
	assert_int_equal(cell_line_partner(&cell), 3);
	for (int i = 0; i < 5; i++)
		cell.cpus[i] = i;
	assert_false(cell_is_crowded(&cell));
}

static void a_pipeline_takes_memory_for_each_queue(void **state)
{
	struct cell cell = cell_example();
	size_t stream, pipeline;

	(void)state;
	assert_int_equal(cell_footprint(&cell, &stream), 0);
	cell.workload = WORKLOAD_PIPELINE;
	cell.stages = 5;
	assert_int_equal(cell_footprint(&cell, &pipeline), 0);
	assert_int_equal(pipeline, 4 * stream);
}

static void an_unbounded_queue_takes_memory_for_its_window(void **state)
{
	struct cell cell = cell_example();
	size_t windowed, unlimited;

	(void)state;
	cell.queue = queue_find("ypipe");
	cell.capacity = 0;
	assert_int_equal(cell_footprint(&cell, &windowed), 0);
	cell.window = 0;
	assert_int_equal(cell_footprint(&cell, &unlimited), 0);
	assert_true(unlimited >= (size_t)CELL_WINDOW_UNBOUNDED * 40);
	assert_true(windowed < unlimited);
}

static void what_lies_outside_of_the_rules_has_no_footprint(void **state)
{
	struct cell cell = cell_example();
	size_t bytes;

	(void)state;
	cell.message_bytes = 7;
	assert_int_equal(cell_footprint(&cell, &bytes), -EINVAL);
	cell = cell_example();
	cell.capacity = 0;
	assert_int_equal(cell_footprint(&cell, &bytes), -EINVAL);
	cell = cell_example();
	cell.batch = 0;
	assert_int_equal(cell_footprint(&cell, &bytes), -EINVAL);
	cell = cell_example();
	cell.capacity = UINT64_MAX / 2;
	assert_int_equal(cell_footprint(&cell, &bytes), -EOVERFLOW);
}

static void capacity_rules_are_those_of_the_traits(void **state)
{
	struct queue queue = {.traits = {.bounded = true, .capacity_min = 2, .capacity_max = 64, .capacity_power_of_two = true}};

	(void)state;
	assert_true(cell_capacity_allowed(&queue, 2));
	assert_true(cell_capacity_allowed(&queue, 64));
	assert_false(cell_capacity_allowed(&queue, 0));
	assert_false(cell_capacity_allowed(&queue, 1));
	assert_false(cell_capacity_allowed(&queue, 48));
	assert_false(cell_capacity_allowed(&queue, 128));
	queue.traits.bounded = false;
	assert_true(cell_capacity_allowed(&queue, 0));
	assert_false(cell_capacity_allowed(&queue, 64));
}

static void the_configuration_is_one_to_one(void **state)
{
	struct cell cell = cell_example();
	struct queue_config config = cell_queue_config(&cell);

	(void)state;
	assert_int_equal(config.message_bytes, 40);
	assert_int_equal(config.capacity, 1000);
	assert_int_equal(config.batch, 10);
	assert_int_equal(config.producers, 1);
	assert_int_equal(config.consumers, 1);
	assert_null(config.memory);
}

static void memory_for_stamps_is_bounded(void **state)
{
	struct cell cell = cell_example();

	(void)state;
	cell.stamps = STAMPS_NONE;
	assert_int_equal(cell_stamp_bytes(&cell, false), 0);
	cell.stamps = STAMPS_MESSAGE;
	cell.duration_ns = UINT64_MAX / 4;
	assert_true(cell_stamp_bytes(&cell, false) <= CELL_STAMP_BYTES_MAX);
	assert_true(cell_stamp_bytes(&cell, false) > CELL_STAMP_BYTES_MAX - 64);
	cell.messages = 1000;
	assert_true(cell_stamp_bytes(&cell, false) >= 1000 * 24);
	assert_true(cell_stamp_bytes(&cell, false) < 2000 * 24);
	cell.stamps = STAMPS_EVERY;
	assert_true(cell_stamp_bytes(&cell, false) < 200 * 24);
	cell.messages = 0;
	cell.duration_ns = 100000000;
	cell.stamp_every = 1000000;
	assert_true(cell_stamp_bytes(&cell, false) < 1000 * 24);
	assert_int_equal(cell_stamp_bytes_all(&cell), 2 * cell_stamp_bytes(&cell, false));
	cell.workload = WORKLOAD_PINGPONG;
	assert_int_equal(cell_stamp_bytes_all(&cell), 4 * cell_stamp_bytes(&cell, false));
	cell.workload = WORKLOAD_PIPELINE;
	cell.stages = 4;
	assert_int_equal(cell_stamp_bytes_all(&cell), 6 * cell_stamp_bytes(&cell, false));
	/* a consumer may be the one that reads all producers' messages */
	cell.workload = WORKLOAD_MESH;
	cell.producers = 3;
	cell.consumers = 2;
	assert_int_equal(cell_stamp_bytes(&cell, true), 3 * cell_stamp_bytes(&cell, false));
	assert_int_equal(cell_stamp_bytes_all(&cell), (3 + 2 * 3) * cell_stamp_bytes(&cell, false));
	cell.stamps = STAMPS_MESSAGE;
	cell.duration_ns = UINT64_MAX / 4;
	assert_true(cell_stamp_bytes(&cell, true) <= CELL_STAMP_BYTES_MAX);
}

/* As fast as clocks are read, half of a trial's time has its stamps; and no more than that is faulted in. */
static void each_message_s_stamps_find_room_for_half_of_the_time_at_least(void **state)
{
	static const uint64_t reading_ns = 10;
	struct cell cell = cell_example();

	(void)state;
	cell.stamps = STAMPS_MESSAGE;
	cell.messages = 0;
	cell.duration_ns = 100000000;
	assert_true(cell_stamp_room(&cell, false) >= cell.duration_ns / (2 * reading_ns));
	assert_true(cell_stamp_room(&cell, false) <= cell.duration_ns / (2 * reading_ns) + 2);
	cell.workload = WORKLOAD_PINGPONG; /* two readings at each end */
	assert_true(cell_stamp_room(&cell, false) >= cell.duration_ns / (4 * reading_ns));
	assert_true(cell_stamp_room(&cell, false) <= cell.duration_ns / (4 * reading_ns) + 2);
}

/* Of few messages more are stamped than one in CELL_STAMP_SPACING: each of them, where there are not enough for CELL_STAMPS_OF_FEW. */
static void stamps_of_few_messages_find_room(void **state)
{
	static const uint64_t counts[] = {1, 3, 63, 64, 127, 128, 1000, 16384};
	struct cell cell = cell_example();

	(void)state;
	cell.stamps = STAMPS_BATCH;
	cell.duration_ns = 0;
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		cell.messages = counts[i];
		assert_true(cell_stamp_room(&cell, false) > (counts[i] < CELL_STAMPS_OF_FEW ? counts[i] : CELL_STAMPS_OF_FEW));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stamps_of_few_messages_find_room),
		cmocka_unit_test(a_cell_survives_json_both_ways),
		cmocka_unit_test(fields_are_those_of_the_example_record),
		cmocka_unit_test(what_does_not_apply_is_null),
		cmocka_unit_test(each_missing_field_is_named),
		cmocka_unit_test(each_wrong_value_is_named),
		cmocka_unit_test(an_open_load_survives_json),
		cmocka_unit_test(a_schedule_that_contradicts_itself_is_refused),
		cmocka_unit_test(an_unknown_field_is_refused),
		cmocka_unit_test(pingpong_takes_memory_for_two_queues),
		cmocka_unit_test(cells_of_many_survive_json),
		cmocka_unit_test(what_a_workload_does_not_have_is_refused),
		cmocka_unit_test(the_line_goes_to_another_cpu_where_there_is_one),
		cmocka_unit_test(a_pipeline_takes_memory_for_each_queue),
		cmocka_unit_test(an_unbounded_queue_takes_memory_for_its_window),
		cmocka_unit_test(what_lies_outside_of_the_rules_has_no_footprint),
		cmocka_unit_test(capacity_rules_are_those_of_the_traits),
		cmocka_unit_test(memory_for_stamps_is_bounded),
		cmocka_unit_test(each_message_s_stamps_find_room_for_half_of_the_time_at_least),
		cmocka_unit_test(the_configuration_is_one_to_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
