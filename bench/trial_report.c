/* What a finished trial found: rates, latencies, the audit, costs, the machine's noise. */
#include "trial.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "audit.h"
#include "fault.h"
#include "open_load.h"
#include "schedule.h"
#include "target.h"
#include "trial_detail.h"

enum {
	PAIRS_MAX = 16, /* of producer and consumer: more are told of together alone */
	LATENCIES = CELL_LATENCIES_MAX * (PAIRS_MAX + 1),
	SLICE_MESSAGES = 200,
	QUANTA_LEAST = 100,           /* a measurement shorter than so many clock quanta is none */
	RATE_TOLERANCE_PPM = 200,
};

/* A latency of a trial: between two points, each at an endpoint; of a fan also of all its producers and consumers together. */
struct latency {
	const struct trial_endpoint *from, *to; /* NULL: all of them */
	enum point from_point, to_point;
	struct histogram *histogram;
	/* what the audit holds it against; where it is a part of another one, nothing */
	bool part;
	uint64_t alone;    /* stamps without a partner */
	uint64_t expected; /* latencies */
	__int128 area;     /* Σ to − Σ from, kept in the loops */
};

struct report {
	const struct trial *trial;
	double ticks_per_s;
	double offset_low_ns, offset_high_ns; /* of actor 1's clock against actor 0's: all that is known */
	double least_trip_ns;
	struct audit audit;
	struct latency latencies[LATENCIES];
	size_t latency_count;
	struct open_load open; /* of an open load */
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

static enum analysis_depth depth_of(enum point point)
{
	return point == POINT_WRITE || point == POINT_READ    ? ANALYSIS_OUTER :
	       point == POINT_FLUSH || point == POINT_PREREAD ? ANALYSIS_INNER :
								ANALYSIS_OUTMOST;
}

static bool is_producers(enum point point)
{
	return point <= POINT_FLUSH;
}

static bool is_open(const struct report *report)
{
	return report->trial->request->cell.load == LOAD_OPEN;
}

/* ---- endpoints ---- */

/* At write or read: those of several that share a queue are rates of one and the same time. */
static double outer_rate(const struct report *report, const struct endpoint_account *account)
{
	const struct mark *first = &account->outer_first, *last = &account->outer_last;

	return report->trial->fan ? analysis_rate_of_time(first, last, report->ticks_per_s) :
				    analysis_rate(first, last, report->ticks_per_s);
}

/* messages: from the first stamped one to the last, so that rate_per_s is (messages − 1) / (last_ns − first_ns). */
static json_t *point_to_json(const struct report *report, enum point point, const struct mark *first, const struct mark *last,
			     double rate)
{
	bool seen = first->ticks != 0;
	double start = (double)report->trial->start;

	return json_pack("{s:s, s:I, s:o, s:o, s:o}", "point", point_names[point], "messages",
			 seen ? (json_int_t)(last->count - first->count + 1) : (json_int_t)0, "first_ns",
			 seen ? json_ns(report_ns(report, (double)first->ticks - start)) : json_null(), "last_ns",
			 seen ? json_ns(report_ns(report, (double)last->ticks - start)) : json_null(), "rate_per_s",
			 json_known(rate, rate >= 0));
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
		json_object_set_new(json, "longest_gap_ns", json_ns(report_ns(report, (double)account->longest_gap)));
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
			 json_ns(report_ns(report, (double)longest)));
}

static json_t *fairness_to_json(const struct report *report)
{
	return json_pack("{s:o, s:o}", "producers", side_fairness(report, true), "consumers", side_fairness(report, false));
}

/* ---- latencies ---- */

/* The actor's endpoint where messages pass the point, or NULL. */
static const struct trial_endpoint *end_at(const struct trial_actor *actor, enum point point)
{
	const struct trial_endpoint *end = is_producers(point) ? &actor->out : &actor->in;

	return end->used ? end : NULL;
}

