#include "history_trend.h"

#include "change_point.h"
#include "rank_test.h"
#include "regime.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double history_trend_level = 0.05;

enum { SEED = 1, PARTS_DEPTH = 8 };

/* A p50 that there is none of, because the load was saturated or not reached: beyond any that there is. Tests are of ranks; a median of it
 * and of a true one is beyond all as well. */
static const double LOST_NS = 1e200;

bool history_level_is_lost(double level)
{
	return level > LOST_NS / 4;
}

/* ---- trends ---- */

/* A point that finds its trend. */
struct filed {
	const struct history_point *point;
	size_t machine, order; /* order: of the view's points */
	double regime_ns;      /* of the regime over all runs; < 0: not known */
	char regime[16];
};

static bool same_trend(const struct filed *a, const struct filed *b)
{
	return a->point->cell == b->point->cell && a->machine == b->machine && a->point->is_time == b->point->is_time &&
	       !strcmp(a->point->is_time ? a->point->latency : "", b->point->is_time ? b->point->latency : "") &&
	       !strcmp(a->regime, b->regime) && a->regime_ns == b->regime_ns;
}

static int by_trend(const void *left, const void *right)
{
	const struct filed *a = left, *b = right;
	int order;

	if (a->point->cell != b->point->cell)
		return a->point->cell < b->point->cell ? -1 : 1;
	if (a->machine != b->machine)
		return a->machine < b->machine ? -1 : 1;
	if (a->regime_ns != b->regime_ns)
		return a->regime_ns < b->regime_ns ? -1 : 1;
	if (a->point->is_time != b->point->is_time)
		return a->point->is_time ? 1 : -1;
	order = a->point->is_time ? strcmp(a->point->latency, b->point->latency) : 0;
	return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* Gives the points of one machine their regimes. Returns 0 or -ENOMEM. */
static int regimes_file(struct filed *filed, size_t count, size_t machine)
{
	double *lines = calloc(count + 1, sizeof(*lines));
	size_t *regime_of = calloc(count + 1, sizeof(*regime_of)), n = 0;
	struct regime *regimes = NULL;
	long found = -ENOMEM;

	if (lines && regime_of) {
		for (size_t i = 0; i < count; i++)
			if (filed[i].machine == machine && filed[i].point->regime_ns > 0)
				lines[n++] = filed[i].point->regime_ns;
		found = regime_find(lines, n, regime_of, &regimes);
	}
	for (size_t i = 0, k = 0; i < count && found > 0; i++)
		if (filed[i].machine == machine && filed[i].point->regime_ns > 0) {
			filed[i].regime_ns = regimes[regime_of[k]].line_ns;
			memcpy(filed[i].regime, regimes[regime_of[k]].name, sizeof(filed[i].regime));
			k++;
		}
	free(regimes);
	free(regime_of);
	free(lines);
	return found < 0 ? -ENOMEM : 0;
}

/* From one point on, of those that are filed by trend. Returns how many of them were taken; 0: out of memory. */
static size_t trend_take(struct history_trends *trends, const struct filed *filed, size_t count)
{
	struct history_trend *trend = &trends->trends[trends->count];
	size_t all = 0;

	while (all < count && same_trend(&filed[all], &filed[0]))
		all++;
	*trend = (struct history_trend){ .machine = filed->machine, .cell = filed->point->cell, .regime_ns = filed->regime_ns,
					 .points = calloc(all, sizeof(*trend->points)) };
	memcpy(trend->regime, filed->regime, sizeof(trend->regime));
	if (!trend->points)
		return 0;
	trends->count++;
	for (size_t i = 0; i < all; i++) {
		if (trend->count && trend->points[trend->count - 1]->run == filed[i].point->run)
			trends->doubled++;
		else
			trend->points[trend->count++] = filed[i].point;
	}
	return all;
}

static int trends_file(struct history_trends *trends, const struct history_view *view)
{
	struct filed *filed = calloc(view->point_count + 1, sizeof(*filed));
	size_t count = 0;
	int status = filed ? 0 : -ENOMEM;

	trends->trends = calloc(view->point_count + 1, sizeof(*trends->trends));
	for (size_t i = 0; i < view->point_count && !status; i++)
		if (history_point_counts(&view->points[i]))
			filed[count++] = (struct filed){ &view->points[i], view->runs[view->points[i].run].machine, i, -1, "r?" };
	for (size_t m = 0; m < view->machine_count && !status; m++)
		status = regimes_file(filed, count, m);
	if (!status && !trends->trends)
		status = -ENOMEM;
	if (!status)
		qsort(filed, count, sizeof(*filed), by_trend);
	for (size_t i = 0; i < count && !status;) {
		size_t taken = trend_take(trends, filed + i, count - i);

		i += taken;
		status = taken ? 0 : -ENOMEM;
	}
	free(filed);
	return status;
}

/* ---- changes ---- */

static double *values_of(const struct history_trend *trend)
{
	double *values = calloc(trend->count + 1, sizeof(*values));

	for (size_t i = 0; values && i < trend->count; i++)
		values[i] = trend->points[i]->lost ? LOST_NS : history_headline(trend->points[i])->median;
	return values;
}

/* The clocks' unknown offsets alone may move a one-way latency by so much. */
static double clock_bound_ns(const struct history_trend *trend)
{
	double bound_ns = 0;

	for (size_t i = 0; i < trend->count && trend->points[0]->is_time; i++)
		if (!trend->points[i]->lost)
			bound_ns = fmax(bound_ns, trend->points[i]->clock_bound_ns);
	return bound_ns;
}

static int trends_test(struct history_trends *trends)
{
	double *p = calloc(trends->count + 1, sizeof(*p));
	int status = p ? 0 : -ENOMEM;

	for (size_t i = 0; i < trends->count && !status; i++) {
		struct history_trend *trend = &trends->trends[i];
		struct change_point point;
		double *values = values_of(trend);

		if (!values)
			status = -ENOMEM;
		trends->few += trend->count < CHANGE_POINT_VALUES;
		if (values && isfinite(clock_bound_ns(trend)) && trend->count >= CHANGE_POINT_VALUES) {
			/* values that are all equal are a test as well: one that finds nothing */
			trend->tested = true;
			trend->p = change_point_find(values, trend->count, SEED, &point) ? point.p : 1;
			if (isnan(trend->p))
				status = -ENOMEM;
			p[trends->tests++] = trend->p;
		}
		free(values);
	}
	if (!status)
		status = rank_test_adjust(p, trends->tests);
	for (size_t i = 0, k = 0; i < trends->count && !status; i++)
		if (trends->trends[i].tested)
			trends->trends[i].p_adjusted = p[k++];
	free(p);
	return status;
}

/* A place where a trend's values are parted. */
struct cut {
	size_t at;
	double p_adjusted;
};

struct cutting {
	const double *values;
	struct cut *cuts;
	size_t count;
	double tests; /* all trends */
};

/* A change that was found parts its values in two, and each part is tested on its own: by Bonferroni, at half the level of what it is a
 * part of. Of parts without a change, no two of which lie within each other, the levels add up to no more than the whole's. Returns false:
 * out of memory. */
static bool cut_parts(struct cutting *cutting, size_t from, size_t n, int depth, double p_adjusted)
{
	struct change_point point;

	if (depth > PARTS_DEPTH || !change_point_find(cutting->values + from, n, SEED, &point))
		return true;
	if (isnan(point.p))
		return false;
	if (depth)
		p_adjusted = fmin(1, ldexp(point.p * cutting->tests, depth));
	if (p_adjusted > history_trend_level)
		return true;
	if (!cut_parts(cutting, from, point.at, depth + 1, 1))
		return false;
	cutting->cuts[cutting->count++] = (struct cut){ from + point.at, p_adjusted };
	return cut_parts(cutting, from + point.at, n - point.at, depth + 1, 1);
}

static bool change_add(struct history_trends *trends, const struct history_change *change)
{
	struct history_change *grown = realloc(trends->changes, (trends->change_count + 1) * sizeof(*grown));

	if (!grown)
		return false;
	trends->changes = grown;
	grown[trends->change_count++] = *change;
	return true;
}

/* The cut at `at`, with the medians of what lies between it and the cuts beside it. (A change of NAN: out of memory.) */
static struct history_change change_at(const struct cutting *cutting, size_t at, size_t n, bool is_time)
{
	size_t from = at ? cutting->cuts[at - 1].at : 0, here = cutting->cuts[at].at,
	       to = at + 1 < cutting->count ? cutting->cuts[at + 1].at : n;
	struct history_change change = { .at = here, .p_adjusted = cutting->cuts[at].p_adjusted };

	change.before = statistics_median(cutting->values + from, here - from);
	change.after = statistics_median(cutting->values + here, to - here);
	change.change = change.after / change.before - 1;
	if (history_level_is_lost(change.before) && history_level_is_lost(change.after))
		change.change = 0; /* more or fewer points of a level that is none */
	change.slower = (change.change > 0) == is_time;
	return change;
}

/* Takes out the smallest change, one after the other, as long as it is too small to be told: what it parted is one again, so that steps
 * that are small each, but add up, are told as one. */
static bool cuts_thin(struct cutting *cutting, size_t n, double threshold, double bound_ns)
{
	while (cutting->count) {
		size_t smallest = cutting->count;
		double least = INFINITY;

		for (size_t i = 0; i < cutting->count; i++) {
			struct history_change change = change_at(cutting, i, n, false);

			if (isnan(change.change))
				return false;
			if ((fabs(change.change) <= threshold || fabs(change.after - change.before) <= 2 * bound_ns) &&
			    fabs(change.change) < least) {
				least = fabs(change.change);
				smallest = i;
			}
		}
		if (smallest == cutting->count)
			return true;
		cutting->count--;
		memmove(&cutting->cuts[smallest], &cutting->cuts[smallest + 1], (cutting->count - smallest) * sizeof(*cutting->cuts));
	}
	return true;
}

static bool changes_add(struct history_trends *trends, size_t at, struct cutting *cutting, double threshold)
{
	const struct history_trend *trend = &trends->trends[at];

	if (!cuts_thin(cutting, trend->count, threshold, clock_bound_ns(trend)))
		return false;
	for (size_t i = 0; i < cutting->count; i++) {
		struct history_change change = change_at(cutting, i, trend->count, trend->points[0]->is_time);

		change.trend = at;
		if (!change_add(trends, &change))
			return false;
	}
	return true;
}

static int changes_find(struct history_trends *trends, double threshold)
{
	for (size_t i = 0; i < trends->count; i++) {
		const struct history_trend *trend = &trends->trends[i];
		double *values;
		struct cutting cutting;
		bool good;

		if (!trend->tested || trend->p_adjusted > history_trend_level)
			continue;
		values = values_of(trend);
		cutting = (struct cutting){ values, calloc(trend->count, sizeof(*cutting.cuts)), 0, (double)trends->tests };
		good = values && cutting.cuts && cut_parts(&cutting, 0, trend->count, 0, trend->p_adjusted) &&
		       changes_add(trends, i, &cutting, threshold);
		free(cutting.cuts);
		free(values);
		if (!good)
			return -ENOMEM;
	}
	return 0;
}

int history_trends_make(struct history_trends *trends, const struct history_view *view, double threshold)
{
	int status;

	*trends = (struct history_trends){ 0 };
	status = trends_file(trends, view);
	if (!status)
		status = trends_test(trends);
	if (!status)
		status = changes_find(trends, threshold);
	if (status)
		history_trends_free(trends);
	return status;
}

void history_trends_free(struct history_trends *trends)
{
	for (size_t i = 0; i < trends->count; i++)
		free(trends->trends[i].points);
	free(trends->trends);
	free(trends->changes);
	*trends = (struct history_trends){ 0 };
}
