/* What the parent asks of a trial, as JSON and back. */
#include "trial.h"

#include <errno.h>
#include <math.h>

#include "plugins.h"

json_t *trial_request_to_json(const struct trial_request *request)
{
	const struct clock *clock = &request->clock;

	return json_pack("{s:o, s:o, s:b, s:f, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:b, s:b, s:I, s:f, s:I, s:s, s:I}", "cell",
			 cell_to_json(&request->cell),
			 "plugin", plugins_request(request->cell.queue),
			 "counter", clock->source == CLOCK_COUNTER, "ticks_per_s", clock->ticks_per_s, "quantum_ticks",
			 (json_int_t)clock->quantum_ticks, "seed", (json_int_t)request->seed, "gap_ns",
			 (json_int_t)request->gap_ns, "memory_limit_bytes", (json_int_t)request->memory_limit_bytes,
			 "least_trip_ns", request->least_trip_ns, "offset_low_ns", fmax(request->offset_low_ns, -1e18),
			 "offset_high_ns", fmin(request->offset_high_ns, 1e18), "allow_unpinned", request->allow_unpinned,
			 "slice", request->slice, "rate_per_s", (json_int_t)request->rate_per_s, "capacity_per_s",
			 request->capacity_per_s, "capacity_trial", (json_int_t)request->capacity_trial, "raw", request->raw, "id",
			 (json_int_t)request->id);
}

int trial_request_from_json(struct trial_request *request, const json_t *json, const struct queue *plugin, char error[CELL_TEXT])
{
	json_t *cell;
	int counter, allow_unpinned, slice;
	json_int_t quantum, seed, gap, limit, rate, capacity_trial, id;
	const char *raw;

	*request = (struct trial_request){0};
	if (json_unpack((json_t *)json, "{s:o, s:b, s:F, s:I, s:I, s:I, s:I, s:F, s:F, s:F, s:b, s:b, s:I, s:F, s:I, s:s, s:I}", "cell",
			&cell, "counter",
			&counter, "ticks_per_s", &request->clock.ticks_per_s, "quantum_ticks", &quantum, "seed", &seed, "gap_ns",
			&gap, "memory_limit_bytes", &limit, "least_trip_ns", &request->least_trip_ns, "offset_low_ns",
			&request->offset_low_ns, "offset_high_ns", &request->offset_high_ns, "allow_unpinned",
			&allow_unpinned, "slice", &slice, "rate_per_s", &rate, "capacity_per_s", &request->capacity_per_s,
			"capacity_trial", &capacity_trial, "raw", &raw, "id", &id)) {
		snprintf(error, CELL_TEXT, "a trial's request lacks a field or has one of a wrong type");
		return -EINVAL;
	}
	request->clock.source = counter ? CLOCK_COUNTER : CLOCK_SYSTEM;
	request->clock.quantum_ticks = (uint64_t)quantum;
	request->seed = (uint64_t)seed;
	request->gap_ns = (uint64_t)gap;
	request->memory_limit_bytes = (uint64_t)limit;
	request->allow_unpinned = allow_unpinned;
	request->slice = slice;
	request->rate_per_s = (uint64_t)rate;
	request->capacity_trial = (uint64_t)capacity_trial;
	request->id = (uint64_t)id;
	snprintf(request->raw, sizeof(request->raw), "%s", raw);
	return cell_of_queue_from_json(&request->cell, cell, plugin, error);
}
