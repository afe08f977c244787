#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"
#include "queue_json.h"

static void each_queue_comes_back_as_it_was(void **state)
{
	(void)state;
	for (size_t i = 0; queue_list[i]; i++) {
		json_t *json = queue_to_json(queue_list[i]);
		struct queue back;

		assert_true(queue_from_json(&back, json));
		assert_string_equal(back.name, queue_list[i]->name);
		assert_string_equal(back.summary, queue_list[i]->summary);
		assert_string_equal(back.source, queue_list[i]->source);
		assert_memory_equal(&back.traits, &queue_list[i]->traits, sizeof(back.traits));
		assert_null(back.footprint);
		json_decref(json);
	}
}

static void what_lacks_a_field_or_has_a_wrong_one_is_refused(void **state)
{
	static const char *const fields[] = {"name", "summary", "source", "traits"};
	json_t *json = queue_to_json(queue_list[0]), *copy;
	const char *traits = json_string_value(json_object_get(json, "traits"));
	struct queue queue;

	(void)state;
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		copy = json_deep_copy(json);
		json_object_del(copy, fields[i]);
		assert_false(queue_from_json(&queue, copy));
		json_object_set_new(copy, fields[i], json_integer(1));
		assert_false(queue_from_json(&queue, copy));
		json_decref(copy);
	}
	copy = json_deep_copy(json);
	json_object_set_new(copy, "traits", json_string(traits + 2));
	assert_false(queue_from_json(&queue, copy));
	json_object_set_new(copy, "traits", json_sprintf("zz%s", traits + 2));
	assert_false(queue_from_json(&queue, copy));
	json_decref(copy);
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_queue_comes_back_as_it_was),
		cmocka_unit_test(what_lacks_a_field_or_has_a_wrong_one_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
