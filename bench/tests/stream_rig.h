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
	struct arrivals arrivals;
	uint64_t intended[STREAM_STAMPS], handled[STREAM_STAMPS], start;
	unsigned measuring; /* how often the first producer said that it measures */
};

/* One queue of 64 messages (what is bounded), its endpoints planned for so many measured messages without warm-up, with a look at
 * the clock for each batch and a stamp for each message. The clock is the system's: one for all CPUs. Allocated; fails the test
 * where that can't be. */
struct stream_rig *stream_rig_open(const struct queue *queue, size_t message_bytes, size_t batch, uint64_t messages,
				   unsigned producer);
void stream_rig_close(struct stream_rig *rig);

/* Has its messages come by a schedule: constant arrivals or bursts, or Poisson ones, of so many a second; and, where work_steps is not 0,
 * has each worked on. */
void stream_rig_open_load(struct stream_rig *rig, uint64_t rate_per_s, uint64_t burst, bool poisson, uint64_t work_steps);

/* What must hold of a stream that was produced and consumed rightly. */
void stream_rig_check(const struct stream_rig *rig);

#endif
