/* Lists of whole numbers, taken out of a trial's line before it is parsed: of a trial's windows there are hundreds of numbers, and a parser
 * that makes an object of each takes longer for them than for all the rest. */
#ifndef RESULTS_NUMBER_LISTS_H
#define RESULTS_NUMBER_LISTS_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

enum { NUMBER_LISTS = 256 };

struct number_list {
	size_t from, count; /* in numbers */
	char *start, *end;  /* where it stood in the text */
};

struct number_lists {
	uint64_t *numbers; /* of all lists */
	size_t filled, room;
	struct number_list lists[NUMBER_LISTS];
	size_t count;
};

/* Takes out all lists that begin with `name` (as it stands in the text: quotes, colon and bracket) behind `from`, and leaves a mark in the
 * place of each. Where one of them is not made of plain whole numbers alone, or memory runs out, all stay, for the parser to judge. Lists that were taken
 * from another line before are forgotten. */
void number_lists_cut(struct number_lists *lists, const char *name, char *from, const char *text, size_t *length);
/* The numbers of the list whose mark this is; NULL: it is no mark. */
const uint64_t *number_lists_find(const struct number_lists *lists, const json_t *list, size_t *count);
void number_lists_free(struct number_lists *lists);

#endif
