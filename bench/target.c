/* One queue and its measured loops. Compiled once per line of queues.def, with TARGET_FILE (the queue's file) and TARGET (the
 * name of what it exports). */
#define QUEUE_TABLE(symbol) static const struct queue target_table
#include TARGET_FILE

#include "loops.h"
#include "target.h"

/* What a queue is never used for is left empty: whether both its ends belong to one thread is known here. */
#define LOOPS(class, size)                                                                                             \
	LOOP void loop_produce_##size(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t start) \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_produce(plan, account, start, class);                                                     \
	}                                                                                                              \
	LOOP void loop_consume_##size(const struct endpoint_plan *plan, struct endpoint_account *account)              \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_consume(plan, account, class);                                                            \
	}                                                                                                              \
	LOOP void loop_both_##size(const struct endpoint_plan *out, struct endpoint_account *sent,                     \
				   const struct endpoint_plan *in, struct endpoint_account *received, uint64_t start)  \
	{                                                                                                              \
		if (target_table.traits.one_thread)                                                                    \
			loop_both(out, sent, in, received, start, class);                                              \
	}                                                                                                              \
	LOOP void loop_ping_##size(const struct endpoint_plan *out, struct endpoint_account *sent,                     \
				   const struct endpoint_plan *in, struct endpoint_account *received, uint64_t start)  \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_ping(out, sent, in, received, start, class);                                              \
	}                                                                                                              \
	LOOP void loop_pong_##size(const struct endpoint_plan *out, struct endpoint_account *sent,                     \
				   const struct endpoint_plan *in, struct endpoint_account *received)                  \
	{                                                                                                              \
		if (!target_table.traits.one_thread)                                                                   \
			loop_pong(out, sent, in, received, class);                                                     \
	}

LOOPS(MESSAGE_8, 8)
LOOPS(MESSAGE_24, 24)
LOOPS(MESSAGE_64, 64)
LOOPS(MESSAGE_ANY, any)

#define LOOP_ROW(name) {loop_##name##_8, loop_##name##_24, loop_##name##_64, loop_##name##_any}

extern const struct target TARGET;
const struct target TARGET = {
	.queue = &target_table,
	.produce = LOOP_ROW(produce),
	.consume = LOOP_ROW(consume),
	.both = LOOP_ROW(both),
	.ping = LOOP_ROW(ping),
	.pong = LOOP_ROW(pong),
};
