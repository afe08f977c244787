#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "compare.h"
#include "compare_print.h"
#include "sample.h"

enum { N = 10 };

/* Two records, their comparison, and what it printed. */
struct fixture {
	struct sample samples[2];
	struct record records[2];
	struct summary summaries[2];
	struct comparison comparison;
	size_t count; /* of records */
	int next_id;
};

static const struct compare_settings SETTINGS = { .threshold = 0.02, .floor = { -1, -1 } };

/* Takes the reference to the second record's first line. */
static void begin_against(struct fixture *fixture, json_t *second_run)
{
	memset(fixture, 0, sizeof(*fixture));
	sample_open(&fixture->samples[0]);
	sample_open(&fixture->samples[1]);
	sample_json(&fixture->samples[0], sample_line(SAMPLE_RUN));
	sample_json(&fixture->samples[1], second_run);
}

static void begin(struct fixture *fixture)
{
	begin_against(fixture, sample_line(SAMPLE_RUN));
}

static void add(struct fixture *fixture, size_t side, json_t *trial)
{
	json_object_set_new(trial, "id", json_integer(++fixture->next_id));
	sample_json(&fixture->samples[side], trial);
}

/* N trials of a stream, whose rates scatter a little; the line's round trip is as given. */
static void add_stream(struct fixture *fixture, size_t side, const char *queue, int batch, double line_ns, double rate)
{
	for (int i = 0; i < N; i++)
		add(fixture, side, sample_stream(1, queue, batch, line_ns, rate, rate * (1 + 0.001 * (i * 7 % N))));
}

/* The same with a parameter of the cell changed. Takes the reference. */
static void add_changed(struct fixture *fixture, size_t side, const char *queue, double rate, const char *name, json_t *value)
{
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_stream(1, queue, 8, 500, rate, rate * (1 + 0.001 * (i * 7 % N)));

		json_object_set(json_object_get(trial, "cell"), name, value);
		add(fixture, side, trial);
	}
	json_decref(value);
}

static void add_pingpong(struct fixture *fixture, size_t side, const char *queue, double p50_ns)
{
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_trial(1, queue, 500, 500);

		sample_latency(trial, 0, "p50_ns", p50_ns + 0.1 * (i * 7 % N));
		add(fixture, side, trial);
	}
}

static struct compare_input input(const struct fixture *fixture, size_t side)
{
	return (struct compare_input){ &fixture->records[side], &fixture->summaries[side] };
}

static void read_side(struct fixture *fixture, size_t side)
{
	sample_close(&fixture->samples[side]);
	sample_read(&fixture->records[side], fixture->samples[side].path);
	assert_int_equal(summary_make(&fixture->summaries[side], &fixture->records[side]), 0);
}

static void compare_with(struct fixture *fixture, const struct compare_settings *settings)
{
	read_side(fixture, 0);
	read_side(fixture, 1);
	assert_int_equal(compare_records(&fixture->comparison, input(fixture, 0), input(fixture, 1), settings), 0);
}

static void compare(struct fixture *fixture)
{
	compare_with(fixture, &SETTINGS);
}

/* The queues of the first record. */
static void compare_to(struct fixture *fixture, const char *queue)
{
	read_side(fixture, 0);
	read_side(fixture, 1);
	assert_int_equal(compare_queues(&fixture->comparison, input(fixture, 0), queue, &SETTINGS), 0);
}

static void end(struct fixture *fixture)
{
	compare_free(&fixture->comparison);
	for (size_t i = 0; i < 2; i++) {
		summary_free(&fixture->summaries[i]);
		record_free(&fixture->records[i]);
		sample_remove(&fixture->samples[i]);
	}
}

static const struct compare_row *row(const struct fixture *fixture, size_t i)
{
	assert_in_range(i, 0, fixture->comparison.row_count - 1);
	return &fixture->comparison.rows[i];
}

static void assert_row(const struct fixture *fixture, size_t i, enum compare_verdict verdict, const char *reason)
{
	const struct compare_row *got = row(fixture, i);

	if (got->verdict != verdict || strcmp(got->reason, reason) != 0)
		fail_msg("row %zu is %s: \"%s\", not %s: \"%s\"", i, compare_verdict_names[got->verdict], got->reason,
			 compare_verdict_names[verdict], reason);
}

static char *printed(const struct fixture *fixture, unsigned width)
{
	const struct compare_subject subject = { .baseline = &fixture->records[0], .record = &fixture->records[1] };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	compare_print(out, &fixture->comparison, &subject, width);
	fclose(out);
	return text;
}

static void assert_says(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
}

