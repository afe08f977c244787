#include "analysis.h"

#include <stdlib.h>

#include "fault.h"
#include "message.h"

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

uint64_t analysis_latency_of(struct analysis_point from, unsigned producer, struct analysis_point to, struct histogram *histogram)
{
	const struct stamp *a = from.stamps->at, *a_end = a + from.stamps->count;
	const struct stamp *b = to.stamps->at, *b_end = b + to.stamps->count;
	uint64_t found = 0;

	for (; b < b_end; b++) {
		if (b->sequence >> MESSAGE_SEQUENCE_BITS != producer)
			continue;
		while (a < a_end && a->sequence < message_sequence(b->sequence))
			a++;
		if (a == a_end || a->sequence != message_sequence(b->sequence))
			continue;
		histogram_add(histogram, fault_latency((int64_t)(ticks_of(b, to.inner) - ticks_of(a, from.inner))));
		found++;
		a++;
	}
	return found;
}

/* How many of the stamps from `first` on were flushed at one time. */
static size_t batch_at(const struct stamps *sent, size_t first)
{
	size_t end = first + 1;

	while (end < sent->count && sent->at[end].inner == sent->at[first].inner)
		end++;
	return end - first;
}

/* The first of a reader's stamps from `at` on whose sequence number is not below that. */
static size_t stamp_from(const struct stamps *received, size_t at, uint64_t sequence)
{
	while (at < received->count && received->at[at].sequence < sequence)
		at++;
	return at;
}

bool analysis_by_position(struct analysis_point from, struct analysis_point to, uint64_t batch, struct analysis_positions *positions)
{
	const struct stamps *sent = from.stamps, *received = to.stamps;
	size_t n, partner = 0, number = 0;

	*positions = (struct analysis_positions){.batch = batch};
	for (size_t i = 0; i < sent->count; i += n) {
		n = batch_at(sent, i);
		*(n == batch ? &positions->batches : &positions->others) += n == batch ? 1 : n;
	}
	positions->latencies = calloc(positions->batches * batch + 1, sizeof(*positions->latencies));
	if (!positions->latencies)
		return false;
	for (size_t i = 0; i < sent->count; i += n) {
		n = batch_at(sent, i);
		if (n != batch)
			continue;
		for (size_t place = 0; place < batch; place++) {
			const struct stamp *a = &sent->at[i + place];

			partner = stamp_from(received, partner, a->sequence);
			if (partner == received->count || received->at[partner].sequence != a->sequence)
				positions->alone++;
			else
				positions->latencies[place * positions->batches + number] =
					(int64_t)(ticks_of(&received->at[partner], to.inner) - ticks_of(a, from.inner));
		}
		number++;
	}
	return true;
}

void analysis_latency_within(struct analysis_point from, struct analysis_point to, struct histogram *histogram)
{
	const struct stamp *stamp = from.stamps->at;

	for (size_t i = 0; i < from.stamps->count; i++)
		histogram_add(histogram, fault_latency((int64_t)(ticks_of(&stamp[i], to.inner) - ticks_of(&stamp[i], from.inner))));
}

bool analysis_ascends_each(struct analysis_point point)
{
	const struct stamp *stamp = point.stamps->at;
	uint64_t last[FAN_SIDE_MAX] = {0};

	for (size_t i = 0; i < point.stamps->count; i++) {
		uint64_t producer = stamp[i].sequence >> MESSAGE_SEQUENCE_BITS, sequence = message_sequence(stamp[i].sequence);

		if (producer >= FAN_SIDE_MAX || sequence <= last[producer] ||
		    (i && ticks_of(&stamp[i], point.inner) < ticks_of(&stamp[i - 1], point.inner)))
			return false;
		last[producer] = sequence;
	}
	return true;
}

double analysis_fairness(const double *rates, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += rates[i];
		squares += rates[i] * rates[i];
	}
	return squares > 0 ? sum * sum / ((double)n * squares) : -1;
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

double analysis_rate_of_time(const struct mark *begin, const struct mark *end, double ticks_per_s)
{
	return begin->ticks && end->ticks > begin->ticks && end->count == begin->count ? 0 : analysis_rate(begin, end, ticks_per_s);
}
