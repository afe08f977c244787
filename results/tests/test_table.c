#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sample.h"
#include "table.h"
#include "table_print.h"

/* The table of a record, to be freed. */
static char *table_text(const char *path, unsigned width)
{
	struct record record;
	struct summary summary;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	sample_read(&record, path);
	assert_int_equal(summary_make(&summary, &record), 0);
	table_print(out, &record, &summary, width);
	fclose(out);
	summary_free(&summary);
	record_free(&record);
	return text;
}

static const char *assert_has(const char *text, const char *part)
{
	const char *at = strstr(text, part);

	if (!at)
		fail_msg("\"%s\" is not in\n%s", part, text);
	return at;
}

static void assert_before(const char *text, const char *first, const char *second)
{
	if (assert_has(text, first) >= assert_has(text, second))
		fail_msg("\"%s\" does not stand before \"%s\" in\n%s", first, second, text);
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	while (*text) {
		size_t length = strcspn(text, "\n");

		longest = length > longest ? length : longest;
		text += length + (text[length] == '\n');
	}
	return longest;
}

/* Ten trials of each of three streams and two pingpongs in one regime, some in another, and some that do not count. */
static void make_record(struct sample *sample)
{
	static const struct {
		const char *queue;
		int batch;
		double rate;
	} streams[] = { { "null", 1, 900e6 }, { "slow", 1, 2.5e6 }, { "fast", 1, 150e6 }, { "fast", 256, 195.3e6 } };
	static const struct {
		const char *queue;
		double p50;
	} pingpongs[] = { { "line", 148 }, { "late", 25800 }, { "early", 300 } };
	int id = 0;

	sample_open(sample);
	sample_json(sample, sample_line(SAMPLE_RUN));
	for (int i = 0; i < 12; i++) {
		double line_ns = i < 10 ? 150 + i : 600;

		for (size_t k = 0; k < sizeof(streams) / sizeof(streams[0]); k++)
			sample_json(sample, sample_stream(++id, streams[k].queue, streams[k].batch, line_ns,
							  streams[k].rate * (1 + i / 100.0),
							  streams[k].rate * (1 + i / 100.0)));
		for (size_t k = 0; k < sizeof(pingpongs) / sizeof(pingpongs[0]); k++) {
			json_t *trial = sample_trial(++id, pingpongs[k].queue, line_ns, line_ns);

			sample_latency(trial, 0, "p50_ns", pingpongs[k].p50 + i);
			if (i == 9 && k == 1) {
				json_object_set_new(trial, "status", json_string("invalid"));
				json_object_set_new(trial, "valid", json_false());
				json_object_set_new(trial, "why", json_string("order broken"));
			}
			sample_json(sample, trial);
		}
	}
	sample_json(sample, sample_line(SAMPLE_END));
	sample_close(sample);
}

static void the_example_s_table_tells_all_that_is_in_it(void **state)
{
	char *text = table_text(SAMPLE_EXAMPLE, 0);

	(void)state;
	assert_has(text, "AMD EPYC, 2 CPUs, x86_64, kernel 6.18.44, hypervisor kvm");
	assert_has(text, "pingpong, load closed, 64-byte messages, same-l3 (CPUs 0 1), regime r149");
	assert_has(text, "round trip, from write at actor 0 to read at actor 0");
	assert_has(text, "ypipe              1     none/1 spin      240.0 ns -               240.0 ns  900.0 ns  30.00 "
			 "us  900.0 us  1");
	assert_has(text, "  write:read 0>1 +-45.00 ns               120.0 ns");
	assert_has(text, "clock-limited");
	assert_has(text, "  half the round trip                     120.0 ns");
	assert_has(text, "sender 4.000 M/s at write; receiver 4.000 M/s - at read");
	assert_has(text, "null             100  none/none spin          -          -          - -");
	assert_has(text, "0+1 failed");
	assert_has(text, "2 cells not planned: null: does not serve pingpong");
	assert_has(text, "1 crash: signal 11 (Segmentation fault)");
	assert_has(text, "p99 30.00 us");
	assert_before(text, "Fit for rates and medians: no", "Fit for tails: no");
	assert_has(text, "Record: " SAMPLE_EXAMPLE);
	free(text);
}

