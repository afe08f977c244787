/* Ways to measure wrongly, each beside the right one, as far as the record has both: a closed loop that hides a hiccup from the
 * percentiles, a clock that is read too often, no warm-up, threads that are not pinned, percentiles that are averaged. */
#include "bars.h"
#include "figure_fill.h"
#include "number.h"
#include "panels.h"
#include "pool.h"
#include "summary_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LOOPS_MOST = 2, PAIRS_MOST = 3, CURVES = 3 };

static const double colour_right = 0x0072b2, colour_wrong = 0xb00000, colour_beside = 0xe69f00;

struct pitfalls {
	struct series series;
	struct ranges ranges;
	struct bars bars;
	char titles[LOOPS_MOST][SHEET_TEXT];
	double first[LOOPS_MOST], last[LOOPS_MOST];
	size_t loops;                    /* queues with both kinds of load */
	const struct summary_row *open;  /* the first one's */
	char regimes[SHEET_TEXT];        /* those of all that is drawn */
	size_t pairs;                    /* of rates */
	bool beside;                     /* something is neither right nor wrong */
	size_t least_trials, most_trials; /* of what is drawn; 0: nothing yet */
	size_t apart;                    /* pairs that were not measured in one regime */
	size_t behind;                   /* trials of the open loads above that fell behind */
};

/* ---- pairs of rows ---- */

/* The cell as text without these keys. NULL: no memory. */
static char *key_without(const struct record_cell *cell, const char *const *keys)
{
	json_t *rest = json_copy(cell->json);
	char *key;

	for (; rest && *keys; keys++)
		json_object_del(rest, *keys);
	key = rest ? json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	json_decref(rest);
	return key;
}

/* Whether two rows differ by these keys only. */
static bool differ_by(const struct summary_row *a, const struct summary_row *b, const char *const *keys)
{
	char *one = key_without(a->cell, keys), *other = key_without(b->cell, keys);
	bool same = one && other && !strcmp(one, other);

	free(one);
	free(other);
	return same;
}

/* Floors are no queues; what fell into other regimes than most trials of its cell is left out. */
static bool is_usable(const struct summary_row *row)
{
	return row->first && row->trials && !summary_is_floor(row->cell);
}

/* What the header says of all that is drawn. */
static void drawn_note(struct pitfalls *pitfalls, const struct summary_row *row)
{
	panels_name_regime(pitfalls->regimes, SHEET_TEXT / 2, row->regime);
	if (!pitfalls->least_trials || row->trials < pitfalls->least_trials)
		pitfalls->least_trials = row->trials;
	if (row->trials > pitfalls->most_trials)
		pitfalls->most_trials = row->trials;
}

/* ---- the closed loop ---- */

static const char *const load_keys[] = { "load",	 "rate_per_s", "rate_percent", "arrival", "burst",
					 "gap_ns", "window",     "latency",      "think_ns", NULL };

/* From when a message was due, where it was; of a ping-pong the round trip, which comes first. */
static const struct summary_latency *latency_from(const struct summary_row *row, const char *from)
{
	for (size_t i = 0; i < row->latency_count; i++)
		if (!row->latency[i].saturated && !strcmp(row->latency[i].from_point, from) && !strcmp(row->latency[i].to_point, "read"))
			return &row->latency[i];
	return NULL;
}

static int curve_write(struct pitfalls *pitfalls, struct sheet *sheet, const struct record *record, const struct summary *summary,
		       const struct summary_row *row, const struct summary_latency *latency, const char *label, double colour, double dash)
{
	struct pool_point points[POOL_POINTS_MOST];
	struct pool pool = { 0 };
	size_t area = pitfalls->loops, count = 0;
	long number = 0;
	int error = pool_fill(&pool, sheet, record, row, latency);

	if (!error && pool.samples >= POOL_SAMPLES_LEAST) {
		count = pool_points(&pool, points);
		number = series_add(&pitfalls->series, summary, area, row->cell, label, sheet->dumb);
	}
	if (number > 0) {
		pitfalls->series.colour[number - 1] = colour;
		pitfalls->series.dash[number - 1] = dash;
		pitfalls->series.width[number - 1] = 2;
	}
	for (size_t i = 0; i < count && number > 0; i++) {
		if (!(points[i].ns > 0))
			continue;
		ranges_add(&pitfalls->ranges, area, points[i].tail, points[i].ns);
		fprintf(sheet->data, "curve\t%ld\t%.6g\t%.6g\t%d\tnan\tnan\t", number, points[i].tail, points[i].ns, points[i].marked);
		sheet_data_text(sheet, row->cell->queue);
		fputc('\n', sheet->data);
	}
	pool_free(&pool);
	return number < 0 ? (int)number : error;
}

