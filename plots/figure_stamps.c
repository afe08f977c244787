/* What reading the clock costs: the receiver's rate without stamps, with one a batch, with one for each message. */
#include "bars.h"
#include "figure_fill.h"
#include "number.h"
#include "panels.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of a panel, and its place there. */
struct staged {
	const struct summary_row *row;
	double best_per_s; /* of its queue */
	double mode;       /* none, batch, one in many … one in few, each message */
	const struct summary_row *none; /* its queue without stamps; NULL: was not measured */
	size_t modes;      /* of its queue */
};

/* What is not drawn, or has nothing to be held against. */
struct missing {
	size_t alone, without_none;
};

static bool wanted(const struct summary_row *row)
{
	return strcmp(row->cell->workload, "pingpong") && row->receiver_rate.known;
}

static double rate_per_s(const struct summary_row *row)
{
	return row->receiver_rate.median;
}

static double mode_of(const struct summary_row *row)
{
	const char *stamps = row->cell->stamps;

	return !strcmp(stamps, "none") ? 0 : !strcmp(stamps, "batch") ? 1 : !strcmp(stamps, "message") ? 3 : 2 + 1 / (1 + atof(stamps));
}

static int by_place(const void *left, const void *right)
{
	const struct staged *a = left, *b = right;
	int order;

	if (a->best_per_s != b->best_per_s)
		return a->best_per_s > b->best_per_s ? -1 : 1;
	order = strcmp(a->row->cell->queue, b->row->cell->queue);
	return order ? order : (a->mode > b->mode) - (a->mode < b->mode);
}

static void stage(struct staged *staged, const struct panel *panel, const struct summary_row *row)
{
	*staged = (struct staged){ .row = row, .mode = mode_of(row) };
	for (size_t i = 0; i < panel->row_count; i++) {
		const struct summary_row *other = panel->rows[i];

		if (!panels_same_series(panel, other, row))
			continue;
		staged->best_per_s = fmax(staged->best_per_s, rate_per_s(other));
		staged->modes++;
		if (!strcmp(other->cell->stamps, "none"))
			staged->none = other;
	}
}

/* How few trials a percentage is of, the fewer of its two sides'; "" of TELLING or more. */
static const char *few_text(char text[32], size_t n)
{
	enum { TELLING = 3 };

	*text = '\0';
	if (n < TELLING)
		snprintf(text, 32, " (n=%zu)", n);
	return text;
}

static void bar_add(struct bars *bars, const struct panel *panel, const struct staged *staged, double colour, bool apart)
{
	const struct summary_value *rate = &staged->row->receiver_rate;
	struct bar bar = { .value = rate->median, .low = NAN, .high = NAN, .colour = colour, .apart = apart };
	char label[SHEET_TEXT], few[32];
	const char *stamps = staged->row->cell->stamps;

	panels_label(label, panel, staged->row);
	snprintf(bar.label, sizeof(bar.label), "%.60s, %s%.20s", label, staged->mode > 1 && staged->mode < 3 ? "one in " : "", stamps);
	if (rate->interval.known) {
		bar.low = rate->interval.low;
		bar.high = rate->interval.high;
	}
	if (staged->none && staged->none != staged->row)
		snprintf(bar.word, sizeof(bar.word), "%+.0f %%%s", 100 * (rate->median / rate_per_s(staged->none) - 1),
			 few_text(few, rate->n < staged->none->receiver_rate.n ? rate->n : staged->none->receiver_rate.n));
	bars_add(bars, &bar);
}

