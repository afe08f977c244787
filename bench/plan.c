#include "plan.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "placement.h"
#include "plan_load.h"
#include "units.h"

/* What an experiment sweeps over. */
enum axis {
	AXIS_QUEUE, AXIS_WORKLOAD, AXIS_LOAD, AXIS_RATE, AXIS_ARRIVAL, AXIS_BURST, AXIS_GAP, AXIS_WORK, AXIS_THINK, AXIS_MESSAGE_SIZE,
	AXIS_BATCH, AXIS_CAPACITY, AXIS_WINDOW, AXIS_PLACE, AXIS_WAIT,
	AXIS_MEMORY_NODE, AXIS_STAMPS, AXIS_TOUCH, AXIS_PRODUCERS, AXIS_CONSUMERS, AXIS_STAGES, AXIS_PREWRITE, AXIS_PREREAD, AXES,
};

#define UNASKED PLAN_UNASKED

static const uint64_t unasked[] = {UNASKED};

/* The CPUs that a place has for so many actors. */
struct seats {
	bool known;
	char name[PLACEMENT_NAME]; /* that it was settled on; as asked for if absent */
	int cpus[CELL_ACTORS_MAX];
	char absent[TOPOLOGY_TEXT]; /* why; empty if it is there */
};

/* A place as it was asked for, and what came of it: by the number of actors, found when it is first needed. */
struct place {
	const char *asked;               /* NULL: by CPUs */
	const struct value_list *cpus;   /* NULL: by name */
	struct seats seats[CELL_ACTORS_MAX + 1];
};

struct sweep {
	const struct options *options;
	const struct queue *queues[QUEUES_MAX];
	size_t queue_count;
	const struct topology *topology;
	struct place *places; /* OPTIONS_LIST of them */
	size_t place_count;
	const uint64_t *values[AXES]; /* NULL: 0, 1, 2, … */
	size_t counts[AXES];
};

/* A plan in the making. */
struct making {
	struct plan *plan;
	const struct run_settings *settings;
	struct plugins *plugins;
	json_t *seen; /* a set: the cells met so far, planned or skipped, as the record has them */
	char *error;
	size_t size;
};

__attribute__((format(printf, 3, 4)))
static int making_fail(struct making *making, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(making->error, making->size, format, arguments);
	va_end(arguments);
	return result;
}

/* ---- places ---- */

static int seats_from_cpus(struct seats *seats, const struct place *place, unsigned actors, const struct topology *topology,
			   char reason[TOPOLOGY_TEXT])
{
	if (place->cpus->count != actors) {
		snprintf(seats->absent, sizeof(seats->absent), "--cpus names %zu CPUs: not applicable to %u actors", place->cpus->count,
			 actors);
		return 0;
	}
	for (size_t i = 0; i < actors; i++)
		seats->cpus[i] = (int)place->cpus->values[i];
	return placement_name(topology, seats->cpus, actors, seats->name, reason) ? -ENODEV : 0;
}

static int seats_from_name(struct seats *seats, const struct place *place, unsigned actors, const struct topology *topology,
			   char reason[TOPOLOGY_TEXT])
{
	bool unpinned = !strcmp(place->asked, CELL_UNPINNED);
	int result = placement_choose(topology, unpinned ? "nearest" : place->asked, actors, seats->cpus, seats->name, reason);

	if (unpinned && !result)
		strcpy(seats->name, CELL_UNPINNED);
	if (result != -ENOENT)
		return result;
	snprintf(seats->name, sizeof(seats->name), "%s", place->asked);
	memcpy(seats->absent, reason, sizeof(seats->absent));
	memset(seats->cpus, 0, sizeof(seats->cpus));
	return 0;
}

/* 0, or an error with its reason: what was asked for makes no sense, however many actors there are. */
static int seats_find(struct place *place, unsigned actors, const struct topology *topology, char reason[TOPOLOGY_TEXT])
{
	struct seats *seats = &place->seats[actors];
	int result = 0;

	if (!seats->known)
		result = place->cpus ? seats_from_cpus(seats, place, actors, topology, reason) :
				       seats_from_name(seats, place, actors, topology, reason);
	seats->known = true;
	return result;
}

