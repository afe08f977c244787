#include "trial.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "busy.h"
#include "child.h"
#include "fault.h"
#include "limits.h"
#include "pin.h"
#include "plugin_load.h"
#include "plugins.h"
#include "raw.h"
#include "schedule.h"
#include "target.h"
#include "trial_detail.h"

enum {
	LOOK_MESSAGES = CELL_STAMP_SPACING, /* from one look at the clock to the next */
	LOOK_ROUND_TRIPS = 16, /* the same where takes_slices() */
	LOOK_MESSAGES_OF_MANY = 64, /* the same where several share a queue: it tells who starves */
	LOOK_BYTES = 256 << 10,
	LOOK_NS = 1000000,
	PREFAULT_BYTES_MAX = 64 << 20,
	START_NS = 50000, /* from the last meeting to the common start */
};

/* ---- the request ---- */

json_t *trial_request_to_json(const struct trial_request *request)
{
	const struct clock *clock = &request->clock;

	return json_pack("{s:o, s:o, s:b, s:f, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:b, s:b, s:I, s:f, s:I, s:s, s:I}", "cell",
			 cell_to_json(&request->cell),
			 "plugin", plugins_request(request->cell.queue),
			 "counter", clock->source == CLOCK_COUNTER, "ticks_per_s", clock->ticks_per_s, "quantum_ticks",
			 (json_int_t)clock->quantum_ticks, "seed", (json_int_t)request->seed, "gap_ns",
			 (json_int_t)request->gap_ns, "memory_limit_bytes", (json_int_t)request->memory_limit_bytes,
			 "least_trip_ns", request->least_trip_ns, "offset_low_ns", fmax(request->offset_low_ns, -1e18),
			 "offset_high_ns", fmin(request->offset_high_ns, 1e18), "allow_unpinned", request->allow_unpinned,
			 "slice", request->slice, "rate_per_s", (json_int_t)request->rate_per_s, "capacity_per_s",
			 request->capacity_per_s, "capacity_trial", (json_int_t)request->capacity_trial, "raw", request->raw, "id",
			 (json_int_t)request->id);
}

int trial_request_from_json(struct trial_request *request, const json_t *json, const struct queue *plugin, char error[CELL_TEXT])
{
	json_t *cell;
	int counter, allow_unpinned, slice;
	json_int_t quantum, seed, gap, limit, rate, capacity_trial, id;
	const char *raw;

	*request = (struct trial_request){0};
	if (json_unpack((json_t *)json, "{s:o, s:b, s:F, s:I, s:I, s:I, s:I, s:F, s:F, s:F, s:b, s:b, s:I, s:F, s:I, s:s, s:I}", "cell",
			&cell, "counter",
			&counter, "ticks_per_s", &request->clock.ticks_per_s, "quantum_ticks", &quantum, "seed", &seed, "gap_ns",
			&gap, "memory_limit_bytes", &limit, "least_trip_ns", &request->least_trip_ns, "offset_low_ns",
			&request->offset_low_ns, "offset_high_ns", &request->offset_high_ns, "allow_unpinned",
			&allow_unpinned, "slice", &slice, "rate_per_s", &rate, "capacity_per_s", &request->capacity_per_s,
			"capacity_trial", &capacity_trial, "raw", &raw, "id", &id)) {
		snprintf(error, CELL_TEXT, "a trial's request lacks a field or has one of a wrong type");
		return -EINVAL;
	}
	request->clock.source = counter ? CLOCK_COUNTER : CLOCK_SYSTEM;
	request->clock.quantum_ticks = (uint64_t)quantum;
	request->seed = (uint64_t)seed;
	request->gap_ns = (uint64_t)gap;
	request->memory_limit_bytes = (uint64_t)limit;
	request->allow_unpinned = allow_unpinned;
	request->slice = slice;
	request->rate_per_s = (uint64_t)rate;
	request->capacity_trial = (uint64_t)capacity_trial;
	request->id = (uint64_t)id;
	snprintf(request->raw, sizeof(request->raw), "%s", raw);
	return cell_of_queue_from_json(&request->cell, cell, plugin, error);
}

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

