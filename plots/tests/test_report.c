#include "figure_rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "report_html.h"
#include "report_svg.h"

static char *said(void (*say)(FILE *out))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	say(out);
	assert_int_equal(fclose(out), 0);
	return text;
}

static size_t times(const char *text, const char *what)
{
	size_t count = 0;

	for (; (text = strstr(text, what)); text++)
		count++;
	return count;
}

static double noise_floor = -1;

/* The page of the fixture's record; the caller frees it. */
static char *page_of(struct fixture *fixture, int *result)
{
	const struct compare_settings settings = {.threshold = compare_threshold, .floor = {noise_floor, noise_floor}};
	const char *paths[] = {fixture->record_path};
	struct report report;
	char *page = NULL;
	size_t size;
	FILE *out = open_memstream(&page, &size);

	assert_non_null(out);
	if (!fixture->read)
		record_finish(fixture);
	report_begin(&report, out, paths, 1);
	*result = report_add(&report, (struct compare_input){&fixture->record, &fixture->summary}, &settings, fixture->message,
			     sizeof(fixture->message));
	report_end(&report);
	assert_int_equal(fclose(out), 0);
	return page;
}

/* ---- text ---- */

static void say_hostile(FILE *out)
{
	html_say(out, "%s", "</script><b a=\"1\" b='2'>&\n\x1b\xff");
	html_attribute(out, "data-v", "%s", "\"><script>");
}

static void text_is_never_markup(void **state)
{
	char *text = said(say_hostile);

	(void)state;
	assert_string_equal(text, "&lt;/script&gt;&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;??? data-v=\"&quot;&gt;&lt;script&gt;\"");
	free(text);
}

/* ---- pictures ---- */

static const char *embedded_svg;
static int embedded_result;

static void embed(FILE *out)
{
	embedded_result = svg_embed(out, embedded_svg, "r1-x", "what it shows");
}

static char *embedded(const char *svg)
{
	embedded_svg = svg;
	return said(embed);
}

#define SVG(inside) \
	"<?xml version=\"1.0\"?>\n<svg width=\"9\" height=\"8\" viewBox=\"0 0 9 8\" xmlns=\"http://www.w3.org/2000/svg\">" inside "</svg>\n"

static void ids_and_what_refers_to_them_are_a_pictures_own(void **state)
{
	char *text = embedded(SVG("<defs><circle id='p' r='1'/></defs><use xlink:href='#p' color = 'rgb( 68,  68,  68)'/>"
				  "<g fill=\"url(#p)\"><text>id='p'</text></g>"));

	(void)state;
	assert_int_equal(embedded_result, 0);
	assert_non_null(strstr(text, "<circle id=\"r1-x-p\" r=\"1\"/>"));
	assert_non_null(strstr(text, "<use href=\"#r1-x-p\" color=\"rgb(68,68,68)\"/>"));
	assert_non_null(strstr(text, "<g fill=\"url(#r1-x-p)\"><text>id='p'</text></g>"));
	assert_non_null(strstr(text, "viewBox=\"0 0 9 8\""));
	assert_null(strstr(text, "http"));
	free(text);
}

static void what_is_empty_or_made_up_is_left_out(void **state)
{
	char *text = embedded(SVG("<title>Gnuplot</title><desc>by it</desc><g fill=\"none\">\n</g>"
				  "<g id=\"gnuplot_plot_1a\" ><title>gnuplot_plot_1a</title>\n</g>"));

	(void)state;
	assert_int_equal(embedded_result, 0);
	assert_null(strstr(text, "Gnuplot"));
	assert_null(strstr(text, "by it"));
	assert_null(strstr(text, "<g fill"));
	assert_non_null(strstr(text, "<g id=\"r1-x-gnuplot_plot_1a\">"));
	free(text);
}

static void nothing_leads_out_of_a_picture(void **state)
{
	char *text = embedded(SVG("<g onclick=\"alert(1)\" style=\"background:url(http://x)\"><path d=\"M1,1\" fill=\"url(http://x)\"/>"
				  "<use xlink:href=\"http://x/#p\"/></g>"));

	(void)state;
	assert_int_equal(embedded_result, 0);
	assert_null(strstr(text, "alert"));
	assert_null(strstr(text, "http"));
	assert_non_null(strstr(text, "<path d=\"M1,1\"/>"));
	free(text);
}

