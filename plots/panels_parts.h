/* What the parts of panels.h share. */
#ifndef PLOTS_PANELS_PARTS_H
#define PLOTS_PANELS_PARTS_H

#include "panels.h"
#include <string.h>

static inline bool row_is_floor(const struct summary_row *row)
{
	return summary_is_floor(row->cell);
}

static inline bool along_batch(enum panels_axis axis)
{
	return axis == PANELS_BY_BATCH || axis == PANELS_BY_SWITCHES || axis == PANELS_BY_SETTING;
}

static inline bool along_capacity(enum panels_axis axis)
{
	return axis == PANELS_BY_CAPACITY || axis == PANELS_BY_SETTING;
}

static inline bool along_size(enum panels_axis axis, const struct record_cell *cell)
{
	return axis == PANELS_BY_SETTING && !strcmp(cell->workload, "pingpong");
}

/* A panel for each queue. */
static inline bool of_one_queue(enum panels_axis axis)
{
	return axis == PANELS_BY_SWITCHES || axis == PANELS_BY_RATE;
}

#endif
