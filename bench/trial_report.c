/* What a finished trial found: rates, latencies, the audit, costs, the machine's noise. */
#include "trial_parts.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "target.h"
#include "trial_detail.h"

enum { SLICE_MESSAGES = 200 };

static json_t *json_known(double value, bool known)
{
	return known ? json_real(value) : json_null();
}

static json_t *json_count(int64_t count)
{
	return count < 0 ? json_null() : json_integer(count);
}

/* ---- endpoints ---- */

/* At write or read: those of several that share a queue are rates of one and the same time. */
static double outer_rate(const struct report *report, const struct endpoint_account *account)
{
	const struct mark *first = &account->outer_first, *last = &account->outer_last;

	return report->trial->fan ? analysis_rate_of_time(first, last, report->ticks_per_s) :
				    analysis_rate(first, last, report->ticks_per_s);
}

/* How long messages were offered: as long as asked for; by the schedule, or by the first producers' stamps, where these tell the end. */
static uint64_t measured_ticks(const struct trial *trial)
{
	const struct cell *cell = &trial->request->cell;
	uint64_t longest = 0;
	bool timed = cell->duration_ns && cell->load != LOAD_OPEN;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_endpoint *out = &trial->actors[i].out;
		const struct endpoint_account *account = &out->account;
		uint64_t ticks = out->plan.arrivals ? account->outmost_last.ticks - account->outmost_first.ticks :
						      account->outer_last.ticks - account->outer_first.ticks;

		if (!out->used || out->queue)
			continue;
		timed = timed && !account->stamps_full;
		longest = ticks > longest ? ticks : longest;
	}
	return timed ? trial->actors[0].out.plan.measure_ticks : longest;
}

/* messages: from the first stamped one to the last, so that rate_per_s is (messages − 1) / (last_ns − first_ns). */
static json_t *point_to_json(const struct report *report, enum point point, const struct mark *first, const struct mark *last,
			     double rate)
{
	bool seen = first->ticks != 0;
	double start = (double)report->trial->start;

	return json_pack("{s:s, s:I, s:o, s:o, s:o}", "point", point_names[point], "messages",
			 seen ? (json_int_t)(last->count - first->count + 1) : (json_int_t)0, "first_ns",
			 seen ? report_ns_to_json(report_ns(report, (double)first->ticks - start)) : json_null(), "last_ns",
			 seen ? report_ns_to_json(report_ns(report, (double)last->ticks - start)) : json_null(), "rate_per_s",
			 json_known(rate, rate >= 0 && report_is_resolved(report, last->ticks - first->ticks) &&
						  analysis_covers(first, last, report->measured_ticks)));
}

static json_t *marks_to_json(const struct report *report, enum point point, const struct mark *first, const struct mark *last)
{
	return point_to_json(report, point, first, last, analysis_rate(first, last, report->ticks_per_s));
}

static json_t *endpoint_to_json(const struct report *report, const struct trial_endpoint *end, bool producer)
{
	const struct endpoint_account *account = &end->account;
	json_t *points = json_array();
	bool native = report->trial->target->queue->traits.blocks_natively;
	json_t *json;

	if (end->plan.arrivals)
		json_array_append_new(points, marks_to_json(report, POINT_INTENDED, &account->outmost_first, &account->outmost_last));
	json_array_append_new(points, point_to_json(report, producer ? POINT_WRITE : POINT_READ, &account->outer_first,
						    &account->outer_last, outer_rate(report, account)));
	if (end->plan.inner)
		json_array_append_new(points, marks_to_json(report, producer ? POINT_FLUSH : POINT_PREREAD, &account->inner_first,
							    &account->inner_last));
	if (end->plan.handles)
		json_array_append_new(points, marks_to_json(report, POINT_HANDLED, &account->outmost_first, &account->outmost_last));
	/* a queue that blocks by its own means does not tell how often it found itself full or empty */
	json = json_pack("{s:i, s:i, s:s, s:i, s:o, s:o, s:o, s:I, s:I}", "actor", (int)end->actor, "queue", (int)end->queue,
			 "role", producer ? "producer" : "consumer", "cpu", report->trial->actors[end->actor].cpu, "points",
			 points, "refused", native ? json_null() : json_integer((json_int_t)account->refused), "empty",
			 native ? json_null() : json_integer((json_int_t)account->empty), "batches",
			 (json_int_t)account->batches, "messages", (json_int_t)account->messages);
	json_object_set_new(json, "windows", trial_windows_to_json(report->trial, end));
	if (report->trial->fan)
		json_object_set_new(json, "longest_gap_ns", report_ns_to_json(report_ns(report, (double)account->longest_gap)));
	return json;
}