/* Whatever is wrong with a place itself is found here: later ones can at worst be absent. */
static int places_resolve(struct making *making, struct sweep *sweep)
{
	const struct parameters *parameters = &sweep->options->parameters;
	bool by_cpus = option_is_given(sweep->options, "cpus");
	char reason[TOPOLOGY_TEXT];

	sweep->place_count = by_cpus ? 1 : parameters->places.count;
	for (size_t i = 0; i < sweep->place_count; i++) {
		struct place *place = &sweep->places[i];
		int result;

		if (by_cpus)
			place->cpus = &parameters->cpus;
		else
			place->asked = parameters->places.names[i];
		result = seats_find(place, by_cpus ? (unsigned)parameters->cpus.count : 2, sweep->topology, reason);
		if (result)
			return making_fail(making, result, "--%s: %s", by_cpus ? "cpus" : "place", reason);
	}
	return 0;
}

static const struct seats *seats_of_place(const struct sweep *sweep, size_t place, unsigned actors)
{
	struct seats *seats = &sweep->places[place].seats[actors];
	char reason[TOPOLOGY_TEXT];

	if (seats_find(&sweep->places[place], actors, sweep->topology, reason))
		snprintf(seats->absent, sizeof(seats->absent), "%s", reason);
	return seats;
}

/* A queue that has one thread alone is measured once: at the first place that is there. */
static const struct seats *seats_of(const struct sweep *sweep, const uint64_t *asked, unsigned actors)
{
	if (sweep->queues[asked[AXIS_QUEUE]]->traits.one_thread)
		for (size_t i = 0; i < sweep->place_count; i++)
			if (!*seats_of_place(sweep, i, actors)->absent)
				return seats_of_place(sweep, i, actors);
	return seats_of_place(sweep, asked[AXIS_PLACE], actors);
}

/* ---- queues ---- */

/* Those that were asked for by name; else each of the built-in ones, and the plug-ins. */
static int queues_resolve(struct making *making, struct sweep *sweep, const char *experiment)
{
	const struct name_list *asked = &sweep->options->parameters.queues;
	char reason[PLAN_TEXT];

	if (!asked->count)
		sweep->queue_count = plugins_all(making->plugins, sweep->queues);
	for (size_t i = 0; i < asked->count; i++) {
		const struct queue *queue = plugins_choose(making->plugins, asked->names[i], reason, sizeof(reason));

		if (!queue)
			return *experiment ? making_fail(making, -EINVAL, "[%s]: queue: %s", experiment, reason)
					   : making_fail(making, -EINVAL, "--queue: %s", reason);
		sweep->queues[sweep->queue_count++] = queue;
	}
	return 0;
}

/* ---- one cell ---- */

/* A floor whose messages are one cache line's worth, whatever the others' are. */
static bool is_line(const struct queue *queue)
{
	return queue->traits.role == QUEUE_FLOOR && queue->traits.lossy;
}

static enum load cell_load(const struct cell *cell, uint64_t asked)
{
	if (asked != UNASKED)
		return (enum load)asked;
	return cell->workload == WORKLOAD_PINGPONG ? LOAD_CLOSED : LOAD_SATURATE;
}

static uint64_t count_of(uint64_t asked, bool applies, uint64_t standard)
{
	return !applies ? 1 : asked == UNASKED ? standard : asked;
}

static void cell_people(struct cell *cell, const uint64_t *asked)
{
	enum workload workload = cell->workload;

	cell->producers = (unsigned)count_of(asked[AXIS_PRODUCERS], workload == WORKLOAD_FANIN || workload == WORKLOAD_MESH, 2);
	cell->consumers = (unsigned)count_of(asked[AXIS_CONSUMERS], workload == WORKLOAD_FANOUT || workload == WORKLOAD_MESH, 2);
	cell->stages = workload == WORKLOAD_PIPELINE ? (unsigned)asked[AXIS_STAGES] : 0;
}

/* What can't make a difference is on. */
static void cell_switches(struct cell *cell, const uint64_t *asked)
{
	const struct queue_traits *traits = &cell->queue->traits;
	bool fixed = cell->workload == WORKLOAD_PINGPONG || traits->one_thread || traits->own_batch_bytes || traits->lossy;

	cell->prewrite = fixed || cell->batch == 1 || asked[AXIS_PREWRITE];
	cell->preread = fixed || asked[AXIS_PREREAD];
}

