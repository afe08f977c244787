#include "open_load.h"

#include <math.h>

#include "analysis.h"
#include "open_share.h"
#include "schedule.h"

static const double GROWTH = 0.001;       /* of the schedule's length, from quarter to quarter */
static const double SHARE_REACHED = 0.99; /* of what is scheduled */

struct open_quarters open_quarters_begin(uint64_t first, uint64_t last)
{
	return (struct open_quarters){.first = first, .last = last};
}

void open_quarters_add(struct open_quarters *quarters, uint64_t intended, int64_t response)
{
	uint64_t at = intended - quarters->first, length = quarters->last - quarters->first + 1;
	size_t quarter = (size_t)((unsigned __int128)at * OPEN_QUARTERS / length);

	if (quarter >= OPEN_QUARTERS)
		quarter = OPEN_QUARTERS - 1; /* another producer's last one */
	if (!quarters->known[quarter] || response < quarters->least[quarter])
		quarters->least[quarter] = response;
	quarters->known[quarter] = true;
	if (response > 0 && intended + (uint64_t)response > quarters->read)
		quarters->read = intended + (uint64_t)response;
}

bool open_quarters_are_known(const struct open_quarters *quarters)
{
	for (size_t i = 0; i < OPEN_QUARTERS; i++)
		if (!quarters->known[i])
			return false;
	return true;
}

/* From each quarter that has a message to the next one that has. */
static bool known_grow(const struct open_quarters *quarters)
{
	double step = (double)(quarters->last - quarters->first) * GROWTH;
	const int64_t *before = NULL;

	for (size_t i = 0; i < OPEN_QUARTERS; i++) {
		if (!quarters->known[i])
			continue;
		if (before && (double)(quarters->least[i] - *before) <= step)
			return false;
		before = &quarters->least[i];
	}
	return true;
}

bool open_quarters_grow(const struct open_quarters *quarters)
{
	return open_quarters_are_known(quarters) && known_grow(quarters);
}

bool open_quarters_outlast(const struct open_quarters *quarters, double gap_ticks)
{
	return !open_quarters_are_known(quarters) && quarters->read > quarters->last &&
	       (double)(quarters->read - quarters->last) > gap_ticks && known_grow(quarters);
}

/* ---- a trial ---- */

struct visiting {
	const struct stamps *from, *to;
	struct open_quarters *quarters;
};

static void add_response(void *context, size_t from_index, size_t to_index)
{
	const struct visiting *visiting = context;
	uint64_t intended = visiting->from->outmost[from_index];

	open_quarters_add(visiting->quarters, intended, (int64_t)(visiting->to->at[to_index].outer - intended));
}

/* The ends at which messages come out for good: those of the last queue; of a ping-pong, where they are asked for, not the answers. */
static bool is_last_end(const struct trial *trial, const struct trial_endpoint *end)
{
	unsigned last = trial->request->cell.workload == WORKLOAD_PIPELINE ? trial->queue_count - 1 : 0;

	return end->used && end->queue == last;
}

static void find_quarters(const struct trial *trial, struct open_quarters *quarters)
{
	uint64_t first = UINT64_MAX, last = 0;

	for (unsigned p = 0; p < trial->actor_count; p++) {
		const struct trial_endpoint *out = &trial->actors[p].out;
		const struct stamps *stamps = &out->account.stamps;

		if (!out->plan.arrivals || !stamps->count)
			continue;
		first = stamps->outmost[0] < first ? stamps->outmost[0] : first;
		last = stamps->outmost[stamps->count - 1] > last ? stamps->outmost[stamps->count - 1] : last;
	}
	*quarters = open_quarters_begin(first, last);
	for (unsigned p = 0; p < trial->actor_count; p++)
		for (unsigned c = 0; c < trial->actor_count; c++) {
			const struct trial_endpoint *out = &trial->actors[p].out, *in = &trial->actors[c].in;
			struct visiting visiting = {&out->account.stamps, &in->account.stamps, quarters};

			if (out->plan.arrivals && is_last_end(trial, in))
				analysis_visit_of(visiting.from, trial->fan ? p : 0, visiting.to, add_response, &visiting);
		}
}

