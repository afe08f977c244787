#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sample.h"
#include "schema.h"
#include "schema_interpret.h"

extern const char schema_text[];

/* One line of the example for each kind. */
static const struct kind {
	const char *name;
	int line;
	size_t least; /* required fields, at least; so that a walk that walks nowhere is noticed */
} kinds[] = {
	{ "run", SAMPLE_RUN, 60 },    { "trial", SAMPLE_TRIAL, 110 }, { "histogram", SAMPLE_HISTOGRAM, 4 },
	{ "slice", SAMPLE_SLICE, 7 }, { "trial", SAMPLE_OPEN, 110 },  { "end", SAMPLE_END, 18 },
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static json_t *load_schema(void)
{
	json_t *schema = json_loads(schema_text, 0, NULL);

	assert_non_null(schema);
	return schema;
}

/* A walk along schema and value together: in a list, to its first item. */
struct walk {
	const json_t *whole;
	json_t *line;
	size_t fields;
	void (*visit)(struct walk *walk, json_t *object, const char *name);
};

static const json_t *resolve(const json_t *whole, const json_t *schema)
{
	const char *reference = json_string_value(json_object_get(schema, "$ref"));

	return reference ? json_object_get(json_object_get(whole, "definitions"), strrchr(reference, '/') + 1) : schema;
}

static void walk_required(struct walk *walk, const json_t *schema, json_t *value)
{
	const json_t *name;
	const char *property;
	json_t *part;
	size_t i;

	schema = resolve(walk->whole, schema);
	assert_non_null(schema);
	json_array_foreach(json_object_get(schema, "required"), i, name) {
		assert_true(json_is_object(value));
		walk->visit(walk, value, json_string_value(name));
		walk->fields++;
	}
	json_object_foreach(json_object_get(schema, "properties"), property, part) {
		if (json_object_get(value, property))
			walk_required(walk, part, json_object_get(value, property));
	}
	if (json_object_get(schema, "items") && json_array_size(value) > 0)
		walk_required(walk, json_object_get(schema, "items"), json_array_get(value, 0));
}

static void walk_kind(const struct kind *kind, void (*visit)(struct walk *, json_t *, const char *))
{
	json_t *schema = load_schema();
	struct walk walk = { .whole = schema, .line = sample_line(kind->line), .visit = visit };

	walk_required(&walk, json_object_get(json_object_get(schema, "definitions"), kind->name), walk.line);
	if (walk.fields < kind->least)
		fail_msg("only %zu required fields in %s", walk.fields, kind->name);
	json_decref(walk.line);
	json_decref(schema);
}

static void assert_line_refused(const json_t *line, const char *name)
{
	char error[SCHEMA_TEXT] = "";

	if (schema_check_line(line, error) != -EINVAL)
		fail_msg("a change of %s went unnoticed", name);
	if (!strstr(error, name))
		fail_msg("the error does not name %s: %s", name, error);
}

static void visit_without(struct walk *walk, json_t *object, const char *name)
{
	json_t *kept = json_incref(json_object_get(object, name));

	assert_non_null(kept);
	json_object_del(object, name);
	assert_line_refused(walk->line, name);
	json_object_set_new(object, name, kept);
}

/* A field with free contents may be an object, but none is a list in a list. */
static void visit_with_another_type(struct walk *walk, json_t *object, const char *name)
{
	json_t *kept = json_incref(json_object_get(object, name));

	json_object_set_new(object, name, json_pack("[[]]"));
	assert_line_refused(walk->line, name);
	json_object_set_new(object, name, kept);
}

static void a_line_without_a_required_field_is_refused_by_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++)
		walk_kind(&kinds[i], visit_without);
}

static void a_field_of_another_type_is_refused_by_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < KINDS; i++)
		walk_kind(&kinds[i], visit_with_another_type);
}