static void streams_are_compared_by_the_rate_at_read(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 0, "ypipe", 8, 500, 1e8);
	add_stream(&fixture, 0, "spin", 8, 500, 1e8);
	add_stream(&fixture, 1, "spin", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 500, 0.9e8);
	add_stream(&fixture, 1, "ypipe", 8, 500, 1.1e8);
	compare(&fixture);
	assert_int_equal(fixture.comparison.row_count, 3);
	assert_row(&fixture, 0, COMPARE_SLOWER, "");
	assert_row(&fixture, 1, COMPARE_FASTER, "");
	assert_row(&fixture, 2, COMPARE_UNCHANGED, "");
	assert_int_equal(row(&fixture, 0)->metric, COMPARE_RATE);
	assert_true(fabs(row(&fixture, 0)->change + 0.1) < 1e-6);
	assert_int_equal(compare_status(&fixture.comparison, true), 1);
	end(&fixture);
}

static void a_long_name_shifts_no_column(void **state)
{
	struct fixture fixture;
	char *text;

	(void)state;
	begin(&fixture);
	for (size_t side = 0; side < 2; side++) {
		add_stream(&fixture, side, "ring", 8, 500, 1e8);
		add_stream(&fixture, side, "a-queue-of-a-very-long-name", 8, 500, 1e8);
	}
	compare(&fixture);
	text = printed(&fixture, 120);
	assert_says(text, "\nqueue                       batch ");
	assert_says(text, "\nring                            8 ");
	assert_says(text, "\na-queue-of-a-very-long-name     8 ");
	free(text);
	end(&fixture);
}

static void pingpongs_are_compared_by_the_round_trip(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_pingpong(&fixture, 0, "ring", 1000);
	add_pingpong(&fixture, 1, "ring", 1200);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_SLOWER, "");
	assert_int_equal(row(&fixture, 0)->metric, COMPARE_TIME);
	assert_string_equal(row(&fixture, 0)->metric_name, "p50 of the round trip write:read");
	assert_true(fabs(row(&fixture, 0)->sample.median - 1200.45) < 1e-6);
	end(&fixture);
}

/* What nothing stands against, and why: a gate must not pass on it. */
static void cells_that_differ_in_one_parameter_are_named_by_it(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "spin", 8, 500, 1e8);
	add_stream(&fixture, 1, "spin", 8, 500, 1e8);
	add_changed(&fixture, 0, "ring", 1e8, "capacity", json_integer(1024));
	add_changed(&fixture, 1, "ring", 1e8, "capacity", json_integer(4096));
	add_changed(&fixture, 0, "ypipe", 1e8, "duration_ns", json_integer(60000000));
	add_changed(&fixture, 1, "ypipe", 1e8, "duration_ns", json_integer(100000000));
	add_changed(&fixture, 0, "scq", 1e8, "window", json_null());
	add_changed(&fixture, 1, "lanes", 1e8, "window", json_null());
	compare(&fixture);
	assert_int_equal(fixture.comparison.row_count, 5);
	assert_row(&fixture, 0, COMPARE_UNCHANGED, "");
	assert_row(&fixture, 1, COMPARE_INCOMPARABLE, "capacity: 1024 against 4096");
	assert_row(&fixture, 2, COMPARE_INCOMPARABLE, "duration_ns: 60.00 ms against 100.0 ms");
	assert_row(&fixture, 3, COMPARE_INCOMPARABLE, "the other record has no such cell");
	assert_row(&fixture, 4, COMPARE_INCOMPARABLE, "the baseline has no such cell");
	assert_int_equal(fixture.comparison.unmatched, 3);
	assert_int_equal(compare_status(&fixture.comparison, true), 4);
	end(&fixture);
}

static void another_placement_is_named_with_its_cpus(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_changed(&fixture, 0, "ring", 1e8, "cpus", json_pack("[i, i]", 0, 1));
	add_changed(&fixture, 1, "ring", 1e8, "cpus", json_pack("[i, i]", 0, 2));
	compare(&fixture);
	assert_int_equal(row(&fixture, 0)->verdict, COMPARE_INCOMPARABLE);
	assert_says(row(&fixture, 0)->reason, "place: ");
	assert_says(row(&fixture, 0)->reason, " 0,1 against ");
	assert_says(row(&fixture, 0)->reason, " 0,2");
	end(&fixture);
}