static void another_element_is_no_picture(void **state)
{
	static const char *const others[] = {SVG("<script>alert(1)</script>"), SVG("<image href=\"#a\"/>"), SVG("<foreignObject/>"),
					     SVG("<a href=\"#b\"/>"), SVG("<g <b>"), SVG("<!-- c -->"), SVG("<g fill=none>"),
					     "<svg>", "no picture", SVG("<title>")};

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char *text = embedded(others[i]);

		assert_int_equal(embedded_result, -22);
		assert_string_equal(text, "");
		free(text);
	}
}

/* ---- pages ---- */

static void each_word_has_its_meaning_and_each_id_is_one(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page, *at;

	record_ordinary(fixture);
	page = page_of(fixture, &result);
	assert_int_equal(result, 0);
	for (at = page; (at = strstr(at, "href=\"#")); at++) {
		char id[128];

		assert_true(sscanf(at + 7, "%120[^\"]", id + 4) == 1);
		memcpy(id, "id=\"", 4);
		strcat(id, "\"");
		if (times(page, id) != 1)
			fail_msg("%s: expected once, got %zu times", id, times(page, id));
	}
	assert_int_equal(times(page, "<svg"), times(page, "<figure"));
	assert_true(times(page, "<svg") > 8);
	free(page);
}

/* Ten trials of each, some percent apart from each other. */
static void stream_spread(struct fixture *fixture, const char *queue, double rate_per_s, double step, double line_ns)
{
	for (int i = 0; i < 10; i++)
		stream_put(fixture, queue, 8, rate_per_s * (1 + step * i), line_ns);
}

static void queues_are_told_apart_where_their_intervals_are(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	stream_spread(fixture, "quick", 5e7, 0.001, 150);
	stream_spread(fixture, "slow", 1e7, 0.001, 150);
	page = page_of(fixture, &result);
	assert_non_null(strstr(page, "<b>quick</b>"));
	assert_non_null(strstr(page, "yes, from the other one"));
	assert_null(strstr(page, "not told apart from"));
	assert_non_null(strstr(page, "50.23 M/s ["));
	free(page);
}

static void queues_whose_intervals_overlap_are_named(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	stream_spread(fixture, "one", 5e7, 0.02, 150);
	stream_spread(fixture, "other", 5.1e7, 0.02, 150);
	stream_spread(fixture, "slow", 1e7, 0.02, 150);
	page = page_of(fixture, &result);
	assert_non_null(strstr(page, "<b>other</b>"));
	assert_non_null(strstr(page, "not told apart from: one 54.50 M/s ["));
	assert_null(strstr(page, "not told apart from: slow"));
	assert_null(strstr(page, "; slow"));
	free(page);
}

static void few_trials_tell_nothing_apart(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	stream_put(fixture, "quick", 8, 5e7, 150);
	stream_put(fixture, "slow", 8, 1e7, 150);
	page = page_of(fixture, &result);
	assert_non_null(strstr(page, "not told apart from: slow 10.00 M/s; 1 of these for want of trials: 1, needed 6<"));
	free(page);
}

/* Intervals that don't meet are no claim: the machine's noise may be wider. */
static void what_is_no_more_than_noise_is_not_told_apart(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	stream_spread(fixture, "quick", 1.2e7, 0.001, 150);
	stream_spread(fixture, "slow", 1e7, 0.001, 150);
	noise_floor = 0.3;
	page = page_of(fixture, &result);
	noise_floor = -1;
	assert_non_null(strstr(page, "not told apart from: slow"));
	assert_null(strstr(page, "yes, from"));
	assert_non_null(strstr(page, "of rates 30.0 %, of times 30.0 %"));
	free(page);
}

/* Twelve times as fast, but on a machine that was not the same to both. */
static void what_was_disturbed_more_is_not_judged(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	for (int i = 0; i < 10; i++) {
		json_t *slow = stream_trial(fixture, "slow", 1, 1e6 + i * 1e3, 150);

		json_object_set_new(slow, "disturbed", json_boolean(i < 5));
		line_put(fixture, slow);
		json_decref(slow);
		stream_put(fixture, "quick", 1, 1.2e7 + i * 1e3, 150);
	}
	page = page_of(fixture, &result);
	assert_non_null(strstr(page, "no other one can be tested against it<br>not judged, the machine having disturbed one more than the other: "
				     "slow 1.00"));
	assert_non_null(strstr(page, "(disturbed trials: 0 % against 50 %)"));
	assert_null(strstr(page, "not told apart from: slow"));
	free(page);
}