static void the_example_is_accepted(void **state)
{
	char error[SCHEMA_TEXT] = "";

	(void)state;
	if (schema_check_file(SAMPLE_EXAMPLE, error) != 0)
		fail_msg("%s", error);
}

static void a_field_more_is_accepted(void **state)
{
	json_t *line = sample_line(SAMPLE_TRIAL);
	char error[SCHEMA_TEXT] = "";

	(void)state;
	json_object_set_new(line, "added_later", json_integer(1));
	json_object_set_new(json_object_get(line, "cell"), "added_later", json_integer(1));
	assert_int_equal(schema_check_line(line, error), 0);
	json_decref(line);
}

/* The example has none: its batches are of one message. */
static void places_in_a_batch_are_checked_where_there_are_some(void **state)
{
	static const char *const names[] = { "from", "to", "queue", "batch", "batches", "others", "position", "p50_ns", "p99_ns" };
	json_t *line = sample_line(SAMPLE_TRIAL), *positions;
	char error[SCHEMA_TEXT] = "";

	(void)state;
	positions = json_pack("{s:s,s:s,s:i,s:i,s:i,s:i,s:[i],s:[f],s:[n]}", "from", "write", "to", "read", "queue", 0, "batch", 4, "batches",
			      9, "others", 0, "position", 1, "p50_ns", 100.5, "p99_ns");
	json_object_set_new(line, "positions_note", json_null());
	json_object_set_new(line, "positions", positions);
	assert_int_equal(schema_check_line(line, error), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		json_t *kept = json_incref(json_object_get(positions, names[i]));

		json_object_del(positions, names[i]);
		assert_line_refused(line, names[i]);
		json_object_set_new(positions, names[i], json_pack("[[]]"));
		assert_line_refused(line, names[i]);
		json_object_set_new(positions, names[i], kept);
	}
	json_object_set_new(line, "positions", json_null());
	assert_int_equal(schema_check_line(line, error), 0);
	json_decref(line);
}

static void a_value_out_of_its_bounds_is_refused_with_its_place(void **state)
{
	json_t *line = sample_line(SAMPLE_TRIAL);
	char error[SCHEMA_TEXT] = "";

	(void)state;
	json_object_set_new(json_array_get(json_object_get(line, "latency"), 2), "count", json_integer(-1));
	assert_int_equal(schema_check_line(line, error), -EINVAL);
	assert_non_null(strstr(error, "/latency/2/count"));
	json_object_set_new(json_array_get(json_object_get(line, "latency"), 2), "count", json_integer(1));
	assert_int_equal(schema_check_line(line, error), 0);
	json_object_set_new(line, "status", json_string("fine"));
	assert_int_equal(schema_check_line(line, error), -EINVAL);
	assert_non_null(strstr(error, "/status: it is fine and must be one of ok, invalid, crash, hang, skipped"));
	json_decref(line);
	line = sample_line(SAMPLE_RUN);
	json_object_set_new(line, "schema", json_integer(RECORD_SCHEMA + 1));
	assert_int_equal(schema_check_line(line, error), -EINVAL);
	assert_non_null(strstr(error, "/schema: it must be 1"));
	json_decref(line);
}

static void a_kind_that_is_not_known_is_refused(void **state)
{
	json_t *wrong[] = { json_pack("{s:s}", "kind", "cell"), json_pack("{s:i}", "kind", 1), json_object(),
			    json_array(), json_null() };
	char error[SCHEMA_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(schema_check_line(wrong[i], error), -EINVAL);
		assert_non_null(strstr(error, "kind"));
		json_decref(wrong[i]);
	}
}

