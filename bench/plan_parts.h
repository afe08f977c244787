/* What the parts of a plan's making share. */
#ifndef BENCH_PLAN_PARTS_H
#define BENCH_PLAN_PARTS_H

#include "placement.h"
#include "plan.h"
#include "plan_load.h"

/* What an experiment sweeps over. */
enum axis {
	AXIS_QUEUE, AXIS_WORKLOAD, AXIS_LOAD, AXIS_RATE, AXIS_ARRIVAL, AXIS_BURST, AXIS_GAP, AXIS_WORK, AXIS_THINK, AXIS_MESSAGE_SIZE,
	AXIS_BATCH, AXIS_CAPACITY, AXIS_WINDOW, AXIS_PLACE, AXIS_WAIT,
	AXIS_MEMORY_NODE, AXIS_STAMPS, AXIS_TOUCH, AXIS_PRODUCERS, AXIS_CONSUMERS, AXIS_STAGES, AXIS_PREWRITE, AXIS_PREREAD, AXES,
};

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

/* Tells what is wrong. Returns the result that it is given. */
__attribute__((format(printf, 3, 4))) int plan_fail(struct making *making, int result, const char *format, ...);

/* In plan_seats.c: takes over the places that were asked for. */
int plan_resolve_places(struct making *making, struct sweep *sweep);
/* The CPUs of the place that is one of the values asked for, one from each axis; or why there are none. */
const struct seats *plan_find_seats(const struct sweep *sweep, const uint64_t *asked, unsigned actors);

/* In plan_cell.c: the cell of one value from each axis. */
void plan_settle_cell(struct cell *cell, const struct sweep *sweep, const uint64_t *asked);

/* In plan_refuse.c: whether the cell can't be measured, and why. */
bool plan_refuse_cell(const struct cell *cell, const struct seats *seats, const struct topology *topology, uint64_t max_memory,
		      char reason[PLAN_TEXT]);
/* The same for lack of memory alone, where its footprint is known by now. */
bool plan_refuse_memory(const struct cell *cell, uint64_t max_memory, char *reason);

#endif