static uint64_t cell_batch(const struct cell *cell, uint64_t asked)
{
	const struct queue_traits *traits = &cell->queue->traits;
	uint64_t own = traits->own_batch_bytes / queue_stride(cell->message_bytes);

	if (cell->workload == WORKLOAD_PINGPONG || !traits->batches)
		return 1;
	if (traits->own_batch_bytes)
		return own ? own : 1;
	return asked;
}

/* The default gives way to what the queue can have at most and at least; what was asked for does not. */
static uint64_t cell_capacity(const struct cell *cell, uint64_t asked, bool given)
{
	const struct queue_traits *traits = &cell->queue->traits;

	if (!traits->bounded)
		return 0;
	if (traits->own_batch_bytes)
		return 64 * cell->batch;
	if (traits->one_thread)
		return 2 * cell->batch; /* one being written while the last one is still held */
	if (is_line(cell->queue))
		return traits->capacity_max;
	if (!given && asked < traits->capacity_min)
		return traits->capacity_min;
	if (!given && traits->capacity_max && asked > traits->capacity_max)
		return traits->capacity_max;
	return asked;
}

/* A bounded queue needs none, but for a closed load: its capacity is its window. An unbounded one has one under an open load as well, for
 * it would take all memory there is where more is offered than it can take. */
static uint64_t cell_window(const struct cell *cell, uint64_t asked)
{
	if (cell->workload == WORKLOAD_PINGPONG)
		return 1;
	if (cell->load == LOAD_CLOSED)
		return asked == UNASKED ? CELL_WINDOW_CLOSED : asked;
	if (cell->queue->traits.bounded)
		return 0;
	return asked == UNASKED ? CELL_WINDOW_UNBOUNDED : asked;
}

/* asked: 0 auto, else 1 + the policy. A floor is waited for in the best way there is. */
static enum wait_policy cell_wait(const struct cell *cell, uint64_t asked)
{
	const struct queue_traits *traits = &cell->queue->traits;
	bool crowded = cell_is_crowded(cell), two = cell_actors(cell) == 2;

	if (traits->one_thread)
		return WAIT_SPIN;
	if (traits->blocks_natively)
		return WAIT_NATIVE;
	if (asked && traits->role != QUEUE_FLOOR) /* many that spin on few CPUs would wait for each other's time slices */
		return asked - 1 == WAIT_SPIN && crowded && !two ? WAIT_YIELD : (enum wait_policy)(asked - 1);
	return !crowded ? WAIT_SPIN : two ? WAIT_YIELD : WAIT_PARK;
}

/* A position in words, or a number behind their end. Returns the position; that of the end for a number. */
static unsigned word_or_number(uint64_t asked, unsigned words, uint64_t *number)
{
	*number = asked > words ? asked - words : 0;
	return asked < words ? (unsigned)asked : words;
}

static void cell_memory(struct cell *cell, uint64_t asked, uint64_t huge_pages)
{
	uint64_t node;

	cell->memory_owner = (enum memory_owner)word_or_number(asked, MEMORY_OF_NODE, &node);
	cell->memory_node = (int)node;
	cell->huge_pages = (int)huge_pages;
}

static void cell_stamps(struct cell *cell, uint64_t asked, const struct pair_list *latencies)
{
	if (asked == UNASKED)
		asked = cell->load == LOAD_SATURATE ? STAMPS_BATCH : STAMPS_MESSAGE;
	cell->stamps = (enum stamp_mode)word_or_number(asked, STAMPS_EVERY, &cell->stamp_every);
	if (cell->stamps != STAMPS_NONE) /* else there are no latencies */
		plan_settle_latencies(cell, latencies);
}

static void cell_end(struct cell *cell, const struct parameters *parameters)
{
	cell->messages = parameters->messages;
	cell->duration_ns = parameters->messages ? 0 : parameters->duration_ns;
	cell->warm_up_ns = parameters->warm_up_ns;
}

/* The cell of one value from each axis. What does not apply to its queue, workload and load takes the one value that it can
 * have; cells that become equal by that are merged later. */
