/* What can't be measured, and why. */
#include "plan_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "units.h"

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

bool plan_refuse_memory(const struct cell *cell, uint64_t max_memory, char *reason)
{
	char needed[UNITS_TEXT], allowed[UNITS_TEXT];
	size_t bytes, total;
	int result = cell_footprint(cell, &bytes);

	if (result == -EAGAIN)
		return false; /* a plug-in's: looked at again when it is known, in plan.c */
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

/* A node of memory that the machine lacks. */
static bool refuse_node(const struct cell *cell, const struct topology *topology, char *reason)
{
	char list[64] = "";
	size_t count, length = 0;
	const int *nodes = topology_nodes(topology, &count);

	if (cell->memory_owner != MEMORY_OF_NODE)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (nodes[i] == cell->memory_node)
			return false;
		if (length < sizeof(list) - 16)
			length += (size_t)snprintf(list + length, sizeof(list) - length, "%s%d", i ? ", " : "", nodes[i]);
		else if (list[length - 1] != '.')
			length += (size_t)snprintf(list + length, sizeof(list) - length, ", ...");
	}
	snprintf(reason, PLAN_TEXT, "memory-node %d: the machine has no such NUMA node, it has %s", cell->memory_node,
		 count ? list : "none that it tells of");
	return true;
}

/* Why the cell can't be measured: the first reason there is. False: there is none. */
bool plan_refuse_cell(const struct cell *cell, const struct seats *seats, const struct topology *topology, uint64_t max_memory,
		      char reason[PLAN_TEXT])
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
	return refuse_node(cell, topology, reason) || plan_refuse_schedule(cell, reason, PLAN_TEXT) ||
	       plan_refuse_memory(cell, max_memory, reason);
}
