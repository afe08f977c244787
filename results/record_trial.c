#include "record_trial.h"

#include "open_share.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIAL_POINTS = sizeof(((struct record_endpoint *)0)->points) / sizeof(struct record_point) };

static const double WINDOW_MOST_NS = 1e15; /* rates and times of wider or narrower ones may be beyond all numbers */

/* An array for all items of a list (never of size 0: NULL means out of memory). */
static void *items_make(struct fields *fields, size_t count, size_t size)
{
	void *items = calloc(count ? count : 1, size);

	if (!items)
		fields_fail(fields, -ENOMEM, "out of memory");
	return items;
}

static struct record_point point_take(const json_t *json, struct record_pool *pool, struct fields *fields)
{
	return (struct record_point){
		.point = record_pool_text(pool, fields_text(fields, json, "point"), fields),
		.messages = fields_count(fields, json, "messages"),
		.first_ns = fields_number(fields, json, "first_ns", NAN),
		.last_ns = fields_number(fields, json, "last_ns", NAN),
		.rate_per_s = fields_positive(fields, json, "rate_per_s"),
	};
}

static void windows_take(struct record_windows *windows, const json_t *endpoint, size_t number, const struct record_pool *pool,
			 struct fields *fields)
{
	const uint64_t *taken;
	size_t count;
	const json_t *json = json_object_get(endpoint, "windows") ? fields_object_or_null(fields, endpoint, "windows") : NULL, *list;

	if (!json)
		return;
	fields_at(fields, "endpoints[%zu].windows.", number);
	windows->width_ns = fields_positive(fields, json, "width_ns");
	if (windows->width_ns > 0 && (windows->width_ns < 1 || windows->width_ns > WINDOW_MOST_NS))
		fields_fail(fields, -EINVAL, "%swidth_ns is less than 1 or more than 1e15", fields->where);
	windows->within_messages = fields_count(fields, json, "within_messages");
	list = fields_array(fields, json, "messages");
	count = json_array_size(list);
	taken = number_lists_find(&pool->lists, list, &count);
	windows->messages = items_make(fields, count, sizeof(*windows->messages));
	if (!windows->messages)
		return;
	windows->count = count;
	if (taken) {
		memcpy(windows->messages, taken, count * sizeof(*taken));
		return;
	}
	for (size_t i = 0; i < windows->count; i++) {
		const json_t *messages = json_array_get(list, i);

		if (!json_is_integer(messages) || json_integer_value(messages) < 0)
			fields_fail(fields, -EINVAL, "%smessages[%zu] is not a whole number of 0 or more", fields->where, i);
		windows->messages[i] = (uint64_t)json_integer_value(messages);
	}
}

static void endpoint_take(struct record_endpoint *endpoint, const json_t *json, size_t number, struct record_pool *pool,
			  struct fields *fields)
{
	const json_t *points, *point;
	const char *role;
	size_t i;

	fields_at(fields, "endpoints[%zu].", number);
	endpoint->actor = fields_small(fields, json, "actor");
	endpoint->queue = fields_small(fields, json, "queue");
	endpoint->cpu = fields_small(fields, json, "cpu");
	endpoint->refused = fields_count_or_unknown(fields, json, "refused");
	endpoint->empty = fields_count_or_unknown(fields, json, "empty");
	endpoint->batches = fields_count(fields, json, "batches");
	endpoint->messages = fields_count(fields, json, "messages");
	endpoint->longest_gap_ns = json_object_get(json, "longest_gap_ns") ? fields_positive(fields, json, "longest_gap_ns") : -1.0;
	role = fields_text(fields, json, "role");
	endpoint->producer = role && strcmp(role, "producer") == 0;
	if (role && !endpoint->producer && strcmp(role, "consumer") != 0)
		fields_fail(fields, -EINVAL, "%srole is neither producer nor consumer", fields->where);
	points = fields_array(fields, json, "points");
	if (json_array_size(points) > TRIAL_POINTS) {
		fields_fail(fields, -EINVAL, "%spoints has more than %d items", fields->where, TRIAL_POINTS);
		return;
	}
	endpoint->point_count = json_array_size(points);
	json_array_foreach(points, i, point) {
		fields_at(fields, "endpoints[%zu].points[%zu].", number, i);
		endpoint->points[i] = point_take(point, pool, fields);
	}
	fields_at(fields, "endpoints[%zu].", number);
	windows_take(&endpoint->windows, json, number, pool, fields);
}

static void endpoints_take(struct record_trial *trial, const json_t *line, struct record_pool *pool,
			   struct fields *fields)
{
	const json_t *list = fields_array(fields, line, "endpoints"), *json;
	size_t i;

