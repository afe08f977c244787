/* The loops of one queue, and the table of them. The including file has the queue's table as `target_table`, or will
 * have it further down: a plug-in's comes after this. */
#ifndef BENCH_LOOP_TABLE_H
#define BENCH_LOOP_TABLE_H

#include "loops_many.h"
#include "loops_open.h"
#include "target.h"

#ifdef __cplusplus
extern "C" { /* for their names alone, by which the object code is read */
#endif

/* What a queue is never used for is left empty: that is known here. */
enum loop_use { USED_BY_ONE_THREAD, USED_BY_TWO, USED_TO_AND_FRO, USED_TO_PASS_ON, USED_ON_TIME, USED_BY_MANY };

QUEUE_INLINE bool loop_is_used(enum loop_use use)
{
	const struct queue_traits *traits = &target_table.traits;
	bool spsc = traits->producers_max == 1 && traits->consumers_max == 1;

	if (use == USED_BY_ONE_THREAD || traits->one_thread)
		return use == USED_BY_ONE_THREAD && traits->one_thread;
	if (use == USED_BY_TWO || traits->own_batch_bytes)
		return use == USED_BY_TWO;
	return use == USED_TO_AND_FRO || (!traits->lossy && (use == USED_TO_PASS_ON || use == USED_ON_TIME || !spsc));
}

QUEUE_INLINE bool loop_takes_size(enum message_class size_class)
{
	const struct queue_traits *traits = &target_table.traits;
	size_t size = size_class == MESSAGE_8 ? 8 : size_class == MESSAGE_24 ? 24 : 64;

	return size_class == MESSAGE_ANY || (size >= traits->message_min && size <= traits->message_max);
}

/* Of a queue that calls functions for each message, the general loop stands for those of each size: it takes some 3 ns more at either end
 * (a virtual EPYC at 3 GHz), which a batch's messages must not be charged with, and no peer's either. */
QUEUE_INLINE bool loop_knows_sizes(void)
{
	return !target_table.traits.calls_in_loop || target_table.traits.batches || target_table.traits.role == QUEUE_PEER;
}

#define LOOP_OF(use, name, size_class, size, parameters, ...)           \
	LOOP void loop_##name##_##size parameters                       \
	{                                                               \
		if (!loop_is_used(use) || !loop_takes_size(size_class)) \
			return;                                         \
		if (size_class != MESSAGE_ANY && !loop_knows_sizes())   \
			loop_##name##_any(__VA_ARGS__);                 \
		else                                                    \
			loop_##name(__VA_ARGS__, size_class);           \
	}

#define LOOP_ONE const struct endpoint_plan *plan, struct endpoint_account *account
#define LOOP_TWO                                                                                               \
	const struct endpoint_plan *out, struct endpoint_account *sent, const struct endpoint_plan *in,        \
		struct endpoint_account *received

#define LOOPS(size_class, size)                                                                                \
	LOOP_OF(USED_BY_TWO, produce, size_class, size, (LOOP_ONE, uint64_t start), plan, account, start) \
	LOOP_OF(USED_BY_TWO, consume, size_class, size, (LOOP_ONE), plan, account) \
	LOOP_OF(USED_BY_MANY, consume_many, size_class, size, (LOOP_ONE, uint64_t start), plan, account, start) \
	LOOP_OF(USED_BY_ONE_THREAD, both, size_class, size, (LOOP_TWO, uint64_t start), out, sent, in, received, start)

/* The longest ones, which take most of the time that a queue takes to compile: of fewer sizes. */
#define LOOPS_LONG(size_class, size)                                                                           \
	LOOP_OF(USED_TO_PASS_ON, relay, size_class, size, (LOOP_TWO), out, sent, in, received)                 \
	LOOP_OF(USED_TO_AND_FRO, ping, size_class, size, (LOOP_TWO, uint64_t start), out, sent, in, received, start) \
	LOOP_OF(USED_TO_AND_FRO, pong, size_class, size, (LOOP_TWO), out, sent, in, received)

LOOPS(MESSAGE_ANY, any)
LOOPS(MESSAGE_8, 8)
LOOPS(MESSAGE_24, 24)
LOOPS(MESSAGE_64, 64)
LOOPS_LONG(MESSAGE_ANY, any)
LOOPS_LONG(MESSAGE_8, 8)
LOOPS_LONG(MESSAGE_64, 64)
/* Under an open load, the clock is read before each message, which takes longer than what these loops lose by knowing no size. */
LOOP_OF(USED_ON_TIME, produce_open, MESSAGE_ANY, any, (LOOP_ONE, uint64_t start), plan, account, start)
LOOP_OF(USED_TO_AND_FRO, ping_open, MESSAGE_ANY, any, (LOOP_TWO, uint64_t start), out, sent, in, received, start)

#ifdef __cplusplus
}
#endif

#define LOOP_ROW(name) {loop_##name##_8, loop_##name##_24, loop_##name##_64, loop_##name##_any}
#define LOOP_ROW_LONG(name) {loop_##name##_8, loop_##name##_any, loop_##name##_64, loop_##name##_any}

/* What a struct target holds. */
#define LOOP_TABLE                                      \
	{                                               \
		.queue = &target_table,                 \
		.produce = LOOP_ROW(produce),           \
		.consume = LOOP_ROW(consume),           \
		.consume_many = LOOP_ROW(consume_many), \
		.both = LOOP_ROW(both),                 \
		.relay = LOOP_ROW_LONG(relay),          \
		.ping = LOOP_ROW_LONG(ping),            \
		.pong = LOOP_ROW_LONG(pong),            \
		.produce_open = loop_produce_open_any,  \
		.ping_open = loop_ping_open_any,        \
	}

#endif
