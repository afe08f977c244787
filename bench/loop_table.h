/* The loops of one queue, each by message class, and the table of them. The including file has the queue's table as `target_table`, or will
 * have it further down: a plug-in's comes after this. */
#ifndef BENCH_LOOP_TABLE_H
#define BENCH_LOOP_TABLE_H

#include "loops.h"
#include "target.h"

#ifdef __cplusplus
extern "C" { /* for their names alone, by which the object code is read */
#endif

/* What a queue is never used for is left empty: whether both its ends belong to one thread is known here. */
#define LOOPS(size_class, size)                                                                                        \
	LOOP void loop_produce_##size(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t start) \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_produce(plan, account, start, size_class);                                                \
	}                                                                                                              \
	LOOP void loop_consume_##size(const struct endpoint_plan *plan, struct endpoint_account *account)              \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_consume(plan, account, size_class);                                                       \
	}                                                                                                              \
	LOOP void loop_both_##size(const struct endpoint_plan *out, struct endpoint_account *sent,                     \
				   const struct endpoint_plan *in, struct endpoint_account *received, uint64_t start)  \
	{                                                                                                              \
		if (target_table.traits.one_thread)                                                                    \
			loop_both(out, sent, in, received, start, size_class);                                         \
	}                                                                                                              \
	LOOP void loop_ping_##size(const struct endpoint_plan *out, struct endpoint_account *sent,                     \
				   const struct endpoint_plan *in, struct endpoint_account *received, uint64_t start)  \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_ping(out, sent, in, received, start, size_class);                                         \
	}                                                                                                              \
	LOOP void loop_pong_##size(const struct endpoint_plan *out, struct endpoint_account *sent,                     \
				   const struct endpoint_plan *in, struct endpoint_account *received)                  \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_pong(out, sent, in, received, size_class);                                                \
	}

LOOPS(MESSAGE_8, 8)
LOOPS(MESSAGE_24, 24)
LOOPS(MESSAGE_64, 64)
LOOPS(MESSAGE_ANY, any)

#ifdef __cplusplus
}
#endif

#define LOOP_ROW(name) {loop_##name##_8, loop_##name##_24, loop_##name##_64, loop_##name##_any}

/* What a struct target holds. */
#define LOOP_TABLE                                      \
	{                                               \
		.queue = &target_table,                 \
		.produce = LOOP_ROW(produce),           \
		.consume = LOOP_ROW(consume),           \
		.both = LOOP_ROW(both),                 \
		.ping = LOOP_ROW(ping),                 \
		.pong = LOOP_ROW(pong),                 \
	}

#endif
