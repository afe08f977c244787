/* What a finished trial found: rates, latencies, the audit, costs, the machine's noise. */
#include "trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "audit.h"
#include "target.h"

enum {
	LATENCIES = 3 * CELL_LATENCIES_MAX,
	SLICE_MESSAGES = 200,
	QUANTA_LEAST = 100,           /* a measurement shorter than so many clock quanta is none */
	RATE_TOLERANCE_PPM = 200,
};

/* A latency of a trial: between two points, each at an endpoint. */
struct latency {
	const struct trial_endpoint *from, *to;
	enum point from_point, to_point;
	struct histogram *histogram;
	uint64_t alone; /* stamps without a partner */
};

struct report {
	const struct trial *trial;
	double ticks_per_s;
	double offset_low_ns, offset_high_ns; /* of actor 1's clock against actor 0's: all that is known */
	double least_trip_ns;
	struct audit audit;
	struct latency latencies[LATENCIES];
	size_t latency_count;
};

static double report_ns(const struct report *report, double ticks)
{
	return clock_ns(ticks, report->ticks_per_s);
}

/* Nanoseconds to a tenth: a record is read by people, too. */
static json_t *json_ns(double ns)
{
	return json_real(round(ns * 10) / 10);
}

static json_t *json_known(double value, bool known)
{
	return known ? json_real(value) : json_null();
}

static json_t *json_count(int64_t count)
{
	return count < 0 ? json_null() : json_integer(count);
}

static bool is_inner(enum point point)
{
	return point == POINT_FLUSH || point == POINT_PREREAD;
}

static bool is_producers(enum point point)
{
	return point == POINT_WRITE || point == POINT_FLUSH;
}

/* ---- endpoints ---- */

/* messages: from the first stamped one to the last, so that rate_per_s is (messages − 1) / (last_ns − first_ns). */
static json_t *point_to_json(const struct report *report, enum point point, const struct mark *first, const struct mark *last)
{
	double rate = analysis_rate(first, last, report->ticks_per_s);
	bool seen = first->ticks != 0;
	double start = (double)report->trial->start;

	return json_pack("{s:s, s:I, s:o, s:o, s:o}", "point", point_names[point], "messages",
			 seen ? (json_int_t)(last->count - first->count + 1) : (json_int_t)0, "first_ns",
			 seen ? json_ns(report_ns(report, (double)first->ticks - start)) : json_null(), "last_ns",
			 seen ? json_ns(report_ns(report, (double)last->ticks - start)) : json_null(), "rate_per_s",
			 json_known(rate, rate >= 0));
}

static json_t *endpoint_to_json(const struct report *report, const struct trial_endpoint *end, bool producer)
{
	const struct endpoint_account *account = &end->account;
	json_t *points = json_array();
	bool native = report->trial->target->queue->traits.blocks_natively;

	json_array_append_new(points, point_to_json(report, producer ? POINT_WRITE : POINT_READ, &account->outer_first,
						    &account->outer_last));
	if (end->plan.inner)
		json_array_append_new(points, point_to_json(report, producer ? POINT_FLUSH : POINT_PREREAD,
							    &account->inner_first, &account->inner_last));
	/* a queue that blocks by its own means does not tell how often it found itself full or empty */
	return json_pack("{s:i, s:i, s:s, s:i, s:o, s:o, s:o, s:I, s:I}", "actor", (int)end->actor, "queue", (int)end->queue,
			 "role", producer ? "producer" : "consumer", "cpu", report->trial->actors[end->actor].cpu, "points",
			 points, "refused", native ? json_null() : json_integer((json_int_t)account->refused), "empty",
			 native ? json_null() : json_integer((json_int_t)account->empty), "batches",
			 (json_int_t)account->batches, "messages", (json_int_t)account->messages);
}

static json_t *endpoints_to_json(const struct report *report)
{
	json_t *endpoints = json_array();

	for (unsigned queue = 0; queue < report->trial->queue_count; queue++) {
		for (unsigned i = 0; i < TRIAL_ACTORS; i++) {
			const struct trial_actor *actor = &report->trial->actors[i];

			if (actor->out.used && actor->out.queue == queue)
				json_array_append_new(endpoints, endpoint_to_json(report, &actor->out, true));
		}
		for (unsigned i = 0; i < TRIAL_ACTORS; i++) {
			const struct trial_actor *actor = &report->trial->actors[i];

			if (actor->in.used && actor->in.queue == queue)
				json_array_append_new(endpoints, endpoint_to_json(report, &actor->in, false));
		}
	}
	return endpoints;
}

