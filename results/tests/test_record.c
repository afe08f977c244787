#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "sample.h"

/* ---- reading ---- */

static void a_record_is_read_field_by_field(void **state)
{
	struct record record;
	const struct record_trial *trial;
	const struct record_latency *one_way;

	(void)state;
	sample_read(&record, SAMPLE_EXAMPLE);
	assert_int_equal(record.trial_count, 3);
	assert_int_equal(record.cell_count, 3);
	assert_non_null(record.run);
	assert_non_null(record.end);
	assert_false(record.cut);
	trial = &record.trials[0];
	assert_int_equal(trial->id, 1);
	assert_string_equal(trial->cell.queue, "ypipe");
	assert_string_equal(trial->cell.place, "same-l3");
	assert_int_equal(trial->cell.window, 1);
	assert_int_equal(trial->cell.capacity, 0);
	assert_int_equal(trial->cell.message_bytes, 64);
	assert_true(trial->cell.duration_ns == 1e8);
	assert_string_equal(trial->status, "ok");
	assert_null(trial->why);
	assert_true(trial->valid);
	assert_true(trial->line_before_ns == 148.2 && trial->line_after_ns == 150.1 && trial->line_least_ns == 121.0);
	assert_true(trial->offset_known && trial->offset_low_ns == -60.0 && trial->offset_high_ns == 61.0);
	assert_true(trial->cpu_ns_per_message == 125.0 && trial->stall_share == 0.04 && trial->stall_window_ns == 1e7);
	assert_int_equal(trial->stall_count, 2);
	assert_true(trial->stalls[1].upper_edge_ns == 64000.0 && trial->stalls[1].total_ns == 340000.0);
	assert_int_equal(trial->stalls[1].count, 8);
	assert_int_equal(trial->endpoint_count, 4);
	assert_true(trial->endpoints[0].producer && !trial->endpoints[1].producer);
	assert_int_equal(trial->endpoints[1].empty, 4000000);
	assert_string_equal(trial->endpoints[3].points[0].point, "read");
	assert_true(trial->endpoints[3].points[0].first_ns == 10000350.0 &&
		    trial->endpoints[3].points[0].rate_per_s == 4e6);
	assert_int_equal(trial->latency_count, 3);
	one_way = &trial->latencies[1];
	assert_int_equal(one_way->to_actor, 1);
	assert_true(one_way->min_known && one_way->p50_ns == 120.0 && one_way->p99_99_ns < 0.0);
	assert_true(one_way->offset_half_width_ns == 60.5);
	assert_null(one_way->tag);
	assert_false(trial->is_open);
	assert_null(trial->cell.arrival);
	record_free(&record);
}

static void what_an_open_load_came_to_is_read(void **state)
{
	struct record record;
	const struct record_trial *trial;

	(void)state;
	sample_read(&record, SAMPLE_EXAMPLE);
	trial = &record.trials[2];
	assert_string_equal(trial->cell.load, "open");
	assert_string_equal(trial->cell.arrival, "poisson");
	assert_int_equal(trial->cell.rate_per_s, 1000000);
	assert_int_equal(trial->cell.rate_percent + trial->cell.burst + trial->cell.gap_ns + trial->cell.think_ns, 0);
	assert_int_equal(trial->cell.work_ns, 100);
	assert_true(trial->work_took_ns == 101.5 && trial->think_took_ns < 0.0);
	assert_true(trial->is_open && trial->open.offered_per_s == 1e6 && trial->open.capacity_per_s < 0.0);
	assert_true(trial->open.reached_per_s == 1e6 && trial->open.reached_share == 1.0);
	assert_true(trial->open.rate_reached_known && trial->open.rate_reached);
	assert_true(trial->open.saturated_known && !trial->open.saturated);
	assert_string_equal(trial->endpoints[0].points[0].point, "intended");
	record_free(&record);
}

/* As all were before there were open loads, and as some will be: the verdicts are not known. */
static void what_a_file_does_not_tell_of_the_load_is_none(void **state)
{
	static const char *const fields[] = { "rate_per_s", "rate_percent", "arrival", "burst", "gap_ns", "work_ns", "think_ns" };
	json_t *older = sample_line(SAMPLE_OPEN), *unknown = sample_line(SAMPLE_OPEN);
	struct sample sample;
	struct record record;

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		assert_int_equal(json_object_del(json_object_get(older, "cell"), fields[i]), 0);
	json_object_del(older, "open");
	json_object_del(older, "work_took_ns");
	json_object_del(older, "think_took_ns");
	json_object_set_new(unknown, "id", json_integer(4));
	json_object_set_new(json_object_get(unknown, "open"), "saturated", json_null());
	json_object_set_new(json_object_get(unknown, "open"), "rate_reached", json_null());
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, older);
	sample_json(&sample, unknown);
	sample_close(&sample);
	sample_read(&record, sample.path);
	assert_null(record.trials[0].cell.arrival);
	assert_int_equal(record.trials[0].cell.rate_per_s + record.trials[0].cell.work_ns, 0);
	assert_true(!record.trials[0].is_open && record.trials[0].work_took_ns < 0.0);
	assert_true(record.trials[1].is_open && !record.trials[1].open.saturated_known && !record.trials[1].open.rate_reached_known);
	record_free(&record);
	sample_remove(&sample);
}

