/* An actor of a trial: gets ready, meets the others, measures the line, runs its loops. */
#include "trial_actor.h"

#include <pthread.h>
#include <sched.h>

#include "busy.h"
#include "pin.h"
#include "target.h"

enum { START_NS = 50000 }; /* from the last meeting to the common start */

/* ---- meeting ---- */

/* Waits for the other actors. False: one of them failed. */
static bool trial_meet(struct trial *trial)
{
	bool good;

	pthread_mutex_lock(&trial->meeting);
	if (++trial->waiting == trial->actor_count) {
		trial->waiting = 0;
		trial->meetings++;
		pthread_cond_broadcast(&trial->met);
	} else {
		unsigned meeting = trial->meetings;

		while (!trial->failed && meeting == trial->meetings)
			pthread_cond_wait(&trial->met, &trial->meeting);
	}
	good = !trial->failed;
	pthread_mutex_unlock(&trial->meeting);
	return good;
}

void trial_fail(struct trial *trial)
{
	pthread_mutex_lock(&trial->meeting);
	trial->failed = true;
	pthread_cond_broadcast(&trial->met);
	pthread_mutex_unlock(&trial->meeting);
}

/* ---- an actor ---- */

static void run_loops(struct trial_actor *actor)
{
	struct trial *trial = actor->trial;
	const struct target *target = trial->target;
	struct trial_endpoint *out = &actor->out, *in = &actor->in;
	enum message_class class;

	if (!out->used && !in->used)
		return;
	class = out->used ? message_class(out->plan.stride, out->plan.touched) : message_class(in->plan.stride, in->plan.touched);
	if (trial_single(trial))
		target->both[class](&out->plan, &out->account, &in->plan, &in->account, trial->start);
	else if (out->used && in->used && trial->request->cell.workload == WORKLOAD_PIPELINE)
		target->relay[class](&out->plan, &out->account, &in->plan, &in->account);
	else if (out->used && in->used && out->plan.arrivals)
		target->ping_open(&out->plan, &out->account, &in->plan, &in->account, trial->start);
	else if (out->used && in->used && !actor->index)
		target->ping[class](&out->plan, &out->account, &in->plan, &in->account, trial->start);
	else if (out->used && in->used)
		target->pong[class](&out->plan, &out->account, &in->plan, &in->account);
	else if (out->used && out->plan.arrivals)
		target->produce_open(&out->plan, &out->account, trial->start);
	else if (out->used)
		target->produce[class](&out->plan, &out->account, trial->start);
	else if (trial->fan)
		target->consume_many[class](&in->plan, &in->account, trial->start);
	else
		target->consume[class](&in->plan, &in->account);
}

bool trial_is_pinned(const struct trial *trial)
{
	for (unsigned i = 0; i < trial->actor_count; i++)
		if (!trial->actors[i].pinned)
			return false;
	return true;
}

/* Actors that are not pinned may have been put onto one CPU, where a turn of the line that is waited for without yielding takes as long as
 * the scheduler gives each. */
static bool must_yield(const struct trial *trial)
{
	return cell_is_crowded(&trial->request->cell) || !trial_is_pinned(trial);
}

/* The first of those that share its CPU, for which it watches. */
static bool watches_cpu(const struct trial_actor *actor)
{
	for (unsigned i = 0; i < actor->index; i++)
		if (actor->trial->actors[i].cpu == actor->cpu)
			return false;
	return true;
}

static void measure_line(struct trial_actor *actor, struct line_exchange *exchange, struct line_result *result)
{
	const struct trial *trial = actor->trial;
	enum clock_source clock = trial->request->clock.source;
	unsigned partner = cell_line_partner(&trial->request->cell);
	bool yields = actor->trial->actors[partner].cpu == trial->actors[0].cpu || !trial_is_pinned(trial);

	if (!actor->index)
		line_ask(exchange, clock, yields, result);
	else if (actor->index == partner)
		line_answer(exchange, clock, yields);
}

