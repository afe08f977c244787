/* What a plan makes of the options that say how messages are offered. */
#ifndef BENCH_PLAN_LOAD_H
#define BENCH_PLAN_LOAD_H

#include "cell.h"
#include "suite.h"

enum {
	PLAN_RATE_PERCENT = 50,       /* of the capacity: offered where no rate was asked for */
	PLAN_CAPACITY_NS = 200000000, /* a trial that measures a capacity takes no longer: each message's stamps find room in it */
};

/* Instead of a value that was not asked for, where the default depends on the rest of the cell. */
#define PLAN_UNASKED UINT64_MAX

/* One value of each of these options. */
struct load_asked {
	uint64_t rate, arrival, burst, gap_ns, work_ns, think_ns; /* rate, gap_ns: or PLAN_UNASKED */
};

/* Takes over what applies to the cell's load. */
void plan_settle_load(struct cell *cell, struct load_asked asked);
/* The latencies that were asked for and that the load has; where none was, those that the load is about. */
void plan_settle_latencies(struct cell *cell, const struct pair_list *asked);

/* Whether the options fit together over all experiments. 0, or −EINVAL with the reason in error. */
int plan_check_loads(const struct suites *suites, char *error, size_t size);
/* The same of what workloads have. */
int plan_check_workloads(const struct suites *suites, char *error, size_t size);

/* Whether a window that the command line asks for is one of any of these cells. */
int plan_check_windows(const struct suites *suites, const struct cell *cells, size_t count, char *error, size_t size);

/* Whether a trial of that length may end before any message of the schedule is due, as far as that is known beforehand; reason tells. */
bool plan_refuse_schedule(const struct cell *cell, char *reason, size_t size);

/* The cell whose receiver's rate is the capacity that this one's rate is a share of: the same without a schedule. */
struct cell plan_capacity_cell(const struct cell *cell);

#endif