static json_t *endpoints_to_json(const struct report *report)
{
	json_t *endpoints = json_array();

	for (unsigned queue = 0; queue < report->trial->queue_count; queue++) {
		for (unsigned i = 0; i < report->trial->actor_count; i++) {
			const struct trial_actor *actor = &report->trial->actors[i];

			if (actor->out.used && actor->out.queue == queue)
				json_array_append_new(endpoints, endpoint_to_json(report, &actor->out, true));
		}
		for (unsigned i = 0; i < report->trial->actor_count; i++) {
			const struct trial_actor *actor = &report->trial->actors[i];

			if (actor->in.used && actor->in.queue == queue)
				json_array_append_new(endpoints, endpoint_to_json(report, &actor->in, false));
		}
	}
	return endpoints;
}

/* How evenly one side's endpoints came to move messages. */
static json_t *side_fairness(const struct report *report, bool producers)
{
	const struct trial *trial = report->trial;
	double rates[CELL_ACTORS_MAX] = {0}, jain;
	uint64_t longest = 0;
	size_t n = 0;
	bool known = true;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_endpoint *end = producers ? &trial->actors[i].out : &trial->actors[i].in;

		if (!end->used)
			continue;
		rates[n] = outer_rate(report, &end->account);
		known = known && rates[n] >= 0;
		n++;
		if (end->account.longest_gap > longest)
			longest = end->account.longest_gap;
	}
	jain = analysis_fairness(rates, n);
	return json_pack("{s:o, s:o}", "jain", json_known(jain, known && jain >= 0), "longest_gap_ns",
			 report_ns_to_json(report_ns(report, (double)longest)));
}

static json_t *fairness_to_json(const struct report *report)
{
	return json_pack("{s:o, s:o}", "producers", side_fairness(report, true), "consumers", side_fairness(report, false));
}

/* ---- costs and noise ---- */

static uint64_t all_messages(const struct trial *trial)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < trial->actor_count; i++)
		sum += trial->actors[i].out.account.all_messages;
	return sum;
}

static double loops_ns(const struct report *report)
{
	const struct trial *trial = report->trial;
	uint64_t last = 0;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		if (trial->actors[i].out.account.outer_last.ticks > last)
			last = trial->actors[i].out.account.outer_last.ticks;
		if (trial->actors[i].in.account.outer_last.ticks > last)
			last = trial->actors[i].in.account.outer_last.ticks;
	}
	return last > trial->start ? report_ns(report, (double)(last - trial->start)) : 0;
}

static double cpu_time_ns(const struct trial_actor *actor)
{
	return (double)(actor->ended.cpu_time_ns - actor->began.cpu_time_ns);
}

/* CPU time in the loops of the actors that write to queue 0 (senders), or of all others, over the time that the loops took, from the first
 * actor's start to the last one's end. */
static json_t *cpu_share_to_json(const struct trial *trial, bool senders)
{
	int64_t from = trial->actors[0].began.at_ns, to = 0;
	double ns = 0;
	bool known = false;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_actor *actor = &trial->actors[i];

		from = actor->began.at_ns < from ? actor->began.at_ns : from;
		to = actor->ended.at_ns > to ? actor->ended.at_ns : to;
		if (senders != (actor->out.used && !actor->out.queue))
			continue;
		known = true;
		ns += cpu_time_ns(actor);
	}
	return json_known(ns / (double)(to - from), known && to > from);
}