/* A file of an earlier version does not tell what a later one tells by null, true or 0. */
static void what_an_older_record_does_not_tell_is_no_difference(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 1, "ring", 8, 500, 1e8);
	for (int i = 0; i < N; i++) {
		static const char *const later[] = { "prewrite", "preread", "stages", "work_ns", "think_ns", "rate_per_s", "arrival" };
		json_t *trial = sample_stream(1, "ring", 8, 500, 1e8, 1e8 + i);

		for (size_t k = 0; k < sizeof(later) / sizeof(later[0]); k++)
			assert_int_equal(json_object_del(json_object_get(trial, "cell"), later[k]), 0);
		add(&fixture, 0, trial);
	}
	compare(&fixture);
	assert_int_equal(fixture.comparison.row_count, 1);
	assert_int_equal(row(&fixture, 0)->verdict, COMPARE_UNCHANGED);
	end(&fixture);
}

static void regimes_are_the_same_within_a_quarter(void **state)
{
	const struct {
		double before_ns, after_ns;
		enum compare_verdict verdict;
		const char *reason;
	} cases[] = { { 400, 499, COMPARE_UNCHANGED, "" },
		      { 499, 400, COMPARE_UNCHANGED, "" },
		      { 400, 501, COMPARE_INCOMPARABLE, "regime: r400 against r501" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;

		begin(&fixture);
		add_stream(&fixture, 0, "ring", 8, cases[i].before_ns, 1e8);
		add_stream(&fixture, 1, "ring", 8, cases[i].after_ns, 1e8);
		compare(&fixture);
		assert_row(&fixture, 0, cases[i].verdict, cases[i].reason);
		assert_int_equal(fixture.comparison.unmatched, 0); /* the cell is there */
		end(&fixture);
	}
}

/* The trials of the first record lie in two regimes, those of the second in the lesser of them: it is that one which is compared. */
static void the_regime_that_both_have_is_compared(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 150, 3e8);
	add_stream(&fixture, 0, "ring", 8, 150, 3e8);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 550, 1e8);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_UNCHANGED, "");
	assert_int_equal(row(&fixture, 0)->baseline.n, N);
	assert_string_equal(row(&fixture, 0)->baseline_regime, "r500");
	assert_string_equal(row(&fixture, 0)->regime, "r550");
	end(&fixture);
}

static void regimes_can_be_ignored(void **state)
{
	struct compare_settings settings = SETTINGS;
	struct fixture fixture;

	(void)state;
	settings.ignore_regime = true;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 150, 1e8);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 1500, 0.8e8);
	compare_with(&fixture, &settings);
	assert_row(&fixture, 0, COMPARE_SLOWER, "");
	assert_int_equal(row(&fixture, 0)->baseline.n, 2 * N);
	assert_string_equal(row(&fixture, 0)->regime, "all");
	end(&fixture);
}

/* Compares the same trials of two runs, after a change of the second one's first line. */
static void assert_incomparable(const char *object, const char *name, json_t *value, const char *reason)
{
	struct fixture fixture;
	json_t *run = sample_line(SAMPLE_RUN);

	json_object_set_new(json_object_get(run, object), name, value);
	begin_against(&fixture, run);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 500, 0.5e8);
	compare(&fixture);
	assert_int_equal(row(&fixture, 0)->verdict, COMPARE_INCOMPARABLE);
	assert_says(fixture.comparison.incomparable, reason);
	assert_string_equal(row(&fixture, 0)->reason, fixture.comparison.incomparable);
	assert_int_equal(compare_status(&fixture.comparison, true), 4);
	end(&fixture);
}

static void another_machine_or_clock_is_incomparable(void **state)
{
	(void)state;
	assert_incomparable("host", "cpu_model", json_string("Another CPU"),
			    "another machine: cpu_model \"AMD EPYC\" against \"Another CPU\"");
	assert_incomparable("host", "cpus", json_integer(64), "another machine: cpus 2 against 64");
	assert_incomparable("host", "kernel", json_string("7.1.0"), "another machine: kernel_major \"6\" against \"7\"");
	assert_incomparable("host", "hypervisor", json_null(), "another machine: hypervisor \"kvm\" against null");
	assert_incomparable("host", "clock_source", json_string("hpet"), "another machine: clock_source");
	assert_incomparable("clock", "source", json_string("system"), "another clock: source");
	assert_incomparable("clock", "ordering", json_string("isb"), "another clock: ordering");
	assert_incomparable("clock", "ticks_per_s", json_real(2096000000), "another clock: ticks_per_s");
}

static void neither_the_hosts_name_nor_a_minor_version_makes_another_machine(void **state)
{
	struct fixture fixture;
	json_t *run = sample_line(SAMPLE_RUN);

	(void)state;
	json_object_set_new(json_object_get(run, "host"), "kernel", json_string("6.1.0-18"));
	json_object_set_new(json_object_get(run, "host"), "name", json_string("another"));
	json_object_set_new(json_object_get(run, "clock"), "ticks_per_s", json_real(2445430000 * 1.001));
	begin_against(&fixture, run);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 500, 1e8);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_UNCHANGED, "");
	end(&fixture);
}