/* Ticks from one burst to the next, on average. */
static double period_of(const struct arrivals *arrivals)
{
	return (double)arrivals->quotient + (double)arrivals->remainder / (double)arrivals->denominator;
}

double open_load_grace(const struct arrivals *arrivals, uint64_t sequence)
{
	return period_of(arrivals) * (double)((sequence - 1) % arrivals->burst) / (double)arrivals->burst;
}

/* Ticks from when the producer's first stamped message was due: when that one must be written for the rate to be reached. */
static double must_be_written(const struct trial_endpoint *out, size_t stamp)
{
	const struct stamps *stamps = &out->account.stamps;

	return (double)(stamps->outmost[stamp] - stamps->outmost[0]) + open_load_grace(out->plan.arrivals, stamps->at[stamp].sequence);
}

/* Messages of the measured phase that were due and never written; of Poisson arrivals, so many as are to be expected. */
static double unwritten(const struct trial_endpoint *out)
{
	const struct endpoint_account *account = &out->account;
	const struct arrivals *arrivals = out->plan.arrivals;
	uint64_t from = account->unwritten_from, length = account->unwritten_to - from;
	double period = period_of(arrivals), bursts;

	if (length > out->plan.measure_ticks)
		length = out->plan.measure_ticks; /* it did not come to write all of the warm-up's */
	if (arrivals->poisson)
		return (double)length / period * (double)arrivals->burst;
	bursts = ceil((double)length / period); /* the first of them is due at the beginning */
	return fmax(bursts * (double)arrivals->burst - (double)(account->messages % arrivals->burst), 1);
}

/* Of a producer whose stamps span no time: what it wrote, or should have, per tick of the measured phase; < 0: unknown. */
static double counted_rate(const struct trial_endpoint *out, bool written)
{
	if (!out->account.unwritten_from || !out->plan.measure_ticks)
		return -1;
	return ((double)out->account.messages + (written ? 0 : unwritten(out))) / (double)out->plan.measure_ticks;
}

/* A producer's messages per tick, from when the first stamped one was due to when the last one must be written, or to when it was, if that
 * came later, or, where it did not come to write all that was due, to when it all should have been; < 0: unknown. */
static double producer_rate(const struct trial_endpoint *out, bool written)
{
	const struct stamps *stamps = &out->account.stamps;
	size_t last = stamps->count - 1;
	double until;

	if (!stamps->count || stamps->outmost[last] == stamps->outmost[0])
		return counted_rate(out, written);
	until = must_be_written(out, last);
	if (written)
		until = fmax(until, (double)(stamps->at[last].outer - stamps->outmost[0]));
	if (written && out->account.unwritten_from)
		until = fmax(until, (double)(out->account.unwritten_to - stamps->outmost[0]));
	return (double)(stamps->at[last].sequence - stamps->at[0].sequence) / (until - must_be_written(out, 0));
}

/* Σ over producers. Rates of one span's beginning: what began late and was caught up with was reached; < 0: a producer's is unknown. */
static double rate_until(const struct trial *trial, bool written)
{
	double sum = 0;

	for (unsigned p = 0; p < trial->actor_count; p++) {
		double rate;

		if (!trial->actors[p].out.plan.arrivals)
			continue;
		rate = producer_rate(&trial->actors[p].out, written);
		if (rate < 0)
			return -1;
		sum += rate;
	}
	return sum;
}

/* The length of the schedule over the time until its last stamped message was read; < 0: unknown. A queue takes in what is more than its
 * receivers can, as long as there is room: the senders then reach their rate, and these don't. */
static double read_share(const struct trial *trial, const struct open_quarters *quarters)
{
	double length = 0, until = 0;

	if (quarters->last <= quarters->first)
		return -1;
	for (unsigned i = 0; i < trial->actor_count; i++) {
		const struct trial_endpoint *out = &trial->actors[i].out, *in = &trial->actors[i].in;
		const struct stamps *sent = &out->account.stamps, *received = &in->account.stamps;

		if (out->plan.arrivals && sent->count)
			length = fmax(length, (double)(sent->outmost[0] - quarters->first) + must_be_written(out, sent->count - 1));
		if (is_last_end(trial, in) && received->count)
			until = fmax(until, (double)(received->at[received->count - 1].outer - quarters->first));
	}
	return until > 0 ? length / fmax(length, until) : -1;
}

