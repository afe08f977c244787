/* Copies that write lines without fetching them first: their instructions' names stay in this file. */
#ifndef QUEUES_STREAM_H
#define QUEUES_STREAM_H

#include "copy.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(STREAM_PLAIN)
#include <immintrin.h>
#define STREAM_X86 1
#else
#define STREAM_X86 0 /* a plain copy is all that other machines and ThreadSanitizer get */
#endif

/* The interleaver has others: stores that are steps, and so small sizes that few messages are enough. */
#ifndef STREAM_WORDS
#define STREAM_WORDS copy_messages
#if STREAM_X86
#define STREAM_FENCE _mm_sfence
#else
#define STREAM_FENCE() ((void)0)
#endif
#define STREAM_WHOLE 64   /* bytes: a line */
#define STREAM_LARGE 2048 /* bytes: below */
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
#else
	STREAM_WORDS(to, from, words);
#endif
	/* F0: orders the stores above, which are weakly ordered, before the release store that publishes them. */
	STREAM_FENCE();
}

/* The same; but lines that are not written whole, at both ends, are written by ordinary stores: what they held would have to be merged in
 * memory. */
QUEUE_INLINE void stream_copy_lines(void *__restrict to, const void *__restrict from, size_t words)
{
	unsigned char *target = (unsigned char *)to;
	const unsigned char *source = (const unsigned char *)from;
	size_t before = (STREAM_WHOLE - (uintptr_t)target % STREAM_WHOLE) % STREAM_WHOLE / 8, lines;

	if (before > words)
		before = words;
	lines = (words - before) / (STREAM_WHOLE / 8) * (STREAM_WHOLE / 8);
	copy_messages(target, source, before);
	copy_messages(target + (before + lines) * 8, source + (before + lines) * 8, words - before - lines);
	stream_copy(target + before * 8, source + before * 8, lines);
}

/* From so many bytes on: the fence costs about 230 ns. Against ordinary stores, on two cores of an AMD family 26 virtual machine that
 * share no cache, 512 bytes a flush lost by it, 1 KiB came out even and 4 KiB was 2.2 times as fast. */
enum { STREAM_LARGE_BYTES = STREAM_LARGE };

/* The same where that is worth the fence; fewer bytes by ordinary stores. */
QUEUE_INLINE void stream_copy_large(void *__restrict to, const void *__restrict from, size_t words)
{
	if (words * 8 >= STREAM_LARGE_BYTES)
		stream_copy_lines(to, from, words); /* comes before any later store when it returns: F0 */
	else
		copy_messages(to, from, words);
}

/* The same as stream_copy() by the processor's string copy, which leaves the lines in the cache and keeps the order of ordinary stores. */
QUEUE_INLINE void stream_copy_string(void *__restrict to, const void *__restrict from, size_t words)
{
#if STREAM_X86
	size_t bytes = words * sizeof(uint64_t);

	__asm__ __volatile__("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
	copy_messages(to, from, words);
#endif
}

/* A counter that steps evenly, of no unit in particular; 0 where there is none. It is read neither before what stands before it, nor after
 * what stands behind it. */
QUEUE_INLINE uint64_t stream_ticks(void)
{
#if STREAM_X86
	uint64_t ticks;

	_mm_lfence();
	ticks = __rdtsc();
	_mm_lfence();
	return ticks;
#elif defined(__aarch64__) && !defined(STREAM_PLAIN)
	uint64_t ticks;

	__asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks) : : "memory");
	return ticks;
#else
	return 0;
#endif
}

/* A sealed line: 64 bytes that are written whole, without being fetched first, and of which a reader can tell that it sees all of them.
 * Such a line is two stores of 32 bytes, which may become visible in either order, long after others or long before; but each of them
 * becomes visible as one, and bears the seal in its last 4 bytes. (That an aligned access of 16 bytes is one is promised by the makers of
 * processors that have AVX; that those of 32 bytes are is what they do. A line is read by such accesses as well.) Word 3, whose upper
 * half the first seal would hide, has that half in front of the second. Where there are no such stores, a line is written by ordinary ones,
 * and its one seal released behind them. */
#if STREAM_X86 && defined(__AVX2__)
#define STREAM_SEALS 2
#else
#define STREAM_SEALS 1
#endif

enum {
	STREAM_LINE = 8,    /* words */
	STREAM_PAYLOAD = 7, /* words of a line that are not seals */
};

