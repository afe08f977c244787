/* More measured loops: a consumer of a queue that has several ends on a side (fanin, fanout, mesh), and a pipeline's middle. loops.h tells
 * how loops are built; a producer's is the same as there, but that it ends without a last message.
 *
 * A consumer knows each producer's messages by their header. Of what one producer wrote, it sees an ascending part; which parts came to
 * which consumer is held together after the trial, by tallies. It may leave when it finds the queue empty after the last
 * producer was done. */
#ifndef BENCH_LOOPS_MANY_H
#define BENCH_LOOPS_MANY_H

#include "loops.h"

enum {
	FAN_KIND_BITS = MESSAGE_SEQUENCE_BITS, /* above them: producer and phase */
	FAN_EMPTY_POLLS = 64, /* a queue that waits for preempted ones may come back empty-handed for their sake */
};

/* One producer's messages, as a consumer sees them. */
struct fan_reading {
	uint64_t kind;     /* upper bits of its messages' headers: the phase can change but once */
	uint64_t sequence; /* read last */
	uint64_t stamp_at, stamp_every;
	uint64_t read;     /* of its messages, not yet published for the window */
};

struct fan_consuming {
	struct fan_reading producers[FAN_SIDE_MAX];
	uint64_t read;     /* messages so far */
	uint64_t measured; /* of the measured phase */
	uint64_t look_at;  /* in messages read */
	struct mark looked; /* the same at the last look, or at the start */
	uint64_t window_from, window_end; /* ticks: between them, its rate is taken; whatever is read then counts, of the warm-up, too */
	uint64_t preread_ticks;
	unsigned idle;
	uint64_t batches, empty; /* so far */
	uint64_t from_batches, from_empty;
	bool exclusive;    /* nobody else reads any of these messages: none may be missing */
	bool unreleased;   /* something was read since the last preread */
	bool closed;       /* the window is over */
	bool over;         /* all producers are done */
	unsigned vain;     /* prereads since then that found nothing, in a row */
};

QUEUE_INLINE void fan_begin(const struct endpoint_plan *plan, struct endpoint_account *account, struct fan_consuming *state,
			    uint64_t start)
{
	*state = (struct fan_consuming){.read = 0};
	for (unsigned i = 0; i < plan->fan->producers; i++) {
		state->producers[i].kind = message_header(i, PHASE_WARM_UP, 0) >> FAN_KIND_BITS;
		state->producers[i].stamp_at = UINT64_MAX;
	}
	state->exclusive = plan->fan->consumers == 1 || plan->fan->multicast;
	state->looked = (struct mark){0, start};
	state->window_from = account->looked = start + plan->warm_up_ticks;
	state->window_end = plan->measure_ticks == UINT64_MAX ? UINT64_MAX : state->window_from + plan->measure_ticks;
}

/* How many of n messages bear consecutive headers, from the first one's on. */
QUEUE_INLINE size_t fan_run(const unsigned char *slots, size_t stride, size_t n, uint64_t header)
{
	size_t k = 1;

	for (; k < n; k++)
		if (*(const message_header_word *)(const void *)(slots + k * stride) != header + k)
			break;
	return k;
}

/* A producer's first measured message that this consumer reads. */
static void cold_enter_fan_phase(const struct endpoint_plan *plan, struct fan_consuming *state, unsigned producer, uint64_t sequence)
{
	struct fan_reading *reading = &state->producers[producer];
	const struct fan_producer *shared = &plan->fan->by_producer[producer];

	reading->kind = message_header(producer, PHASE_MEASURED, 0) >> FAN_KIND_BITS;
	reading->stamp_every = shared->stamp_every;
	reading->stamp_at = !shared->stamp_every ? UINT64_MAX :
						   consume_next_cut(shared->from, shared->stamp_every, sequence - 1);
	if (!state->measured) {
		state->from_batches = state->batches - 1; /* this one belongs to it */
		state->from_empty = state->empty;
	}
}

/* The first of m messages is not what was expected, or one of them does not hold what was written. Returns how many good ones
 * there are before the first of those; none: it is counted as what it is, and left out. */
