/* The measured loops of an open load: a producer writes each message when it is due by its schedule. What comes late is written at once,
 * nothing is left out, and the schedule never moves. loops.h tells how loops are built; consumers are the same as there.
 *
 * Messages that are due are staged and flushed together, up to the batch. None waits for one that is not due yet. The clock is read before
 * each message, which tells whether it is due, and is its stamp at `write`. */
#ifndef BENCH_LOOPS_OPEN_H
#define BENCH_LOOPS_OPEN_H

#include "loops.h"

enum { OPEN_NEAR_TICKS = 1024 }; /* so near to the time, a pause of the processor may miss it */

/* Waits for that time, and tells the time that it is. */
QUEUE_INLINE uint64_t open_await(const struct endpoint_plan *plan, uint64_t until)
{
	uint64_t now;

	while ((now = clock_ticks(plan->clock)) < until) {
		if (queue_unlikely(plan->yields))
			wait_yield(&plan->shared->room);
		else if (until - now > OPEN_NEAR_TICKS)
			cpu_relax();
	}
	return now;
}

/* Whether nothing more is to be written of the phase, for a message that is due then. A phase has what is due within it, however late it is
 * written: a stall at its end would else leave no trace, and one at its beginning be measured twice. But there is an end of it, for a load
 * beyond the capacity would have none. */
QUEUE_INLINE bool open_is_over(const struct producing *state, uint64_t due, uint64_t now)
{
	return due >= state->phase_end || now >= state->late_end || state->sequence == state->end_at;
}

/* The schedule ends here: what is due then, and all that follows, is not written. */
static QUEUE_COLD void cold_end_schedule(const struct endpoint_plan *plan, struct endpoint_account *account,
					 const struct producing *state, uint64_t due)
{
	if (due >= state->phase_end)
		return;
	if (state->sequence != state->end_at) {
		account->unwritten_from = due;
		account->unwritten_to = state->phase_end;
	} else if (state->sequence - state->from_sequence < plan->measure_messages) {
		account->stamps_full = true;
	}
}

/* Waits for the message that is due then. False: the measured phase has it no more. */
QUEUE_INLINE bool open_await_due(const struct endpoint_plan *plan, struct endpoint_account *account, struct producing *state,
				 uint64_t due, uint64_t *now)
{
	for (;;) {
		*now = open_await(plan, state->sequence == state->end_at ? 0 : loop_least(due, state->phase_end));
		if (plan->fan)
			loop_look(account, *now);
		if (queue_likely(!open_is_over(state, due, *now)))
			return true;
		*state = cold_next_phase(plan, account, *state, *now);
		if (state->done) {
			cold_end_schedule(plan, account, state, due);
			return false;
		}
	}
}

/* Fetches the lines of the next stamp: to wait for them between the reading of the clock and the write would be measured. */
QUEUE_INLINE void open_fetch_stamp(const struct stamps *stamps)
{
	__builtin_prefetch(&stamps->outmost[stamps->count], 1);
	__builtin_prefetch(&stamps->at[stamps->count], 1);
	__builtin_prefetch(&stamps->at[stamps->count + 1], 1);
}

/* Stamps the message that is written now. The next one that finds no room for its stamp is not written: the trial ends there, early. That is
 * decided here, not before it: between the reading of the clock and the write, whatever is done is measured. */
QUEUE_INLINE void open_stamp(const struct endpoint_plan *plan, struct endpoint_account *account, struct producing *state, uint64_t due,
			     uint64_t now)
{
	struct stamps *stamps = &account->stamps;

	if (state->phase != PHASE_MEASURED)
		return;
	loop_mark(&account->outmost_first, &account->outmost_last, state->sequence - state->from_sequence, due);
	loop_end_windows(plan, account, state->sequence - state->from_sequence, now);
	loop_mark(&account->outer_first, &account->outer_last, state->sequence - state->from_sequence, now);
	if (state->sequence != state->stamp_at)
		return;
	stamps->outmost[stamps->count] = due;
	stamps->at[stamps->count++] = (struct stamp){state->sequence, now, 0};
	account->outmost_sum += due;
	account->outer_sum += now;
	state->stamp_at += state->stamp_every;
	if (queue_unlikely(stamps->count == stamps->room))
		state->end_at = loop_least(state->end_at, state->stamp_at);
}

/* Waits for the next message to be due; writes it and what else is due, up to a batch, and publishes them. */
QUEUE_INLINE void open_produce_batch(const struct endpoint_plan *plan, struct endpoint_account *account, struct producing *state,
				     struct arriving *arriving, enum message_class size_class)
{
	uint64_t due = arriving->due, now;
	size_t left = plan->batch, n;
	void *slot;

	arrivals_next(plan->arrivals, arriving); /* while there is time, as the next line is for */
	open_fetch_stamp(&account->stamps);
	if (!open_await_due(plan, account, state, due, &now))
		return;
	for (;;) {
		open_stamp(plan, account, state, due, now);
		do
			slot = produce_slots(plan, account, state, 1, &n);
		while (queue_unlikely(!n));
		message_fill(size_class, slot, plan->stride, plan->touched, 1, state->header);
		state->header++;
		state->sequence++;
		state->unflushed++;
		if (!--left || arriving->due > now)
			break;
		now = clock_ticks(plan->clock);
		if (queue_unlikely(open_is_over(state, arriving->due, now)))
			break;
		due = arriving->due;
		arrivals_next(plan->arrivals, arriving);
	}
	produce_flush(plan, account, state);
}

/* Sends the last message, which no schedule knows. */
static QUEUE_COLD struct producing cold_send_last(const struct endpoint_plan *plan, struct endpoint_account *account, struct producing state)
{
	state = cold_last_message(plan, account, state);
	produce_batch(plan, account, &state, MESSAGE_ANY, 1);
	return state;
}

QUEUE_INLINE void loop_produce_open(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t start,
				    enum message_class size_class)
{
	struct arriving arriving = arrivals_begin(plan->arrivals, start);
	struct producing state;

	produce_begin(plan, &state, start);
	produce_join(plan, account, start);
	while (!state.done)
		open_produce_batch(plan, account, &state, &arriving, size_class);
	if (plan->fan) {
		state = cold_last_message(plan, account, state);
		cold_leave_fan(plan, account, &state);
	} else {
		cold_send_last(plan, account, state);
	}
}

/* A question that is due before the last answer came is late, as one is that finds no room. */
QUEUE_INLINE void loop_ping_open(const struct endpoint_plan *out, struct endpoint_account *sent, const struct endpoint_plan *in,
				 struct endpoint_account *received, uint64_t start, enum message_class size_class)
{
	struct arriving arriving = arrivals_begin(out->arrivals, start);
	struct producing producing;
	struct consuming consuming;

	produce_begin(out, &producing, start);
	consume_begin(in, &consuming);
	while (!consuming.done) {
		bool last = producing.done;

		if (queue_unlikely(last))
			producing = cold_send_last(out, sent, producing);
		else
			open_produce_batch(out, sent, &producing, &arriving, size_class);
		if (queue_likely(last || !producing.done)) /* else nothing was sent */
			pingpong_receive(in, received, &consuming, size_class);
	}
}

#endif
