/* Where the words and the areas of a figure are, by its SVG as gnuplot writes it, and what of that nobody could read. Words are measured as
 * DejaVu Sans sets them, the widest of the fonts that are shown where there is no Arial. */
#ifndef PLOTS_TESTS_SVG_BOXES_H
#define PLOTS_TESTS_SVG_BOXES_H

#include "figure_rig.h"

struct svg_box {
	double left, top, right, bottom;
};

struct svg_text {
	struct svg_box box; /* as it is seen: turned */
	bool is_drawn;      /* by plot: a legend's, or one of the data */
	char words[128];
};

struct svg_boxes {
	struct svg_box whole, strokes; /* the view box; what lines and marks take of it */
	struct svg_text *texts;
	struct svg_box *areas; /* that data are drawn in, by their axes */
	size_t text_count, area_count;
};

/* What is meant to lie within the areas. */
enum { SVG_NO_WORDS = 0, SVG_WORDS = 1, SVG_LEGENDS = 2 };

void svg_boxes_read(struct svg_boxes *boxes, const char *svg);
void svg_boxes_free(struct svg_boxes *boxes);
/* Writes a line for each text that is cut, or lies on another one or within an area, and one for lines that leave the picture. Returns how
 * many. */
size_t svg_boxes_faults(const struct svg_boxes *boxes, int meant, FILE *out);

/* Fails with these lines where NAME.svg of the folder has any. */
void figure_is_legible(const struct fixture *fixture, const char *name, int meant);

#endif
