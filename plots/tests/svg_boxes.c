#include "svg_boxes.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the widths of words ---- */

/* Thousandths of the font's size, from the blank to the tilde. */
static const unsigned short widths[] = {
	318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636, 636, 636,
	636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,
	603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635,
	634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
};
static const double ascent = 0.76, descent = 0.24; /* of letters, not of the lines that they stand in */

/* Of what lies before the next tag; an entity is one character, and one that is not ASCII as wide as most are. */
static double words_width(const char *at)
{
	double width = 0;

	for (; *at && *at != '<'; at++) {
		unsigned char c = (unsigned char)*at;

		if ((c & 0xc0) == 0x80)
			continue;
		width += c >= ' ' && c <= '~' ? widths[c - ' '] : 838;
		if (c == '&') {
			at = strchr(at, ';');
			assert_non_null(at);
		}
	}
	return width / 1000;
}

/* ---- reading ---- */

static void *grown(void *list, size_t count, size_t size)
{
	void *more = realloc(list, (count + 1) * size);

	assert_non_null(more);
	return more;
}

static void box_take(struct svg_box *box, double x, double y)
{
	box->left = fmin(box->left, x);
	box->right = fmax(box->right, x);
	box->top = fmin(box->top, y);
	box->bottom = fmax(box->bottom, y);
}

static const struct svg_box nothing = {INFINITY, INFINITY, -INFINITY, -INFINITY};

/* The value of an attribute within a tag; "" where it has none. */
static const char *attribute(const char *tag, const char *name)
{
	const char *end = strchr(tag, '>'), *at = strstr(tag, name);

	return at && end && at < end ? at + strlen(name) : "";
}

/* group: the tag that says where and how large the text is. */
static void text_take(struct svg_boxes *boxes, const char *group, const char *words, bool is_drawn)
{
	double x, y, turn = 0, size = strtod(attribute(group, "font-size=\""), NULL), left;
	struct svg_text text = {.box = nothing, .is_drawn = is_drawn};
	double width = words_width(words) * size;
	const char *anchor = attribute(group, "text-anchor=\"");

	assert_true(sscanf(attribute(group, "transform=\""), "translate(%lf,%lf) rotate(%lf)", &x, &y, &turn) >= 2);
	assert_true(size > 0);
	if (words[0] == '<' || width <= 0)
		return;
	left = strncmp(anchor, "end", 3) == 0 ? -width : strncmp(anchor, "middle", 6) == 0 ? -width / 2 : 0;
	turn *= M_PI / 180;
	for (int corner = 0; corner < 4; corner++) {
		double along = left + (corner & 1 ? width : 0), across = size * (corner & 2 ? descent : -ascent);

		box_take(&text.box, x + along * cos(turn) - across * sin(turn), y + along * sin(turn) + across * cos(turn));
	}
	snprintf(text.words, sizeof(text.words), "%.*s", (int)strcspn(words, "<"), words);
	boxes->texts = grown(boxes->texts, boxes->text_count, sizeof(text));
	boxes->texts[boxes->text_count++] = text;
}

/* Axes are one path, drawn from the left upper end: down, and to the right; once behind the data and once before them. */
static void area_take(struct svg_boxes *boxes, const char *path)
{
	double x[3], y[3];
	struct svg_box area;

	if (sscanf(path, "M%lf,%lf L%lf,%lf L%lf,%lf M", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2]) != 6 || x[0] != x[1] || y[1] != y[2] ||
	    y[0] >= y[1] || x[1] >= x[2])
		return;
	area = (struct svg_box){x[0], y[0], x[2], y[1]};
	if (boxes->area_count && !memcmp(&area, &boxes->areas[boxes->area_count - 1], sizeof(area)))
		return;
	boxes->areas = grown(boxes->areas, boxes->area_count, sizeof(area));
	boxes->areas[boxes->area_count++] = area;
}

static void path_take(struct svg_boxes *boxes, const char *path)
{
	double x, y;

	while (*path && *path != '\'' && *path != '"') {
		int length = 0;

		if ((*path == 'M' || *path == 'L') && sscanf(path + 1, "%lf,%lf%n", &x, &y, &length) == 2)
			box_take(&boxes->strokes, x, y);
		path += 1 + length;
	}
}

