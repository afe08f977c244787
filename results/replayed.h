/* The command that repeats what a record is of, word by word. */
#ifndef RESULTS_REPLAYED_H
#define RESULTS_REPLAYED_H

#include "record.h"

enum { REPLAYED_WORDS = 256 };

/* The words are allocated; the last one is followed by NULL. All zero: none. */
struct replayed {
	char *words[REPLAYED_WORDS + 1];
	size_t count;
	bool failed; /* no memory, or too many */
};

/* The program as the record's was called, or as it is called where that was no twopoint. */
const char *replayed_program(const struct record *record);
void replayed_add(struct replayed *command, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* --plugin=FILE: a comma within the path is not one between two. */
void replayed_add_plugin(struct replayed *command, const char *file);
/* The words of the whole run as they were typed, but for where the record went, and with the seed that was drawn: the same order, the same
 * layouts. Returns NULL, or why it can't be told. */
const char *replayed_add_run(struct replayed *command, const struct record *record);
/* As a shell takes it, on one line, to be freed. NULL: no memory, or the command has failed. */
char *replayed_text(const struct replayed *command);
void replayed_free(struct replayed *command);

#endif
