#include "replayed.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void replayed_add(struct replayed *command, const char *format, ...)
{
	va_list arguments;

	if (command->count == REPLAYED_WORDS) {
		command->failed = true;
		return;
	}
	va_start(arguments, format);
	if (vasprintf(&command->words[command->count], format, arguments) < 0) {
		command->words[command->count] = NULL;
		command->failed = true;
	} else {
		command->count++;
	}
	va_end(arguments);
}

void replayed_add_plugin(struct replayed *command, const char *file)
{
	char *path = malloc(2 * strlen(file) + 1), *to = path;

	if (!path) {
		command->failed = true;
		return;
	}
	for (; *file; *to++ = *file++)
		if (*file == ',')
			*to++ = '\\';
	*to = '\0';
	replayed_add(command, "--plugin=%s", path);
	free(path);
}

void replayed_free(struct replayed *command)
{
	for (size_t i = 0; i < command->count; i++)
		free(command->words[i]);
}

const char *replayed_program(const struct record *record)
{
	const char *first = json_string_value(json_array_get(json_object_get(record->run, "command"), 0));
	size_t length = first ? strlen(first) : 0;
	static const char name[] = "twopoint";

	return length >= strlen(name) && !strcmp(first + length - strlen(name), name) ? first : name;
}

/* Whether a word is this option, alone or with its value. */
static bool is_option(const char *word, const char *option, bool *has_value)
{
	size_t length = strlen(option);

	*has_value = !strncmp(word, option, length) && word[length] == '=';
	return *has_value || !strcmp(word, option);
}

const char *replayed_add_run(struct replayed *command, const struct record *record)
{
	json_t *words = json_object_get(record->run, "command"), *word, *seed = json_object_get(record->run, "seed");
	bool has_value, seeded = false;
	size_t i;

	if (json_array_size(words) < 2)
		return "tells no command";
	json_array_foreach(words, i, word) {
		const char *text = json_string_value(word);

		if (!text || !strcmp(text, "(not UTF-8)"))
			return "a word of its command is not told, for it is not UTF-8";
		if (is_option(text, "--out", &has_value) || is_option(text, "--raw", &has_value)) {
			i += !has_value;
			continue;
		}
		seeded |= is_option(text, "--seed", &has_value);
		replayed_add(command, "%s", i ? text : replayed_program(record));
	}
	if (!seeded && json_is_integer(seed))
		replayed_add(command, "--seed=%" JSON_INTEGER_FORMAT, json_integer_value(seed));
	return NULL;
}

static void word_print(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:%=+@-";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, out);
		return;
	}
	putc('\'', out);
	for (; *word; word++)
		fputs(*word == '\'' ? "'\\''" : (char[]){ *word, '\0' }, out);
	putc('\'', out);
}

char *replayed_text(const struct replayed *command)
{
	char *text = NULL;
	size_t size;
	FILE *out = command->failed ? NULL : open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i < command->count; i++) {
		if (i)
			putc(' ', out);
		word_print(out, command->words[i]);
	}
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
