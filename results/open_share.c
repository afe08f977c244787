#include "open_share.h"

#include <math.h>

/* The fewest messages that may have been due. At the edges of a schedule that is not random, each producer has at most a burst less. */
static double least_due(const struct open_offer *offer, double due)
{
	double at_once = offer->burst > 1 ? (double)offer->burst : 1, producers = offer->producers > 1 ? (double)offer->producers : 1;

	if (offer->random)
		return due - 3 * sqrt(due / at_once) * at_once; /* three standard deviations */
	return floor(due / (at_once * producers) + 1e-6) * at_once * producers; /* a gap that is the duration has one burst in it */
}

double open_share_written(uint64_t written, const struct open_offer *offer)
{
	double due = offer->per_s * offer->duration_ns / 1e9;

	if (!(due > 0) || (double)written >= fmin(due / 2, least_due(offer, due)))
		return -1;
	return (double)written / due;
}
