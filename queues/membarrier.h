/* membarrier(2): one thread's barrier in all threads of its process. The others' cost nothing but that their compiler keeps the order of
 * their accesses; whoever calls pays for all.
 *
 * ThreadSanitizer knows nothing of it: there it is as if the kernel refused.
 */
#ifndef QUEUES_MEMBARRIER_H
#define QUEUES_MEMBARRIER_H

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "queue.h"

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
#define MEMBARRIER_IS_KNOWN 0
#else
#define MEMBARRIER_IS_KNOWN 1
#endif

static QUEUE_COLD bool membarrier_call(int command)
{
	return MEMBARRIER_IS_KNOWN && syscall(SYS_membarrier, command, 0, 0) == 0;
}

/* Before the first membarrier_all(); as often as one likes. False: the kernel is too old, or a filter forbids it. */
static inline bool membarrier_register(void)
{
	return membarrier_call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
}

/* When it returns true, each thread of this process has been at a full barrier since it was called. */
static inline bool membarrier_all(void)
{
	return membarrier_call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

/* Where another thread's membarrier_all() may be a barrier: keeps the compiler from moving accesses across. */
#define membarrier_here() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#endif
