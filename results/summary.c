#include "summary_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t NO_REGIME = SIZE_MAX;  /* the line was not measured */
static const double STALL_EXCESS = 3.0;    /* times the run's median stall share: the trial is disturbed … */
static const double STALL_LEAST = 0.005;   /* … unless it is less than what is borne of other disturbances */

/* What becomes of a trial. */
enum fate { COUNTED, INVALID, MOVED, FAILED, SKIPPED };

struct item {
	const struct record_trial *trial;
	enum fate fate;
	size_t regime;
};

/* Values of one quantity over the trials of a row. */
struct collector {
	double *values, *calm;
	size_t n, calm_n;
	struct statistics_middles **middles; /* by the number of values; made when first needed */
	size_t room;
};

struct work {
	const struct record *record;
	struct summary *summary;
	bool *disturbed; /* by the trial's index in the record */
	struct item *items;
	size_t item_count;
	struct collector collector;
};

bool summary_is_floor(const struct record_cell *cell)
{
	const char *queue = record_cell_queue(cell);

	return strcmp(queue, "null") == 0 || strcmp(queue, "line") == 0 || strcmp(queue, "stream-limit") == 0 ||
	       strcmp(queue, "stream-near") == 0;
}

/* ---- collecting values ---- */

static int collector_make(struct collector *collector, size_t room)
{
	*collector = (struct collector){ .values = calloc(room + 1, sizeof(double)),
					 .calm = calloc(room + 1, sizeof(double)),
					 .middles = calloc(room + 1, sizeof(struct statistics_middles *)),
					 .room = room };
	return collector->values && collector->calm && collector->middles ? 0 : -ENOMEM;
}

static void collector_free(struct collector *collector)
{
	for (size_t n = 0; collector->middles && n <= collector->room; n++)
		statistics_middles_free(collector->middles[n]);
	free(collector->middles);
	free(collector->values);
	free(collector->calm);
}

static void collector_add(struct collector *collector, double value, bool disturbed)
{
	collector->values[collector->n++] = value;
	if (!disturbed)
		collector->calm[collector->calm_n++] = value;
}

/* The median of what was collected; empties the collector. */
static struct summary_value collector_value(struct collector *collector)
{
	size_t n = collector->n, calm_n = collector->calm_n;
	struct summary_value value = { .known = n > 0, .calm_known = calm_n > 0, .n = n };

	if (!collector->middles[n])
		collector->middles[n] = statistics_middles_make(n);
	if (n > 0)
		value.median = statistics_median(collector->values, n);
	if (calm_n > 0)
		value.calm_median = calm_n == n ? value.median : statistics_median(collector->calm, calm_n);
	value.interval = statistics_interval(collector->middles[n], collector->values);
	collector->n = collector->calm_n = 0;
	return value;
}

static bool is_disturbed(const struct work *work, const struct record_trial *trial)
{
	return work->disturbed[trial - work->record->trials];
}

static struct summary_value row_value(struct work *work, const struct summary_row *row,
				      double (*quantity)(const struct record_trial *))
{
	for (size_t i = 0; i < row->trials; i++) {
		double value = quantity(row->members[i]);

		if (value >= 0.0)
			collector_add(&work->collector, value, is_disturbed(work, row->members[i]));
	}
	return collector_value(&work->collector);
}

/* ---- latencies ---- */

static bool same_position(const struct summary_latency *a, const struct record_latency *b)
{
	return a->from_actor == b->from_actor && a->from_queue == b->from_queue && a->to_actor == b->to_actor &&
	       a->to_queue == b->to_queue && strcmp(a->from_point, b->from_point) == 0 &&
	       strcmp(a->to_point, b->to_point) == 0;
}

const struct record_latency *summary_trial_latency(const struct record_trial *trial, const struct summary_latency *position)
{
	for (size_t i = 0; i < trial->latency_count; i++)
		if (same_position(position, &trial->latencies[i]))
			return &trial->latencies[i];
	return NULL;
}

/* One field of struct record_latency, < 0: unknown, over the row's trials. */
static struct summary_value latency_value(struct work *work, const struct summary_row *row,
					  const struct summary_latency *position, size_t field)
{
	for (size_t i = 0; i < row->trials; i++) {
		const struct record_latency *latency = summary_trial_latency(row->members[i], position);
		double value = -1.0;

		if (latency && position->samples.left_out && summary_is_poor(latency))
			continue;
		if (latency)
			memcpy(&value, (const char *)latency + field, sizeof(value));
		if (field == offsetof(struct record_latency, min_ns) ? latency && latency->min_known : value >= 0.0)
			collector_add(&work->collector, value, is_disturbed(work, row->members[i]));
	}
	return collector_value(&work->collector);
}

/* A percentile that some trials lack is a median of other trials than its neighbours are, and may come out on the wrong side of them. (A
 * few that lack even the p50 are left out of all.) */