static void what_is_null_is_unknown_and_not_zero(void **state)
{
	struct record record;

	(void)state;
	sample_read(&record, SAMPLE_EXAMPLE);
	assert_string_equal(record.trials[1].status, "crash");
	assert_string_equal(record.trials[1].why, "signal 11 (Segmentation fault)");
	assert_true(record.trials[1].line_before_ns < 0.0 && record.trials[1].stall_share < 0.0);
	assert_true(record.trials[1].stall_window_ns < 0.0 && record.trials[1].cpu_ns_per_message < 0.0);
	assert_false(record.trials[1].offset_known);
	record_free(&record);
}

static void times_of_a_point_that_are_null_are_no_numbers(void **state)
{
	json_t *trial = sample_trial(1, "ypipe", 150, 150);
	json_t *points = json_object_get(json_array_get(json_object_get(trial, "endpoints"), 0), "points");
	struct sample sample;
	struct record record;

	(void)state;
	json_object_set_new(json_array_get(points, 0), "first_ns", json_null());
	json_object_set_new(json_array_get(points, 0), "rate_per_s", json_null());
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, trial);
	sample_close(&sample);
	sample_read(&record, sample.path);
	assert_true(isnan(record.trials[0].endpoints[0].points[0].first_ns));
	assert_true(record.trials[0].endpoints[0].points[0].rate_per_s < 0.0);
	record_free(&record);
	sample_remove(&sample);
}

static void histograms_are_found_again(void **state)
{
	struct record record;
	struct record_bucket *buckets;
	char error[RECORD_TEXT];

	(void)state;
	sample_read(&record, SAMPLE_EXAMPLE);
	assert_int_equal(record_histogram(&record, &record.trials[0], 1, &buckets, error), 4);
	assert_true(buckets[0].upper_edge_ns == 100.0 && buckets[3].upper_edge_ns == 450000.0);
	assert_int_equal(buckets[3].count, 4001);
	free(buckets);
	assert_int_equal(record_histogram(&record, &record.trials[0], 2, &buckets, error), 0);
	assert_null(buckets);
	assert_int_equal(record_histogram(&record, &record.trials[1], 0, &buckets, error), 0);
	record_free(&record);
}

/* A pipe can't be read twice, and is told of as a file is. */
static void histograms_are_found_again_of_what_came_through_a_pipe(void **state)
{
	struct record record;
	struct record_bucket *buckets;
	char bytes[1 << 15], path[32], error[RECORD_TEXT];
	FILE *file = fopen(SAMPLE_EXAMPLE, "re");
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
	int ends[2];

	(void)state;
	assert_true(size > 0 && size < sizeof(bytes));
	fclose(file);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], bytes, size), size);
	close(ends[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[0]);
	sample_read(&record, path);
	assert_int_equal(record.trial_count, 3);
	assert_int_equal(record_histogram(&record, &record.trials[0], 1, &buckets, error), 4);
	free(buckets);
	record_free(&record);
	close(ends[0]);
}

static void slices_are_found_again(void **state)
{
	struct record record;
	struct record_slice slice;
	char error[RECORD_TEXT];

	(void)state;
	sample_read(&record, SAMPLE_EXAMPLE);
	assert_int_equal(record_slice(&record, &record.trials[0], &slice, error), 1);
	assert_int_equal(slice.n, 3);
	assert_string_equal(slice.from_point, "write");
	assert_string_equal(slice.to_point, "read");
	assert_int_equal(slice.sequence[2], 1002);
	assert_true(slice.from_ns[1] == 50000250.0 && slice.to_ns[2] == 50000620.0);
	record_slice_free(&slice);
	assert_int_equal(record_slice(&record, &record.trials[1], &slice, error), 0);
	record_free(&record);
}

static json_t *trial_with_positions(void)
{
	json_t *trial = sample_line(SAMPLE_TRIAL);

	json_object_set_new(trial, "positions",
			    json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:[iii],s:[fff],s:[fnf]}", "from", "write", "to", "read", "queue", 0,
				      "batch", 5, "batches", 900, "others", 7, "position", 1, 3, 5, "p50_ns", 500.0, 300.5, 100.0,
				      "p99_ns", 900.0, 700.0));
	return trial;
}

