/* The table in queues/README.md says of each queue what its traits say, under its folder's heading, in the order of queues.def; and a table
 * that doesn't is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "list.h"

enum { TEXT_MAX = 1 << 17, ROW_MAX = 256 };

static const char *const progress_words[] = {
	[QUEUE_WAIT_FREE] = "wait-free",
	[QUEUE_LOCK_FREE] = "lock-free",
	[QUEUE_BLOCKING] = "blocking",
	[QUEUE_WAITS_FOR_PREEMPTED] = "waits for preempted",
};
static const char *const order_words[] = {
	[QUEUE_ORDER_TOTAL] = "total",
	[QUEUE_ORDER_PER_PRODUCER] = "per producer",
	[QUEUE_ORDER_NONE] = "none",
};

static const char *bounded_word(const struct queue_traits *traits)
{
	return !traits->bounded               ? "no"
	       : traits->kernel_buffer        ? "by the kernel"
	       : traits->capacity_max == 1    ? "one message"
	       : traits->capacity_approximate ? "about"
					      : "yes";
}

/* How a queue's row begins: all but where it comes from. */
static void row_begin(const struct queue *queue, char row[ROW_MAX])
{
	const struct queue_traits *traits = &queue->traits;

	snprintf(row, ROW_MAX, "| `%s` | %c:%c%s | %s | %s | %s | ", queue->name, traits->producers_max == 1 ? '1' : 'n',
		 traits->consumers_max == 1 ? '1' : 'm',
		 traits->multicast ? ", each gets all" : traits->lossy ? ", lossy" : traits->one_thread ? ", one thread" : "",
		 bounded_word(traits), progress_words[traits->progress], order_words[traits->order]);
}

/* Whether the last heading before the row names the folder that the queue's file is in. */
static bool is_in_folder(const char *text, const char *row, const char *name, const char *def)
{
	const char *heading = NULL;
	char folder[32] = "", file[ROW_MAX];

	for (const char *next = text; (next = strstr(next, "\n### `")) && next < row; next++)
		heading = next + strlen("\n### `");
	if (!heading || sscanf(heading, "%31[a-z]/`", folder) != 1)
		return false;
	snprintf(file, sizeof(file), "\"%s/%s.c\"", folder, name);
	return strstr(def, file);
}

/* Of a queue, that is: a name, then its endpoints. */
static bool is_row(const char *name)
{
	const char *behind = name + strcspn(name, "`\n");

	return !strncmp(behind, "` | 1:", 6) || !strncmp(behind, "` | n:", 6);
}

/* What is wrong with the table, the first of it; empty: nothing. */
static void table_check(const char *text, const char *def, char wrong[ROW_MAX])
{
	size_t rows = 0, queues = 0;
	const char *before = text;
	char begin[ROW_MAX];

	*wrong = '\0';
	for (const char *row = text; (row = strstr(row, "\n| `")); row++)
		rows += is_row(row + strlen("\n| `"));
	for (; queue_list[queues]; queues++) {
		const char *row;

		row_begin(queue_list[queues], begin);
		row = strstr(text, begin);
		if (*wrong)
			continue;
		if (!row || row[-1] != '\n')
			snprintf(wrong, ROW_MAX, "no row: %.200s", begin);
		else if (row[strlen(begin)] == '|' || row[strlen(begin)] == '\n')
			snprintf(wrong, ROW_MAX, "no source: %.200s", begin);
		else if (!is_in_folder(text, row, queue_list[queues]->name, def))
			snprintf(wrong, ROW_MAX, "not under its folder's heading: %s", queue_list[queues]->name);
		else if (row < before)
			snprintf(wrong, ROW_MAX, "before its predecessor in queues.def: %s", queue_list[queues]->name);
		before = row;
	}
	if (!*wrong && rows != queues)
		snprintf(wrong, ROW_MAX, "%zu rows for %zu queues", rows, queues);
}

static void file_read(const char *path, char *text)
{
	FILE *file = fopen(path, "r");
	size_t length;

	if (!file)
		fail_msg("%s: run this in the repository's top folder", path);
	length = fread(text, 1, TEXT_MAX, file);
	fclose(file);
	assert_true(length < TEXT_MAX);
	text[length] = '\0';
}

static char table[TEXT_MAX], list[TEXT_MAX];

static int texts_read(void **state)
{
	(void)state;
	file_read("queues/README.md", table);
	file_read("queues/queues.def", list);
	return 0;
}

static void test_table_says_what_the_traits_say(void **state)
{
	char wrong[ROW_MAX];

	(void)state;
	table_check(table, list, wrong);
	if (*wrong)
		fail_msg("queues/README.md: %s", wrong);
}

static const char *find(const char *text)
{
	const char *at = strstr(table, text);

	if (!at)
		fail_msg("queues/README.md has no '%s'", text);
	return at;
}

/* The table with one piece of text replaced must be refused. */
static void expect_refused(const char *from, const char *to)
{
	char *damaged = malloc(2 * TEXT_MAX), wrong[ROW_MAX];
	const char *at = find(from);

	assert_non_null(damaged);
	snprintf(damaged, 2 * TEXT_MAX, "%.*s%s%s", (int)(at - table), table, to, at + strlen(from));
	table_check(damaged, list, wrong);
	free(damaged);
	if (!*wrong)
		fail_msg("'%s' instead of '%s' is not seen", to, from);
}

/* Likewise with a row and the one below it exchanged. */
static void expect_exchange_refused(const char *begin)
{
	char *damaged = malloc(2 * TEXT_MAX), wrong[ROW_MAX];
	const char *at = find(begin), *below = strchr(at + 1, '\n'), *end = strchr(below + 1, '\n');

	assert_non_null(damaged);
	snprintf(damaged, 2 * TEXT_MAX, "%.*s%.*s%.*s%s", (int)(at - table), table, (int)(end - below), below, (int)(below - at), at, end);
	table_check(damaged, list, wrong);
	free(damaged);
	if (!*wrong)
		fail_msg("the row of '%s' below the next one is not seen", begin + 1);
}

static void test_wrong_table_is_refused(void **state)
{
	(void)state;
	expect_refused("\n| `ring` |", "\n| `rang` |");
	expect_refused("\n| `ring` |", "\n| `rang` | 1:1 | yes | wait-free | total | nobody |\n| `ring` |");
	expect_refused("\n| `ring` | 1:1 |", "\n| `ring` | n:1 |");
	expect_refused("\n| `ring` | 1:1 | yes |", "\n| `ring` | 1:1 | no |");
	expect_refused("\n| `ring` | 1:1 | yes | wait-free |", "\n| `ring` | 1:1 | yes | blocking |");
	expect_refused("\n| `ring` | 1:1 | yes | wait-free | total |", "\n| `ring` | 1:1 | yes | wait-free | none |");
	expect_refused("\n### `spsc/`", "\n### `mpsc/`");
	expect_exchange_refused("\n| `ring` |");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table_says_what_the_traits_say),
		cmocka_unit_test(test_wrong_table_is_refused),
	};

	return cmocka_run_group_tests_name("table", tests, texts_read, NULL);
}
