#include "compare_parts.h"
#include "identity.h"
#include "table_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void row_refuse(struct compare_row *row, const char *reason)
{
	row->verdict = COMPARE_INCOMPARABLE;
	snprintf(row->reason, sizeof(row->reason), "%s", reason);
}

static void row_regimes_none(struct compare_row *row)
{
	strcpy(row->baseline_regime, "-");
	strcpy(row->regime, "-");
	row->baseline_offered_per_s = row->offered_per_s = -1;
}

struct cells {
	struct compare_cell *cells;
	long count; /* -ENOMEM: they could not be made */
};

/* Whether a plug-in's loops were: built-in queues' always are. */
static bool is_optimised(const struct record *record, const struct record_cell *cell)
{
	const json_t *plugin;
	size_t i;

	json_array_foreach(json_object_get(record->run, "plugins"), i, plugin) {
		const char *queue = json_string_value(json_object_get(plugin, "queue"));

		if (queue && strcmp(queue, cell->queue) == 0)
			return !json_is_false(json_object_get(plugin, "optimised"));
	}
	return true;
}

static void check_optimised(struct compare_row *row, const struct record *baseline, const struct record *changed)
{
	if (is_optimised(baseline, row->baseline_cell) != is_optimised(changed, row->cell))
		row_refuse(row, "one of them is a plug-in that was compiled without optimisation");
}

/* Room for as many rows as there can be. */
static int comparison_begin(struct comparison *comparison, const struct compare_settings *settings, const struct cells *baseline,
			    const struct cells *changed)
{
	*comparison = (struct comparison){ .settings = *settings };
	if (baseline->count < 0 || changed->count < 0)
		return -ENOMEM;
	comparison->rows = calloc((size_t)(baseline->count + changed->count) + 1, sizeof(*comparison->rows));
	return comparison->rows ? 0 : -ENOMEM;
}

static struct compare_row *row_next(struct comparison *comparison)
{
	return &comparison->rows[comparison->row_count++];
}

void compare_free(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++) {
		struct compare_sample *sides[] = { &comparison->rows[i].baseline, &comparison->rows[i].sample };

		for (size_t k = 0; k < 2; k++) {
			free(sides[k]->values);
			free(sides[k]->disturbed);
			free(sides[k]->stalls);
		}
	}
	free(comparison->rows);
	*comparison = (struct comparison){ 0 };
}

static int machine_make(struct compare_machine *machine, const struct summary *summary)
{
	*machine = (struct compare_machine){
		.disturbed_share = summary->counted ? (double)summary->disturbed / (double)summary->counted : -1,
		.stall_share = summary->floor.known ? summary->floor.stall_share : -1,
		.disturbed = calloc(summary->counted + 1, sizeof(double)),
		.stalls = calloc(summary->counted + 1, sizeof(double)),
	};
	if (!machine->disturbed || !machine->stalls)
		return -ENOMEM;
	for (size_t i = 0; i < summary->row_count; i++)
		for (size_t k = 0; k < summary->rows[i].trials; k++) {
			double stall_share = summary->rows[i].members[k]->stall_share;

			machine->disturbed[machine->n++] = summary->rows[i].member_disturbed[k];
			if (stall_share >= 0)
				machine->stalls[machine->stall_n++] = stall_share;
		}
	return 0;
}

static void machine_free(struct compare_machine *machine)
{
	free(machine->disturbed);
	free(machine->stalls);
}

/* ---- two records ---- */

/* By their keys: names in the object, positions as values. */
static json_t *cells_index(const struct cells *cells)
{
	json_t *index = json_object();

	for (long i = 0; index && i < cells->count; i++)
		if (json_object_set_new(index, cells->cells[i].key, json_integer(i))) {
			json_decref(index);
			return NULL;
		}
	return index;
}

