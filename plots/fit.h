/* What a time per message is made of, by its dependence on the batch. */
#ifndef PLOTS_FIT_H
#define PLOTS_FIT_H

#include <stdbool.h>
#include <stddef.h>

struct fit {
	double a, c;      /* t = a + c / b */
	double r_squared; /* share of the weighted variance that the curve explains; 1 where all t are equal */
};

/* Least squares with weights 1 / t²: relative errors count, not the first batch's alone. False: fewer than three
 * different b, which any curve would fit, or a value that is not above 0. */
bool fit_inverse(struct fit *fit, const double *b, const double *t, size_t count);

/* The b from which on t stays at or below level; b ascending. Between two of them t is taken as a line in 1 / b. b[0]
 * where it always is, INFINITY where it is not at the end, NAN where something is not known. */
double fit_crossing(const double *b, const double *t, size_t count, double level);

#endif