/* What record_positions() says of a record of that trial alone. */
static int read_positions(json_t *trial, struct record_positions *positions, char *error)
{
	struct sample sample;
	struct record record;
	int found;

	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, trial);
	sample_close(&sample);
	sample_read(&record, sample.path);
	found = record_positions(&record, &record.trials[0], positions, error);
	record_free(&record);
	sample_remove(&sample);
	return found;
}

static void latencies_by_place_in_the_batch_are_found_again(void **state)
{
	struct record_positions positions;
	char error[RECORD_TEXT] = "";

	(void)state;
	assert_int_equal(read_positions(trial_with_positions(), &positions, error), 1);
	assert_int_equal(positions.n, 3);
	assert_string_equal(positions.from_point, "write");
	assert_string_equal(positions.to_point, "read");
	assert_int_equal(positions.batch, 5);
	assert_int_equal(positions.batches, 900);
	assert_int_equal(positions.others, 7);
	assert_int_equal(positions.position[2], 5);
	assert_true(positions.p50_ns[1] == 300.5 && positions.p99_ns[2] == 700.0 && isnan(positions.p99_ns[1]));
	record_positions_free(&positions);
	assert_int_equal(read_positions(sample_line(SAMPLE_TRIAL), &positions, error), 0);
}

static void broken_places_in_a_batch_are_an_error(void **state)
{
	static const struct {
		const char *field, *value, *reason;
	} broken[] = { { "position", "[1,3]", "positions.p50_ns" },
		       { "position", "[1,3,3]", "position[2]" },
		       { "position", "[0,3,5]", "position[0]" },
		       { "position", "[1,3,6]", "position[2]" },
		       { "position", "1", "position" },
		       { "p50_ns", "[1,\"2\",3]", "p50_ns[1]" },
		       { "p99_ns", "null", "p99_ns" },
		       { "batch", "-1", "batch" } };

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct record_positions positions;
		char error[RECORD_TEXT] = "";
		json_t *trial = trial_with_positions();

		json_object_set_new(json_object_get(trial, "positions"), broken[i].field,
				    json_loads(broken[i].value, JSON_DECODE_ANY, NULL));
		assert_true(read_positions(trial, &positions, error) < 0);
		assert_non_null(strstr(error, broken[i].reason));
	}
}

static void windows_of_time_are_read_or_none(void **state)
{
	struct record record;

	(void)state;
	sample_read(&record, SAMPLE_EXAMPLE);
	assert_int_equal(record.trials[0].endpoints[3].windows.count, 9);
	assert_true(record.trials[0].endpoints[3].windows.width_ns == 1e7);
	assert_int_equal(record.trials[0].endpoints[3].windows.within_messages, 1);
	assert_int_equal(record.trials[0].endpoints[3].windows.messages[8], 40000);
	assert_int_equal(record.trials[2].endpoints[0].windows.count, 0); /* does not tell */
	record_free(&record);
}

/* The example's first list of windows, as `list` instead. Takes windows; 0: refused. */
static size_t read_window_list(const char *list, uint64_t windows[2])
{
	static const char from[] = "[40000,40000,40000,40000,40000,40000,40000,40000,40000]";
	json_t *trial = sample_trial(1, "ypipe", 150, 150);
	char *text = json_dumps(trial, JSON_COMPACT | JSON_REAL_PRECISION(15)), *at = strstr(text, from), *changed, error[RECORD_TEXT];
	struct sample sample;
	struct record record;
	size_t count = 0;

	assert_non_null(at);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, list, at + strlen(from)) > 0);
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_text(&sample, changed);
	sample_close(&sample);
	if (!record_read(&record, sample.path, error)) {
		const struct record_endpoint *endpoints = record.trials[0].endpoints;

		count = endpoints[0].windows.count;
		for (size_t i = 0; i < 2 && i < count; i++)
			windows[i] = endpoints[0].windows.messages[i];
		/* the others are none the less their own */
		for (size_t i = 1; i < 4; i++) {
			assert_int_equal(endpoints[i].windows.count, 9);
			assert_int_equal(endpoints[i].windows.messages[0], 40000);
		}
		record_free(&record);
	}
	sample_remove(&sample);
	free(changed);
	free(text);
	json_decref(trial);
	return count;
}

