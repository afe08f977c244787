/* The measured loops. The including file has the table of its queue as `target_table`, static const: each operation of the
 * queue is inlined here, and no call and no indirect jump is left on the way of a message. What is cold is marked so.
 *
 * Three phases: warm-up, measured, last. The producer decides by its clock, at the beginning of a batch, and says so in the
 * header of its messages; the consumer finds out because the header is not the one that it expects. The last message ends
 * both loops: no third thread is needed.
 *
 * Stamps and looks at the clock happen at sequence numbers known to both ends (`cut`): the first measured message, and each
 * look_every-th (stamp_every-th) after it. Between cuts a loop does nothing per message but write (read and compare) it.
 *
 * Cold functions take a loop's state by value and hand it back: a state whose address is known elsewhere would have to be in
 * memory whenever a message is written, since the compiler can't tell the two apart. */
#ifndef BENCH_LOOPS_H
#define BENCH_LOOPS_H

#include "busy.h"
#include "endpoint.h"
#include "message.h"

#define LOOP static __attribute__((noinline))

QUEUE_INLINE uint64_t loop_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

QUEUE_INLINE void loop_mark(struct mark *first, struct mark *last, uint64_t count, uint64_t ticks)
{
	*last = (struct mark){count, ticks};
	if (queue_unlikely(!first->ticks))
		*first = *last;
}

/* Ends the windows of time that are over. Of a window's end that lies between two looks at the clock, it is taken that messages passed
 * evenly between them: what is wrong by that is less than the messages of one look. */
static QUEUE_COLD void cold_end_windows(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t count, uint64_t ticks)
{
	struct time_windows *windows = &account->windows;
	struct mark from = account->outer_last.ticks ? account->outer_last : account->outer_first;

	if (!windows->end_ticks) {
		windows->width_ticks = plan->time_window_ticks;
		windows->end_ticks = windows->width_ticks ? (from.ticks ? from.ticks : ticks) + windows->width_ticks : UINT64_MAX;
	}
	while (ticks >= windows->end_ticks) {
		double part = (double)(windows->end_ticks - from.ticks) / (double)(ticks - from.ticks);

		windows->passed[windows->count++] = from.count + (uint64_t)((double)(count - from.count) * part);
		if (windows->count == TIME_WINDOWS_MAX) { /* two become one */
			windows->count /= 2;
			windows->width_ticks *= 2;
			for (size_t i = 0; i < windows->count; i++)
				windows->passed[i] = windows->passed[2 * i + 1];
		}
		windows->end_ticks += windows->width_ticks;
	}
}

/* To be called before the mark of a look at the clock is kept. */
QUEUE_INLINE void loop_end_windows(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t count, uint64_t ticks)
{
	if (queue_unlikely(ticks >= account->windows.end_ticks))
		cold_end_windows(plan, account, count, ticks);
}

/* ---- waiting ---- */

QUEUE_INLINE bool loop_parks(const struct endpoint_plan *plan)
{
	return plan->wait >= WAIT_PARK && plan->wait <= WAIT_ADAPTIVE;
}

static QUEUE_COLD void cold_wake(const struct endpoint_plan *plan, struct wait_point *point, uint32_t sleepers)
{
	if (plan->wait == WAIT_ADAPTIVE)
		store_relaxed(&point->wake_sent, clock_ticks(plan->clock)); /* relaxed: only measured by */
	wait_wake_all(point, plan->wait, sleepers);
}

static QUEUE_COLD void cold_sleep(const struct endpoint_plan *plan, struct wait_point *point, uint32_t ticket)
{
	wait_sleep_as(point, plan->wait, ticket, plan->sleeper);
	if (plan->wait == WAIT_ADAPTIVE)
		wait_woke(point, plan->sleeper, clock_ticks(plan->clock));
}

/* Looks in vain at what is waited for at that point, plan->spins of them or more: whether to go on looking. Else it is time to give way. */
static QUEUE_COLD bool cold_polls_on(const struct endpoint_plan *plan, struct wait_point *point, unsigned idle)
{
	return plan->wait == WAIT_ADAPTIVE && wait_polls_on(point, plan->sleeper, idle == plan->spins, clock_ticks(plan->clock));
}

/* After a flush: wakes the readers that sleep. */
QUEUE_INLINE void loop_notify_reader(const struct endpoint_plan *plan, enum queue_flush flushed)
{
	uint32_t sleepers;

	if (queue_likely(!loop_parks(plan)))
		return;
	sleepers = target_table.traits.reports_sleeper ? flushed == QUEUE_FLUSHED_READER_SLEEPS :
							 wait_announced(&plan->shared->messages);
	if (sleepers)
		cold_wake(plan, &plan->shared->messages, sleepers);
}

QUEUE_INLINE void loop_notify(const struct endpoint_plan *plan, struct wait_point *room)
{
	uint32_t sleepers;

	if (queue_likely(!loop_parks(plan)))
		return;
	sleepers = wait_announced(room);
	if (sleepers)
		cold_wake(plan, room, sleepers);
}

/* After messages were released: wakes the writers that wait for room. */
QUEUE_INLINE void loop_notify_writer(const struct endpoint_plan *plan)
{
	loop_notify(plan, &plan->shared->room);
}

/* Whether a writer may have found no room for the sole reason that a reader was just looking. */
QUEUE_INLINE bool loop_locks_out(void)
{
	return target_table.traits.progress == QUEUE_WAITS_FOR_PREEMPTED;
}