/* A cell of the baseline that has no equal: the reason is a near one, if there is one that is nobody's equal. */
static void row_unmatched(struct compare_row *row, const struct compare_cell *baseline, const struct cells *changed)
{
	char reason[COMPARE_TEXT];

	row->baseline_cell = baseline->cell;
	row->unmatched = true;
	row_regimes_none(row);
	row_refuse(row, "the other record has no such cell");
	for (long i = 0; i < changed->count; i++)
		if (!changed->cells[i].matched && compare_cells_near(baseline, &changed->cells[i], reason)) {
			changed->cells[i].matched = true;
			row->cell = changed->cells[i].cell;
			row_refuse(row, reason);
			return;
		}
}

static void row_new(struct compare_row *row, const struct record_cell *cell)
{
	row->cell = cell;
	row_regimes_none(row);
	row_refuse(row, "the baseline has no such cell");
}

static int records_match(struct comparison *comparison, const struct cells *baseline, const struct cells *changed)
{
	json_t *index = cells_index(changed);
	struct compare_row *row;
	int err = index ? 0 : -ENOMEM;

	for (long i = 0; !err && i < baseline->count; i++) {
		const json_t *at = json_object_get(index, baseline->cells[i].key);

		row = row_next(comparison);
		if (!at)
			continue;
		changed->cells[json_integer_value(at)].matched = true;
		err = compare_row_fill(row, &baseline->cells[i], &changed->cells[json_integer_value(at)],
				       comparison->settings.ignore_regime);
	}
	for (long i = 0; !err && i < baseline->count; i++)
		if (!comparison->rows[i].baseline_cell)
			row_unmatched(&comparison->rows[i], &baseline->cells[i], changed);
	for (long i = 0; !err && i < changed->count; i++)
		if (!changed->cells[i].matched)
			row_new(row_next(comparison), changed->cells[i].cell);
	json_decref(index);
	return err;
}

static void refuse_all(struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->row_count; i++)
		row_refuse(&comparison->rows[i], comparison->incomparable);
}

/* Whether a run's clock was found at its end to have changed: that voids all of its times. */
static bool clock_failed(const struct record *record)
{
	const json_t *clock = json_object_get(record->end, "clock");

	return json_is_false(json_object_get(clock, "ok")) && json_is_number(json_object_get(clock, "drift_ppm"));
}

static void check_clocks(struct comparison *comparison, const struct record *baseline, const struct record *changed)
{
	const char *whose = "the record's";

	if (comparison->incomparable[0] || (!clock_failed(baseline) && !clock_failed(changed)))
		return;
	if (baseline != changed)
		whose = !clock_failed(changed) ? "the baseline's" : !clock_failed(baseline) ? "the other record's" : "both records'";
	snprintf(comparison->incomparable, COMPARE_TEXT,
		 "the clock did not hold in %s run: its rate changed, or its offsets contradict each other", whose);
	refuse_all(comparison);
}

int compare_records(struct comparison *comparison, struct compare_input baseline, struct compare_input changed,
		    const struct compare_settings *settings)
{
	struct compare_machine machines[2] = { 0 };
	struct cells before = { 0 }, after = { 0 };
	int err;

	before.count = compare_cells_make(&before.cells, baseline.summary);
	after.count = compare_cells_make(&after.cells, changed.summary);
	err = comparison_begin(comparison, settings, &before, &after);
	if (!err)
		err = machine_make(&machines[0], baseline.summary);
	if (!err)
		err = machine_make(&machines[1], changed.summary);
	if (!err)
		err = records_match(comparison, &before, &after);
	for (size_t i = 0; !err && i < comparison->row_count; i++)
		if (comparison->rows[i].verdict != COMPARE_INCOMPARABLE)
			check_optimised(&comparison->rows[i], baseline.record, changed.record);
	if (!err && !identity_same(baseline.record->run, changed.record->run, comparison->incomparable, COMPARE_TEXT))
		refuse_all(comparison);
	if (!err) {
		check_clocks(comparison, baseline.record, changed.record);
		err = compare_judge(comparison, machines);
	}
	machine_free(&machines[0]);
	machine_free(&machines[1]);
	compare_cells_free(before.cells, before.count);
	compare_cells_free(after.cells, after.count);
	if (err)
		compare_free(comparison);
	return err;
}

