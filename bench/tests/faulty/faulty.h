/* A queue that is right, its table set aside: FAULTY_OF is its file. A faulty queue puts something wrong in the place of one of its
 * operations. */
#ifndef BENCH_TESTS_FAULTY_H
#define BENCH_TESTS_FAULTY_H

#include <string.h>

#include "queue.h"

#pragma push_macro("QUEUE_TABLE")
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) static const struct queue right_##symbol __attribute__((unused))
#include FAULTY_OF
#pragma pop_macro("QUEUE_TABLE")

#include "message.h"

enum { FAULTY_EVERY = 997 }; /* prime: it comes round to each place in a batch */

static inline uint64_t faulty_header(const void *slot)
{
	uint64_t header;

	memcpy(&header, slot, sizeof(header));
	return header;
}

/* Only messages of the measured phase fare ill: without the last one, no trial would end. */
static inline bool faulty_is_measured(const void *slot)
{
	return message_phase(faulty_header(slot)) == PHASE_MEASURED;
}

/* …: its traits and its operations */
#define FAULTY_TABLE(symbol, its_name, its_summary, ...)                                                               \
	QUEUE_TABLE(symbol) = {                                                                                        \
		.contract = QUEUE_CONTRACT, .name = its_name, .summary = its_summary, .source = "a test", __VA_ARGS__, \
	}

#endif
