/* A queue, its two endpoints and all that their loops are given, without a trial's process around it. */
#ifndef BENCH_TESTS_STREAM_RIG_H
#define BENCH_TESTS_STREAM_RIG_H

#include "endpoint.h"

enum { STREAM_STAMPS = 4096, STREAM_CAPACITY = 64 };

struct stream_rig {
	const struct queue *queue;
	void *instance;
	struct queue_memory memory;
	struct stream_shared *shared;
	struct endpoint_plan out, in;
	struct endpoint_account sent, received;
	struct stamp sent_at[STREAM_STAMPS], received_at[STREAM_STAMPS];
	unsigned measuring; /* how often the first producer said that it measures */
};

/* One queue of 64 messages (what is bounded), its endpoints planned for so many measured messages without warm-up, with a look at
 * the clock for each batch and a stamp for each message. The clock is the system's: one for all CPUs. Allocated; fails the test
 * where that can't be. */
struct stream_rig *stream_rig_open(const struct queue *queue, size_t message_bytes, size_t batch, uint64_t messages,
				   unsigned producer);
void stream_rig_close(struct stream_rig *rig);

/* What must hold of a stream that was produced and consumed rightly. */
void stream_rig_check(const struct stream_rig *rig);

#endif