static QUEUE_COLD size_t cold_judge_fan(const struct endpoint_plan *plan, struct endpoint_account *account,
					struct fan_consuming *state, const unsigned char *slots, size_t m)
{
	struct fan_reading *reading;
	enum message_phase phase;
	uint64_t header, sequence;
	unsigned producer;
	size_t good = 0;

	memcpy(&header, slots, sizeof(header));
	while (good < m && !message_differs_one(slots + good * plan->stride, plan->touched, header + good))
		good++;
	producer = (unsigned)(header >> (MESSAGE_SEQUENCE_BITS + MESSAGE_PHASE_BITS)) - 1;
	phase = message_phase(header);
	sequence = message_sequence(header);
	if (good && phase == PHASE_LAST && target_table.traits.blocks_natively && producer < plan->fan->producers) {
		fetch_add_relaxed(&plan->fan->nudges_seen, 1); /* only counted */
		return 0; /* loop_consume_many() looks whether all producers are done, as it does each time */
	}
	state->read++; /* one that is left out is none the less one that was read */
	if (!good || producer >= plan->fan->producers || phase >= PHASE_LAST || !sequence) {
		account->torn++;
		return 0;
	}
	reading = &state->producers[producer];
	if (sequence <= reading->sequence) {
		account->repeated++;
		loop_tally(&account->tallies[producer], sequence, 1);
		return 0;
	}
	if (message_header(producer, phase, 0) >> FAN_KIND_BITS < reading->kind) {
		account->torn++;
		return 0;
	}
	state->read--;
	if (state->exclusive)
		account->lost += sequence - reading->sequence - 1;
	reading->sequence = sequence - 1;
	if (message_header(producer, phase, 0) >> FAN_KIND_BITS != reading->kind) {
		cold_enter_fan_phase(plan, state, producer, sequence);
		return 1;
	}
	return good;
}

/* What it had read when its window began, between two looks at the clock: it is taken that messages came evenly between them. */
static QUEUE_COLD struct mark cold_begin_window(const struct fan_consuming *state, uint64_t now)
{
	uint64_t before = state->window_from - state->looked.ticks, between = now - state->looked.ticks;
	double part = between ? (double)before / (double)between : 0;

	return (struct mark){state->looked.count + (uint64_t)((double)(state->read - state->looked.count) * part), state->window_from};
}

/* Its rate is that of the whole window: waiting at either end of it counts. */
QUEUE_INLINE void fan_look(const struct endpoint_plan *plan, struct endpoint_account *account, struct fan_consuming *state, uint64_t now)
{
	state->look_at = state->read + plan->look_every;
	if (now >= state->window_from && !state->closed) {
		if (queue_unlikely(!account->outer_first.ticks))
			account->outer_first = cold_begin_window(state, now);
		loop_end_windows(plan, account, state->read, now);
		account->outer_last = (struct mark){state->read, now};
		loop_look(account, now);
		state->closed = now >= state->window_end;
	}
	state->looked = (struct mark){state->read, now};
}

/* After a stamped message, or where it is time for a look. */
QUEUE_INLINE void fan_cut(const struct endpoint_plan *plan, struct endpoint_account *account, struct fan_consuming *state,
			  struct fan_reading *reading, unsigned producer)
{
	uint64_t now = clock_ticks_after(plan->clock);
	bool stamped = false;

	fan_look(plan, account, state, now);
	if (plan->inner && state->measured)
		loop_mark(&account->inner_first, &account->inner_last, state->measured, state->preread_ticks);
	if (reading->sequence == reading->stamp_at) {
		if (queue_likely(account->stamps.count < account->stamps.room)) {
			account->stamps.at[account->stamps.count++] =
				(struct stamp){reading->sequence | (uint64_t)producer << MESSAGE_SEQUENCE_BITS, now, state->preread_ticks};
			account->outer_sum += now;
			account->inner_sum += state->preread_ticks;
			stamped = true;
		}
		reading->stamp_at += reading->stamp_every;
	}
	if (!plan->handles)
		return;
	if (queue_likely(state->measured))
		loop_handle(plan, account, state->measured, stamped);
	else
		busy_work(reading->sequence, plan->work_steps);
}

