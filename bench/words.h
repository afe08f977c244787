/* Words that an option takes: found, or refused with those that are allowed and the nearest of them. */
#ifndef BENCH_WORDS_H
#define BENCH_WORDS_H

#include <stddef.h>

/* The position of text in words, which end with NULL; that of the end if it is not there. */
size_t words_find(const char *const *words, const char *text);

/* "'ful' is not allowed; allowed: all, head; did you mean 'all'?" also: appended to the allowed ones. Returns −EINVAL. */
int words_refuse(const char *text, const char *const *words, const char *also, char *error, size_t size);

/* The nearest of words offered one by one. */
struct nearest {
	const char *typed;
	const char *word; /* the nearest so far that is near enough to be suggested, or NULL */
	size_t distance;
};

struct nearest nearest_begin(const char *typed);
void nearest_offer(struct nearest *nearest, const char *word);
/* "; did you mean 'WORD'?" or "". Returns text. */
char *nearest_text(const struct nearest *nearest, char *text, size_t size);

#endif