/* One queue under both loads. Returns 0 or -errno. */
static int loops_write(struct pitfalls *pitfalls, struct sheet *sheet, const struct record *record, const struct summary *summary,
		       const struct summary_row *closed, const struct summary_row *open)
{
	const struct summary_latency *due = latency_from(open, "intended"), *service = latency_from(open, "write");
	char *title = pitfalls->titles[pitfalls->loops], rate[48] = "";
	size_t before = pitfalls->series.count;
	int error;

	if (open->open.offered_per_s.known)
		snprintf(rate, sizeof(rate), " of %.3g M messages/s", open->open.offered_per_s.median / 1e6);
	snprintf(title, SHEET_TEXT, "The loop: %.40s, %.20s, under a closed load (window %" PRIu64 ") and under an open one%s",
		 closed->cell->queue, closed->cell->workload, closed->cell->window, rate);
	error = curve_write(pitfalls, sheet, record, summary, closed, latency_from(closed, "write"), "closed load, write to read",
			    colour_wrong, 1);
	if (!error)
		error = curve_write(pitfalls, sheet, record, summary, open, due, "open load, due to read", colour_right, 1);
	if (!error && service)
		error = curve_write(pitfalls, sheet, record, summary, open, service, "open load, write to read", colour_beside, 2);
	if (error || pitfalls->series.count == before)
		return error;
	pitfalls->beside |= service != NULL;
	pitfalls->first[pitfalls->loops] = (double)before + 1;
	pitfalls->last[pitfalls->loops] = (double)pitfalls->series.count;
	pitfalls->open = pitfalls->open ? pitfalls->open : open;
	for (size_t t = 0; t < open->trials; t++)
		pitfalls->behind += summary_trial_fell_behind(open->members[t]);
	drawn_note(pitfalls, open);
	drawn_note(pitfalls, closed);
	pitfalls->loops++;
	return 0;
}

static int loops_find(struct pitfalls *pitfalls, struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	int error = 0;

	for (size_t i = 0; i < summary->row_count && !error && pitfalls->loops < LOOPS_MOST; i++) {
		const struct summary_row *closed = &summary->rows[i];
		bool drawn = false, apart = false;

		if (!is_usable(closed) || strcmp(closed->cell->load, "closed") || !latency_from(closed, "write"))
			continue;
		for (size_t k = 0; k < summary->row_count; k++) {
			const struct summary_row *open = &summary->rows[k];

			if (!is_usable(open) || strcmp(open->cell->load, "open") || !latency_from(open, "intended") ||
			    !differ_by(closed, open, load_keys))
				continue;
			drawn = !strcmp(open->regime, closed->regime);
			apart |= !drawn;
			if (drawn) {
				error = loops_write(pitfalls, sheet, record, summary, closed, open);
				break; /* one rate of each */
			}
		}
		pitfalls->apart += apart && !drawn;
	}
	return error;
}

/* ---- rates, one thing changed ---- */

/* One thing that can be done right or wrong. */
struct thing {
	const char *title;
	const char *keys[3]; /* of cells that differ by it alone */
	bool (*is_right)(const struct summary_row *row), (*is_wrong)(const struct summary_row *row);
	bool any_regime; /* the wrong way has none of its own */
	/* What a row is called, and what stands behind its bar. */
	void (*name)(struct bar *bar, const struct summary_row *row, const struct summary_row *right);
};

