#include "interleave.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum {
	THREADS = INTERLEAVE_THREADS_MAX,
	BUFFER = 24,              /* stores that wait, of a thread */
	OWN = 8,                  /* pieces of memory that are some thread's own */
	STEPS = THREADS * (1 + BUFFER),
	DEPTH = 4096,             /* steps of an execution */
	STACK_BYTES = 256 << 10,
	SECONDS = 120,
	MUTANT_SECONDS = 5, /* it may go round for ever */
};

struct step {
	unsigned thread;
	uint64_t store; /* which of its stores reaches memory; 0: its next access is made */
	uintptr_t address;
	size_t size;
	bool writes;    /* memory */
};

struct waiting_store {
	uint64_t number, value;
	void *address;
	size_t size;
	bool release, non_temporal;
};

struct coroutine {
	ucontext_t context;
	jmp_buf at;
	bool entered, done;
	struct step next;     /* what it is about to do */
	bool drains;          /* its next access waits until its buffer is empty */
	struct waiting_store buffer[BUFFER];
	size_t waiting;
	uint64_t stores;
	unsigned char *stack;
};

/* Memory that one thread alone accesses. */
struct own_memory {
	uintptr_t address;
	size_t size;
	bool known;      /* whose it is */
	unsigned thread;
};

/* A choice among the steps that were possible. */
struct node {
	struct step steps[STEPS];
	bool asleep[STEPS]; /* needs not be tried: an order that is the same was */
	size_t count, chosen;
};

struct interleaver {
	const struct interleave_program *program;
	const struct interleave_options *options;
	struct verdict *verdict;
	struct coroutine threads[THREADS];
	unsigned current;
	jmp_buf scheduler;
	bool scheduling; /* accesses are steps */
	struct own_memory own[OWN];
	size_t owned;
	struct node *nodes; /* [DEPTH] */
	size_t depth;
	uint64_t executions;
	bool exhaustive;
};

/* The one that runs: accesses come without a context. A process has one. */
static struct interleaver *running;

/* ---- memory ---- */

static uint64_t memory_get(const void *address, size_t size)
{
	uint64_t value = 0;

	memcpy(&value, address, size);
	return value;
}

static void memory_put(void *address, size_t size, uint64_t value)
{
	memcpy(address, &value, size);
}

/* ---- accesses ---- */