/* Whether a fan's producers are done, and all their messages flushed. */
QUEUE_INLINE bool loop_is_over(const struct endpoint_plan *plan)
{
	/* E1 acquire: pairs with E0 in cold_leave_fan(): what was flushed before is there. */
	return plan->fan && !load_acquire(&plan->fan->producers_left);
}

static QUEUE_COLD void cold_wait_message(const struct endpoint_plan *plan)
{
	struct wait_point *point = &plan->shared->messages;
	uint32_t ticket = wait_ticket(point);

	if (plan->wait == WAIT_YIELD) {
		wait_yield(point);
	} else if (loop_parks(plan) && target_table.traits.reports_sleeper) {
		if (plan->fan) /* the last producer does not know of sleep() */
			wait_announce_as(point, plan->sleeper);
		if (!loop_is_over(plan) && target_table.sleep(plan->endpoint))
			cold_sleep(plan, point, ticket);
		if (plan->fan)
			wait_withdraw_as(point, plan->sleeper);
	} else if (loop_parks(plan)) {
		bool found;

		wait_announce_as(point, plan->sleeper);
		found = target_table.preread(plan->endpoint);
		loop_notify_writer(plan); /* also one that found nothing may have made room, as where it stepped over a void */
		if (found || loop_is_over(plan))
			wait_withdraw_as(point, plan->sleeper);
		else
			cold_sleep(plan, point, ticket);
	}
}

/* One poll in vain. */
QUEUE_INLINE void loop_no_message(const struct endpoint_plan *plan, unsigned *idle)
{
	cpu_relax();
	if (queue_unlikely(++*idle >= plan->spins)) {
		if (cold_polls_on(plan, &plan->shared->messages, *idle))
			return;
		*idle = 0;
		cold_wait_message(plan);
	}
}

/* Where it takes no more than a load to see whether somebody sleeps: the word to be looked at; else NULL. */
QUEUE_INLINE const uint32_t *loop_watched(const struct endpoint_plan *plan, const struct wait_point *point)
{
	return plan->wait == WAIT_ADAPTIVE && point->asymmetric ? &point->sleeping : NULL;
}

/* After a flush or a preread: whether somebody may sleep there. As wait_announced(), whose M0 is meant, but by a pointer that stays in a
 * register: a ring of 8-byte messages at batch 1 has 0.92 of the rate of spinning (Zen 3, one L3), and had 0.73 by way of the plan. */
QUEUE_INLINE bool loop_is_watched_asleep(const uint32_t *watched)
{
	if (queue_likely(!watched))
		return false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* M0 */
	return queue_unlikely(load_relaxed(watched)); /* relaxed: as there */
}

/* Whether nothing but the queue itself needs to be minded between two cuts: no window, no inner points, nobody to be woken who is
 * not watched. */
QUEUE_INLINE bool loop_is_plain(const struct endpoint_plan *plan)
{
	return !plan->window && !plan->inner &&
	       (!loop_parks(plan) ||
		(loop_watched(plan, &plan->shared->messages) && loop_watched(plan, &plan->shared->room)));
}

/* ---- producing ---- */

struct producing {
	uint64_t header, sequence; /* of the next message */
	uint64_t cut;              /* the next message before which the clock is read */
	uint64_t look_at, stamp_at, end_at;
	uint64_t stamp_every;
	uint64_t phase_end; /* ticks */
	uint64_t late_end;  /* ticks: of an open load: when nothing more is written of the phase, whatever was due */
	uint64_t read_seen; /* a past value of *plan->read */
	size_t stamped;     /* stamps whose message was flushed */
	size_t unflushed;
	unsigned idle;
	enum message_phase phase;
	uint64_t batches, refused; /* so far */
	uint64_t from_sequence, from_batches, from_refused; /* their values when the measured phase began */
	bool done;
};

QUEUE_INLINE void produce_begin(const struct endpoint_plan *plan, struct producing *state, uint64_t start)
{
	*state = (struct producing){
		.header = message_header(plan->producer, PHASE_WARM_UP, 1),
		.sequence = 1,
		.cut = 1,
		.look_at = 1,
		.stamp_at = UINT64_MAX,
		.end_at = UINT64_MAX,
		.phase_end = start + plan->warm_up_ticks,
		.late_end = start + plan->warm_up_ticks + plan->late_ticks + (plan->measure_ticks == UINT64_MAX ? 0 : plan->measure_ticks),
	};
}

/* Of a fan: the time since the last look, or since the measured phase was to begin. */
QUEUE_INLINE void loop_look(struct endpoint_account *account, uint64_t now)
{
	if (now <= account->looked)
		return;
	if (now - account->looked > account->longest_gap)
		account->longest_gap = now - account->looked;
	account->looked = now;
}

/* Whether another producer of the fan had no more room for stamps: they contend for the queue together, and end together. */
QUEUE_INLINE bool loop_is_cut_short(const struct endpoint_plan *plan)
{
	return plan->fan && load_relaxed(&plan->fan->cut_short); /* relaxed: says nothing but itself */
}

/* How many messages its schedule has within that time. */
static QUEUE_COLD double cold_scheduled(const struct arrivals *arrivals, uint64_t ticks)
{
	double period = (double)arrivals->quotient + (double)arrivals->remainder / (double)arrivals->denominator;

	return (double)ticks / period * (double)arrivals->burst;
}

