#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "export.h"
#include "sample.h"

/* What was written of these trials, which are taken: a record. */
struct exported {
	struct sample sample;
	struct record record;
	struct summary summary;
};

static void begin(struct exported *exported)
{
	sample_open(&exported->sample);
	sample_json(&exported->sample, sample_line(SAMPLE_RUN));
}

static void read_back(struct exported *exported)
{
	sample_close(&exported->sample);
	sample_read(&exported->record, exported->sample.path);
	assert_int_equal(summary_make(&exported->summary, &exported->record), 0);
}

static void end(struct exported *exported)
{
	summary_free(&exported->summary);
	record_free(&exported->record);
	sample_remove(&exported->sample);
}

static char *written(const struct exported *exported, int (*write)(FILE *, const struct record *, const struct summary *, char *))
{
	char *text = NULL, error[RECORD_TEXT] = "";
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(write(out, &exported->record, &exported->summary, error), 0);
	fclose(out);
	return text;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in\n%s", part, text);
}

/* Tags and files have no slash: names that are told apart by one alone are told apart all the same. */
static void distributions_of_two_rows_never_have_one_name(void **state)
{
	static const char *const queues[] = { "a/b", "a_b", "a-b", "a:b" };
	struct exported exported;
	char (*names)[EXPORT_NAME], flat[4][EXPORT_NAME + 64];

	(void)state;
	begin(&exported);
	for (int i = 0; i < 4; i++)
		sample_json(&exported.sample, sample_trial(i + 1, queues[i], 500, 500));
	read_back(&exported);
	assert_int_equal(exported.summary.row_count, 4);
	names = export_names(&exported.summary);
	for (int i = 0; i < 4; i++) {
		export_distribution_name(flat[i], names[i], &exported.summary.rows[i].latency[0]);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(flat[i], flat[k]);
	}
	assert_has(flat[0], "a_b");
	free(names);
	end(&exported);
}

/* The median of maxima bounds nothing. */
static void openmetrics_quantile_one_is_the_greatest(void **state)
{
	struct exported exported;
	char *text;

	(void)state;
	begin(&exported);
	for (int i = 0; i < 7; i++) {
		json_t *trial = sample_trial(i + 1, "ring", 500, 500);

		sample_latency(trial, 0, "max_ns", i == 6 ? 5e6 : 1e6);
		sample_json(&exported.sample, trial);
	}
	read_back(&exported);
	text = written(&exported, export_openmetrics);
	assert_has(text, "from_queue=\"0\",to_queue=\"1\",quantile=\"1\",statistic=\"greatest\"} 0.005\n");
	assert_null(strstr(text, "quantile=\"1\",statistic=\"median\""));
	assert_has(text, "quantile=\"0.5\",statistic=\"median\"");
	free(text);
	end(&exported);
}

static void csv_tells_how_many_were_stamped_and_were_to_be(void **state)
{
	struct exported exported;
	char *text;

	(void)state;
	begin(&exported);
	for (int i = 0; i < 2; i++) {
		json_t *trial = sample_trial(i + 1, "ring", 500, 500);

		sample_stamps(trial, i ? 8 : 4, 4, false);
		sample_json(&exported.sample, trial);
	}
	read_back(&exported);
	text = written(&exported, export_csv);
	assert_has(text, ",stamps_every,stamps_asked,rate_reached,saturated,");
	assert_has(text, ",4,4,,,");
	assert_has(text, ",8,4,,,");
	free(text);
	end(&exported);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distributions_of_two_rows_never_have_one_name),
		cmocka_unit_test(openmetrics_quantile_one_is_the_greatest),
		cmocka_unit_test(csv_tells_how_many_were_stamped_and_were_to_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
