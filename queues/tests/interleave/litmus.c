#include "litmus.h"

#include <stddef.h>

/* What two threads did with two words. */
struct litmus {
	uint64_t x, y, seen[2];
	struct verdict *verdict;
};

static void begin(void *context)
{
	struct litmus *litmus = context;

	litmus->x = litmus->y = litmus->seen[0] = litmus->seen[1] = 0;
}

static void prepare(void *context, struct verdict *verdict)
{
	((struct litmus *)context)->verdict = verdict;
}

/* The outcome is reported as a failure, so that the parent learns of it. */
static void both_missed(void *context)
{
	const struct litmus *litmus = context;

	if (!litmus->seen[0] && !litmus->seen[1])
		verdict_fail(litmus->verdict, "neither saw the other's store");
}

static void flag_without_data(void *context)
{
	const struct litmus *litmus = context;

	if (litmus->seen[0] && !litmus->seen[1])
		verdict_fail(litmus->verdict, "the second store was seen without the first");
}

static void lost_update(void *context)
{
	const struct litmus *litmus = context;

	if (litmus->x != 2)
		verdict_fail(litmus->verdict, "an update was lost");
}

static void store_buffering(void *context, unsigned index)
{
	struct litmus *litmus = context;

	interleave_store(index ? &litmus->y : &litmus->x, 8, 1, INTERLEAVE_RELEASE);
	litmus->seen[index] = interleave_load(index ? &litmus->x : &litmus->y, 8);
}

static void store_buffering_fenced(void *context, unsigned index)
{
	struct litmus *litmus = context;

	interleave_store(index ? &litmus->y : &litmus->x, 8, 1, INTERLEAVE_RELEASE);
	interleave_fence();
	litmus->seen[index] = interleave_load(index ? &litmus->x : &litmus->y, 8);
}

/* One side drains for both. */
static void store_buffering_membarrier(void *context, unsigned index)
{
	struct litmus *litmus = context;

	interleave_store(index ? &litmus->y : &litmus->x, 8, 1, INTERLEAVE_RELEASE);
	if (index)
		interleave_drain_all();
	litmus->seen[index] = interleave_load(index ? &litmus->x : &litmus->y, 8);
}

static void pass_message(struct litmus *litmus, unsigned index, enum interleave_order order)
{
	if (!index) {
		interleave_store(&litmus->x, 8, 1, INTERLEAVE_PLAIN_ACCESS);
		interleave_store(&litmus->y, 8, 1, order);
	} else {
		litmus->seen[0] = interleave_load(&litmus->y, 8);
		litmus->seen[1] = interleave_load(&litmus->x, 8);
	}
}

static void message_released(void *context, unsigned index)
{
	pass_message(context, index, INTERLEAVE_RELEASE);
}

static void message_relaxed(void *context, unsigned index)
{
	pass_message(context, index, INTERLEAVE_PLAIN_ACCESS);
}

static void pass_message_streamed(struct litmus *litmus, unsigned index, bool fenced)
{
	if (!index) {
		interleave_store(&litmus->x, 8, 1, INTERLEAVE_NON_TEMPORAL);
		if (fenced)
			interleave_fence();
		interleave_store(&litmus->y, 8, 1, INTERLEAVE_RELEASE);
	} else {
		pass_message(litmus, index, INTERLEAVE_RELEASE);
	}
}

static void message_streamed(void *context, unsigned index)
{
	pass_message_streamed(context, index, false);
}

static void message_streamed_fenced(void *context, unsigned index)
{
	pass_message_streamed(context, index, true);
}

static void count(void *context, unsigned index)
{
	struct litmus *litmus = context;

	(void)index;
	interleave_read_modify_write(&litmus->x, 8, INTERLEAVE_ADD, 1);
}

enum { SEQUENTIAL = 1 << INTERLEAVE_SEQUENTIAL, ORDERED = 1 << INTERLEAVE_ORDERED, REORDERED = 1 << INTERLEAVE_REORDERED };

const struct litmus_test litmus_tests[] = {
	{"store buffering", store_buffering, both_missed, INTERLEAVE_AS_IT_IS, ORDERED | REORDERED},
	{"store buffering, fenced", store_buffering_fenced, both_missed, INTERLEAVE_AS_IT_IS, 0},
	{"store buffering, one membarrier", store_buffering_membarrier, both_missed, INTERLEAVE_AS_IT_IS, 0},
	{"message passing", message_released, flag_without_data, INTERLEAVE_AS_IT_IS, 0},
	{"message passing, relaxed", message_relaxed, flag_without_data, INTERLEAVE_AS_IT_IS, REORDERED},
	{"message passing, its release made relaxed", message_released, flag_without_data, INTERLEAVE_RELAXED, REORDERED},
	{"message passing, non-temporal", message_streamed, flag_without_data, INTERLEAVE_AS_IT_IS, ORDERED | REORDERED},
	{"message passing, non-temporal, fenced", message_streamed_fenced, flag_without_data, INTERLEAVE_AS_IT_IS, 0},
	{"message passing, non-temporal, its fence left out", message_streamed_fenced, flag_without_data, INTERLEAVE_RELAXED,
	 ORDERED | REORDERED},
	{"two counts", count, lost_update, INTERLEAVE_AS_IT_IS, 0},
	{"two counts, torn", count, lost_update, INTERLEAVE_TORN, SEQUENTIAL | ORDERED | REORDERED},
	{0},
};

struct interleave_result litmus_run(const struct litmus_test *test, enum interleave_memory memory)
{
	struct litmus litmus = {0};
	struct interleave_program program = {.threads = 2, .begin = begin, .thread = test->thread, .end = test->end, .context = &litmus};
	struct interleave_options options = {.memory = memory, .mutant = test->mutant};

	return interleave_run(&program, &options, prepare);
}
