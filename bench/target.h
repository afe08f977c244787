/* A queue with its measured loops, compiled together. */
#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

#include "endpoint.h"
#include "message.h"

struct target {
	const struct queue *queue;
	/* each by message class; start: the common instant, in ticks */
	void (*produce[MESSAGE_CLASSES])(const struct endpoint_plan *, struct endpoint_account *, uint64_t start);
	void (*consume[MESSAGE_CLASSES])(const struct endpoint_plan *, struct endpoint_account *);
	void (*consume_many[MESSAGE_CLASSES])(const struct endpoint_plan *, struct endpoint_account *, uint64_t start);
	void (*both[MESSAGE_CLASSES])(const struct endpoint_plan *out, struct endpoint_account *sent,
				      const struct endpoint_plan *in, struct endpoint_account *received, uint64_t start);
	void (*relay[MESSAGE_CLASSES])(const struct endpoint_plan *out, struct endpoint_account *sent,
				       const struct endpoint_plan *in, struct endpoint_account *received);
	void (*ping[MESSAGE_CLASSES])(const struct endpoint_plan *out, struct endpoint_account *sent,
				      const struct endpoint_plan *in, struct endpoint_account *received, uint64_t start);
	void (*pong[MESSAGE_CLASSES])(const struct endpoint_plan *out, struct endpoint_account *sent,
				      const struct endpoint_plan *in, struct endpoint_account *received);
	/* of an open load, for messages of any class */
	void (*produce_open)(const struct endpoint_plan *, struct endpoint_account *, uint64_t start);
	void (*ping_open)(const struct endpoint_plan *out, struct endpoint_account *sent,
			  const struct endpoint_plan *in, struct endpoint_account *received, uint64_t start);
};

/* The target of that queue's or peer's name, or NULL. */
const struct target *target_find(const char *name);

#endif
