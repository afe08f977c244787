/* The checks that decide whether a trial is valid. */
#ifndef BENCH_AUDIT_H
#define BENCH_AUDIT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { AUDIT_CHECKS = 48, AUDIT_DETAIL = 200 };

struct audit {
	struct audit_check {
		const char *name;
		bool ok, waived;
		char detail[AUDIT_DETAIL]; /* what was found; only where it is not ok, or was waived */
	} checks[AUDIT_CHECKS];
	size_t count;
};

/* Notes one check; the detail, in printf's manner, is kept where it is not ok. A name that was noted before stays one check: it is ok if
 * it was so each time. */
__attribute__((format(printf, 4, 5))) void audit_note(struct audit *audit, const char *name, bool ok, const char *detail, ...);

/* Notes that a check could not be made, and why: in the record it is neither ok nor failed, unless it fails elsewhere. */
__attribute__((format(printf, 3, 4))) void audit_waive(struct audit *audit, const char *name, const char *why, ...);

/* The first check that is not ok, or NULL. */
const struct audit_check *audit_failure(const struct audit *audit);

/* As the record has it: [{check, ok, detail}]. A new reference. */
json_t *audit_to_json(const struct audit *audit);

#endif
