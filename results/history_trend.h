/* The course of each cell over the runs of a history, and where it changes its level. */
#ifndef RESULTS_HISTORY_TREND_H
#define RESULTS_HISTORY_TREND_H

#include "history.h"

extern const double history_trend_level; /* the chance of even one change that is none, among all that is shown: 5 % */

/* A cell on one machine, in one regime: never more than that is compared. */
struct history_trend {
	size_t machine, cell; /* of the view */
	char regime[16];      /* "r150"; "r?": the line was not measured */
	double regime_ns;     /* < 0: not known */
	const struct history_point **points; /* one a run, in the order of their start; those whose headline is known */
	size_t count;
	bool tested;          /* the following are known */
	double p, p_adjusted; /* of the clearest change: change_point.h's, and by Holm over all trends that were tested */
};

struct history_change {
	size_t trend;
	size_t at;            /* the first point of the trend behind it */
	double before, after; /* medians of the headlines, back to the change before it, and on to the one behind it */
	double change;        /* after over before, less 1 */
	bool slower;          /* else faster */
	double p_adjusted;
};

struct history_trends {
	struct history_trend *trends;
	size_t count;
	struct history_change *changes; /* by trend, then by run */
	size_t change_count;
	size_t tests;   /* trends that were tested together */
	size_t few;     /* that have too few runs for a test */
	size_t doubled; /* points left out: a run's cell has another one, of more trials, in the same regime */
};

/* Whether a change's `before` or `after` stands for points that have lost their p50 (history.h): no number of nanoseconds. */
bool history_level_is_lost(double level);

/* threshold: changes no larger are none. Of what is shown, regimes are found over all runs of a machine. The trends borrow from the view.
 * Returns 0 or -ENOMEM. */
int history_trends_make(struct history_trends *trends, const struct history_view *view, double threshold);
void history_trends_free(struct history_trends *trends);

#endif