	trial->endpoints = items_make(fields, json_array_size(list), sizeof(*trial->endpoints));
	if (fields->failed)
		return;
	trial->endpoint_count = json_array_size(list);
	json_array_foreach(list, i, json)
		endpoint_take(&trial->endpoints[i], json, i, pool, fields);
}

static void latency_end_take(const json_t *json, size_t number, const char *end, int *actor, int *queue,
			     const char **point, struct record_pool *pool, struct fields *fields)
{
	const json_t *place;

	fields_at(fields, "latency[%zu].", number);
	place = fields_object(fields, json, end);
	fields_at(fields, "latency[%zu].%s.", number, end);
	*actor = fields_small_or_null(fields, place, "actor");
	*queue = fields_small(fields, place, "queue");
	*point = record_pool_text(pool, fields_text(fields, place, "point"), fields);
}

static void latency_take(struct record_latency *latency, const json_t *json, size_t number, struct record_pool *pool,
			 struct fields *fields)
{
	latency_end_take(json, number, "from", &latency->from_actor, &latency->from_queue, &latency->from_point, pool,
			 fields);
	latency_end_take(json, number, "to", &latency->to_actor, &latency->to_queue, &latency->to_point, pool, fields);
	fields_at(fields, "latency[%zu].", number);
	latency->tag = record_pool_text(pool, fields_text_or_null(fields, json, "tag"), fields);
	latency->count = fields_count(fields, json, "count");
	latency->below_zero = fields_count(fields, json, "below_zero");
	latency->beyond = fields_count(fields, json, "beyond");
	latency->min_ns = fields_number(fields, json, "min_ns", 0.0);
	latency->min_known = json_is_number(json_object_get(json, "min_ns"));
	latency->mean_ns = fields_number(fields, json, "mean_ns", -1.0);
	latency->p50_ns = fields_number(fields, json, "p50_ns", -1.0);
	latency->p90_ns = fields_number(fields, json, "p90_ns", -1.0);
	latency->p99_ns = fields_number(fields, json, "p99_ns", -1.0);
	latency->p99_9_ns = fields_number(fields, json, "p99_9_ns", -1.0);
	latency->p99_99_ns = fields_number(fields, json, "p99_99_ns", -1.0);
	latency->max_ns = fields_number(fields, json, "max_ns", -1.0);
	latency->offset_half_width_ns = fields_positive(fields, json, "offset_half_width_ns");
}

static void latencies_take(struct record_trial *trial, const json_t *line, struct record_pool *pool,
			   struct fields *fields)
{
	const json_t *list, *json;
	size_t i;

	fields_at(fields, "%s", "");
	list = fields_array(fields, line, "latency");
	trial->latencies = items_make(fields, json_array_size(list), sizeof(*trial->latencies));
	if (fields->failed)
		return;
	trial->latency_count = json_array_size(list);
	json_array_foreach(list, i, json)
		latency_take(&trial->latencies[i], json, i, pool, fields);
}

static void stalls_take(struct record_trial *trial, const json_t *noise, struct fields *fields)
{
	const json_t *list = fields_array(fields, noise, "stalls"), *bucket;
	size_t i;

	trial->stalls = items_make(fields, json_array_size(list), sizeof(*trial->stalls));
	if (fields->failed)
		return;
	trial->stall_count = json_array_size(list);
	json_array_foreach(list, i, bucket) {
		const json_t *edge = json_array_get(bucket, 0), *count = json_array_get(bucket, 1);
		const json_t *total = json_array_get(bucket, 2);

		if (!json_is_number(edge) || !json_is_integer(count) || !json_is_number(total) ||
		    json_integer_value(count) < 0 || json_number_value(edge) < 0.0 || json_number_value(total) < 0.0) {
			fields_fail(fields, -EINVAL, "%sstalls[%zu] is not [upper edge in ns, count, total in ns]",
				    fields->where, i);
			return;
		}
		trial->stalls[i] = (struct record_stall){ .upper_edge_ns = json_number_value(edge),
							  .count = (uint64_t)json_integer_value(count),
							  .total_ns = json_number_value(total) };
	}
}

/* Older files don't tell. */
static double cpu_share_take(const json_t *cost, const char *name, struct fields *fields)
{
	const json_t *share = json_object_get(cost, name);

	return !share || json_is_null(share) ? -1.0 : fields_positive(fields, cost, name);
}

static double positive_or_unknown(const json_t *object, const char *name)
{
	double value = json_number_value(json_object_get(object, name));

	return json_is_number(json_object_get(object, name)) && value >= 0 ? value : -1.0;
}

