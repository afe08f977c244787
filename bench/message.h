/* What the messages of a measurement hold, so that each byte of each one can be checked.
 *
 * The first word is the header: producer (from 1), phase, sequence number. Word k is header + k × MESSAGE_STEP; a size that is no
 * multiple of 8 ends in the lower bytes of one more word. */
#ifndef BENCH_MESSAGE_H
#define BENCH_MESSAGE_H

#include <string.h>

#include "queue.h"

enum { MESSAGE_SEQUENCE_BITS = 48, MESSAGE_PHASE_BITS = 2 };

#define MESSAGE_STEP 0x9e3779b97f4a7c15u
#define MESSAGE_SEQUENCE_MASK ((UINT64_C(1) << MESSAGE_SEQUENCE_BITS) - 1)

enum message_phase { PHASE_WARM_UP, PHASE_MEASURED, PHASE_LAST };

QUEUE_INLINE uint64_t message_header(unsigned producer, enum message_phase phase, uint64_t sequence)
{
	return ((uint64_t)(producer + 1) << (MESSAGE_SEQUENCE_BITS + MESSAGE_PHASE_BITS)) +
	       ((uint64_t)phase << MESSAGE_SEQUENCE_BITS) + sequence;
}

QUEUE_INLINE enum message_phase message_phase(uint64_t header)
{
	return (enum message_phase)(header >> MESSAGE_SEQUENCE_BITS & ((1u << MESSAGE_PHASE_BITS) - 1));
}

QUEUE_INLINE uint64_t message_sequence(uint64_t header)
{
	return header & MESSAGE_SEQUENCE_MASK;
}

/* Classes of sizes for which the loops are compiled: in all but the last the size is known to the compiler. */
enum message_class { MESSAGE_8, MESSAGE_24, MESSAGE_64, MESSAGE_ANY, MESSAGE_CLASSES };

/* `touched`: bytes written and checked of each message; slots lie `stride` apart. */
QUEUE_INLINE enum message_class message_class(size_t stride, size_t touched)
{
	if (stride != touched)
		return MESSAGE_ANY;
	return touched == 8 ? MESSAGE_8 : touched == 24 ? MESSAGE_24 : touched == 64 ? MESSAGE_64 : MESSAGE_ANY;
}

/* Four words at once, in whatever way the processor has them. */
typedef uint64_t message_words __attribute__((vector_size(32), aligned(8), may_alias));

/* A message's first word, whatever it was written as. */
typedef uint64_t message_header_word __attribute__((may_alias));

enum { MESSAGE_WORDS = 4 };

QUEUE_INLINE message_words message_spread(uint64_t value)
{
	return (message_words){value, value, value, value};
}

QUEUE_INLINE uint64_t message_gather(message_words words)
{
	return words[0] | words[1] | words[2] | words[3];
}

/* What is added to the header in words k … k + 3 of a message. */
QUEUE_INLINE message_words message_steps(uint64_t k)
{
	return message_spread(k * MESSAGE_STEP) + (message_words){0, MESSAGE_STEP, 2 * MESSAGE_STEP, 3 * MESSAGE_STEP};
}

/* One message of any size. */
QUEUE_INLINE void message_fill_one(unsigned char *slot, size_t touched, uint64_t header)
{
	uint64_t *words = (uint64_t *)(void *)slot, value = header;
	size_t count = touched / 8, k = 0;
	message_words four = message_spread(header) + message_steps(0);

	for (; k + MESSAGE_WORDS <= count; k += MESSAGE_WORDS) {
		*(message_words *)(void *)(words + k) = four;
		four += message_spread(MESSAGE_WORDS * MESSAGE_STEP);
	}
	for (value += k * MESSAGE_STEP; k < count; k++, value += MESSAGE_STEP)
		words[k] = value;
	for (size_t i = 0; i < touched % 8; i++)
		slot[8 * count + i] = (unsigned char)(value >> 8 * i);
}

QUEUE_INLINE uint64_t message_differs_one(const unsigned char *slot, size_t touched, uint64_t header)
{
	const uint64_t *words = (const uint64_t *)(const void *)slot;
	uint64_t value = header, difference = 0;
	size_t count = touched / 8, k = 0;

	if (count >= MESSAGE_WORDS) {
		message_words four = message_spread(header) + message_steps(0), differs = {0};

		for (; k + MESSAGE_WORDS <= count; k += MESSAGE_WORDS) {
			differs |= *(const message_words *)(const void *)(words + k) ^ four;
			four += message_spread(MESSAGE_WORDS * MESSAGE_STEP);
		}
		difference = message_gather(differs);
	}
	for (value += k * MESSAGE_STEP; k < count; k++, value += MESSAGE_STEP)
		difference |= words[k] ^ value;
	for (size_t i = 0; i < touched % 8; i++)
		difference |= slot[8 * count + i] ^ (value >> 8 * i & 0xff);
	return difference;
}