/* Asks the interpreter for each keyword alone, whatever value would lead it there. Returns how many there were. */
static size_t assert_keywords_known(const json_t *whole, const json_t *schema)
{
	size_t keywords = 0;
	const char *name, *property;
	json_t *operand, *part;

	json_object_foreach((json_t *)schema, name, operand) {
		json_t *alone = json_pack("{s:O}", name, operand), *value = json_object();
		char error[SCHEMA_TEXT] = "";

		if (schema_interpret(whole, alone, value, error) && strstr(error, "is not known"))
			fail_msg("%s", error);
		json_decref(alone);
		json_decref(value);
		keywords++;
		if (strcmp(name, "items") == 0)
			keywords += assert_keywords_known(whole, operand);
		if (strcmp(name, "properties") == 0)
			json_object_foreach(operand, property, part)
				keywords += assert_keywords_known(whole, part);
	}
	return keywords;
}

static void every_keyword_of_the_schema_is_interpreted(void **state)
{
	json_t *schema = load_schema(), *definition;
	size_t keywords = 0;
	const char *name;

	(void)state;
	json_object_foreach(json_object_get(schema, "definitions"), name, definition)
		keywords += assert_keywords_known(schema, definition);
	assert_true(keywords > 200);
	json_decref(schema);
}

static void a_keyword_that_is_not_interpreted_is_an_error(void **state)
{
	json_t *schema = json_pack("{s:s, s:s}", "type", "string", "pattern", "^a"), *value = json_string("a");
	char error[SCHEMA_TEXT];

	(void)state;
	assert_int_equal(schema_interpret(schema, schema, value, error), -EINVAL);
	assert_non_null(strstr(error, "pattern"));
	json_decref(schema);
	json_decref(value);
}

static void a_reference_that_leads_nowhere_is_an_error(void **state)
{
	json_t *schema = json_pack("{s:s}", "$ref", "#/definitions/none"), *value = json_null();
	char error[SCHEMA_TEXT];

	(void)state;
	assert_int_equal(schema_interpret(schema, schema, value, error), -EINVAL);
	json_decref(schema);
}

/* The lines of the example in this order, each given by its number; -1 ends them. */
static void assert_order(const int *lines, const char *line_named, const char *reason)
{
	char error[SCHEMA_TEXT] = "";
	struct sample sample;
	int err;

	sample_open(&sample);
	for (; *lines >= 0; lines++)
		sample_json(&sample, sample_line(*lines));
	sample_close(&sample);
	err = schema_check_file(sample.path, error);
	if ((err == 0) != (reason == NULL))
		fail_msg("got %d, %s", err, error);
	if (reason && (!strstr(error, line_named) || !strstr(error, reason) || !strstr(error, sample.path)))
		fail_msg("expected \"%s\" and \"%s\", got \"%s\"", line_named, reason, error);
	sample_remove(&sample);
}

static void lines_stand_in_their_order(void **state)
{
	(void)state;
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_TRIAL, SAMPLE_HISTOGRAM, SAMPLE_CRASH, SAMPLE_OPEN, SAMPLE_END, -1 }, NULL, NULL);
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_TRIAL, -1 }, NULL, NULL); /* cut off, but in order */
	assert_order((int[]){ -1 }, "line 0", "empty");
	assert_order((int[]){ SAMPLE_TRIAL, -1 }, "line 1", "run");
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_RUN, -1 }, "line 2", "run");
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_HISTOGRAM, -1 }, "line 2", "id");
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_TRIAL, SAMPLE_TRIAL, -1 }, "line 3", "id");
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_TRIAL, SAMPLE_CRASH, SAMPLE_SLICE, -1 }, "line 4", "id");
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_TRIAL, SAMPLE_END, -1 }, "line 3", "trials");
	assert_order((int[]){ SAMPLE_RUN, SAMPLE_TRIAL, SAMPLE_CRASH, SAMPLE_OPEN, SAMPLE_END, SAMPLE_TRIAL, -1 }, "line 6", "end");
}