typedef uint32_t stream_seal __attribute__((may_alias));

/* The place of a line's seal in its second half, or, before that, in its first. */
QUEUE_INLINE stream_seal *stream_seal_place(const uint64_t *line, bool second)
{
	return (stream_seal *)(uintptr_t)line + (second ? 15 : 7);
}

#if STREAM_SEALS == 2
QUEUE_INLINE void stream_write_line(uint64_t *line, __m256i low, __m256i high, uint32_t seal)
{
	__m256i seals = _mm256_set1_epi32((int)seal);

	_mm256_stream_si256((__m256i *)(void *)line, _mm256_blend_epi32(low, seals, 0x80));
	_mm256_stream_si256((__m256i *)(void *)(line + 4), _mm256_blend_epi32(high, seals, 0x80));
}
#endif

/* Writes STREAM_PAYLOAD words from `from`, of which STREAM_LINE may be read, to a line. A release, for who sees the seals, of these
 * words and nothing else: other stores may be seen before the line or after it. */
QUEUE_INLINE void stream_seal_line(uint64_t *line, const uint64_t *from, uint32_t seal)
{
#if STREAM_SEALS == 2
	__m256i low = _mm256_loadu_si256((const __m256i *)(const void *)from);
	__m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(from + 4));

	stream_write_line(line, low, _mm256_blend_epi32(high, _mm256_shuffle_epi32(low, 0xf5), 0x40), seal);
#else
	copy_messages(line, from, STREAM_PAYLOAD);
	store_release(stream_seal_place(line, true), seal);
#endif
}

/* The same of 1 … STREAM_PAYLOAD words, which may have been written just now: few are loaded word by word, for a wider load would have to
 * wait until all stores that it covers have reached the cache (7 ns of 10 a line, AMD family 26). */
QUEUE_INLINE void stream_seal_words(uint64_t *line, const uint64_t *from, size_t words, uint32_t seal)
{
#if STREAM_SEALS == 2
	if (words == 1) {
		stream_write_line(line, _mm256_zextsi128_si256(_mm_cvtsi64_si128((long long)from[0])), _mm256_setzero_si256(), seal);
		return;
	}
	if (words <= 3) {
		stream_write_line(line, _mm256_set_epi64x(0, (long long)from[2], (long long)from[1], (long long)from[0]),
				  _mm256_setzero_si256(), seal);
		return;
	}
	stream_seal_line(line, from, seal);
#else
	copy_messages(line, from, words);
	store_release(stream_seal_place(line, true), seal);
#endif
}

/* Whether a line bears this seal; an acquire of all of it if so. */
QUEUE_INLINE bool stream_line_is_whole(const uint64_t *line, uint32_t seal)
{
#if STREAM_SEALS == 2
	return load_acquire(stream_seal_place(line, true)) == seal && load_acquire(stream_seal_place(line, false)) == seal;
#else
	return load_acquire(stream_seal_place(line, true)) == seal;
#endif
}

/* The seal that a line seems to bear. */
QUEUE_INLINE uint32_t stream_line_seal(const uint64_t *line)
{
	return load_relaxed(stream_seal_place(line, true)); /* relaxed: stream_line_is_whole() looks at it by acquire */
}

/* So many words of a whole line to `to`, where up to STREAM_LINE words are written. */
QUEUE_INLINE void stream_unseal_line(uint64_t *to, const uint64_t *line, size_t words)
{
	(void)words;
#if STREAM_SEALS == 2
	__m256i low = _mm256_load_si256((const __m256i *)(const void *)line);
	__m256i high = _mm256_load_si256((const __m256i *)(const void *)(line + 4));

	low = _mm256_blend_epi32(low, _mm256_shuffle_epi32(high, 0xa0), 0x80);
	_mm256_storeu_si256((__m256i *)(void *)to, low);
	_mm256_storeu_si256((__m256i *)(void *)(to + 4), high);
#else
	copy_messages(to, line, words);
#endif
}

/* Gives a line that nobody sees yet a seal. */
QUEUE_INLINE void stream_mark_line(uint64_t *line, uint32_t seal)
{
	for (size_t k = 0; k < STREAM_LINE; k++)
		line[k] = 0;
	*stream_seal_place(line, false) = *stream_seal_place(line, true) = seal;
}

/* Begins to fetch a line that will be read soon. */
QUEUE_INLINE void stream_prefetch_line(const uint64_t *line)
{
	__builtin_prefetch(line);
}

#endif
