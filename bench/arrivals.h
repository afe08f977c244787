/* When the messages of an open load are due: one producer's schedule, in ticks.
 *
 * Constant arrivals and bursts come every numerator / denominator ticks, whole numbers both: quotient and remainder are added up, so that
 * message i is due at the floor of i times that, however many there are. Poisson arrivals are sums of exponential variates in fixed
 * point: of a random number the leading zeros and a table give the logarithm, to 3 millionths. Nothing here is a floating-point
 * number, nothing is called. */
#ifndef BENCH_ARRIVALS_H
#define BENCH_ARRIVALS_H

#include "queue.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
	ARRIVALS_TABLE_BITS = 8,
	ARRIVALS_LOG_BITS = 31,   /* behind the point, of the table */
	ARRIVALS_SCALE_BITS = 24, /* the same of scale */
};

/* Constant while messages are sent. */
struct arrivals {
	uint64_t first, first_rest;  /* ticks from the common start to the first message, and the remainder of that */
	uint64_t burst;              /* messages that are due at once */
	uint64_t quotient, remainder, denominator; /* from one burst to the next: quotient + remainder / denominator ticks */
	bool poisson;
	uint64_t seed;
	uint64_t scale;              /* ticks for each factor of two in the random number: ln 2 times the mean */
	uint32_t log2[(1 << ARRIVALS_TABLE_BITS) + 1]; /* of 1 + i / 2^ARRIVALS_TABLE_BITS, less than 1 but for the last */
};

/* How far it has come. */
struct arriving {
	uint64_t due;  /* ticks: of the next message */
	uint64_t rest; /* what the remainders come to, < denominator */
	uint64_t left; /* messages that are due then, the next one included */
	uint64_t random;
	unsigned __int128 sum; /* of Poisson arrivals: due, with ARRIVALS_LOG_BITS + ARRIVALS_SCALE_BITS behind the point */
};

/* Of an exponential distribution: how often a random number must be doubled to reach 1 (splitmix64: G. Steele, D. Lea, C. Flood, 2014). */
static inline __attribute__((always_inline)) uint64_t arrivals_draw(const struct arrivals *arrivals, uint64_t *random)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15u, zeros, fraction, i, low, rise;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	z = (z ^ (z >> 31)) | 1;
	zeros = (uint64_t)__builtin_clzll(z);
	fraction = z << zeros << 1; /* behind the leading one */
	i = fraction >> (64 - ARRIVALS_TABLE_BITS);
	low = arrivals->log2[i];
	rise = arrivals->log2[i + 1] - low;
	low += rise * (fraction << ARRIVALS_TABLE_BITS >> 32) >> 32;
	return ((zeros + 1) << ARRIVALS_LOG_BITS) - low;
}

/* On to the next message. */
static inline __attribute__((always_inline)) void arrivals_next(const struct arrivals *arrivals, struct arriving *state)
{
	if (--state->left)
		return;
	state->left = arrivals->burst;
	if (arrivals->poisson) {
		state->sum += (unsigned __int128)arrivals_draw(arrivals, &state->random) * arrivals->scale;
		state->due = (uint64_t)(state->sum >> (ARRIVALS_LOG_BITS + ARRIVALS_SCALE_BITS));
		return;
	}
	state->due += arrivals->quotient;
	state->rest += arrivals->remainder;
	if (state->rest >= arrivals->denominator) {
		state->rest -= arrivals->denominator;
		state->due++;
	}
}

/* start: the common instant, in ticks. */
static inline __attribute__((always_inline)) struct arriving arrivals_begin(const struct arrivals *arrivals, uint64_t start)
{
	struct arriving state = {start + arrivals->first, arrivals->first_rest, arrivals->burst, arrivals->seed,
				 (unsigned __int128)start << (ARRIVALS_LOG_BITS + ARRIVALS_SCALE_BITS)};

	if (arrivals->poisson) {
		state.left = 1;
		arrivals_next(arrivals, &state);
	}
	return state;
}

#ifdef __cplusplus
}
#endif

#endif
