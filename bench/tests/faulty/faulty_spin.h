/* The spinlock's ring with something wrong in the place of read_span: a faulty queue for several ends. */
#ifndef BENCH_TESTS_FAULTY_SPIN_H
#define BENCH_TESTS_FAULTY_SPIN_H

#define FAULTY_OF "locked/spin.c"
#include "faulty.h"

/* Whether the message fares ill: one in FAULTY_EVERY of each producer's measured ones. */
static inline bool faulty_is_chosen(const void *slot)
{
	return faulty_is_measured(slot) && message_sequence(faulty_header(slot)) % FAULTY_EVERY == 0;
}

#define FAULTY_SPIN(symbol, its_name, its_summary, its_read_span)                                                      \
	FAULTY_TABLE(symbol, its_name, its_summary,                                                                    \
		     .traits = {.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,       \
				.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,                    \
				.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL, .batches = true},   \
		     .footprint = spin_footprint, .create = spin_create, .destroy = locked_destroy,                    \
		     .producer = locked_producer, .consumer = locked_consumer, .prewrite_span = locked_prewrite_span,  \
		     .flush = spin_flush, .preread = spin_preread, .read_span = its_read_span)

#endif
