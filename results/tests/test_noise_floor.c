#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "noise_floor.h"
#include "sample.h"

struct fixture {
	struct sample sample;
	struct record record;
	struct summary summary;
	struct noise_floor floor;
	struct comparison halves[2];
	int next_id;
};

static void begin(struct fixture *fixture)
{
	memset(fixture, 0, sizeof(*fixture));
	sample_open(&fixture->sample);
	sample_json(&fixture->sample, sample_line(SAMPLE_RUN));
}

static void add_stream(struct fixture *fixture, const char *queue, double rate)
{
	sample_json(&fixture->sample, sample_stream(++fixture->next_id, queue, 8, 500, rate, rate));
}

static void find(struct fixture *fixture)
{
	const struct compare_input input = { &fixture->record, &fixture->summary };

	sample_close(&fixture->sample);
	sample_read(&fixture->record, fixture->sample.path);
	assert_int_equal(summary_make(&fixture->summary, &fixture->record), 0);
	assert_int_equal(noise_floor_find(&fixture->floor, input, fixture->halves), 0);
}

static void end(struct fixture *fixture)
{
	compare_free(&fixture->halves[0]);
	compare_free(&fixture->halves[1]);
	summary_free(&fixture->summary);
	record_free(&fixture->record);
	sample_remove(&fixture->sample);
}

static void assert_near(double got, double wanted)
{
	if (!(fabs(got - wanted) < 1e-9))
		fail_msg("%g is not %g", got, wanted);
}

/* A steady drift: 100, 101 … 111 M/s. Turns A B B A … meet it alike: 100 103 104 107 108 111 have the median of 101 102 105 106 109 110. Of
 * the earlier and the later half they are 102.5 and 108.5. */
static void turns_cancel_a_drift_that_halves_show(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	for (int i = 0; i < 12; i++)
		add_stream(&fixture, "ring", (100 + i) * 1e6);
	find(&fixture);
	assert_true(fixture.floor.metrics[COMPARE_RATE].known && !fixture.floor.metrics[COMPARE_TIME].known);
	assert_near(fixture.floor.metrics[COMPARE_RATE].interleaved, 0);
	assert_near(fixture.floor.metrics[COMPARE_RATE].successive, 108.5 / 102.5 - 1);
	assert_int_equal(fixture.floor.metrics[COMPARE_RATE].cells, 1);
	assert_int_equal(fixture.floor.metrics[COMPARE_RATE].trials, 6);
	end(&fixture);
}

/* Twenty cells, whose later halves are 1, 2 … 20 % faster: 19 of them by 19 % or less. */
static void it_is_the_95th_percentile_over_cells(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	for (int i = 0; i < 12; i++)
		for (int cell = 1; cell <= 20; cell++) {
			char queue[16];

			snprintf(queue, sizeof(queue), "queue-%d", cell);
			add_stream(&fixture, queue, 1e8 * (i < 6 ? 1 : 1 + cell / 100.0));
		}
	find(&fixture);
	assert_near(fixture.floor.metrics[COMPARE_RATE].successive, 0.19);
	assert_int_equal(fixture.floor.metrics[COMPARE_RATE].cells, 20);
	end(&fixture);
}

/* Three parts of ten trials: 100, 132 and 110 M/s. Each two of them are compared: the halves, 100 and 110, don't show the most. */
static void a_change_that_comes_back_between_the_halves_is_seen(void **state)
{
	static const double parts[] = { 100e6, 132e6, 110e6 };
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	for (int i = 0; i < 30; i++)
		add_stream(&fixture, "ring", parts[i / 10]);
	find(&fixture);
	assert_int_equal(fixture.floor.metrics[COMPARE_RATE].pairs, 3);
	assert_near(fixture.floor.metrics[COMPARE_RATE].successive, 0.32);
	end(&fixture);
}

static void cells_with_few_trials_and_floors_tell_nothing(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	for (int i = 0; i < 12; i++) {
		add_stream(&fixture, "null", i < 6 ? 1e8 : 2e8);
		if (i < 11)
			add_stream(&fixture, "ring", i < 6 ? 1e8 : 2e8);
	}
	find(&fixture);
	assert_false(fixture.floor.metrics[COMPARE_RATE].known);
	assert_int_equal(fixture.halves[0].row_count, 1);
	assert_int_equal(fixture.halves[0].verdicts[COMPARE_TOO_FEW], 1);
	end(&fixture);
}

/* ---- its file ---- */

static void with_folder(char *folder, size_t size)
{
	assert_true((size_t)snprintf(folder, size, "/tmp/twopoint-floor-XXXXXX") < size);
	assert_non_null(mkdtemp(folder));
}

static void remove_folder(const char *folder)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -r '%.64s'", folder);
	assert_int_equal(system(command), 0);
}

static struct noise_floor made_up(enum compare_metric metric, double interleaved, double successive)
{
	struct noise_floor floor = { 0 };

	floor.metrics[metric] = (struct noise_floor_metric){ .known = true,
							     .interleaved = interleaved,
							     .successive = successive,
							     .cells = 7,
							     .trials = 10,
							     .measured_utc = "2026-11-30T12:00:00Z" };
	return floor;
}

