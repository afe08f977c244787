/* Records that are still records: a byte changed at random is mostly refused by the parser of JSON, and tells nothing of
 * what is behind it. */
#include "fuzz.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const values[] = {
	"0", "1", "-1", "2", "0.5", "-0.25", "1e-300", "1e300", "1.7976931348623157e308", "1000000000000000", "4294967296",
	"9223372036854775807", "-9223372036854775808", "null", "true", "false", "\"\"", "\"x\"", "[]", "{}",
	"[[1.0,9223372036854775807]]", "\"stream\"", "\"pingpong\"", "\"fanin\"", "\"pipeline\"", "\"saturate\"",
	"\"closed\"", "\"open\"", "\"saturated\"", "\"intended\"", "\"write\"", "\"flush\"", "\"read\"", "\"ok\"", "\"invalid\"",
	"\"message\"", "\"batch\"",
};

/* What is to be changed. */
struct text {
	char *bytes;
	size_t size, room;
};

static size_t draw(unsigned *seed, size_t below)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % below;
}

/* Where there is room. */
static void replace(struct text *text, size_t start, size_t end, const char *by, size_t length)
{
	if (text->size - (end - start) + length > text->room)
		return;
	memmove(text->bytes + start + length, text->bytes + end, text->size - end);
	memcpy(text->bytes + start, by, length);
	text->size = text->size - (end - start) + length;
}

/* Behind the list, object, text or number that begins there. */
static size_t value_end(const struct text *text, size_t at)
{
	bool quoted = false;
	int depth = 0;

	for (; at < text->size; at++) {
		char c = text->bytes[at];

		if (c == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (c == '[' || c == '{')
			depth++;
		else if ((c == ',' || c == '\n') && depth <= 0)
			break;
		else if ((c == ']' || c == '}') && --depth < 0)
			break;
	}
	return at;
}

/* A value begins behind a colon, a bracket or a comma; what turns out to be a name with its value is as good. */
static void change_value(struct text *text, unsigned *seed)
{
	const char *value = values[draw(seed, sizeof(values) / sizeof(values[0]))];
	size_t start = draw(seed, text->size);

	while (start < text->size && !strchr(":[,", text->bytes[start]))
		start++;
	if (start < text->size)
		replace(text, start + 1, value_end(text, start + 1), value, strlen(value));
}

/* A line goes, or stands there twice. */
static void change_line(struct text *text, unsigned *seed)
{
	size_t start = draw(seed, text->size), end = start;
	char *line;

	while (start && text->bytes[start - 1] != '\n')
		start--;
	while (end < text->size && text->bytes[end++] != '\n')
		;
	line = draw(seed, 3) ? malloc(end - start) : NULL;
	if (line)
		memcpy(line, text->bytes + start, end - start);
	replace(text, start, line ? start : end, line ? line : "", line ? end - start : 0);
	free(line);
}

size_t fuzz_record_change(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
	struct text text = {(char *)bytes, size, room};

	for (size_t n = 1 + draw(&seed, 4); n && text.size; n--)
		(draw(&seed, 8) ? change_value : change_line)(&text, &seed);
	return text.size;
}