/* ---- latencies ---- */

static const struct trial_endpoint *endpoint_at(const struct trial *trial, unsigned queue, enum point point)
{
	for (unsigned i = 0; i < TRIAL_ACTORS; i++) {
		const struct trial_endpoint *end = is_producers(point) ? &trial->actors[i].out : &trial->actors[i].in;

		if (end->used && end->queue == queue)
			return end;
	}
	return NULL;
}

static bool add_latency(struct report *report, const struct trial_endpoint *from, enum point from_point,
			const struct trial_endpoint *to, enum point to_point)
{
	struct latency *latency = &report->latencies[report->latency_count++];

	*latency = (struct latency){from, to, from_point, to_point, histogram_new(), 0};
	if (!latency->histogram)
		return false;
	latency->alone = analysis_latency((struct analysis_point){&from->account.stamps, is_inner(from_point)},
					  (struct analysis_point){&to->account.stamps, is_inner(to_point)},
					  latency->histogram);
	return true;
}

/* In a ping-pong the round trip comes first, then each way. */
static bool find_latencies(struct report *report)
{
	const struct trial *trial = report->trial;
	const struct cell *cell = &trial->request->cell;

	if (cell->stamps == STAMPS_NONE)
		return true;
	if (trial->queue_count > 1 && !add_latency(report, &trial->actors[0].out, POINT_WRITE, &trial->actors[0].in, POINT_READ))
		return false;
	for (unsigned queue = 0; queue < trial->queue_count; queue++)
		for (size_t i = 0; i < cell->latency_count; i++) {
			struct latency_pair pair = cell->latencies[i];

			if (!add_latency(report, endpoint_at(trial, queue, pair.from), pair.from,
					 endpoint_at(trial, queue, pair.to), pair.to))
				return false;
		}
	return true;
}

static json_t *latency_point(const struct trial_endpoint *end, enum point point)
{
	return json_pack("{s:i, s:i, s:s}", "actor", (int)end->actor, "queue", (int)end->queue, "point", point_names[point]);
}

/* By how much the clocks' offset may falsify a latency, which is told as it was read: half the width of an interval around 0 that
 * is sure to hold the offset. */
static double offset_half_width_ns(const struct report *report, const struct latency *latency)
{
	if (report->trial->actors[latency->from->actor].cpu == report->trial->actors[latency->to->actor].cpu)
		return 0;
	return fmax(fabs(report->offset_low_ns), fabs(report->offset_high_ns));
}

static json_t *latency_to_json(const struct report *report, const struct latency *latency)
{
	static const struct {
		const char *name;
		double p;
	} percentiles[] = {{"p50_ns", .5}, {"p90_ns", .9}, {"p99_ns", .99}, {"p99_9_ns", .999}, {"p99_99_ns", .9999}};
	const struct histogram *histogram = latency->histogram;
	bool any = histogram->count > 0;
	double count = (double)histogram->count;
	json_t *json = json_pack(
		"{s:o, s:o, s:s?, s:I, s:o, s:o}", "from", latency_point(latency->from, latency->from_point), "to",
		latency_point(latency->to, latency->to_point), "tag",
		report->trial->request->cell.load == LOAD_SATURATE ? "saturated" : NULL, "count", (json_int_t)histogram->count,
		"min_ns", any ? json_ns(report_ns(report, (double)histogram->min)) : json_null(), "mean_ns",
		any ? json_ns(report_ns(report, (double)histogram->sum / count)) : json_null());

	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		double ticks;

		json_object_set_new(json, percentiles[i].name,
				    histogram_percentile(histogram, percentiles[i].p, &ticks) ? json_ns(report_ns(report, ticks))
											      : json_null());
	}
	json_object_set_new(json, "max_ns", any ? json_ns(report_ns(report, (double)histogram->max)) : json_null());
	json_object_set_new(json, "below_zero", json_integer((json_int_t)histogram->below_zero));
	json_object_set_new(json, "beyond", json_integer((json_int_t)histogram->beyond));
	json_object_set_new(json, "offset_half_width_ns", json_ns(offset_half_width_ns(report, latency)));
	return json;
}

/* ---- the audit ---- */

