/* Noise for tests: the same numbers from the same seed on every machine, since nothing but additions goes into them. */
#ifndef RESULTS_TESTS_NOISE_H
#define RESULTS_TESTS_NOISE_H

#include <stddef.h>
#include <stdint.h>

/* Uniform from 0 to 1. */
double noise_uniform(uint64_t *state);
/* About normal, with mean 0 and standard deviation 1: twelve uniform numbers added up. */
double noise_normal(uint64_t *state);
/* n values about the middle, with this relative standard deviation. */
void noise_fill(double *values, size_t n, double middle, double deviation, uint64_t *state);

#endif
