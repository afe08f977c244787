/* What a check found, and a child process for it to run in: a queue that crashes or hangs must not take the tool along. */
#ifndef QUEUES_CHECK_VERDICT_H
#define QUEUES_CHECK_VERDICT_H

#include <stdbool.h>

enum verdict_kind { VERDICT_PASSED, VERDICT_FAILED, VERDICT_NOT_APPLICABLE };

struct verdict {
	enum verdict_kind kind;
	bool told;      /* a thread of the child's is writing what it found, or has */
	bool returned;  /* the body came to its end */
	bool hung;      /* it was ended, for it had not come to an end in its time */
	char text[512]; /* failed: what was expected and what was got; not applicable: why */
};

/* Both end the child at once: what follows in a check may rely on what came before. Text that the check had put into its verdict
 * before, to say what it is at, stays in front of a failure. */
_Noreturn __attribute__((format(printf, 2, 3))) void verdict_fail(struct verdict *verdict, const char *format, ...);
_Noreturn void verdict_skip(struct verdict *verdict, const char *why);

/* Runs body(argument, verdict) in a child. A body that returns has passed; one that is killed, whose process ends itself by
 * whatever status (as a sanitizer does, or a queue that calls exit()), or that takes longer than so many seconds has failed. The caller
 * must have no threads of its own. */
struct verdict verdict_run(void (*body)(const void *argument, struct verdict *verdict), const void *argument,
			   unsigned seconds);

#endif
