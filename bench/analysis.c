#include "analysis.h"

#include <stdlib.h>

#include "fault.h"
#include "message.h"

uint64_t analysis_latency(struct analysis_point from, struct analysis_point to, struct histogram *histogram)
{
	const struct stamp *a = from.stamps->at, *b = to.stamps->at;
	size_t i = 0, k = 0;
	uint64_t alone = 0;

	while (i < from.stamps->count && k < to.stamps->count) {
		if (a[i].sequence == b[k].sequence) {
			histogram_add(histogram, fault_latency((int64_t)(analysis_ticks(to, k) - analysis_ticks(from, i))));
			i++, k++;
		} else {
			alone++;
			if (a[i].sequence < b[k].sequence)
				i++;
			else
				k++;
		}
	}
	fault_histogram(histogram);
	return alone + (from.stamps->count - i) + (to.stamps->count - k);
}

uint64_t analysis_visit_of(const struct stamps *from, unsigned producer, const struct stamps *to,
			   void (*visit)(void *context, size_t from_index, size_t to_index), void *context)
{
	const struct stamp *a = from->at, *b = to->at;
	uint64_t found = 0;

	for (size_t i = 0, k = 0; k < to->count; k++) {
		if (b[k].sequence >> MESSAGE_SEQUENCE_BITS != producer)
			continue;
		while (i < from->count && a[i].sequence < message_sequence(b[k].sequence))
			i++;
		if (i == from->count || a[i].sequence != message_sequence(b[k].sequence))
			continue;
		visit(context, i++, k);
		found++;
	}
	return found;
}

struct adding {
	struct analysis_point from, to;
	struct histogram *histogram;
};

static void add_visited(void *context, size_t from_index, size_t to_index)
{
	const struct adding *adding = context;

	histogram_add(adding->histogram,
		      fault_latency((int64_t)(analysis_ticks(adding->to, to_index) - analysis_ticks(adding->from, from_index))));
}

uint64_t analysis_latency_of(struct analysis_point from, unsigned producer, struct analysis_point to, struct histogram *histogram)
{
	struct adding adding = {from, to, histogram};

	return analysis_visit_of(from.stamps, producer, to.stamps, add_visited, &adding);
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
			uint64_t sequence = sent->at[i + place].sequence;

			partner = stamp_from(received, partner, sequence);
			if (partner == received->count || received->at[partner].sequence != sequence)
				positions->alone++;
			else
				positions->latencies[place * positions->batches + number] =
					(int64_t)(analysis_ticks(to, partner) - analysis_ticks(from, i + place));
		}
		number++;
	}
	return true;
}

void analysis_latency_within(struct analysis_point from, struct analysis_point to, struct histogram *histogram)
{
	for (size_t i = 0; i < from.stamps->count; i++)
		histogram_add(histogram, fault_latency((int64_t)(analysis_ticks(to, i) - analysis_ticks(from, i))));
}

bool analysis_ascends_each(struct analysis_point point)
{
	const struct stamp *stamp = point.stamps->at;
	uint64_t last[FAN_SIDE_MAX] = {0};

	for (size_t i = 0; i < point.stamps->count; i++) {
		uint64_t producer = stamp[i].sequence >> MESSAGE_SEQUENCE_BITS, sequence = message_sequence(stamp[i].sequence);

		if (producer >= FAN_SIDE_MAX || sequence <= last[producer] ||
		    (i && analysis_ticks(point, i) < analysis_ticks(point, i - 1)))
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
		    analysis_ticks(point, i) < analysis_ticks(point, i - 1))
			return false;
	return true;
}

double analysis_rate(const struct mark *first, const struct mark *last, double ticks_per_s)
{
	if (!first->ticks || last->ticks <= first->ticks || last->count <= first->count)
		return -1;
	return (double)(last->count - first->count) * ticks_per_s / (double)(last->ticks - first->ticks);
}

bool analysis_covers(const struct mark *first, const struct mark *last, uint64_t measured_ticks)
{
	return last->ticks - first->ticks >= measured_ticks / 2;
}

double analysis_rate_of_time(const struct mark *begin, const struct mark *end, double ticks_per_s)
{
	return begin->ticks && end->ticks > begin->ticks && end->count == begin->count ? 0 : analysis_rate(begin, end, ticks_per_s);
}