static const struct trial_endpoint *endpoint_at(const struct trial *trial, unsigned queue, enum point point)
{
	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_endpoint *end = end_at(&trial->actors[i], point);

		if (end && end->queue == queue)
			return end;
	}
	return NULL;
}

static ticks_sum sum_at(const struct trial_endpoint *end, enum point point)
{
	const struct endpoint_account *account = &end->account;
	const ticks_sum sums[] = {
		[ANALYSIS_OUTER] = account->outer_sum, [ANALYSIS_INNER] = account->inner_sum, [ANALYSIS_OUTMOST] = account->outmost_sum};

	return sums[depth_of(point)];
}

static struct analysis_point point_of(const struct trial_endpoint *end, enum point point)
{
	return (struct analysis_point){&end->account.stamps, depth_of(point)};
}

/* Whether messages are stamped there: only the first producers intend times, and only who works on a message handles it. */
static bool has_point(const struct trial_endpoint *end, enum point point)
{
	return point == POINT_INTENDED ? end->plan.arrivals != NULL : point == POINT_HANDLED ? end->plan.handles : true;
}

static struct latency *begin_latency(struct report *report, const struct trial_endpoint *from, enum point from_point,
				     const struct trial_endpoint *to, enum point to_point)
{
	struct latency *latency = &report->latencies[report->latency_count];

	*latency = (struct latency){.from = from, .to = to, .from_point = from_point, .to_point = to_point,
				    .histogram = histogram_new()};
	if (!latency->histogram)
		return NULL;
	report->latency_count++;
	return latency;
}

static bool add_latency(struct report *report, const struct trial_endpoint *from, enum point from_point,
			const struct trial_endpoint *to, enum point to_point)
{
	struct latency *latency = begin_latency(report, from, from_point, to, to_point);

	if (!latency)
		return false;
	latency->alone = analysis_latency(point_of(from, from_point), point_of(to, to_point), latency->histogram);
	latency->expected = from->account.stamps.count;
	latency->area = (__int128)sum_at(to, to_point) - (__int128)sum_at(from, from_point);
	return true;
}

/* How often a fan's message is read. */
static unsigned copies(const struct trial *trial)
{
	return trial->fan->multicast ? trial->fan->consumers : 1;
}

/* Whether a message passes both points at one endpoint. */
static bool is_within(struct latency_pair pair)
{
	return is_producers(pair.from) == is_producers(pair.to);
}

/* Of all endpoints of one side. */
static void pool_within(const struct trial *trial, struct latency_pair pair, struct latency *latency)
{
	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_endpoint *end = end_at(&trial->actors[i], pair.from);

		if (!end)
			continue;
		latency->expected += end->account.stamps.count;
		latency->area += (__int128)sum_at(end, pair.to) - (__int128)sum_at(end, pair.from);
		analysis_latency_within(point_of(end, pair.from), point_of(end, pair.to), latency->histogram);
	}
}

/* Of all producers to all consumers. */
static void pool_across(const struct trial *trial, struct latency_pair pair, struct latency *latency)
{
	const struct trial_actor *actors = trial->actors;
	unsigned producers = trial->fan->producers;
	uint64_t found = 0, received = 0;

	for (unsigned p = 0; p < producers; p++) {
		latency->expected += actors[p].out.account.stamps.count * copies(trial);
		latency->area -= (__int128)sum_at(&actors[p].out, pair.from) * copies(trial);
		for (unsigned c = producers; c < trial->actor_count; c++)
			found += analysis_latency_of(point_of(&actors[p].out, pair.from), p, point_of(&actors[c].in, pair.to),
						     latency->histogram);
	}
	for (unsigned c = producers; c < trial->actor_count; c++) {
		received += actors[c].in.account.stamps.count;
		latency->area += (__int128)sum_at(&actors[c].in, pair.to);
	}
	latency->alone = latency->expected - found + received - found;
}

static bool add_pooled_latency(struct report *report, struct latency_pair pair)
{
	struct latency *latency = begin_latency(report, NULL, pair.from, NULL, pair.to);

	if (!latency)
		return false;
	if (is_within(pair))
		pool_within(report->trial, pair, latency);
	else
		pool_across(report->trial, pair, latency);
	fault_histogram(latency->histogram);
	return true;
}

