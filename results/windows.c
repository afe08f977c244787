#include "windows.h"
#include "rank_test.h"
#include "statistics.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUARTERS = 4, PAIRS = 6, MODE_WINDOWS_LEAST = 5, UNSURE_LEAST = 10 };

static const double STALL_SHARE = 0.1;   /* of the rate that the median message met */
static const double MODE_LEAST = 0.1;    /* of the windows, in each mode; in stalls, of a trial that is not flat */
static const double MODES_APART = 1.25;
static const double VALLEY_TRIM = 0.1;   /* of a mode's windows may lie in the valley */
static const double VALLEY_LEAST = 0.6;  /* of the way between the medians */
static const double QUARTERS_APART = 1.05;
static const double LEVEL = 0.01 / PAIRS;

const char *const windows_course_names[WINDOWS_COURSES] = { "unknown", "flat", "warming", "slowing", "unsteady" };

/* ---- from a trial ---- */

static bool is_of_side(const struct record_trial *trial, const struct record_endpoint *endpoint, bool senders)
{
	int queue = 0;

	for (size_t i = 0; !senders && !strcmp(trial->cell.workload, "pipeline") && i < trial->endpoint_count; i++)
		queue = trial->endpoints[i].queue > queue ? trial->endpoints[i].queue : queue;
	return endpoint->producer == senders && endpoint->queue == queue;
}

/* How many windows all of the side have; 0: their windows do not lie side by side, or are too coarse. */
static size_t side_windows(const struct record_trial *trial, bool senders, double *width_ns)
{
	size_t least = SIZE_MAX;

	*width_ns = 0.0;
	for (size_t i = 0; i < trial->endpoint_count; i++) {
		const struct record_windows *windows = &trial->endpoints[i].windows;

		if (!is_of_side(trial, &trial->endpoints[i], senders))
			continue;
		if (!(windows->width_ns > 0.0) || (*width_ns > 0.0 && windows->width_ns != *width_ns))
			return 0;
		*width_ns = windows->width_ns;
		least = windows->count < least ? windows->count : least;
	}
	return least == SIZE_MAX ? 0 : least;
}

/* By how many messages the end of a window may be wrong. */
static double side_within(const struct record_trial *trial, bool senders)
{
	double within = 0.0;

	for (size_t i = 0; i < trial->endpoint_count; i++)
		if (is_of_side(trial, &trial->endpoints[i], senders))
			within += (double)trial->endpoints[i].windows.within_messages;
	return within;
}

double windows_width_ns(const struct record_trial *trial, bool senders)
{
	double width_ns;

	return side_windows(trial, senders, &width_ns) > 0 ? width_ns : 0.0;
}

