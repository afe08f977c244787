/* The order of a plan's cells, and about how long they take. */
#include "plan.h"

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

	return due_ns + (double)cell->producers * (PLAN_MESSAGE_COST_NS + (double)cell->work_ns + (double)cell->think_ns);
}

uint64_t plan_estimate_ns(const struct plan *plan, uint64_t trials)
{
	double sum_ns = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct cell *cell = &plan->cells[i];

		sum_ns += (double)cell->duration_ns + (double)cell->messages * message_ns(cell) + (double)cell->warm_up_ns +
			  cell_backlog_ns(cell) + PLAN_TRIAL_COST_NS;
	}
	sum_ns *= (double)trials;
	return sum_ns < 9e18 ? (uint64_t)sum_ns : (uint64_t)9e18;
}