static void keep_if_of_all(struct summary_value *percentile, size_t trials)
{
	if (percentile->n != trials)
		*percentile = (struct summary_value){ .n = percentile->n };
}

static void latency_fill(struct work *work, const struct summary_row *row, struct summary_latency *to)
{
	size_t tagged = 0;

	to->samples = summary_samples_make(row, to);
	to->min_ns = latency_value(work, row, to, offsetof(struct record_latency, min_ns));
	to->mean_ns = latency_value(work, row, to, offsetof(struct record_latency, mean_ns));
	to->p50_ns = latency_value(work, row, to, offsetof(struct record_latency, p50_ns));
	to->p90_ns = latency_value(work, row, to, offsetof(struct record_latency, p90_ns));
	to->p99_ns = latency_value(work, row, to, offsetof(struct record_latency, p99_ns));
	to->p99_9_ns = latency_value(work, row, to, offsetof(struct record_latency, p99_9_ns));
	to->p99_99_ns = latency_value(work, row, to, offsetof(struct record_latency, p99_99_ns));
	to->max_ns = latency_value(work, row, to, offsetof(struct record_latency, max_ns));
	keep_if_of_all(&to->p50_ns, to->max_ns.n);
	keep_if_of_all(&to->p90_ns, to->max_ns.n);
	keep_if_of_all(&to->p99_ns, to->max_ns.n);
	keep_if_of_all(&to->p99_9_ns, to->max_ns.n);
	keep_if_of_all(&to->p99_99_ns, to->max_ns.n);
	to->greatest_ns = -1.0;
	for (size_t i = 0; i < row->trials; i++) {
		const struct record_latency *latency = summary_trial_latency(row->members[i], to);
		double bound;

		if (!latency)
			continue;
		to->greatest_ns = fmax(to->greatest_ns, latency->max_ns);
		tagged += latency->tag && strcmp(latency->tag, "saturated") == 0;
		to->below_zero += latency->below_zero;
		to->beyond += latency->beyond;
		bound = summary_trial_offset_bound(work->record, row->members[i], latency);
		to->offset_half_width_ns = fmax(to->offset_half_width_ns, bound < 0.0 ? INFINITY : bound);
	}
	/* of an open load a few trials may have met more stalls than they could work off; a saturated one has the tag in each. What was not
	 * even written as fast as it was due has no more of a stationary latency, whichever way its backlog went. */
	to->saturated = row->open.offered_per_s.known ? row->saturated || row->missed : tagged > 0;
	to->clock_limited = to->p50_ns.known && to->offset_half_width_ns > to->p50_ns.median / 4;
}

