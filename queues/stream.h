/* Copies that write lines without fetching them first: their instructions' names stay in this file. */
#ifndef QUEUES_STREAM_H
#define QUEUES_STREAM_H

#include "copy.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <immintrin.h>
#define STREAM_X86 1
#else
#define STREAM_X86 0 /* a plain copy is all that other machines, and ThreadSanitizer, get */
#endif

/* Copies whole words between places that do not overlap. All is written, and comes before any later store, when it returns. */
QUEUE_INLINE void stream_copy(void *__restrict to, const void *__restrict from, size_t words)
{
#if STREAM_X86
	uint64_t *__restrict target = (uint64_t *)to;
	const uint64_t *__restrict source = (const uint64_t *)from;

	for (; words && (uintptr_t)target % 16; words--)
		*target++ = *source++;
#if defined(__AVX__)
	for (; words >= 2 && (uintptr_t)target % 32; words -= 2, target += 2, source += 2)
		_mm_stream_si128((__m128i *)(void *)target, _mm_loadu_si128((const __m128i *)(const void *)source));
	for (; words >= 4; words -= 4, target += 4, source += 4)
		_mm256_stream_si256((__m256i *)(void *)target, _mm256_loadu_si256((const __m256i *)(const void *)source));
#endif
	for (; words >= 2; words -= 2, target += 2, source += 2)
		_mm_stream_si128((__m128i *)(void *)target, _mm_loadu_si128((const __m128i *)(const void *)source));
	copy_messages(target, source, words);
	/* F0: orders the stores above, which are weakly ordered, before the release store that publishes them. */
	_mm_sfence();
#else
	copy_messages(to, from, words);
#endif
}

/* The same by the processor's string copy, which leaves the lines in the cache and keeps the order of ordinary stores. */
QUEUE_INLINE void stream_copy_string(void *__restrict to, const void *__restrict from, size_t words)
{
#if STREAM_X86
	size_t bytes = words * sizeof(uint64_t);

	__asm__ __volatile__("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
	copy_messages(to, from, words);
#endif
}

#endif