/* One in how many messages is stamped: as asked for, or in more where the stamps would not find room: by the schedule of an open load, else
 * by the rate of the warm-up and the cost of a reading. Where each message was asked for, each is: thinned trials would have other
 * latencies than the others of their cell. */
static QUEUE_COLD uint64_t cold_settle_stamps(const struct endpoint_plan *plan, const struct endpoint_account *account,
					      const struct producing *state)
{
	double room = 0.75 * (double)account->stamps.room, every = (double)plan->stamp_every, least;
	uint64_t before = clock_ticks_after(plan->clock), stamp_ticks = clock_ticks_after(plan->clock) - before;

	if (plan->stamp_every == 1)
		return 1; /* where room runs out, the trial ends early and says so */
	if (plan->measure_messages != UINT64_MAX)
		least = (double)plan->measure_messages / room;
	else if (plan->arrivals)
		least = cold_scheduled(plan->arrivals, plan->measure_ticks) / room;
	else if (plan->warm_up_ticks)
		least = ((double)plan->measure_ticks / room - (double)stamp_ticks) * (double)state->sequence / (double)plan->warm_up_ticks;
	else
		return plan->stamp_every; /* no rate is known: as above */
	return every >= least ? plan->stamp_every : plan->stamp_every * (uint64_t)(least / every + 1);
}

/* Warm-up → measured → last. */
static QUEUE_COLD struct producing cold_next_phase(const struct endpoint_plan *plan, struct endpoint_account *account,
						   struct producing state, uint64_t now)
{
	if (state.phase == PHASE_MEASURED) {
		state.done = true;
		return state;
	}
	if (plan->stamp_every) {
		state.stamp_every = cold_settle_stamps(plan, account, &state);
		state.stamp_at = state.sequence;
	}
	if (plan->measuring)
		plan->measuring(plan->context);
	/* plain: a consumer reads it after a measured message, which the queue itself must bring in order */
	if (plan->fan) {
		plan->fan->by_producer[plan->producer].stamp_every = state.stamp_every;
		plan->fan->by_producer[plan->producer].from = state.sequence;
	} else {
		plan->shared->stamp_every = state.stamp_every;
	}
	state.phase = PHASE_MEASURED;
	state.header = message_header(plan->producer, PHASE_MEASURED, state.sequence);
	/* a fan's producers end together, and a schedule when it was made to end, even where one of them comes to begin late */
	state.phase_end = plan->measure_ticks == UINT64_MAX ? UINT64_MAX :
							      (plan->fan || plan->arrivals ? state.phase_end : now) + plan->measure_ticks;
	if (plan->measure_messages != UINT64_MAX)
		state.end_at = state.sequence + plan->measure_messages;
	if (plan->measure_ticks == UINT64_MAX) /* the messages end it, and only the warm-up had to end by the clock */
		state.late_end = UINT64_MAX;
	state.from_sequence = state.sequence;
	state.from_batches = state.batches;
	state.from_refused = state.refused;
	state.done = state.end_at == state.sequence || (!plan->arrivals && now >= state.phase_end);
	return state;
}

/* Whether the next message is to be stamped, and there is no more room for that: it is not written, and the trial ends early. */
QUEUE_INLINE bool loop_lacks_room(const struct endpoint_plan *plan, struct endpoint_account *account, struct producing *state)
{
	if (queue_likely(state->sequence != state->stamp_at || account->stamps.count < account->stamps.room))
		return false;
	account->stamps_full = true;
	state->done = true;
	if (plan->fan)
		store_relaxed(&plan->fan->cut_short, 1); /* relaxed: says nothing but itself */
	return true;
}

/* Before the message `cut`: looks at the clock, stamps. `now` is the time of the write that follows. */
QUEUE_INLINE void produce_cut(const struct endpoint_plan *plan, struct endpoint_account *account,
			      struct producing *state, uint64_t now)
{
	if (state->sequence == state->look_at) {
		if (plan->fan)
			loop_look(account, now);
		if (queue_unlikely(now >= state->phase_end || state->sequence == state->end_at || loop_is_cut_short(plan)))
			*state = cold_next_phase(plan, account, *state, now);
		state->look_at = loop_least(state->sequence + plan->look_every, state->end_at);
	}
	if (queue_unlikely(state->done || loop_lacks_room(plan, account, state)))
		return;
	if (state->phase == PHASE_MEASURED) {
		loop_end_windows(plan, account, state->sequence - state->from_sequence, now);
		loop_mark(&account->outer_first, &account->outer_last, state->sequence - state->from_sequence, now);
	}
	if (state->sequence == state->stamp_at) {
		account->stamps.at[account->stamps.count++] = (struct stamp){state->sequence, now, 0};
		account->outer_sum += now;
		state->stamp_at += state->stamp_every;
	}
	state->cut = loop_least(state->look_at, state->stamp_at);
}

/* Before a flush: the time at which the messages stamped since the last one are published. */
QUEUE_INLINE void produce_stamp_flush(const struct endpoint_plan *plan, struct endpoint_account *account,
				      struct producing *state)
{
	size_t written = account->stamps.count;
	uint64_t now;

	if (queue_likely(!plan->inner || state->stamped == written))
		return;
	/* the message that is stamped already, but finds no room before these are flushed, goes with the next ones */
	written -= account->stamps.at[written - 1].sequence == state->sequence;
	if (queue_unlikely(state->stamped == written))
		return;
	now = clock_ticks(plan->clock);
	loop_mark(&account->inner_first, &account->inner_last, state->sequence - state->from_sequence, now);
	for (; state->stamped < written; state->stamped++) {
		account->stamps.at[state->stamped].inner = now;
		account->inner_sum += now;
	}
}

