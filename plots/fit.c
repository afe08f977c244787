#include "fit.h"
#include <math.h>

static bool has_three(const double *b, size_t count)
{
	size_t different = 0;

	for (size_t i = 0; i < count; i++) {
		bool seen = false;

		for (size_t j = 0; j < i; j++)
			seen |= b[j] == b[i];
		different += !seen;
	}
	return different >= 3;
}

bool fit_inverse(struct fit *fit, const double *b, const double *t, size_t count)
{
	double weights = 0, mean_x = 0, mean_t = 0, xx = 0, xt = 0, tt = 0, rest = 0;

	if (!has_three(b, count))
		return false;
	for (size_t i = 0; i < count; i++) {
		double weight = 1 / (t[i] * t[i]);

		if (!(b[i] > 0) || !(t[i] > 0))
			return false;
		weights += weight;
		mean_x += weight / b[i];
		mean_t += weight * t[i];
	}
	mean_x /= weights;
	mean_t /= weights;
	for (size_t i = 0; i < count; i++) {
		double weight = 1 / (t[i] * t[i]), x = 1 / b[i] - mean_x, y = t[i] - mean_t;

		xx += weight * x * x;
		xt += weight * x * y;
		tt += weight * y * y;
	}
	fit->c = xt / xx;
	fit->a = mean_t - fit->c * mean_x;
	for (size_t i = 0; i < count; i++) {
		double error = (t[i] - fit->a - fit->c / b[i]) / t[i];

		rest += error * error;
	}
	fit->r_squared = tt > 0 ? 1 - rest / tt : 1;
	return true;
}

double fit_crossing(const double *b, const double *t, size_t count, double level)
{
	size_t above = count; /* the last one that is above */

	for (size_t i = 0; i < count; i++) {
		if (isnan(t[i]) || isnan(level))
			return NAN;
		if (t[i] > level)
			above = i;
	}
	if (!count)
		return NAN;
	if (above == count)
		return b[0];
	if (above + 1 == count)
		return INFINITY;
	/* t falls from above the level to it or below between the two */
	return 1 / (1 / b[above] + (1 / b[above + 1] - 1 / b[above]) * (t[above] - level) / (t[above] - t[above + 1]));
}
