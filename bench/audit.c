#include "audit.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct audit_check *check_named(struct audit *audit, const char *name)
{
	struct audit_check *check = audit->checks;

	while (check < audit->checks + audit->count && strcmp(check->name, name))
		check++;
	if (check < audit->checks + audit->count)
		return check;
	if (audit->count == AUDIT_CHECKS)
		abort(); /* a check that can't be noted must not pass unseen */
	*check = (struct audit_check){.name = name, .ok = true};
	audit->count++;
	return check;
}

void audit_note(struct audit *audit, const char *name, bool ok, const char *detail, ...)
{
	struct audit_check *check = check_named(audit, name);
	va_list arguments;

	if (ok || !check->ok)
		return;
	check->ok = false;
	va_start(arguments, detail);
	vsnprintf(check->detail, sizeof(check->detail), detail, arguments);
	va_end(arguments);
}

void audit_waive(struct audit *audit, const char *name, const char *why, ...)
{
	struct audit_check *check = check_named(audit, name);
	va_list arguments;

	if (!check->ok || check->waived)
		return;
	check->waived = true;
	va_start(arguments, why);
	vsnprintf(check->detail, sizeof(check->detail), why, arguments);
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

	for (size_t i = 0; i < audit->count; i++) {
		const struct audit_check *check = &audit->checks[i];
		bool waived = check->ok && check->waived;

		json_array_append_new(checks, json_pack("{s:s, s:o, s:s?}", "check", check->name, "ok",
							waived ? json_null() : json_boolean(check->ok), "detail",
							check->ok && !waived ? NULL : check->detail));
	}
	return checks;
}