static QUEUE_COLD void cold_wait_flush(const struct endpoint_plan *plan)
{
	struct wait_point *point = &plan->shared->room;
	uint32_t ticket = wait_ticket(point);

	loop_notify_reader(plan, QUEUE_FLUSHED); /* part of the stage may have been published */
	if (plan->wait == WAIT_YIELD) {
		wait_yield(point);
	} else if (loop_parks(plan)) {
		wait_announce_as(point, plan->sleeper);
		if (target_table.flush(plan->endpoint) != QUEUE_FULL) {
			wait_withdraw_as(point, plan->sleeper);
		} else {
			loop_notify_reader(plan, QUEUE_FLUSHED);
			cold_sleep(plan, point, ticket);
		}
	}
}

/* Publishes all that is staged, however long that takes. */
QUEUE_INLINE void produce_flush(const struct endpoint_plan *plan, struct endpoint_account *account, struct producing *state)
{
	enum queue_flush flushed;

	if (!state->unflushed)
		return;
	produce_stamp_flush(plan, account, state);
	state->unflushed = 0;
	state->batches++;
	if (target_table.traits.blocks_natively) {
		target_table.flush_wait(plan->endpoint);
		return;
	}
	while (queue_unlikely((flushed = target_table.flush(plan->endpoint)) == QUEUE_FULL)) {
		state->refused++;
		cpu_relax();
		if (queue_unlikely(++state->idle >= plan->spins)) {
			if (cold_polls_on(plan, &plan->shared->room, state->idle))
				continue;
			state->idle = 0;
			cold_wait_flush(plan);
		}
	}
	state->idle = 0;
	loop_notify_reader(plan, flushed);
}

/* No room in the queue: sleeps, unless a slot is there after all; that one is handed out. */
static QUEUE_COLD void *cold_wait_room(const struct endpoint_plan *plan, size_t *n)
{
	struct wait_point *point = &plan->shared->room;
	uint32_t ticket = wait_ticket(point);
	void *slot = NULL;

	*n = 0;
	if (plan->wait == WAIT_YIELD) {
		wait_yield(point);
	} else if (loop_parks(plan)) {
		wait_announce_as(point, plan->sleeper);
		slot = target_table.prewrite_span(plan->endpoint, 1, n);
		if (*n)
			wait_withdraw_as(point, plan->sleeper);
		else
			cold_sleep(plan, point, ticket);
	}
	return slot;
}

/* The window is used up: sleeps, unless more was read. */
static QUEUE_COLD void cold_wait_window(const struct endpoint_plan *plan, uint64_t read_seen)
{
	struct wait_point *point = plan->window_room;
	uint32_t ticket = wait_ticket(point);

	if (plan->wait == WAIT_YIELD || plan->wait == WAIT_NATIVE) {
		wait_yield(point);
	} else if (loop_parks(plan)) {
		wait_announce_as(point, plan->sleeper);
		/* W1 acquire: as in produce_window() */
		if (load_acquire(plan->read) != read_seen)
			wait_withdraw_as(point, plan->sleeper);
		else
			cold_sleep(plan, point, ticket);
	}
}

/* How many more messages the window allows, ≥ 0. */
QUEUE_INLINE uint64_t produce_window(const struct endpoint_plan *plan, struct producing *state)
{
	uint64_t outstanding = state->sequence - 1 - state->read_seen;

	if (outstanding < plan->window)
		return plan->window - outstanding;
	/* W1 acquire: pairs with W0 in consume_publish(): the reader is done with those messages. */
	state->read_seen = load_acquire(plan->read);
	return plan->window - (state->sequence - 1 - state->read_seen);
}

/* `want` free slots, or fewer; none: flushes what is staged and waits a little. */
QUEUE_INLINE void *produce_slots(const struct endpoint_plan *plan, struct endpoint_account *account,
				 struct producing *state, size_t want, size_t *n)
{
	void *slot = NULL;
	bool windowed = false;

	*n = 0;
	if (plan->window) {
		uint64_t room = produce_window(plan, state);

		windowed = !room;
		want = loop_least(want, room);
	}
	if (queue_likely(!windowed))
		slot = target_table.prewrite_span(plan->endpoint, want, n);
	if (queue_likely(*n)) {
		state->idle = 0;
		return slot;
	}
	produce_flush(plan, account, state);
	state->refused++;
	cpu_relax();
	/* a queue that blocks by its own means has none for the window: it gives its CPU away */
	if (queue_unlikely(++state->idle >= (windowed && plan->wait == WAIT_NATIVE ? 256 : plan->spins))) {
		if (cold_polls_on(plan, windowed ? plan->window_room : &plan->shared->room, state->idle))
			return NULL;
		state->idle = 0;
		if (windowed)
			cold_wait_window(plan, state->read_seen);
		else
			slot = cold_wait_room(plan, n);
	}
	return slot;
}

/* The shortest way: whole batches, each in one span, up to the cut or `most` of them. Returns what is left of a batch that was begun; a
 * whole one where none was. */