static void audit_endpoints(struct report *report)
{
	const struct trial *trial = report->trial;

	for (unsigned queue = 0; queue < trial->queue_count; queue++) {
		const struct endpoint_account *sent = &endpoint_at(trial, queue, POINT_WRITE)->account;
		const struct endpoint_account *received = &endpoint_at(trial, queue, POINT_READ)->account;

		audit_note(&report->audit, "lost", !received->lost, "%" PRIu64 " messages of queue %u never came",
			   received->lost, queue);
		audit_note(&report->audit, "order", !received->repeated,
			   "%" PRIu64 " messages of queue %u came twice or out of order", received->repeated, queue);
		audit_note(&report->audit, "contents", !received->torn, "%" PRIu64 " messages of queue %u did not hold what was written",
			   received->torn, queue);
		audit_note(&report->audit, "counts",
			   sent->messages == received->messages && sent->all_messages == received->all_messages,
			   "queue %u: %" PRIu64 " messages written, %" PRIu64 " read (warm-up included: %" PRIu64 ", %" PRIu64 ")",
			   queue, sent->messages, received->messages, sent->all_messages, received->all_messages);
		audit_note(&report->audit, "stamps", sent->stamps.count == received->stamps.count,
			   "queue %u: %zu messages stamped by the producer, %zu by the consumer", queue, sent->stamps.count,
			   received->stamps.count);
		for (unsigned inner = 0; inner <= trial->actors[0].out.plan.inner; inner++)
			audit_note(&report->audit, "ascending",
				   analysis_ascends((struct analysis_point){&sent->stamps, inner}) &&
					   analysis_ascends((struct analysis_point){&received->stamps, inner}),
				   "queue %u: an endpoint's stamps do not ascend", queue);
	}
}

static ticks_sum sum_at(const struct trial_endpoint *end, enum point point)
{
	return is_inner(point) ? end->account.inner_sum : end->account.outer_sum;
}

/* Whether no message was faster than a cache line can be. The bound on the clocks' offset is taken off, and a quantum. */
static void audit_light(struct report *report, const struct latency *latency)
{
	const struct trial *trial = report->trial;
	double quantum_ns = report_ns(report, (double)trial->request->clock.quantum_ticks);
	double offset_ns = latency->from->actor < latency->to->actor ? report->offset_low_ns : -report->offset_high_ns;
	double least_ns = report->least_trip_ns / 2 + offset_ns - quantum_ns;
	double min_ns = report_ns(report, (double)latency->histogram->min);

	/* without pins, the line may have been measured elsewhere */
	if (latency->from->actor == latency->to->actor || trial->actors[0].cpu == trial->actors[1].cpu || !trial_is_pinned(trial) ||
	    !latency->histogram->count)
		return;
	audit_note(&report->audit, "light", min_ns >= least_ns,
		   "a message took %.1f ns, but half the line's least round trip less the clocks' bound is %.1f ns", min_ns,
		   least_ns);
}

static void audit_latencies(struct report *report)
{
	for (size_t i = 0; i < report->latency_count; i++) {
		const struct latency *latency = &report->latencies[i];
		const struct histogram *histogram = latency->histogram;
		__int128 area = (__int128)sum_at(latency->to, latency->to_point) -
				(__int128)sum_at(latency->from, latency->from_point);

		audit_note(&report->audit, "joined", !latency->alone && histogram->count == latency->from->account.stamps.count,
			   "%" PRIu64 " of %zu stamped messages found no partner", latency->alone,
			   latency->from->account.stamps.count);
		audit_note(&report->audit, "histogram", histogram_is_consistent(histogram) &&
			   histogram->count == latency->from->account.stamps.count,
			   "%" PRIu64 " latencies of %zu stamped messages", histogram->count, latency->from->account.stamps.count);
		audit_note(&report->audit, "area", area == histogram->sum,
			   "the sum of latencies is %.0f ticks, but the area between the curves is %.0f", (double)histogram->sum,
			   (double)area);
		audit_note(&report->audit, "below zero", histogram->below_zero * 1000 <= histogram->count,
			   "%" PRIu64 " of %" PRIu64 " latencies lie below zero: the clocks are apart", histogram->below_zero,
			   histogram->count);
		audit_light(report, latency);
	}
}

