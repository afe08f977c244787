/* The capacity that a cell was found to have, for those whose offered rate is a share of it. */
#ifndef BENCH_CAPACITY_H
#define BENCH_CAPACITY_H

#include <jansson.h>
#include <stdint.h>

#include "cell.h"

enum { CAPACITY_TEXT = 600 };

struct capacity {
	double per_s;            /* messages, at the receiver; 0: it is not known, and why not */
	uint64_t trial;          /* the id of the trial that measured it */
	char why[CAPACITY_TEXT];
};

/* Messages per second at the end of a cell's way, all receivers together, as its trial has them; 0: it has none. */
double capacity_receivers_per_s(const struct cell *cell, const json_t *trial);

/* By a trial of the cell without a schedule, of that id. */
struct capacity capacity_of_trial(const struct cell *cell, const json_t *trial, uint64_t id);

/* So many percents of it, rounded, 1 at least. */
uint64_t capacity_share(const struct capacity *capacity, uint64_t percent);

#endif
