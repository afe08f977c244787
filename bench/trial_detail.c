#include "trial_detail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "histogram.h"

enum { POSITIONS_MAX = 256 }; /* of a larger batch, some */

static json_t *ticks_to_json(const struct trial *trial, double ticks)
{
	return json_real(round(clock_ns(ticks, trial->request->clock.ticks_per_s) * 10) / 10);
}

uint64_t trial_stamp_every(const struct trial *trial)
{
	uint64_t every = trial->shared[0].stamp_every;

	for (unsigned i = 0; trial->fan && i < trial->fan->producers; i++)
		if (trial->fan->by_producer[i].stamp_every > every)
			every = trial->fan->by_producer[i].stamp_every;
	return every;
}

/* ---- windows of time ---- */

json_t *trial_windows_to_json(const struct trial *trial, const struct trial_endpoint *end)
{
	const struct time_windows *windows = &end->account.windows;
	uint64_t before = end->account.outer_first.count, within = end->plan.look_every, every = trial_stamp_every(trial);
	json_t *messages;

	if (!windows->count)
		return json_null();
	messages = json_array();
	for (size_t i = 0; i < windows->count; i++) {
		json_array_append_new(messages, json_integer((json_int_t)(windows->passed[i] - before)));
		before = windows->passed[i];
	}
	return json_pack("{s:o, s:I, s:o}", "width_ns", ticks_to_json(trial, (double)windows->width_ticks), "within_messages",
			 (json_int_t)(every && every < within ? every : within), "messages", messages);
}

/* ---- places in a batch ---- */

static void append_percentile(const struct trial *trial, json_t *list, const struct histogram *histogram, double p)
{
	double ticks;
	bool known = histogram_percentile(histogram, p, &ticks);

	json_array_append_new(list, known ? ticks_to_json(trial, ticks) : json_null());
}

static json_t *positions_to_json(const struct trial *trial, const struct analysis_positions *positions, struct histogram *histogram)
{
	uint64_t step = (positions->batch + POSITIONS_MAX - 1) / POSITIONS_MAX;
	json_t *places = json_array(), *p50 = json_array(), *p99 = json_array();

	for (uint64_t place = 1; place <= positions->batch; place += step) {
		const int64_t *latencies = positions->latencies + (place - 1) * positions->batches;

		memset(histogram, 0, sizeof(*histogram));
		for (uint64_t i = 0; i < positions->batches; i++)
			histogram_add(histogram, latencies[i]);
		json_array_append_new(places, json_integer((json_int_t)place));
		append_percentile(trial, p50, histogram, .5);
		append_percentile(trial, p99, histogram, .99);
	}
	return json_pack("{s:s, s:s, s:i, s:I, s:I, s:I, s:o, s:o, s:o}", "from", "write", "to", "read", "queue", 0, "batch",
			 (json_int_t)positions->batch, "batches", (json_int_t)positions->batches, "others",
			 (json_int_t)positions->others, "position", places, "p50_ns", p50, "p99_ns", p99);
}

/* Why no latency by position can be told; NULL: it can. */
static const char *positions_lack(const struct trial *trial)
{
	if (trial->fan)
		return "several share the queue";
	if (!trial->actors[0].out.plan.inner)
		return "flush is not stamped: no latency that begins or ends there was asked for";
	return trial_stamp_every(trial) > 1 ? "not each message is stamped, so that the stamps found room" : NULL;
}

void trial_add_positions(const struct trial *trial, json_t *line)
{
	const struct cell *cell = &trial->request->cell;
	const struct trial_actor *actors = trial->actors;
	const struct trial_endpoint *reader = actors[0].in.used && !actors[0].in.queue ? &actors[0].in : &actors[1].in;
	const char *lack = positions_lack(trial);
	struct analysis_positions positions = {0};
	struct histogram *histogram = NULL;
	json_t *json = NULL;

	if (cell->stamps != STAMPS_MESSAGE || actors[0].out.plan.batch == 1)
		return;
	if (!lack) {
		histogram = histogram_new();
		if (!histogram || !analysis_by_position((struct analysis_point){&actors[0].out.account.stamps, false},
							(struct analysis_point){&reader->account.stamps, false},
							actors[0].out.plan.batch, &positions))
			lack = "no memory";
		else if (positions.alone || !positions.batches)
			lack = positions.alone ? "some stamps found no partner" : "no batch came to its full size";
		else
			json = positions_to_json(trial, &positions, histogram);
	}
	json_object_set_new(line, "positions", json ? json : json_null());
	json_object_set_new(line, "positions_note", json ? json_null() : json_string(lack));
	free(positions.latencies);
	free(histogram);
}
