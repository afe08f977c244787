/* The contract of a queue.
 *
 * A queue moves messages of one fixed size from producer endpoints to consumer endpoints, batches first:
 *
 *	producer   prewrite_span(max, &n)  hands out n ≥ 0 free slots in a row; only the writer sees them
 *	           flush()                 publishes all that is staged, at once
 *	consumer   preread()               takes note of all that is published, and releases all that was read before
 *	           read_span(max, &n)      hands out n ≥ 0 noted messages in a row, valid until the next preread()
 *
 * One message is the case max = 1; max is never 0. None of the four ever waits; how to wait is the caller's choice (wait.h), except that a
 * queue which blocks by its own means may offer flush_wait() and preread_wait() besides.
 *
 * A queue is one file. It defines its operations as `static inline` functions, knows nothing but this header and its like,
 * never calls malloc, keeps no file-level state, and ends with its table:
 *
 *	QUEUE_TABLE(my_queue) = { .contract = QUEUE_CONTRACT, .name = "my-queue", … };
 *
 * The measured loops are compiled around that table in the same translation unit, so that each operation is inlined into them.
 * What must not be inlined (allocating, waiting, stopping) is marked QUEUE_COLD.
 *
 * Who may call what beside whom: each endpoint belongs to one thread at a time. Operations of different endpoints may run at
 * once, as far as the traits give the queue several producers or consumers. create, producer, consumer, describe and destroy are
 * called by one thread while no endpoint is in use (describe: also beside all others, for a look at a queue that hangs).
 */
#ifndef QUEUES_QUEUE_H
#define QUEUES_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "atomic.h"

#ifdef __cplusplus
#define _Static_assert static_assert /* a queue's file may be C++ as well */
#endif

/* The version of this contract; a table made for another one is refused. */
#define QUEUE_CONTRACT 1u

/* Fields of different owners lie this many bytes apart: the adjacent-line prefetcher pulls lines in pairs. */
#define QUEUE_LINE_PAIR 128

#define QUEUE_ALIGNED __attribute__((aligned(QUEUE_LINE_PAIR)))
#define QUEUE_COLD __attribute__((noinline, cold))
#define QUEUE_INLINE static inline __attribute__((always_inline))

#define queue_likely(condition) __builtin_expect(!!(condition), 1)
#define queue_unlikely(condition) __builtin_expect(!!(condition), 0)

enum {
	QUEUE_MESSAGE_MIN = 8,       /* bytes: a message begins with a word that is never 0 */
	QUEUE_MESSAGE_MAX = 1 << 20, /* bytes */
};

/* Memory for a queue. The caller of create() owns it; it outlives the queue. Both calls may be made by any thread of the
 * queue's, at once. Blocks are faulted in already. They are slow: cold paths only. */
struct queue_memory {
	/* NULL: there is no more. alignment: a power of two ≤ 4096. */
	void *(*allocate)(struct queue_memory *memory, size_t bytes, size_t alignment);
	void (*release)(struct queue_memory *memory, void *block, size_t bytes); /* bytes as asked for */
};

struct queue_config {
	size_t message_bytes;   /* within the traits' bounds */
	size_t capacity;        /* messages; 0 for an unbounded queue */
	size_t batch;           /* the most that an endpoint will stage before it flushes, ≥ 1: sizes staging buffers */
	unsigned producers, consumers;
	uint64_t counter_start; /* where free-running counters begin: tests start them just below their wrap */
	struct queue_memory *memory;
};

enum queue_shape { QUEUE_SPSC, QUEUE_MPSC, QUEUE_SPMC, QUEUE_MPMC };

enum queue_progress {
	QUEUE_WAIT_FREE,
	QUEUE_LOCK_FREE,
	QUEUE_BLOCKING,            /* sleeps in the kernel for a lock */
	QUEUE_WAITS_FOR_PREEMPTED, /* a thread that loses its CPU at a bad moment stops the others */
};

enum queue_order {
	QUEUE_ORDER_TOTAL,        /* one order for all */
	QUEUE_ORDER_PER_PRODUCER, /* what one producer wrote is read in its order */
	QUEUE_ORDER_NONE,
};

enum queue_role { QUEUE_ORDINARY, QUEUE_BASELINE, QUEUE_FLOOR, QUEUE_PEER /* somebody else's, beside which ours are measured */ };

