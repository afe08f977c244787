#include "table_reasons.h"

#include <stdarg.h>
#include <string.h>

#include "table_text.h"

enum { REASON_TEXT = 1024 };

static const char not_planned[] = "cells not planned: ";

static void add_reason(json_t *reasons, size_t count, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add_reason(json_t *reasons, size_t count, const char *format, ...)
{
	char reason[REASON_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	count += (size_t)json_integer_value(json_object_get(reasons, reason));
	json_object_set_new_nocheck(reasons, reason, json_integer((json_int_t)count));
}

/* "  1 skipped: …", whole: what is beyond the width (0: there is none) goes on in lines of their own. */
static void reason_print(FILE *out, size_t width, size_t count, const char *reason)
{
	enum { INDENT = 4 };
	bool one_cell = count == 1 && !strncmp(reason, not_planned, strlen(not_planned));
	char text[REASON_TEXT + 32];
	const char *rest = text;
	size_t length;

	length = (size_t)snprintf(text, sizeof(text), "%zu %s%s", count, one_cell ? "cell" : "", reason + (one_cell ? strlen("cells") : 0));
	for (int indent = INDENT / 2; width && length + (size_t)indent > width; indent = INDENT) {
		size_t line = width - (size_t)indent;

		while (line && rest[line] != ' ')
			line--;
		if (!line) /* one word */
			break;
		table_say(out, "%*s%.*s\n", indent, "", (int)line, rest);
		rest += line + 1;
		length -= line + 1;
	}
	table_say(out, "%*s%s\n", rest == text ? INDENT / 2 : INDENT, "", rest);
}

void table_reasons_lines(FILE *out, size_t width, const struct record *record)
{
	enum { MOST = 20 };
	json_t *reasons = json_object(), *skipped, *count;
	const char *reason;
	size_t i, shown = 0;

	json_array_foreach(json_object_get(json_object_get(record->run, "plan"), "skipped"), i, skipped)
		add_reason(reasons, (size_t)json_integer_value(json_object_get(skipped, "cells")),
			   "%s%.900s", not_planned, table_string_or_dash(skipped, "reason"));
	for (i = 0; i < record->trial_count; i++) {
		const struct record_trial *trial = &record->trials[i];

		const char *why = trial->why ? trial->why : "-";
		bool failed = strcmp(trial->status, "ok") != 0;

		/* of what the audit says, the check's name alone: the numbers differ from trial to trial */
		if (failed || !trial->valid)
			add_reason(reasons, 1, "%s: %.*s", failed ? trial->status : "invalid",
				   strcmp(trial->status, "invalid") ? 900 : (int)strcspn(why, ":"), why);
	}
	json_object_foreach(reasons, reason, count) {
		if (shown++ == MOST) {
			table_say(out, "  and %zu reasons more, in the record\n",
				  json_object_size(reasons) - MOST);
			break;
		}
		reason_print(out, width, (size_t)json_integer_value(count), reason);
	}
	json_decref(reasons);
}