/* Seven trials show it between two queues, but not among so many cells. */
static void what_many_cells_may_show_by_chance_is_not_told_apart(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	for (int batch = 1; batch <= 100; batch++)
		for (int i = 0; i < 7; i++) {
			stream_put(fixture, "quick", batch, 5e7 + i * 1e5, 150);
			stream_put(fixture, "slow", batch, 1e7 + i * 1e5, 150);
		}
	page = page_of(fixture, &result);
	assert_non_null(strstr(page, "not told apart from: slow"));
	assert_null(strstr(page, "yes, from"));
	free(page);
}

/* A closed stream's latency is that of its window: `compare` judges its rate, and so does the answer. */
static void a_closed_stream_is_ranked_by_its_rate(void **state)
{
	static const double parts[] = {100, 100, 100};
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	for (int i = 0; i < 10; i++) {
		json_t *quick = parts_trial(fixture, "quick", 8, parts, 9000), *late = parts_trial(fixture, "late", 8, parts, 300);
		json_t *trials[] = {quick, late};

		for (size_t k = 0; k < 2; k++) {
			json_t *endpoint, *point;
			size_t e, p;

			json_array_foreach(json_object_get(trials[k], "endpoints"), e, endpoint)
				json_array_foreach(json_object_get(endpoint, "points"), p, point)
					json_object_set_new(point, "rate_per_s", json_real((k ? 1e6 : 5e6) + i * 1e3));
			line_put(fixture, trials[k]);
			json_decref(trials[k]);
		}
	}
	page = page_of(fixture, &result);
	assert_non_null(strstr(page, "<b>quick</b>"));
	assert_null(strstr(page, "<b>late</b>"));
	assert_non_null(strstr(page, ">5.00"));
	free(page);
}

/* Shares of each queue's own capacity are different rates: nobody wins, and who fell behind is named with what it was asked for. */
static void shares_of_their_own_capacities_have_no_winner(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	for (int i = 0; i < 10; i++) {
		open_put(fixture, "quick", 50, 5e6, 1000 + i, false);
		open_put(fixture, "slow", 50, 1e6, 5000 + i, false);
		open_put(fixture, "slow", 90, 1e6, 5000 + i, true);
		open_put(fixture, "quick", 90, 5e6, 5000 + i, true);
	}
	page = page_of(fixture, &result);
	assert_null(strstr(page, "<b>quick</b>"));
	assert_null(strstr(page, "<b>slow</b>"));
	assert_non_null(strstr(page, "no ranking: each is asked for a share of its own capacity"));
	assert_non_null(strstr(page, ">quick: 1.0"));
	assert_non_null(strstr(page, "<br>slow: 5.0"));
	assert_int_equal(times(page, "for they fell behind"), 1);
	assert_true(strstr(page, "slow, 90 %, batch") && strstr(page, "quick, 90 %, batch"));
	free(page);
}

static void a_queue_by_itself_wins_nothing(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	stream_spread(fixture, "alone", 5e7, 0.001, 150);
	page = page_of(fixture, &result);
	assert_null(strstr(page, "<b>alone</b>"));
	assert_non_null(strstr(page, "no ranking: only alone has a number"));
	assert_non_null(strstr(page, "alone: 50.23 M/s ["));
	free(page);
}

static void tables_that_differ_in_stamps_alone_say_so(void **state)
{
	struct fixture *fixture = *state;
	char *page;
	int result;

	record_begin(fixture);
	stamps_put(fixture, "ring", "none", 2e7);
	stamps_put(fixture, "ring", "message", 1e7);
	pingpong_put(fixture, "ring", 900, 100, 0);
	page = page_of(fixture, &result);
	assert_int_equal(result, 0);
	assert_int_equal(times(page, "; stamps none; latency none</caption>"), 1);
	assert_int_equal(times(page, "; stamps message; latency write:read</caption>"), 1);
	assert_int_equal(times(page, "; stamps"), 5); /* and where all parameters are, of the ping-pong, too */
	free(page);
}

