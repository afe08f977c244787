#include "summary_parts.h"

#include <errno.h>
#include <stdlib.h>

/* Stalls of one length. */
struct stall {
	double length_ns, count;
};

static int compare_stalls(const void *a, const void *b)
{
	double x = ((const struct stall *)a)->length_ns, y = ((const struct stall *)b)->length_ns;

	return (x < y) - (x > y); /* the longest first */
}

/* A random instant lies in a stall of length g with probability g / window and then waits for up to g, each wait as
 * likely as the next. So of all arrivals Σ max(0, g − t) / window wait for longer than t: pieces of straight lines,
 * bent at each g. */
static double wait_percentile(const struct stall *stalls, size_t n, double window_ns, double share)
{
	double beyond = (1.0 - share) * window_ns, lengths = 0.0, count = 0.0;

	for (size_t i = 0; i < n; i++) {
		double wait;

		lengths += stalls[i].count * stalls[i].length_ns;
		count += stalls[i].count;
		wait = (lengths - beyond) / count;
		if (wait >= (i + 1 < n ? stalls[i + 1].length_ns : 0.0))
			return wait;
	}
	return 0.0;
}

static size_t pool_stalls(const struct record *record, struct stall *stalls, double *window_ns, double *stalled_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < record->trial_count; i++) {
		const struct record_trial *trial = &record->trials[i];

		if (trial->stall_window_ns <= 0.0)
			continue;
		*window_ns += trial->stall_window_ns;
		for (size_t k = 0; k < trial->stall_count; k++) {
			if (trial->stalls[k].count == 0)
				continue;
			*stalled_ns += trial->stalls[k].total_ns;
			stalls[n].count = (double)trial->stalls[k].count;
			stalls[n].length_ns = trial->stalls[k].total_ns / stalls[n].count;
			n++;
		}
	}
	return n;
}

int summary_floor_make(struct summary_floor *machine, const struct record *record)
{
	double window_ns = 0.0, stalled_ns = 0.0;
	struct stall *stalls;
	size_t n = 0;

	for (size_t i = 0; i < record->trial_count; i++)
		n += record->trials[i].stall_count;
	stalls = calloc(n + 1, sizeof(*stalls));
	if (!stalls)
		return -ENOMEM;
	n = pool_stalls(record, stalls, &window_ns, &stalled_ns);
	qsort(stalls, n, sizeof(*stalls), compare_stalls);
	if (window_ns > 0.0)
		*machine = (struct summary_floor){
			.known = true,
			.stall_share = stalled_ns / window_ns,
			.p50_ns = wait_percentile(stalls, n, window_ns, 0.5),
			.p90_ns = wait_percentile(stalls, n, window_ns, 0.9),
			.p99_ns = wait_percentile(stalls, n, window_ns, 0.99),
			.p99_9_ns = wait_percentile(stalls, n, window_ns, 0.999),
			.max_ns = n > 0 ? stalls[0].length_ns : 0.0,
		};
	free(stalls);
	return 0;
}
