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
		bool ok;
		char detail[AUDIT_DETAIL]; /* what was found; only where it is not ok */
	} checks[AUDIT_CHECKS];
	size_t count;
};

/* Notes one check; the detail, in printf's manner, is kept where it is not ok. A name that was noted before stays one check: it is ok if
 * it was so each time. */
__attribute__((format(printf, 4, 5))) void audit_note(struct audit *audit, const char *name, bool ok, const char *detail, ...);

/* The first check that is not ok, or NULL. */
const struct audit_check *audit_failure(const struct audit *audit);

/* As the record has it: [{check, ok, detail}]. A new reference. */
json_t *audit_to_json(const struct audit *audit);

#endif