static void trial_fail(struct trial *trial)
{
	pthread_mutex_lock(&trial->meeting);
	trial->failed = true;
	pthread_cond_broadcast(&trial->met);
	pthread_mutex_unlock(&trial->meeting);
}

/* ---- memory ---- */

/* queue_memory as the region hands it out; the struct begins a struct trial's member, so it knows its trial. */
static struct memory_region *region_of(struct queue_memory *memory)
{
	return ((struct trial *)(void *)((char *)memory - offsetof(struct trial, memory)))->region;
}

static void *region_allocate(struct queue_memory *memory, size_t bytes, size_t alignment)
{
	return memory_allocate(region_of(memory), bytes, alignment);
}

static void region_release(struct queue_memory *memory, void *block, size_t bytes)
{
	memory_release(region_of(memory), block, bytes);
}

static bool trial_single(const struct trial *trial)
{
	return trial->target->queue->traits.one_thread;
}

/* In the thread that owns the memory: the region and the queues in it. */
static bool open_queues(struct trial *trial, struct trial_actor *actor)
{
	const struct cell *cell = &trial->request->cell;
	struct queue_config config = cell_queue_config(cell);
	size_t pad = trial->request->seed % 64 * QUEUE_LINE_PAIR, bytes;
	struct memory_request request = {.node = cell->memory_owner == MEMORY_OF_NODE ? cell->memory_node : -1,
					 .pages = (enum memory_pages)cell->huge_pages, .lock = true};
	int status;

	if (cell_footprint(cell, &bytes))
		bytes = trial->request->memory_limit_bytes;
	/* beyond the queues' own: what alignment may take, and the seed's pad */
	request.limit_bytes = bytes + bytes / 8 + (1 << 20);
	request.prefault_bytes = bytes < PREFAULT_BYTES_MAX ? bytes : PREFAULT_BYTES_MAX;
	status = memory_open(&trial->region, &request, actor->error);
	if (status) {
		actor->environment_error = cell->huge_pages == MEMORY_PAGES_REQUIRE_HUGE || cell->memory_owner == MEMORY_OF_NODE;
		return false;
	}
	trial->memory = (struct queue_memory){region_allocate, region_release};
	config.memory = &trial->memory;
	if (pad)
		memory_allocate(trial->region, pad, QUEUE_LINE_PAIR); /* kept: only there to move what follows */
	for (unsigned i = 0; i < trial->queue_count; i++) {
		status = trial->target->queue->create(&config, &trial->queues[i]);
		if (status) {
			snprintf(actor->error, sizeof(actor->error), "creating the queue failed: %s", strerror(-status));
			return false;
		}
	}
	return true;
}

/* In the actor's own thread, so that the memory is its own node's. */
static bool open_stamps(struct trial_actor *actor)
{
	struct trial_endpoint *ends[] = {&actor->out, &actor->in};
	const struct cell *cell = &actor->trial->request->cell;
	uint64_t every = ends[0]->used ? ends[0]->plan.stamp_every : ends[1]->plan.stamp_every;
	size_t bytes = 4096; /* and what alignment may take */
	/* huge pages fault in sooner: a ping-pong of 100 ms took 70 ms beyond its own time instead of 145 (a 2-CPU virtual machine) */
	struct memory_request request = {.node = -1, .pages = MEMORY_PAGES_TRY_HUGE};

	if (!every)
		return true;
	for (size_t i = 0; i < 2; i++)
		bytes += ends[i]->used ? cell_stamp_bytes(cell, i) + 2 * 128 : 0;
	request.limit_bytes = request.prefault_bytes = bytes;
	if (memory_open(&actor->stamps_memory, &request, actor->error))
		return false;
	for (size_t i = 0; i < 2; i++) {
		size_t room = cell_stamp_room(cell, i);
		struct stamps *stamps = &ends[i]->account.stamps;
		bool outmost = ends[i]->plan.arrivals || ends[i]->plan.handles;

		if (!ends[i]->used)
			continue;
		stamps->at = memory_allocate(actor->stamps_memory, room * sizeof(struct stamp), 128);
		if (outmost)
			stamps->outmost = memory_allocate(actor->stamps_memory, room * sizeof(uint64_t), 128);
		stamps->room = room;
		if (!stamps->at || (outmost && !stamps->outmost)) {
			snprintf(actor->error, sizeof(actor->error), "no memory for %zu stamps", room);
			return false;
		}
	}
	return true;
}