/* Of one endpoint, or of one producer to one consumer. */
static bool add_part(struct report *report, const struct trial_endpoint *from, const struct trial_endpoint *to, struct latency_pair pair)
{
	struct latency *latency = begin_latency(report, from, pair.from, to, pair.to);

	if (!latency)
		return false;
	latency->part = true;
	if (from == to)
		analysis_latency_within(point_of(from, pair.from), point_of(to, pair.to), latency->histogram);
	else
		analysis_latency_of(point_of(from, pair.from), from->index, point_of(to, pair.to), latency->histogram);
	return true;
}

/* A fan's: of all together first, then of each endpoint, or of each producer to each consumer. */
static bool find_fan_latencies(struct report *report)
{
	const struct trial *trial = report->trial;
	const struct cell *cell = &trial->request->cell;
	bool good = true;

	for (size_t i = 0; good && i < cell->latency_count; i++) {
		struct latency_pair pair = cell->latencies[i];
		bool within = is_within(pair), parts = within || cell->producers * cell->consumers <= PAIRS_MAX;

		good = add_pooled_latency(report, pair);
		for (unsigned a = 0; parts && a < trial->actor_count; a++)
			for (unsigned b = 0; b < trial->actor_count; b++) {
				const struct trial_endpoint *from = end_at(&trial->actors[a], pair.from);
				const struct trial_endpoint *to = end_at(&trial->actors[b], pair.to);

				if (from && to && (from == to || !within))
					good = good && add_part(report, from, to, pair);
			}
	}
	return good;
}

/* From the time that was intended for a message: to the end of its whole way, be it the answer's, or to a point of the first queue. */
static bool find_intended(struct report *report, enum point to_point)
{
	const struct trial *trial = report->trial;
	bool pingpong = trial->request->cell.workload == WORKLOAD_PINGPONG;
	const struct trial_endpoint *first = endpoint_at(trial, 0, POINT_INTENDED);
	const struct trial_endpoint *last = pingpong ? &trial->actors[0].in : &trial->actors[trial->actor_count - 1].in;

	if (is_producers(to_point) || !has_point(last, to_point))
		last = endpoint_at(trial, 0, to_point);
	return add_latency(report, first, POINT_INTENDED, last, to_point);
}

/* One queue's, but for those from the intended time. */
static bool find_of_queue(struct report *report, unsigned queue)
{
	const struct trial *trial = report->trial;
	const struct cell *cell = &trial->request->cell;

	for (size_t i = 0; i < cell->latency_count; i++) {
		struct latency_pair pair = cell->latencies[i];
		const struct trial_endpoint *from = endpoint_at(trial, queue, pair.from), *to = endpoint_at(trial, queue, pair.to);

		if (pair.from != POINT_INTENDED && has_point(to, pair.to) && !add_latency(report, from, pair.from, to, pair.to))
			return false;
	}
	return true;
}

/* Those from the intended time come first; in a ping-pong the round trip, in a pipeline the whole way; then each queue. */
static bool find_latencies(struct report *report)
{
	const struct trial *trial = report->trial;
	const struct cell *cell = &trial->request->cell;
	bool good = true;

	if (cell->stamps == STAMPS_NONE)
		return true;
	if (trial->fan)
		return find_fan_latencies(report);
	for (size_t i = 0; good && i < cell->latency_count; i++)
		good = cell->latencies[i].from != POINT_INTENDED || find_intended(report, cell->latencies[i].to);
	if (good && cell->workload == WORKLOAD_PINGPONG)
		good = add_latency(report, &trial->actors[0].out, POINT_WRITE, &trial->actors[0].in, POINT_READ);
	if (good && cell->workload == WORKLOAD_PIPELINE)
		good = add_latency(report, &trial->actors[0].out, POINT_WRITE, &trial->actors[trial->actor_count - 1].in, POINT_READ);
	for (unsigned queue = 0; good && queue < trial->queue_count; queue++)
		good = find_of_queue(report, queue);
	return good;
}