static json_t *cost_to_json(const struct report *report)
{
	const struct trial *trial = report->trial;
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
	for (unsigned i = 0; i < trial->actor_count; i++)
		if (trial->actors[i].out.used || trial->actors[i].in.used)
			cpu_ns += cpu_time_ns(&trial->actors[i]);
	/* what a queue does in libc or the kernel by itself is not told: null */
	return json_pack(
		"{s:o, s:I, s:o, s:o, s:o, s:I, s:o, s:o}", "allocations",
		began ? json_integer((json_int_t)(trial->memory_after.allocations - trial->memory_before.allocations)) : json_null(),
		"fresh_blocks", (json_int_t)trial->memory_after.fresh, "system_calls",
		traits->calls_in_loop ? json_null() : json_integer((json_int_t)(sleeps + wakes + yields)), "wake_ups",
		traits->blocks_natively ? json_null() : json_integer((json_int_t)wakes), "cpu_ns_per_message",
		json_known(cpu_ns / (double)all_messages(trial), all_messages(trial) > 0), "resident_bytes",
		(json_int_t)trial->memory_after.bytes_peak, "senders_cpu_share", cpu_share_to_json(trial, true), "others_cpu_share",
		cpu_share_to_json(trial, false));
}

static json_t *actor_noise_to_json(const struct trial_actor *actor)
{
	struct disturbance noise = disturbance_between(&actor->before, &actor->after);

	return json_pack("{s:i, s:i, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "actor", (int)actor->index, "cpu", actor->cpu,
			 "pinned", actor->pinned, "voluntary_switches", json_count(noise.voluntary_switches),
			 "involuntary_switches", json_count(noise.involuntary_switches), "minor_faults",
			 json_count(noise.minor_faults), "major_faults", json_count(noise.major_faults), "migrations",
			 json_count(noise.migrations), "run_delay_ns", json_count(noise.run_delay_ns), "steal_ns",
			 json_count(noise.steal_ns), "cpu_time_ns", json_count(noise.cpu_time_ns), "span_ns", json_count(noise.at_ns));
}

static json_t *noise_to_json(const struct report *report)
{
	const struct trial *trial = report->trial;
	json_t *actors = json_array(), *stalls = json_array();
	struct gap_account gaps = {0};
	int64_t throttled = trial->throttled_before_ns < 0 ? -1 : trial->throttled_after_ns - trial->throttled_before_ns;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		json_array_append_new(actors, actor_noise_to_json(&trial->actors[i]));
		gap_merge(&gaps, &trial->actors[i].gaps);
	}
	for (size_t i = 0; i < GAP_BUCKETS; i++)
		if (gaps.buckets[i].count)
			json_array_append_new(stalls, json_pack("[o, I, o]", report_ns_to_json(gap_upper_edge_ns(i)),
								(json_int_t)gaps.buckets[i].count,
								report_ns_to_json(gaps.buckets[i].total_ns)));
	return json_pack("{s:o, s:o, s:o, s:f, s:o, s:o}", "window_ns", report_ns_to_json(loops_ns(report)), "actors", actors,
			 "throttled_ns", json_count(throttled), "stall_share", gap_share(&gaps), "stall_window_ns",
			 report_ns_to_json(gaps.watched_ns),
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
	uint64_t every = trial_stamp_every(trial);
	const char *note = NULL;
	bool full = false;

	for (unsigned i = 0; i < trial->actor_count; i++)
		full = full || trial->actors[i].out.account.stamps_full;
	if (full)
		note = "the memory for stamps was full: the trial ended early";
	else if (every > plan->stamp_every)
		note = "one in more messages was stamped than asked for, so that the stamps found room";
	return json_pack("{s:s, s:I, s:I, s:b, s:s, s:s?}", "mode", modes[cell->stamps], "every", (json_int_t)every, "asked",
			 (json_int_t)plan->stamp_every, "full", full, "ordering", clock_ordering(trial->request->clock.source), "note",
			 note);
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
					      json_pack("[o, I]", report_ns_to_json(report_ns(report, (double)histogram_upper_edge(i))),
							(json_int_t)histogram->buckets[i]));
	if (histogram->beyond)
		json_array_append_new(buckets, json_pack("[o, I]", report_ns_to_json(report_ns(report, (double)histogram->max)),
							 (json_int_t)histogram->beyond));
	print_line(out, json_pack("{s:s, s:i, s:o}", "kind", "histogram", "latency", (int)index, "buckets", buckets));
}