static void cell_settle(struct cell *cell, const struct sweep *sweep, const uint64_t *asked)
{
	const struct parameters *parameters = &sweep->options->parameters;
	const struct seats *seats;

	memset(cell, 0, sizeof(*cell));
	cell->queue = sweep->queues[asked[AXIS_QUEUE]];
	cell->workload = (enum workload)asked[AXIS_WORKLOAD];
	cell_people(cell, asked);
	cell->load = cell_load(cell, asked[AXIS_LOAD]);
	plan_settle_load(cell, (struct load_asked){.rate = asked[AXIS_RATE], .arrival = asked[AXIS_ARRIVAL], .burst = asked[AXIS_BURST],
						   .gap_ns = asked[AXIS_GAP], .work_ns = asked[AXIS_WORK],
						   .think_ns = asked[AXIS_THINK]});
	cell->message_bytes = is_line(cell->queue) ? cell->queue->traits.message_max : asked[AXIS_MESSAGE_SIZE];
	cell->touch = is_line(cell->queue) ? TOUCH_ALL : (enum touch)asked[AXIS_TOUCH];
	cell->batch = cell_batch(cell, asked[AXIS_BATCH]);
	cell->capacity = cell_capacity(cell, asked[AXIS_CAPACITY], option_is_given(sweep->options, "capacity"));
	cell->window = cell_window(cell, asked[AXIS_WINDOW]);
	cell_switches(cell, asked);
	if (cell_actors(cell) > CELL_ACTORS_MAX)
		return; /* is refused */
	seats = seats_of(sweep, asked, cell_actors(cell));
	memcpy(cell->place, seats->name, sizeof(cell->place));
	memcpy(cell->cpus, seats->cpus, sizeof(cell->cpus));
	cell->wait = cell_wait(cell, asked[AXIS_WAIT]);
	cell_memory(cell, asked[AXIS_MEMORY_NODE], parameters->huge_pages);
	cell_stamps(cell, asked[AXIS_STAMPS], &parameters->latencies);
	cell_end(cell, parameters);
}

/* ---- what can't be ---- */

static bool refuse_workload(const struct cell *cell, char *reason)
{
	const struct queue_traits *traits = &cell->queue->traits;
	const char *name = cell->queue->name;

	*reason = '\0';
	if (cell->workload == WORKLOAD_PINGPONG && cell->load == LOAD_SATURATE)
		snprintf(reason, PLAN_TEXT, "pingpong, saturate: not applicable, each message waits for its answer");
	else if (cell->load == LOAD_OPEN && cell->stamps == STAMPS_NONE)
		snprintf(reason, PLAN_TEXT, "open load, stamps none: not applicable, how late messages are is known by stamps");
	else if (traits->lossy && cell->workload != WORKLOAD_PINGPONG)
		snprintf(reason, PLAN_TEXT, "%s: only pingpong applies, it keeps the newest message alone", name);
	else if (traits->one_thread && (cell->workload != WORKLOAD_STREAM || cell->load != LOAD_SATURATE))
		snprintf(reason, PLAN_TEXT, "%s: only stream, saturate applies, both ends are one thread", name);
	else if (traits->own_batch_bytes && (cell->workload != WORKLOAD_STREAM || cell->load != LOAD_SATURATE))
		snprintf(reason, PLAN_TEXT, "%s: only stream, saturate applies, it has a batch of its own", name);
	return *reason;
}

static void refuse_side(const struct cell *cell, unsigned asked, unsigned most, const char *side, char *reason)
{
	char allowed[32] = "one";

	if (*reason || !most || asked <= most)
		return;
	if (most > 1)
		snprintf(allowed, sizeof(allowed), "at most %u", most);
	snprintf(reason, PLAN_TEXT, "%s: %s not applicable, it takes %s %s%s", cell->queue->name, workload_names[cell->workload],
		 allowed, side, most > 1 ? "s" : "");
}

static bool refuse_actors(const struct cell *cell, char *reason)
{
	const struct queue_traits *traits = &cell->queue->traits;
	const char *name = cell->queue->name;

	*reason = '\0';
	if (cell_is_fan(cell) && cell->producers + cell->consumers > CELL_ACTORS_MAX)
		snprintf(reason, PLAN_TEXT, "%s of %u producers and %u consumers: more than %d actors",
			 workload_names[cell->workload], cell->producers, cell->consumers, CELL_ACTORS_MAX);
	else if (cell_is_fan(cell) && traits->producers_max == 1 && traits->consumers_max == 1)
		snprintf(reason, PLAN_TEXT, "%s: %s not applicable, it takes one producer and one consumer", name,
			 workload_names[cell->workload]);
	refuse_side(cell, cell->producers, traits->producers_max, "producer", reason);
	refuse_side(cell, cell->consumers, traits->consumers_max, "consumer", reason);
	if (!*reason && traits->multicast && cell->consumers > 1 && cell->window)
		snprintf(reason, PLAN_TEXT, "%s: no window applies to several consumers, each of which gets each message", name);
	if (!*reason && !cell->preread && !traits->in_place)
		snprintf(reason, PLAN_TEXT, "%s: preread off not applicable, its preread copies a batch", name);
	return *reason;
}