QUEUE_INLINE size_t produce_plain_batches(const struct endpoint_plan *plan, struct producing *state, enum message_class size_class,
					  uint64_t most, const size_t batch)
{
	const uint32_t *watched = loop_watched(plan, &plan->shared->messages);
	enum queue_flush flushed = QUEUE_FLUSHED;
	size_t n = 0;

	for (; most && state->cut - state->sequence >= batch; most--) {
		void *slots = target_table.prewrite_span(plan->endpoint, batch, &n);

		if (queue_unlikely(!n))
			break;
		message_fill(size_class, slots, plan->stride, plan->touched, batch == 1 ? 1 : n, state->header);
		state->header += n;
		state->sequence += n;
		if (queue_unlikely(n != batch)) {
			state->unflushed = n;
			return batch - n;
		}
		if (target_table.traits.blocks_natively)
			target_table.flush_wait(plan->endpoint);
		else
			flushed = target_table.flush(plan->endpoint);
		if (queue_unlikely(flushed == QUEUE_FULL)) {
			state->unflushed = n; /* the general way goes on with it */
			return 0;
		}
		if (target_table.traits.reports_sleeper ? queue_unlikely(flushed == QUEUE_FLUSHED_READER_SLEEPS) :
							  loop_is_watched_asleep(watched))
			loop_notify_reader(plan, flushed);
		state->batches++;
		state->idle = 0;
	}
	return batch;
}

/* Batches of one, which cost the most for each message, have a loop that knows it. */
QUEUE_INLINE size_t produce_plain(const struct endpoint_plan *plan, struct producing *state, enum message_class size_class, uint64_t most)
{
	if (plan->batch == 1)
		return produce_plain_batches(plan, state, size_class, most, 1);
	return produce_plain_batches(plan, state, size_class, most, plan->batch);
}

/* The time of the write that follows, after the producer has thought. */
QUEUE_INLINE uint64_t produce_think(const struct endpoint_plan *plan, const struct producing *state)
{
	if (queue_likely(!plan->think_steps))
		return clock_ticks(plan->clock);
	busy_work(state->sequence, plan->think_steps);
	return clock_ticks_after(plan->clock);
}

/* Stages up to `left` messages and publishes them; fewer where the measured phase ends. */
QUEUE_INLINE void produce_batch(const struct endpoint_plan *plan, struct endpoint_account *account,
				struct producing *state, enum message_class size_class, size_t left)
{
	while (left) {
		size_t n;
		void *slots;

		if (queue_unlikely(state->sequence == state->cut)) {
			produce_cut(plan, account, state, produce_think(plan, state));
			if (queue_unlikely(state->done))
				break;
		}
		slots = produce_slots(plan, account, state, loop_least(left, state->cut - state->sequence), &n);
		if (queue_unlikely(!n))
			continue;
		message_fill(size_class, slots, plan->stride, plan->touched, n, state->header);
		state->header += n;
		state->sequence += n;
		state->unflushed += n;
		left -= n;
	}
	produce_flush(plan, account, state);
}

/* The measured phase is over: the sums, and the header of the last message, which is still to be written. */
static QUEUE_COLD struct producing cold_last_message(const struct endpoint_plan *plan, struct endpoint_account *account,
						     struct producing state)
{
	account->messages = state.from_sequence ? state.sequence - state.from_sequence : 0;
	/* a relay's last batch may hold the last message, too */
	account->batches = state.batches - state.from_batches + (state.unflushed > 0);
	account->refused = state.refused - state.from_refused;
	account->all_messages = state.sequence;
	state.cut = UINT64_MAX;
	state.header = message_header(plan->producer, PHASE_LAST, state.sequence);
	return state;
}

/* A number from each number, such that differences of them say nothing (splitmix64: G. Steele, D. Lea, C. Flood, 2014). */
QUEUE_INLINE uint64_t loop_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Adds messages `first` … first + count − 1. Message s weighs mix(s + 1) − mix(s), so that a run's weight is a single difference. */
QUEUE_INLINE void loop_tally(struct fan_tally *tally, uint64_t first, uint64_t count)
{
	tally->messages += count;
	tally->fingerprint += loop_mix(first + count) - loop_mix(first);
}

QUEUE_INLINE void loop_untally(struct fan_tally *tally, uint64_t sequence)
{
	tally->messages--;
	tally->fingerprint -= loop_mix(sequence + 1) - loop_mix(sequence);
}

/* Consumers that sleep by the queue's own means are woken by messages, sent one at a time until all have left. Nobody waits in here by the
 * queue's means: there may be no room, and nobody who makes any. */
static QUEUE_COLD void cold_nudge(const struct endpoint_plan *plan)
{
	uint64_t sent = 0;
	size_t staged = 0;

	/* relaxed: nothing but the counts themselves */
	while (load_relaxed(&plan->fan->consumers_left)) {
		if (!staged && load_relaxed(&plan->fan->nudges_seen) >= sent) {
			unsigned char *slot = (unsigned char *)target_table.prewrite_span(plan->endpoint, 1, &staged);

			if (staged)
				message_fill_one(slot, plan->touched, message_header(plan->producer, PHASE_LAST, sent + 1));
		}
		if (staged && target_table.flush(plan->endpoint) != QUEUE_FULL) {
			staged = 0;
			sent++;
		}
		wait_yield(&plan->shared->room);
	}
}