static void rate_bar(struct pitfalls *pitfalls, const struct thing *thing, const struct summary_row *row, const struct summary_row *right)
{
	const struct summary_value *rate = &row->receiver_rate;
	struct bar bar = { .value = rate->median, .low = NAN, .high = NAN, .apart = row == right };

	bar.colour = row == right ? colour_right : colour_wrong;
	if (rate->interval.known) {
		bar.low = rate->interval.low;
		bar.high = rate->interval.high;
	}
	thing->name(&bar, row, right);
	pitfalls->beside |= bar.colour == colour_beside;
	bars_add(&pitfalls->bars, &bar);
	drawn_note(pitfalls, row);
}

static bool has_rate(const struct summary_row *row)
{
	return is_usable(row) && row->receiver_rate.known && strcmp(row->cell->load, "open") && strcmp(row->cell->workload, "pingpong");
}

/* An area of rows that do it right, each with all those that differ from it by these keys only. */
static void pairs_write(struct pitfalls *pitfalls, const struct summary *summary, const struct thing *thing)
{
	size_t pairs = 0;

	for (size_t i = 0; i < summary->row_count && pairs < PAIRS_MOST; i++) {
		const struct summary_row *right = &summary->rows[i];
		bool told = false, apart = false;

		for (size_t k = 0; thing->is_right(right) && has_rate(right) && k < summary->row_count; k++) {
			const struct summary_row *wrong = &summary->rows[k];

			if (wrong == right || !thing->is_wrong(wrong) || !has_rate(wrong) || !differ_by(right, wrong, thing->keys))
				continue;
			if (!thing->any_regime && strcmp(right->regime, wrong->regime)) {
				apart = true;
				continue;
			}
			if (!pairs && !told)
				bars_begin_area(&pitfalls->bars, thing->title, "messages/s at read, the reader's end", BARS_PER_S);
			if (!told)
				rate_bar(pitfalls, thing, right, right);
			rate_bar(pitfalls, thing, wrong, right);
			told = true;
		}
		pairs += told;
		pitfalls->pairs += told;
		pitfalls->apart += apart && !told;
	}
}

static void change_word(struct bar *bar, const struct summary_row *row, const struct summary_row *right)
{
	if (row != right)
		snprintf(bar->word, sizeof(bar->word), "%+.0f %%", 100 * (row->receiver_rate.median / right->receiver_rate.median - 1));
}

static bool has_no_stamps(const struct summary_row *row)
{
	return !strcmp(row->cell->stamps, "none");
}

static bool has_stamps(const struct summary_row *row)
{
	return !has_no_stamps(row);
}

static void name_stamps(struct bar *bar, const struct summary_row *row, const struct summary_row *right)
{
	snprintf(bar->label, sizeof(bar->label), "%.40s, stamps %.20s", row->cell->queue, row->cell->stamps);
	if (strcmp(row->cell->stamps, "none") && strcmp(row->cell->stamps, "message"))
		bar->colour = colour_beside; /* so few are borne */
	change_word(bar, row, right);
}

static double warm_up_ns(const struct summary_row *row)
{
	return json_number_value(json_object_get(row->cell->json, "warm_up_ns"));
}

static bool has_warm_up(const struct summary_row *row)
{
	return warm_up_ns(row) > 0;
}

static bool has_no_warm_up(const struct summary_row *row)
{
	return !has_warm_up(row);
}

static void name_warm_up(struct bar *bar, const struct summary_row *row, const struct summary_row *right)
{
	if (has_warm_up(row))
		snprintf(bar->label, sizeof(bar->label), "%.40s, %.3g ms of warm-up", row->cell->queue, warm_up_ns(row) / 1e6);
	else
		snprintf(bar->label, sizeof(bar->label), "%.40s, no warm-up", row->cell->queue);
	change_word(bar, row, right);
}

static bool is_unpinned(const struct summary_row *row)
{
	return !strcmp(row->cell->place, "unpinned");
}

static bool is_pinned(const struct summary_row *row)
{
	return !is_unpinned(row);
}

/* It is how far trials lie apart that pinning is for. */
static void name_place(struct bar *bar, const struct summary_row *row, const struct summary_row *right)
{
	double low = INFINITY, high = 0;

	(void)right;
	for (size_t t = 0; t < row->trials; t++) {
		double rate = summary_trial_receiver_rate(row->members[t]);

		low = rate < 0 ? low : fmin(low, rate);
		high = fmax(high, rate);
	}
	snprintf(bar->label, sizeof(bar->label), "%.40s, %.20s", row->cell->queue, row->cell->place);
	snprintf(bar->word, sizeof(bar->word), "trials: %.3g to %.3g M messages/s", low / 1e6, high / 1e6);
}