static void a_long_reason_is_whole_and_wrapped_and_one_cell_is_one(void **state)
{
	static const char whole[] = "the capacity that its rate is a share of is unknown: the trial that measured it (id 58) has no rate at read: "
				    "too few stamps, or over too little of the time";
	struct sample sample;
	json_t *run = sample_line(SAMPLE_RUN), *crash = sample_line(SAMPLE_CRASH), *other = sample_line(SAMPLE_CRASH);
	char *text, *found;

	(void)state;
	json_object_set_new(json_array_get(json_object_get(json_object_get(run, "plan"), "skipped"), 0), "cells", json_integer(1));
	json_object_set_new(crash, "status", json_string("skipped"));
	json_object_set_new(crash, "why", json_string(whole));
	sample_open(&sample);
	sample_json(&sample, run);
	sample_json(&sample, crash);
	json_object_set_new(other, "id", json_integer(99)); /* its cell has no trial that counts */
	sample_json(&sample, other);
	sample_close(&sample);
	text = table_text(sample.path, 0);
	assert_has(text, "  1 cell not planned: null: does not serve pingpong\n");
	found = strstr(text, "  1 skipped: the capacity");
	assert_non_null(found);
	assert_true(strcspn(found, "\n") <= TABLE_WIDE);
	assert_memory_equal(found + strcspn(found, "\n"), "\n    ", 5);
	memmove(found + strcspn(found, "\n") + 1, found + strcspn(found, "\n") + 5, strlen(found + strcspn(found, "\n") + 5) + 1);
	*strchr(found, '\n') = ' ';
	assert_has(found, whole);
	assert_has(text, " has none");
	free(text);
	sample_remove(&sample);
}

static void what_several_share_stands_below_its_row(void **state)
{
	struct sample sample;
	json_t *trial = sample_stream(1, "spin", 16, 150, 4e6, 3e6), *cell = json_object_get(trial, "cell");
	char *text;

	(void)state;
	json_object_set_new(cell, "workload", json_string("fanin"));
	json_object_set_new(cell, "producers", json_integer(2));
	json_object_set_new(cell, "prewrite", json_false());
	json_object_set_new(trial, "fairness",
			    json_pack("{s:{s:f, s:f}, s:{s:n, s:f}}", "producers", "jain", 0.9, "longest_gap_ns", 5000.0, "consumers",
				      "jain", "longest_gap_ns", 6000.0));
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, trial);
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_close(&sample);
	for (unsigned width = 80; width <= 120; width += 40) {
		text = table_text(sample.path, width);
		assert_has(text, "sender, receiver: sums over 2 senders, over 1 receiver\n");
		assert_has(text, "prewrite off: each message is flushed by itself");
		assert_has(text, "each of 2 senders: 4.000 M/s to 4.000 M/s, Jain 0.900, longest gap 5.000 us");
		assert_has(text, "the receiver: longest gap 6.000 us");
		free(text);
	}
	sample_remove(&sample);
}

static void what_a_sleeping_wait_cost_stands_below_its_row(void **state)
{
	static const char *const waits[] = { "adaptive", "native", "spin", "park" };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct sample sample;
		json_t *trial = sample_stream(1, "ring", 16, 150, 4e6, 3e6), *cost = json_object_get(trial, "cost");
		char *text;

		json_object_set_new(json_object_get(trial, "cell"), "wait", json_string(waits[i]));
		json_object_set_new(cost, "senders_cpu_share", json_real(0.95));
		if (i < 3) /* older files don't tell */
			json_object_set_new(cost, "others_cpu_share", json_real(0.125));
		json_object_set_new(cost, "cpu_ns_per_message", json_real(1500.0));
		sample_open(&sample);
		sample_json(&sample, sample_line(SAMPLE_RUN));
		sample_json(&sample, trial);
		sample_json(&sample, sample_line(SAMPLE_END));
		sample_close(&sample);
		text = table_text(sample.path, 120);
		if (i < 2)
			assert_has(text, "  CPU time: sender 95.00 %, all others 12.50 % of the time; 1.500 us per message\n");
		else if (i == 2)
			assert_null(strstr(text, "CPU time"));
		else
			assert_has(text, "  CPU time: sender 95.00 %, all others - of the time;");
		free(text);
		sample_remove(&sample);
	}
}