/* Lists of plain numbers don't go through the parser: it must not show. */
static void windows_are_read_however_they_are_written(void **state)
{
	static const char *const refused[] = { "[-1]", "[-2]", "[1,-1]", "[01]", "[1,]", "[,1]", "[1,,2]", "[1 2]", "[1.0]", "[1e3]", "[null]",
					       "[99999999999999999999]", "[\"1\"]", "[1", "-1", "[[1]]" };
	uint64_t windows[2] = { 0 };

	(void)state;
	assert_int_equal(read_window_list("[123,0]", windows), 2);
	assert_int_equal(windows[0], 123);
	assert_int_equal(windows[1], 0);
	assert_int_equal(read_window_list("[ 456,\t78 ]", windows), 2);
	assert_int_equal(windows[0], 456);
	assert_int_equal(windows[1], 78);
	assert_int_equal(read_window_list("[7]", windows), 1); /* no longer than what stands for it */
	assert_int_equal(windows[0], 7);
	assert_int_equal(read_window_list("[9223372036854775807,999999999999999999]", windows), 2);
	assert_int_equal(windows[0], INT64_MAX);
	assert_int_equal(windows[1], 999999999999999999);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (read_window_list(refused[i], windows) != 0)
			fail_msg("%s was read", refused[i]);
}

static void a_trial_s_whole_line_is_read_again(void **state)
{
	struct record record;
	json_t *json, *expected = sample_line(SAMPLE_TRIAL);
	char error[RECORD_TEXT];

	(void)state;
	sample_read(&record, SAMPLE_EXAMPLE);
	json = record_trial_json(&record, &record.trials[0], error);
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
	record_free(&record);
}

/* The reader passes over what it need not read; a line written in another way must give the same. */
static void a_line_in_other_words_says_the_same(void **state)
{
	static const size_t styles[] = { JSON_COMPACT, JSON_ENSURE_ASCII, JSON_SORT_KEYS | JSON_COMPACT };
	struct sample sample;
	struct record record;
	struct record_bucket *buckets;
	char error[RECORD_TEXT];

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 0; i < 12; i++) {
		json_t *trial = sample_trial(i + 1, i < 6 ? "ypipe" : "ring", 150, 150);
		json_t *histogram = sample_line(SAMPLE_HISTOGRAM);
		char *text;

		sample_latency(trial, 0, "p50_ns", 100 + i);
		if (i % 2) { /* the id last */
			json_object_del(trial, "id");
			json_object_set_new(trial, "id", json_integer(i + 1));
		}
		json_object_set_new(histogram, "id", json_integer(i + 1));
		text = json_dumps(trial, styles[i % 3]);
		sample_text(&sample, text);
		free(text);
		text = json_dumps(histogram, styles[i % 3]);
		sample_text(&sample, text);
		free(text);
		json_decref(trial);
		json_decref(histogram);
	}
	sample_close(&sample);
	sample_read(&record, sample.path);
	assert_int_equal(record.trial_count, 12);
	assert_int_equal(record.cell_count, 2);
	for (size_t i = 0; i < 12; i++) {
		assert_int_equal(record.trials[i].cell.index, i / 6);
		assert_ptr_equal(record.trials[i].cell.json, record.trials[i / 6 * 6].cell.json);
		assert_string_equal(record.trials[i].cell.key, record.trials[i / 6 * 6].cell.key);
		assert_string_equal(record.trials[i].cell.queue, i < 6 ? "ypipe" : "ring");
		assert_true(record.trials[i].latencies[0].p50_ns == 100.0 + (double)i);
		assert_int_equal(record.trials[i].stall_count, 2);
		assert_int_equal(record_histogram(&record, &record.trials[i], 0, &buckets, error), 4);
		free(buckets);
	}
	record_free(&record);
	sample_remove(&sample);
}

/* `trial` as the third line of a record that is in order otherwise. */
static void assert_refused(const char *trial, const char *line_named, const char *reason)
{
	struct sample sample;
	struct record record;
	char error[RECORD_TEXT] = "";

	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_trial(1, "ypipe", 150, 150));
	sample_text(&sample, trial);
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_close(&sample);
	assert_true(record_read(&record, sample.path, error) < 0);
	if (!strstr(error, line_named) || !strstr(error, reason) || !strstr(error, sample.path))
		fail_msg("expected \"%s\" and \"%s\", got \"%s\"", line_named, reason, error);
	sample_remove(&sample);
}

/* The example's trial with one text replaced, as the record's third line. */
static void assert_change_refused(const char *from, const char *to, const char *reason)
{
	json_t *trial = sample_trial(2, "ypipe", 150, 150);
	char *text = json_dumps(trial, JSON_COMPACT | JSON_REAL_PRECISION(15)), *at = strstr(text, from), *changed;

	assert_non_null(at);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	assert_refused(changed, "line 3", reason);
	free(changed);
	free(text);
	json_decref(trial);
}

