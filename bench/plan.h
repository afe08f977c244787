/* The plan of a run: its experiments expanded into cells, each cell once; what can't be, with the reason; order and time. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "cell.h"
#include "plugins.h"
#include "suite.h"
#include "topology.h"

enum {
	PLAN_TEXT = 320,
	PLAN_COMBINATIONS_MAX = 100000, /* of an experiment's values */
	PLAN_TRIAL_COST_NS = 45000000,  /* a trial's own cost beyond warm-up and measuring, for the estimate */
	PLAN_MESSAGE_COST_NS = 1000,    /* of a message, for the estimate, where a count ends the trial */
};

#define PLAN_NO_CAPACITY SIZE_MAX

/* Cells that are not measured, for one reason. */
struct skipped {
	size_t cells;
	char reason[PLAN_TEXT];
};

struct plan {
	struct cell *cells; /* in the order of the experiments; then those that measure capacities, where nobody asked for them as well */
	size_t *capacities; /* by cell: the one that measures the capacity which its rate is a share of; PLAN_NO_CAPACITY: none */
	size_t cell_count;
	struct skipped *skipped;
	size_t skipped_count;
	const struct queue **unbatched; /* queues that were asked for batches and have none: such cells are of batch 1, or skipped */
	size_t unbatched_count;
};

/* suites: with options that run_settings_resolve() has filled in. plugins: what the suites ask for, opened; or NULL. They must outlive the
 * plan. Returns 0 with at least one cell; −EINVAL (what was asked for
 * makes no sense, or nothing is left of it), −ENODEV (a CPU that can't be had) or −ENOMEM, with the reason in error. */
int plan_make(struct plan *plan, const struct suites *suites, struct plugins *plugins, const struct topology *topology, char *error,
	      size_t size);
void plan_free(struct plan *plan);

/* The order of the cells (their positions) in one block, which has a trial of each; but one that measures a capacity goes before those that
 * wait for it (run_blocks.c). order: cell_count places. */
void plan_block(const struct plan *plan, uint64_t seed, uint64_t block, size_t *order);

/* How long so many trials of each cell will take, about. */
uint64_t plan_estimate_ns(const struct plan *plan, uint64_t trials);

/* What the record's first line says of the plan. A new reference. */
json_t *plan_to_json(const struct plan *plan, const struct run_settings *settings);

/* Where cells ask for memory of several nodes, and the machine has one. */
void plan_warn_of_nodes(FILE *file, const struct plan *plan, const struct topology *topology);
/* For people: the machine, the CPUs of each place, the cells, what is skipped and why, the estimated time. */
void plan_print(FILE *file, const struct plan *plan, const struct run_settings *settings, const struct topology *topology);

#endif
