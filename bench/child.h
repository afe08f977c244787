/* A process of our own program, from its parent's side: that of a trial, of a check, of a probe. */
#ifndef BENCH_CHILD_H
#define BENCH_CHILD_H

#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum child_end {
	CHILD_FINISHED,    /* by itself: see status */
	CHILD_CRASHED,     /* by a signal: see status */
	CHILD_HUNG,        /* ended by the watchdog */
	CHILD_INTERRUPTED, /* ended because this process got a signal to stop */
};

struct child_result {
	enum child_end end;
	int status; /* exit status, or the signal's number */
	char *output; /* what it wrote to stdout, ended by 0; allocated */
	size_t length;
};

/* Runs `twopoint COMMAND REQUEST` and waits for it, at most limit_ns. *interrupted is looked at whenever a signal comes.
 * Returns 0, or −errno where it could not be started. */
int child_run(const char *command, const char *request, uint64_t limit_ns, const volatile sig_atomic_t *interrupted,
	      struct child_result *result);

/* From the child's side: lets it die with its parent. False: that has died already, and nobody holds the other end of stdout any more. */
bool child_follow_parent(void);

#endif
