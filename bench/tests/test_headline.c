#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "headline.h"
#include "list.h"

static void assert_headline(const struct cell *cell, const char *trial, const char *expected)
{
	char text[HEADLINE_TEXT];
	json_t *json = json_loads(trial, 0, NULL);

	assert_non_null(json);
	assert_string_equal(headline_write(cell, json, text), expected);
	json_decref(json);
}

#define READ_AT(rate) "\"endpoints\":[{\"role\":\"consumer\",\"queue\":0,\"points\":[{\"point\":\"read\",\"rate_per_s\":" rate "}]}]"
#define LATENCY(from, to, tag, p50) \
	"{\"from\":{\"point\":\"" from "\"},\"to\":{\"point\":\"" to "\"},\"tag\":" tag ",\"p50_ns\":" p50 "}"
#define TRIAL(latency, rate) "{\"status\":\"ok\",\"latency\":[" latency "]," READ_AT(rate) "}"

static struct cell cell_of(enum workload workload, enum load load)
{
	return (struct cell){.queue = queue_find("ring"), .workload = workload, .load = load, .message_bytes = 64, .batch = 10,
			     .producers = 1, .consumers = 1};
}

static void a_saturated_stream_has_the_rate_of_its_reader_and_never_a_latency(void **state)
{
	struct cell cell = cell_of(WORKLOAD_STREAM, LOAD_SATURATE);

	(void)state;
	assert_headline(&cell, TRIAL(LATENCY("write", "read", "\"saturated\"", "9000"), "12345678"), "ring: 12.35 M/s read (stream, 64 B, batch 10)");
	assert_headline(&cell, TRIAL(LATENCY("write", "read", "null", "9000"), "12345678"), "ring: 12.35 M/s read (stream, 64 B, batch 10)");
	assert_headline(&cell, TRIAL("", "null"), "ring: no rate (stream, 64 B, batch 10)");
}

static void a_pingpong_has_its_round_trip(void **state)
{
	struct cell cell = cell_of(WORKLOAD_PINGPONG, LOAD_CLOSED);

	(void)state;
	assert_headline(&cell, TRIAL(LATENCY("write", "read", "null", "240.4") "," LATENCY("write", "read", "null", "120"), "4e6"),
			"ring: round trip p50 240.4 ns (pingpong, 64 B, batch 10)");
}

static void others_have_the_first_latency_that_is_known_and_the_queue_s(void **state)
{
	struct cell cell = cell_of(WORKLOAD_STREAM, LOAD_OPEN);

	(void)state;
	assert_headline(&cell, TRIAL(LATENCY("intended", "read", "null", "330"), "1e6"), "ring: intended:read p50 330.0 ns (stream, 64 B, batch 10)");
	assert_headline(&cell, TRIAL(LATENCY("intended", "read", "\"saturated\"", "330"), "1e6"), "ring: 1.000 M/s read (stream, 64 B, batch 10)");
	assert_headline(&cell, TRIAL(LATENCY("intended", "read", "null", "null"), "1e6"), "ring: 1.000 M/s read (stream, 64 B, batch 10)");
}

static void what_does_not_count_has_what_became_of_it(void **state)
{
	static const char *const statuses[] = {"invalid", "crash", "hang", "skipped"};
	struct cell cell = cell_of(WORKLOAD_STREAM, LOAD_SATURATE);
	char trial[128], expected[128];

	(void)state;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++) {
		snprintf(trial, sizeof(trial), "{\"status\":\"%s\"," READ_AT("5e6") "}", statuses[i]);
		snprintf(expected, sizeof(expected), "ring: %s (stream, 64 B, batch 10)", statuses[i]);
		assert_headline(&cell, trial, expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_saturated_stream_has_the_rate_of_its_reader_and_never_a_latency),
		cmocka_unit_test(a_pingpong_has_its_round_trip),
		cmocka_unit_test(others_have_the_first_latency_that_is_known_and_the_queue_s),
		cmocka_unit_test(what_does_not_count_has_what_became_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
