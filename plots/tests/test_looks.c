/* What a person can read of the figures: of one queue, of several, and of more than there are colours. */
#include "svg_boxes.h"
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

/* Those that figures look for come first; names of any length follow. */
static const char *name_of(char name[96], int queue)
{
	static const char *const known[] = {"ring", "mutex-batch", "mutex", "ypipe"};

	if (queue < 4)
		return known[queue];
	snprintf(name, 96, queue % 3 == 0 ? "a-queue-%d-whose-name-says-more-of-it-than-there-is-room-for" :
			   queue % 3 == 1 ? "queue-%d" : "WMWMWMWMWMWMWMWMWM-%d-MWMWMWMWMWMWMWMWMW", queue);
	return name;
}

static void queue_put(struct fixture *fixture, const char *queue, int at)
{
	static const int steady[] = {10000, 9000, 10500}, two_modes[] = {10000, 10100, 10050, 9950, 5000, 5100, 4900, 5050};
	double rate = 2e8 / (1 + (at + 4) % 30); /* wide names lead */

	for (json_int_t batch = 1; batch <= 256; batch *= 4)
		stream_put(fixture, queue, batch, rate * (double)batch / (double)(batch + 8), 150);
	capacity_put(fixture, queue, 64, 1, rate);
	capacity_put(fixture, queue, 64, 32, rate);
	pingpong_put(fixture, queue, 900, 100, at % 7 == 3);
	fan_put(fixture, "fanin", queue, 2, rate / 3, 0.8);
	fan_put(fixture, "fanin", queue, 4, rate / 4, 0.7);
	fan_put(fixture, "mesh", queue, 3, rate / 5, 0.9);
	parts_put(fixture, queue, 4, (const double[]){50, 300 * (1 + at), 60}, 500 * (1 + at));
	parts_put(fixture, queue, 64, (const double[]){200, 320 * (1 + at), 210}, 800 * (1 + at));
	for (json_int_t percent = 10; percent < 130; percent += 40)
		open_put(fixture, queue, percent, rate, 300 * (1 + at) + (double)percent, percent > 100);
	for (json_int_t gap_ns = 1000; gap_ns < 200000000; gap_ns *= 100) {
		gap_put(fixture, queue, "spin", gap_ns, 300 + at);
		gap_put(fixture, queue, "park", gap_ns, 30000 + at);
	}
	stamps_put(fixture, queue, "none", rate);
	stamps_put(fixture, queue, "batch", rate / 1.1);
	stamps_put(fixture, queue, "message", rate / 3);
	windows_put(fixture, queue, at % 2 ? two_modes : steady, at % 2 ? 8 : 3, 60);
}

/* Something for each figure, of each queue, so many trials of each. */
static void record_of(struct fixture *fixture, int queues, int trials)
{
	char name[96];

	record_begin(fixture);
	for (int trial = 0; trial < trials; trial++) {
		for (int queue = 0; queue < queues; queue++)
			queue_put(fixture, name_of(name, queue), queue);
		for (int which = 1; which < 4; which++)
			switches_put(fixture, "ring", which & 1, which & 2, 8, 1e7 * which);
		stream_put(fixture, "null", 1, 5e8, 150);
		stream_put(fixture, "stream-limit", 256, 9e8, 150);
		pingpong_put(fixture, "line", 990, 10, 0);
	}
	slice_put(fixture);
	record_finish(fixture);
}

/* Two queues in as many settings as an axis has hardly room for, the labels of some being long. */
static void record_of_sweeps(struct fixture *fixture)
{
	static const char *const queues[] = {"ring", "WMWMWMWMWM-MWMWMWMWMW"};

	record_begin(fixture);
	for (int queue = 0; queue < 2; queue++) {
		for (json_int_t capacity = 1; capacity <= 1 << 20; capacity *= 2)
			capacity_put(fixture, queues[queue], capacity - (capacity == 1 << 18), 1, 1e7 * (double)(capacity % 7 + queue));
		for (json_int_t batch = 1; batch <= 10000; batch += 1 + batch / 2)
			stream_put(fixture, queues[queue], batch, 1e8 / (double)(1 + batch % 7 + queue), 150);
		for (json_int_t n = 1; n < 40; n++)
			fan_put(fixture, "fanin", queues[queue], n, 1e7, 0.8);
		for (json_int_t gap_ns = 999; gap_ns < 10000000000; gap_ns *= 3)
			gap_put(fixture, queues[queue], "spin", gap_ns, 300);
	}
	record_finish(fixture);
}

/* ---- what is seen ---- */

static int meant_in(const char *figure)
{
	static const struct {
		const char *figure;
		int meant;
	} meant[] = {
		{"map", SVG_LEGENDS},    /* a tile's words */
		{"ablation", SVG_WORDS}, /* what a mark says */
		{"stamps", SVG_WORDS},   /* a bar's number, behind its end */
		{"pitfalls", SVG_WORDS},
	};

	for (size_t i = 0; i < sizeof(meant) / sizeof(meant[0]); i++)
		if (!strcmp(figure, meant[i].figure))
			return meant[i].meant;
	return SVG_NO_WORDS;
}

