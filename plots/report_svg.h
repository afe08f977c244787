/* gnuplot's SVG made part of a page. */
#ifndef PLOTS_REPORT_SVG_H
#define PLOTS_REPORT_SVG_H

#include <stdio.h>

/* Writes the picture as an element of a page: its ids, and what refers to them, begin with the prefix; titles that gnuplot makes up, empty
 * groups and whatever could lead out of the page are left out. Returns 0, -ENOMEM, or -EINVAL for what is no such picture: then nothing is
 * written. */
int svg_embed(FILE *out, const char *svg, const char *prefix, const char *label);

#endif
