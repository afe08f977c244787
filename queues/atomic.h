/* Atomic accesses to integers and pointers of at most a word, over the compiler's __atomic builtins, so that the same
 * file compiles as C and as C++. The order is in the name; every acquire and every release bears a label of its pair where it is used. */
#ifndef QUEUES_ATOMIC_H
#define QUEUES_ATOMIC_H

#define load_relaxed(address) __atomic_load_n(address, __ATOMIC_RELAXED)
#define load_acquire(address) __atomic_load_n(address, __ATOMIC_ACQUIRE)
#define store_relaxed(address, value) __atomic_store_n(address, value, __ATOMIC_RELAXED)
#define store_release(address, value) __atomic_store_n(address, value, __ATOMIC_RELEASE)
#define exchange_acquire(address, value) __atomic_exchange_n(address, value, __ATOMIC_ACQUIRE)
#define exchange_acq_rel(address, value) __atomic_exchange_n(address, value, __ATOMIC_ACQ_REL)
#define fetch_add_relaxed(address, value) __atomic_fetch_add(address, value, __ATOMIC_RELAXED)
#define fetch_add_acq_rel(address, value) __atomic_fetch_add(address, value, __ATOMIC_ACQ_REL)
#define fetch_or_acq_rel(address, bits) __atomic_fetch_or(address, bits, __ATOMIC_ACQ_REL)
#define fetch_and_acq_rel(address, bits) __atomic_fetch_and(address, bits, __ATOMIC_ACQ_REL)
#define fetch_and_acquire(address, bits) __atomic_fetch_and(address, bits, __ATOMIC_ACQUIRE)

/* Replaces *address by desired where it equals *expected, else puts what it found into *expected. True: replaced. */
#define compare_exchange_acq_rel(address, expected, desired)                                                           \
	__atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)

/* One order for all of them: where a store must come before a later load of something else, or two readers must agree on what came
 * first. */
#define load_seq_cst(address) __atomic_load_n(address, __ATOMIC_SEQ_CST)
#define store_seq_cst(address, value) __atomic_store_n(address, value, __ATOMIC_SEQ_CST)
#define fetch_add_seq_cst(address, value) __atomic_fetch_add(address, value, __ATOMIC_SEQ_CST)
#define fetch_or_seq_cst(address, value) __atomic_fetch_or(address, value, __ATOMIC_SEQ_CST)
#define compare_exchange_seq_cst(address, expected, desired)                                                           \
	__atomic_compare_exchange_n(address, expected, desired, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

/* Tells the core that this is a wait loop. */
static inline __attribute__((always_inline)) void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ __volatile__("isb" ::: "memory");
#endif
}

#endif