static void a_plugin_without_optimisation_is_compared_with_its_like_alone(void **state)
{
	struct fixture fixture;
	json_t *run = sample_line(SAMPLE_RUN);

	(void)state;
	json_object_set_new(run, "plugins", json_pack("[{s:s, s:b}]", "queue", "mine", "optimised", 0));
	begin_against(&fixture, run);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 500, 1e8);
	add_stream(&fixture, 0, "mine", 8, 500, 1e8);
	add_stream(&fixture, 1, "mine", 8, 500, 0.5e8);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_UNCHANGED, "");
	assert_row(&fixture, 1, COMPARE_INCOMPARABLE, "one of them is a plug-in that was compiled without optimisation");
	end(&fixture);
}

static void a_cell_without_a_trial_that_counts_is_as_good_as_absent(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	for (int i = 0; i < 3; i++) {
		json_t *trial = sample_stream(1, "ring", 8, 500, 1e8, 1e8);

		json_object_set_new(trial, "status", json_string("invalid"));
		json_object_set_new(trial, "valid", json_false());
		add(&fixture, 1, trial);
	}
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE, "the other side has no trial of it that counts: 3 invalid, 0 failed, 0 moved");
	assert_int_equal(compare_status(&fixture.comparison, true), 4);
	assert_int_equal(row(&fixture, 0)->lost, 3);
	end(&fixture);
}

static void a_rate_of_nothing_is_not_left_out(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 500, 1e8);
	add(&fixture, 1, sample_stream(1, "ring", 8, 500, 0, 0));
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE, "the other side has trials in which nothing moved: a rate of 0 has no ratio");
	assert_int_equal(compare_status(&fixture.comparison, true), 4);
	end(&fixture);
}

/* ---- one record's queues ---- */

static void queues_are_compared_where_all_else_is_equal(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 0, "scq", 8, 500, 0.5e8);
	add_stream(&fixture, 0, "scq", 64, 500, 0.5e8);
	add_stream(&fixture, 0, "null", 8, 500, 9e8);
	compare_to(&fixture, "ring");
	assert_int_equal(fixture.comparison.row_count, 2); /* of null, a floor, there is nothing to say */
	assert_row(&fixture, 0, COMPARE_SLOWER, "");
	assert_row(&fixture, 1, COMPARE_INCOMPARABLE, "batch: 8 against 64");
	assert_int_equal(compare_status(&fixture.comparison, false), 0);
	end(&fixture);
}

/* An unbounded queue has a window of the same size, and one that blocks waits by its own means; but another capacity is another thing. */
static void a_queues_nature_is_not_held_against_it(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_changed(&fixture, 0, "ring", 1e8, "capacity", json_integer(64));
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_stream(1, "ypipe", 8, 500, 1e8, 2e8), *cell = json_object_get(trial, "cell");

		json_object_set_new(cell, "capacity", json_null());
		json_object_set_new(cell, "window", json_integer(1024));
		add(&fixture, 0, trial);
	}
	add_changed(&fixture, 0, "mutex", 0.5e8, "wait", json_string("native"));
	add_changed(&fixture, 0, "scq", 1e8, "capacity", json_integer(512));
	add_changed(&fixture, 0, "lanes", 1e8, "wait", json_string("yield"));
	compare_to(&fixture, "ring");
	assert_row(&fixture, 0, COMPARE_FASTER, "");
	assert_int_equal(row(&fixture, 0)->baseline_cell->capacity, 1024);
	assert_row(&fixture, 1, COMPARE_SLOWER, "");
	assert_row(&fixture, 2, COMPARE_INCOMPARABLE, "capacity/window: 1Ki/none against 512/none");
	assert_row(&fixture, 3, COMPARE_INCOMPARABLE, "wait: spin against yield");
	assert_row(&fixture, 4, COMPARE_INCOMPARABLE, "no other queue has a cell like it");
	assert_int_equal(row(&fixture, 4)->baseline_cell->capacity, 64);
	assert_int_equal(compare_status(&fixture.comparison, false), 4);
	end(&fixture);
}

/* How much is under way is what a saturated queue's rate goes by: other rooms are not compared, but it is told how they would be equal. */
static void an_unbounded_queue_of_another_room_is_told_how_to_have_the_same(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_stream(1, "ypipe", 8, 500, 1e8, 2e8), *cell = json_object_get(trial, "cell");

		json_object_set_new(cell, "capacity", json_null());
		json_object_set_new(cell, "window", json_integer(65536));
		add(&fixture, 0, trial);
	}
	compare_to(&fixture, "ring");
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE,
		   "capacity/window: 1Ki/none against none/64Ki; can be compared when measured with --window 1024");
	end(&fixture);
}

