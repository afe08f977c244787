/* In place of queues/atomic.h, copy.h and membarrier.h where a queue is to be interleaved: each access is a step of interleave.h. */
#ifndef QUEUES_TESTS_INTERLEAVE_ATOMIC_H
#define QUEUES_TESTS_INTERLEAVE_ATOMIC_H

#define QUEUES_ATOMIC_H
#define QUEUES_COPY_H
#define QUEUES_MEMBARRIER_H
#define STREAM_PLAIN /* stream.h: no stores that are no steps */
#define STREAM_WORDS interleave_stream
#define STREAM_FENCE interleave_fence
#define STREAM_WHOLE 16 /* one message: all go by stores that no release orders */
#define STREAM_LARGE 16

#include "interleave.h"
#include "queue.h"
#include "stage.h"

#define INTERLEAVE_VALUE(address, value) ((__typeof__(*(address) + 0))(value))
#define INTERLEAVE_BITS(address, value) ((uint64_t)INTERLEAVE_VALUE(address, value))
#define INTERLEAVE_LOAD(address) INTERLEAVE_VALUE(address, interleave_load(address, sizeof(*(address))))
/* a statement's value: it need not be used */
#define INTERLEAVE_UPDATE(address, update, value)                                                                      \
	__extension__({ INTERLEAVE_VALUE(address, interleave_read_modify_write(address, sizeof(*(address)),            \
									       INTERLEAVE_##update,                    \
									       INTERLEAVE_BITS(address, value))); })

#define load_relaxed(address) INTERLEAVE_LOAD(address)
#define load_acquire(address) INTERLEAVE_LOAD(address)
#define store_relaxed(address, value)                                                                                  \
	interleave_store(address, sizeof(*(address)), INTERLEAVE_BITS(address, value), INTERLEAVE_PLAIN_ACCESS)
#define store_release(address, value)                                                                                  \
	interleave_store(address, sizeof(*(address)), INTERLEAVE_BITS(address, value), INTERLEAVE_RELEASE)
#define exchange_acquire(address, value) INTERLEAVE_UPDATE(address, EXCHANGE, value)
#define exchange_acq_rel(address, value) INTERLEAVE_UPDATE(address, EXCHANGE, value)
#define fetch_add_relaxed(address, value) INTERLEAVE_UPDATE(address, ADD, value)
#define fetch_add_acq_rel(address, value) INTERLEAVE_UPDATE(address, ADD, value)
#define compare_exchange_acq_rel(address, expected, desired)                                                           \
	interleave_compare_exchange(address, sizeof(*(address)), expected, INTERLEAVE_BITS(address, desired))
#define fetch_or_acq_rel(address, bits) INTERLEAVE_UPDATE(address, OR, bits)
#define fetch_and_acquire(address, bits) INTERLEAVE_UPDATE(address, AND, bits)
#define load_seq_cst(address) INTERLEAVE_LOAD(address)
#define store_seq_cst(address, value) (store_release(address, value), interleave_fence())
#define fetch_add_seq_cst(address, value) INTERLEAVE_UPDATE(address, ADD, value)
#define fetch_or_seq_cst(address, value) INTERLEAVE_UPDATE(address, OR, value)
#define compare_exchange_seq_cst(address, expected, desired) compare_exchange_acq_rel(address, expected, desired)

static inline void cpu_relax(void)
{
}

/* As membarrier.h has it. */
static inline bool membarrier_register(void)
{
	return true;
}

static inline bool membarrier_all(void)
{
	interleave_drain_all();
	return true;
}

#define membarrier_here() ((void)0)

/* As stage.h has it: a stage's messages are one endpoint's. */
static inline bool interleave_stage_open(struct stage *stage, const struct queue_config *config, size_t room)
{
	if (!stage_open(stage, config, room))
		return false;
	interleave_own(stage->messages, room * stage->stride);
	return true;
}

#define stage_open interleave_stage_open

/* As copy.h has it, a word at a time; one of the two is a stage of the endpoint's own, but which is not known here, unless it is stage.h's. */
static inline void copy_messages(void *to, const void *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		interleave_store((uint64_t *)to + i, 8, interleave_load((const uint64_t *)from + i, 8), INTERLEAVE_PLAIN_ACCESS);
}

/* As stream.h's non-temporal stores; the fence behind them is a step of its own. */
static inline void interleave_stream(void *to, const void *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		interleave_store((uint64_t *)to + i, 8, interleave_load((const uint64_t *)from + i, 8), INTERLEAVE_NON_TEMPORAL);
}

#endif