/* end: NULL for all of a fan's */
static json_t *latency_point(const struct trial_endpoint *end, enum point point)
{
	return json_pack("{s:o, s:i, s:s}", "actor", end ? json_integer(end->actor) : json_null(), "queue", end ? (int)end->queue : 0,
			 "point", point_names[point]);
}

/* The clocks' offset is known between two CPUs: those that the line was measured between. */
static bool is_line_cpu(const struct trial *trial, int cpu)
{
	return cpu == trial->actors[0].cpu || cpu == trial->actors[cell_line_partner(&trial->request->cell)].cpu;
}

/* By how much the clocks' offset may falsify a latency, which is told as it was read: half the width of an interval around 0 that
 * is sure to hold the offset. < 0: unknown. */
static double offset_half_width_ns(const struct report *report, const struct latency *latency)
{
	const struct trial *trial = report->trial;
	bool one_cpu = true, known = true;

	if (is_within((struct latency_pair){latency->from_point, latency->to_point}))
		return 0;
	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_actor *actor = &trial->actors[i];

		if (latency->from && latency->from->actor != i && latency->to->actor != i)
			continue;
		one_cpu = one_cpu && actor->cpu == trial->actors[latency->from ? latency->from->actor : 0].cpu;
		known = known && is_line_cpu(trial, actor->cpu);
	}
	return one_cpu ? 0 : known ? fmax(fabs(report->offset_low_ns), fabs(report->offset_high_ns)) : -1;
}

static json_t *latency_to_json(const struct report *report, const struct latency *latency)
{
	static const struct {
		const char *name;
		double p;
	} percentiles[] = {{"p50_ns", .5}, {"p90_ns", .9}, {"p99_ns", .99}, {"p99_9_ns", .999}, {"p99_99_ns", .9999}};
	const struct histogram *histogram = latency->histogram;
	bool any = histogram->count > 0;
	double count = (double)histogram->count, half_width = offset_half_width_ns(report, latency);
	json_t *json = json_pack(
		"{s:o, s:o, s:s?, s:I, s:o, s:o}", "from", latency_point(latency->from, latency->from_point), "to",
		latency_point(latency->to, latency->to_point), "tag",
		report->trial->request->cell.load == LOAD_SATURATE || report->open.saturated ? "saturated" : NULL, "count", (json_int_t)histogram->count,
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
	json_object_set_new(json, "offset_half_width_ns", half_width < 0 ? json_null() : json_ns(half_width));
	return json;
}

/* ---- the audit ---- */

/* Whether times ascend at each of its points. many: it reads several producers' messages. */
static bool end_ascends(const struct trial_endpoint *end, bool many)
{
	const struct stamps *stamps = &end->account.stamps;
	bool used[] = {
		[ANALYSIS_OUTER] = true, [ANALYSIS_INNER] = end->plan.inner, [ANALYSIS_OUTMOST] = stamps->outmost != NULL};

	for (unsigned depth = 0; depth < sizeof(used); depth++) {
		struct analysis_point point = {stamps, (enum analysis_depth)depth};

		if (used[depth] && !(many ? analysis_ascends_each(point) : analysis_ascends(point)))
			return false;
	}
	return true;
}

/* That each message that a producer wrote was read: by one consumer, or by each. */
static void audit_fan_tally(struct report *report, unsigned producer)
{
	const struct trial *trial = report->trial;
	const struct fan_tally *written = &trial->actors[producer].out.account.tallies[producer];
	struct fan_tally read = {0};

	for (unsigned c = trial->fan->producers; c < trial->actor_count; c++) {
		const struct fan_tally *tally = &trial->actors[c].in.account.tallies[producer];

		read.messages = trial->fan->multicast ? tally->messages : read.messages + tally->messages;
		read.fingerprint = trial->fan->multicast ? tally->fingerprint : read.fingerprint + tally->fingerprint;
		if (!trial->fan->multicast && c + 1 < trial->actor_count)
			continue;
		audit_note(&report->audit, "counts", read.messages == written->messages,
			   "producer %u wrote %" PRIu64 " messages, %" PRIu64 " were read", producer, written->messages, read.messages);
		audit_note(&report->audit, "fingerprint", read.fingerprint == written->fingerprint || read.messages != written->messages,
			   "producer %u's messages were not all read once: as many, but not the same ones", producer);
	}
}

static void audit_fan(struct report *report)
{
	const struct trial *trial = report->trial;
	uint64_t lost = 0, repeated = 0, torn = 0, written = 0, read = 0, stamped = 0, joined = 0;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_actor *actor = &trial->actors[i];
		const struct endpoint_account *account = actor->out.used ? &actor->out.account : &actor->in.account;

		lost += account->lost;
		repeated += account->repeated;
		torn += account->torn;
		*(actor->out.used ? &written : &read) += account->messages * (actor->out.used ? copies(trial) : 1);
		*(actor->out.used ? &stamped : &joined) += account->stamps.count * (actor->out.used ? copies(trial) : 1);
		if (actor->out.used)
			audit_fan_tally(report, i);
		audit_note(&report->audit, "ascending", end_ascends(actor->out.used ? &actor->out : &actor->in, !actor->out.used),
			   "actor %u's stamps do not ascend", i);
	}
	audit_note(&report->audit, "lost", !lost, "%" PRIu64 " messages never came", lost);
	audit_note(&report->audit, "order", !repeated, "%" PRIu64 " messages came twice or out of order", repeated);
	audit_note(&report->audit, "contents", !torn, "%" PRIu64 " messages did not hold what was written", torn);
	audit_note(&report->audit, "counts", written == read, "%" PRIu64 " measured messages written, %" PRIu64 " read", written, read);
	audit_note(&report->audit, "stamps", stamped == joined, "%" PRIu64 " messages stamped by producers, %" PRIu64 " by consumers",
		   stamped, joined);
}