/* A p50 below zero, which clocks that lie apart can make, is neither left out nor a ratio. */
static void a_median_below_zero_is_counted_and_has_no_ratio(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_pingpong(&fixture, 0, "ring", 300);
	add_pingpong(&fixture, 1, "ring", 300);
	for (int i = 0; i < 2; i++) {
		json_t *trial = sample_trial(1, "ring", 500, 500);

		sample_latency(trial, 0, "p50_ns", -20.0);
		add(&fixture, 1, trial);
	}
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE,
		   "the other side has 2 of 12 trials whose p50 is 0 or below, as far as the clocks lie apart: no ratio");
	assert_true(row(&fixture, 0)->unmatched);
	end(&fixture);
}

static void values_that_look_the_same_are_told_to_the_last_digit(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_changed(&fixture, 0, "ypipe", 1e8, "duration_ns", json_integer(10000000));
	add_changed(&fixture, 1, "ypipe", 1e8, "duration_ns", json_integer(10000123));
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE, "duration_ns: 10000000 against 10000123");
	end(&fixture);
}

/* As older versions did. The cell says nothing of it. */
static void trials_of_fewer_stamps_than_asked_are_told_of(void **state)
{
	struct fixture fixture;
	char *text;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_stream(1, "ring", 8, 500, 1e8, 1e8);

		sample_stamps(trial, i < 4 ? 2 : 1, 1, false);
		add(&fixture, 1, trial);
	}
	compare(&fixture);
	assert_int_equal(row(&fixture, 0)->baseline.thinned, 0);
	assert_int_equal(row(&fixture, 0)->sample.thinned, 4);
	text = printed(&fixture, 120);
	assert_says(text, "Trials that stamped one in more messages than asked: 0 of the baseline, 4 of the other side\n");
	free(text);
	end(&fixture);
}

/* N trials of a ping-pong; the first `poor` of them are so slow that they have too few samples for a p50. */
static void add_poor(struct fixture *fixture, size_t side, const char *queue, int poor)
{
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_trial(1, queue, 500, 500), *latency = json_array_get(json_object_get(trial, "latency"), 0);

		sample_latency(trial, 0, "p50_ns", 1000 + 0.1 * (i * 7 % N));
		if (i < poor) {
			static const char *const absent[] = { "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "p99_99_ns" };

			json_object_set_new(latency, "count", json_integer(9));
			for (size_t k = 0; k < sizeof(absent) / sizeof(absent[0]); k++)
				if (json_object_get(latency, absent[k]))
					json_object_set_new(latency, absent[k], json_null());
		}
		add(fixture, side, trial);
	}
}

/* They are the slow ones: the others would say that nothing changed. */
static void trials_too_slow_for_a_median_are_no_evidence_of_no_change(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_poor(&fixture, 0, "ring", 0);
	add_poor(&fixture, 0, "ypipe", 0);
	add_poor(&fixture, 0, "spin", 4);
	add_poor(&fixture, 1, "ring", 4);
	add_poor(&fixture, 1, "ypipe", 2);
	add_poor(&fixture, 1, "spin", 0);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE, "the other side: 4 of 10 trials have too few samples for a median");
	assert_row(&fixture, 1, COMPARE_INCOMPARABLE, "the other side: 2 of 10 trials have too few samples for a median");
	assert_row(&fixture, 2, COMPARE_INCOMPARABLE, "the baseline: 4 of 10 trials have too few samples for a median");
	assert_int_equal(compare_status(&fixture.comparison, true), 4);
	end(&fixture);
}

static void few_trials_without_a_median_are_left_out_and_told_of(void **state)
{
	struct fixture fixture;
	struct compare_subject subject;
	json_t *json;
	char *text;

	(void)state;
	begin(&fixture);
	add_poor(&fixture, 0, "ring", 0);
	add_poor(&fixture, 1, "ring", 1);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_UNCHANGED, "");
	text = printed(&fixture, 120);
	assert_says(text, "  left out, with too few samples for a median: 0 of 10 trials in the baseline, 1 of 10 now\n");
	free(text);
	subject = (struct compare_subject){ .baseline = &fixture.records[0], .record = &fixture.records[1] };
	json = compare_to_json(&fixture.comparison, &subject, 0);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(json_array_get(json_object_get(json, "rows"), 0), "now"), "left_out")),
			 1);
	json_decref(json);
	end(&fixture);
}