QUEUE_INLINE void fan_span(const struct endpoint_plan *plan, struct endpoint_account *account, struct fan_consuming *state,
			   enum message_class size_class, const unsigned char *slots, size_t n)
{
	while (n) {
		uint64_t header = *(const message_header_word *)(const void *)slots, sequence = message_sequence(header);
		unsigned producer = (unsigned)(header >> (MESSAGE_SEQUENCE_BITS + MESSAGE_PHASE_BITS)) - 1;
		struct fan_reading *reading = &state->producers[producer < plan->fan->producers ? producer : 0];
		/* up to the next stamp, lest those behind it be compared again and again; one that another consumer got is no bound */
		size_t m = plan->handles ? 1 : fan_run(slots, plan->stride, loop_least(n, reading->stamp_at - sequence + 1), header);

		if (queue_unlikely(header >> FAN_KIND_BITS != reading->kind || sequence <= reading->sequence ||
				   (state->exclusive && sequence != reading->sequence + 1) ||
				   message_differs(size_class, slots, plan->stride, plan->touched, m, header))) {
			m = cold_judge_fan(plan, account, state, slots, m);
			if (!m) {
				slots += plan->stride;
				n--;
				continue;
			}
		}
		if (reading->stamp_at < sequence) /* another consumer got those */
			reading->stamp_at = consume_next_cut(reading->stamp_at, reading->stamp_every, sequence - 1);
		if (reading->stamp_at - sequence < m)
			m = reading->stamp_at - sequence + 1;
		reading->sequence = sequence + m - 1;
		reading->read += m;
		state->read += m;
		loop_tally(&account->tallies[producer], sequence, m);
		if (message_phase(header) == PHASE_MEASURED)
			state->measured += m;
		if (queue_unlikely(reading->sequence == reading->stamp_at || state->read >= state->look_at))
			fan_cut(plan, account, state, reading, producer);
		slots += m * plan->stride;
		n -= m;
	}
}

/* Looks for messages; false: none. */
QUEUE_INLINE bool fan_preread(const struct endpoint_plan *plan, struct fan_consuming *state)
{
	if (target_table.traits.blocks_natively && !state->over) {
		target_table.preread_wait(plan->endpoint);
	} else {
		bool found = target_table.preread(plan->endpoint);

		if (found || state->unreleased || loop_locks_out())
			loop_notify_writer(plan);
		if (found && loop_locks_out()) /* another reader may have looked while this one had the lock, and sleep */
			loop_notify(plan, &plan->shared->messages);
		state->unreleased = found;
		if (!found) {
			state->empty++;
			return false;
		}
	}
	state->batches++;
	state->idle = 0;
	if (queue_unlikely(plan->inner))
		state->preread_ticks = clock_ticks_after(plan->clock);
	return true;
}

/* Tells producers that have a window how much of theirs was read. */
QUEUE_INLINE void fan_publish(const struct endpoint_plan *plan, struct fan_consuming *state)
{
	if (!plan->window)
		return;
	for (unsigned i = 0; i < plan->fan->producers; i++) {
		if (!state->producers[i].read)
			continue;
		/* W0 acq_rel: pairs with W1 in produce_window(); other consumers add to it as well. */
		fetch_add_acq_rel(&plan->fan->by_producer[i].read, state->producers[i].read);
		state->producers[i].read = 0;
	}
	loop_notify(plan, plan->window_room);
}

QUEUE_INLINE void fan_noted(const struct endpoint_plan *plan, struct endpoint_account *account, struct fan_consuming *state,
			    enum message_class size_class)
{
	for (;;) {
		size_t n;
		const unsigned char *slots = (const unsigned char *)target_table.read_span(plan->endpoint, plan->batch, &n);

		if (!n)
			break;
		fan_span(plan, account, state, size_class, slots, n);
		if (queue_unlikely(plan->read_singly))
			break;
	}
	fan_publish(plan, state);
}

/* Nobody writes any more. What is there is still to be read. */
static QUEUE_COLD void cold_fan_over(const struct endpoint_plan *plan, struct endpoint_account *account, struct fan_consuming *state)
{
	state->over = true;
	fan_look(plan, account, state, clock_ticks(plan->clock));
	state->closed = true;
	if (state->measured)
		account->empty = state->empty - state->from_empty;
}