static void audit_endpoints(struct report *report)
{
	const struct trial *trial = report->trial;

	for (unsigned queue = 0; queue < trial->queue_count; queue++) {
		const struct trial_endpoint *out = endpoint_at(trial, queue, POINT_WRITE), *in = endpoint_at(trial, queue, POINT_READ);
		const struct endpoint_account *sent = &out->account, *received = &in->account;

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
		audit_note(&report->audit, "ascending", end_ascends(out, false) && end_ascends(in, false),
			   "queue %u: an endpoint's stamps do not ascend", queue);
	}
}

/* Whether a producer kept to its schedule: each message was meant for the time that is laid down, and none was written before that. */
static void audit_schedule(struct report *report)
{
	const struct trial *trial = report->trial;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_endpoint *out = &trial->actors[i].out;
		const struct stamps *stamps = &out->account.stamps;
		uint64_t misses, early = 0;

		if (!out->used || !out->plan.arrivals)
			continue;
		misses = schedule_misses(out->plan.arrivals, trial->start, stamps);
		for (size_t k = 0; k < stamps->count; k++)
			early += stamps->at[k].outer < stamps->outmost[k];
		audit_note(&report->audit, "schedule", !misses, "%" PRIu64 " of %zu intended times are not those of actor %u's schedule",
			   misses, stamps->count, i);
		audit_note(&report->audit, "early", !early, "%" PRIu64 " of actor %u's messages were written before they were due", early, i);
	}
}