static void audit_clock(struct report *report)
{
	const struct trial *trial = report->trial;
	const struct clock_pair *from = &trial->clock_before, *to = &trial->clock_after;
	double claimed_ns = report_ns(report, (double)(to->ticks - from->ticks)), wall_ns = (double)(to->raw_ns - from->raw_ns);
	double quantum_ns = report_ns(report, (double)trial->request->clock.quantum_ticks);
	double read_ns = report_ns(report, (double)(from->width_ticks + to->width_ticks));
	double tolerance_ns = wall_ns * RATE_TOLERANCE_PPM * 1e-6 + 2 * quantum_ns + read_ns;

	audit_note(&report->audit, "clock", fabs(claimed_ns - wall_ns) <= tolerance_ns,
		   "the counter claims %.0f ns where the system's clock saw %.0f", claimed_ns, wall_ns);
	audit_note(&report->audit, "offset", report->offset_low_ns <= report->offset_high_ns,
		   "the clocks moved against each other: at least %.1f ns apart, at most %.1f", report->offset_low_ns,
		   report->offset_high_ns);
	for (unsigned i = 0; i < TRIAL_ACTORS; i++) {
		const struct trial_endpoint *ends[] = {&trial->actors[i].out, &trial->actors[i].in};

		for (size_t k = 0; k < 2; k++) {
			const struct endpoint_account *account = &ends[k]->account;
			uint64_t ticks = account->outer_last.ticks - account->outer_first.ticks;

			if (ends[k]->used && ticks)
				audit_note(&report->audit, "resolution",
					   ticks >= QUANTA_LEAST * trial->request->clock.quantum_ticks,
					   "%.0f ns were measured, fewer than %d quanta of the clock", report_ns(report, (double)ticks),
					   QUANTA_LEAST);
		}
	}
}

/* ---- costs and noise ---- */

static uint64_t all_messages(const struct trial *trial)
{
	return trial->actors[0].out.account.all_messages + trial->actors[1].out.account.all_messages;
}

static json_t *cost_to_json(const struct trial *trial)
{
	const struct queue_traits *traits = &trial->target->queue->traits;
	bool began = trial->actors[0].out.account.messages > 0;
	uint64_t sleeps = 0, wakes = 0, yields = 0;
	double cpu_ns = 0;

	for (unsigned i = 0; i < trial->queue_count; i++) {
		const struct wait_point *points[] = {&trial->shared[i].messages, &trial->shared[i].room};

		for (size_t k = 0; k < 2; k++) {
			sleeps += points[k]->sleeps;
			yields += points[k]->yields;
			wakes += points[k]->wakes_sent;
		}
	}
	for (unsigned i = 0; i < TRIAL_ACTORS; i++)
		if (trial->actors[i].out.used || trial->actors[i].in.used)
			cpu_ns += (double)disturbance_between(&trial->actors[i].before, &trial->actors[i].after).cpu_time_ns;
	/* what a queue does in libc or the kernel by itself is not told: null */
	return json_pack(
		"{s:o, s:I, s:o, s:o, s:o, s:I}", "allocations",
		began ? json_integer((json_int_t)(trial->memory_after.allocations - trial->memory_before.allocations)) : json_null(),
		"fresh_blocks", (json_int_t)trial->memory_after.fresh, "system_calls",
		traits->calls_in_loop ? json_null() : json_integer((json_int_t)(sleeps + wakes + yields)), "wake_ups",
		traits->blocks_natively ? json_null() : json_integer((json_int_t)wakes), "cpu_ns_per_message",
		json_known(cpu_ns / (double)all_messages(trial), all_messages(trial) > 0), "resident_bytes",
		(json_int_t)trial->memory_after.bytes_peak);
}

static json_t *actor_noise_to_json(const struct trial_actor *actor)
{
	struct disturbance noise = disturbance_between(&actor->before, &actor->after);

	return json_pack("{s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "actor", (int)actor->index, "cpu", actor->cpu,
			 "pinned", actor->pinned, "voluntary_switches", json_count(noise.voluntary_switches),
			 "involuntary_switches", json_count(noise.involuntary_switches), "minor_faults",
			 json_count(noise.minor_faults), "major_faults", json_count(noise.major_faults), "migrations",
			 json_count(noise.migrations), "run_delay_ns", json_count(noise.run_delay_ns), "steal_ns",
			 json_count(noise.steal_ns), "cpu_time_ns", json_count(noise.cpu_time_ns));
}

static double loops_ns(const struct report *report)
{
	const struct trial *trial = report->trial;
	uint64_t last = 0;

	for (unsigned i = 0; i < TRIAL_ACTORS; i++) {
		if (trial->actors[i].out.account.outer_last.ticks > last)
			last = trial->actors[i].out.account.outer_last.ticks;
		if (trial->actors[i].in.account.outer_last.ticks > last)
			last = trial->actors[i].in.account.outer_last.ticks;
	}
	return last > trial->start ? report_ns(report, (double)(last - trial->start)) : 0;
}