static void what_was_kept_is_found_again(void **state)
{
	struct noise_floor floor = made_up(COMPARE_RATE, 0.01, 0.03), found;
	char folder[64], below[128], error[RECORD_TEXT] = "";
	json_t *run = sample_line(SAMPLE_RUN);

	(void)state;
	with_folder(folder, sizeof(folder));
	snprintf(below, sizeof(below), "%s/not/there/yet", folder);
	assert_int_equal(noise_floor_read(&found, below, run, error), 0);
	assert_false(found.metrics[COMPARE_RATE].known);
	assert_int_equal(noise_floor_write(&floor, below, run, error), 0);
	assert_int_equal(noise_floor_read(&found, below, run, error), 0);
	assert_true(found.metrics[COMPARE_RATE].known && !found.metrics[COMPARE_TIME].known);
	assert_near(found.metrics[COMPARE_RATE].interleaved, 0.01);
	assert_near(found.metrics[COMPARE_RATE].successive, 0.03);
	assert_int_equal(found.metrics[COMPARE_RATE].cells, 7);
	assert_int_equal(found.metrics[COMPARE_RATE].trials, 10);
	assert_string_equal(found.metrics[COMPARE_RATE].measured_utc, "2026-11-30T12:00:00Z");
	assert_string_equal(found.path, floor.path);
	json_decref(run);
	remove_folder(folder);
}

static void another_metric_is_kept_beside_it_and_the_same_is_replaced(void **state)
{
	struct noise_floor first = made_up(COMPARE_RATE, 0.01, 0.03), second = made_up(COMPARE_TIME, 0.05, 0.06),
			   third = made_up(COMPARE_RATE, 0.02, 0.04), found;
	char folder[64], error[RECORD_TEXT] = "";
	json_t *run = sample_line(SAMPLE_RUN);

	(void)state;
	with_folder(folder, sizeof(folder));
	assert_int_equal(noise_floor_write(&first, folder, run, error), 0);
	assert_int_equal(noise_floor_write(&second, folder, run, error), 0);
	assert_int_equal(noise_floor_write(&third, folder, run, error), 0);
	assert_int_equal(noise_floor_read(&found, folder, run, error), 0);
	assert_near(found.metrics[COMPARE_RATE].interleaved, 0.02);
	assert_near(found.metrics[COMPARE_TIME].successive, 0.06);
	json_decref(run);
	remove_folder(folder);
}

/* Two machines whose names make the same file's name: the second is not taken for the first. */
static void another_machine_does_not_find_it(void **state)
{
	struct noise_floor floor = made_up(COMPARE_RATE, 0.01, 0.03), found;
	char folder[64], error[RECORD_TEXT] = "", path[NOISE_FLOOR_PATH];
	json_t *run = sample_line(SAMPLE_RUN), *host = json_object_get(run, "host");

	(void)state;
	with_folder(folder, sizeof(folder));
	json_object_set_new(host, "cpu_model", json_string("A B"));
	assert_int_equal(noise_floor_write(&floor, folder, run, error), 0);
	strcpy(path, floor.path);
	json_object_set_new(host, "cpu_model", json_string("A/B"));
	assert_int_equal(noise_floor_read(&found, folder, run, error), 0);
	assert_string_equal(found.path, path);
	assert_false(found.metrics[COMPARE_RATE].known);
	json_object_set_new(host, "cpus", json_integer(3));
	assert_int_equal(noise_floor_read(&found, folder, run, error), 0);
	assert_string_not_equal(found.path, path);
	assert_false(found.metrics[COMPARE_RATE].known);
	json_decref(run);
	remove_folder(folder);
}

/* A gate would go on with a lower limit than it was given. */
static void a_file_that_is_none_is_an_error(void **state)
{
	struct noise_floor floor = made_up(COMPARE_RATE, 0.01, 0.03), found;
	char folder[64], error[RECORD_TEXT] = "";
	json_t *run = sample_line(SAMPLE_RUN);
	FILE *file;

	(void)state;
	with_folder(folder, sizeof(folder));
	assert_int_equal(noise_floor_write(&floor, folder, run, error), 0);
	file = fopen(floor.path, "w");
	assert_non_null(file);
	fputs("{\"kind\":", file);
	fclose(file);
	assert_int_equal(noise_floor_read(&found, folder, run, error), -EINVAL);
	assert_non_null(strstr(error, floor.path));
	assert_int_equal(noise_floor_write(&floor, folder, run, error), 0); /* a new measurement puts it right */
	assert_int_equal(noise_floor_read(&found, folder, run, error), 0);
	assert_true(found.metrics[COMPARE_RATE].known);
	json_decref(run);
	remove_folder(folder);
}

static void a_folder_that_cannot_be_made_is_an_error(void **state)
{
	struct noise_floor floor = made_up(COMPARE_RATE, 0.01, 0.03);
	char error[RECORD_TEXT] = "";
	json_t *run = sample_line(SAMPLE_RUN);

	(void)state;
	assert_true(noise_floor_write(&floor, "/dev/null/state", run, error) < 0);
	assert_non_null(strstr(error, "/dev/null"));
	json_decref(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(turns_cancel_a_drift_that_halves_show),
		cmocka_unit_test(it_is_the_95th_percentile_over_cells),
		cmocka_unit_test(a_change_that_comes_back_between_the_halves_is_seen),
		cmocka_unit_test(cells_with_few_trials_and_floors_tell_nothing),
		cmocka_unit_test(what_was_kept_is_found_again),
		cmocka_unit_test(another_metric_is_kept_beside_it_and_the_same_is_replaced),
		cmocka_unit_test(another_machine_does_not_find_it),
		cmocka_unit_test(a_file_that_is_none_is_an_error),
		cmocka_unit_test(a_folder_that_cannot_be_made_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