static const struct thing one_thing[] = {
	{ "The clock: read for no message, for some, for each", { "stamps", "latency" }, has_no_stamps, has_stamps, false, name_stamps },
	{ "The warm-up: with one, without", { "warm_up_ns" }, has_warm_up, has_no_warm_up, false, name_warm_up },
	{ "The CPUs: threads pinned, not pinned", { "place", "cpus" }, is_pinned, is_unpinned, true, name_place },
};

/* ---- percentiles of percentiles ---- */

static void bar_of_ns(struct pitfalls *pitfalls, const char *label, double ns, double colour)
{
	struct bar bar = { .value = ns, .low = NAN, .high = NAN, .colour = colour };

	snprintf(bar.label, sizeof(bar.label), "%s", label);
	number_time(bar.word, ns);
	bars_add(&pitfalls->bars, &bar);
}

/* The 99th percentile of one latency: the mean of the trials', and that of all their messages. */
static int means_write(struct pitfalls *pitfalls, struct sheet *sheet, const struct record *record, const struct summary_row *row,
		       const struct summary_latency *latency)
{
	struct pool pool = { 0 };
	int error = pool_fill(&pool, sheet, record, row, latency);
	double sum = 0, whole = pool.samples ? pool_percentile(&pool, 0.99) : NAN;
	size_t n = 0;
	char title[SHEET_TEXT], x_title[64];

	for (size_t t = 0; t < row->trials; t++)
		for (size_t i = 0; i < row->members[t]->latency_count && !summary_trial_fell_behind(row->members[t]); i++) {
			const struct record_latency *one = &row->members[t]->latencies[i];

			if (strcmp(one->from_point, latency->from_point) || strcmp(one->to_point, latency->to_point) ||
			    one->from_queue != latency->from_queue || one->to_queue != latency->to_queue ||
			    one->from_actor != latency->from_actor || one->to_actor != latency->to_actor || !(one->p99_ns >= 0))
				continue;
			sum += one->p99_ns;
			n++;
		}
	pool_free(&pool);
	if (error || n < 2 || !(whole > 0))
		return error;
	snprintf(title, sizeof(title), "Percentiles: of all messages, or averaged over trials: %.40s, %.12s to %.12s", row->cell->queue,
		 latency->from_point, latency->to_point);
	snprintf(x_title, sizeof(x_title), "p99 of %.12s to %.12s", latency->from_point, latency->to_point);
	bars_begin_area(&pitfalls->bars, title, x_title, BARS_NS);
	bar_of_ns(pitfalls, "p99 of all trials' messages", whole, colour_right);
	bar_of_ns(pitfalls, "mean of the trials' p99", sum / (double)n, colour_wrong);
	drawn_note(pitfalls, row);
	return 0;
}

/* Of the open load that is drawn above; else of the row with the most trials. */
static int means_find(struct pitfalls *pitfalls, struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	const struct summary_row *most = pitfalls->open;
	const struct summary_latency *latency;

	for (size_t i = 0; i < summary->row_count && !pitfalls->open; i++) {
		const struct summary_row *row = &summary->rows[i];

		if (is_usable(row) && (latency_from(row, "intended") || latency_from(row, "write")) &&
		    (!most || row->trials > most->trials))
			most = row;
	}
	if (!most)
		return 0;
	latency = latency_from(most, "intended");
	return means_write(pitfalls, sheet, record, most, latency ? latency : latency_from(most, "write"));
}

/* ---- the sheet ---- */

