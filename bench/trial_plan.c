/* The plan of a trial: who is at which end of which queue, how often it looks at the clock, and what it stamps. */
#include "trial_actor.h"

#include <math.h>

#include "schedule.h"
#include "target.h"
#include "trial_detail.h"

enum {
	LOOK_MESSAGES = CELL_STAMP_SPACING, /* from one look at the clock to the next */
	LOOK_ROUND_TRIPS = 16, /* the same where takes_slices() */
	LOOK_MESSAGES_OF_MANY = 64, /* the same where several share a queue: it tells who starves */
	LOOK_BYTES = 256 << 10,
	LOOK_BATCH_MOST = 4096, /* a larger batch is looked into, lest a slow one outlast the trial */
	LOOK_NS = 1000000,
	LATE_LEAST_NS = 20000000,
	LATE_MOST_NS = 1000000000,
};

bool trial_single(const struct trial *trial)
{
	return trial->target->queue->traits.one_thread;
}

static void note_measuring(void *context)
{
	struct trial *trial = context;

	memory_facts(trial->region, &trial->memory_before);
}

static bool asks_for_inner_points(const struct cell *cell)
{
	for (size_t i = 0; i < cell->latency_count; i++) {
		enum point from = cell->latencies[i].from, to = cell->latencies[i].to;

		if (from == POINT_FLUSH || from == POINT_PREREAD || to == POINT_FLUSH || to == POINT_PREREAD)
			return true;
	}
	return false;
}

static uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

/* Whether each message may take as long as the scheduler's slices do. */
static bool takes_slices(const struct cell *cell)
{
	return cell->workload == WORKLOAD_PINGPONG || (cell_actors(cell) == 2 && cell_is_crowded(cell));
}

/* Of messages outstanding in all: each producer's share. */
static uint64_t window_share(const struct cell *cell)
{
	uint64_t share = cell->window / cell->producers;

	return cell->workload == WORKLOAD_PINGPONG || !cell->window ? 0 : share ? share : 1;
}

static uint64_t at_most(uint64_t value, uint64_t most)
{
	return value < most ? value : most;
}

/* Messages of a batch, as far as they can be there together: what finds no room has to be flushed in pieces, whatever was asked for. */
static uint64_t batch_of(const struct cell *cell)
{
	uint64_t window = window_share(cell), batch = cell->batch;

	batch = cell->capacity ? at_most(batch, cell->capacity) : batch;
	return window ? at_most(batch, window) : batch;
}

/* From one look of a producer at the clock to the next: whole batches, lest a look part one. */
static uint64_t whole_batches(const struct cell *cell, uint64_t messages)
{
	uint64_t batch = cell->prewrite ? batch_of(cell) : 1;

	return round_up(messages ? messages : 1, at_most(batch, LOOK_BATCH_MOST));
}

/* From one look at the clock to the next, in messages. */
static uint64_t look_every(const struct cell *cell)
{
	uint64_t messages = takes_slices(cell) ? LOOK_ROUND_TRIPS : cell_is_fan(cell) ? LOOK_MESSAGES_OF_MANY : LOOK_MESSAGES;

	if (messages > LOOK_BYTES / cell->message_bytes)
		messages = LOOK_BYTES / cell->message_bytes;
	if (cell->messages && messages > cell->messages / CELL_STAMPS_OF_FEW)
		messages = cell->messages / CELL_STAMPS_OF_FEW;
	return whole_batches(cell, messages);
}

/* The same of a producer whose reader works on each message: so long as that takes, looks would come too late to end a trial in time. */
static uint64_t look_every_of_sender(const struct cell *cell)
{
	uint64_t messages = look_every(cell), most = cell->work_ns ? LOOK_NS / cell->work_ns : UINT64_MAX;

	return messages <= most ? messages : most > batch_of(cell) ? whole_batches(cell, most) : most ? most : 1;
}

static uint64_t stamp_every(const struct cell *cell)
{
	switch (cell->stamps) {
	case STAMPS_NONE:
		return 0;
	case STAMPS_BATCH:
		return takes_slices(cell) || cell_is_fan(cell) ? round_up(CELL_STAMP_SPACING, batch_of(cell)) : round_up(look_every(cell), batch_of(cell));
	case STAMPS_EVERY:
		return cell->stamp_every;
	default:
		return 1;
	}
}

/* What a stall held up at the end of the measured phase is written after it; a load beyond the capacity would have no end. */
static double late_ns(const struct cell *cell)
{
	return fmin(fmax((double)cell->duration_ns / 2, LATE_LEAST_NS), LATE_MOST_NS);
}

