#include "summary_parts.h"

#include <math.h>
#include <string.h>

static double endpoint_rate(const struct record_endpoint *endpoint, const char *point)
{
	for (size_t i = 0; i < endpoint->point_count; i++)
		if (strcmp(endpoint->points[i].point, point) == 0)
			return endpoint->points[i].rate_per_s;
	return -1.0;
}

/* The sum over queue 0's endpoints of one side; with one of them unknown it is unknown. */
static double side_rate(const struct record_trial *trial, bool producers, const char *point)
{
	double sum = -1.0;

	for (size_t i = 0; i < trial->endpoint_count; i++) {
		const struct record_endpoint *endpoint = &trial->endpoints[i];
		double rate;

		if (endpoint->queue != 0 || endpoint->producer != producers)
			continue;
		rate = endpoint_rate(endpoint, point);
		if (rate < 0.0)
			return -1.0;
		sum = sum < 0.0 ? rate : sum + rate;
	}
	return sum;
}

double summary_trial_sender_rate(const struct record_trial *trial)
{
	return side_rate(trial, true, "write");
}

double summary_trial_receiver_rate(const struct record_trial *trial)
{
	return side_rate(trial, false, "read");
}

struct counts {
	double refused, empty, batches, messages;
	bool untold; /* the queue does not tell refused and empty */
};

static struct counts side_counts(const struct record_trial *trial, bool producers)
{
	struct counts counts = { 0 };

	for (size_t i = 0; i < trial->endpoint_count; i++) {
		const struct record_endpoint *endpoint = &trial->endpoints[i];

		if (endpoint->queue != 0 || endpoint->producer != producers)
			continue;
		counts.untold = counts.untold || endpoint->refused < 0 || endpoint->empty < 0;
		counts.refused += endpoint->refused;
		counts.empty += endpoint->empty;
		counts.batches += (double)endpoint->batches;
		counts.messages += (double)endpoint->messages;
	}
	return counts;
}

double summary_trial_mean_batch(const struct record_trial *trial)
{
	struct counts counts = side_counts(trial, true);

	return counts.batches > 0.0 ? counts.messages / counts.batches : -1.0;
}

double summary_trial_refused_share(const struct record_trial *trial)
{
	struct counts counts = side_counts(trial, true);

	return counts.messages > 0.0 && !counts.untold ? counts.refused / counts.messages : -1.0;
}

/* A preread finds a batch or nothing. */
double summary_trial_empty_share(const struct record_trial *trial)
{
	struct counts counts = side_counts(trial, false);
	double prereads = counts.empty + counts.batches;

	return prereads > 0.0 && !counts.untold ? counts.empty / prereads : -1.0;
}

double summary_trial_cpu_ns_per_message(const struct record_trial *trial)
{
	return trial->cpu_ns_per_message;
}

static int actor_cpu(const struct record_trial *trial, int actor)
{
	for (size_t i = 0; i < trial->endpoint_count; i++)
		if (trial->endpoints[i].actor == actor)
			return trial->endpoints[i].cpu;
	return -1;
}

/* Are these the two CPUs in this order (1), in the other (-1), or others (0)? */
static int cpus_order(const json_t *cpus, int first, int second)
{
	json_int_t a, b;

	if (json_array_size(cpus) != 2)
		return 0;
	a = json_integer_value(json_array_get(cpus, 0));
	b = json_integer_value(json_array_get(cpus, 1));
	if (a == b)
		return 0;
	return a == first && b == second ? 1 : a == second && b == first ? -1 : 0;
}

/* The interval of the clock of `second` to that of `first` after the run. */
static bool run_offset(const struct record *record, int first, int second, double *low, double *high)
{
	const json_t *offset;
	size_t i;

	json_array_foreach(json_object_get(record->end, "offsets"), i, offset) {
		const json_t *low_json = json_object_get(offset, "low_ns"),
			     *high_json = json_object_get(offset, "high_ns");
		int order = cpus_order(json_object_get(offset, "cpus"), first, second);

		if (order == 0 || !json_is_number(low_json) || !json_is_number(high_json))
			continue;
		*low = order > 0 ? json_number_value(low_json) : -json_number_value(high_json);
		*high = order > 0 ? json_number_value(high_json) : -json_number_value(low_json);
		return true;
	}
	return false;
}

/* How far the trial's latency can be from the truth, given all that the run found out about the two clocks. */
double summary_trial_offset_bound(const struct record *record, const struct record_trial *trial,
				  const struct record_latency *latency)
{
	int from = actor_cpu(trial, latency->from_actor), to = actor_cpu(trial, latency->to_actor);
	int order = cpus_order(json_object_get(trial->cell.json, "cpus"), from, to);
	double low, high, middle, bound;

	if (order == 0 || !trial->offset_known || !run_offset(record, from, to, &low, &high))
		return latency->offset_half_width_ns;
	middle = order * (trial->offset_low_ns + trial->offset_high_ns) / 2;
	bound = fmax(fabs(middle - low), fabs(high - middle));
	return latency->offset_half_width_ns >= 0.0 ? fmin(bound, latency->offset_half_width_ns) : bound;
}
