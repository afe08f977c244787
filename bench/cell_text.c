#include "cell_text.h"

#include <stdio.h>
#include <string.h>

#include "units.h"

static void text_join(char *text, const char *more)
{
	size_t used = strlen(text);

	snprintf(text + used, CELL_TEXT - used, "%s%s", used ? "," : "", more);
}

char *cell_field_text(const char *field, const json_t *value, char text[CELL_TEXT])
{
	char number[UNITS_TEXT];
	size_t length = strlen(field), i;
	const json_t *item;

	*text = '\0';
	if (json_is_string(value))
		text_join(text, json_string_value(value));
	else if (json_is_integer(value) && length > 3 && !strcmp(field + length - 3, "_ns"))
		text_join(text, units_print_time(number, (uint64_t)json_integer_value(value)));
	else if (json_is_boolean(value))
		text_join(text, json_is_true(value) ? "on" : "off");
	else if (json_is_integer(value))
		snprintf(text, CELL_TEXT, "%" JSON_INTEGER_FORMAT "%s", json_integer_value(value), strcmp(field, "rate_percent") ? "" : "%");
	json_array_foreach(value, i, item) {
		char part[CELL_TEXT];

		text_join(text, cell_field_text("", item, part));
	}
	if (!*text)
		strcpy(text, "-");
	return text;
}

char *cell_field_option(const char *field, char name[CELL_TEXT])
{
	static const char *const others[][2] = {{"message_bytes", "message-size"}, {"rate_per_s", "rate"}, {"rate_percent", "rate"}};
	size_t length = strlen(field);

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(field, others[i][0]))
			return strcpy(name, others[i][1]);
	if (length > 3 && !strcmp(field + length - 3, "_ns"))
		length -= 3;
	snprintf(name, CELL_TEXT, "%.*s", (int)length, field);
	for (char *letter = name; *letter; letter++)
		*letter = *letter == '_' ? '-' : *letter;
	return name;
}