/* Whether no message was faster than a cache line can be. The bound on the clocks' offset is taken off, and a quantum. */
static void audit_light(struct report *report, const struct latency *latency)
{
	const struct trial *trial = report->trial;
	double quantum_ns = report_ns(report, (double)trial->request->clock.quantum_ticks);
	double least_ns, offset_ns, min_ns = report_ns(report, (double)latency->histogram->min);
	int from_cpu, to_cpu;

	/* without pins, the line may have been measured elsewhere; of all together, each pair is looked at */
	if (!latency->from || !latency->histogram->count || !trial_is_pinned(trial))
		return;
	from_cpu = trial->actors[latency->from->actor].cpu;
	to_cpu = trial->actors[latency->to->actor].cpu;
	if (from_cpu == to_cpu || !is_line_cpu(trial, from_cpu) || !is_line_cpu(trial, to_cpu))
		return;
	offset_ns = from_cpu == trial->actors[0].cpu ? report->offset_low_ns : -report->offset_high_ns;
	least_ns = report->least_trip_ns / 2 + offset_ns - quantum_ns;
	audit_note(&report->audit, "light", min_ns >= least_ns,
		   "a message took %.1f ns, but half the line's least round trip less the clocks' bound is %.1f ns", min_ns,
		   least_ns);
}

static void audit_latencies(struct report *report)
{
	uint64_t pooled = 0; /* a fan's latencies that are in none of its parts so far */

	for (size_t i = 0; i < report->latency_count; i++) {
		const struct latency *latency = &report->latencies[i];
		const struct histogram *histogram = latency->histogram;

		audit_note(&report->audit, "histogram", histogram_is_consistent(histogram),
			   "a histogram's counts do not add up to %" PRIu64, histogram->count);
		pooled = latency->part ? pooled - histogram->count : histogram->count;
		if (!latency->part) {
			audit_note(&report->audit, "joined", !latency->alone && histogram->count == latency->expected,
				   "%" PRIu64 " of %" PRIu64 " stamped messages found no partner", latency->alone, latency->expected);
			audit_note(&report->audit, "histogram", histogram->count == latency->expected,
				   "%" PRIu64 " latencies of %" PRIu64 " stamped messages", histogram->count, latency->expected);
			audit_note(&report->audit, "area", latency->area == histogram->sum,
				   "the sum of latencies is %.0f ticks, but the area between the curves is %.0f",
				   (double)histogram->sum, (double)latency->area);
		} else if (i + 1 == report->latency_count || !latency[1].part) {
			audit_note(&report->audit, "joined", !pooled, "%" PRIu64 " latencies belong to no pair of endpoints", pooled);
		}
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
	for (unsigned i = 0; i < trial->actor_count; i++) {
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
	uint64_t sum = 0;

	for (unsigned i = 0; i < trial->actor_count; i++)
		sum += trial->actors[i].out.account.all_messages;
	return sum;
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
	for (unsigned i = 0; i < trial->actor_count; i++)
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

	for (unsigned i = 0; i < trial->actor_count; i++) {
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

	for (unsigned i = 0; i < trial->actor_count; i++) {
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
	uint64_t every = trial_stamp_every(trial);
	const char *note = NULL;
	bool full = false;

	for (unsigned i = 0; i < trial->actor_count; i++)
		full = full || trial->actors[i].out.account.stamps_full;
	if (full)
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
	return n ? json_ns(sum / n) : json_null();
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
	if (trial->fan)
		json_object_set_new(line, "fairness", fairness_to_json(report));
	json_object_set_new(line, "latency", latency);
	trial_add_positions(trial, line);
	if (is_open(report))
		json_object_set_new(line, "open", open_load_to_json(trial, &report->open));
	json_object_set_new(line, "work_took_ns", took_to_json(trial, false));
	json_object_set_new(line, "think_took_ns", took_to_json(trial, true));
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
	if (is_open(&report))
		report.open = open_load_judge(trial);
	if (find_latencies(&report)) {
		if (trial->fan)
			audit_fan(&report);
		else
			audit_endpoints(&report);
		audit_schedule(&report);
		audit_latencies(&report);
		audit_clock(&report);
	} else {
		audit_note(&report.audit, "memory", false, "no memory for a histogram");
	}
	print_trial(&report, out);
	for (size_t i = 0; i < report.latency_count; i++)
		print_histogram(&report, i, out);
	if (trial->request->slice && trial->shared[0].stamp_every == 1)
		print_slice(&report, out);
	for (size_t i = 0; i < report.latency_count; i++)
		free(report.latencies[i].histogram);
}