/* At most 1: what was lost may have been counted over longer than the time that it is held against. < 0: unknown. */
static double share_of(double lost_ns, double of_ns)
{
	return lost_ns >= 0 && of_ns > 0 ? fmin(lost_ns / of_ns, 1) : -1.0;
}

/* What the system took of the actors' time: told beside, so that a record that has it not is read all the same. */
static void losses_take(struct record_trial *trial, const json_t *noise)
{
	const json_t *actor;
	size_t i;

	double window_ns = positive_or_unknown(noise, "window_ns");

	trial->throttled_share = share_of(positive_or_unknown(noise, "throttled_ns"), window_ns);
	json_array_foreach(json_object_get(noise, "actors"), i, actor) {
		double span_ns = positive_or_unknown(actor, "span_ns");

		span_ns = span_ns > 0 ? span_ns : window_ns;
		trial->run_delay_share = fmax(trial->run_delay_share, share_of(positive_or_unknown(actor, "run_delay_ns"), span_ns));
		trial->steal_share = fmax(trial->steal_share, share_of(positive_or_unknown(actor, "steal_ns"), span_ns));
	}
}

static void noise_take(struct record_trial *trial, const json_t *line, struct fields *fields)
{
	const json_t *noise, *cost, *offset;

	fields_at(fields, "%s", "");
	noise = fields_object_or_null(fields, line, "noise");
	cost = fields_object_or_null(fields, line, "cost");
	offset = fields_object_or_null(fields, line, "clock_offset");
	trial->stall_share = trial->stall_window_ns = trial->cpu_ns_per_message = -1.0;
	trial->senders_cpu_share = trial->others_cpu_share = -1.0;
	trial->run_delay_share = trial->steal_share = trial->throttled_share = -1.0;
	fields_at(fields, "noise.");
	if (noise) {
		trial->stall_share = fields_positive(fields, noise, "stall_share");
		trial->stall_window_ns = fields_positive(fields, noise, "stall_window_ns");
		stalls_take(trial, noise, fields);
		losses_take(trial, noise);
	}
	fields_at(fields, "cost.");
	if (cost) {
		trial->cpu_ns_per_message = fields_positive(fields, cost, "cpu_ns_per_message");
		trial->senders_cpu_share = cpu_share_take(cost, "senders_cpu_share", fields);
		trial->others_cpu_share = cpu_share_take(cost, "others_cpu_share", fields);
	}
	fields_at(fields, "clock_offset.");
	if (!offset)
		return;
	trial->offset_low_ns = fields_number(fields, offset, "low_ns", NAN);
	trial->offset_high_ns = fields_number(fields, offset, "high_ns", NAN);
	trial->offset_known = trial->offset_low_ns <= trial->offset_high_ns;
}

static void side_take(const json_t *fairness, const char *side, double *jain, double *longest_gap_ns, struct fields *fields)
{
	const json_t *json;

	*jain = *longest_gap_ns = -1.0;
	if (!fairness)
		return;
	fields_at(fields, "fairness.");
	json = fields_object(fields, fairness, side);
	fields_at(fields, "fairness.%s.", side);
	*jain = fields_positive(fields, json, "jain");
	*longest_gap_ns = fields_positive(fields, json, "longest_gap_ns");
}

static void fairness_take(struct record_trial *trial, const json_t *line, struct fields *fields)
{
	const json_t *fairness = NULL;

	fields_at(fields, "%s", "");
	if (json_object_get(line, "fairness"))
		fairness = fields_object_or_null(fields, line, "fairness");
	side_take(fairness, "producers", &trial->producers_jain, &trial->producers_longest_gap_ns, fields);
	side_take(fairness, "consumers", &trial->consumers_jain, &trial->consumers_longest_gap_ns, fields);
}

/* null is unknown */
static void verdict_take(const json_t *json, const char *name, bool *known, bool *verdict, struct fields *fields)
{
	*known = json_object_get(json, name) && !json_is_null(json_object_get(json, name));
	*verdict = *known && fields_bool(fields, json, name);
}

static void open_take(struct record_trial *trial, const json_t *line, struct fields *fields)
{
	struct record_open *open = &trial->open;
	const json_t *json;

	fields_at(fields, "%s", "");
	trial->work_took_ns = json_object_get(line, "work_took_ns") ? fields_positive(fields, line, "work_took_ns") : -1.0;
	trial->think_took_ns = json_object_get(line, "think_took_ns") ? fields_positive(fields, line, "think_took_ns") : -1.0;
	json = json_object_get(line, "open") ? fields_object_or_null(fields, line, "open") : NULL;
	if (!json)
		return;
	trial->is_open = true;
	fields_at(fields, "open.");
	open->offered_per_s = fields_positive(fields, json, "offered_per_s");
	open->capacity_per_s = fields_positive(fields, json, "capacity_per_s");
	open->reached_per_s = fields_positive(fields, json, "reached_per_s");
	open->reached_share = fields_positive(fields, json, "reached_share");
	verdict_take(json, "rate_reached", &open->rate_reached_known, &open->rate_reached, fields);
	verdict_take(json, "saturated", &open->saturated_known, &open->saturated, fields);
}

