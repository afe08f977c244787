/* A queue's table that lacks something, or contradicts itself, is refused with the reason; all those of the list are fine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "form.h"
#include "list.h"

static bool has_form(const struct queue *queue, char why[FORM_TEXT])
{
	*why = '\0';
	return form_has_table(queue, why) && form_has_traits(&queue->traits, why);
}

static void expect_refused(const struct queue *queue, const char *reason)
{
	char why[FORM_TEXT];

	if (has_form(queue, why) || !strstr(why, reason))
		fail_msg("expected a refusal with '%s', got '%s'", reason, why);
}

static bool asleep(void *consumer)
{
	(void)consumer;
	return true;
}

/* Each time the table of `ring` but for one thing. */
#define EXPECT_REFUSED(reason, ...)                                                                                    \
	do {                                                                                                           \
		struct queue table = *queue_find("ring");                                                              \
                                                                                                                       \
		__VA_ARGS__;                                                                                           \
		expect_refused(&table, reason);                                                                        \
	} while (0)

static void test_what_is_missing_or_not_announced_is_told(void **state)
{
	(void)state;
	EXPECT_REFUSED("contract 0", table.contract = 0);
	EXPECT_REFUSED("contract 99", table.contract = 99);
	EXPECT_REFUSED("name '' is none", table.name = NULL);
	EXPECT_REFUSED("summary is missing", table.summary = "");
	EXPECT_REFUSED("'my queue' is none", table.name = "my queue");
	EXPECT_REFUSED("flush is missing", table.flush = NULL);
	EXPECT_REFUSED("sleep is missing", table.traits.reports_sleeper = true);
	EXPECT_REFUSED("sleep is there", table.sleep = asleep);
	EXPECT_REFUSED("flush_wait is missing", table.traits.blocks_natively = true);
}

static void test_traits_that_contradict_each_other_are_told(void **state)
{
	(void)state;
	EXPECT_REFUSED("is none", table.traits.order = QUEUE_ORDER_NONE + 1);
	EXPECT_REFUSED("shape", table.traits.shape = QUEUE_MPSC);
	EXPECT_REFUSED("shape", table.traits.consumers_max = 0);
	EXPECT_REFUSED("messages of 16 to 8", table.traits.message_min = 16, table.traits.message_max = 8);
	EXPECT_REFUSED("messages of 4", table.traits.message_min = 4);
	EXPECT_REFUSED("capacities are 0", table.traits.capacity_min = 0);
	EXPECT_REFUSED("capacities are 8 to 4", table.traits.capacity_min = 8, table.traits.capacity_max = 4);
	EXPECT_REFUSED("bounded is false", table.traits.bounded = false);
	EXPECT_REFUSED("approximate", table.traits.bounded = false, table.traits.capacity_min = 0,
		       table.traits.capacity_approximate = true);
}

static void test_each_queue_of_the_list_is_fine(void **state)
{
	char why[FORM_TEXT];

	(void)state;
	for (size_t i = 0; queue_list[i]; i++)
		if (!has_form(queue_list[i], why))
			fail_msg("%s: %s", queue_list[i]->name, why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_missing_or_not_announced_is_told),
		cmocka_unit_test(test_traits_that_contradict_each_other_are_told),
		cmocka_unit_test(test_each_queue_of_the_list_is_fine),
	};

	return cmocka_run_group_tests_name("form", tests, NULL, NULL);
}