/* A last line that says of the clock that it changed. */
static void add_end(struct fixture *fixture, size_t side, bool ok)
{
	json_t *last = sample_line(SAMPLE_END), *clock = json_object_get(last, "clock");

	json_object_set_new(clock, "ok", json_boolean(ok));
	json_object_set_new(clock, "drift_ppm", json_real(ok ? 0.1 : 900));
	json_object_set_new(last, "trials", json_integer(fixture->next_id));
	sample_json(&fixture->samples[side], last);
}

static void a_run_whose_clock_did_not_hold_compares_nothing(void **state)
{
	static const struct {
		bool ok[2];
		const char *whose;
	} cases[] = { { { true, false }, "the other record's" }, { { false, true }, "the baseline's" }, { { false, false }, "both records'" } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture fixture;

		begin(&fixture);
		for (size_t side = 0; side < 2; side++) {
			fixture.next_id = 0;
			add_stream(&fixture, side, "ring", 8, 500, side ? 0.5e8 : 1e8);
			add_end(&fixture, side, cases[i].ok[side]);
		}
		compare(&fixture);
		assert_int_equal(row(&fixture, 0)->verdict, COMPARE_INCOMPARABLE);
		assert_says(fixture.comparison.incomparable, "the clock did not hold in ");
		assert_says(fixture.comparison.incomparable, cases[i].whose);
		assert_int_equal(compare_status(&fixture.comparison, true), 4);
		end(&fixture);
	}
}

static void neither_are_queues_of_such_a_run_compared(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 0, "scq", 8, 500, 0.5e8);
	add_end(&fixture, 0, false);
	compare_to(&fixture, "ring");
	assert_int_equal(row(&fixture, 0)->verdict, COMPARE_INCOMPARABLE);
	assert_says(row(&fixture, 0)->reason, "the clock did not hold in the record's run");
	end(&fixture);
}

static void a_baseline_that_was_not_measured_compares_nothing(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	compare_to(&fixture, "no-such-queue");
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE, "the baseline has no cell like it");
	assert_int_equal(compare_status(&fixture.comparison, false), 4);
	end(&fixture);
}

/* ---- open loads ---- */

/* N trials of an open load: intended:read and write:read of these p50, perhaps saturated, perhaps with a clock's bound. */
static void add_open(struct fixture *fixture, size_t side, double response_ns, double service_ns, bool saturated, double rate,
		     double bound_ns)
{
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_stream(1, "ring", 1, 500, rate, rate * (1 + 0.001 * (i * 7 % N)));
		json_t *latencies = json_object_get(trial, "latency"), *response = json_deep_copy(json_array_get(latencies, 0));

		json_object_set_new(json_object_get(trial, "cell"), "load", json_string("open"));
		json_object_set_new(json_object_get(response, "from"), "point", json_string("intended"));
		json_array_append_new(latencies, response);
		for (size_t k = 0; k < 2; k++) {
			json_t *latency = json_array_get(latencies, k);

			json_object_set_new(latency, "tag", saturated ? json_string("saturated") : json_null());
			json_object_set_new(latency, "offset_half_width_ns", json_real(bound_ns));
			json_object_set_new(latency, "p50_ns", json_real((k ? response_ns : service_ns) + 0.1 * (i * 7 % N)));
		}
		json_object_set_new(trial, "clock_offset", json_null());
		add(fixture, side, trial);
	}
}

/* N trials at a tenth of a capacity of which that is `offered`. */
static void add_share(struct fixture *fixture, size_t side, double offered, double p50_ns)
{
	for (int i = 0; i < N; i++) {
		json_t *trial = sample_open_load(1, "ring", 10, false);
		json_t *open = json_object_get(trial, "open"), *latencies = json_object_get(trial, "latency");

		json_object_set_new(open, "offered_per_s", json_real(offered));
		json_object_set_new(open, "capacity_per_s", json_real(10 * offered));
		json_object_set_new(open, "reached_per_s", json_real(offered));
		for (size_t k = 0; k < json_array_size(latencies); k++)
			sample_latency(trial, k, "p50_ns", p50_ns + 0.1 * (i * 7 % N));
		add(fixture, side, trial);
	}
}

/* A side of twice the capacity is offered twice as much: its latency is another question's answer. */
static void shares_of_other_capacities_are_incomparable(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_share(&fixture, 0, 1e5, 2000);
	add_share(&fixture, 1, 2e5, 4000);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_INCOMPARABLE, "offered 100.0 k/s against 200.0 k/s (10 % of each one's own capacity)");
	assert_int_equal(compare_status(&fixture.comparison, true), 4);
	end(&fixture);
}

