/* The ring, right as it is, with its table set aside: a faulty queue puts something wrong in the place of preread or
 * read_span. */
#ifndef BENCH_TESTS_FAULTY_RING_H
#define BENCH_TESTS_FAULTY_RING_H

#include <string.h>

#include "queue.h"

#pragma push_macro("QUEUE_TABLE")
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) static const struct queue right_##symbol __attribute__((unused))
#include "spsc/ring.c"
#pragma pop_macro("QUEUE_TABLE")

#include "message.h"

enum { FAULTY_EVERY = 997 }; /* prime: it comes round to each place in a batch */

/* Whether the next message is the one in FAULTY_EVERY that fares ill. */
static inline bool faulty_is_next(const struct reader *reader)
{
	return reader->read % FAULTY_EVERY == FAULTY_EVERY - 1;
}

/* `max`, or fewer, so that a span ends before a message that fares ill. */
static inline size_t faulty_span(const struct reader *reader, size_t max)
{
	size_t left = FAULTY_EVERY - 1 - reader->read % FAULTY_EVERY;

	return left && left < max ? left : max;
}

/* Only messages of the measured phase fare ill: without the last one, no trial would end. */
static inline bool faulty_is_measured(const void *slot)
{
	uint64_t header;

	memcpy(&header, slot, sizeof(header));
	return message_phase(header) == PHASE_MEASURED;
}

#define FAULTY_QUEUE(symbol, its_name, its_summary, its_preread, its_read_span)                                        \
	FAULTY_QUEUE_OF(symbol, its_name, its_summary, ring_create, ring_flush, its_preread, its_read_span)

#define FAULTY_QUEUE_OF(symbol, its_name, its_summary, its_create, its_flush, its_preread, its_read_span)              \
	QUEUE_TABLE(symbol) = {                                                                                        \
		.contract = QUEUE_CONTRACT,                                                                            \
		.name = its_name,                                                                                      \
		.summary = its_summary,                                                                                \
		.source = "a test",                                                                                    \
		.traits = {                                                                                            \
			.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,           \
			.bounded = true, .capacity_min = 1,                                                            \
			.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,                            \
			.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,                                       \
			.batches = true, .in_place = true,                                                             \
		},                                                                                                     \
		.footprint = ring_footprint,                                                                           \
		.create = its_create,                                                                                  \
		.destroy = ring_destroy,                                                                               \
		.producer = ring_producer,                                                                             \
		.consumer = ring_consumer,                                                                             \
		.prewrite_span = ring_prewrite_span,                                                                   \
		.flush = its_flush,                                                                                    \
		.preread = its_preread,                                                                                \
		.read_span = its_read_span,                                                                            \
	}

#endif