static bool refuse_size(const struct cell *cell, char *reason)
{
	const struct queue_traits *traits = &cell->queue->traits;
	char bytes[UNITS_TEXT], least[UNITS_TEXT], most[UNITS_TEXT];

	if (cell_message_allowed(cell->queue, cell->message_bytes))
		return false;
	snprintf(reason, PLAN_TEXT, "%s: messages of %s bytes, it takes %s to %s", cell->queue->name,
		 units_print_size(bytes, cell->message_bytes), units_print_size(least, traits->message_min),
		 units_print_size(most, traits->message_max));
	return true;
}

static bool refuse_capacity(const struct cell *cell, char *reason)
{
	const struct queue_traits *traits = &cell->queue->traits;
	char most[UNITS_TEXT];

	if (traits->lanes && cell->capacity < (uint64_t)cell->producers * cell->consumers) {
		snprintf(reason, PLAN_TEXT, "%s: capacity %" PRIu64 ", it takes a message for each pair at least: %u × %u",
			 cell->queue->name, cell->capacity, cell->producers, cell->consumers);
		return true;
	}
	if (cell_capacity_allowed(cell->queue, cell->capacity))
		return false;
	snprintf(reason, PLAN_TEXT, "%s: capacity %" PRIu64 ", it takes %zu to %s%s", cell->queue->name, cell->capacity,
		 traits->capacity_min, traits->capacity_max ? units_print_count(most, traits->capacity_max) : "any",
		 traits->capacity_power_of_two ? ", powers of two" : "");
	return true;
}

static bool refuse_memory(const struct cell *cell, uint64_t max_memory, char *reason)
{
	char needed[UNITS_TEXT], allowed[UNITS_TEXT];
	size_t bytes, total;
	int result = cell_footprint(cell, &bytes);

	if (result == -EAGAIN)
		return false; /* a plug-in's: looked at again by footprints_learn() */
	if (result || queue_size(1, cell_stamp_bytes_all(cell), bytes, &total)) {
		if (result && result != -EINVAL && result != -ENOSYS && result != -EPERM && result != -EOVERFLOW)
			snprintf(reason, PLAN_TEXT, "%s: its footprint() came back with %d, which the contract does not know",
				 cell->queue->name, result);
		else
			snprintf(reason, PLAN_TEXT, "%s: %s", cell->queue->name,
				 result == -EINVAL                       ? "it refuses this configuration"
				 : result == -ENOSYS || result == -EPERM ? "this machine does not offer what it rests on"
									 : "more memory than there are addresses");
		return true;
	}
	if (total <= max_memory)
		return false;
	snprintf(reason, PLAN_TEXT, "%s: needs %s with its stamps, --max-memory is %s", cell->queue->name,
		 units_show_size(needed, total), units_show_size(allowed, max_memory));
	return true;
}

/* Why the cell can't be measured: the first reason there is. False: there is none. */
static bool cell_refuse(const struct cell *cell, const struct seats *seats, uint64_t max_memory, char reason[PLAN_TEXT])
{
	if (refuse_workload(cell, reason) || refuse_actors(cell, reason) || refuse_size(cell, reason) || refuse_capacity(cell, reason))
		return true;
	if (*seats->absent) {
		snprintf(reason, PLAN_TEXT, "%s", seats->absent);
		return true;
	}
	if (cell->wait == WAIT_NATIVE && !cell->queue->traits.blocks_natively) {
		snprintf(reason, PLAN_TEXT, "%s: wait native, it does not block by its own means", cell->queue->name);
		return true;
	}
	return plan_refuse_schedule(cell, reason, PLAN_TEXT) || refuse_memory(cell, max_memory, reason);
}

/* ---- the plan ---- */