static void shares_of_much_the_same_capacity_are_compared_and_told(void **state)
{
	struct fixture fixture;
	struct compare_subject subject;
	json_t *json;
	const json_t *first;
	char *text;

	(void)state;
	begin(&fixture);
	add_share(&fixture, 0, 1e5, 2000);
	add_share(&fixture, 1, 1.05e5, 4000);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_SLOWER, "");
	text = printed(&fixture, 120);
	assert_says(text, "  offered: 100.0 k/s in the baseline, 105.0 k/s now (10 % of each one's own capacity)\n");
	free(text);
	subject = (struct compare_subject){ .baseline = &fixture.records[0], .record = &fixture.records[1] };
	json = compare_to_json(&fixture.comparison, &subject, 1);
	first = json_array_get(json_object_get(json, "rows"), 0);
	assert_true(json_number_value(json_object_get(json_object_get(first, "baseline"), "offered_per_s")) == 1e5);
	assert_true(json_number_value(json_object_get(json_object_get(first, "now"), "offered_per_s")) == 1.05e5);
	json_decref(json);
	end(&fixture);
}

static void open_loads_are_compared_by_their_response(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_open(&fixture, 0, 2000, 500, false, 1e6, 10);
	add_open(&fixture, 1, 3000, 500, false, 1e6, 10);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_SLOWER, "");
	assert_string_equal(row(&fixture, 0)->metric_name, "p50 of intended:read");
	assert_true(fabs(row(&fixture, 0)->clock_bound_ns - 20) < 1e-9);
	end(&fixture);
}

static void an_open_load_that_one_side_could_not_keep_up_with_is_compared_by_its_rate(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_open(&fixture, 0, 2000, 500, false, 1e6, 10);
	add_open(&fixture, 1, 9e6, 9e6, true, 0.7e6, 10);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_SLOWER, "");
	assert_string_equal(row(&fixture, 0)->metric_name, "rate at read");
	assert_true(fabs(row(&fixture, 0)->change + 0.3) < 1e-6);
	end(&fixture);
}

static void a_one_way_latency_needs_clocks_that_were_held_together(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_open(&fixture, 0, 2000, 500, false, 1e6, 400);
	add_open(&fixture, 1, 2700, 500, false, 1e6, 400);
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_UNCHANGED, ""); /* 700 ns more, of which the clocks may make 800 */
	end(&fixture);
}

/* ---- what is shown ---- */

/* All lines but those that name the records. */
static void assert_fits(const char *text, size_t width)
{
	for (size_t length; *text; text += length + 1) {
		length = strcspn(text, "\n");
		if (length > width && !strstr(text, "/tmp/"))
			fail_msg("wider than %zu: %.*s", width, (int)length, text);
	}
}

static void a_table_shows_verdicts_and_reasons_within_its_width(void **state)
{
	struct fixture fixture;
	char *text;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 500, 0.9e8);
	add_stream(&fixture, 0, "scq", 8, 500, 1e8);
	add_stream(&fixture, 1, "scq", 8, 500, 1e8);
	add_stream(&fixture, 0, "spin", 8, 500, 1e8);
	compare(&fixture);
	text = printed(&fixture, 0);
	assert_says(text, "slower");
	assert_says(text, "-10.0 %");
	assert_says(text, "no detectable change");
	assert_says(text, "incomparable: the other record has no such cell");
	assert_says(text, "Cells: 3; 1 slower, 0 faster, 1 no detectable change,\n  0 would not have seen a doubling, 0 noisy, 0 too few trials, 1 incomparable");
	assert_says(text, "nothing stands against: 1");
	assert_says(text, "regime r500 against r500: rate at read");
	assert_says(text, "latency write:read");
	assert_null(strstr(text, "[\""));
	assert_fits(text, 120);
	free(text);
	text = printed(&fixture, 80);
	assert_says(text, "slower");
	assert_fits(text, 80);
	free(text);
	end(&fixture);
}

/* Rates that scatter over a factor of 512: no share says that, for no rate falls by 100 %. */
static void what_could_not_see_a_doubling_is_not_judged(void **state)
{
	struct fixture fixture;
	char *text;

	(void)state;
	begin(&fixture);
	for (size_t side = 0; side < 2; side++)
		for (int i = 0; i < N; i++)
			add(&fixture, side, sample_stream(1, "ring", 8, 500, 1e8, 1e6 * (1 << i)));
	compare(&fixture);
	assert_row(&fixture, 0, COMPARE_BLIND, "would not have seen a doubling");
	assert_int_equal(compare_status(&fixture.comparison, true), 4);
	text = printed(&fixture, 120);
	assert_says(text, " 10/10 not judged\n  not judged: would not have seen a doubling\n");
	assert_says(text, "0 no detectable change,\n  1 would not have seen a doubling, ");
	assert_says(text, "No cell was judged");
	assert_says(text, " x");
	assert_null(strstr(strstr(text, "least"), "00 %"));
	assert_fits(text, 120);
	free(text);
	text = printed(&fixture, 80);
	assert_says(text, "  not judged: would not have seen a doubling\n");
	assert_fits(text, 80);
	free(text);
	end(&fixture);
}

