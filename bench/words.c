#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { NEAREST_LETTERS = 40 }; /* longer words are never suggested */

/* Letters to insert, drop or replace to make one word of the other (V. Levenshtein, 1966). */
static size_t words_distance(const char *a, const char *b)
{
	size_t row[NEAREST_LETTERS + 1], length = strlen(b);

	for (size_t j = 0; j <= length; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < length; j++) {
			size_t replaced = diagonal + (a[i] != b[j]);
			size_t other = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;

			diagonal = row[j + 1];
			row[j + 1] = replaced < other ? replaced : other;
		}
	}
	return row[length];
}

struct nearest nearest_begin(const char *typed)
{
	/* a third of the letters may be wrong: more, and the suggestion would be a guess */
	return (struct nearest){.typed = typed, .distance = strlen(typed) / 3 + 2};
}

void nearest_offer(struct nearest *nearest, const char *word)
{
	size_t distance;

	if (strlen(word) > NEAREST_LETTERS || strlen(nearest->typed) > NEAREST_LETTERS)
		return;
	distance = words_distance(nearest->typed, word);
	if (distance < nearest->distance && distance < strlen(word)) {
		nearest->distance = distance;
		nearest->word = word;
	}
}

char *nearest_text(const struct nearest *nearest, char *text, size_t size)
{
	if (nearest->word)
		snprintf(text, size, "; did you mean '%s'?", nearest->word);
	else
		*text = '\0';
	return text;
}

size_t words_find(const char *const *words, const char *text)
{
	size_t i = 0;

	while (words[i] && strcmp(words[i], text))
		i++;
	return i;
}

/* Appends to a text that may be full. */
static void text_append(char *text, size_t size, const char *more)
{
	size_t used = strlen(text);

	if (used + 1 < size)
		snprintf(text + used, size - used, "%s", more);
}

int words_refuse(const char *text, const char *const *words, const char *also, char *error, size_t size)
{
	struct nearest nearest = nearest_begin(text);
	char suggestion[80];

	for (size_t i = 0; words[i]; i++)
		nearest_offer(&nearest, words[i]);
	/* first: the list may be longer than there is room */
	snprintf(error, size, "'%s' is not allowed%s%s allowed: ", text, nearest_text(&nearest, suggestion, sizeof(suggestion)),
		 nearest.word ? "" : ";");
	for (size_t i = 0; words[i]; i++) {
		text_append(error, size, i ? ", " : "");
		text_append(error, size, words[i]);
	}
	text_append(error, size, also);
	return -EINVAL;
}