/* ---- halves of one record ---- */

int compare_halves(struct comparison *comparison, struct compare_input input, bool by_turns)
{
	const struct compare_settings settings = { .floor = { 0 } };
	struct cells cells = { 0 }, none = { 0 };
	int err;

	cells.count = compare_cells_make(&cells.cells, input.summary);
	err = comparison_begin(comparison, &settings, &cells, &none);
	for (long i = 0; !err && i < cells.count; i++)
		if (!summary_is_floor(cells.cells[i].cell))
			err = compare_row_part(row_next(comparison), &cells.cells[i], by_turns);
	if (!err)
		err = compare_judge(comparison, NULL);
	compare_cells_free(cells.cells, cells.count);
	if (err)
		compare_free(comparison);
	return err;
}

/* ---- queues of one record ---- */

/* The most messages that can be on their way. */
static uint64_t room(const struct record_cell *cell)
{
	uint64_t none = UINT64_MAX, capacity = cell->capacity ? cell->capacity : none, window = cell->window ? cell->window : none;

	return capacity < window ? capacity : window;
}

static bool waits_same(const struct record_cell *a, const struct record_cell *b)
{
	return strcmp(a->wait, b->wait) == 0 || strcmp(a->wait, "native") == 0 || strcmp(b->wait, "native") == 0;
}

static bool capacities_equal(const struct record_cell *a, const struct record_cell *b)
{
	return a->capacity == b->capacity && a->window == b->window;
}

/* An unbounded queue has a window where a bounded one has its capacity. */
static bool rooms_same(const struct record_cell *a, const struct record_cell *b)
{
	return capacities_equal(a, b) || (!a->capacity != !b->capacity && room(a) == room(b));
}

/* The parameters that a queue's nature has no part in, and the same as text. */
static int rest_make(struct compare_cell *rest, const struct compare_cell *cell)
{
	static const char *const natures[] = { "queue", "capacity", "window", "wait" };

	*rest = (struct compare_cell){ .cell = cell->cell, .parameters = json_copy(cell->parameters) };
	for (size_t i = 0; i < sizeof(natures) / sizeof(natures[0]); i++)
		json_object_del(rest->parameters, natures[i]);
	rest->key = json_dumps(rest->parameters, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(15));
	return rest->key ? 0 : -ENOMEM;
}

struct contest {
	const struct cells *cells;
	struct compare_cell *rests; /* by cell */
	const char *baseline;
};

static bool is_baseline(const struct contest *contest, long cell)
{
	return strcmp(contest->cells->cells[cell].cell->queue, contest->baseline) == 0;
}

/* The baseline's cell that this one stands against; of several that would do one of equal capacity, else the largest. −1: none. */
static long baseline_of(const struct contest *contest, long cell)
{
	const struct record_cell *asking = contest->cells->cells[cell].cell;
	long found = -1;

	for (long i = 0; i < contest->cells->count; i++) {
		const struct record_cell *offered = contest->cells->cells[i].cell;

		if (!is_baseline(contest, i) || strcmp(contest->rests[i].key, contest->rests[cell].key) != 0 ||
		    !waits_same(asking, offered) || !rooms_same(asking, offered))
			continue;
		if (capacities_equal(asking, offered))
			return i;
		if (found < 0 || offered->capacity > contest->cells->cells[found].cell->capacity)
			found = i;
	}
	return found;
}

