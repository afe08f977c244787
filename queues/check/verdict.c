#include "verdict.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_ENDED = 3 }; /* exit status of a child that wrote its verdict itself */

void verdict_fail(struct verdict *verdict, const char *format, ...)
{
	size_t used;
	va_list arguments;

	/* of several threads that fail, one tells; it ends them all */
	while (__atomic_exchange_n(&verdict->told, true, __ATOMIC_RELAXED))
		pause();
	used = strnlen(verdict->text, sizeof(verdict->text) - 3);
	if (used) {
		memcpy(verdict->text + used, ": ", 3);
		used += 2;
	}
	va_start(arguments, format);
	vsnprintf(verdict->text + used, sizeof(verdict->text) - used, format, arguments);
	va_end(arguments);
	verdict->kind = VERDICT_FAILED;
	_exit(CHILD_ENDED);
}

void verdict_skip(struct verdict *verdict, const char *why)
{
	snprintf(verdict->text, sizeof(verdict->text), "%s", why);
	verdict->told = true;
	verdict->kind = VERDICT_NOT_APPLICABLE;
	_exit(CHILD_ENDED);
}

/* What the child's end says, unless it wrote a verdict of its own. Text that it left tells what it was at. */
static void verdict_judge(struct verdict *verdict, int status, unsigned seconds)
{
	size_t used = strnlen(verdict->text, sizeof(verdict->text) - 100);
	char *end = verdict->text + used;
	size_t left = sizeof(verdict->text) - used;

	if (WIFEXITED(status) && WEXITSTATUS(status) == CHILD_ENDED && verdict->told)
		return;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && verdict->returned)
		*verdict = (struct verdict){.kind = VERDICT_PASSED};
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) {
		snprintf(end, left, "%shangs: no end within %u s", used ? ": " : "", seconds);
		verdict->hung = true;
	} else if (WIFSIGNALED(status))
		snprintf(end, left, "%scrashed: %s", used ? ": " : "", strsignal(WTERMSIG(status)));
	else
		snprintf(end, left, "%sits process ended itself, with status %d", used ? ": " : "", WEXITSTATUS(status));
}

struct verdict verdict_run(void (*body)(const void *argument, struct verdict *verdict), const void *argument,
			   unsigned seconds)
{
	struct verdict *shared =
		mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct verdict verdict = {.kind = VERDICT_FAILED, .text = "no child process to be had"};
	int status;
	pid_t parent = getpid(), child;

	if (shared == MAP_FAILED)
		return verdict;
	shared->kind = VERDICT_FAILED;
	child = fork();
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever ends the checks ends this one */
		if (getppid() != parent)
			_exit(CHILD_ENDED);
		signal(SIGALRM, SIG_DFL);
		alarm(seconds);
		body(argument, shared);
		shared->returned = true; /* the status alone proves nothing: what is checked may call exit(), too */
		_exit(0);
	}
	if (child > 0) {
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		verdict = *shared;
		verdict_judge(&verdict, status, seconds);
	}
	munmap(shared, sizeof(*shared));
	return verdict;
}