static json_t *noise_to_json(const struct report *report)
{
	const struct trial *trial = report->trial;
	json_t *actors = json_array(), *stalls = json_array();
	struct gap_account gaps = {0};
	int64_t throttled = trial->throttled_before_ns < 0 ? -1 : trial->throttled_after_ns - trial->throttled_before_ns;

	for (unsigned i = 0; i < TRIAL_ACTORS; i++) {
		json_array_append_new(actors, actor_noise_to_json(&trial->actors[i]));
		gap_merge(&gaps, &trial->actors[i].gaps);
	}
	for (size_t i = 0; i < GAP_BUCKETS; i++)
		if (gaps.buckets[i].count)
			json_array_append_new(stalls, json_pack("[o, I, o]", json_ns(gap_upper_edge_ns(i)),
								(json_int_t)gaps.buckets[i].count, json_ns(gaps.buckets[i].total_ns)));
	return json_pack("{s:o, s:o, s:o, s:f, s:o, s:o}", "window_ns", json_ns(loops_ns(report)), "actors", actors, "throttled_ns",
			 json_count(throttled), "stall_share", gap_share(&gaps), "stall_window_ns", json_ns(gaps.watched_ns),
			 "stalls", stalls);
}

static json_t *memory_to_json(const struct memory_facts *facts)
{
	return json_pack("{s:o, s:s?, s:I, s:s?, s:b, s:s?}", "node", facts->node < 0 ? json_null() : json_integer(facts->node),
			 "node_note", facts->node_note[0] ? facts->node_note : NULL, "page_bytes", (json_int_t)facts->page_bytes,
			 "pages_note", facts->pages_note[0] ? facts->pages_note : NULL, "locked", facts->locked, "lock_note",
			 facts->lock_note[0] ? facts->lock_note : NULL);
}

static json_t *stamps_to_json(const struct trial *trial)
{
	static const char *const modes[] = {"none", "batch", "message", "every"};
	const struct cell *cell = &trial->request->cell;
	const struct endpoint_plan *plan = &trial->actors[0].out.plan;
	uint64_t every = trial->shared[0].stamp_every;
	const char *note = NULL;

	if (trial->actors[0].out.account.stamps_full)
		note = "the memory for stamps was full: the trial ended early";
	else if (every > plan->stamp_every)
		note = "one in more messages was stamped than asked for, so that the stamps found room";
	return json_pack("{s:s, s:I, s:s, s:s?}", "mode", modes[cell->stamps], "every", (json_int_t)every, "ordering",
			 clock_ordering(trial->request->clock.source), "note", note);
}

/* ---- the lines ---- */

static void print_line(FILE *out, json_t *line)
{
	json_dumpf(line, out, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
	putc('\n', out);
	json_decref(line);
}

static void print_histogram(const struct report *report, size_t index, FILE *out)
{
	const struct histogram *histogram = report->latencies[index].histogram;
	json_t *buckets = json_array();

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		if (histogram->buckets[i])
			json_array_append_new(buckets,
					      json_pack("[o, I]", json_ns(report_ns(report, (double)histogram_upper_edge(i))),
							(json_int_t)histogram->buckets[i]));
	if (histogram->beyond)
		json_array_append_new(buckets, json_pack("[o, I]", json_ns(report_ns(report, (double)histogram->max)),
							 (json_int_t)histogram->beyond));
	print_line(out, json_pack("{s:s, s:i, s:o}", "kind", "histogram", "latency", (int)index, "buckets", buckets));
}

/* Consecutive messages from the middle of the trial, at `write` and at `read`. */
static void print_slice(const struct report *report, FILE *out)
{
	const struct stamps *from = &endpoint_at(report->trial, 0, POINT_WRITE)->account.stamps;
	const struct stamps *to = &endpoint_at(report->trial, 0, POINT_READ)->account.stamps;
	size_t count = from->count < to->count ? from->count : to->count;
	size_t first = count > SLICE_MESSAGES ? count / 2 - SLICE_MESSAGES / 2 : 0;
	json_t *sequence = json_array(), *from_ns = json_array(), *to_ns = json_array();

	for (size_t i = first; i < count && i < first + SLICE_MESSAGES && from->at[i].sequence == to->at[i].sequence; i++) {
		json_array_append_new(sequence, json_integer((json_int_t)from->at[i].sequence));
		json_array_append_new(from_ns, json_ns(report_ns(report, (double)(from->at[i].outer - report->trial->start))));
		json_array_append_new(to_ns, json_ns(report_ns(report, (double)(to->at[i].outer - report->trial->start))));
	}
	print_line(out, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "kind", "slice", "from", "write", "to", "read", "sequence",
				  sequence, "from_ns", from_ns, "to_ns", to_ns));
}

