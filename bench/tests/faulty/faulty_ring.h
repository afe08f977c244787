/* The ring with something wrong in the place of preread or read_span. */
#ifndef BENCH_TESTS_FAULTY_RING_H
#define BENCH_TESTS_FAULTY_RING_H

#define FAULTY_OF "spsc/ring.c"
#include "faulty.h"

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

#define FAULTY_RING(symbol, its_name, its_summary, its_preread, its_read_span)                                         \
	FAULTY_RING_OF(symbol, its_name, its_summary, ring_create, ring_flush, its_preread, its_read_span)

#define FAULTY_RING_OF(symbol, its_name, its_summary, its_create, its_flush, its_preread, its_read_span)               \
	FAULTY_TABLE(symbol, its_name, its_summary, .traits = {.role = QUEUE_ORDINARY, RING_TRAITS, .in_place = true}, \
		     .footprint = ring_footprint, .create = its_create, .destroy = ring_destroy,                       \
		     .producer = ring_producer, .consumer = ring_consumer, .prewrite_span = ring_prewrite_span,        \
		     .flush = its_flush, .preread = its_preread, .read_span = its_read_span)

#endif