static void gaps_are_told_in_words(void **state)
{
	struct fixture *fixture = *state;
	char *page;
	int result;

	record_begin(fixture);
	gap_put(fixture, "ring", "spin", 1000, 300);
	gap_put(fixture, "mutex", "spin", 1000, 900);
	page = page_of(fixture, &result);
	assert_int_equal(result, 0);
	assert_int_equal(times(page, ">every 1.000 us, batch 1<"), 1);
	free(page);
}

/* A queue that was measured in another regime has no rank among those of this one, however quick it was there. */
static void nothing_is_ranked_across_regimes(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page, *answers;

	record_begin(fixture);
	stream_spread(fixture, "here", 1e7, 0.001, 450);
	stream_spread(fixture, "too", 0.9e7, 0.001, 450);
	stream_spread(fixture, "elsewhere", 9e7, 0.001, 100);
	page = page_of(fixture, &result);
	answers = strstr(page, "id=\"r1-sure\"");
	assert_non_null(answers);
	*answers = 0;
	assert_non_null(strstr(page, "<b>here</b>"));
	assert_null(strstr(page, "<b>elsewhere</b>"));
	assert_non_null(strstr(page, "Not among them, measured in r100: elsewhere, batch 8. "));
	free(page);
}

static void a_hostile_record_is_text(void **state)
{
	static const char hostile[] = "x</script><script>alert(1)</script>\"'--><img src=http://a onerror=alert(2)>";
	struct fixture *fixture = *state;
	int result;
	char *page;

	json_object_set_new(json_object_get(fixture->run, "host"), "cpu_model", json_string(hostile));
	json_object_set_new(json_object_get(fixture->run, "host"), "name", json_string(hostile));
	json_object_set_new(fixture->run, "suite", json_string(hostile));
	json_object_set_new(fixture->run, "command", json_pack("[s, s, s, s, s]", "twopoint", "run", hostile, "--out", "SECRET"));
	json_object_set_new(json_object_get(fixture->run, "settings"), hostile, json_string(hostile));
	record_begin(fixture);
	stream_put(fixture, hostile, 1, 1e7, 150);
	stream_put(fixture, hostile, 8, 3e7, 150);
	pingpong_put(fixture, hostile, 900, 100, 0);
	page = page_of(fixture, &result);
	assert_int_equal(result, 0);
	assert_int_equal(times(page, "<script"), 1);
	assert_int_equal(times(page, "</script"), 1);
	assert_null(strstr(page, "<img"));
	assert_null(strstr(page, "<b>x<"));
	assert_null(strstr(page, "SECRET"));
	assert_non_null(strstr(page, "twopoint run &#39;x&lt;/script&gt;"));
	free(page);
}

static void an_empty_record_has_a_page(void **state)
{
	struct fixture *fixture = *state;
	int result;
	char *page;

	record_begin(fixture);
	page = page_of(fixture, &result);
	assert_int_equal(result, 0);
	assert_non_null(strstr(page, "No trial was measured"));
	assert_non_null(strstr(page, "nothing was measured"));
	assert_non_null(strstr(page, "</html>"));
	assert_null(strstr(page, "nan"));
	free(page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_is_never_markup),
		cmocka_unit_test(ids_and_what_refers_to_them_are_a_pictures_own),
		cmocka_unit_test(what_is_empty_or_made_up_is_left_out),
		cmocka_unit_test(nothing_leads_out_of_a_picture),
		cmocka_unit_test(another_element_is_no_picture),
		TEST(each_word_has_its_meaning_and_each_id_is_one),
		TEST(queues_are_told_apart_where_their_intervals_are),
		TEST(queues_whose_intervals_overlap_are_named),
		TEST(few_trials_tell_nothing_apart),
		TEST(what_is_no_more_than_noise_is_not_told_apart),
		TEST(what_was_disturbed_more_is_not_judged),
		TEST(what_many_cells_may_show_by_chance_is_not_told_apart),
		TEST(a_closed_stream_is_ranked_by_its_rate),
		TEST(shares_of_their_own_capacities_have_no_winner),
		TEST(a_queue_by_itself_wins_nothing),
		TEST(tables_that_differ_in_stamps_alone_say_so),
		TEST(gaps_are_told_in_words),
		TEST(nothing_is_ranked_across_regimes),
		TEST(a_hostile_record_is_text),
		TEST(an_empty_record_has_a_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
