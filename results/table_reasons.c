#include "table_reasons.h"

#include <stdarg.h>
#include <string.h>

#include "table_text.h"

static void add_reason(json_t *reasons, size_t count, const char *format, ...) __attribute__((format(printf, 3, 4)));

static void add_reason(json_t *reasons, size_t count, const char *format, ...)
{
	char reason[TABLE_TEXT];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	count += (size_t)json_integer_value(json_object_get(reasons, reason));
	json_object_set_new_nocheck(reasons, reason, json_integer((json_int_t)count));
}

void table_reasons_lines(FILE *out, const struct record *record)
{
	enum { MOST = 20 };
	json_t *reasons = json_object(), *skipped, *count;
	const char *reason;
	size_t i, shown = 0;

	json_array_foreach(json_object_get(json_object_get(record->run, "plan"), "skipped"), i, skipped)
		add_reason(reasons, (size_t)json_integer_value(json_object_get(skipped, "cells")),
			   "cells not planned: %.80s", table_string_or_dash(skipped, "reason"));
	for (i = 0; i < record->trial_count; i++) {
		const struct record_trial *trial = &record->trials[i];

		const char *why = trial->why ? trial->why : "-";
		bool failed = strcmp(trial->status, "ok") != 0;

		/* of what the audit says, the check's name alone: the numbers differ from trial to trial */
		if (failed || !trial->valid)
			add_reason(reasons, 1, "%s: %.*s", failed ? trial->status : "invalid",
				   strcmp(trial->status, "invalid") ? 80 : (int)strcspn(why, ":"), why);
	}
	json_object_foreach(reasons, reason, count) {
		if (shown++ == MOST) {
			table_say(out, "  and %zu reasons more, in the record\n",
				  json_object_size(reasons) - MOST);
			break;
		}
		table_say(out, "  %" JSON_INTEGER_FORMAT " %.108s\n", json_integer_value(count), reason);
	}
	json_decref(reasons);
}
