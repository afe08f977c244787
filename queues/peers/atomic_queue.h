/* The atomic_queue library of M. Egorushkin. Its file says whether there is one producer and one consumer, and whether its operations are
 * those that claim a place and wait for it ("optimist"), or those that look first:
 *
 *	ATOMIC_QUEUE_SPSC, ATOMIC_QUEUE_OPTIMIST
 *
 * A word that is 0 is a free place; beside records lies a byte of state for each. The template's switches are those that its author's
 * benchmarks advise: for many, neighbours lie in lines of their own (MINIMIZE_CONTENTION) and who waits looks before it tries
 * (MAXIMIZE_THROUGHPUT); for one and one, neither. The capacity is part of the type: the powers of two from 1024 to 65536. Which of these it
 * is is asked at each message, by a branch that goes the same way each time. */
#include <atomic_queue/atomic_queue.h>

#define PEER_BATCHES false
#define PEER_NATIVE ATOMIC_QUEUE_OPTIMIST
#include "peer_cxx.h"

enum { ATOMIC_QUEUE_LEAST = 1024, ATOMIC_QUEUE_MOST = 65536 };

#define ATOMIC_QUEUE_SWITCHES !ATOMIC_QUEUE_SPSC, !ATOMIC_QUEUE_SPSC, false, ATOMIC_QUEUE_SPSC

#if PEER_BYTES == 8
typedef uint64_t element;
template <unsigned size> using elements_of = atomic_queue::AtomicQueue<element, size, 0, ATOMIC_QUEUE_SWITCHES>;
#else
typedef struct peer_record element;
template <unsigned size> using elements_of = atomic_queue::AtomicQueue2<element, size, ATOMIC_QUEUE_SWITCHES>;
#endif

/* Calls `use` with the elements, as what they are. */
#define ATOMIC_QUEUE_CASE(size)                                                                                        \
	case size:                                                                                                     \
		return use(static_cast<elements_of<size> *>(elements))
template <class function> QUEUE_INLINE auto atomic_queue_use(void *elements, size_t capacity, function use)
{
	switch (capacity) {
		ATOMIC_QUEUE_CASE(1024);
		ATOMIC_QUEUE_CASE(2048);
		ATOMIC_QUEUE_CASE(4096);
		ATOMIC_QUEUE_CASE(8192);
		ATOMIC_QUEUE_CASE(16384);
		ATOMIC_QUEUE_CASE(32768);
	default:
		return use(static_cast<elements_of<ATOMIC_QUEUE_MOST> *>(elements));
	}
}

struct peer_queue {
	void *elements;
	size_t capacity;

	explicit peer_queue(size_t capacity_given) : elements(nullptr), capacity(capacity_given)
	{
		atomic_queue_use(nullptr, capacity, [this](auto *none) { elements = new std::remove_pointer_t<decltype(none)>; });
	}
	~peer_queue()
	{
		atomic_queue_use(elements, capacity, [](auto *made) { delete made; });
	}
};

#define ATOMIC_QUEUE_DO(endpoint, operation)                                                                           \
	atomic_queue_use((endpoint)->queue->elements, (endpoint)->queue->capacity,                                     \
			 [&](auto *queue) __attribute__((always_inline)) { return queue->operation; })

static int peer_bytes(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, sizeof(element) + 1, sizeof(peer_queue) + 1024, bytes);
}

static peer_queue *peer_open(const struct queue_config *config)
{
	return peer_new<peer_queue>(config->capacity);
}

QUEUE_INLINE size_t peer_push(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	return ATOMIC_QUEUE_DO(endpoint, try_push(*(const element *)messages));
}

QUEUE_INLINE size_t peer_pop(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	return ATOMIC_QUEUE_DO(endpoint, try_pop(*(element *)messages));
}

#if PEER_NATIVE
QUEUE_INLINE size_t peer_push_wait(struct peer_endpoint *endpoint, const void *messages, size_t n)
{
	(void)n;
	ATOMIC_QUEUE_DO(endpoint, push(*(const element *)messages));
	return 1;
}

QUEUE_INLINE size_t peer_pop_wait(struct peer_endpoint *endpoint, void *messages, size_t n)
{
	(void)n;
	*(element *)messages = ATOMIC_QUEUE_DO(endpoint, pop());
	return 1;
}
#endif

#define ATOMIC_QUEUE_SOURCE "M. Egorushkin, atomic_queue, " PEER_VERSION

/* Its README calls it a FIFO queue. A thread that has claimed a place and loses its CPU holds up whoever comes to that place. */
#define ATOMIC_QUEUE_TRAITS                                                                                            \
	.role = QUEUE_PEER, .shape = ATOMIC_QUEUE_SPSC ? QUEUE_SPSC : QUEUE_MPMC, .producers_max = ATOMIC_QUEUE_SPSC,  \
	.consumers_max = ATOMIC_QUEUE_SPSC, .bounded = true, .capacity_min = ATOMIC_QUEUE_LEAST,                       \
	.capacity_max = ATOMIC_QUEUE_MOST, .capacity_power_of_two = true, PEER_MESSAGES, .progress = QUEUE_WAITS_FOR_PREEMPTED, \
	.order = QUEUE_ORDER_TOTAL, .blocks_natively = PEER_NATIVE