/* ---- an actor ---- */

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

/* From one look at the clock to the next, in messages. */
static uint64_t look_every(const struct cell *cell)
{
	uint64_t messages = takes_slices(cell) ? LOOK_ROUND_TRIPS : cell_is_fan(cell) ? LOOK_MESSAGES_OF_MANY : LOOK_MESSAGES;

	if (messages > LOOK_BYTES / cell->message_bytes)
		messages = LOOK_BYTES / cell->message_bytes;
	if (cell->messages && messages > cell->messages / 64)
		messages = cell->messages / 64;
	return round_up(messages ? messages : 1, cell->prewrite ? cell->batch : 1);
}

/* The same of a producer whose reader works on each message: so long as that takes, looks would come too late to end a trial in time. */
static uint64_t look_every_of_sender(const struct cell *cell)
{
	uint64_t messages = look_every(cell), most = cell->work_ns ? LOOK_NS / cell->work_ns : UINT64_MAX;

	return messages <= most ? messages : round_up(most ? most : 1, cell->prewrite ? cell->batch : 1);
}

static uint64_t stamp_every(const struct cell *cell)
{
	switch (cell->stamps) {
	case STAMPS_NONE:
		return 0;
	case STAMPS_BATCH:
		return takes_slices(cell) || cell_is_fan(cell) ? round_up(CELL_STAMP_SPACING, cell->batch) : look_every(cell);
	case STAMPS_EVERY:
		return cell->stamp_every;
	default:
		return 1;
	}
}

/* Of messages outstanding in all: each producer's share. */
static uint64_t window_share(const struct cell *cell)
{
	uint64_t share = cell->window / cell->producers;

	return cell->workload == WORKLOAD_PINGPONG || !cell->window ? 0 : share ? share : 1;
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
		.batch = (reads ? cell->preread : cell->prewrite) ? cell->batch : 1,
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
	if (end->plan.arrivals)
		schedule_make(&trial->actors[actor].arrivals, cell, producer, trial->request->rate_per_s,
			      trial->request->clock.ticks_per_s, trial->request->seed);
}

/* Who is at which end of which queue. In a ping-pong, queue 0 leads from actor 0 to actor 1, queue 1 back. */
static void plan_endpoints(struct trial *trial)
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
		target->relay(&out->plan, &out->account, &in->plan, &in->account);
	else if (out->used && in->used && out->plan.arrivals)
		target->ping_open(&out->plan, &out->account, &in->plan, &in->account, trial->start);
	else if (out->used && in->used && !actor->index)
		target->ping(&out->plan, &out->account, &in->plan, &in->account, trial->start);
	else if (out->used && in->used)
		target->pong(&out->plan, &out->account, &in->plan, &in->account);
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
	if (actor->index == owner && !open_queues(trial, actor))
		return false;
	actor->doing = "faulting in memory for stamps";
	return open_stamps(actor);
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
	run_loops(actor);
	actor->doing = "done with its loop";
	disturbance_read(&actor->after, actor->pinned ? actor->cpu : -1);
	if (trial_meet(trial))
		measure_line(actor, &trial->exchange[1], &trial->line_after);
}

static void *actor_main(void *argument)
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

/* ---- the trial ---- */

/* A hang is ended by SIGTERM from the parent: tells what each end had come to. The handler runs in the main thread, which only waits. */
static struct trial *volatile hung_trial;