static int row_add_position(struct summary_row *row, const struct record_latency *latency)
{
	struct summary_latency *larger;

	for (size_t i = 0; i < row->latency_count; i++)
		if (same_position(&row->latency[i], latency))
			return 0;
	larger = realloc(row->latency, (row->latency_count + 1) * sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	row->latency = larger;
	larger[row->latency_count++] = (struct summary_latency){
		.from_point = latency->from_point,
		.from_actor = latency->from_actor,
		.from_queue = latency->from_queue,
		.to_point = latency->to_point,
		.to_actor = latency->to_actor,
		.to_queue = latency->to_queue,
		.round_trip = latency->from_actor == latency->to_actor && latency->from_queue != latency->to_queue,
	};
	return 0;
}

/* ---- rows ---- */

static void open_fill(struct work *work, struct summary_row *row)
{
	size_t behind = 0;

	row->open = (struct summary_open){
		.offered_per_s = row_value(work, row, summary_trial_offered),
		.capacity_per_s = row_value(work, row, summary_trial_capacity),
		.reached_per_s = row_value(work, row, summary_trial_reached),
		.reached_share = row_value(work, row, summary_trial_reached_share),
	};
	for (size_t i = 0; i < row->trials; i++) {
		const struct record_open *open = &row->members[i]->open;

		row->open.saturated += open->saturated_known && open->saturated;
		row->open.untold += row->members[i]->is_open && !open->saturated_known;
		row->open.missed += open->rate_reached_known && !open->rate_reached;
		behind += summary_trial_fell_behind(row->members[i]);
	}
	row->saturated = row->open.saturated > 0 && 2 * row->open.saturated >= row->trials;
	row->missed = row->open.missed > 0 && 2 * behind >= row->trials;
}

static int row_fill(struct work *work, struct summary_row *row)
{
	open_fill(work, row);
	summary_stamps_make(row);
	row->sender_rate = row_value(work, row, summary_trial_sender_rate);
	row->receiver_rate = row_value(work, row, summary_trial_receiver_rate);
	for (size_t i = 0; i < row->trials; i++)
		row->both_rates += summary_trial_sender_rate(row->members[i]) >= 0.0 && summary_trial_receiver_rate(row->members[i]) >= 0.0;
	row->senders = (struct summary_side){
		.least_rate = row_value(work, row, summary_trial_least_sender_rate),
		.most_rate = row_value(work, row, summary_trial_most_sender_rate),
		.jain = row_value(work, row, summary_trial_sender_jain),
		.longest_gap_ns = row_value(work, row, summary_trial_sender_gap_ns),
	};
	row->receivers = (struct summary_side){
		.least_rate = row_value(work, row, summary_trial_least_receiver_rate),
		.most_rate = row_value(work, row, summary_trial_most_receiver_rate),
		.jain = row_value(work, row, summary_trial_receiver_jain),
		.longest_gap_ns = row_value(work, row, summary_trial_receiver_gap_ns),
	};
	row->mean_batch = row_value(work, row, summary_trial_mean_batch);
	row->refused_share = row_value(work, row, summary_trial_refused_share);
	row->empty_share = row_value(work, row, summary_trial_empty_share);
	row->cpu_ns_per_message = row_value(work, row, summary_trial_cpu_ns_per_message);
	row->senders_cpu_share = row_value(work, row, summary_trial_senders_cpu_share);
	row->others_cpu_share = row_value(work, row, summary_trial_others_cpu_share);
	for (size_t i = 0; i < row->trials; i++)
		for (size_t k = 0; k < row->members[i]->latency_count; k++)
			if (row_add_position(row, &row->members[i]->latencies[k]))
				return -ENOMEM;
	for (size_t i = 0; i < row->latency_count; i++)
		latency_fill(work, row, &row->latency[i]);
	return summary_windows_make(row);
}

/* Items of one cell and one regime, all counted, become a row. */
static int row_begin(struct work *work, const struct item *items, size_t n)
{
	struct summary *summary = work->summary;
	struct summary_row *row = &summary->rows[summary->row_count++];
	const struct regime *regime = items->regime == NO_REGIME ? NULL : &summary->regimes[items->regime];

	*row = (struct summary_row){ .cell = &items->trial->cell,
				     .regime = regime ? regime->name : "r?",
				     .line_ns = regime ? regime->line_ns : -1.0,
				     .trials = n,
				     .members = calloc(n + 1, sizeof(*row->members)),
				     .member_disturbed = calloc(n + 1, sizeof(*row->member_disturbed)) };
	if (!row->members || !row->member_disturbed)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		row->members[i] = items[i].trial;
		row->member_disturbed[i] = is_disturbed(work, items[i].trial);
		row->disturbed += row->member_disturbed[i];
	}
	return row_fill(work, row);
}

static int compare_rows(const void *a, const void *b)
{
	const struct summary_row *x = a, *y = b;

	if (x->trials != y->trials)
		return x->trials > y->trials ? -1 : 1;
	return (x->line_ns > y->line_ns) - (x->line_ns < y->line_ns);
}

/* All items of one cell, the counted ones first and ordered by regime. */
static int cell_rows(struct work *work, const struct item *items, size_t n)
{
	struct summary *summary = work->summary;
	size_t first = summary->row_count, i = 0;
	struct summary_row *row;

	while (i < n && items[i].fate == COUNTED) {
		size_t end = i + 1;

		while (end < n && items[end].fate == COUNTED && items[end].regime == items[i].regime)
			end++;
		if (row_begin(work, items + i, end - i))
			return -ENOMEM;
		i = end;
	}
	if (i == 0) {
		struct item none = { .trial = items->trial, .regime = NO_REGIME };

		if (row_begin(work, &none, 0))
			return -ENOMEM;
	}
	row = &summary->rows[first];
	qsort(row, summary->row_count - first, sizeof(*row), compare_rows);
	row->first = true;
	for (; i < n; i++) {
		row->invalid += items[i].fate == INVALID;
		row->moved += items[i].fate == MOVED;
		row->failed += items[i].fate == FAILED;
	}
	return 0;
}

static int compare_items(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->trial->cell.index != y->trial->cell.index)
		return x->trial->cell.index < y->trial->cell.index ? -1 : 1;
	if ((x->fate == COUNTED) != (y->fate == COUNTED))
		return x->fate == COUNTED ? -1 : 1;
	if (x->fate == COUNTED && x->regime != y->regime)
		return x->regime < y->regime ? -1 : 1;
	return (x->trial > y->trial) - (x->trial < y->trial);
}

static int rows_make(struct work *work)
{
	qsort(work->items, work->item_count, sizeof(*work->items), compare_items);
	for (size_t i = 0, end; i < work->item_count; i = end) {
		size_t cell = work->items[i].trial->cell.index;

		for (end = i; end < work->item_count && work->items[end].trial->cell.index == cell; end++)
			;
		if (cell_rows(work, work->items + i, end - i))
			return -ENOMEM;
	}
	return 0;
}

