/* The checks that decide whether a trial is valid. */
#include "trial_parts.h"

#include <inttypes.h>

#include "analysis.h"
#include "schedule.h"

enum {
	RATE_TOLERANCE_PPM = 200,
};

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

/* That each message that a producer wrote was read once: by one consumer, or by each. *extra: grows by how many were read beyond that. */
static void audit_fan_tally(struct report *report, unsigned producer, uint64_t *extra)
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
		audit_note(&report->audit, "lost", read.messages >= written->messages, "%" PRIu64 " messages of producer %u never came",
			   written->messages - read.messages, producer);
		audit_note(&report->audit, "repeated", read.messages <= written->messages, "%" PRIu64 " messages of producer %u came twice",
			   read.messages - written->messages, producer);
		*extra += read.messages > written->messages ? read.messages - written->messages : 0;
		audit_note(&report->audit, "fingerprint", read.fingerprint == written->fingerprint || read.messages != written->messages,
			   "producer %u's messages were not all read once: as many, but not the same ones", producer);
	}
}

static void audit_fan(struct report *report)
{
	const struct trial *trial = report->trial;
	uint64_t repeated = 0, extra = 0, torn = 0, written = 0, read = 0, stamped = 0, joined = 0;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_actor *actor = &trial->actors[i];
		const struct endpoint_account *account = actor->out.used ? &actor->out.account : &actor->in.account;

		repeated += account->repeated;
		torn += account->torn;
		*(actor->out.used ? &written : &read) += account->messages * (actor->out.used ? report_copies(trial) : 1);
		*(actor->out.used ? &stamped : &joined) += account->stamps.count * (actor->out.used ? report_copies(trial) : 1);
	}
	audit_note(&report->audit, "contents", !torn, "%" PRIu64 " messages did not hold what was written", torn);
	for (unsigned i = 0; i < trial->fan->producers; i++)
		audit_fan_tally(report, i, &extra);
	audit_note(&report->audit, "order", repeated <= extra, "%" PRIu64 " messages came after later ones", repeated - extra);
	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_actor *actor = &trial->actors[i];

		audit_note(&report->audit, "ascending", end_ascends(actor->out.used ? &actor->out : &actor->in, !actor->out.used),
			   "actor %u's stamps do not ascend", i);
	}
	audit_note(&report->audit, "counts", written == read, "%" PRIu64 " measured messages written, %" PRIu64 " read", written, read);
	audit_note(&report->audit, "stamps", stamped == joined, "%" PRIu64 " messages stamped by producers, %" PRIu64 " by consumers",
		   stamped, joined);
}

/* What a queue's consumer missed and what came after its turn: lost, come twice, or in another order. */
static void audit_turns(struct report *report, unsigned queue, const struct endpoint_account *received)
{
	int64_t missing = (int64_t)received->missed.messages; /* in the end; below 0: came twice */
	bool same = !missing && !received->missed.fingerprint; /* what was jumped over came later */

	audit_note(&report->audit, "lost", missing <= 0, "%" PRId64 " messages of queue %u never came", missing, queue);
	audit_note(&report->audit, "repeated", missing >= 0, "%" PRId64 " messages of queue %u came twice", -missing, queue);
	audit_note(&report->audit, "fingerprint", missing || same, "messages of queue %u were lost, and as many came twice", queue);
	audit_note(&report->audit, "order", !received->lost || !received->repeated,
		   "%" PRIu64 " messages of queue %u came after later ones%s", received->repeated, queue, same ? "" : ", or twice");
}

static void audit_endpoints(struct report *report)
{
	const struct trial *trial = report->trial;

	for (unsigned queue = 0; queue < trial->queue_count; queue++) {
		const struct trial_endpoint *out = report_endpoint_at(trial, queue, POINT_WRITE);
		const struct trial_endpoint *in = report_endpoint_at(trial, queue, POINT_READ);
		const struct endpoint_account *sent = &out->account, *received = &in->account;

		audit_note(&report->audit, "contents", !received->torn, "%" PRIu64 " messages of queue %u did not hold what was written",
			   received->torn, queue);
		audit_turns(report, queue, received);
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
		audit_note(&report->audit, "early", !early, "%" PRIu64 " of actor %u's messages were written before they were due", early,
			   i);
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
	if (from_cpu == to_cpu || !report_is_line_cpu(trial, from_cpu) || !report_is_line_cpu(trial, to_cpu))
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

			if (!ends[k]->used || !ticks)
				continue;
			/* a few messages were asked for: what they can't tell is null; a duration that comes out so short is wrong */
			if (trial->request->cell.messages && !report_is_resolved(report, ticks))
				audit_waive(&report->audit, "resolution", "no rate: %.0f ns were measured, fewer than %d quanta of the clock",
					    report_ns(report, (double)ticks), REPORT_QUANTA_LEAST);
			else
				audit_note(&report->audit, "resolution", report_is_resolved(report, ticks),
					   "%.0f ns were measured, fewer than %d quanta of the clock", report_ns(report, (double)ticks),
					   REPORT_QUANTA_LEAST);
		}
	}
}

/* A rate over less than half of the time is none of the trial: who stood still before the first stamp or behind the last one, or came late
 * and found a full queue, was quick in between. */
static void audit_cover(struct report *report)
{
	const struct trial *trial = report->trial;

	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_endpoint *ends[] = {&trial->actors[i].out, &trial->actors[i].in};

		for (size_t k = 0; k < 2; k++) {
			const struct mark *first = &ends[k]->account.outer_first, *last = &ends[k]->account.outer_last;

			if (!ends[k]->used || last->ticks == first->ticks)
				continue;
			audit_note(&report->audit, "cover", true, "-");
			if (!analysis_covers(first, last, report->measured_ticks))
				audit_waive(&report->audit, "cover",
					    "no rate at %s of actor %u: %.0f ns from the first stamp to the last, of %.0f ns measured",
					    k ? "read" : "write", i, report_ns(report, (double)(last->ticks - first->ticks)),
					    report_ns(report, (double)report->measured_ticks));
		}
	}
}

void report_audit(struct report *report)
{
	if (report->trial->fan)
		audit_fan(report);
	else
		audit_endpoints(report);
	audit_schedule(report);
	audit_latencies(report);
	audit_clock(report);
	audit_cover(report);
}
