#include "open_share.h"

#include <math.h>

double open_share_written(uint64_t written, double offered_per_s, double duration_ns, uint64_t burst)
{
	double due = offered_per_s * duration_ns / 1e9, at_once = burst > 1 ? (double)burst : 1;
	double chance = 3 * sqrt(due / at_once) * at_once; /* three standard deviations of Poisson arrivals */

	if (!(due > 0) || (double)written >= fmin(due / 2, due - chance))
		return -1;
	return (double)written / due;
}