/* The cell as it was measured: where an actor could not be pinned, no placement is claimed. */
static json_t *measured_cell(const struct trial *trial)
{
	struct cell cell = trial->request->cell;

	if (!trial_is_pinned(trial))
		snprintf(cell.place, sizeof(cell.place), "unpinned");
	return cell_to_json(&cell);
}

static void print_trial(const struct report *report, FILE *out)
{
	const struct trial *trial = report->trial;
	const struct audit_check *failure = audit_failure(&report->audit);
	json_t *latency = json_array(), *line;
	char why[TRIAL_TEXT + 64] = "";

	if (failure)
		snprintf(why, sizeof(why), "%s: %s", failure->name, failure->detail);
	for (size_t i = 0; i < report->latency_count; i++)
		json_array_append_new(latency, latency_to_json(report, &report->latencies[i]));
	line = json_pack("{s:s, s:o, s:s, s:s?, s:b}", "kind", "trial", "cell", measured_cell(trial), "status",
			 failure ? "invalid" : "ok", "why", failure ? why : NULL, "valid", !failure);
	json_object_set_new(line, "line_before_ns", json_ns(report_ns(report, trial->line_before.median_ticks)));
	json_object_set_new(line, "line_after_ns", json_ns(report_ns(report, trial->line_after.median_ticks)));
	json_object_set_new(line, "line_least_ns", json_ns(report_ns(report, fmin(trial->line_before.least_ticks,
										  trial->line_after.least_ticks))));
	json_object_set_new(line, "clock_offset", json_pack("{s:o, s:o}", "low_ns", json_ns(report->offset_low_ns), "high_ns",
							    json_ns(report->offset_high_ns)));
	json_object_set_new(line, "stamps", stamps_to_json(trial));
	json_object_set_new(line, "touch", json_string(touch_names[trial->request->cell.touch]));
	json_object_set_new(line, "seed", json_integer((json_int_t)trial->request->seed));
	json_object_set_new(line, "endpoints", endpoints_to_json(report));
	json_object_set_new(line, "latency", latency);
	json_object_set_new(line, "audit", audit_to_json(&report->audit));
	json_object_set_new(line, "cost", cost_to_json(trial));
	json_object_set_new(line, "noise", noise_to_json(report));
	json_object_set_new(line, "memory", memory_to_json(&trial->memory_after));
	print_line(out, line);
}

void trial_report(const struct trial *trial, FILE *out)
{
	struct report report = {.trial = trial, .ticks_per_s = trial->request->clock.ticks_per_s};
	const struct line_result *lines[] = {&trial->line_before, &trial->line_after};
	double quantum_ns = report_ns(&report, (double)trial->request->clock.quantum_ticks);

	report.offset_low_ns = trial->request->offset_low_ns;
	report.offset_high_ns = trial->request->offset_high_ns;
	report.least_trip_ns = trial->request->least_trip_ns > 0 ? trial->request->least_trip_ns : INFINITY;
	for (size_t i = 0; i < 2; i++) {
		/* each end's reading is cut to a quantum, so a difference of two is known to one */
		report.offset_low_ns = fmax(report.offset_low_ns, report_ns(&report, (double)lines[i]->offset_low) - quantum_ns);
		report.offset_high_ns = fmin(report.offset_high_ns, report_ns(&report, (double)lines[i]->offset_high) + quantum_ns);
		report.least_trip_ns = fmin(report.least_trip_ns, report_ns(&report, lines[i]->least_ticks));
	}
	if (find_latencies(&report)) {
		audit_endpoints(&report);
		audit_latencies(&report);
		audit_clock(&report);
	} else {
		audit_note(&report.audit, "memory", false, "no memory for a histogram");
	}
	print_trial(&report, out);
	for (size_t i = 0; i < report.latency_count && report.latencies[i].histogram; i++)
		print_histogram(&report, i, out);
	if (trial->request->slice && trial->shared[0].stamp_every == 1)
		print_slice(&report, out);
	for (size_t i = 0; i < report.latency_count; i++)
		free(report.latencies[i].histogram);
}