static void what_is_no_json_is_refused_with_its_line(void **state)
{
	(void)state;
	assert_change_refused("\"p50_ns\":240.0", "\"p50_ns\":NaN", "NaN");
	assert_change_refused("\"max_ns\":900000.0", "\"max_ns\":Infinity", "Infinity");
	assert_change_refused("\"max_ns\":900000.0", "\"max_ns\":-Infinity", "invalid token");
	assert_change_refused("\"minor_faults\":0", "\"minor_faults\":NaN", "NaN"); /* in a part that is passed over */
	assert_change_refused("\"moved\":false", "\"moved\":false,\"moved\":true", "duplicate");
	assert_change_refused("\"batch\":1,", "\"batch\":1,\"batch\":1,", "duplicate");
	assert_change_refused("\"max_ns\":900000.0", "\"max_ns\":1e999", "overflow");
	assert_change_refused("\"refused\":0", "\"refused\":99999999999999999999", "too big");
	assert_refused("{\"kind\":\"trial\"", "line 3", "");
	assert_refused("", "line 3", "");
	assert_refused("[1]", "line 3", "not an object");
}

/* Older records have no span of the readings: there the delay, which is of a longer time than the window, may be more than all of it. */
static void what_the_system_took_is_a_share_of_the_time_between_its_readings(void **state)
{
	static const struct {
		int delay_ns, span_ns;
		double share;
	} cases[] = { { 500, 0, 0.5 }, { 1300, 0, 1 }, { 1300, 2000, 0.65 } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *trial = sample_line(SAMPLE_TRIAL), *noise = json_object_get(trial, "noise"), *actor;
		struct record record;
		struct sample sample;
		size_t a;

		json_object_set_new(noise, "window_ns", json_real(1000));
		json_array_foreach(json_object_get(noise, "actors"), a, actor) {
			json_object_set_new(actor, "run_delay_ns", json_integer(cases[i].delay_ns));
			if (cases[i].span_ns)
				json_object_set_new(actor, "span_ns", json_integer(cases[i].span_ns));
			else
				json_object_del(actor, "span_ns");
		}
		assert_true(a > 0);
		sample_open(&sample);
		sample_json(&sample, sample_line(SAMPLE_RUN));
		sample_json(&sample, trial);
		sample_close(&sample);
		sample_read(&record, sample.path);
		assert_true(fabs(record.trials[0].run_delay_share - cases[i].share) < 1e-9);
		record_free(&record);
		sample_remove(&sample);
	}
}

static void a_field_of_another_type_is_refused_by_name(void **state)
{
	(void)state;
	assert_change_refused("\"refused\":0", "\"refused\":-1", "endpoints[0].refused");
	assert_change_refused("\"refused\":0", "\"refused\":1.5", "endpoints[0].refused");
	assert_change_refused("\"refused\":0", "\"refused\":\"0\"", "endpoints[0].refused");
	assert_change_refused("\"rate_per_s\":4000000.0", "\"rate_per_s\":-4.0", "endpoints[0].points[0].rate_per_s");
	assert_change_refused("\"p50_ns\":240.0", "\"p50_ns\":true", "latency[0].p50_ns");
	assert_change_refused("\"p50_ns\":240.0,", "", "latency[0].p50_ns is missing");
	assert_change_refused("\"from\":{\"actor\":0,", "\"from\":{\"actor\":3000000000,", "latency[0].from.actor");
	assert_change_refused("\"valid\":true", "\"valid\":1", "valid");
	assert_change_refused("\"status\":\"ok\"", "\"status\":\"fine\"", "status");
	assert_change_refused("\"role\":\"producer\"", "\"role\":\"both\"", "endpoints[0].role");
	assert_change_refused("\"queue\":\"ypipe\"", "\"queue\":7", "cell.queue");
	assert_change_refused("\"stall_share\":0.04", "\"stall_share\":-0.04", "noise.stall_share");
	assert_change_refused("[2000.0,40,60000.0]", "[2000.0,-40,60000.0]", "noise.stalls[0]");
	assert_change_refused("[2000.0,40,60000.0]", "7", "noise.stalls[0]");
	assert_change_refused("\"line_before_ns\":150.0", "\"line_before_ns\":-150.0", "line_before_ns");
	assert_change_refused("\"width_ns\":10000000.0", "\"width_ns\":1e300", "windows.width_ns is less than 1 or more than 1e15");
	assert_change_refused("\"width_ns\":10000000.0", "\"width_ns\":1e-3", "windows.width_ns is less than 1 or more than 1e15");
	assert_change_refused("\"id\":2", "\"id\":1", "id 1 follows id 1");
	assert_refused("{\"kind\":\"histogram\",\"id\":2,\"latency\":0,\"buckets\":[]}", "line 3", "id 2");
	assert_refused("{\"kind\":\"histogram\",\"id\":1,\"latency\":9,\"buckets\":[]}", "line 3", "latency 9");
	assert_refused("{\"kind\":\"histogram\",\"id\":1,\"latency\":99999999999999999999,\"buckets\":[]}", "line 3",
		       "");
	assert_refused("{\"kind\":\"else\"}", "line 3", "kind");
	assert_refused("{}", "line 3", "kind is missing");
}

