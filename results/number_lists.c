#include "number_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fields.h"

enum { DIGITS_MAX = 18, MARK_BYTES = 16 }; /* what an int64_t always holds */

static bool add_number(struct number_lists *lists, uint64_t number)
{
	if (lists->filled == lists->room) {
		size_t room = lists->room ? lists->room * 2 : 1024;
		uint64_t *larger = realloc(lists->numbers, room * sizeof(*larger));

		if (!larger)
			return false;
		lists->numbers = larger;
		lists->room = room;
	}
	lists->numbers[lists->filled++] = number;
	return true;
}

/* Reads the list that begins at `at`. Returns what follows it; NULL: it holds something else, or nothing. */
static char *take_list(struct number_lists *lists, char *at)
{
	struct number_list list = { .from = lists->filled, .start = at };

	if (lists->count == NUMBER_LISTS || *at != '[')
		return NULL;
	do {
		const char *first = ++at;
		uint64_t number = 0;

		for (; *at >= '0' && *at <= '9' && at - first < DIGITS_MAX; at++)
			number = number * 10 + (uint64_t)(*at - '0');
		if (at == first || (*first == '0' && at - first > 1) || !add_number(lists, number))
			return NULL;
	} while (*at == ',');
	list.end = at + 1;
	list.count = lists->filled - list.from;
	if (*at != ']' || list.count > FIELDS_ITEMS)
		return NULL;
	lists->lists[lists->count++] = list;
	return list.end;
}

void number_lists_cut(struct number_lists *lists, const char *name, char *from, const char *text, size_t *length)
{
	size_t name_length = strlen(name);

	lists->count = lists->filled = 0;
	for (char *at = strstr(from, name); at; at = strstr(at, name)) {
		at = take_list(lists, at + name_length - 1);
		if (!at) {
			lists->count = 0;
			return;
		}
	}
	/* from the last one on, so that the others stay where they are */
	for (size_t i = lists->count; i-- > 0;) {
		struct number_list *list = &lists->lists[i];
		char mark[MARK_BYTES]; /* no list of ours: none has a number below 0 */
		size_t mark_length = (size_t)snprintf(mark, sizeof(mark), "[-%zu]", i + 1);

		if (mark_length > (size_t)(list->end - list->start))
			continue; /* it stays, and is read as any other */
		memcpy(list->start, mark, mark_length);
		memmove(list->start + mark_length, list->end, *length - (size_t)(list->end - text) + 1);
		*length -= (size_t)(list->end - list->start) - mark_length;
	}
}

const uint64_t *number_lists_find(const struct number_lists *lists, const json_t *list, size_t *count)
{
	json_int_t mark = json_array_size(list) == 1 ? -json_integer_value(json_array_get(list, 0)) : 0;

	if (mark <= 0 || (size_t)mark > lists->count)
		return NULL;
	*count = lists->lists[mark - 1].count;
	return lists->numbers + lists->lists[mark - 1].from;
}

void number_lists_free(struct number_lists *lists)
{
	free(lists->numbers);
	*lists = (struct number_lists){ 0 };
}
