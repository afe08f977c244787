/* An exhaustive interleaver: runs the real code of a queue under all schedules, one atomic access at a time.
 *
 * The queue's file is compiled with interleave_atomic.h in place of atomic.h, so that each of its atomic accesses, and each word of a
 * message, comes here. Threads are coroutines; before an access a thread stands still and says what it is about to do. All orders of
 * these steps are tried, by running the whole program anew for each; of orders that differ only in steps that don't touch each other,
 * one is tried (sleep sets: P. Godefroid, 1996).
 *
 * A store may wait in a buffer of its thread before it reaches memory; that it gets there is then a step of its own. The thread's own
 * loads see it meanwhile. Read-modify-writes and fences wait until the buffer is empty. Loads are never reordered: what rests on an
 * acquire is not checked here, but by ThreadSanitizer. */
#ifndef QUEUES_TESTS_INTERLEAVE_H
#define QUEUES_TESTS_INTERLEAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "verdict.h"

enum interleave_memory {
	INTERLEAVE_SEQUENTIAL, /* a store is seen by all at once */
	INTERLEAVE_ORDERED,    /* stores reach memory later, in their order: total store order, as x86 has it */
	INTERLEAVE_REORDERED,  /* … in any order, but a release after all stores before it, and one address in order */
	/* In the last two a non-temporal store passes any other, and any other passes it, but at one address: fences alone order it. */
};

enum interleave_mutant {
	INTERLEAVE_AS_IT_IS,
	INTERLEAVE_RELAXED,   /* each release is merely relaxed, fences are none */
	INTERLEAVE_TORN,      /* each read-modify-write is a load and then a store */
};

enum { INTERLEAVE_THREADS_MAX = 4 };

/* What is run. begin() and end() run alone, before and after the threads; all three find what they need in context. They start from
 * nothing each time. */
struct interleave_program {
	unsigned threads;
	void (*begin)(void *context);
	void (*thread)(void *context, unsigned index);
	void (*end)(void *context); /* all stores have reached memory */
	void *context;
};

struct interleave_options {
	enum interleave_memory memory;
	enum interleave_mutant mutant;
	uint64_t most; /* executions; 0: all there are */
};

struct interleave_result {
	struct verdict verdict;
	uint64_t executions;
	bool exhaustive; /* no schedule was left out */
};

/* In a process of its own. prepare() runs there first; the program's parts end it by verdict_fail() where something is wrong. */
struct interleave_result interleave_run(const struct interleave_program *program, const struct interleave_options *options,
					void (*prepare)(void *context, struct verdict *verdict));

/* What interleave_atomic.h calls. Values of at most 8 bytes. */
enum interleave_order { INTERLEAVE_PLAIN_ACCESS, INTERLEAVE_ACQUIRE, INTERLEAVE_RELEASE, INTERLEAVE_NON_TEMPORAL };
enum interleave_update { INTERLEAVE_EXCHANGE, INTERLEAVE_ADD, INTERLEAVE_AND, INTERLEAVE_OR };

uint64_t interleave_load(const void *address, size_t size);
void interleave_store(void *address, size_t size, uint64_t value, enum interleave_order order);
uint64_t interleave_read_modify_write(void *address, size_t size, enum interleave_update update, uint64_t operand);
/* Where it fails, what was found is in *expected. */
bool interleave_compare_exchange(void *address, size_t size, void *expected, uint64_t desired);
void interleave_fence(void);
/* From here on accesses to this memory are no steps: one thread's alone, which is checked. Said in begin(). */
void interleave_own(const void *address, size_t size);
/* membarrier(2): all threads' stores so far reach memory. */
void interleave_drain_all(void);

#endif
