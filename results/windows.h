/* What the rates in a trial's windows of time say beside their mean: stalls, two modes, and whether the trial warmed up. */
#ifndef RESULTS_WINDOWS_H
#define RESULTS_WINDOWS_H

#include "record.h"

/* Fewer windows are not judged: of 30 of one mode, less than 1 in 100 drawings seems to have two (3 in 100 where it has a long tail). */
enum { WINDOWS_LEAST = 30 };

/* The rate of a trial's senders at `write`, or of its receivers at `read`, all together, in each window, in messages/s. They are written
 * to *per_s, which is grown by realloc(), behind the `count` that are there. Returns how many there are now, or -ENOMEM. Some trials add
 * none: an older record's, one shorter than a window, an open load, whose rate is that of its schedule, and one whose windows hold less
 * than ten times the messages by which their ends are unsure. */
long windows_collect(double **per_s, size_t count, const struct record_trial *trial, bool senders);

/* How long a window of that side is, in ns: those of all its endpoints, side by side. 0: they are none, or not of one length. */
double windows_width_ns(const struct record_trial *trial, bool senders);

/* A window stalled whose rate is below a tenth of the one that the median message met. Stalls of no windows: none. */
double windows_stall_rate(const double *per_s, size_t n);
size_t windows_count_below(const double *per_s, size_t n, double rate_per_s);

/* Two modes there are iff the windows that did not stall, ordered and cut where the squares of the logarithms' deviations from the means of
 * both sides are least (N. Otsu, 1979), with at least 5 and a tenth of them on each side,
 * - have medians on both sides that are at least 1.25× apart, and
 * - show a valley: on the log scale, nine tenths of the lower side end, and nine tenths of the upper one begin, so far from each other
 *   that at least 0.6 of the way between the medians lies in between. */
struct windows_modes {
	bool known; /* there are enough windows */
	bool two;
	double lower_per_s, upper_per_s; /* the medians */
	size_t lower, upper;             /* windows */
	size_t stalls;                   /* windows of neither mode; also where those are not known */
};
int windows_find_modes(struct windows_modes *modes, const double *per_s, size_t n); /* 0 or -ENOMEM */

/* How a trial went: its windows are parted into four quarters by time. Two quarters differ iff their medians do by more than 5 %, and by a
 * test of ranks (rank_test.h) that is no chance: p ≤ 0.01 / 6, for there are six pairs of quarters.
 * - flat: none differ, there are not two modes, and fewer than a tenth of the windows stalled;
 * - warming: some differ, and of those the later one is always the faster;
 * - slowing: the reverse;
 * - unsteady: anything else. */
enum windows_course { WINDOWS_UNKNOWN, WINDOWS_FLAT, WINDOWS_WARMING, WINDOWS_SLOWING, WINDOWS_UNSTEADY, WINDOWS_COURSES };
extern const char *const windows_course_names[WINDOWS_COURSES];
int windows_find_course(enum windows_course *course, const double *per_s, size_t n); /* 0 or -ENOMEM */

#endif