/* A cell of the baseline's that differs in what a queue's nature decides alone. */
static bool nature_explains(const struct contest *contest, long baseline, long cell, char reason[COMPARE_TEXT])
{
	const struct record_cell *offered = contest->cells->cells[baseline].cell, *asking = contest->cells->cells[cell].cell;
	char offers[TABLE_TEXT], asks[TABLE_TEXT];

	if (strcmp(contest->rests[baseline].key, contest->rests[cell].key) != 0)
		return false;
	table_capacity_text(offers, offered);
	table_capacity_text(asks, asking);
	if (waits_same(asking, offered) && !offered->capacity != !asking->capacity && room(offered) != room(asking))
		snprintf(reason, COMPARE_TEXT, "capacity/window: %.40s against %.40s; can be compared when measured with --window %ju", offers, asks,
			 (uintmax_t)(offered->capacity ? offered->capacity : asking->capacity));
	else if (waits_same(asking, offered))
		snprintf(reason, COMPARE_TEXT, "capacity/window: %.60s against %.60s", offers, asks);
	else
		snprintf(reason, COMPARE_TEXT, "wait: %.60s against %.60s", offered->wait, asking->wait);
	return true;
}

/* Why nothing stands against it: the baseline's cell that comes nearest, if one comes near. */
static void contest_explain(struct compare_row *row, const struct contest *contest, long cell)
{
	char reason[COMPARE_TEXT] = "the baseline has no cell like it", found[COMPARE_TEXT];

	for (long i = 0; i < contest->cells->count; i++) {
		if (!is_baseline(contest, i))
			continue;
		if (nature_explains(contest, i, cell, reason))
			break;
		if (compare_cells_near(&contest->rests[i], &contest->rests[cell], found))
			strcpy(reason, found);
	}
	row_refuse(row, reason);
}

static int contest_match(struct comparison *comparison, const struct contest *contest)
{
	struct compare_cell *cells = contest->cells->cells;

	for (long i = 0; i < contest->cells->count; i++) {
		long baseline;
		struct compare_row *row;

		if (is_baseline(contest, i) || summary_is_floor(cells[i].cell))
			continue;
		baseline = baseline_of(contest, i);
		row = row_next(comparison);
		if (baseline < 0) {
			row->cell = cells[i].cell;
			row_regimes_none(row);
			contest_explain(row, contest, i);
			continue;
		}
		cells[baseline].matched = true;
		if (compare_row_fill(row, &cells[baseline], &cells[i], comparison->settings.ignore_regime))
			return -ENOMEM;
		row->clock_bound_ns = 0; /* both sides had the same offset */
	}
	for (long i = 0; i < contest->cells->count; i++)
		if (is_baseline(contest, i) && !cells[i].matched) {
			struct compare_row *row = row_next(comparison);

			row->baseline_cell = cells[i].cell;
			row->unmatched = true;
			row_regimes_none(row);
			row_refuse(row, "no other queue has a cell like it");
		}
	return 0;
}

static void contest_end(struct contest *contest)
{
	if (contest->rests)
		compare_cells_free(contest->rests, contest->cells->count);
}

static int contest_begin(struct contest *contest)
{
	long count = contest->cells->count;

	contest->rests = calloc((size_t)count + 1, sizeof(*contest->rests));
	if (!contest->rests)
		return -ENOMEM;
	for (long i = 0; i < count; i++)
		if (rest_make(&contest->rests[i], &contest->cells->cells[i]))
			return -ENOMEM;
	return 0;
}

int compare_queues(struct comparison *comparison, struct compare_input input, const char *baseline, const struct compare_settings *settings)
{
	struct cells cells = { 0 }, none = { 0 };
	struct contest contest = { .cells = &cells, .baseline = baseline };
	int err;

	cells.count = compare_cells_make(&cells.cells, input.summary);
	err = comparison_begin(comparison, settings, &cells, &none);
	if (!err)
		err = contest_begin(&contest);
	if (!err)
		err = contest_match(comparison, &contest);
	for (size_t i = 0; !err && i < comparison->row_count; i++)
		if (comparison->rows[i].verdict != COMPARE_INCOMPARABLE)
			check_optimised(&comparison->rows[i], input.record, input.record);
	if (!err) {
		check_clocks(comparison, input.record, input.record);
		err = compare_judge(comparison, NULL);
	}
	contest_end(&contest);
	compare_cells_free(cells.cells, cells.count);
	if (err)
		compare_free(comparison);
	return err;
}
