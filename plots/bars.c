#include "bars.h"

#include <math.h>
#include <string.h>

static double bar_end(const struct bar *bar)
{
	return isnan(bar->high) ? bar->value : fmax(bar->value, bar->high);
}

void bars_begin_area(struct bars *bars, const char *title, const char *x_title, enum bars_unit unit)
{
	struct bars_area *area = &bars->areas[bars->area_count];

	if (bars->area_count == BARS_AREAS_MOST)
		return; /* what comes now is counted as left out */
	bars->area_count++;
	*area = (struct bars_area){ .unit = unit, .first = bars->count };
	snprintf(area->title, sizeof(area->title), "%s", title);
	snprintf(area->x_title, sizeof(area->x_title), "%s", x_title);
}

void bars_add(struct bars *bars, const struct bar *bar)
{
	struct bars_area *area = &bars->areas[bars->area_count - 1];

	if (bars->count == BARS_MOST) {
		bars->left_out++;
		return;
	}
	bars->bars[bars->count++] = *bar;
	area->high = fmax(area->high, bar_end(bar));
}

static size_t area_end(const struct bars *bars, size_t at)
{
	return at + 1 < bars->area_count ? bars->areas[at + 1].first : bars->count;
}

static const char *const arrays[] = { "bars_top",  "bars_bottom", "bars_first", "bars_last",
				      "bars_high", "bars_step",   "bars_rows",  "bars_unit" };

enum { ARRAYS = sizeof(arrays) / sizeof(arrays[0]) };

/* The end of the axis: each word behind its bar has room, in a plot of so many characters. */
static double area_high(const struct bars *bars, const struct sheet *sheet, size_t at, double characters)
{
	double high = bars->areas[at].high * 1.05;

	for (size_t i = bars->areas[at].first; i < area_end(bars, at); i++) {
		const struct bar *bar = &bars->bars[i];
		double word = (double)sheet_columns(sheet, bar->word) + 1.5;

		if (bar->word[0])
			high = fmax(high, bar_end(bar) * characters / fmax(characters - word, characters / 4));
	}
	return high;
}

static void area_write(const struct bars *bars, struct sheet *sheet, size_t at, double *line, double characters)
{
	const struct bars_area *area = &bars->areas[at];
	size_t end = area_end(bars, at);
	double high = area_high(bars, sheet, at, characters), y = 0, top = *line += area->title[0] ? 1.5 : 0.5;

	for (size_t i = area->first; i < end; i++) {
		const struct bar *bar = &bars->bars[i];

		y += bar->apart && i > area->first ? 1.5 : 1;
		sheet_set_element_text(sheet, "bar_label", i + 1, bar->label);
		sheet_set_element_text(sheet, "bar_word", i + 1, bar->word);
		sheet_set_element(sheet, "bar_y", i + 1, y);
		sheet_set_element(sheet, "bar_end", i + 1, bar_end(bar));
		fprintf(sheet->data, "bar\t%zu\t%g\t%.6g\t%.6g\t%.6g\t%.0f\t", at + 1, y, bar->value, bar->low, bar->high, bar->colour);
		sheet_data_text(sheet, bar->label);
		fputc('\n', sheet->data);
	}
	*line += fmax(2, (sheet->dumb ? 2 : 1.25) * (y + 0.5));
	sheet_set_element_text(sheet, "bars_title", at + 1, area->title);
	sheet_set_element_text(sheet, "bars_x_title", at + 1, area->x_title);
	for (size_t i = 0; i < ARRAYS; i++)
		sheet_set_element(sheet, arrays[i], at + 1,
				  (const double[ARRAYS]){ top, *line, (double)area->first + 1, (double)end, high,
							  sheet_tick_step(high), y + 0.5, area->unit }[i]);
	*line += 3.5;
}

double bars_write(const struct bars *bars, struct sheet *sheet, double line)
{
	size_t label = 8;

	sheet_set_array(sheet, "bar_label", bars->count);
	sheet_set_array(sheet, "bar_word", bars->count);
	sheet_set_array(sheet, "bar_y", bars->count);
	sheet_set_array(sheet, "bar_end", bars->count);
	sheet_set_array(sheet, "bars_title", bars->area_count);
	sheet_set_array(sheet, "bars_x_title", bars->area_count);
	for (size_t i = 0; i < ARRAYS; i++)
		sheet_set_array(sheet, arrays[i], bars->area_count);
	for (size_t i = 0; i < bars->count; i++)
		label = sheet_columns(sheet, bars->bars[i].label) > label ? sheet_columns(sheet, bars->bars[i].label) : label;
	for (size_t at = 0; at < bars->area_count; at++)
		area_write(bars, sheet, at, &line, fmax(20, (double)sheet->width - 4 - (double)(label + 3)));
	sheet_set_number(sheet, "bars_areas", (double)bars->area_count);
	sheet_set_number(sheet, "bars_left", (double)label + 3);
	return line;
}
