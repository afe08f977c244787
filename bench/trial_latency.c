/* A trial's latencies: which there are, and what its stamps say of each. */
#include "trial_parts.h"

#include "analysis.h"
#include "fault.h"

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

/* The actor's endpoint where messages pass the point, or NULL. */
static const struct trial_endpoint *end_at(const struct trial_actor *actor, enum point point)
{
	const struct trial_endpoint *end = is_producers(point) ? &actor->out : &actor->in;

	return end->used ? end : NULL;
}

const struct trial_endpoint *report_endpoint_at(const struct trial *trial, unsigned queue, enum point point)
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

bool report_has_point(const struct trial_endpoint *end, enum point point)
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

unsigned report_copies(const struct trial *trial)
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
		latency->expected += actors[p].out.account.stamps.count * report_copies(trial);
		latency->area -= (__int128)sum_at(&actors[p].out, pair.from) * report_copies(trial);
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
		bool within = is_within(pair), parts = within || cell->producers * cell->consumers <= REPORT_PAIRS_MAX;

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
	const struct trial_endpoint *first = report_endpoint_at(trial, 0, POINT_INTENDED);
	const struct trial_endpoint *last = pingpong ? &trial->actors[0].in : &trial->actors[trial->actor_count - 1].in;

	if (is_producers(to_point) || !report_has_point(last, to_point))
		last = report_endpoint_at(trial, 0, to_point);
	return add_latency(report, first, POINT_INTENDED, last, to_point);
}

/* One queue's, but for those from the intended time. */
static bool find_of_queue(struct report *report, unsigned queue)
{
	const struct trial *trial = report->trial;
	const struct cell *cell = &trial->request->cell;

	for (size_t i = 0; i < cell->latency_count; i++) {
		struct latency_pair pair = cell->latencies[i];
		const struct trial_endpoint *from = report_endpoint_at(trial, queue, pair.from);
		const struct trial_endpoint *to = report_endpoint_at(trial, queue, pair.to);

		if (pair.from != POINT_INTENDED && report_has_point(to, pair.to) && !add_latency(report, from, pair.from, to, pair.to))
			return false;
	}
	return true;
}

/* Those from the intended time come first; in a ping-pong the round trip, in a pipeline the whole way; then each queue. */
bool report_find_latencies(struct report *report)
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

bool report_is_line_cpu(const struct trial *trial, int cpu)
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
		known = known && report_is_line_cpu(trial, actor->cpu);
	}
	return one_cpu ? 0 : known ? fmax(fabs(report->offset_low_ns), fabs(report->offset_high_ns)) : -1;
}

json_t *report_latency_to_json(const struct report *report, const struct latency *latency)
{
	static const struct {
		const char *name;
		double p;
	} percentiles[] = {{"p50_ns", .5}, {"p90_ns", .9}, {"p99_ns", .99}, {"p99_9_ns", .999}, {"p99_99_ns", .9999}};
	const struct histogram *histogram = latency->histogram;
	bool any = histogram->count > 0;
	bool saturated = report->trial->request->cell.load == LOAD_SATURATE || report->open.saturated;
	double count = (double)histogram->count, half_width = offset_half_width_ns(report, latency);
	json_t *json = json_pack(
		"{s:o, s:o, s:s?, s:I, s:o, s:o}", "from", latency_point(latency->from, latency->from_point), "to",
		latency_point(latency->to, latency->to_point), "tag", saturated ? "saturated" : NULL, "count", (json_int_t)histogram->count,
		"min_ns", any ? report_ns_to_json(report_ns(report, (double)histogram->min)) : json_null(), "mean_ns",
		any ? report_ns_to_json(report_ns(report, (double)histogram->sum / count)) : json_null());

	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
		double ticks;

		json_object_set_new(json, percentiles[i].name,
				    histogram_percentile(histogram, percentiles[i].p, &ticks) ? report_ns_to_json(report_ns(report, ticks))
											      : json_null());
	}
	json_object_set_new(json, "max_ns", any ? report_ns_to_json(report_ns(report, (double)histogram->max)) : json_null());
	json_object_set_new(json, "below_zero", json_integer((json_int_t)histogram->below_zero));
	json_object_set_new(json, "beyond", json_integer((json_int_t)histogram->beyond));
	json_object_set_new(json, "offset_half_width_ns", half_width < 0 ? json_null() : report_ns_to_json(half_width));
	return json;
}
