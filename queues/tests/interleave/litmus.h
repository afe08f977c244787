/* The interleaver, checked: programs of two threads whose outcomes are known for each memory. */
#ifndef QUEUES_TESTS_LITMUS_H
#define QUEUES_TESTS_LITMUS_H

#include "interleave.h"

struct litmus_test {
	const char *name;
	void (*thread)(void *context, unsigned index);
	void (*end)(void *context);    /* fails where the outcome is met */
	enum interleave_mutant mutant;
	unsigned met_in;               /* bits 1 << enum interleave_memory */
};

extern const struct litmus_test litmus_tests[]; /* ended by a NULL name */

struct interleave_result litmus_run(const struct litmus_test *test, enum interleave_memory memory);

#endif