static void a_long_name_shifts_no_column(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_stream(1, "ring", 8, 150, 4e6, 3e6));
	sample_json(&sample, sample_stream(2, "a-queue-of-a-very-long-name", 8, 150, 4e6, 3e6));
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_close(&sample);
	text = table_text(sample.path, 120);
	assert_has(text, "\nqueue                       asked ");
	assert_has(text, "\nring                            8 ");
	assert_has(text, "\na-queue-of-a-very-long-name     8 ");
	free(text);
	sample_remove(&sample);
}

/* Ten trials each of two queues at two shares of the capacity, one of which keeps up with neither. */
static void an_open_load_has_a_table_of_its_own(void **state)
{
	struct sample sample;
	char *text;
	int id = 0;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 0; i < 10; i++) {
		json_t *short_of = sample_open_load(++id, "ring", 90, false);

		json_object_set_new(json_object_get(short_of, "open"), "rate_reached", json_boolean(i < 2));
		sample_json(&sample, short_of);
		sample_json(&sample, sample_open_load(++id, "ring", 10, i == 3));
		sample_json(&sample, sample_open_load(++id, "slow", 90, true));
		sample_json(&sample, sample_open_load(++id, "slow", 10, i >= 5));
		sample_json(&sample, sample_open_load(++id, "fast", 10, false));
	}
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_close(&sample);
	text = table_text(sample.path, 120);
	assert_has(text, "stream, load open poisson, 64-byte messages");
	assert_has(text, "receivers work 100.0 ns per message; 101.5 ns by the calibration");
	assert_has(text, "ring             1  1Ki/none spin        90 %    1 3.600 M/s 100.0 %        -        -        -        - 10, not reached");
	assert_has(text, "ring             1  1Ki/none spin        10 %    1 400.0 k/s 100.0 % 900.0 ns 190.0 ns 1.900 us 42.00 us 10, 1 saturated");
	/* no percentile of what only grew, and half of the trials are enough */
	assert_has(text, "slow             1  1Ki/none spin        90 %    1 3.600 M/s 50.00 %        -        -        -        - 10, saturated\n");
	assert_has(text, "slow             1  1Ki/none spin        10 %    1 400.0 k/s 75.00 %        -        -        -        - 10, saturated\n");
	assert_has(text, "fast             1  1Ki/none spin        10 %    1 400.0 k/s 100.0 % 900.0 ns 190.0 ns 1.900 us 42.00 us 10\n");
	assert_before(text, "10 %    1 400.0 k/s", "90 %    1 3.600 M/s");
	assert_has(text, "  write:read 0>1 +-45.00 ns ");
	if (longest_line(text) > 120)
		fail_msg("%zu columns in\n%s", longest_line(text), text);
	free(text);
	text = table_text(sample.path, 80);
	assert_has(text, "slow              90 %    1 50.00 %        -        -        - 10, saturated");
	assert_true(longest_line(text) <= 120);
	free(text);
	sample_remove(&sample);
}

static void a_line_of_an_open_load_keeps_within_the_width(void **state)
{
	static const unsigned widths[] = { 120, 80 };
	struct sample sample;
	int id = 0;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 0; i < 12; i++) {
		json_t *trial = sample_open_load(++id, "readerwriter-two", 90, false);

		json_object_set_new(json_object_get(trial, "open"), "rate_reached", json_boolean(i > 2));
		json_object_set_new(trial, "moved", json_boolean(i == 11));
		sample_json(&sample, trial);
	}
	sample_close(&sample);
	for (size_t i = 0; i < 2; i++) {
		char *text = table_text(sample.path, widths[i]);

		assert_has(text, " 11+1 moved\n  of these trials: 3 not reached\n");
		if (longest_line(text) > 120) /* what is no row is not cut to a narrow terminal */
			fail_msg("%zu columns in\n%s", longest_line(text), text);
		free(text);
	}
	sample_remove(&sample);
}