/* A trial with its histogram and its slice, in which `change` makes one thing wrong. */
static void assert_unreadable(void (*change)(json_t *trial, json_t *histogram, json_t *slice), const char *line_named, const char *reason)
{
	json_t *trial = sample_line(SAMPLE_TRIAL), *histogram = sample_line(SAMPLE_HISTOGRAM), *slice = sample_line(SAMPLE_SLICE);
	char error[SCHEMA_TEXT] = "";
	struct sample sample;

	change(trial, histogram, slice);
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	sample_json(&sample, trial);
	sample_json(&sample, histogram);
	sample_json(&sample, slice);
	sample_close(&sample);
	assert_int_equal(schema_check_file(sample.path, error), -EINVAL);
	if (!strstr(error, line_named) || !strstr(error, reason))
		fail_msg("expected \"%s\" and \"%s\", got \"%s\"", line_named, reason, error);
	sample_remove(&sample);
}

static void name_another_latency(json_t *trial, json_t *histogram, json_t *slice)
{
	(void)trial, (void)slice;
	json_object_set_new(histogram, "latency", json_integer(99));
}

static void drop_latencies(json_t *trial, json_t *histogram, json_t *slice)
{
	(void)histogram, (void)slice;
	json_object_set_new(trial, "latency", json_array());
}

static void number_an_actor_too_high(json_t *trial, json_t *histogram, json_t *slice)
{
	(void)histogram, (void)slice;
	json_object_set_new(json_array_get(json_object_get(trial, "endpoints"), 0), "actor", json_integer((json_int_t)1 << 31));
}

static void turn_buckets_round(json_t *trial, json_t *histogram, json_t *slice)
{
	(void)trial, (void)slice;
	json_object_set_new(histogram, "buckets", json_pack("[[f, i], [f, i]]", 2.0, 1, 1.0, 1));
}

static void shorten_a_slice(json_t *trial, json_t *histogram, json_t *slice)
{
	(void)trial, (void)histogram;
	json_array_remove(json_object_get(slice, "from_ns"), 0);
}

static void what_a_reader_refuses_is_not_valid(void **state)
{
	(void)state;
	assert_unreadable(name_another_latency, "line 3", "latency 99 is not one of the trial's");
	assert_unreadable(drop_latencies, "line 3", "latency 0 is not one of the trial's");
	assert_unreadable(number_an_actor_too_high, "line 2", "endpoints[0].actor is not a whole number below 2^31");
	assert_unreadable(turn_buckets_round, "line 3", "buckets[1] is not above the one before it");
	assert_unreadable(shorten_a_slice, "line 4", "from_ns is not a list as long as sequence");
}

static void half_a_line_at_the_end_is_told(void **state)
{
	char error[SCHEMA_TEXT];
	struct sample sample;

	(void)state;
	sample_open(&sample);
	sample_json(&sample, sample_line(SAMPLE_RUN));
	assert_true(fputs("{\"kind\":\"tri", sample.file) >= 0);
	sample_close(&sample);
	assert_int_equal(schema_check_file(sample.path, error), -EINVAL);
	assert_non_null(strstr(error, "line 2"));
	assert_non_null(strstr(error, "half a line"));
	sample_remove(&sample);
	assert_int_equal(schema_check_file("results/tests/no-such-file", error), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_without_a_required_field_is_refused_by_its_name),
		cmocka_unit_test(a_field_of_another_type_is_refused_by_its_name),
		cmocka_unit_test(the_example_is_accepted),
		cmocka_unit_test(a_field_more_is_accepted),
		cmocka_unit_test(a_value_out_of_its_bounds_is_refused_with_its_place),
		cmocka_unit_test(a_kind_that_is_not_known_is_refused),
		cmocka_unit_test(every_keyword_of_the_schema_is_interpreted),
		cmocka_unit_test(a_keyword_that_is_not_interpreted_is_an_error),
		cmocka_unit_test(a_reference_that_leads_nowhere_is_an_error),
		cmocka_unit_test(lines_stand_in_their_order),
		cmocka_unit_test(places_in_a_batch_are_checked_where_there_are_some),
		cmocka_unit_test(what_a_reader_refuses_is_not_valid),
		cmocka_unit_test(half_a_line_at_the_end_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