static bool overlap(uintptr_t a, size_t a_size, uintptr_t b, size_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* The newest store of the thread to that place that has not reached memory. */
static const struct waiting_store *own_store(const struct coroutine *thread, const void *address, size_t size)
{
	for (size_t i = thread->waiting; i-- > 0;)
		if (overlap((uintptr_t)thread->buffer[i].address, thread->buffer[i].size, (uintptr_t)address, size))
			return &thread->buffer[i];
	return NULL;
}

/* Whether an access is a step: not that to a thread's own memory. */
static bool is_step(struct interleaver *self, const void *address, size_t size)
{
	if (!self->scheduling)
		return false;
	for (size_t i = 0; i < self->owned; i++) {
		struct own_memory *own = &self->own[i];

		if (!overlap(own->address, own->size, (uintptr_t)address, size))
			continue;
		if (own->known && own->thread != self->current)
			verdict_fail(self->verdict, "thread %u accesses what is thread %u's own", self->current, own->thread);
		own->known = true;
		own->thread = self->current;
		return false;
	}
	return true;
}

void interleave_own(const void *address, size_t size)
{
	struct interleaver *self = running;

	if (self->owned == OWN)
		verdict_fail(self->verdict, "more than %d pieces of memory are some thread's own", OWN);
	self->own[self->owned++] = (struct own_memory){.address = (uintptr_t)address, .size = size};
}

/* Stands still until the scheduler lets it make this access. */
static void stand(const void *address, size_t size, bool writes, bool drains)
{
	struct interleaver *self = running;
	struct coroutine *thread = &self->threads[self->current];

	thread->next = (struct step){.thread = self->current, .address = (uintptr_t)address, .size = size, .writes = writes};
	thread->drains = drains;
	if (!_setjmp(thread->at))
		_longjmp(self->scheduler, 1);
}

uint64_t interleave_load(const void *address, size_t size)
{
	struct interleaver *self = running;
	const struct waiting_store *own;

	if (!is_step(self, address, size))
		return memory_get(address, size);
	own = own_store(&self->threads[self->current], address, size);
	/* a step also where the thread's own store is at hand: that one may reach memory first, and another's come after it */
	stand(address, size, false, own && (own->address != address || own->size != size));
	own = own_store(&self->threads[self->current], address, size);
	return own ? own->value : memory_get(address, size);
}

void interleave_store(void *address, size_t size, uint64_t value, enum interleave_order order)
{
	struct interleaver *self = running;
	struct coroutine *thread = &self->threads[self->current];

	if (!is_step(self, address, size)) {
		memory_put(address, size, value);
		return;
	}
	if (self->options->memory == INTERLEAVE_SEQUENTIAL) {
		stand(address, size, true, false);
		memory_put(address, size, value);
		return;
	}
	if (thread->waiting == BUFFER)
		verdict_fail(self->verdict, "more than %d stores wait", BUFFER);
	thread->buffer[thread->waiting++] = (struct waiting_store){
		.number = ++thread->stores, .value = value, .address = address, .size = size,
		.release = order == INTERLEAVE_RELEASE && self->options->mutant != INTERLEAVE_RELAXED,
		.non_temporal = order == INTERLEAVE_NON_TEMPORAL,
	};
}

/* A relaxed read-modify-write overtakes the stores before it where a machine lets it, but those to its own place. */
static bool update_drains(const struct interleaver *self, const void *address, size_t size)
{
	if (self->options->mutant != INTERLEAVE_RELAXED || self->options->memory != INTERLEAVE_REORDERED)
		return true;
	return own_store(&self->threads[self->current], address, size) != NULL;
}

static uint64_t update_value(enum interleave_update update, uint64_t value, uint64_t operand)
{
	switch (update) {
	case INTERLEAVE_ADD:
		return value + operand;
	case INTERLEAVE_AND:
		return value & operand;
	case INTERLEAVE_OR:
		return value | operand;
	default:
		return operand;
	}
}

uint64_t interleave_read_modify_write(void *address, size_t size, enum interleave_update update, uint64_t operand)
{
	struct interleaver *self = running;
	uint64_t value;

	if (self->scheduling && self->options->mutant == INTERLEAVE_TORN) {
		value = interleave_load(address, size);
		interleave_store(address, size, update_value(update, value, operand), INTERLEAVE_RELEASE);
		return value;
	}
	if (self->scheduling)
		stand(address, size, true, update_drains(self, address, size));
	value = memory_get(address, size);
	memory_put(address, size, update_value(update, value, operand));
	return value;
}

bool interleave_compare_exchange(void *address, size_t size, void *expected, uint64_t desired)
{
	struct interleaver *self = running;
	uint64_t value;

	if (self->scheduling && self->options->mutant == INTERLEAVE_TORN)
		value = interleave_load(address, size);
	else {
		if (self->scheduling)
			stand(address, size, true, update_drains(self, address, size));
		value = memory_get(address, size);
	}
	if (value != memory_get(expected, size)) {
		memory_put(expected, size, value);
		return false;
	}
	if (self->options->mutant == INTERLEAVE_TORN)
		interleave_store(address, size, desired, INTERLEAVE_RELEASE);
	else
		memory_put(address, size, desired);
	return true;
}

void interleave_fence(void)
{
	static const uint64_t nowhere;

	if (running->scheduling && running->options->mutant != INTERLEAVE_RELAXED)
		stand(&nowhere, 0, false, true);
}

void interleave_drain_all(void)
{
	struct interleaver *self = running;

	if (!self->scheduling || self->options->mutant == INTERLEAVE_RELAXED)
		return;
	stand(NULL, SIZE_MAX, true, true); /* all of memory: it matters what comes before it */
	for (unsigned t = 0; t < self->program->threads; t++) {
		struct coroutine *thread = &self->threads[t];

		for (size_t i = 0; i < thread->waiting; i++)
			memory_put(thread->buffer[i].address, thread->buffer[i].size, thread->buffer[i].value);
		thread->waiting = 0;
	}
}

/* ---- threads ---- */

static void coroutine_main(void)
{
	struct interleaver *self = running;
	struct coroutine *thread = &self->threads[self->current];

	self->program->thread(self->program->context, self->current);
	thread->done = true;
	_longjmp(self->scheduler, 1);
}

/* Lets the thread go on until it stands at its next access. */
static void resume(struct interleaver *self, unsigned index)
{
	struct coroutine *thread = &self->threads[index];

	self->current = index;
	if (_setjmp(self->scheduler))
		return;
	if (thread->entered)
		_longjmp(thread->at, 1);
	thread->entered = true;
	setcontext(&thread->context);
}

/* ---- one execution ---- */

static void begin(struct interleaver *self)
{
	self->scheduling = false;
	self->owned = 0;
	self->program->begin(self->program->context);
	for (unsigned i = 0; i < self->program->threads; i++) {
		struct coroutine *thread = &self->threads[i];

		*thread = (struct coroutine){.stack = thread->stack};
		getcontext(&thread->context);
		thread->context.uc_stack.ss_sp = thread->stack;
		thread->context.uc_stack.ss_size = STACK_BYTES;
		makecontext(&thread->context, coroutine_main, 0);
	}
	self->scheduling = true;
	for (unsigned i = 0; i < self->program->threads; i++)
		resume(self, i);
}

/* Whether the waiting store may reach memory before those that wait in front of it. */
static bool may_pass(const struct interleaver *self, const struct coroutine *thread, size_t i)
{
	const struct waiting_store *store = &thread->buffer[i];
	bool ordered = (self->options->memory == INTERLEAVE_ORDERED || store->release) && !store->non_temporal;

	for (size_t k = 0; k < i; k++) {
		const struct waiting_store *before = &thread->buffer[k];

		if ((ordered && !before->non_temporal) ||
		    overlap((uintptr_t)before->address, before->size, (uintptr_t)store->address, store->size))
			return false;
	}
	return true;
}

static void find_steps(struct interleaver *self, struct node *node)
{
	node->count = 0;
	for (unsigned t = 0; t < self->program->threads; t++) {
		const struct coroutine *thread = &self->threads[t];

		if (!thread->done && !(thread->drains && thread->waiting))
			node->steps[node->count++] = thread->next;
		for (size_t i = 0; i < thread->waiting; i++)
			if (may_pass(self, thread, i))
				node->steps[node->count++] = (struct step){
					.thread = t, .store = thread->buffer[i].number, .writes = true,
					.address = (uintptr_t)thread->buffer[i].address, .size = thread->buffer[i].size};
	}
}

static void take_step(struct interleaver *self, const struct step *step)
{
	struct coroutine *thread = &self->threads[step->thread];
	size_t i = 0;

	if (!step->store) {
		resume(self, step->thread);
		return;
	}
	while (thread->buffer[i].number != step->store)
		i++;
	memory_put(thread->buffer[i].address, thread->buffer[i].size, thread->buffer[i].value);
	memmove(&thread->buffer[i], &thread->buffer[i + 1], (--thread->waiting - i) * sizeof(thread->buffer[0]));
}

/* Whether it matters which of the two comes first. */
static bool depend(const struct step *a, const struct step *b)
{
	return a->thread == b->thread || ((a->writes || b->writes) && overlap(a->address, a->size, b->address, b->size));
}

/* What need not be tried first here: it was tried before `chosen` in the node before, and does not depend on that. */
static void inherit_sleep(const struct node *before, struct node *node)
{
	const struct step *chosen = &before->steps[before->chosen];

	for (size_t i = 0; i < node->count; i++) {
		node->asleep[i] = false;
		for (size_t k = 0; k < before->count; k++)
			if (before->asleep[k] && before->steps[k].thread == node->steps[i].thread &&
			    before->steps[k].store == node->steps[i].store && !depend(&before->steps[k], chosen))
				node->asleep[i] = true;
	}
}

static bool choose(struct node *node)
{
	for (node->chosen = 0; node->chosen < node->count; node->chosen++)
		if (!node->asleep[node->chosen])
			return true;
	return false;
}

/* Follows the nodes that are there, then makes new ones, to the end. */
static void execute(struct interleaver *self)
{
	size_t at = 0;

	begin(self);
	for (;; at++) {
		struct node *node = &self->nodes[at];

		if (at == self->depth) {
			if (at == DEPTH)
				verdict_fail(self->verdict, "an execution has more than %d steps", DEPTH);
			find_steps(self, node);
			if (!node->count)
				break;
			if (at)
				inherit_sleep(node - 1, node);
			else
				memset(node->asleep, 0, sizeof(node->asleep));
			if (!choose(node))
				return; /* the same as one that was tried */
			self->depth++;
		}
		take_step(self, &node->steps[node->chosen]);
	}
	self->executions++;
	self->scheduling = false;
	self->program->end(self->program->context);
}

/* To the last choice that has something left to try. False: there is none. */
static bool backtrack(struct interleaver *self)
{
	while (self->depth) {
		struct node *node = &self->nodes[self->depth - 1];

		node->asleep[node->chosen] = true;
		if (choose(node))
			return true;
		self->depth--;
	}
	return false;
}

struct shared_result {
	uint64_t executions;
	bool exhaustive;
};

struct run_argument {
	const struct interleave_program *program;
	const struct interleave_options *options;
	void (*prepare)(void *context, struct verdict *verdict);
	struct shared_result *result; /* shared with the parent */
};

static void run_body(const void *argument, struct verdict *verdict)
{
	const struct run_argument *run = argument;
	struct interleaver *self = calloc(1, sizeof(*self));

	if (!self || !(self->nodes = malloc(DEPTH * sizeof(*self->nodes))))
		verdict_fail(verdict, "no memory for the interleaver");
	running = self;
	self->program = run->program;
	self->options = run->options;
	self->verdict = verdict;
	for (unsigned i = 0; i < self->program->threads; i++)
		if (!(self->threads[i].stack = malloc(STACK_BYTES)))
			verdict_fail(verdict, "no memory for a stack");
	run->prepare(self->program->context, verdict);
	do {
		execute(self);
		run->result->executions = self->executions;
		if (run->options->most && self->executions == run->options->most)
			return;
	} while (backtrack(self));
	run->result->exhaustive = true;
}

struct interleave_result interleave_run(const struct interleave_program *program, const struct interleave_options *options,
					void (*prepare)(void *context, struct verdict *verdict))
{
	struct run_argument run = {.program = program, .options = options, .prepare = prepare};
	struct interleave_result result;

	run.result = mmap(NULL, sizeof(*run.result), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run.result == MAP_FAILED)
		abort();
	result.verdict = verdict_run(run_body, &run, options->mutant ? MUTANT_SECONDS : SECONDS);
	result.executions = run.result->executions;
	result.exhaustive = run.result->exhaustive;
	munmap(run.result, sizeof(*run.result));
	return result;
}
