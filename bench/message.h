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

static inline uint64_t message_header(unsigned producer, enum message_phase phase, uint64_t sequence)
{
	return ((uint64_t)(producer + 1) << (MESSAGE_SEQUENCE_BITS + MESSAGE_PHASE_BITS)) +
	       ((uint64_t)phase << MESSAGE_SEQUENCE_BITS) + sequence;
}

static inline enum message_phase message_phase(uint64_t header)
{
	return (enum message_phase)(header >> MESSAGE_SEQUENCE_BITS & ((1u << MESSAGE_PHASE_BITS) - 1));
}

static inline uint64_t message_sequence(uint64_t header)
{
	return header & MESSAGE_SEQUENCE_MASK;
}

/* Classes of sizes for which the loops are compiled: in the first two the size is known to the compiler. */
enum message_class { MESSAGE_8, MESSAGE_64, MESSAGE_ANY, MESSAGE_CLASSES };

/* `touched`: bytes written and checked of each message; slots lie `stride` apart. */
static inline enum message_class message_class(size_t stride, size_t touched)
{
	return stride != touched ? MESSAGE_ANY : touched == 8 ? MESSAGE_8 : touched == 64 ? MESSAGE_64 : MESSAGE_ANY;
}

QUEUE_INLINE void message_fill_any(unsigned char *slot, size_t stride, size_t touched, size_t n, uint64_t header)
{
	for (size_t i = 0; i < n; i++, slot += stride) {
		uint64_t *words = (uint64_t *)(void *)slot, value = header + i;
		size_t count = touched / 8;

		for (size_t k = 0; k < count; k++)
			words[k] = value + k * MESSAGE_STEP;
		if (touched % 8) {
			value += count * MESSAGE_STEP;
			for (size_t k = 0; k < touched % 8; k++)
				slot[8 * count + k] = (unsigned char)(value >> 8 * k);
		}
	}
}

/* Writes n messages from `header` on, which grows by 1 with each. */
QUEUE_INLINE void message_fill(enum message_class class, void *slots, size_t stride, size_t touched, size_t n, uint64_t header)
{
	uint64_t *words = slots;

	if (class == MESSAGE_8) {
		for (size_t i = 0; i < n; i++)
			words[i] = header + i;
	} else if (class == MESSAGE_64) {
		for (size_t i = 0; i < n; i++, words += 8)
			for (size_t k = 0; k < 8; k++)
				words[k] = header + i + k * MESSAGE_STEP;
	} else {
		message_fill_any(slots, stride, touched, n, header);
	}
}

QUEUE_INLINE uint64_t message_differs_any(const unsigned char *slot, size_t stride, size_t touched, size_t n, uint64_t header)
{
	uint64_t difference = 0;

	for (size_t i = 0; i < n; i++, slot += stride) {
		const uint64_t *words = (const uint64_t *)(const void *)slot;
		uint64_t value = header + i;
		size_t count = touched / 8;

		for (size_t k = 0; k < count; k++)
			difference |= words[k] ^ (value + k * MESSAGE_STEP);
		if (touched % 8) {
			value += count * MESSAGE_STEP;
			for (size_t k = 0; k < touched % 8; k++)
				difference |= slot[8 * count + k] ^ (value >> 8 * k & 0xff);
		}
	}
	return difference;
}

/* Reads all touched bytes of n messages. 0 where each is as message_fill() writes it. */
QUEUE_INLINE uint64_t message_differs(enum message_class class, const void *slots, size_t stride, size_t touched, size_t n,
				      uint64_t header)
{
	const uint64_t *words = slots;
	uint64_t difference = 0;

	if (class == MESSAGE_8) {
		for (size_t i = 0; i < n; i++)
			difference |= words[i] ^ (header + i);
		return difference;
	}
	if (class == MESSAGE_64) {
		for (size_t i = 0; i < n; i++, words += 8)
			for (size_t k = 0; k < 8; k++)
				difference |= words[k] ^ (header + i + k * MESSAGE_STEP);
		return difference;
	}
	return message_differs_any(slots, stride, touched, n, header);
}

#endif
