#include "audit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void audit_note(struct audit *audit, const char *name, bool ok, const char *detail, ...)
{
	struct audit_check *check = audit->checks;
	va_list arguments;

	while (check < audit->checks + audit->count && strcmp(check->name, name))
		check++;
	if (check == audit->checks + audit->count) {
		if (audit->count == AUDIT_CHECKS)
			abort(); /* a check that can't be noted must not pass unseen */
		*check = (struct audit_check){.name = name, .ok = true};
		audit->count++;
	}
	if (ok || !check->ok)
		return;
	check->ok = false;
	va_start(arguments, detail);
	vsnprintf(check->detail, sizeof(check->detail), detail, arguments);
	va_end(arguments);
}

const struct audit_check *audit_failure(const struct audit *audit)
{
	for (size_t i = 0; i < audit->count; i++)
		if (!audit->checks[i].ok)
			return &audit->checks[i];
	return NULL;
}

json_t *audit_to_json(const struct audit *audit)
{
	json_t *checks = json_array();

	for (size_t i = 0; i < audit->count; i++)
		json_array_append_new(checks, json_pack("{s:s, s:b, s:s?}", "check", audit->checks[i].name, "ok",
							audit->checks[i].ok, "detail",
							audit->checks[i].ok ? NULL : audit->checks[i].detail));
	return checks;
}