/* `producer`: whose messages. A window spans a pipeline as a whole: it binds the first actor, and the last one tells how far it has
 * read. */
static void plan_endpoint(struct trial *trial, struct trial_endpoint *end, unsigned actor, unsigned queue, unsigned producer, bool reads)
{
	const struct cell *cell = &trial->request->cell;
	double ticks_per_ns = trial->request->clock.ticks_per_s / 1e9;
	bool pipeline = cell->workload == WORKLOAD_PIPELINE, middle = pipeline && queue != (reads ? trial->queue_count - 1 : 0);
	struct stream_shared *windowed = &trial->shared[pipeline && !middle ? 0 : queue];
	bool first = !reads && !queue; /* it is not bound to what it has read */
	/* a ping-pong's answers are not worked on: who answers works */
	bool handles = reads && cell_handles(cell) && (cell->workload != WORKLOAD_PINGPONG || !queue);

	end->used = true;
	end->actor = actor;
	end->queue = queue;
	end->index = !trial->fan ? 0 : reads ? actor - cell->producers : actor;
	end->plan = (struct endpoint_plan){
		.shared = &trial->shared[queue],
		.fan = trial->fan,
		.sleeper = end->index,
		.read = trial->fan ? &trial->fan->by_producer[producer].read : &windowed->read,
		.window_room = &windowed->room,
		.clock = trial->request->clock.source,
		.producer = producer,
		.batch = (reads ? cell->preread : cell->prewrite) ? batch_of(cell) : 1,
		.stride = queue_stride(cell->message_bytes),
		.touched = cell->touch == TOUCH_HEAD ? QUEUE_MESSAGE_MIN : cell->message_bytes,
		.window = middle ? 0 : window_share(cell),
		.look_every = handles || (first && cell->think_ns) ? 1 : reads ? look_every(cell) : look_every_of_sender(cell),
		.stamp_every = stamp_every(cell),
		.inner = asks_for_inner_points(cell),
		.read_singly = reads && !cell->preread,
		.arrivals = first && cell->load == LOAD_OPEN ? &trial->actors[actor].arrivals : NULL,
		.handles = handles,
		.warm_up_ticks = (uint64_t)((double)cell->warm_up_ns * ticks_per_ns),
		.measure_ticks = cell->duration_ns ? (uint64_t)((double)cell->duration_ns * ticks_per_ns) : UINT64_MAX,
		.measure_messages = cell->duration_ns ? UINT64_MAX : cell->messages,
		.time_window_ticks = (uint64_t)(TRIAL_WINDOW_NS * ticks_per_ns),
		.wait = cell->wait,
		.spins = wait_spins(cell->wait),
		.measuring = actor || reads ? NULL : note_measuring,
		.context = trial,
	};
	end->plan.late_ticks = (uint64_t)(late_ns(cell) * ticks_per_ns);
	if (end->plan.arrivals)
		schedule_make(&trial->actors[actor].arrivals, cell, producer, trial->request->rate_per_s,
			      trial->request->clock.ticks_per_s, trial->request->seed);
}

/* Who is at which end of which queue. In a ping-pong, queue 0 leads from actor 0 to actor 1, queue 1 back. */
void trial_plan_endpoints(struct trial *trial)
{
	const struct cell *cell = &trial->request->cell;
	struct trial_actor *actors = trial->actors;

	if (trial_single(trial)) {
		plan_endpoint(trial, &actors[0].out, 0, 0, 0, false);
		plan_endpoint(trial, &actors[0].in, 0, 0, 0, true);
	} else if (trial->fan) {
		for (unsigned i = 0; i < trial->actor_count; i++)
			plan_endpoint(trial, i < cell->producers ? &actors[i].out : &actors[i].in, i, 0, i < cell->producers ? i : 0,
				      i >= cell->producers);
	} else if (cell->workload == WORKLOAD_PINGPONG) {
		for (unsigned queue = 0; queue < 2; queue++) {
			plan_endpoint(trial, &actors[queue].out, queue, queue, queue, false);
			plan_endpoint(trial, &actors[1 - queue].in, 1 - queue, queue, queue, true);
		}
	} else {
		for (unsigned queue = 0; queue < trial->queue_count; queue++) {
			plan_endpoint(trial, &actors[queue].out, queue, queue, 0, false);
			plan_endpoint(trial, &actors[queue + 1].in, queue + 1, queue, 0, true);
		}
	}
}