/* A producer is done: its last message is flushed. */
static QUEUE_COLD void cold_leave_fan(const struct endpoint_plan *plan, struct endpoint_account *account,
				      const struct producing *state)
{
	uint64_t now;

	account->all_messages = state->sequence - 1;
	loop_tally(&account->tallies[plan->producer], 1, account->all_messages);
	now = clock_ticks(plan->clock);
	loop_end_windows(plan, account, account->messages, now);
	account->outer_last = (struct mark){account->messages, now};
	loop_look(account, now);
	/* E0 acq_rel: pairs with E1 in loop_is_over(); acquire, so that the last one passes on what the others flushed. */
	if (fetch_add_acq_rel(&plan->fan->producers_left, (uint64_t)-1) != 1)
		return;
	loop_notify(plan, &plan->shared->messages);
	if (target_table.traits.blocks_natively)
		cold_nudge(plan);
}

/* Of a fan. Its rate is that of the whole measured phase: who comes to begin late was slow. */
QUEUE_INLINE void produce_join(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t start)
{
	if (!plan->fan)
		return;
	account->looked = start + plan->warm_up_ticks;
	account->outer_first = (struct mark){0, account->looked};
}

QUEUE_INLINE void loop_produce(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t start,
			       enum message_class size_class)
{
	const bool plain = loop_is_plain(plan);
	struct producing state;
	bool last;

	produce_begin(plan, &state, start);
	produce_join(plan, account, start);
	do {
		size_t left = plan->batch;

		last = state.done;
		if (queue_unlikely(last)) {
			state = cold_last_message(plan, account, state);
			if (plan->fan) {
				cold_leave_fan(plan, account, &state);
				return;
			}
			left = 1;
		} else if (plain) {
			left = produce_plain(plan, &state, size_class, UINT64_MAX);
		}
		produce_batch(plan, account, &state, size_class, left);
	} while (!last);
}

/* ---- consuming ---- */

struct consuming {
	uint64_t header, sequence; /* expected next */
	uint64_t cut;              /* the next message after which the clock is read */
	uint64_t look_at, stamp_at, stamp_every;
	uint64_t from_sequence;    /* the first measured one */
	uint64_t preread_ticks;    /* 0: not stamped */
	uint64_t cut_ticks;        /* the time of the last cut, and of the work on its message; pingpong clears it */
	unsigned idle;
	enum message_phase phase;
	uint64_t read, batches, empty; /* so far */
	uint64_t from_read, from_batches, from_empty;
	uint64_t read_before; /* at the last preread that found something */
	size_t taken;    /* messages that cold_judge() took */
	bool unreleased; /* something was read since the last preread */
	bool done;
};

QUEUE_INLINE void consume_begin(const struct endpoint_plan *plan, struct consuming *state)
{
	*state = (struct consuming){
		.header = message_header(plan->producer, PHASE_WARM_UP, 1),
		.sequence = 1,
		.cut = UINT64_MAX,
		.look_at = UINT64_MAX,
		.stamp_at = UINT64_MAX,
	};
	if (plan->handles)
		state->cut = state->look_at = 1; /* each message is one */
}

static void cold_enter_phase(const struct endpoint_plan *plan, struct endpoint_account *account, struct consuming *state,
			     enum message_phase phase, uint64_t sequence)
{
	state->phase = phase;
	if (phase == PHASE_MEASURED) {
		state->stamp_every = plan->shared->stamp_every;
		state->cut = state->look_at = sequence;
		state->stamp_at = state->stamp_every ? sequence : UINT64_MAX;
		state->from_sequence = sequence;
		state->from_read = state->read;
		state->from_batches = state->batches - 1; /* this one belongs to it */
		state->from_empty = state->empty;
		return;
	}
	state->done = true;
	state->cut = UINT64_MAX;
	if (state->from_sequence) {
		account->messages = state->read - state->from_read;
		/* a preread that found the last message alone is none of the measured ones */
		account->batches = state->batches - state->from_batches - (state->read == state->read_before);
		account->empty = state->empty - state->from_empty;
	}
	account->all_messages = state->read + 1; /* the last one is being read */
}

/* Some of m messages are not what was expected. Takes the good ones before the first of those, or that one alone: state.taken. */
static QUEUE_COLD struct consuming cold_judge(const struct endpoint_plan *plan, struct endpoint_account *account,
					      struct consuming judged, const unsigned char *slots, size_t m)
{
	struct consuming *state = &judged;
	size_t good = 0;
	uint64_t header, sequence;
	enum message_phase phase;

	while (good < m && !message_differs_one(slots + good * plan->stride, plan->touched, state->header + good))
		good++;
	if (good) {
		state->header += good;
		state->sequence += good;
		state->read += good;
		state->taken = good;
		return judged;
	}
	state->taken = 1;
	memcpy(&header, slots, sizeof(header));
	sequence = message_sequence(header);
	phase = message_phase(header);
	if (header != message_header(plan->producer, phase, sequence) || phase > PHASE_LAST ||
	    message_differs_one(slots, plan->touched, header) || (sequence >= state->sequence && phase < state->phase)) {
		account->torn++;
		sequence = state->sequence; /* as if it were the expected one */
	} else if (sequence < state->sequence) {
		account->repeated++;
		loop_untally(&account->missed, sequence);
		if (phase == PHASE_LAST) /* ends the loop whatever came before it: disorder is to be told of, and no hang */
			cold_enter_phase(plan, account, state, phase, sequence);
		state->read++;
		return judged;
	} else {
		account->lost += sequence - state->sequence;
		loop_tally(&account->missed, state->sequence, sequence - state->sequence);
		if (phase != state->phase)
			cold_enter_phase(plan, account, state, phase, sequence);
	}
	state->read++;
	state->sequence = sequence + 1;
	state->header = message_header(plan->producer, state->phase, state->sequence);
	return judged;
}