static void describe_hang(int signal_number)
{
	const struct trial *trial = hung_trial;
	char text[512] = "";

	(void)signal_number;
	for (unsigned i = 0; trial && i < trial->queue_count; i++) {
		if (trial->queues[i] && trial->target->queue->describe) {
			trial->target->queue->describe(trial->queues[i], text, sizeof(text));
			dprintf(STDERR_FILENO, "queue %u: %s\n", i, text);
		}
	}
	for (unsigned i = 0; trial && i < trial->actor_count; i++) {
		const struct trial_actor *actor = &trial->actors[i];

		dprintf(STDERR_FILENO, "actor %u on CPU %d: %s, %llu sleeps, %llu wake-ups sent\n", i, actor->cpu,
			actor->doing ? actor->doing : "not begun",
			actor->in.used ? (unsigned long long)actor->in.plan.shared->messages.sleeps : 0,
			actor->out.used ? (unsigned long long)actor->out.plan.shared->messages.wakes_sent : 0);
	}
	_exit(128 + SIGTERM);
}

/* Starts the actors and waits for all that were started. False: one could not be started. */
static bool run_actors(struct trial *trial)
{
	sigset_t hang, old;
	bool started = true;

	sigemptyset(&hang);
	sigaddset(&hang, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &hang, &old); /* actors inherit it: describe_hang() runs in the main thread */
	for (unsigned i = 0; i < trial->actor_count && started; i++) {
		struct trial_actor *actor = &trial->actors[i];
		int status = pthread_create(&actor->thread, NULL, actor_main, actor);

		actor->started = started = !status;
		if (status) {
			snprintf(actor->error, sizeof(actor->error), "starting a thread failed: %s", strerror(status));
			actor->environment_error = true;
			trial_fail(trial);
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (started)
		fault_sleep(trial->actors[cell_first_consumer(&trial->request->cell)].thread,
			    trial->request->cell.warm_up_ns + trial->request->cell.duration_ns * 2 / 5);
	for (unsigned i = 0; i < trial->actor_count; i++)
		if (trial->actors[i].started)
			pthread_join(trial->actors[i].thread, NULL);
	return started;
}

static int open_fan(struct trial *trial)
{
	const struct cell *cell = &trial->request->cell;

	if (!cell_is_fan(cell))
		return 0;
	trial->fan = aligned_alloc(QUEUE_LINE_PAIR, sizeof(*trial->fan));
	if (!trial->fan)
		return -ENOMEM;
	memset(trial->fan, 0, sizeof(*trial->fan));
	trial->fan->producers = cell->producers;
	trial->fan->consumers = cell->consumers;
	trial->fan->producers_left = cell->producers;
	trial->fan->consumers_left = cell->consumers;
	trial->fan->multicast = cell->queue->traits.multicast;
	return 0;
}

static int open_shared(struct trial *trial)
{
	const struct cell *cell = &trial->request->cell;
	unsigned queues = trial->queue_count;

	trial->shared = aligned_alloc(QUEUE_LINE_PAIR, queues * sizeof(*trial->shared));
	if (!trial->shared)
		return -ENOMEM;
	memset(trial->shared, 0, queues * sizeof(*trial->shared)); /* at once: close_all() looks at its descriptors */
	trial->exchange = aligned_alloc(QUEUE_LINE_PAIR, 2 * sizeof(*trial->exchange));
	if (!trial->exchange)
		return -ENOMEM;
	memset(trial->exchange, 0, 2 * sizeof(*trial->exchange));
	for (unsigned i = 0; i < queues; i++) {
		int status = wait_open_shared(&trial->shared[i].messages, cell->wait, cell->consumers);

		if (!status)
			status = wait_open_shared(&trial->shared[i].room, cell->wait, cell->producers);
		if (status)
			return status;
	}
	return open_fan(trial);
}

static void close_all(struct trial *trial)
{
	for (unsigned i = 0; i < trial->queue_count; i++)
		if (trial->queues[i])
			trial->target->queue->destroy(trial->queues[i]);
	if (trial->region)
		memory_close(trial->region);
	for (unsigned i = 0; i < trial->actor_count; i++)
		if (trial->actors[i].stamps_memory)
			memory_close(trial->actors[i].stamps_memory);
	for (unsigned i = 0; trial->shared && i < trial->queue_count; i++) {
		wait_close(&trial->shared[i].messages);
		wait_close(&trial->shared[i].room);
	}
	free(trial->shared);
	free(trial->fan);
	free(trial->exchange);
}

/* The first actor's error; an environment's error first. */
static const struct trial_actor *failed_actor(const struct trial *trial)
{
	const struct trial_actor *failed = NULL;

	for (unsigned i = 0; i < trial->actor_count; i++)
		if (trial->actors[i].error[0] && (!failed || (trial->actors[i].environment_error && !failed->environment_error)))
			failed = &trial->actors[i];
	return failed;
}

static int report_failure(const struct trial *trial, const char *message, bool environment)
{
	json_t *line = json_pack("{s:s, s:s, s:b}", "kind", "failure", "why", message, "environment", environment);

	json_dumpf(line, trial->out, JSON_COMPACT);
	fputc('\n', trial->out);
	json_decref(line);
	return fflush(trial->out) ? 3 : environment ? 3 : 1;
}

static int run_trial(struct trial *trial)
{
	const struct trial_request *request = trial->request;
	const struct trial_actor *failed;
	char error[TRIAL_TEXT];
	int status;

	trial->queue_count = cell_queues(&request->cell);
	trial->actor_count = cell_actors(&request->cell);
	if (open_shared(trial))
		return report_failure(trial, "no memory or no eventfd for the trial", true);
	for (unsigned i = 0; i < trial->actor_count; i++) {
		trial->actors[i].trial = trial;
		trial->actors[i].index = i;
		trial->actors[i].cpu = request->cell.cpus[i];
	}
	plan_endpoints(trial);
	hung_trial = trial;
	signal(SIGTERM, describe_hang);
	trial->throttled_before_ns = limits_throttled_ns("");
	trial->clock_before = clock_read_pair(request->clock.source);
	run_actors(trial);
	trial->clock_after = clock_read_pair(request->clock.source);
	trial->throttled_after_ns = limits_throttled_ns("");
	signal(SIGTERM, SIG_DFL);
	failed = failed_actor(trial);
	if (trial->failed)
		return report_failure(trial, failed ? failed->error : "unknown", failed && failed->environment_error);
	memory_facts(trial->region, &trial->memory_after);
	for (unsigned i = 0; i < trial->actor_count; i++) {
		if (trial->actors[i].in.used)
			fault_account(&trial->actors[i].in.account, request->clock.ticks_per_s);
		if (trial->actors[i].out.plan.arrivals)
			fault_schedule(&trial->actors[i].out.account);
	}
	status = raw_append(trial);
	if (status) {
		snprintf(error, sizeof(error), "%.160s: %s", request->raw, strerror(-status));
		return report_failure(trial, error, true);
	}
	trial_report(trial, trial->out);
	return fflush(trial->out) ? 3 : 0;
}

/* The plug-in that the request asks for, in `trial`, whose answer goes its own way from then on. False: it has said why. */
static bool open_plugin(struct trial *trial, const json_t *request, int *status)
{
	char error[PLUGIN_TEXT];
	const struct plugin *plugin = plugin_load_asked(request, &trial->out, error);

	if (plugin)
		trial->target = plugin->target;
	else
		*status = trial->out ? report_failure(trial, error, true) : 3;
	return plugin;
}

int trial_main(const char *text)
{
	struct trial_request request;
	struct trial trial = {.request = &request, .meeting = PTHREAD_MUTEX_INITIALIZER, .met = PTHREAD_COND_INITIALIZER,
			      .out = stdout};
	char error[CELL_TEXT];
	json_t *json = json_loads(text, 0, NULL), *plugin = json_object_get(json, "plugin");
	int status = 3;

	signal(SIGINT, SIG_IGN); /* the parent decides what an interrupt ends */
	if (!child_follow_parent() || (json_is_object(plugin) && !open_plugin(&trial, plugin, &status))) {
		json_decref(json);
		return status;
	}
	if (!json || trial_request_from_json(&request, json, trial.target ? trial.target->queue : NULL, error)) {
		fprintf(stderr, "twopoint trial: %s\n", json ? error : "the request is no JSON");
		json_decref(json);
		return 2;
	}
	request.clock.ticks_per_s = fault_ticks_per_s(request.clock.ticks_per_s);
	if (!trial.target)
		trial.target = target_find(request.cell.queue->name);
	status = run_trial(&trial);
	close_all(&trial);
	json_decref(json);
	return status;
}
