/* Noise for tests: the same numbers from the same seed on every machine, since nothing but additions goes into them. */
#ifndef RESULTS_TESTS_NOISE_H
#define RESULTS_TESTS_NOISE_H

#include <stddef.h>
#include <stdint.h>

/* Uniform from 0 to 1. */
double noise_uniform(uint64_t *state);
/* About normal, with mean 0 and standard deviation 1: twelve uniform numbers added up. */
double noise_normal(uint64_t *state);
enum noise {
	NOISE_NORMAL,
	NOISE_STEPS, /* normal, as a clock reads it that steps by a hundredth */
	NOISE_TAILS, /* one value in seven is off by up to ten deviations, to one side */
	NOISE_MODES, /* three values in ten are larger by a tenth */
	NOISE_KINDS
};
extern const char *const noise_names[NOISE_KINDS];
/* About 1. */
double noise_draw(enum noise noise, double deviation, uint64_t *state);
/* n values about the middle, with this relative deviation. */
void noise_fill(double *values, size_t n, enum noise noise, double middle, double deviation, uint64_t *state);

#endif