static void json_tells_the_same(void **state)
{
	struct fixture fixture;
	struct compare_subject subject;
	json_t *json;
	const json_t *first;

	(void)state;
	begin(&fixture);
	add_stream(&fixture, 0, "ring", 8, 500, 1e8);
	add_stream(&fixture, 1, "ring", 8, 500, 0.9e8);
	add_stream(&fixture, 1, "scq", 8, 500, 0.9e8);
	compare(&fixture);
	subject = (struct compare_subject){ .baseline = &fixture.records[0], .record = &fixture.records[1] };
	json = compare_to_json(&fixture.comparison, &subject, 1);
	assert_non_null(json);
	assert_int_equal(json_integer_value(json_object_get(json, "status")), 1);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "verdicts"), "slower")), 1);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 2);
	first = json_array_get(json_object_get(json, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(first, "verdict")), "slower");
	assert_true(fabs(json_number_value(json_object_get(first, "change")) + 0.1) < 1e-6);
	assert_string_equal(json_string_value(json_object_get(json_object_get(json_object_get(first, "now"), "cell"), "queue")), "ring");
	assert_true(json_is_null(json_object_get(json_object_get(json_array_get(json_object_get(json, "rows"), 1), "baseline"), "cell")));
	json_decref(json);
	end(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(streams_are_compared_by_the_rate_at_read),
		cmocka_unit_test(a_long_name_shifts_no_column),
		cmocka_unit_test(pingpongs_are_compared_by_the_round_trip),
		cmocka_unit_test(cells_that_differ_in_one_parameter_are_named_by_it),
		cmocka_unit_test(another_placement_is_named_with_its_cpus),
		cmocka_unit_test(what_an_older_record_does_not_tell_is_no_difference),
		cmocka_unit_test(regimes_are_the_same_within_a_quarter),
		cmocka_unit_test(the_regime_that_both_have_is_compared),
		cmocka_unit_test(regimes_can_be_ignored),
		cmocka_unit_test(another_machine_or_clock_is_incomparable),
		cmocka_unit_test(neither_the_hosts_name_nor_a_minor_version_makes_another_machine),
		cmocka_unit_test(a_plugin_without_optimisation_is_compared_with_its_like_alone),
		cmocka_unit_test(a_cell_without_a_trial_that_counts_is_as_good_as_absent),
		cmocka_unit_test(a_rate_of_nothing_is_not_left_out),
		cmocka_unit_test(queues_are_compared_where_all_else_is_equal),
		cmocka_unit_test(a_queues_nature_is_not_held_against_it),
		cmocka_unit_test(an_unbounded_queue_of_another_room_is_told_how_to_have_the_same),
		cmocka_unit_test(a_median_below_zero_is_counted_and_has_no_ratio),
		cmocka_unit_test(values_that_look_the_same_are_told_to_the_last_digit),
		cmocka_unit_test(trials_of_fewer_stamps_than_asked_are_told_of),
		cmocka_unit_test(trials_too_slow_for_a_median_are_no_evidence_of_no_change),
		cmocka_unit_test(few_trials_without_a_median_are_left_out_and_told_of),
		cmocka_unit_test(a_run_whose_clock_did_not_hold_compares_nothing),
		cmocka_unit_test(neither_are_queues_of_such_a_run_compared),
		cmocka_unit_test(a_baseline_that_was_not_measured_compares_nothing),
		cmocka_unit_test(shares_of_other_capacities_are_incomparable),
		cmocka_unit_test(shares_of_much_the_same_capacity_are_compared_and_told),
		cmocka_unit_test(open_loads_are_compared_by_their_response),
		cmocka_unit_test(an_open_load_that_one_side_could_not_keep_up_with_is_compared_by_its_rate),
		cmocka_unit_test(a_one_way_latency_needs_clocks_that_were_held_together),
		cmocka_unit_test(a_table_shows_verdicts_and_reasons_within_its_width),
		cmocka_unit_test(what_could_not_see_a_doubling_is_not_judged),
		cmocka_unit_test(json_tells_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
