#include "line.h"

#include <sched.h>
#include <stdlib.h>

static void await(const uint64_t *word, uint64_t value, bool yields)
{
	/* L1 acquire: pairs with L0, the release store by which the other side hands the line over. */
	while (load_acquire(word) != value)
		if (yields)
			sched_yield();
}

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

void line_ask(struct line_exchange *exchange, enum clock_source clock, bool yields, struct line_result *result)
{
	uint64_t turn = 0, asked[LINE_STAMPED_TRIPS], returned[LINE_STAMPED_TRIPS];
	double trip[LINE_GROUPS];

	for (size_t group = 0; group < LINE_GROUPS; group++) {
		uint64_t before = clock_ticks_after(clock);

		for (size_t i = 0; i < LINE_GROUP_TRIPS; i++) {
			/* L0 release: pairs with L1 on the other side. */
			store_release(&exchange->word, ++turn);
			await(&exchange->word, ++turn, yields);
		}
		trip[group] = (double)(clock_ticks_after(clock) - before) / LINE_GROUP_TRIPS;
	}
	for (size_t i = 0; i < LINE_STAMPED_TRIPS; i++) {
		asked[i] = clock_ticks_after(clock);
		/* L0 release */
		store_release(&exchange->word, ++turn);
		await(&exchange->word, ++turn, yields);
		returned[i] = clock_ticks_after(clock);
	}
	qsort(trip, LINE_GROUPS, sizeof(trip[0]), compare_doubles);
	*result = (struct line_result){(trip[LINE_GROUPS / 2 - 1] + trip[LINE_GROUPS / 2]) / 2, trip[0], INT64_MIN, INT64_MAX};
	for (size_t i = 0; i < LINE_STAMPED_TRIPS; i++) {
		double ticks = (double)(returned[i] - asked[i]);
		/* an answer comes after its question and before its return: b − c ≤ offset ≤ b − a */
		int64_t low = (int64_t)(exchange->answered[i] - returned[i]);
		int64_t high = (int64_t)(exchange->answered[i] - asked[i]);

		if (ticks < result->least_ticks)
			result->least_ticks = ticks;
		if (low > result->offset_low)
			result->offset_low = low;
		if (high < result->offset_high)
			result->offset_high = high;
	}
}

void line_answer(struct line_exchange *exchange, enum clock_source clock, bool yields)
{
	uint64_t turn = 0;

	for (size_t i = 0; i < LINE_GROUPS * LINE_GROUP_TRIPS; i++) {
		await(&exchange->word, ++turn, yields);
		/* L0 release */
		store_release(&exchange->word, ++turn);
	}
	for (size_t i = 0; i < LINE_STAMPED_TRIPS; i++) {
		await(&exchange->word, ++turn, yields);
		exchange->answered[i] = clock_ticks_after(clock);
		/* L0 release: also makes the reading visible, which the other side looks at after its last trip */
		store_release(&exchange->word, ++turn);
	}
}