/* What a queue is. The tool derives from it what the queue can be asked to do and what is checked of it. */
struct queue_traits {
	enum queue_role role;
	enum queue_shape shape;
	unsigned producers_max, consumers_max; /* 0: any number */
	bool bounded;
	size_t capacity_min, capacity_max;     /* messages, of a bounded queue; capacity_max 0: any */
	bool capacity_power_of_two;
	/* It may be found full while it is not: room comes back in lots. But when a preread has found nothing, a message finds room. */
	bool capacity_approximate;
	/* Messages go through a buffer of the kernel's, which does not count them: it may hold fewer than the capacity or more, but always
	 * one, and what is flushed may be seen a little later. */
	bool kernel_buffer;
	size_t message_min, message_max;       /* bytes */
	enum queue_progress progress;
	enum queue_order order;
	bool batches;          /* publishing several messages at once costs less than one by one */
	bool in_place;         /* slots are the queue's own memory: no copy on the way */
	bool lossy;            /* a message may be replaced by a newer one before it is read */
	bool multicast;        /* each consumer gets each message */
	bool blocks_natively;  /* has flush_wait and preread_wait */
	bool calls_in_loop;    /* its hot path calls functions (system calls, locks of libc) */
	bool reports_sleeper;  /* has sleep; flush tells that the reader sleeps */
	/* Each pair of a producer and a consumer has a part of the capacity to itself, at least one message: what is written is bound to
	 * one consumer, and a flush may be for any of them: wake all. */
	bool lanes;
	bool one_thread;       /* both endpoints belong to one thread: nothing is transferred */
	size_t own_batch_bytes; /* > 0: it is measured once per message size, at a batch of this many bytes and its own capacity */
};

enum queue_flush {
	QUEUE_FLUSHED,
	QUEUE_FLUSHED_READER_SLEEPS, /* flushed, and the reader is to be woken (reports_sleeper) */
	/* Part of it, or nothing, is published; the rest stays staged: flush again later. Never of queues in place. */
	QUEUE_FULL,
};

struct queue {
	unsigned contract; /* QUEUE_CONTRACT */
	const char *name;    /* as on the command line and in records */
	const char *summary; /* one line */
	const char *source;  /* whose idea: author, year */
	struct queue_traits traits;

	/* The most bytes that a queue so configured takes from its memory while at most `outstanding` messages are in it
	 * (a bounded queue ignores that). 0, −EINVAL (not within its rules), −EOVERFLOW; −ENOSYS or −EPERM where this machine does not
	 * offer what the queue rests on. */
	int (*footprint)(const struct queue_config *config, size_t outstanding, size_t *bytes);
	/* 0, −ENOMEM, or as footprint(). The instance belongs to the caller until destroy(). */
	int (*create)(const struct queue_config *config, void **instance);
	void (*destroy)(void *instance);
	void *(*producer)(void *instance, unsigned index); /* index < config.producers; belongs to the instance */
	void *(*consumer)(void *instance, unsigned index);

	/* Slots lie queue_stride(message_bytes) apart, at words' addresses; those of 8, 16, 32 or 64 bytes at multiples of that, lest one
	 * lie astride of two lines. *n = 0: no room (or no memory) now; flush and try again. What is returned then points nowhere. */
	void *(*prewrite_span)(void *producer, size_t max, size_t *n);
	enum queue_flush (*flush)(void *producer); /* nothing staged: does nothing */
	bool (*preread)(void *consumer);           /* whether read_span has something to hand out */
	const void *(*read_span)(void *consumer, size_t max, size_t *n); /* *n = 0: all that was noted is read; as above */

	/* reports_sleeper only: marks the reader asleep unless something is there that preread() has not noted. True: asleep; the
	 * flush that ends it returns QUEUE_FLUSHED_READER_SLEEPS, once. */
	bool (*sleep)(void *consumer);

	/* blocks_natively only: as flush() and preread(), but they wait until all is flushed, something is there. */
	void (*flush_wait)(void *producer);
	void (*preread_wait)(void *consumer);

	/* Its counters as one line of text, without a newline, for a queue that hangs. May be NULL. */
	void (*describe)(const void *instance, char *text, size_t size);
};

/* How far apart slots lie: the message's size, rounded up to whole words. */
static inline size_t queue_stride(size_t message_bytes)
{
	return (message_bytes + 7) & ~(size_t)7;
}

/* a × b + c into *sum; −EOVERFLOW where that does not fit. */
static inline int queue_size(size_t a, size_t b, size_t c, size_t *sum)
{
	size_t product;

	if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(product, c, sum))
		return -75; /* −EOVERFLOW, which <errno.h> may name elsewhere */
	return 0;
}

/* How a file exports its table. A measured loop redefines it, to have the table to itself. */
#ifndef QUEUE_TABLE
#define QUEUE_TABLE(symbol) const struct queue queue_##symbol
#endif

#endif