/* All actors begin at one instant, which the first of them chooses. */
static void await_start(struct trial_actor *actor)
{
	struct trial *trial = actor->trial;
	const struct clock *clock = &trial->request->clock;

	if (!actor->index)
		/* C0 release: pairs with C1; nothing but the value itself matters. */
		store_release(&trial->start,
			      clock_ticks(clock->source) + (uint64_t)(START_NS * (clock->ticks_per_s / 1e9)));
	/* C1 acquire: pairs with C0. */
	while (!load_acquire(&trial->start) || clock_ticks(clock->source) < trial->start)
		if (must_yield(trial))
			sched_yield();
		else
			cpu_relax();
}

/* On the actor's own CPU. */
static void calibrate(struct trial_actor *actor)
{
	const struct cell *cell = &actor->trial->request->cell;

	if (actor->in.plan.handles && cell->work_ns)
		actor->in.plan.work_steps = busy_calibrate(cell->work_ns, &actor->work_took_ns);
	if (actor->out.used && !actor->out.queue && cell->think_ns)
		actor->out.plan.think_steps = busy_calibrate(cell->think_ns, &actor->think_took_ns);
}

static bool prepare_actor(struct trial_actor *actor)
{
	struct trial *trial = actor->trial;
	unsigned owner = trial->request->cell.memory_owner == MEMORY_OF_CONSUMER ? cell_first_consumer(&trial->request->cell) : 0;
	bool unpinned = cell_is_unpinned(&trial->request->cell);

	actor->pinned = !unpinned && !pin_self(actor->cpu, actor->error);
	if (!actor->pinned && !unpinned && !trial->request->allow_unpinned) {
		actor->environment_error = true;
		return false;
	}
	actor->doing = "calibrating its work";
	calibrate(actor);
	actor->doing = "making the queues and faulting in their memory";
	if (actor->index == owner && !trial_open_queues(trial, actor))
		return false;
	actor->doing = "faulting in memory for stamps";
	return trial_open_stamps(actor);
}

static void take_endpoints(struct trial_actor *actor)
{
	struct trial *trial = actor->trial;
	const struct queue *queue = trial->target->queue;

	actor->out.plan.yields = must_yield(trial);
	if (actor->out.used)
		actor->out.plan.endpoint = queue->producer(trial->queues[actor->out.queue], actor->out.index);
	if (actor->in.used)
		actor->in.plan.endpoint = queue->consumer(trial->queues[actor->in.queue], actor->in.index);
}

static void measure(struct trial_actor *actor)
{
	struct trial *trial = actor->trial;

	actor->doing = "taking its endpoints";
	take_endpoints(actor);
	actor->doing = "watching its CPU for stalls";
	if (watches_cpu(actor))
		gap_watch(&actor->gaps, &trial->request->clock, trial->request->gap_ns);
	actor->doing = "waiting for the others to be ready";
	if (!trial_meet(trial))
		return;
	actor->doing = "measuring the line";
	measure_line(actor, &trial->exchange[0], &trial->line_before);
	disturbance_read(&actor->before, actor->pinned ? actor->cpu : -1);
	if (!trial_meet(trial))
		return;
	await_start(actor);
	actor->doing = "in its loop";
	thread_times_begin(&actor->began);
	run_loops(actor);
	thread_times_end(&actor->ended);
	actor->doing = "done with its loop";
	disturbance_read(&actor->after, actor->pinned ? actor->cpu : -1);
	if (trial_meet(trial))
		measure_line(actor, &trial->exchange[1], &trial->line_after);
}

void *trial_run_actor(void *argument)
{
	struct trial_actor *actor = argument;
	/* layout: the loops' frames begin somewhere else in each trial */
	volatile char *pad = __builtin_alloca(1 + (actor->trial->request->seed >> 8) % 4096);

	*pad = 0;
	if (!prepare_actor(actor))
		trial_fail(actor->trial);
	actor->doing = "waiting for the others' memory";
	if (trial_meet(actor->trial))
		measure(actor);
	return NULL;
}