static void what_is_not_known_of_an_open_load_stands_below_its_row(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 0; i < 4; i++) {
		json_t *trial = sample_open_load(2 * i + 1, "ring", 10, false), *behind = sample_open_load(2 * i + 2, "slow", 10, false);

		if (i < 2)
			json_object_set_new(json_object_get(trial, "open"), "saturated", json_null());
		json_object_set_new(json_object_get(behind, "open"), "saturated", json_null());
		json_object_set_new(json_object_get(behind, "open"), "rate_reached", json_false());
		sample_json(&sample, trial);
		sample_json(&sample, behind);
	}
	sample_close(&sample);
	text = table_text(sample.path, 120);
	assert_has(text, "  in 2 of 4 trials whether the load was saturated is unknown: a quarter of the trial or more had no\n");
	assert_null(strstr(text, "in 4 of 4 trials")); /* it fell behind: it has no percentile */
	free(text);
	sample_remove(&sample);
}

static void what_an_open_load_was_asked_for_stands_in_a_column(void **state)
{
	struct sample sample;
	json_t *burst = sample_open_load(2, "ring", 10, false), *cell = json_object_get(burst, "cell");
	char *text;

	(void)state;
	json_object_set_new(cell, "rate_percent", json_null());
	json_object_set_new(cell, "arrival", json_string("burst"));
	json_object_set_new(cell, "burst", json_integer(32));
	json_object_set_new(cell, "gap_ns", json_integer(2000000));
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_line(SAMPLE_OPEN));
	json_object_set_new(burst, "id", json_integer(4));
	json_object_set_new(burst, "latency", json_array());
	sample_json(&sample, burst);
	sample_close(&sample);
	text = table_text(sample.path, 120);
	assert_has(text, "ring             1  1Ki/none spin   1.000 M/s    1 1.000 M/s 100.0 %");
	assert_has(text, "load open burst"); /* two cells that differ by nothing else are told apart */
	assert_has(text, "ring             1  1Ki/none spin   /2.000 ms   32 400.0 k/s 100.0 %        -        -        -        - 1");
	free(text);
	sample_remove(&sample);
}

/* A trial whose reader passed that many messages in each of n windows of 10 ms, one after the other, round and round. */
static json_t *windows_trial(int id, const char *queue, const int *messages, size_t kinds, size_t n)
{
	json_t *trial = sample_stream(id, queue, 16, 150, 4e6, 4e6), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer(messages[i % kinds] + (json_int_t)(i % 7)));
	json_object_set_new(json_array_get(json_object_get(trial, "endpoints"), 1), "windows",
			    json_pack("{s:f, s:i, s:o}", "width_ns", 1e7, "within_messages", 16, "messages", list));
	return trial;
}

static void a_schedule_without_messages_is_told_of(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 1; i <= 3; i++) {
		json_t *trial = sample_open_load(i, "ring", 10, false);

		if (i == 2)
			json_object_set_new(json_object_get(trial, "open"), "reached_share", json_null());
		sample_json(&sample, trial);
	}
	sample_close(&sample);
	text = table_text(sample.path, 80);
	assert_has(text, "\n  in 1 of 3 trials whether the rate was reached is unknown: no two stamped messages were due\n");
	free(text);
	sample_remove(&sample);
}

/* The median of their maxima is what a reader takes for a bound, and isn't. */
static void max_is_the_greatest_of_all_trials(void **state)
{
	static const double maxima[] = { 80e3, 20.02e6, 90e3, 85e3, 95e3 };
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 1; i <= 5; i++) {
		json_t *trial = sample_trial(i, "ring", 150, 150);

		sample_latency(trial, 0, "max_ns", maxima[i - 1]);
		sample_json(&sample, trial);
	}
	sample_close(&sample);
	text = table_text(sample.path, 120);
	assert_has(text, " 20.02 ms  5\n");
	assert_null(strstr(text, "90.00 us"));
	free(text);
	sample_remove(&sample);
}

static void percentiles_of_fewer_trials_say_of_how_many(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 1; i <= 3; i++) {
		json_t *trial = sample_open_load(i, "ring", 10, false);

		if (i == 2)
			json_object_set_new(trial, "latency", json_array());
		sample_json(&sample, trial);
	}
	sample_close(&sample);
	text = table_text(sample.path, 120);
	assert_has(text, "\n  response is of 2 of 3 trials: in the others no stamped message was read\n");
	free(text);
	sample_remove(&sample);
}