/* Consecutive messages from the middle of the trial, at `write` and at `read`. */
static void print_slice(const struct report *report, FILE *out)
{
	const struct stamps *from = &report_endpoint_at(report->trial, 0, POINT_WRITE)->account.stamps;
	const struct stamps *to = &report_endpoint_at(report->trial, 0, POINT_READ)->account.stamps;
	size_t count = from->count < to->count ? from->count : to->count;
	size_t first = count > SLICE_MESSAGES ? count / 2 - SLICE_MESSAGES / 2 : 0;
	json_t *sequence = json_array(), *from_ns = json_array(), *to_ns = json_array();

	for (size_t i = first; i < count && i < first + SLICE_MESSAGES && from->at[i].sequence == to->at[i].sequence; i++) {
		json_array_append_new(sequence, json_integer((json_int_t)from->at[i].sequence));
		json_array_append_new(from_ns, report_ns_to_json(report_ns(report, (double)(from->at[i].outer - report->trial->start))));
		json_array_append_new(to_ns, report_ns_to_json(report_ns(report, (double)(to->at[i].outer - report->trial->start))));
	}
	print_line(out, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o}", "kind", "slice", "from", "write", "to", "read", "sequence",
				  sequence, "from_ns", from_ns, "to_ns", to_ns));
}

/* The cell as it was measured: where an actor could not be pinned, no placement is claimed. */
static json_t *measured_cell(const struct trial *trial)
{
	struct cell cell = trial->request->cell;

	if (!trial_is_pinned(trial))
		snprintf(cell.place, sizeof(cell.place), CELL_UNPINNED);
	return cell_to_json(&cell);
}

/* What busy work took, by the calibrations: their mean. */
static json_t *took_to_json(const struct trial *trial, bool think)
{
	double sum = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		double took_ns = think ? trial->actors[i].think_took_ns : trial->actors[i].work_took_ns;

		sum += took_ns;
		n += took_ns > 0;
	}
	return n ? report_ns_to_json(sum / n) : json_null();
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
		json_array_append_new(latency, report_latency_to_json(report, &report->latencies[i]));
	line = json_pack("{s:s, s:o, s:s, s:s?, s:b}", "kind", "trial", "cell", measured_cell(trial), "status",
			 failure ? "invalid" : "ok", "why", failure ? why : NULL, "valid", !failure);
	json_object_set_new(line, "line_before_ns", report_ns_to_json(report_ns(report, trial->line_before.median_ticks)));
	json_object_set_new(line, "line_after_ns", report_ns_to_json(report_ns(report, trial->line_after.median_ticks)));
	json_object_set_new(line, "line_least_ns", report_ns_to_json(report_ns(report, fmin(trial->line_before.least_ticks,
										  trial->line_after.least_ticks))));
	json_object_set_new(line, "clock_offset", json_pack("{s:o, s:o}", "low_ns", report_ns_to_json(report->offset_low_ns), "high_ns",
							    report_ns_to_json(report->offset_high_ns)));
	json_object_set_new(line, "stamps", stamps_to_json(trial));
	json_object_set_new(line, "touch", json_string(touch_names[trial->request->cell.touch]));
	json_object_set_new(line, "seed", json_integer((json_int_t)trial->request->seed));
	json_object_set_new(line, "endpoints", endpoints_to_json(report));
	if (trial->fan)
		json_object_set_new(line, "fairness", fairness_to_json(report));
	json_object_set_new(line, "latency", latency);
	trial_add_positions(trial, line);
	if (report_is_open(report))
		json_object_set_new(line, "open", open_load_to_json(trial, &report->open));
	json_object_set_new(line, "work_took_ns", took_to_json(trial, false));
	json_object_set_new(line, "think_took_ns", took_to_json(trial, true));
	json_object_set_new(line, "audit", audit_to_json(&report->audit));
	json_object_set_new(line, "cost", cost_to_json(report));
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
	report.measured_ticks = measured_ticks(trial);
	if (report_is_open(&report))
		report.open = open_load_judge(trial);
	if (report_find_latencies(&report))
		report_audit(&report);
	else
		audit_note(&report.audit, "memory", false, "no memory for a histogram");
	print_trial(&report, out);
	for (size_t i = 0; i < report.latency_count; i++)
		print_histogram(&report, i, out);
	if (trial->request->slice && trial->shared[0].stamp_every == 1)
		print_slice(&report, out);
	for (size_t i = 0; i < report.latency_count; i++)
		free(report.latencies[i].histogram);
}
