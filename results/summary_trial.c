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

/* Where messages come out: a ping-pong's answers, which go another way back, are none of them. */
static int last_queue(const struct record_trial *trial)
{
	int last = 0;

	for (size_t i = 0; strcmp(trial->cell.workload, "pipeline") == 0 && i < trial->endpoint_count; i++)
		if (trial->endpoints[i].queue > last)
			last = trial->endpoints[i].queue;
	return last;
}

enum over { SUM, LEAST, MOST };

/* Over the producers of queue 0, or the consumers of the last one; with one of them unknown it is unknown. */
static double side_rate(const struct record_trial *trial, bool producers, const char *point, enum over over)
{
	int queue = producers ? 0 : last_queue(trial);
	double sum = -1.0;

	for (size_t i = 0; i < trial->endpoint_count; i++) {
		const struct record_endpoint *endpoint = &trial->endpoints[i];
		double rate;

		if (endpoint->queue != queue || endpoint->producer != producers)
			continue;
		rate = endpoint_rate(endpoint, point);
		if (rate < 0.0)
			return -1.0;
		sum = sum < 0.0 ? rate : over == SUM ? sum + rate : over == LEAST ? fmin(sum, rate) : fmax(sum, rate);
	}
	return sum;
}

double summary_trial_sender_rate(const struct record_trial *trial)
{
	return side_rate(trial, true, "write", SUM);
}

double summary_trial_receiver_rate(const struct record_trial *trial)
{
	return side_rate(trial, false, "read", SUM);
}

double summary_trial_least_sender_rate(const struct record_trial *trial)
{
	return trial->producers_longest_gap_ns < 0.0 ? -1.0 : side_rate(trial, true, "write", LEAST);
}

double summary_trial_most_sender_rate(const struct record_trial *trial)
{
	return trial->producers_longest_gap_ns < 0.0 ? -1.0 : side_rate(trial, true, "write", MOST);
}

double summary_trial_least_receiver_rate(const struct record_trial *trial)
{
	return trial->consumers_longest_gap_ns < 0.0 ? -1.0 : side_rate(trial, false, "read", LEAST);
}

double summary_trial_most_receiver_rate(const struct record_trial *trial)
{
	return trial->consumers_longest_gap_ns < 0.0 ? -1.0 : side_rate(trial, false, "read", MOST);
}

double summary_trial_sender_jain(const struct record_trial *trial)
{
	return trial->producers_jain;
}

double summary_trial_receiver_jain(const struct record_trial *trial)
{
	return trial->consumers_jain;
}

double summary_trial_sender_gap_ns(const struct record_trial *trial)
{
	return trial->producers_longest_gap_ns;
}

double summary_trial_receiver_gap_ns(const struct record_trial *trial)
{
	return trial->consumers_longest_gap_ns;
}

struct counts {
	double refused, empty, batches, messages;
	bool untold; /* the queue does not tell refused and empty */
};

static struct counts side_counts(const struct record_trial *trial, bool producers)
{
	struct counts counts = { 0 };
	int queue = producers ? 0 : last_queue(trial);

	for (size_t i = 0; i < trial->endpoint_count; i++) {
		const struct record_endpoint *endpoint = &trial->endpoints[i];

		if (endpoint->queue != queue || endpoint->producer != producers)
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

double summary_trial_senders_cpu_share(const struct record_trial *trial)
{
	return trial->senders_cpu_share;
}

double summary_trial_others_cpu_share(const struct record_trial *trial)
{
	return trial->others_cpu_share;
}

double summary_trial_offered(const struct record_trial *trial)
{
	return trial->is_open ? trial->open.offered_per_s : -1.0;
}

double summary_trial_capacity(const struct record_trial *trial)
{
	return trial->is_open ? trial->open.capacity_per_s : -1.0;
}

bool summary_trial_fell_behind(const struct record_trial *trial)
{
	const struct record_open *open = &trial->open;

	return (open->saturated_known && open->saturated) || (open->rate_reached_known && !open->rate_reached);
}

double summary_trial_reached(const struct record_trial *trial)
{
	return trial->is_open ? trial->open.reached_per_s : -1.0;
}

double summary_trial_reached_share(const struct record_trial *trial)
{
	return trial->is_open ? trial->open.reached_share : -1.0;
}

static int actor_cpu(const struct record_trial *trial, int actor)
{
	for (size_t i = 0; i < trial->endpoint_count; i++)
		if (trial->endpoints[i].actor == actor)
			return trial->endpoints[i].cpu;
	return -1;
}

/* Are these two different CPUs, in either order? */
static bool cpus_are(const json_t *cpus, int first, int second)
{
	json_int_t a, b;

	if (json_array_size(cpus) != 2 || first == second)
		return false;
	a = json_integer_value(json_array_get(cpus, 0));
	b = json_integer_value(json_array_get(cpus, 1));
	return (a == first && b == second) || (a == second && b == first);
}

/* How far an offset within an interval can be from none: the trial's latencies are not put right by any offset. */
static double farthest(double low_ns, double high_ns)
{
	return fmax(fabs(low_ns), fabs(high_ns));
}

/* The same of what all trials of the run left of the interval between two CPUs; infinite where the run does not tell.
 */
static double run_bound(const struct record *record, int first, int second)
{
	const json_t *offset;
	size_t i;

	json_array_foreach(json_object_get(record->end, "offsets"), i, offset) {
		const json_t *low = json_object_get(offset, "low_ns"), *high = json_object_get(offset, "high_ns");

		if (cpus_are(json_object_get(offset, "cpus"), first, second) && json_is_number(low) &&
		    json_is_number(high))
			return farthest(json_number_value(low), json_number_value(high));
	}
	return INFINITY;
}

double summary_trial_offset_bound(const struct record *record, const struct record_trial *trial,
				  const struct record_latency *latency)
{
	int from = actor_cpu(trial, latency->from_actor), to = actor_cpu(trial, latency->to_actor);

	if (!trial->offset_known || !cpus_are(json_object_get(trial->cell.json, "cpus"), from, to))
		return latency->offset_half_width_ns;
	return fmin(run_bound(record, from, to), farthest(trial->offset_low_ns, trial->offset_high_ns));
}