/* After a preread since then that found nothing, or a nudge alone: whether that is enough to be sure that nothing will be found. */
static QUEUE_COLD bool cold_fan_ends(const struct endpoint_plan *plan, struct endpoint_account *account, struct fan_consuming *state)
{
	wait_yield(&plan->shared->messages);
	if (++state->vain < FAN_EMPTY_POLLS)
		return false;
	account->all_messages = state->read;
	account->messages = state->measured;
	if (state->measured)
		account->batches = state->batches - state->from_batches;
	fetch_add_acq_rel(&plan->fan->consumers_left, (uint64_t)-1); /* only counted */
	return true;
}

QUEUE_INLINE void loop_consume_many(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t start,
				    enum message_class size_class)
{
	struct fan_consuming state;

	fan_begin(plan, account, &state, start);
	for (;;) {
		uint64_t read = state.read;
		/* before the preread: what that does not find is not there */
		bool over = state.over;

		if (fan_preread(plan, &state)) {
			fan_noted(plan, account, &state, size_class);
			if (queue_likely(state.read != read))
				state.vain = 0;
		}
		if (queue_likely(state.read != read) && !target_table.traits.blocks_natively)
			continue;
		if (queue_unlikely(over)) {
			if (state.read == read && cold_fan_ends(plan, account, &state))
				break;
		} else if (queue_unlikely(loop_is_over(plan))) {
			cold_fan_over(plan, account, &state);
		} else if (!target_table.traits.blocks_natively) {
			loop_no_message(plan, &state.idle);
		}
	}
}

/* ---- a pipeline's middle ---- */

/* Writes m messages from the next header on; cut: the last of them is one before which the clock is read. */
QUEUE_INLINE void relay_write(const struct endpoint_plan *plan, struct endpoint_account *account, struct producing *state,
			      enum message_class size_class, size_t m, bool cut)
{
	while (m) {
		size_t want = loop_least(m, plan->batch - state->unflushed), n;
		void *slots;

		if (queue_unlikely(cut)) {
			if (m > 1) {
				want = loop_least(want, m - 1);
			} else {
				produce_cut(plan, account, state, clock_ticks(plan->clock));
				cut = false;
			}
		}
		slots = produce_slots(plan, account, state, want, &n);
		if (queue_unlikely(!n))
			continue;
		message_fill(size_class, slots, plan->stride, plan->touched, n, state->header);
		state->header += n;
		state->sequence += n;
		state->unflushed += n;
		m -= n;
		if (state->unflushed == plan->batch)
			produce_flush(plan, account, state);
	}
}

/* What was read goes on with the same sequence number and in the same phase; what is stamped at one end is stamped at the other. */
QUEUE_INLINE void relay_span(const struct endpoint_plan *out, struct endpoint_account *sent, struct producing *producing,
			     const struct endpoint_plan *in, struct endpoint_account *received, struct consuming *consuming,
			     enum message_class size_class, const unsigned char *slots, size_t n)
{
	while (n) {
		bool cut;
		size_t m;

		consuming->cut_ticks = 0;
		m = consume_step(in, received, consuming, size_class, slots, n);
		if (queue_unlikely(consuming->phase != producing->phase))
			*producing = cold_follow_phase(out, sent, *producing, *consuming);
		cut = consuming->cut_ticks && queue_likely(!consuming->done);
		relay_write(out, sent, producing, size_class, m, cut);
		slots += m * in->stride;
		n -= m;
	}
}

/* Whatever was noted is passed on at once, in batches no larger than asked for: nothing waits for messages that may not come. */
QUEUE_INLINE void loop_relay(const struct endpoint_plan *out, struct endpoint_account *sent, const struct endpoint_plan *in,
			     struct endpoint_account *received, enum message_class size_class)
{
	struct producing producing;
	struct consuming consuming;

	produce_begin(out, &producing, 0);
	consume_begin(in, &consuming);
	while (!consuming.done) {
		if (!consume_preread(in, &consuming, false, NULL)) {
			loop_no_message(in, &consuming.idle);
			continue;
		}
		for (;;) {
			size_t n;
			const unsigned char *slots = (const unsigned char *)target_table.read_span(in->endpoint, in->batch, &n);

			if (!n)
				break;
			relay_span(out, sent, &producing, in, received, &consuming, size_class, slots, n);
			if (queue_unlikely(in->read_singly))
				break;
		}
		produce_flush(out, sent, &producing);
		consume_publish(in, &consuming);
	}
}

#endif
