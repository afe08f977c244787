/* All trials of a run, block by block: each cell as often as is asked for, or until a goal is reached. */
#include "run_parts.h"

#include <errno.h>
#include <stdlib.h>

#include "interrupt.h"
#include "regime.h"

/* How many of a cell's trials lie in the regime that most trials of the run lie in; NULL where memory is short. */
static size_t *count_in_main_regime(const struct run *run)
{
	size_t cells = run->plan.cell_count, total = 0, at = 0, main_regime = 0;
	size_t *counts = calloc(cells, sizeof(*counts)), *regime_of;
	struct regime *regimes = NULL;
	double *line_ns;
	long found;

	for (size_t i = 0; i < cells; i++)
		total += run->tallies[i].good;
	line_ns = calloc(total + 1, sizeof(*line_ns));
	regime_of = calloc(total + 1, sizeof(*regime_of));
	for (size_t i = 0; line_ns && i < cells; i++)
		for (size_t k = 0; k < run->tallies[i].good; k++)
			line_ns[at++] = run->tallies[i].line_ns[k];
	found = counts && line_ns && regime_of ? regime_find(line_ns, total, regime_of, &regimes) : -ENOMEM;
	for (long i = 1; i < found; i++)
		if (regimes[i].trials > regimes[main_regime].trials)
			main_regime = (size_t)i;
	at = 0;
	for (size_t i = 0; found > 0 && i < cells; i++)
		for (size_t k = 0; k < run->tallies[i].good; k++)
			counts[i] += regime_of[at++] == main_regime;
	free(regimes);
	free(regime_of);
	free(line_ns);
	if (found < 0) {
		free(counts);
		return NULL;
	}
	return counts;
}

/* Whether the capacity that a cell's rate is a share of, where it is one, can still be measured in this block, or was. */
static bool has_capacity(const struct run *run, uint64_t block, size_t index)
{
	size_t capacity = run->plan.capacities[index];

	return capacity == PLAN_NO_CAPACITY || run->tallies[capacity].given_up || run->tallies[capacity].blocks > block ||
	       run->tallies[capacity].attempts < run->settings->attempts;
}

/* Whether a cell is to be tried once more, within its attempts: where the run goes on until a goal, always; else as often as asked for, and
 * then until so many lie in the main regime. */
static bool wants_more(const struct run *run, uint64_t block, size_t index, const size_t *in_main)
{
	const struct tally *tally = &run->tallies[index];

	if (tally->given_up || tally->attempts >= run->settings->attempts || !has_capacity(run, block, index))
		return false;
	return run->until.goal > 0 || tally->attempts < run->settings->trials ||
	       (in_main && in_main[index] < run->settings->trials && !tally->failures);
}

static bool time_is_up(const struct run *run)
{
	return run->settings->time_budget_ns &&
	       clock_system_ns(CLOCK_MONOTONIC) - run->began_ns >= run->settings->time_budget_ns;
}

/* A trial has ended: how far the run is. */
static void tell_progress(struct run *run, uint64_t block, const size_t *in_main)
{
	run->progress.cells_done = 0;
	for (size_t i = 0; i < run->plan.cell_count; i++)
		run->progress.cells_done += !wants_more(run, block, i, in_main);
	progress_step(&run->progress, run->headline);
}

/* A trial of the cell in this block, unless it has had it; of one whose rate is a share of a capacity, after the trial
 * that measures that. */
static bool run_in_block(struct run *run, uint64_t block, size_t index, const size_t *in_main)
{
	size_t capacity = run->plan.capacities[index];

	if (run->tallies[index].blocks > block)
		return true;
	if (capacity != PLAN_NO_CAPACITY && !run->tallies[capacity].given_up && !run_in_block(run, block, capacity, in_main))
		return false;
	run->tallies[index].blocks = block + 1;
	if (!run_one(run, index))
		return false;
	tell_progress(run, block, in_main);
	return true;
}

/* How many trials are wanting yet, if all that are still to come lie in the main regime. */
static uint64_t count_wanting(const struct run *run, uint64_t block, const size_t *in_main)
{
	uint64_t wanting = 0;

	for (size_t i = 0; i < run->plan.cell_count; i++) {
		uint64_t lacks = run->settings->trials - in_main[i], left = run->settings->attempts - run->tallies[i].attempts;

		if (wants_more(run, block, i, in_main))
			wanting += lacks < left ? lacks : left;
	}
	return wanting;
}

/* One block: a trial of each cell that wants one, in shuffled order. *any: whether there was one. False: stop. */
static bool run_block(struct run *run, uint64_t block, size_t *order, bool *any)
{
	size_t *in_main = block >= run->settings->trials ? count_in_main_regime(run) : NULL;
	bool good = true;

	plan_block(&run->plan, run->settings->seed, block, order);
	*any = false;
	if (in_main && !(run->until.goal > 0))
		progress_extend(&run->progress, count_wanting(run, block, in_main), "repeating what moved or failed");
	for (size_t i = 0; good && i < run->plan.cell_count; i++) {
		if (!wants_more(run, block, order[i], in_main))
			continue;
		run->out_of_time = time_is_up(run);
		if (interrupted || run->out_of_time)
			good = false;
		else
			good = run_in_block(run, block, order[i], in_main);
		*any = true;
	}
	free(in_main);
	return good;
}

/* After so many blocks, where the run goes on until a goal: whether that is reached. False: the run can't go on. */
static bool look(struct run *run, uint64_t blocks)
{
	uint64_t *given_up;
	char error[RECORD_TEXT];
	size_t count = 0;
	bool good;

	if (!(run->until.goal > 0) || (blocks != run->until.next_look && blocks != run->settings->attempts))
		return true;
	given_up = calloc(run->plan.cell_count, sizeof(*given_up));
	if (!given_up)
		return run_fail(run, 3, "no memory for %zu cells", run->plan.cell_count);
	for (size_t i = 0; i < run->plan.cell_count; i++)
		if (run->tallies[i].given_up)
			given_up[count++] = run->tallies[i].first_id;
	good = !until_look(&run->until, run->path, given_up, count, error) || run_fail(run, 3, "%s", error);
	run->progress.planned = run->plan.cell_count * run->until.next_look;
	free(given_up);
	return good;
}

/* True: all were run. */
bool run_trials(struct run *run)
{
	size_t *order = calloc(run->plan.cell_count, sizeof(*order));
	bool any = true, good = order != NULL;

	run->tallies = calloc(run->plan.cell_count, sizeof(*run->tallies));
	for (size_t i = 0; run->tallies && i < run->plan.cell_count; i++) {
		run->tallies[i].line_ns = calloc(run->settings->attempts + 1, sizeof(double));
		good = good && run->tallies[i].line_ns;
	}
	if (!good || !run->tallies) {
		free(order);
		return run_fail(run, 3, "no memory for %zu cells", run->plan.cell_count);
	}
	progress_begin(&run->progress, run->settings->quiet, run->plan.cell_count * run->settings->trials, "trials");
	run->progress.cells = run->until.goal > 0 ? 0 : run->plan.cell_count; /* until a goal is reached, none is done */
	for (uint64_t block = 0; good && any && !run->until.met; block++)
		good = run_block(run, block, order, &any) && look(run, block + 1);
	progress_clear(&run->progress);
	free(order);
	return good;
}