void svg_boxes_read(struct svg_boxes *boxes, const char *svg)
{
	enum { DEEPEST = 16 };
	const char *groups[DEEPEST], *drawn_at = strstr(svg, "</defs>");
	size_t depth = 0, plot = DEEPEST; /* the depth of the plot's group that is open */

	*boxes = (struct svg_boxes){.strokes = nothing};
	assert_int_equal(sscanf(attribute(strstr(svg, "<svg"), "viewBox=\""), "0 0 %lf %lf", &boxes->whole.right, &boxes->whole.bottom), 2);
	for (const char *at = drawn_at ? drawn_at : svg; (at = strchr(at, '<')); at++) {
		if (!strncmp(at, "<g ", 3)) {
			assert_true(depth < DEEPEST);
			if (plot == DEEPEST && !strncmp(attribute(at, "id=\""), "gnuplot_plot_", 13))
				plot = depth;
			groups[depth++] = at;
		} else if (!strncmp(at, "</g>", 4)) {
			depth -= depth > 0; /* the canvas was opened before the definitions */
			plot = plot == depth ? DEEPEST : plot;
		} else if (!strncmp(at, "<text", 5)) {
			assert_true(depth > 0);
			text_take(boxes, groups[depth - 1], strchr(at, '>') + 1, plot < DEEPEST);
		} else if (!strncmp(at, "<path", 5)) {
			area_take(boxes, attribute(at, " d='"));
			path_take(boxes, attribute(at, " d='"));
		}
	}
}

void svg_boxes_free(struct svg_boxes *boxes)
{
	free(boxes->texts);
	free(boxes->areas);
}

/* ---- judging ---- */

static bool lies_on(const struct svg_box *one, const struct svg_box *other)
{
	static const double room = 1; /* px: letters need not have theirs whole */

	return fmin(one->right, other->right) - fmax(one->left, other->left) > room &&
	       fmin(one->bottom, other->bottom) - fmax(one->top, other->top) > room;
}

static bool leaves(const struct svg_box *box, const struct svg_box *whole)
{
	return box->left < whole->left || box->top < whole->top || box->right > whole->right || box->bottom > whole->bottom;
}

size_t svg_boxes_faults(const struct svg_boxes *boxes, int meant, FILE *out)
{
	size_t faults = 0;

	if (boxes->strokes.left < boxes->strokes.right && leaves(&boxes->strokes, &boxes->whole))
		faults += fprintf(out, "a line leaves the picture\n") > 0;
	for (size_t i = 0; i < boxes->text_count; i++) {
		const struct svg_text *text = &boxes->texts[i];

		if (leaves(&text->box, &boxes->whole))
			faults += fprintf(out, "'%s' is cut\n", text->words) > 0;
		for (size_t k = i + 1; k < boxes->text_count; k++)
			if (lies_on(&text->box, &boxes->texts[k].box))
				faults += fprintf(out, "'%s' lies on '%s'\n", boxes->texts[k].words, text->words) > 0;
		for (size_t k = 0; k < boxes->area_count && !(meant & (text->is_drawn ? SVG_LEGENDS : SVG_WORDS)); k++)
			if (lies_on(&text->box, &boxes->areas[k]))
				faults += fprintf(out, "'%s' lies on the data\n", text->words) > 0;
	}
	return faults;
}

void figure_is_legible(const struct fixture *fixture, const char *name, int meant)
{
	char file[64], *svg, *words = NULL;
	size_t size, faults;
	struct svg_boxes boxes;
	FILE *out = open_memstream(&words, &size);

	snprintf(file, sizeof(file), "%s.svg", name);
	svg = file_text(fixture, file);
	assert_non_null(svg);
	assert_non_null(out);
	svg_boxes_read(&boxes, svg);
	assert_true(boxes.text_count > 3 && boxes.area_count > 0);
	faults = svg_boxes_faults(&boxes, meant, out);
	fclose(out);
	if (faults)
		fail_msg("%s: %zu faults:\n%.2000s", file, faults, words);
	svg_boxes_free(&boxes);
	free(words);
	free(svg);
}