static void a_trial_that_messages_end_is_so_long(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 1; i <= 2; i++) {
		json_t *trial = sample_stream(i, "ring", 1, 150, 1e6, 1e6), *cell = json_object_get(trial, "cell");

		json_object_set_new(cell, "duration_ns", json_null());
		json_object_set_new(cell, "messages", json_integer(i));
		sample_json(&sample, trial);
	}
	sample_close(&sample);
	text = table_text(sample.path, 80);
	assert_has(text, "trials of 1 message, ");
	assert_has(text, "trials of 2 messages, ");
	free(text);
	sample_remove(&sample);
}

/* A table of ten ping-pongs. samples: of the round trips of the first `poor` ones. */
static char *samples_table(int poor, int samples, int every)
{
	struct sample sample;
	char *text;

	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 0; i < 10; i++) {
		json_t *trial = sample_trial(i + 1, "ypipe", 150, 150);

		if (i < poor)
			sample_poor(trial, 0, samples + i % 2);
		sample_stamps(trial, i < 4 ? every : 1, 1, every > 1 && i == 9);
		sample_json(&sample, trial);
	}
	sample_close(&sample);
	text = table_text(sample.path, 80);
	sample_remove(&sample);
	return text;
}

static void why_percentiles_are_absent_is_told(void **state)
{
	char *text = samples_table(1, 16, 1);

	(void)state;
	assert_has(text, "\n  1 of 10 trials left out of the latencies: 16 samples, a p50 needs 20\n");
	free(text);
	text = samples_table(2, 16, 1);
	assert_has(text, "\n  16 to 400001 samples a trial: a p50 needs 20, 2 of 10 have fewer\n");
	free(text);
	text = samples_table(10, 10, 1);
	assert_has(text, "\n  10 to 11 samples a trial: a p50 needs 20\n");
	free(text);
	text = samples_table(0, 0, 1);
	assert_null(strstr(text, "samples a trial"));
	assert_null(strstr(text, "left out of"));
	free(text);
}

static void what_was_stamped_otherwise_than_asked_is_told(void **state)
{
	char *text = samples_table(0, 0, 2);

	(void)state;
	assert_has(text, "\n  4 of 10 trials stamped one message in 2, not one in 1: more found no room\n    the medians are across both");
	assert_has(text, "\n  1 of 10 trials ended early: the memory for stamps was full\n");
	free(text);
	text = samples_table(0, 0, 1);
	assert_null(strstr(text, "stamped one message"));
	assert_null(strstr(text, "ended early"));
	free(text);
}

static void what_ended_each_cell_is_told(void **state)
{
	char *text = table_text(SAMPLE_EXAMPLE, 80);

	(void)state;
	assert_has(text, "\nUntil 2.000 %: reached by 1 of 3 cells; the others were ended by\n  time budget: ypipe pingpong closed, batch 1: "
			 "too few trials in one regime for an interval\n  time budget: a cell without a trial\n");
	free(text);
}

static void trials_without_a_rate_are_counted_below_the_row(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	for (int i = 1; i <= 5; i++) {
		json_t *trial = sample_stream(i, "ring", 1, 150, 1e6, 1e6), *endpoints = json_object_get(trial, "endpoints");

		for (size_t end = 0; end < 2; end++)
			if (i <= (end ? 3 : 1))
				json_object_set_new(json_array_get(json_object_get(json_array_get(endpoints, end), "points"), 0),
						    "rate_per_s", json_null());
		sample_json(&sample, trial);
	}
	sample_close(&sample);
	text = table_text(sample.path, 80);
	assert_has(text, "\n  no rate in 1 at write, in 3 at read, of 5 trials: too few stamps, or over less than half");
	assert_has(text, "\n  so sender and receiver are medians of different trials: 2 of them have both rates\n");
	free(text);
	sample_remove(&sample);
}

