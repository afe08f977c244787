#include "noise.h"

/* splitmix64 (G. Steele, D. Lea, C. Flood, 2014) */
static uint64_t next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

double noise_uniform(uint64_t *state)
{
	return (double)(next(state) >> 11) / (double)(1ull << 53);
}

double noise_normal(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += noise_uniform(state);
	return sum;
}

const char *const noise_names[NOISE_KINDS] = { "normal", "steps", "tails", "modes" };

double noise_draw(enum noise noise, double deviation, uint64_t *state)
{
	double value = 1 + deviation * noise_normal(state);

	if (noise == NOISE_STEPS)
		return (double)(long long)(value * 100 + 0.5) / 100;
	if (noise == NOISE_TAILS && noise_uniform(state) < 1.0 / 7)
		return value + 10 * deviation * noise_uniform(state);
	if (noise == NOISE_MODES && noise_uniform(state) < 0.3)
		return value + 0.1;
	return value;
}

void noise_fill(double *values, size_t n, enum noise noise, double middle, double deviation, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		values[i] = middle * noise_draw(noise, deviation, state);
}
