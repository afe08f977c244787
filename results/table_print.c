#include "table_print.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Of ASCII, or the first byte of one that UTF-8 writes as C2 80 … C2 9F. */
static bool is_control(const char *text)
{
	unsigned char byte = (unsigned char)text[0], next = (unsigned char)text[1];

	return byte < ' ' || byte == 0x7f || (byte == 0xc2 && next >= 0x80 && next < 0xa0);
}

void table_say(FILE *out, const char *format, ...)
{
	va_list arguments;
	char *text;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return;
	for (int i = 0; i < length; i++)
		if (is_control(text + i) && !(text[i] == '\n' && (i == 0 || i + 1 == length)))
			text[i] = '?';
	fputs(text, out);
	free(text);
}

static int shown_width(const struct table_form *form, const struct table_column *columns, size_t i)
{
	if (columns[i].wide_only && !form->wide)
		return 0;
	return i == 0 && form->first_width > columns[i].width ? form->first_width : columns[i].width;
}

void table_cells(const struct table_form *form, const struct table_column *columns, size_t first, size_t count, const char *label,
		 const char (*texts)[TABLE_TEXT])
{
	char line[1024] = "";
	int label_width = -1, length;

	for (size_t i = 0; i < first; i++)
		label_width += shown_width(form, columns, i) ? shown_width(form, columns, i) + 1 : 0;
	length = first > 0 ? snprintf(line, sizeof(line), "%-*.*s", label_width, TABLE_TEXT, label) : 0;
	for (size_t i = first; i < count; i++) {
		int width = shown_width(form, columns, i);

		if (width > 0)
			length +=
				snprintf(line + length, sizeof(line) - (size_t)length, "%s%*.*s", length > 0 ? " " : "",
					 columns[i].left ? -width : width, TABLE_TEXT / 2, texts[i]);
	}
	while (length > 0 && line[length - 1] == ' ')
		line[--length] = '\0';
	table_say(form->out, "%s", line);
	fputc('\n', form->out);
}

int table_last_room(const struct table_form *form, const struct table_column *columns, size_t count)
{
	int room = form->wide ? TABLE_WIDE : TABLE_NARROW;

	for (size_t i = 0; i + 1 < count; i++)
		room -= shown_width(form, columns, i) ? shown_width(form, columns, i) + 1 : 0;
	return room;
}

void table_head(const struct table_form *form, const struct table_column *columns, size_t count)
{
	char upper[16][TABLE_TEXT], lower[16][TABLE_TEXT];

	for (size_t i = 0; i < count; i++) {
		snprintf(upper[i], TABLE_TEXT, "%s", columns[i].upper);
		snprintf(lower[i], TABLE_TEXT, "%s", columns[i].lower);
	}
	table_cells(form, columns, 0, count, "", (const char(*)[TABLE_TEXT])upper);
	table_cells(form, columns, 0, count, "", (const char(*)[TABLE_TEXT])lower);
}
