#include "plan_parts.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peers.h"

static const uint64_t unasked[] = {PLAN_UNASKED};

int plan_fail(struct making *making, int result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(making->error, making->size, format, arguments);
	va_end(arguments);
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

/* All peers; how many were not built is told. */
static int peers_resolve(struct making *making, struct sweep *sweep)
{
	char reason[PLAN_TEXT];
	size_t absent = 0;

	sweep->queue_count = peers_add(sweep->queues, sweep->queue_count, QUEUES_MAX);
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++)
		absent += !entry->target;
	if (!absent)
		return 0;
	snprintf(reason, sizeof(reason), "peers: %zu were not built (make deps-peers; twopoint list queues names them)", absent);
	return skipped_add(making->plan, reason) ? plan_fail(making, -ENOMEM, "out of memory") : 0;
}

/* Those that were asked for by name; else each of the built-in ones, and the plug-ins. A peer that was not built is skipped. */
static int queues_resolve(struct making *making, struct sweep *sweep, const char *experiment)
{
	const struct name_list *asked = &sweep->options->parameters.queues;
	char reason[PLAN_TEXT];

	if (!asked->count)
		sweep->queue_count = plugins_all(making->plugins, sweep->queues);
	for (size_t i = 0; i < asked->count; i++) {
		const struct peer_entry *peer = peer_find(asked->names[i]);
		const struct queue *queue;

		if (!strcmp(asked->names[i], peers_word)) {
			int result = peers_resolve(making, sweep);

			if (result)
				return result;
			continue;
		}
		if (peer && !peer->target) {
			peer_tell_absent(peer, reason, sizeof(reason));
			if (skipped_add(making->plan, reason))
				return plan_fail(making, -ENOMEM, "out of memory");
			continue;
		}
		queue = plugins_choose(making->plugins, asked->names[i], reason, sizeof(reason));
		if (!queue)
			return *experiment ? plan_fail(making, -EINVAL, "[%s]: queue: %s", experiment, reason)
					   : plan_fail(making, -EINVAL, "--queue: %s", reason);
		if (sweep->queue_count + 1 >= QUEUES_MAX)
			return plan_fail(making, -EINVAL, "more than %d queues", QUEUES_MAX - 1);
		sweep->queues[sweep->queue_count++] = queue;
	}
	return 0;
}

/* ---- what can be measured, and what can't ---- */

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

static int unbatched_note(struct plan *plan, const struct queue *queue)
{
	const struct queue **grown;

	for (size_t i = 0; i < plan->unbatched_count; i++)
		if (plan->unbatched[i] == queue)
			return 0;
	grown = realloc(plan->unbatched, (plan->unbatched_count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	plan->unbatched = grown;
	grown[plan->unbatched_count++] = queue;
	return 0;
}

static int combination_take(struct making *making, const struct sweep *sweep, const uint64_t *asked)
{
	char reason[PLAN_TEXT];
	unsigned actors;
	struct cell cell;
	int result;

	plan_settle_cell(&cell, sweep, asked);
	if (asked[AXIS_BATCH] > 1 && !cell.queue->traits.batches && cell.workload != WORKLOAD_PINGPONG &&
	    unbatched_note(making->plan, cell.queue))
		return -ENOMEM;
	result = cell_seen(making->seen, &cell);
	if (result)
		return result < 0 ? result : 0;
	actors = cell_actors(&cell) < CELL_ACTORS_MAX ? cell_actors(&cell) : CELL_ACTORS_MAX;
	if (plan_refuse_cell(&cell, plan_find_seats(sweep, asked, actors), sweep->topology, making->settings->max_memory, reason))
		return skipped_add(making->plan, reason);
	return cells_add(making->plan, &cell);
}

/* ---- combinations ---- */

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
			return plan_fail(making, -EINVAL, "the lists multiply to more than %d combinations",
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
	return result == -ENOMEM ? plan_fail(making, result, "out of memory") : result;
}

static int experiment_take(struct making *making, const struct experiment *experiment, const struct topology *topology)
{
	struct sweep sweep = {.options = &experiment->options, .topology = topology,
			      .places = calloc(OPTIONS_LIST, sizeof(struct place))};
	int result;

	if (!sweep.places)
		return plan_fail(making, -ENOMEM, "out of memory");
	result = queues_resolve(making, &sweep, experiment->name);
	if (!result)
		result = plan_resolve_places(making, &sweep);
	if (!result) {
		sweep_axes(&sweep);
		result = combinations_take(making, &sweep);
	}
	free(sweep.places);
	return result;
}

/* ---- the plan ---- */

/* Plug-ins are asked for their footprints all at once, when it is known for which cells; those that don't fit are taken out again. */
static int footprints_learn(struct making *making)
{
	struct plan *plan = making->plan;
	int result = plugins_ask_footprints(making->plugins, making->error, making->size);
	char reason[PLAN_TEXT];
	size_t kept = 0;

	for (size_t i = 0; !result && i < plan->cell_count; i++) {
		if (!plugins_entry(plan->cells[i].queue) || !plan_refuse_memory(&plan->cells[i], making->settings->max_memory, reason))
			plan->cells[kept++] = plan->cells[i];
		else if (skipped_add(plan, reason))
			result = plan_fail(making, -ENOMEM, "out of memory");
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
		return plan_fail(making, -ENOMEM, "out of memory");
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
	return result ? plan_fail(making, result, "out of memory") : 0;
}

/* Nothing left is an error, with all reasons for it. */
static int making_check(struct making *making)
{
	const struct plan *plan = making->plan;
	size_t used;

	if (plan->cell_count)
		return 0;
	plan_fail(making, -EINVAL, "nothing is left to measure");
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
		return plan_fail(&making, -EINVAL, "the machine is only described (HWLOC_XMLFILE or HWLOC_SYNTHETIC): "
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
	free(plan->unbatched);
	memset(plan, 0, sizeof(*plan));
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