/* Of a record that has something for all of them but for one. */
static void figures_are_legible(struct fixture *fixture, const char *without)
{
	size_t count;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(figures[i].name, without))
			continue;
		if (draw(fixture, figures[i].name, "svg"))
			fail_msg("%s: %s", figures[i].name, fixture->message);
		figure_is_legible(fixture, figures[i].name, meant_in(figures[i].name));
	}
}

static void one_queue_is_legible(void **state)
{
	record_of(*state, 1, 7);
	figures_are_legible(*state, "map"); /* nobody is ahead of nobody */
}

static void eight_queues_are_legible(void **state)
{
	record_of(*state, 8, 2);
	figures_are_legible(*state, "");
}

static void thirty_queues_are_legible(void **state)
{
	record_of(*state, 30, 1);
	figures_are_legible(*state, "");
}

static void axes_with_many_places_are_legible(void **state)
{
	static const char *const figures[] = {"rate", "batch", "capacity", "map", "fan", "idle"};

	record_of_sweeps(*state);
	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++) {
		assert_int_equal(draw(*state, figures[i], "svg"), 0);
		figure_is_legible(*state, figures[i], meant_in(figures[i]));
	}
}

/* Panels side by side whose axes begin and end at a tick: there is 1.4 times as much room as there are data. */
static void ticks_at_the_ends_of_axes_are_legible(void **state)
{
	struct fixture *fixture = *state;

	record_begin(fixture);
	for (json_int_t batch = 1; batch <= 100; batch *= 10) {
		stream_put(fixture, "ring", batch, 7.15e7, 150);
		stream_put(fixture, "mutex", batch, 1.399e7, 150);
	}
	record_finish(fixture);
	assert_int_equal(draw(fixture, "rate", "svg"), 0);
	figure_is_legible(fixture, "rate", SVG_NO_WORDS);
}

/* ---- and that it would be seen if it were not ---- */

static size_t faults_of(const char *svg, int meant)
{
	struct svg_boxes boxes;
	char *words = NULL;
	size_t size, faults;
	FILE *out = open_memstream(&words, &size);

	assert_non_null(out);
	svg_boxes_read(&boxes, svg);
	faults = svg_boxes_faults(&boxes, meant, out);
	fclose(out);
	svg_boxes_free(&boxes);
	free(words);
	return faults;
}

/* The figure with some more at its end. */
static size_t faults_with(const char *svg, int meant, const char *planted)
{
	char *changed;
	size_t faults;

	assert_true(asprintf(&changed, "%.*s%s</g></svg>", (int)(strlen(svg) - strlen("</g>\n</svg>\n\n")), svg, planted) > 0);
	faults = faults_of(changed, meant);
	free(changed);
	return faults;
}

#define WORD(place, more) \
	"<g transform=\"translate(" place "\" " more " stroke=\"none\" font-size=\"12.00\" text-anchor=\"start\"><text>planted</text></g>\n"

static void what_is_planted_is_found(void **state)
{
	struct fixture *fixture = *state;
	char *svg;

	record_ordinary(fixture);
	assert_int_equal(draw(fixture, "latency", "svg"), 0);
	svg = file_text(fixture, "latency.svg");
	assert_non_null(svg);
	assert_int_equal(faults_with(svg, SVG_NO_WORDS, ""), 0);
	/* two on one another; in the midst of the data: a word, and a legend */
	assert_int_equal(faults_with(svg, SVG_WORDS, WORD("200,200)", "") WORD("230,195)", "")), 1);
	assert_int_equal(faults_with(svg, SVG_WORDS, WORD("200,200)", "") WORD("230,180)", "")), 0);
	assert_int_equal(faults_with(svg, SVG_NO_WORDS, WORD("200,200)", "")), 1);
	assert_int_equal(faults_with(svg, SVG_WORDS, "<g id=\"gnuplot_plot_9\">" WORD("200,200)", "") "</g>"), 1);
	assert_int_equal(faults_with(svg, SVG_LEGENDS, "<g id=\"gnuplot_plot_9\">" WORD("200,200)", "") "</g>"), 0);
	/* turned, it reaches upwards instead */
	assert_int_equal(faults_with(svg, SVG_WORDS, WORD("200,200)", "") WORD("190,210)", "")), 1);
	assert_int_equal(faults_with(svg, SVG_WORDS, WORD("200,200) rotate(270)", "") WORD("205,210)", "")), 0);
	assert_int_equal(faults_with(svg, SVG_WORDS, WORD("200,200) rotate(270)", "") WORD("170,180)", "")), 1);
	/* out of the picture */
	assert_int_equal(faults_with(svg, SVG_WORDS, WORD("-10,450)", "")), 1);
	assert_int_equal(faults_with(svg, SVG_WORDS, WORD("20,450)", "")), 0);
	assert_int_equal(faults_with(svg, SVG_WORDS, "<path d='M20,20 L20,9999'/>"), 1);
	free(svg);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_planted_is_found),
		TEST(one_queue_is_legible),
		TEST(eight_queues_are_legible),
		TEST(thirty_queues_are_legible),
		TEST(axes_with_many_places_are_legible),
		TEST(ticks_at_the_ends_of_axes_are_legible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
