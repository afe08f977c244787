#include "capacity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double first_rate(const json_t *endpoint)
{
	const json_t *rate = json_object_get(json_array_get(json_object_get(endpoint, "points"), 0), "rate_per_s");

	return json_is_number(rate) ? json_number_value(rate) : 0;
}

double capacity_receivers_per_s(const struct cell *cell, const json_t *trial)
{
	json_int_t last = cell->workload == WORKLOAD_PIPELINE ? cell_queues(cell) - 1 : 0;
	const json_t *endpoint;
	double rate = 0;
	size_t i;

	json_array_foreach(json_object_get(trial, "endpoints"), i, endpoint) {
		const char *role = json_string_value(json_object_get(endpoint, "role"));

		if (role && !strcmp(role, "consumer") && json_integer_value(json_object_get(endpoint, "queue")) == last)
			rate += first_rate(endpoint);
	}
	return rate;
}

struct capacity capacity_of_trial(const struct cell *cell, const json_t *trial, uint64_t id)
{
	struct capacity capacity = {.per_s = capacity_receivers_per_s(cell, trial), .trial = id};
	const char *status = json_string_value(json_object_get(trial, "status")), *why = json_string_value(json_object_get(trial, "why"));

	if (cell->queue->traits.multicast) /* each of its readers gets each message */
		capacity.per_s /= cell->consumers;
	if (json_is_true(json_object_get(trial, "valid")) && capacity.per_s > 0)
		return capacity;
	capacity.per_s = 0;
	if (json_is_true(json_object_get(trial, "valid")))
		snprintf(capacity.why, sizeof(capacity.why), "the capacity that its rate is a share of is unknown: the trial that measured it (id %llu) "
			 "has no rate at read: too few stamps, or over too little of the time", (unsigned long long)id);
	else
		snprintf(capacity.why, sizeof(capacity.why), "the capacity that its rate is a share of is unknown: the trial that was to measure it "
			 "(id %llu) did not count: %.20s%s%.400s", (unsigned long long)id, status ? status : "", why ? ", " : "", why ? why : "");
	return capacity;
}

uint64_t capacity_share(const struct capacity *capacity, uint64_t percent)
{
	double share = round(capacity->per_s * (double)percent / 100);

	return share < 1 ? 1 : (uint64_t)share;
}