/* The first of at, at + every, … behind the sequence number. More than one step only where messages were lost. */
QUEUE_INLINE uint64_t consume_next_cut(uint64_t at, uint64_t every, uint64_t sequence)
{
	if (at > sequence)
		return at;
	at += every;
	return queue_likely(at > sequence) ? at : at + ((sequence - at) / every + 1) * every;
}

/* After a message was read: does what is to be done with it. Returns the time at which it is done. */
QUEUE_INLINE uint64_t loop_handle(const struct endpoint_plan *plan, struct endpoint_account *account, uint64_t count, bool stamped)
{
	uint64_t now;

	busy_work(count, plan->work_steps);
	now = clock_ticks_after(plan->clock);
	loop_mark(&account->outmost_first, &account->outmost_last, count, now);
	if (stamped) {
		account->stamps.outmost[account->stamps.count - 1] = now;
		account->outmost_sum += now;
	}
	return now;
}

/* After the message `cut`: looks at the clock, stamps. */
QUEUE_INLINE void consume_cut(const struct endpoint_plan *plan, struct endpoint_account *account, struct consuming *state)
{
	uint64_t now = clock_ticks_after(plan->clock), sequence = state->sequence - 1;
	bool stamped = false;

	if (plan->handles && queue_unlikely(state->phase == PHASE_WARM_UP)) { /* there are no other cuts in it */
		busy_work(sequence, plan->work_steps);
		state->cut = state->look_at = state->sequence;
		return;
	}
	state->cut_ticks = now;
	loop_end_windows(plan, account, state->read - state->from_read, now);
	loop_mark(&account->outer_first, &account->outer_last, state->read - state->from_read, now);
	if (plan->inner)
		loop_mark(&account->inner_first, &account->inner_last, state->read - state->from_read, state->preread_ticks);
	if (sequence == state->stamp_at && queue_likely(account->stamps.count < account->stamps.room)) {
		account->stamps.at[account->stamps.count++] = (struct stamp){sequence, now, state->preread_ticks};
		account->outer_sum += now;
		account->inner_sum += state->preread_ticks;
		stamped = true;
	}
	if (queue_unlikely(plan->handles))
		state->cut_ticks = loop_handle(plan, account, state->read - state->from_read, stamped);
	state->stamp_at = consume_next_cut(state->stamp_at, state->stamp_every, sequence);
	state->look_at = consume_next_cut(state->look_at, plan->look_every, sequence);
	state->cut = loop_least(state->look_at, state->stamp_at);
}

/* Takes m ≥ 1 of n messages, all of one phase, none behind the next cut. Returns m. */
QUEUE_INLINE size_t consume_step(const struct endpoint_plan *plan, struct endpoint_account *account, struct consuming *state,
				 enum message_class size_class, const unsigned char *slots, size_t n)
{
	size_t m = loop_least(n, state->cut - state->sequence + 1);

	if (queue_unlikely(message_differs(size_class, slots, plan->stride, plan->touched, m, state->header))) {
		*state = cold_judge(plan, account, *state, slots, m);
		m = state->taken;
	} else {
		state->header += m;
		state->sequence += m;
		state->read += m;
	}
	if (queue_unlikely(state->sequence > state->cut))
		consume_cut(plan, account, state);
	return m;
}

QUEUE_INLINE void consume_span(const struct endpoint_plan *plan, struct endpoint_account *account,
			       struct consuming *state, enum message_class size_class, const unsigned char *slots, size_t n)
{
	if (queue_likely(n <= state->cut - state->sequence) &&
	    queue_likely(!message_differs(size_class, slots, plan->stride, plan->touched, n, state->header))) {
		state->header += n;
		state->sequence += n;
		state->read += n;
		return;
	}
	do {
		size_t m = consume_step(plan, account, state, size_class, slots, n);

		slots += m * plan->stride;
		n -= m;
	} while (n);
}

/* Looks for messages; false: none yet. watched: of a plain loop, where writers may sleep. */
QUEUE_INLINE bool consume_preread(const struct endpoint_plan *plan, struct consuming *state, bool plain, const uint32_t *watched)
{
	if (plain) {
		bool found = true;

		if (target_table.traits.blocks_natively)
			target_table.preread_wait(plan->endpoint);
		else
			found = target_table.preread(plan->endpoint);
		if (loop_is_watched_asleep(watched))
			loop_notify_writer(plan);
		if (!found) {
			state->empty++;
			return false;
		}
		state->batches++;
		state->idle = 0;
		state->read_before = state->read;
		return true;
	}
	if (target_table.traits.blocks_natively) {
		target_table.preread_wait(plan->endpoint);
	} else {
		bool found = target_table.preread(plan->endpoint);

		if (state->unreleased || loop_locks_out()) {
			state->unreleased = false;
			loop_notify_writer(plan);
		}
		if (!found) {
			state->empty++;
			return false;
		}
	}
	state->batches++;
	state->idle = 0;
	state->read_before = state->read;
	state->unreleased = true;
	if (queue_unlikely(plan->inner))
		state->preread_ticks = clock_ticks_after(plan->clock);
	return true;
}

/* Tells a producer that has a window how far this end has read. */
QUEUE_INLINE void consume_publish(const struct endpoint_plan *plan, const struct consuming *state)
{
	if (!plan->window)
		return;
	/* W0 release: pairs with W1 in produce_window(). */
	store_release(plan->read, state->sequence - 1);
	loop_notify(plan, plan->window_room);
}