static void what_windows_of_time_tell_stands_below_the_row(void **state)
{
	static const int two[] = { 620000, 620000, 250000, 620000, 250000, 620000, 620000, 620000, 250000, 620000 };
	static const int stalls[] = { 400000, 400000, 400000, 400000, 400000, 400000, 400000, 12, 400000, 400000 };
	static const int steady[] = { 400000 };
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, windows_trial(1, "modal", two, 10, 40));
	sample_json(&sample, windows_trial(2, "stalling", stalls, 10, 20)); /* too few for a course, together enough for modes */
	sample_json(&sample, windows_trial(3, "stalling", stalls, 10, 20));
	sample_json(&sample, windows_trial(4, "steady", steady, 1, 40));
	sample_json(&sample, sample_line(SAMPLE_END));
	sample_close(&sample);
	for (unsigned width = 80; width <= 120; width += 40) {
		text = table_text(sample.path, width);
		assert_has(text, "  two modes: 62.00 M/s in 70 % of the time, 25.00 M/s in 30 %; next to nothing in 0 %\n"
				 "  of 1 trial 1 was unsteady\n");
		assert_has(text, "  stalled: next to nothing moved in 4 of 40 windows of 10.00 ms\n");
		assert_null(strstr(text, "flat"));
		assert_has(text, "  1 of 3 cells have two modes; farthest apart modal stream: 62.00 M/s in 70 % of the time, 25.00 M/s "
				 "in 30 %\n");
		assert_has(text, "  1 of the 2 trials that have 30 windows of time went on warming or slowing, or were unsteady\n");
		free(text);
	}
	sample_remove(&sample);
}

static void the_best_stand_first_and_floors_last(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	make_record(&sample);
	text = table_text(sample.path, 0);
	assert_before(text, "pingpong, load closed", "stream, load saturate");
	assert_before(text, "\nearly ", "\nlate ");
	assert_before(text, "\nlate ", "for comparison: ");
	assert_before(text, "for comparison: ", "\nline ");
	assert_before(text, "\nfast             256", "\nfast               1");
	assert_before(text, "\nfast               1", "\nslow ");
	assert_before(text, "\nslow ", "\nnull ");
	free(text);
	sample_remove(&sample);
}

static void other_regimes_stand_apart_and_are_named(void **state)
{
	struct sample sample;
	const char *others;
	char *text;

	(void)state;
	make_record(&sample);
	text = table_text(sample.path, 0);
	assert_before(text, "regime r154", "Other regimes");
	others = assert_has(text, "Other regimes");
	assert_has(others, "stream, load saturate, 64-byte messages, same-l3 (CPUs 0 1), regime r600");
	assert_null(strstr(others, "(CPUs 0 1), regime r154"));
	assert_has(text, "regime r154: 69 trials, the most frequent");
	assert_has(text, "regime r600: 14 trials");
	free(text);
	sample_remove(&sample);
}

static void trials_that_do_not_count_stand_beside_those_that_do(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	make_record(&sample);
	text = table_text(sample.path, 0);
	assert_has(text, " 9+1 invalid\n");
	assert_has(text, "Trials: 84; 83 counted (0 of them disturbed), 0 moved, 1 invalid, 0 failed, 0 skipped");
	assert_has(text, "  1 invalid: order broken\n");
	free(text);
	sample_remove(&sample);
}

static void a_saturated_stream_has_no_latency(void **state)
{
	const char *group, *columns;
	struct sample sample;
	char *text;

	(void)state;
	make_record(&sample);
	text = table_text(sample.path, 0);
	assert_has(text, "  no latency: in a saturated queue a message's time is the queue's depth over its rate\n");
	group = strstr(text, "\nstream, load saturate"); /* the last one of its regime */
	assert_non_null(group);
	columns = strstr(group, "p50 to max");
	assert_true(!columns || columns > assert_has(text, "Other regimes"));
	assert_null(strstr(text, "throughput"));
	free(text);
	sample_remove(&sample);
}

static void lines_fit_the_width(void **state)
{
	static const unsigned widths[] = { 0, 200, 120, 80 };
	struct sample sample;

	(void)state;
	make_record(&sample);
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		char *text = table_text(sample.path, widths[i]);

		if (longest_line(text) > 120)
			fail_msg("%zu columns in\n%s", longest_line(text), text);
		free(text);
	}
	sample_remove(&sample);
}

static void a_narrow_table_keeps_rows_and_says_what_it_lacks(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	make_record(&sample);
	text = table_text(sample.path, 80);
	assert_before(text, "\nearly ", "\nlate ");
	assert_null(strstr(text, "[95 %]"));
	assert_has(text, "Intervals, calm medians, p99.9 and ns per message stand in tables of 120 columns.");
	free(text);
	sample_remove(&sample);
}

static void intervals_stand_in_the_unit_of_their_median(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	make_record(&sample);
	text = table_text(sample.path, 0);
	assert_has(text, "204.1 M/s [19"); /* 195.3 … 212.9 M/s, ten of them: the median is 204.1 */
	free(text);
	sample_remove(&sample);
}

