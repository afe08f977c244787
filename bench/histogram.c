#include "histogram.h"

#include <math.h>
#include <stdlib.h>

struct histogram *histogram_new(void)
{
	return calloc(1, sizeof(struct histogram));
}

/* The first two rows (0 … 2^11 − 1) have a bucket per value; each further row covers a doubling. */
static size_t bucket_of(uint64_t value)
{
	unsigned top = 63 - (unsigned)__builtin_clzll(value | 1);
	unsigned shift = top > HISTOGRAM_LINEAR_BITS ? top - HISTOGRAM_LINEAR_BITS : 0;

	return ((size_t)shift << HISTOGRAM_LINEAR_BITS) + (size_t)(value >> shift);
}

uint64_t histogram_upper_edge(size_t bucket)
{
	size_t row = bucket >> HISTOGRAM_LINEAR_BITS;
	size_t shift = row > 1 ? row - 1 : 0;
	uint64_t value = bucket - (shift << HISTOGRAM_LINEAR_BITS);

	return ((value + 1) << shift) - 1;
}

void histogram_add(struct histogram *histogram, int64_t ticks)
{
	if (!histogram->count || ticks < histogram->min)
		histogram->min = ticks;
	if (!histogram->count || ticks > histogram->max)
		histogram->max = ticks;
	histogram->count++;
	histogram->sum += ticks;
	if (ticks < 0)
		histogram->below_zero++;
	else if (ticks >> HISTOGRAM_TOP_BITS)
		histogram->beyond++;
	else
		histogram->buckets[bucket_of((uint64_t)ticks)]++;
}

bool histogram_is_consistent(const struct histogram *histogram)
{
	uint64_t count = histogram->below_zero + histogram->beyond;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		count += histogram->buckets[i];
	return count == histogram->count;
}

bool histogram_percentile(const struct histogram *histogram, double p, double *ticks)
{
	uint64_t rank = (uint64_t)ceil(p * (double)histogram->count), seen = histogram->below_zero;

	if (rank < 1)
		rank = 1;
	if (histogram->count < rank + HISTOGRAM_BEYOND_SAMPLES)
		return false;
	if (seen >= rank) {
		*ticks = (double)histogram->min; /* all that is known of it: it is negative */
		return true;
	}
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += histogram->buckets[i];
		if (seen >= rank) {
			*ticks = fmin((double)histogram_upper_edge(i), (double)histogram->max);
			return true;
		}
	}
	*ticks = (double)(UINT64_C(1) << HISTOGRAM_TOP_BITS);
	return true;
}