QUEUE_INLINE void consume_noted(const struct endpoint_plan *plan, struct endpoint_account *account,
				struct consuming *state, enum message_class size_class, bool plain)
{
	for (;;) {
		size_t n;
		const unsigned char *slots = (const unsigned char *)target_table.read_span(plan->endpoint, plan->batch, &n);

		if (!n)
			break;
		consume_span(plan, account, state, size_class, slots, n);
		if (queue_unlikely(plan->read_singly))
			break;
	}
	if (!plain)
		consume_publish(plan, state);
}

QUEUE_INLINE void loop_consume(const struct endpoint_plan *plan, struct endpoint_account *account, enum message_class size_class)
{
	const bool plain = loop_is_plain(plan);
	const uint32_t *watched = loop_watched(plan, &plan->shared->room);
	struct consuming state;

	consume_begin(plan, &state);
	while (!state.done) {
		if (consume_preread(plan, &state, plain, watched))
			consume_noted(plan, account, &state, size_class, plain);
		else
			loop_no_message(plan, &state.idle);
	}
}

/* ---- both ends on one thread ---- */

QUEUE_INLINE void loop_both(const struct endpoint_plan *out, struct endpoint_account *sent, const struct endpoint_plan *in,
			    struct endpoint_account *received, uint64_t start, enum message_class size_class)
{
	const bool plain = loop_is_plain(out);
	struct producing producing;
	struct consuming consuming;

	produce_begin(out, &producing, start);
	consume_begin(in, &consuming);
	while (!consuming.done) {
		size_t left = out->batch;
		bool whole = false;

		if (queue_unlikely(producing.done)) {
			producing = cold_last_message(out, sent, producing);
			left = 1;
		} else if (plain && queue_likely(producing.cut - producing.sequence >= left)) {
			left = produce_plain(out, &producing, size_class, 1);
			whole = left == out->batch;
		}
		if (queue_unlikely(!whole))
			produce_batch(out, sent, &producing, size_class, left);
		if (consume_preread(in, &consuming, plain, NULL))
			consume_noted(in, received, &consuming, size_class, plain);
	}
}

/* ---- ping-pong: two queues, one message under way ---- */

QUEUE_INLINE void pingpong_receive(const struct endpoint_plan *plan, struct endpoint_account *account,
				   struct consuming *state, enum message_class size_class)
{
	uint64_t expected = state->read + 1;

	while (state->read != expected) {
		size_t n;
		const unsigned char *slots;

		if (!consume_preread(plan, state, false, NULL)) {
			loop_no_message(plan, &state->idle);
			continue;
		}
		slots = (const unsigned char *)target_table.read_span(plan->endpoint, 1, &n);
		if (n)
			consume_span(plan, account, state, size_class, slots, n);
	}
}

QUEUE_INLINE void loop_ping(const struct endpoint_plan *out, struct endpoint_account *sent, const struct endpoint_plan *in,
			    struct endpoint_account *received, uint64_t start, enum message_class size_class)
{
	struct producing producing;
	struct consuming consuming;

	produce_begin(out, &producing, start);
	consume_begin(in, &consuming);
	while (!consuming.done) {
		bool last = producing.done;

		if (queue_unlikely(last))
			producing = cold_last_message(out, sent, producing);
		produce_batch(out, sent, &producing, size_class, 1);
		if (queue_likely(last || !producing.done)) /* else nothing was sent */
			pingpong_receive(in, received, &consuming, size_class);
	}
}

/* Takes over the phase that the question was in. */
static QUEUE_COLD struct producing cold_follow_phase(const struct endpoint_plan *out, struct endpoint_account *sent,
						     struct producing producing, struct consuming consuming)
{
	producing.phase = consuming.phase;
	if (consuming.phase == PHASE_LAST)
		return cold_last_message(out, sent, producing);
	out->shared->stamp_every = consuming.stamp_every; /* plain: goes the way of the answer, as the question's did */
	producing.from_sequence = producing.sequence;
	producing.from_batches = producing.batches;
	producing.from_refused = producing.refused;
	producing.stamp_every = consuming.stamp_every;
	producing.stamp_at = consuming.stamp_every ? producing.sequence : UINT64_MAX;
	producing.look_at = UINT64_MAX; /* the other side looks at the clock */
	producing.header = message_header(out->producer, PHASE_MEASURED, producing.sequence);
	return producing;
}

/* The answer has its question's sequence number and phase. It is written when the question was read: one reading is both stamps. */
QUEUE_INLINE void loop_pong(const struct endpoint_plan *out, struct endpoint_account *sent, const struct endpoint_plan *in,
			    struct endpoint_account *received, enum message_class size_class)
{
	struct producing producing;
	struct consuming consuming;

	produce_begin(out, &producing, 0);
	consume_begin(in, &consuming);
	while (!consuming.done) {
		consuming.cut_ticks = 0;
		pingpong_receive(in, received, &consuming, size_class);
		if (queue_unlikely(consuming.phase != producing.phase))
			producing = cold_follow_phase(out, sent, producing, consuming);
		if (consuming.cut_ticks && queue_likely(!consuming.done))
			produce_cut(out, sent, &producing, consuming.cut_ticks);
		producing.cut = UINT64_MAX;
		produce_batch(out, sent, &producing, size_class, 1);
	}
}

#endif