static void deep_nesting_is_refused(void **state)
{
	enum { DEPTH = 100000 };
	char *text = malloc(DEPTH + 64);
	int begin = sprintf(text, "{\"kind\":\"trial\",\"id\":2,\"cell\":");

	(void)state;
	memset(text + begin, '[', DEPTH);
	text[begin + DEPTH] = '\0';
	assert_refused(text, "line 3", "depth");
	free(text);
}

static void lists_and_texts_are_bounded(void **state)
{
	json_t *trial = sample_trial(2, "ypipe", 150, 150), *list = json_object_get(trial, "latency");
	char text[5000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	json_object_set_new(trial, "why", json_string(text));
	{
		char *line = json_dumps(trial, JSON_COMPACT);

		assert_refused(line, "line 3", "why");
		free(line);
	}
	json_object_set_new(trial, "why", json_null());
	while (json_array_size(list) < 5000)
		json_array_append(list, json_array_get(list, 0));
	{
		char *line = json_dumps(trial, JSON_COMPACT);

		assert_refused(line, "line 3", "latency");
		free(line);
	}
	json_decref(trial);
}

static void another_kind_of_file_is_refused(void **state)
{
	char error[RECORD_TEXT];
	struct sample sample;
	struct record record;

	(void)state;
	assert_int_equal(record_read(&record, "results/tests/no-such-file", error), -ENOENT);
	assert_non_null(strstr(error, "no-such-file"));
	assert_true(record_read(&record, "results/tests", error) < 0);
	assert_true(record_read(&record, "/dev/null", error) < 0);
	assert_non_null(strstr(error, "no record"));
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_TRIAL));
	sample_close(&sample);
	assert_true(record_read(&record, sample.path, error) < 0);
	assert_non_null(strstr(error, "no record"));
	sample_remove(&sample);
}

static void a_newer_schema_is_refused(void **state)
{
	json_t *run = sample_line(SAMPLE_RUN);
	char error[RECORD_TEXT];
	struct sample sample;
	struct record record;

	(void)state;
	json_object_set_new(run, "schema", json_integer(RECORD_SCHEMA + 1));
	sample_open(&sample);
	sample_json(&sample, run);
	sample_close(&sample);
	assert_true(record_read(&record, sample.path, error) < 0);
	assert_non_null(strstr(error, "newer"));
	sample_remove(&sample);
}

static void lines_after_the_end_are_refused(void **state)
{
	char error[RECORD_TEXT];
	struct sample sample;
	struct record record;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_json(&sample, sample_line(SAMPLE_TRIAL));
	sample_close(&sample);
	assert_true(record_read(&record, sample.path, error) < 0);
	assert_non_null(strstr(error, "line 3"));
	sample_remove(&sample);
}

static off_t file_size(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

/* Cuts a record at every place: what is whole before it is read. */
static void a_record_cut_anywhere_behind_its_first_line_is_readable(void **state)
{
	struct sample sample;
	off_t size, first;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	first = ftell(sample.file);
	sample_json(&sample, sample_line(SAMPLE_TRIAL));
	sample_json(&sample, sample_line(SAMPLE_HISTOGRAM));
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_close(&sample);
	for (size = file_size(sample.path); size >= first; size -= 37) {
		char error[RECORD_TEXT] = "", last = 0;
		struct record record;
		FILE *file;
		int err;

		assert_int_equal(truncate(sample.path, size), 0);
		file = fopen(sample.path, "r");
		assert_int_equal(fseek(file, -1, SEEK_END), 0);
		last = (char)fgetc(file);
		fclose(file);
		err = record_read(&record, sample.path, error);
		if (err)
			fail_msg("at %ld bytes: %s", (long)size, error);
		/* a whole object that lacks nothing but its newline is whole; here none ends so but by chance */
		assert_true(record.cut == (last != '\n') || last == '}');
		record_free(&record);
	}
	assert_int_equal(truncate(sample.path, first / 2), 0);
	{
		char error[RECORD_TEXT];
		struct record record;

		assert_true(record_read(&record, sample.path, error) < 0);
		assert_non_null(strstr(error, "line 1"));
	}
	sample_remove(&sample);
}

static void a_last_line_that_lacks_only_its_newline_counts(void **state)
{
	struct sample sample;
	struct record record;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_close(&sample);
	assert_int_equal(truncate(sample.path, file_size(sample.path) - 1), 0);
	sample_read(&record, sample.path);
	assert_non_null(record.end);
	assert_false(record.cut);
	record_free(&record);
	sample_remove(&sample);
}

static void a_broken_histogram_is_an_error_when_it_is_asked_for(void **state)
{
	struct record_bucket *buckets;
	char error[RECORD_TEXT];
	struct sample sample;
	struct record record;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_line(SAMPLE_TRIAL));
	sample_text(&sample, "{\"kind\":\"histogram\",\"id\":1,\"latency\":0,\"buckets\":[[100.0,NaN]]}");
	sample_text(&sample, "{\"kind\":\"histogram\",\"id\":1,\"latency\":1,\"buckets\":[[100.0,5],[90.0,5]]}");
	sample_text(&sample, "{\"kind\":\"histogram\",\"id\":1,\"latency\":2,\"buckets\":[[100.0,-5]]}");
	sample_text(
		&sample,
		"{\"kind\":\"slice\",\"id\":1,\"from\":\"write\",\"to\":\"read\",\"sequence\":[1,2],\"from_ns\":[1.0],"
		"\"to_ns\":[1.0,2.0]}");
	sample_close(&sample);
	sample_read(&record, sample.path);
	for (size_t latency = 0; latency < 3; latency++) {
		char line[16];

		assert_true(record_histogram(&record, &record.trials[0], latency, &buckets, error) < 0);
		snprintf(line, sizeof(line), "line %zu", latency + 3);
		assert_non_null(strstr(error, line));
		assert_null(buckets);
	}
	{
		struct record_slice slice;

		assert_true(record_slice(&record, &record.trials[0], &slice, error) < 0);
		assert_non_null(strstr(error, "from_ns"));
	}
	record_free(&record);
	sample_remove(&sample);
}