/* Returns 0, 1 (no queue was measured in two ways), or -ENOMEM. */
static int panel_write(struct bars *bars, struct series *looks, struct sheet *sheet, const struct summary *summary,
		       const struct panel *panel, struct missing *missing)
{
	struct staged *staged = calloc(panel->row_count + 1, sizeof(*staged));
	const struct summary_row *before = NULL;
	int result = 1;

	if (!staged)
		return -ENOMEM;
	for (size_t i = 0; i < panel->row_count; i++)
		stage(&staged[i], panel, panel->rows[i]);
	qsort(staged, panel->row_count, sizeof(*staged), by_place);
	for (size_t i = 0; i < panel->row_count && result >= 0; i++) {
		long look;

		if (staged[i].modes < 2) {
			missing->alone++;
			continue;
		}
		missing->without_none += !staged[i].none;
		look = series_add(looks, summary, 0, staged[i].row->cell, "", sheet->dumb);
		if (look < 0) {
			result = (int)look;
			continue;
		}
		if (result)
			bars_begin_area(bars, panel->title, "messages/s at read, the reader's end", BARS_PER_S);
		bar_add(bars, panel, &staged[i], looks->colour[look - 1],
			before && strcmp(before->cell->queue, staged[i].row->cell->queue));
		before = staged[i].row;
		result = 0;
	}
	free(staged);
	return result;
}

/* Cells that could have been drawn: of no rate, and of queues that were measured with stamps in one way. */
static void missing_note(struct sheet *sheet, const struct summary *summary, const struct missing *missing)
{
	char count[NUMBER_TEXT];
	size_t without = 0;

	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];

		without += row->trials && !row->receiver_rate.known && strcmp(row->cell->workload, "pingpong") &&
			   strcmp(row->cell->load, "open");
	}
	if (without)
		sheet_note(sheet, "%s %s not drawn: no trial has a rate, which takes two stamps.",
			   number_of(count, without, "cell"), number_is(without));
	if (missing->alone)
		sheet_note(sheet, "%s %s not drawn: of the queue and setting there is one way of stamping alone, in this regime.",
			   number_of(count, missing->alone, "cell"), number_is(missing->alone));
	if (missing->without_none)
		sheet_note(sheet, "%s without a percentage: the queue was not measured without stamps, in this regime.",
			   number_of(count, missing->without_none, "bar"));
}

static void settings_write(const struct bars *bars, struct sheet *sheet, const struct panels *panels)
{
	unsigned title = panels_title_width(panels) + 2;

	sheet->width = sheet->dumb ? 100 : 120;
	sheet->width = sheet->width < title ? title : sheet->width;
	sheet->height = (unsigned)ceil(bars_write(bars, sheet, 0.5)) + 1;
	sheet_note(sheet, "Behind a bar: against the same queue without stamps, of which the clock is read now and then all the same, to "
			  "end it in time. Bars end at medians over trials, lines are their 95 %% intervals, from 6 trials on.");
	if (bars->left_out)
		sheet_note(sheet, "%zu bars found no room; the table of the record has them all.", bars->left_out);
}

int figure_fill_stamps(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	static const struct panels_wish wish = { .axis = PANELS_BY_STAMPS, .wanted = wanted, .value = rate_per_s,
						 .missing = "no trial counts that has a reader's rate" };
	struct bars *bars = calloc(1, sizeof(*bars));
	struct panels panels = { 0 };
	struct series looks = { 0 };
	struct missing missing = { 0 };
	int error = bars ? panels_make(&panels, sheet, summary, &wish) : -ENOMEM;

	fprintf(sheet->data, "what\tpanel\trow\trate_per_s\tlow_per_s\thigh_per_s\tcolour\tlabel\n");
	for (size_t p = 0; p < panels.count && !error;) { /* what is left out makes the others move up */
		error = panel_write(bars, &looks, sheet, summary, &panels.list[p], &missing);
		if (error > 0) {
			panels_remove(&panels, p);
			error = 0;
		} else {
			p++;
		}
	}
	if (!error && !panels.count)
		error = panels_complain(&panels, sheet, "no queue was measured with stamps in two ways (--stamps none,batch,message)");
	if (!error) {
		panels_describe(&panels, sheet, record, summary);
		/* titles are known only now */
		for (size_t p = 0; p < panels.count && p < bars->area_count; p++)
			snprintf(bars->areas[p].title, sizeof(bars->areas[p].title), "%s", panels.list[p].title);
		settings_write(bars, sheet, &panels);
		panels_note_stamps(sheet, summary);
	missing_note(sheet, summary, &missing);
	}
	free(bars);
	series_free(&looks);
	panels_free(&panels);
	return error;
}