/* ---- filing trials ---- */

static enum fate trial_fate(const struct record_trial *trial)
{
	if (strcmp(trial->status, "skipped") == 0)
		return SKIPPED;
	if (strcmp(trial->status, "crash") == 0 || strcmp(trial->status, "hang") == 0)
		return FAILED;
	if (!trial->valid || strcmp(trial->status, "ok") != 0)
		return INVALID;
	return trial->moved ? MOVED : COUNTED;
}

/* The trial's own facts are in the record; what the run's median says of it is added here. */
static int mark_disturbed(struct work *work)
{
	const struct record *record = work->record;
	double *shares = calloc(record->trial_count + 1, sizeof(*shares)), limit = INFINITY;
	size_t n = 0;

	work->disturbed = calloc(record->trial_count + 1, sizeof(*work->disturbed));
	if (!shares || !work->disturbed) {
		free(shares);
		return -ENOMEM;
	}
	for (size_t i = 0; i < record->trial_count; i++)
		if (record->trials[i].stall_share >= 0.0)
			shares[n++] = record->trials[i].stall_share;
	if (n > 0)
		limit = fmax(STALL_EXCESS * statistics_median(shares, n), STALL_LEAST);
	free(shares);
	for (size_t i = 0; i < record->trial_count; i++)
		work->disturbed[i] = record->trials[i].disturbed || record->trials[i].stall_share > limit;
	return 0;
}

static void tally(struct work *work, const struct record_trial *trial, enum fate fate)
{
	struct summary *summary = work->summary;

	summary->trials++;
	summary->counted += fate == COUNTED;
	summary->invalid += fate == INVALID;
	summary->moved += fate == MOVED;
	summary->failed += fate == FAILED;
	summary->skipped += fate == SKIPPED;
	summary->disturbed += fate == COUNTED && is_disturbed(work, trial);
}

/* Files every trial by its fate and, where it counts and the line was measured, by its regime. */
static int file_trials(struct work *work)
{
	const struct record *record = work->record;
	size_t n = record->trial_count, lines = 0, *regime_of = calloc(n + 1, sizeof(*regime_of));
	double *line_ns = calloc(n + 1, sizeof(*line_ns));
	long count = -ENOMEM;

	work->items = calloc(n + 1, sizeof(*work->items));
	if (!regime_of || !line_ns || !work->items)
		goto out;
	for (size_t i = 0; i < n; i++) {
		const struct record_trial *trial = &record->trials[i];
		struct item item = { .trial = trial, .fate = trial_fate(trial), .regime = NO_REGIME };

		tally(work, trial, item.fate);
		if (item.fate == SKIPPED)
			continue;
		if (item.fate == COUNTED && trial->line_before_ns > 0.0 && trial->line_after_ns > 0.0) {
			item.regime = lines;
			line_ns[lines++] = sqrt(trial->line_before_ns) * sqrt(trial->line_after_ns);
		}
		work->items[work->item_count++] = item;
	}
	count = regime_find(line_ns, lines, regime_of, &work->summary->regimes);
	for (size_t i = 0; count >= 0 && i < work->item_count; i++)
		if (work->items[i].regime != NO_REGIME)
			work->items[i].regime = regime_of[work->items[i].regime];
out:
	free(regime_of);
	free(line_ns);
	work->summary->regime_count = count < 0 ? 0 : (size_t)count;
	return count < 0 ? (int)count : 0;
}

static size_t find_main_regime(const struct summary *summary)
{
	size_t main_regime = 0;

	for (size_t i = 1; i < summary->regime_count; i++)
		if (summary->regimes[i].trials > summary->regimes[main_regime].trials)
			main_regime = i;
	return main_regime;
}

int summary_make(struct summary *summary, const struct record *record)
{
	struct work work = { .record = record, .summary = summary };
	int err = collector_make(&work.collector, record->trial_count);

	*summary = (struct summary){ 0 };
	if (!err)
		err = mark_disturbed(&work);
	if (!err)
		err = file_trials(&work);
	if (!err) {
		summary->main_regime = find_main_regime(summary);
		summary->rows = calloc(work.item_count + 1, sizeof(*summary->rows));
		err = summary->rows ? rows_make(&work) : -ENOMEM;
	}
	if (!err)
		err = summary_floor_make(&summary->floor, record);
	if (!err)
		summary_verdict_make(summary, record);
	collector_free(&work.collector);
	free(work.items);
	free(work.disturbed);
	if (err)
		summary_free(summary);
	return err;
}

void summary_free(struct summary *summary)
{
	for (size_t i = 0; i < summary->row_count; i++) {
		free(summary->rows[i].latency);
		free(summary->rows[i].members);
		free(summary->rows[i].member_disturbed);
	}
	free(summary->rows);
	free(summary->regimes);
	*summary = (struct summary){ 0 };
}