static void a_line_beyond_all_measure_is_refused(void **state)
{
	static const char piece[1 << 16];
	char error[RECORD_TEXT];
	struct sample sample;
	struct record record;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (size_t written = 0; written <= RECORD_LINE_BYTES; written += sizeof(piece))
		assert_int_equal(fwrite(piece, 1, sizeof(piece), sample.file), sizeof(piece));
	sample_close(&sample);
	assert_int_equal(record_read(&record, sample.path, error), -EMSGSIZE);
	assert_non_null(strstr(error, "line 2"));
	sample_remove(&sample);
}

/* ---- writing ---- */

/* A name that is free. */
static void free_path(char path[64])
{
	struct sample sample;

	sample_open(&sample);
	sample_close(&sample);
	sample_remove(&sample);
	strcpy(path, sample.path);
}

static void what_is_written_can_be_read(void **state)
{
	struct record_writer *writer;
	struct record record;
	char error[RECORD_TEXT], path[64];

	(void)state;
	free_path(path);
	assert_int_equal(record_create(&writer, path, error), 0);
	for (int i = 0; i <= SAMPLE_END; i++) {
		json_t *line = sample_line(i);

		assert_int_equal(record_append(writer, line, error), 0);
		assert_int_equal(record_sync(writer, error), 0);
		json_decref(line);
	}
	assert_int_equal(record_close(writer, error), 0);
	sample_read(&record, path);
	assert_int_equal(record.trial_count, 3);
	assert_true(record.trials[0].line_before_ns == 148.2);
	assert_non_null(record.end);
	record_free(&record);
	unlink(path);
}

static void numbers_are_written_as_they_were(void **state)
{
	struct record_writer *writer;
	char error[RECORD_TEXT], path[64], text[64] = "";
	json_t *line = json_pack("{s:f, s:f}", "a", 148.2, "b", 0.1);
	FILE *file;

	(void)state;
	free_path(path);
	assert_int_equal(record_create(&writer, path, error), 0);
	assert_int_equal(record_append(writer, line, error), 0);
	assert_int_equal(record_close(writer, error), 0);
	json_decref(line);
	file = fopen(path, "r");
	assert_non_null(fgets(text, sizeof(text), file));
	fclose(file);
	assert_string_equal(text, "{\"a\":148.2,\"b\":0.1}\n");
	unlink(path);
}

static void a_file_is_never_overwritten(void **state)
{
	struct record_writer *writer;
	char error[RECORD_TEXT];
	struct sample sample;

	(void)state;
	sample_open(&sample);
	sample_text(&sample, "precious");
	sample_close(&sample);
	assert_int_equal(record_create(&writer, sample.path, error), -EEXIST);
	assert_null(writer);
	assert_non_null(strstr(error, sample.path));
	assert_int_equal(file_size(sample.path), 9);
	sample_remove(&sample);
}

static void a_folder_that_is_missing_is_named(void **state)
{
	struct record_writer *writer;
	char error[RECORD_TEXT];

	(void)state;
	assert_int_equal(record_create(&writer, "results/tests/none/x.jsonl", error), -ENOENT);
	assert_non_null(strstr(error, "results/tests/none/x.jsonl"));
}