static void parameters_that_differ_without_a_column_are_told(void **state)
{
	json_t *other = sample_trial(2, "ypipe", 150, 150);
	struct sample sample;
	char *text;

	(void)state;
	json_object_set_new(json_object_get(other, "cell"), "huge_pages", json_string("2M"));
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_trial(1, "ypipe", 150, 150));
	sample_json(&sample, other);
	sample_close(&sample);
	text = table_text(sample.path, 0);
	assert_has(text, "  huge_pages no\n");
	assert_has(text, "  huge_pages 2M\n");
	assert_null(strstr(text, "memory_node")); /* the same in both */
	free(text);
	sample_remove(&sample);
}

static void a_record_without_trials_is_told_in_words(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	assert_true(fputs("{\"kind\":\"tri", sample.file) >= 0);
	sample_close(&sample);
	text = table_text(sample.path, 0);
	assert_has(text, "no trial was measured");
	assert_has(text, "the file ends in half a line, which is left out");
	assert_has(text, "the run did not come to its end");
	assert_has(text, "floor was not measured");
	free(text);
	sample_remove(&sample);
}

static void control_characters_of_a_record_do_not_reach_the_terminal(void **state)
{
	struct sample sample;
	char *text;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, sample_trial(1, "evil\x1b[2J\nname\xc2\x9b", 150, 150));
	sample_close(&sample);
	text = table_text(sample.path, 0);
	assert_has(text, "evil?[2J?name?");
	for (const char *at = text; *at; at++)
		assert_true((unsigned char)*at >= ' ' || *at == '\n');
	free(text);
	sample_remove(&sample);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
	char *plain = table_text(SAMPLE_EXAMPLE, 0), *local;

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8"))
		setlocale(LC_ALL, "");
	local = table_text(SAMPLE_EXAMPLE, 0);
	setlocale(LC_ALL, "C");
	assert_string_equal(plain, local);
	free(plain);
	free(local);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_s_table_tells_all_that_is_in_it),
		cmocka_unit_test(a_long_reason_is_whole_and_wrapped_and_one_cell_is_one),
		cmocka_unit_test(what_several_share_stands_below_its_row),
		cmocka_unit_test(what_a_sleeping_wait_cost_stands_below_its_row),
		cmocka_unit_test(a_long_name_shifts_no_column),
		cmocka_unit_test(an_open_load_has_a_table_of_its_own),
		cmocka_unit_test(a_line_of_an_open_load_keeps_within_the_width),
		cmocka_unit_test(what_is_not_known_of_an_open_load_stands_below_its_row),
		cmocka_unit_test(what_an_open_load_was_asked_for_stands_in_a_column),
		cmocka_unit_test(a_schedule_without_messages_is_told_of),
		cmocka_unit_test(max_is_the_greatest_of_all_trials),
		cmocka_unit_test(percentiles_of_fewer_trials_say_of_how_many),
		cmocka_unit_test(a_trial_that_messages_end_is_so_long),
		cmocka_unit_test(why_percentiles_are_absent_is_told),
		cmocka_unit_test(what_was_stamped_otherwise_than_asked_is_told),
		cmocka_unit_test(what_ended_each_cell_is_told),
		cmocka_unit_test(trials_without_a_rate_are_counted_below_the_row),
		cmocka_unit_test(what_windows_of_time_tell_stands_below_the_row),
		cmocka_unit_test(the_best_stand_first_and_floors_last),
		cmocka_unit_test(other_regimes_stand_apart_and_are_named),
		cmocka_unit_test(trials_that_do_not_count_stand_beside_those_that_do),
		cmocka_unit_test(a_saturated_stream_has_no_latency),
		cmocka_unit_test(lines_fit_the_width),
		cmocka_unit_test(a_narrow_table_keeps_rows_and_says_what_it_lacks),
		cmocka_unit_test(intervals_stand_in_the_unit_of_their_median),
		cmocka_unit_test(parameters_that_differ_without_a_column_are_told),
		cmocka_unit_test(a_record_without_trials_is_told_in_words),
		cmocka_unit_test(control_characters_of_a_record_do_not_reach_the_terminal),
		cmocka_unit_test(numbers_have_a_point_in_every_locale),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