#if defined(__clang__)
#define MESSAGE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define MESSAGE_UNROLL _Pragma("GCC unroll 8")
#endif

/* Runs of messages of 1 … 8 whole words without gaps, four messages in as many vectors: word w of such a run is message
 * w / words, there word w % words. `words` is a constant wherever this is inlined. */
QUEUE_INLINE message_words message_lanes(size_t vector, size_t words)
{
	message_words lanes = {0};

	for (size_t i = 0; i < MESSAGE_WORDS; i++) {
		size_t w = vector * MESSAGE_WORDS + i;

		lanes[i] = w / words + w % words * MESSAGE_STEP;
	}
	return lanes;
}

QUEUE_INLINE void message_fill_run(uint64_t *slot, const size_t words, size_t n, uint64_t header)
{
	message_words four = message_spread(header);

	for (; n >= MESSAGE_WORDS; n -= MESSAGE_WORDS, header += MESSAGE_WORDS) {
		MESSAGE_UNROLL
		for (size_t v = 0; v < words; v++, slot += MESSAGE_WORDS)
			*(message_words *)(void *)slot = four + message_lanes(v, words);
		four += message_spread(MESSAGE_WORDS);
	}
	for (; n; n--, header++) {
		size_t k = 0;

		MESSAGE_UNROLL
		for (; k + MESSAGE_WORDS <= words; k += MESSAGE_WORDS)
			*(message_words *)(void *)(slot + k) = message_spread(header) + message_steps(k);
		MESSAGE_UNROLL
		for (; k < words; k++)
			slot[k] = header + k * MESSAGE_STEP;
		slot += words;
	}
}

QUEUE_INLINE uint64_t message_differs_run(const uint64_t *slot, const size_t words, size_t n, uint64_t header)
{
	uint64_t difference = 0;

	if (n >= MESSAGE_WORDS) {
		message_words four = message_spread(header), differs = {0};

		for (; n >= MESSAGE_WORDS; n -= MESSAGE_WORDS, header += MESSAGE_WORDS) {
		MESSAGE_UNROLL
			for (size_t v = 0; v < words; v++, slot += MESSAGE_WORDS)
				differs |= *(const message_words *)(const void *)slot ^ (four + message_lanes(v, words));
			four += message_spread(MESSAGE_WORDS);
		}
		difference = message_gather(differs);
	}
	for (; n; n--, header++, slot += words) {
		message_words differs = {0};
		size_t k = 0;

		MESSAGE_UNROLL
		for (; k + MESSAGE_WORDS <= words; k += MESSAGE_WORDS)
			differs |= *(const message_words *)(const void *)(slot + k) ^ (message_spread(header) + message_steps(k));
		if (k)
			difference |= message_gather(differs);
		MESSAGE_UNROLL
		for (; k < words; k++)
			difference |= slot[k] ^ (header + k * MESSAGE_STEP);
	}
	return difference;
}

/* Writes n messages from `header` on, which grows by 1 with each. */
QUEUE_INLINE void message_fill(enum message_class size_class, void *slots, size_t stride, size_t touched, size_t n, uint64_t header)
{
	unsigned char *slot = (unsigned char *)slots;

	if (size_class == MESSAGE_8)
		message_fill_run((uint64_t *)slots, 1, n, header);
	else if (size_class == MESSAGE_24)
		message_fill_run((uint64_t *)slots, 3, n, header);
	else if (size_class == MESSAGE_64)
		message_fill_run((uint64_t *)slots, 8, n, header);
	else
		for (size_t i = 0; i < n; i++, slot += stride)
			message_fill_one(slot, touched, header + i);
}

/* Reads all touched bytes of n messages. 0 where each is as message_fill() writes it. */
QUEUE_INLINE uint64_t message_differs(enum message_class size_class, const void *slots, size_t stride, size_t touched, size_t n,
				      uint64_t header)
{
	const unsigned char *slot = (const unsigned char *)slots;
	uint64_t difference = 0;

	if (size_class == MESSAGE_8)
		return message_differs_run((const uint64_t *)slots, 1, n, header);
	if (size_class == MESSAGE_24)
		return message_differs_run((const uint64_t *)slots, 3, n, header);
	if (size_class == MESSAGE_64)
		return message_differs_run((const uint64_t *)slots, 8, n, header);
	for (size_t i = 0; i < n; i++, slot += stride)
		difference |= message_differs_one(slot, touched, header + i);
	return difference;
}

#endif
