#include "analysis.h"

#include "fault.h"

static uint64_t ticks_of(const struct stamp *stamp, bool inner)
{
	return inner ? stamp->inner : stamp->outer;
}

uint64_t analysis_latency(struct analysis_point from, struct analysis_point to, struct histogram *histogram)
{
	const struct stamp *a = from.stamps->at, *a_end = a + from.stamps->count;
	const struct stamp *b = to.stamps->at, *b_end = b + to.stamps->count;
	uint64_t alone = 0;

	while (a < a_end && b < b_end) {
		if (a->sequence == b->sequence) {
			histogram_add(histogram, fault_latency((int64_t)(ticks_of(b, to.inner) - ticks_of(a, from.inner))));
			a++, b++;
		} else {
			alone++;
			if (a->sequence < b->sequence)
				a++;
			else
				b++;
		}
	}
	fault_histogram(histogram);
	return alone + (uint64_t)(a_end - a) + (uint64_t)(b_end - b);
}

bool analysis_ascends(struct analysis_point point)
{
	const struct stamp *stamp = point.stamps->at;

	for (size_t i = 1; i < point.stamps->count; i++)
		if (stamp[i].sequence <= stamp[i - 1].sequence ||
		    ticks_of(&stamp[i], point.inner) < ticks_of(&stamp[i - 1], point.inner))
			return false;
	return true;
}

double analysis_rate(const struct mark *first, const struct mark *last, double ticks_per_s)
{
	if (!first->ticks || last->ticks <= first->ticks || last->count <= first->count)
		return -1;
	return (double)(last->count - first->count) * ticks_per_s / (double)(last->ticks - first->ticks);
}