static void a_full_disk_is_reported(void **state)
{
	struct record_writer *writer;
	char error[RECORD_TEXT] = "";

	(void)state;
	assert_int_equal(record_create(&writer, "/dev/full", error), 0);
	assert_int_equal(record_append_text(writer, "{}", 2, error), -ENOSPC);
	assert_non_null(strstr(error, "No space left"));
	assert_int_equal(record_sync(writer, error), -ENOSPC);
	assert_int_equal(record_close(writer, error), -ENOSPC); /* an error that happened is not forgotten */
}

static void a_device_is_written_to(void **state)
{
	struct record_writer *writer;
	char error[RECORD_TEXT];

	(void)state;
	assert_int_equal(record_create(&writer, "/dev/null", error), 0);
	assert_int_equal(record_append_text(writer, "{}", 2, error), 0);
	assert_int_equal(record_sync(writer, error), 0);
	assert_int_equal(record_close(writer, error), 0);
}

static void a_line_of_two_lines_is_refused_and_nothing_written(void **state)
{
	struct record_writer *writer;
	char error[RECORD_TEXT], path[64];

	(void)state;
	free_path(path);
	assert_int_equal(record_create(&writer, path, error), 0);
	assert_int_equal(record_append_text(writer, "{\n}", 3, error), -EINVAL);
	assert_int_equal(record_append_text(writer, "{}", 2, error), 0);
	assert_int_equal(record_close(writer, error), 0);
	assert_int_equal(file_size(path), 3);
	unlink(path);
}

/* In a process of its own, since the limit can't be raised again. Returns the first error that a write gave. */
static int write_past_the_limit(const char *path)
{
	const struct rlimit limit = { 4000, 4000 };
	struct record_writer *writer;
	char error[RECORD_TEXT], line[1000];
	int err = 0;

	signal(SIGXFSZ, SIG_IGN);
	memset(line, 'x', sizeof(line));
	if (record_create(&writer, path, error) || setrlimit(RLIMIT_FSIZE, &limit))
		return -1;
	for (int i = 0; i < 10 && !err; i++)
		err = record_append_text(writer, line, sizeof(line), error);
	return record_close(writer, error) == err ? -err : -1;
}

static void a_file_that_may_not_grow_is_reported_and_keeps_whole_lines(void **state)
{
	char path[64];
	int status;
	pid_t child;

	(void)state;
	free_path(path);
	child = fork();
	if (child == 0)
		_exit(write_past_the_limit(path));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EFBIG);
	assert_int_equal(file_size(path), 3 * 1001);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_record_is_read_field_by_field),
		cmocka_unit_test(what_an_open_load_came_to_is_read),
		cmocka_unit_test(what_a_file_does_not_tell_of_the_load_is_none),
		cmocka_unit_test(what_is_null_is_unknown_and_not_zero),
		cmocka_unit_test(times_of_a_point_that_are_null_are_no_numbers),
		cmocka_unit_test(histograms_are_found_again),
		cmocka_unit_test(histograms_are_found_again_of_what_came_through_a_pipe),
		cmocka_unit_test(slices_are_found_again),
		cmocka_unit_test(latencies_by_place_in_the_batch_are_found_again),
		cmocka_unit_test(broken_places_in_a_batch_are_an_error),
		cmocka_unit_test(windows_of_time_are_read_or_none),
		cmocka_unit_test(windows_are_read_however_they_are_written),
		cmocka_unit_test(a_trial_s_whole_line_is_read_again),
		cmocka_unit_test(a_line_in_other_words_says_the_same),
		cmocka_unit_test(what_is_no_json_is_refused_with_its_line),
		cmocka_unit_test(what_the_system_took_is_a_share_of_the_time_between_its_readings),
		cmocka_unit_test(a_field_of_another_type_is_refused_by_name),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(lists_and_texts_are_bounded),
		cmocka_unit_test(another_kind_of_file_is_refused),
		cmocka_unit_test(a_newer_schema_is_refused),
		cmocka_unit_test(lines_after_the_end_are_refused),
		cmocka_unit_test(a_record_cut_anywhere_behind_its_first_line_is_readable),
		cmocka_unit_test(a_last_line_that_lacks_only_its_newline_counts),
		cmocka_unit_test(a_broken_histogram_is_an_error_when_it_is_asked_for),
		cmocka_unit_test(a_line_beyond_all_measure_is_refused),
		cmocka_unit_test(what_is_written_can_be_read),
		cmocka_unit_test(numbers_are_written_as_they_were),
		cmocka_unit_test(a_file_is_never_overwritten),
		cmocka_unit_test(a_folder_that_is_missing_is_named),
		cmocka_unit_test(a_full_disk_is_reported),
		cmocka_unit_test(a_device_is_written_to),
		cmocka_unit_test(a_line_of_two_lines_is_refused_and_nothing_written),
		cmocka_unit_test(a_file_that_may_not_grow_is_reported_and_keeps_whole_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