static bool falls_behind(double share)
{
	return share >= 0 && share < SHARE_REACHED;
}

bool open_load_exceeds(double written_share, double read_share, double offered_per_s, double capacity_per_s)
{
	return (falls_behind(written_share) || falls_behind(read_share)) && capacity_per_s > 0 && offered_per_s >= capacity_per_s;
}

static uint64_t written_messages(const struct trial *trial)
{
	uint64_t messages = 0;

	for (unsigned p = 0; p < trial->actor_count; p++)
		if (trial->actors[p].out.plan.arrivals)
			messages += trial->actors[p].out.account.messages;
	return messages;
}

/* Where stamps tell no rate: a producer that never came to write, or hardly, is not one of which nothing is known. */
static double counted_share(const struct trial *trial)
{
	const struct trial_request *request = trial->request;
	struct open_offer offer = {.per_s = schedule_rate(&request->cell, request->rate_per_s), .duration_ns = (double)request->cell.duration_ns,
				   .burst = request->cell.burst, .producers = request->cell.producers,
				   .random = request->cell.arrival == ARRIVAL_POISSON};

	return open_share_written(written_messages(trial), &offer);
}

/* Where the schedule has so few bursts that they don't fill its quarters: whether they outlast it. */
static bool few_outlast(const struct trial *trial, const struct open_quarters *quarters)
{
	const struct trial_request *request = trial->request;
	double at_once = request->cell.burst ? (double)request->cell.burst : 1;
	double gap = at_once / schedule_rate(&request->cell, request->rate_per_s) * request->clock.ticks_per_s;

	return (double)written_messages(trial) <= OPEN_QUARTERS * at_once && open_quarters_outlast(quarters, gap);
}

struct open_load open_load_judge(const struct trial *trial)
{
	double written = rate_until(trial, true), intended = rate_until(trial, false);
	const struct trial_request *request = trial->request;
	struct open_load load = {.reached_per_s = written < 0 ? -1 : written * request->clock.ticks_per_s,
				 .reached_share = written < 0 || intended <= 0 ? -1 : written / intended};

	if (load.reached_share < 0) {
		load.reached_share = counted_share(trial);
		if (load.reached_share >= 0)
			load.reached_per_s = load.reached_share * schedule_rate(&request->cell, request->rate_per_s);
	}
	find_quarters(trial, &load.quarters);
	load.saturated = open_quarters_grow(&load.quarters) || few_outlast(trial, &load.quarters) ||
			 open_load_exceeds(load.reached_share, read_share(trial, &load.quarters),
					   schedule_rate(&request->cell, request->rate_per_s), request->capacity_per_s);
	return load;
}

static json_t *known_or_null(double value)
{
	return value < 0 ? json_null() : json_real(value);
}

json_t *open_load_to_json(const struct trial *trial, const struct open_load *load)
{
	const struct trial_request *request = trial->request;
	json_t *least = json_array();

	for (size_t i = 0; i < OPEN_QUARTERS; i++)
		json_array_append_new(least, load->quarters.known[i] ?
						     json_real(round(clock_ns((double)load->quarters.least[i] * 10,
									      request->clock.ticks_per_s)) / 10) : json_null());
	return json_pack("{s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "offered_per_s",
			 schedule_rate(&request->cell, request->rate_per_s), "capacity_per_s",
			 request->capacity_per_s > 0 ? json_real(request->capacity_per_s) : json_null(),
			 "capacity_trial", request->capacity_trial ? json_integer((json_int_t)request->capacity_trial) : json_null(),
			 "reached_per_s", known_or_null(load->reached_per_s), "reached_share", known_or_null(load->reached_share),
			 "rate_reached", load->reached_share < 0 ? json_null() : json_boolean(load->reached_share >= SHARE_REACHED),
			 "saturated", load->saturated || open_quarters_are_known(&load->quarters) ? json_boolean(load->saturated) : json_null(),
			 "least_response_ns", least, "schedule_seed",
			 request->cell.arrival == ARRIVAL_POISSON ? json_integer((json_int_t)request->seed) : json_null());
}