/* Older files tell nothing of a trial whose stamps give no rate, even where next to no message was written. */
static void open_complete(struct record_trial *trial)
{
	struct record_open *open = &trial->open;
	struct open_offer offer = { .per_s = open->offered_per_s, .duration_ns = trial->cell.duration_ns, .burst = trial->cell.burst,
				    .producers = trial->cell.producers };
	uint64_t written = 0;

	if (!trial->is_open || open->reached_share >= 0.0 || strcmp(trial->status, "ok") != 0)
		return;
	for (size_t i = 0; i < trial->endpoint_count; i++)
		if (trial->endpoints[i].producer && trial->endpoints[i].queue == 0)
			written += trial->endpoints[i].messages;
	offer.random = trial->cell.arrival && !strcmp(trial->cell.arrival, "poisson");
	open->reached_share = open_share_written(written, &offer);
	if (open->reached_share < 0.0)
		return;
	open->reached_per_s = open->reached_share * open->offered_per_s;
	open->rate_reached_known = true; /* and false: it is less than half */
}

/* Of older files what was asked for is told by the cell alone; of one stamp a batch it is not. */
static uint64_t stamps_asked(const struct record_trial *trial, const json_t *json, struct fields *fields)
{
	if (json_object_get(json, "asked"))
		return fields_count(fields, json, "asked");
	return !strcmp(trial->cell.stamps, "message") ? 1 : strtoull(trial->cell.stamps, NULL, 10);
}

static void stamps_take(struct record_trial *trial, const json_t *line, struct fields *fields)
{
	static const char full[] = "the memory for stamps was full";
	const json_t *json = json_object_get(line, "stamps");
	const char *note;

	if (!json_is_object(json) || fields->failed)
		return;
	fields_at(fields, "stamps.");
	trial->stamp_every = fields_count_or_null(fields, json, "every");
	trial->stamp_asked = stamps_asked(trial, json, fields);
	note = fields_text_or_null(fields, json, "note");
	trial->stamps_full = json_object_get(json, "full") ? fields_bool(fields, json, "full") :
							     note && !strncmp(note, full, strlen(full));
}

static const char *status_take(const json_t *line, struct fields *fields)
{
	static const char *const known[] = { "ok", "invalid", "crash", "hang", "skipped" };
	const char *status = fields_text(fields, line, "status");

	for (size_t i = 0; status && i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(status, known[i]) == 0)
			return known[i];
	fields_fail(fields, -EINVAL, "status is none of ok, invalid, crash, hang, skipped");
	return NULL;
}

int record_trial_take(struct record_trial *trial, const json_t *line, const struct record_cell *cell,
		      struct record_pool *pool, struct fields *fields)
{
	*trial = (struct record_trial){ 0 };
	fields_at(fields, "%s", "");
	trial->id = fields_count(fields, line, "id");
	trial->status = status_take(line, fields);
	trial->why = record_pool_text(pool, fields_text_or_null(fields, line, "why"), fields);
	trial->valid = fields_bool(fields, line, "valid");
	trial->moved = fields_bool(fields, line, "moved");
	trial->disturbed = fields_bool(fields, line, "disturbed");
	trial->line_before_ns = fields_positive(fields, line, "line_before_ns");
	trial->line_after_ns = fields_positive(fields, line, "line_after_ns");
	trial->line_least_ns = fields_positive(fields, line, "line_least_ns");
	endpoints_take(trial, line, pool, fields);
	fairness_take(trial, line, fields);
	open_take(trial, line, fields);
	latencies_take(trial, line, pool, fields);
	trial->has_positions = json_is_object(json_object_get(line, "positions"));
	noise_take(trial, line, fields);
	trial->cell = cell ? *cell : record_pool_cell(pool, fields_object(fields, line, "cell"), fields);
	if (!fields->failed)
		open_complete(trial);
	stamps_take(trial, line, fields);
	return fields->failed;
}

void record_trial_free(struct record_trial *trial)
{
	for (size_t i = 0; i < trial->endpoint_count; i++)
		free(trial->endpoints[i].windows.messages);
	free(trial->endpoints);
	free(trial->latencies);
	free(trial->stalls);
}