/* Whether the cell was met before; if not, it is remembered. −ENOMEM. */
static int cell_seen(json_t *seen, const struct cell *cell)
{
	json_t *json = cell_to_json(cell);
	char *key = json_dumps(json, JSON_COMPACT);
	int result = key ? json_object_get(seen, key) != NULL : -ENOMEM;

	if (!result && json_object_set_new(seen, key, json_true()))
		result = -ENOMEM;
	json_decref(json);
	free(key);
	return result;
}

static int skipped_add(struct plan *plan, const char *reason)
{
	struct skipped *grown;

	for (size_t i = 0; i < plan->skipped_count; i++)
		if (!strcmp(plan->skipped[i].reason, reason)) {
			plan->skipped[i].cells++;
			return 0;
		}
	grown = realloc(plan->skipped, (plan->skipped_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	plan->skipped = grown;
	grown += plan->skipped_count++;
	grown->cells = 1;
	snprintf(grown->reason, sizeof(grown->reason), "%s", reason);
	return 0;
}

static int cells_add(struct plan *plan, const struct cell *cell)
{
	/* grown at powers of two */
	if (!(plan->cell_count & (plan->cell_count - 1))) {
		struct cell *grown = realloc(plan->cells, (plan->cell_count ? 2 * plan->cell_count : 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		plan->cells = grown;
	}
	plan->cells[plan->cell_count++] = *cell;
	return 0;
}

static int combination_take(struct making *making, const struct sweep *sweep, const uint64_t *asked)
{
	char reason[PLAN_TEXT];
	unsigned actors;
	struct cell cell;
	int result;

	cell_settle(&cell, sweep, asked);
	result = cell_seen(making->seen, &cell);
	if (result)
		return result < 0 ? result : 0;
	actors = cell_actors(&cell) < CELL_ACTORS_MAX ? cell_actors(&cell) : CELL_ACTORS_MAX;
	if (cell_refuse(&cell, seats_of(sweep, asked, actors), making->settings->max_memory, reason))
		return skipped_add(making->plan, reason);
	return cells_add(making->plan, &cell);
}

static void axis_set(struct sweep *sweep, enum axis axis, const struct value_list *list)
{
	sweep->values[axis] = list->count ? list->values : unasked;
	sweep->counts[axis] = list->count ? list->count : 1;
}

static void axis_set_every(struct sweep *sweep, enum axis axis, size_t count)
{
	sweep->values[axis] = NULL;
	sweep->counts[axis] = count;
}

static void sweep_axes(struct sweep *sweep)
{
	const struct parameters *parameters = &sweep->options->parameters;

	axis_set_every(sweep, AXIS_QUEUE, sweep->queue_count);
	axis_set_every(sweep, AXIS_PLACE, sweep->place_count);
	axis_set(sweep, AXIS_WORKLOAD, &parameters->workloads);
	axis_set(sweep, AXIS_LOAD, &parameters->loads);
	axis_set(sweep, AXIS_RATE, &parameters->rates);
	axis_set(sweep, AXIS_ARRIVAL, &parameters->arrivals);
	axis_set(sweep, AXIS_BURST, &parameters->bursts);
	axis_set(sweep, AXIS_GAP, &parameters->gaps);
	axis_set(sweep, AXIS_WORK, &parameters->works);
	axis_set(sweep, AXIS_THINK, &parameters->thinks);
	axis_set(sweep, AXIS_MESSAGE_SIZE, &parameters->message_sizes);
	axis_set(sweep, AXIS_BATCH, &parameters->batches);
	axis_set(sweep, AXIS_CAPACITY, &parameters->capacities);
	axis_set(sweep, AXIS_WINDOW, &parameters->windows);
	axis_set(sweep, AXIS_WAIT, &parameters->waits);
	axis_set(sweep, AXIS_MEMORY_NODE, &parameters->memory_nodes);
	axis_set(sweep, AXIS_STAMPS, &parameters->stamps);
	axis_set(sweep, AXIS_TOUCH, &parameters->touches);
	axis_set(sweep, AXIS_PRODUCERS, &parameters->producers);
	axis_set(sweep, AXIS_CONSUMERS, &parameters->consumers);
	axis_set(sweep, AXIS_STAGES, &parameters->stages);
	axis_set(sweep, AXIS_PREWRITE, &parameters->prewrites);
	axis_set(sweep, AXIS_PREREAD, &parameters->prereads);
}

/* Every combination of the axes' values, the last axis turning fastest. */
static int combinations_take(struct making *making, const struct sweep *sweep)
{
	size_t combinations = 1;
	int result = 0;

	for (size_t axis = 0; axis < AXES; axis++) {
		combinations *= sweep->counts[axis];
		if (combinations > PLAN_COMBINATIONS_MAX)
			return making_fail(making, -EINVAL, "the lists multiply to more than %d combinations",
					   PLAN_COMBINATIONS_MAX);
	}
	for (size_t i = 0; !result && i < combinations; i++) {
		uint64_t asked[AXES];
		size_t rest = i;

		for (size_t axis = AXES; axis-- > 0; rest /= sweep->counts[axis]) {
			size_t position = rest % sweep->counts[axis];

			asked[axis] = sweep->values[axis] ? sweep->values[axis][position] : position;
		}
		result = combination_take(making, sweep, asked);
	}
	return result == -ENOMEM ? making_fail(making, result, "out of memory") : result;
}

static int experiment_take(struct making *making, const struct experiment *experiment, const struct topology *topology)
{
	struct sweep sweep = {.options = &experiment->options, .topology = topology,
			      .places = calloc(OPTIONS_LIST, sizeof(struct place))};
	int result;

	if (!sweep.places)
		return making_fail(making, -ENOMEM, "out of memory");
	result = queues_resolve(making, &sweep, experiment->name);
	if (!result)
		result = places_resolve(making, &sweep);
	if (!result) {
		sweep_axes(&sweep);
		result = combinations_take(making, &sweep);
	}
	free(sweep.places);
	return result;
}

/* Plug-ins are asked for their footprints all at once, when it is known for which cells; those that don't fit are taken out again. */
static int footprints_learn(struct making *making)
{
	struct plan *plan = making->plan;
	int result = plugins_ask_footprints(making->plugins, making->error, making->size);
	char reason[PLAN_TEXT];
	size_t kept = 0;

	for (size_t i = 0; !result && i < plan->cell_count; i++) {
		if (!plugins_entry(plan->cells[i].queue) || !refuse_memory(&plan->cells[i], making->settings->max_memory, reason))
			plan->cells[kept++] = plan->cells[i];
		else if (skipped_add(plan, reason))
			result = making_fail(making, -ENOMEM, "out of memory");
	}
	if (!result)
		plan->cell_count = kept;
	return result;
}

/* The position of an equal cell; cell_count: there is none. */
static size_t cell_find(const struct plan *plan, const struct cell *cell)
{
	json_t *wanted = cell_to_json(cell);
	size_t i = 0;

	for (; i < plan->cell_count; i++) {
		bool alike = plan->cells[i].queue == cell->queue && plan->cells[i].load == cell->load;
		json_t *json = alike ? cell_to_json(&plan->cells[i]) : NULL;
		bool same = json && json_equal(json, wanted);

		json_decref(json);
		if (same)
			break;
	}
	json_decref(wanted);
	return i;
}

/* Gives each cell whose rate is a share of a capacity the cell that measures it, once for all of its shares. What it takes is no more than
 * its own. */
static int capacities_link(struct making *making)
{
	struct plan *plan = making->plan;
	size_t planned = plan->cell_count;
	int result = 0;

	plan->capacities = calloc(2 * planned + 1, sizeof(*plan->capacities));
	if (!plan->capacities)
		return making_fail(making, -ENOMEM, "out of memory");
	for (size_t i = 0; !result && i < planned; i++) {
		struct cell capacity;

		plan->capacities[i] = PLAN_NO_CAPACITY;
		if (!plan->cells[i].rate_percent)
			continue;
		capacity = plan_capacity_cell(&plan->cells[i]);
		plan->capacities[i] = cell_find(plan, &capacity);
		if (plan->capacities[i] == plan->cell_count)
			result = cells_add(plan, &capacity);
	}
	for (size_t i = planned; i < plan->cell_count; i++)
		plan->capacities[i] = PLAN_NO_CAPACITY;
	return result ? making_fail(making, result, "out of memory") : 0;
}

/* Nothing left is an error, with all reasons for it. */
static int making_check(struct making *making)
{
	const struct plan *plan = making->plan;
	size_t used;

	if (plan->cell_count)
		return 0;
	making_fail(making, -EINVAL, "nothing is left to measure");
	for (size_t i = 0; i < plan->skipped_count; i++) {
		used = strlen(making->error);
		snprintf(making->error + used, making->size - used, "; %s", plan->skipped[i].reason);
	}
	return -EINVAL;
}

int plan_make(struct plan *plan, const struct suites *suites, struct plugins *plugins, const struct topology *topology, char *error,
	      size_t size)
{
	struct making making = {.plan = plan, .settings = &suites->options.run, .plugins = plugins, .error = error, .size = size};
	struct topology_facts facts;
	int result = 0;

	memset(plan, 0, sizeof(*plan));
	topology_facts(topology, &facts);
	if (!facts.this_machine && !making.settings->dry_run)
		return making_fail(&making, -EINVAL, "the machine is only described (HWLOC_XMLFILE or HWLOC_SYNTHETIC): "
						     "it can't be measured, only planned with --dry-run");
	result = plan_check_loads(suites, error, size);
	if (!result)
		result = plan_check_workloads(suites, error, size);
	making.seen = json_object();
	for (size_t i = 0; !result && i < suites->count; i++)
		result = experiment_take(&making, &suites->experiments[i], topology);
	if (!result && plugins)
		result = footprints_learn(&making);
	if (!result)
		result = making_check(&making);
	if (!result)
		result = plan_check_windows(suites, plan->cells, plan->cell_count, error, size);
	if (!result)
		result = capacities_link(&making);
	json_decref(making.seen);
	if (result)
		plan_free(plan);
	return result;
}

void plan_free(struct plan *plan)
{
	free(plan->cells);
	free(plan->capacities);
	free(plan->skipped);
	memset(plan, 0, sizeof(*plan));
}

/* ---- order and time ---- */

/* splitmix64 (G. Steele, D. Lea, C. Flood, 2014) */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* Below limit, all equally likely: the product's high word (D. Lemire, 2019), whose bias is below 2^-40 for our limits. */
static size_t random_below(uint64_t *state, size_t limit)
{
	return (size_t)((unsigned __int128)random_next(state) * limit >> 64);
}

void plan_block(const struct plan *plan, uint64_t seed, uint64_t block, size_t *order)
{
	uint64_t state = seed;

	state = random_next(&state) + block; /* so that block 1 of seed 0 is not block 0 of seed 1 */
	for (size_t i = 0; i < plan->cell_count; i++) {
		size_t j = random_below(&state, i + 1);

		order[i] = i;
		order[i] = order[j];
		order[j] = i;
	}
}

/* Of one message of each producer: what is known of its schedule, and what it takes. */
static double message_ns(const struct cell *cell)
{
	double due_ns = cell->gap_ns     ? (double)cell->gap_ns / (double)cell->burst
			: cell->rate_per_s ? 1e9 * cell->producers / (double)cell->rate_per_s
					   : 0;

	return due_ns + (double)cell->producers * PLAN_MESSAGE_COST_NS;
}

uint64_t plan_estimate_ns(const struct plan *plan, uint64_t trials)
{
	double sum_ns = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct cell *cell = &plan->cells[i];

		sum_ns += (double)cell->duration_ns + (double)cell->messages * message_ns(cell) + (double)cell->warm_up_ns +
			  (cell->messages ? 0 : cell_backlog_ns(cell)) + PLAN_TRIAL_COST_NS;
	}
	sum_ns *= (double)trials;
	return sum_ns < 9e18 ? (uint64_t)sum_ns : (uint64_t)9e18;
}

json_t *plan_to_json(const struct plan *plan, const struct run_settings *settings)
{
	json_t *skipped = json_array();

	for (size_t i = 0; i < plan->skipped_count; i++)
		json_array_append_new(skipped, json_pack("{s:I, s:s}", "cells", (json_int_t)plan->skipped[i].cells, "reason",
							 plan->skipped[i].reason));
	return json_pack("{s:I, s:I, s:I, s:o, s:f, s:o}", "cells", (json_int_t)plan->cell_count, "trials",
			 (json_int_t)settings->trials, "attempts", (json_int_t)settings->attempts, "until",
			 settings->until_ppm ? json_real((double)settings->until_ppm / 1e6) : json_null(), "estimated_s",
			 (double)plan_estimate_ns(plan, settings->trials) / 1e9, "skipped", skipped);
}