long windows_collect(double **per_s, size_t count, const struct record_trial *trial, bool senders)
{
	double width_ns, *grown;
	size_t n = strcmp(trial->cell.load, "open") ? side_windows(trial, senders, &width_ns) : 0;

	if (n == 0)
		return (long)count;
	grown = realloc(*per_s, (count + n) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*per_s = grown;
	grown += count;
	for (size_t w = 0; w < n; w++) {
		uint64_t messages = 0;

		for (size_t i = 0; i < trial->endpoint_count; i++)
			if (is_of_side(trial, &trial->endpoints[i], senders))
				messages += trial->endpoints[i].windows.messages[w];
		grown[w] = (double)messages * 1e9 / width_ns;
	}
	if (windows_stall_rate(grown, n) / STALL_SHARE * width_ns / 1e9 < UNSURE_LEAST * side_within(trial, senders))
		return (long)count;
	return (long)(count + n);
}

/* ---- stalls ---- */

static int compare_numbers(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double *sorted_copy(const double *values, size_t n)
{
	double *copy = malloc((n + 1) * sizeof(*copy));

	if (copy && n > 0) {
		memcpy(copy, values, n * sizeof(*copy));
		qsort(copy, n, sizeof(*copy), compare_numbers);
	}
	return copy;
}

static double stall_rate_of(const double *sorted, size_t n)
{
	double sum = 0.0, half = 0.0, rate = 0.0;

	for (size_t i = 0; i < n; i++)
		sum += sorted[i];
	for (size_t i = 0; i < n && half < sum / 2; i++) {
		rate = sorted[i];
		half += rate;
	}
	return STALL_SHARE * rate;
}

double windows_stall_rate(const double *per_s, size_t n)
{
	double *sorted = sorted_copy(per_s, n), rate = sorted ? stall_rate_of(sorted, n) : NAN;

	free(sorted);
	return rate;
}

size_t windows_count_below(const double *per_s, size_t n, double rate_per_s)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += per_s[i] < rate_per_s;
	return count;
}

/* ---- two modes ---- */

/* Where sorted values are best parted: the number of them below; `least` or more are on each side. */
static size_t find_cut(const double *logs, size_t n, size_t least)
{
	double sum = 0.0, below = 0.0, most = -INFINITY;
	size_t cut = least;

	for (size_t i = 0; i < n; i++)
		sum += logs[i];
	for (size_t i = 1; i < n; i++) {
		double k = (double)i, rest = (double)(n - i), apart;

		below += logs[i - 1];
		apart = below / k - (sum - below) / rest;
		/* the squares around both means are least where those between the means are most */
		if (i >= least && n - i >= least && k * rest * apart * apart > most) {
			most = k * rest * apart * apart;
			cut = i;
		}
	}
	return cut;
}

static double quantile(const double *sorted, size_t n, double p)
{
	return sorted[(size_t)(p * (double)(n - 1) + 0.5)];
}

/* logs: of the windows that did not stall, sorted */
static void part_modes(struct windows_modes *modes, const double *logs, size_t n)
{
	size_t least = (size_t)ceil(MODE_LEAST * (double)n), cut;
	double lower, upper, valley;

	least = least < MODE_WINDOWS_LEAST ? MODE_WINDOWS_LEAST : least;
	cut = find_cut(logs, n, least);
	lower = statistics_median(logs, cut);
	upper = statistics_median(logs + cut, n - cut);
	valley = quantile(logs + cut, n - cut, VALLEY_TRIM) - quantile(logs, cut, 1 - VALLEY_TRIM);
	modes->two = upper - lower >= log(MODES_APART) && valley >= VALLEY_LEAST * (upper - lower);
	modes->lower_per_s = exp(lower);
	modes->upper_per_s = exp(upper);
	modes->lower = cut;
	modes->upper = n - cut;
}

int windows_find_modes(struct windows_modes *modes, const double *per_s, size_t n)
{
	double *logs = sorted_copy(per_s, n), stall;
	size_t stalls;

	*modes = (struct windows_modes){ 0 };
	if (!logs)
		return -ENOMEM;
	stall = stall_rate_of(logs, n);
	stalls = windows_count_below(logs, n, stall);
	modes->stalls = stalls;
	modes->known = n - stalls >= WINDOWS_LEAST;
	for (size_t i = stalls; i < n; i++)
		logs[i] = log(logs[i]);
	if (modes->known && stall > 0.0)
		part_modes(modes, logs + stalls, n - stalls);
	free(logs);
	return 0;
}

/* ---- the course of a trial ---- */

struct quarter {
	const double *per_s;
	size_t n;
	double median;
};

/* < 0: the later one is slower, > 0: faster; 0: they do not differ */
static int compare_quarters(const struct quarter *earlier, const struct quarter *later)
{
	bool rises = later->median > QUARTERS_APART * earlier->median, falls = earlier->median > QUARTERS_APART * later->median;

	if ((!rises && !falls) || !(rank_test_p(earlier->per_s, earlier->n, later->per_s, later->n) <= LEVEL))
		return 0;
	return rises ? 1 : -1;
}

int windows_find_course(enum windows_course *course, const double *per_s, size_t n)
{
	struct quarter quarters[QUARTERS];
	bool rises = false, falls = false;
	struct windows_modes modes;

	*course = WINDOWS_UNKNOWN;
	if (n < WINDOWS_LEAST)
		return 0;
	for (size_t q = 0; q < QUARTERS; q++) {
		size_t first = q * n / QUARTERS, end = (q + 1) * n / QUARTERS;

		quarters[q] = (struct quarter){ per_s + first, end - first, statistics_median(per_s + first, end - first) };
		for (size_t earlier = 0; earlier < q; earlier++) {
			int order = compare_quarters(&quarters[earlier], &quarters[q]);

			rises |= order > 0;
			falls |= order < 0;
		}
	}
	if (windows_find_modes(&modes, per_s, n))
		return -ENOMEM;
	if (rises != falls)
		*course = rises ? WINDOWS_WARMING : WINDOWS_SLOWING;
	else
		*course = rises || modes.two || (double)modes.stalls >= MODE_LEAST * (double)n ? WINDOWS_UNSTEADY : WINDOWS_FLAT;
	return 0;
}
