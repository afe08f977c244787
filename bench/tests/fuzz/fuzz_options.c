#include "fuzz.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "units.h"

enum { WORDS = 64 };

/* What was read is printed, and read again: it is the same. */
static void number_try(const char *word, int (*parse)(const char *, uint64_t *), char *(*print)(char *, uint64_t))
{
	char text[UNITS_TEXT];
	uint64_t value, again;

	if (parse(word, &value))
		return;
	print(text, value);
	if (parse(text, &again) || again != value) {
		fprintf(stderr, "'%s' is read as %llu, and printed as '%s'\n", word, (unsigned long long)value, text);
		abort();
	}
}

static void numbers_try(const char *word)
{
	number_try(word, units_parse_count, units_print_count);
	number_try(word, units_parse_size, units_print_size);
	number_try(word, units_parse_percent, units_print_percent);
	number_try(word, units_parse_time, units_print_time);
}

void fuzz_options(const uint8_t *bytes, size_t size)
{
	static char name[] = "twopoint";
	char *text = malloc(size + 1), *argv[WORDS + 2] = {name}, *rest = text, error[OPTIONS_TEXT];
	struct options options;
	int argc = 1;

	if (!text)
		return;
	memcpy(text, bytes, size);
	text[size] = '\0';
	while (argc <= WORDS && rest)
		argv[argc++] = strsep(&rest, "\n");
	if (!options_parse(&options, argc, argv, error, sizeof(error)))
		options_free(&options);
	for (int i = 1; i < argc; i++)
		numbers_try(argv[i]);
	free(text);
}
