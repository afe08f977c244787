#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "audit.h"

static void an_empty_audit_has_no_failure(void **state)
{
	struct audit audit = {0};
	json_t *json = audit_to_json(&audit);

	(void)state;
	assert_null(audit_failure(&audit));
	assert_int_equal(json_array_size(json), 0);
	json_decref(json);
}

static void the_first_failure_is_told(void **state)
{
	struct audit audit = {0};

	(void)state;
	audit_note(&audit, "lost", true, "%d", 1);
	audit_note(&audit, "order", false, "%d came twice", 2);
	audit_note(&audit, "contents", false, "%d torn", 3);
	assert_int_equal(audit.count, 3);
	assert_string_equal(audit_failure(&audit)->name, "order");
	assert_string_equal(audit_failure(&audit)->detail, "2 came twice");
}

static void a_check_made_twice_is_ok_only_if_it_was_so_twice(void **state)
{
	struct audit audit = {0};

	(void)state;
	audit_note(&audit, "lost", true, "%s", "");
	audit_note(&audit, "lost", false, "queue %d", 1);
	audit_note(&audit, "lost", true, "%s", "");
	audit_note(&audit, "lost", false, "queue %d", 2);
	assert_int_equal(audit.count, 1);
	assert_string_equal(audit_failure(&audit)->detail, "queue 1");
}

static void a_detail_that_is_too_long_is_cut(void **state)
{
	struct audit audit = {0};

	(void)state;
	audit_note(&audit, "lost", false, "%0500d", 7);
	assert_int_equal(strlen(audit_failure(&audit)->detail), AUDIT_DETAIL - 1);
}

static void the_record_has_each_check_in_order(void **state)
{
	struct audit audit = {0};
	json_t *json, *expected;

	(void)state;
	audit_note(&audit, "lost", true, "%d", 1);
	audit_note(&audit, "order", false, "%d", 2);
	json = audit_to_json(&audit);
	expected = json_pack("[{s:s, s:b, s:n}, {s:s, s:b, s:s}]", "check", "lost", "ok", 1, "detail", "check", "order", "ok", 0,
			     "detail", "2");
	assert_non_null(expected);
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
}

static void a_check_that_is_waived_is_neither_ok_nor_failed(void **state)
{
	struct audit audit = {0};
	json_t *json, *expected;

	(void)state;
	audit_note(&audit, "resolution", true, "%d", 1);
	audit_waive(&audit, "resolution", "no rate: %d ns", 20);
	audit_waive(&audit, "resolution", "no rate: %d ns", 30);
	assert_null(audit_failure(&audit));
	json = audit_to_json(&audit);
	expected = json_pack("[{s:s, s:n, s:s}]", "check", "resolution", "ok", "detail", "no rate: 20 ns");
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
	audit_note(&audit, "resolution", false, "%d", 2);
	audit_waive(&audit, "resolution", "no rate: %d ns", 40);
	assert_string_equal(audit_failure(&audit)->detail, "2");
	json = audit_to_json(&audit);
	assert_true(json_is_false(json_object_get(json_array_get(json, 0), "ok")));
	json_decref(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_audit_has_no_failure),
		cmocka_unit_test(the_first_failure_is_told),
		cmocka_unit_test(a_check_made_twice_is_ok_only_if_it_was_so_twice),
		cmocka_unit_test(a_detail_that_is_too_long_is_cut),
		cmocka_unit_test(the_record_has_each_check_in_order),
		cmocka_unit_test(a_check_that_is_waived_is_neither_ok_nor_failed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
