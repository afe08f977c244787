/* Numbers as people read them: four digits, a unit, and a point whatever the locale says. */
#ifndef RESULTS_NUMBER_H
#define RESULTS_NUMBER_H

#include <stdint.h>

enum { NUMBER_TEXT = 40 };

struct number_unit {
	double scale; /* one of the unit in ns, or in 1/s */
	const char *name;
};

/* The unit in which the magnitude has one to three digits before the point. */
struct number_unit number_time_unit(double ns);
struct number_unit number_rate_unit(double per_s);

/* Each writes NUMBER_TEXT bytes at most and returns text. */
char *number_decimal(char *text, double value);                       /* "195.3" */
char *number_plain(char *text, double value);                         /* for machines: "195312345.7", "1.5e+20"; nothing of NaN */
char *number_scaled(char *text, double value, struct number_unit in); /* "195.3" of 195.3e6 in M/s */
char *number_beside(char *text, double value, struct number_unit in); /* the same, or with its own unit where that one shows less than two
									  digits of it, or more than four: "27.99 us" */
char *number_time(char *text, double ns);                             /* "30.00 us" */
char *number_rate(char *text, double per_s);                          /* "195.3 M/s" */
char *number_percent(char *text, double share);                       /* "5.1 %" of 0.051 */
char *number_change(char *text, double share);                        /* "+5.1 %"; beyond the tenfold "x12.34" */
char *number_probability(char *text, double p);                       /* "0.0012", "<.0001" */
char *number_size(char *text, uint64_t count);                        /* "64Ki" where that is exact, else "1000" */
/* "1 point", "3 points". */
char *number_of(char *text, uint64_t count, const char *thing);
const char *number_is(uint64_t count); /* "is", "are" */

#endif
