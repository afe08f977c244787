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

/* A sealed line: 64 bytes that are written whole, without being fetched first, and of which a reader can tell that it sees all of them.
 * A line may reach memory in pieces, in any order, but each single store arrives as one: each of them bears the seal, a word, at its
 * end. (That an aligned store of 16 bytes does is promised by the makers of processors that have AVX; of the wider ones it is what they
 * do.) Without such stores, one seal is written behind all words. */
#if STREAM_X86 && defined(__AVX512F__)
#define STREAM_PIECE 8
#elif STREAM_X86 && defined(__AVX2__)
#define STREAM_PIECE 4
#elif STREAM_X86
#define STREAM_PIECE 2
#else
#define STREAM_PIECE 8
#endif

enum {
	STREAM_LINE = 8,                                      /* words */
	STREAM_PIECES = STREAM_LINE / STREAM_PIECE,
	STREAM_PAYLOAD = STREAM_LINE - STREAM_PIECES,         /* words of a line that are not seals */
};

/* Writes STREAM_PAYLOAD words from `from`, of which STREAM_LINE may be read, to a line's address. A release, for who sees the seals, of
 * these words and nothing else: other stores may be seen before the line or after it. */
QUEUE_INLINE void stream_seal_line(uint64_t *line, const uint64_t *from, uint64_t seal)
{
#if STREAM_X86 && defined(__AVX512F__)
	__m512i words = _mm512_loadu_si512(from);

	_mm512_stream_si512((__m512i *)(void *)line, _mm512_mask_set1_epi64(words, 0x80, (long long)seal));
#elif STREAM_X86 && defined(__AVX2__)
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)from);
	__m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(from + STREAM_PIECE - 1));
	__m256i seals = _mm256_set1_epi64x((long long)seal);

	_mm256_stream_si256((__m256i *)(void *)line, _mm256_blend_epi32(low, seals, 0xc0));
	_mm256_stream_si256((__m256i *)(void *)(line + STREAM_PIECE), _mm256_blend_epi32(high, seals, 0xc0));
#elif STREAM_X86
	for (size_t i = 0; i < STREAM_PIECES; i++)
		_mm_stream_si128((__m128i *)(void *)(line + i * STREAM_PIECE), _mm_set_epi64x((long long)seal, (long long)from[i]));
#else
	copy_messages(line, from, STREAM_PAYLOAD);
	store_release(line + STREAM_PAYLOAD, seal);
#endif
}

/* The first piece's seal. An acquire, of that piece. */
QUEUE_INLINE uint64_t stream_line_seal(const uint64_t *line)
{
	return load_acquire(line + STREAM_PIECE - 1);
}

/* Whether the other pieces bear the same seal. An acquire of all the line, with the one before. */
QUEUE_INLINE bool stream_line_is_whole(const uint64_t *line, uint64_t seal)
{
	uint64_t differs = 0;

	for (size_t i = 1; i < STREAM_PIECES; i++)
		differs |= load_acquire(line + (i + 1) * STREAM_PIECE - 1) ^ seal;
	return !differs;
}

/* The line's words without the seals to `to`, where STREAM_LINE may be written. */
QUEUE_INLINE void stream_unseal_line(uint64_t *to, const uint64_t *line)
{
	for (size_t i = 0; i < STREAM_PIECES; i++)
		copy_messages(to + i * (STREAM_PIECE - 1), line + i * STREAM_PIECE, STREAM_PIECE);
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