static void header_write(const struct pitfalls *pitfalls, struct sheet *sheet, const struct record *record)
{
	const char *model = json_string_value(json_object_get(json_object_get(record->run, "host"), "cpu_model"));
	char machine[SHEET_TEXT], trials[64];
	json_t *cpus = NULL;
	const char *place = "";

	for (size_t t = 0; t < record->trial_count && !place[0]; t++)
		if (strcmp(record->trials[t].cell.place, "unpinned")) {
			place = record->trials[t].cell.place;
			cpus = json_object_get(record->trials[t].cell.json, "cpus");
		}
	sheet_clean(machine, sizeof(machine), model ? model : "unknown CPU", 60);
	if (pitfalls->least_trials == pitfalls->most_trials)
		snprintf(trials, sizeof(trials), "%zu", pitfalls->most_trials);
	else
		snprintf(trials, sizeof(trials), "%zu to %zu", pitfalls->least_trials, pitfalls->most_trials);
	sheet_head(sheet, "%s | %s (%zu CPUs) | line %s | %s trials each | blue: right, red: wrong%s", machine, place,
		   json_array_size(cpus), pitfalls->regimes, trials, pitfalls->beside ? ", orange: in between" : "");
}

static void settings_write(struct pitfalls *pitfalls, struct sheet *sheet)
{
	struct series_area areas[LOOPS_MOST];

	for (size_t at = 0; at < pitfalls->loops; at++) {
		areas[at] = (struct series_area){ pitfalls->titles[at], 18, false };
		pitfalls->ranges.x_low[at] = 1;
		pitfalls->ranges.x_high[at] = fmax(12, pitfalls->ranges.x_high[at] * 1.3);
	}
	ranges_write(&pitfalls->ranges, pitfalls->loops, sheet);
	series_lay_out(&pitfalls->series, areas, pitfalls->loops, sheet);
	sheet_set_numbers(sheet, "panel_first", pitfalls->first, pitfalls->loops);
	sheet_set_numbers(sheet, "panel_last", pitfalls->last, pitfalls->loops);
	sheet->height = (unsigned)ceil(bars_write(&pitfalls->bars, sheet, sheet->height)) + 1;
}

static void notes_write(const struct pitfalls *pitfalls, struct sheet *sheet)
{
	if (pitfalls->loops)
		sheet_note(sheet, "While a closed loop waits for a late answer it asks nothing: a hiccup is one sample. An open load's "
				  "messages are due all the while, and each of them counts from when it was due.");
	if (pitfalls->pairs)
		sheet_note(sheet, "Bars of rates: medians over trials; lines: their 95 %% intervals, from 6 trials on. Of a pair one thing "
				  "alone differs.");
	if (pitfalls->behind)
		sheet_note(sheet, "Left out of the latencies: trials of the open load that fell behind it: %zu.", pitfalls->behind);
	if (pitfalls->apart)
		sheet_note(sheet, "Not drawn, because what differs from them in one thing was measured in another regime: %zu cell%s.",
			   pitfalls->apart, pitfalls->apart == 1 ? "" : "s");
	if (strchr(pitfalls->regimes, ','))
		sheet_note(sheet, "Not all of it was measured in one regime (%s): what is not pinned has none of its own.",
			   pitfalls->regimes);
}

int figure_fill_pitfalls(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	struct pitfalls *pitfalls = calloc(1, sizeof(*pitfalls));
	int error;

	if (!pitfalls)
		return -ENOMEM;
	ranges_start(&pitfalls->ranges);
	fprintf(sheet->data, "what\tseries_or_panel\tone_over_one_minus_p_or_row\tlatency_ns_or_value\tlow\thigh\tcolour\tname\n");
	error = loops_find(pitfalls, sheet, record, summary);
	if (!error) {
		for (size_t i = 0; i < sizeof(one_thing) / sizeof(one_thing[0]); i++)
			pairs_write(pitfalls, summary, &one_thing[i]);
		if (pitfalls->loops || pitfalls->pairs) /* beside others: alone it would be a figure of any record */
			error = means_find(pitfalls, sheet, record, summary);
	}
	if (!error && !pitfalls->loops && !pitfalls->bars.area_count)
		error = sheet_complain(sheet, "no two cells differ by a way to measure wrongly alone (--load open,closed or --stamps "
					      "none,message or --warm-up)");
	if (!error) {
		header_write(pitfalls, sheet, record);
		settings_write(pitfalls, sheet);
		notes_write(pitfalls, sheet);
		panels_note_stamps(sheet, summary);
	}
	series_free(&pitfalls->series);
	free(pitfalls);
	return error;
}
