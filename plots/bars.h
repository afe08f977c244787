/* Bars with names, lengths and a word each, in areas one below the other; each area has an axis of its own, which begins at 0.
 * bars.gp draws them. */
#ifndef PLOTS_BARS_H
#define PLOTS_BARS_H

#include "sheet.h"

#include <stddef.h>

enum { BARS_AREAS_MOST = 12, BARS_MOST = 160 };

enum bars_unit { BARS_NS, BARS_PER_S };

struct bar {
	char label[SHEET_TEXT], word[64]; /* word: behind the bar */
	double value, low, high;          /* low, high: the interval; NAN: not known */
	double colour;
	bool apart; /* half a row of distance to the one before */
};

struct bars_area {
	char title[SHEET_TEXT], x_title[SHEET_TEXT];
	enum bars_unit unit;
	size_t first;
	double high;
};

struct bars {
	struct bars_area areas[BARS_AREAS_MOST];
	struct bar bars[BARS_MOST];
	size_t area_count, count;
	size_t left_out; /* bars that found no room */
};

void bars_begin_area(struct bars *bars, const char *title, const char *x_title, enum bars_unit unit);
void bars_add(struct bars *bars, const struct bar *bar);

/* The sheet's width is known. Writes the data, the arrays and the lengths, from that line of the figure on. Returns the line behind the
 * last area. */
double bars_write(const struct bars *bars, struct sheet *sheet, double line);

#endif
