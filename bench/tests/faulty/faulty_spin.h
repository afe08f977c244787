/* The spinlock's ring, right as it is, with its table set aside: a faulty queue for several ends puts something wrong in the place of
 * read_span. */
#ifndef BENCH_TESTS_FAULTY_SPIN_H
#define BENCH_TESTS_FAULTY_SPIN_H

#include <string.h>

#include "queue.h"

#pragma push_macro("QUEUE_TABLE")
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) static const struct queue right_##symbol __attribute__((unused))
#include "locked/spin.c"
#pragma pop_macro("QUEUE_TABLE")

#include "message.h"

enum { FAULTY_EVERY = 997 };

/* Whether the message fares ill: one in FAULTY_EVERY of each producer's measured ones. */
static inline bool faulty_is_chosen(const void *slot)
{
	uint64_t header;

	memcpy(&header, slot, sizeof(header));
	return message_phase(header) == PHASE_MEASURED && message_sequence(header) % FAULTY_EVERY == 0;
}

#define FAULTY_SPIN(symbol, its_name, its_summary, its_read_span)                                                      \
	QUEUE_TABLE(symbol) = {                                                                                        \
		.contract = QUEUE_CONTRACT,                                                                            \
		.name = its_name,                                                                                      \
		.summary = its_summary,                                                                                \
		.source = "a test",                                                                                    \
		.traits = {                                                                                            \
			.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,               \
			.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,                            \
			.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL, .batches = true,            \
		},                                                                                                     \
		.footprint = spin_footprint,                                                                           \
		.create = spin_create,                                                                                 \
		.destroy = spin_destroy,                                                                               \
		.producer = spin_producer,                                                                             \
		.consumer = spin_consumer,                                                                             \
		.prewrite_span = spin_prewrite_span,                                                                   \
		.flush = spin_flush,                                                                                   \
		.preread = spin_preread,                                                                               \
		.read_span = its_read_span,                                                                            \
	}

#endif
