#include "table_groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct summary_latency *primary_latency(const struct summary_row *row)
{
	const struct summary_latency *first = NULL;

	for (size_t i = 0; i < row->latency_count; i++) {
		if (row->latency[i].saturated)
			continue;
		if (row->latency[i].round_trip)
			return &row->latency[i];
		if (!first)
			first = &row->latency[i];
	}
	return first;
}

/* What the rows of one group may differ by; the table of an open load shows the rest of them as well. */
static const char *const columns[] = { "queue", "batch", "capacity", "window", "wait",
				       "rate_per_s", "rate_percent", "burst", "gap_ns" };

static char *key_without(const struct record_cell *cell, size_t count)
{
	json_t *rest = json_copy(cell->json);
	char *key;

	for (size_t i = 0; i < count; i++)
		json_object_del(rest, columns[i]);
	key = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
	json_decref(rest);
	return key;
}

char *table_groups_key(const struct record_cell *cell)
{
	return key_without(cell, 5);
}

static bool is_open(const struct record_cell *cell)
{
	return strcmp(cell->load, "open") == 0;
}

static char *group_key(const struct record_cell *cell)
{
	return is_open(cell) ? key_without(cell, sizeof(columns) / sizeof(columns[0])) : table_groups_key(cell);
}

/* As a reader looks for them; what else differs, in any lasting order. */
static int compare_groups(const struct table_row *a, const struct table_row *b)
{
	const struct record_cell *x = a->row->cell, *y = b->row->cell;
	int order = strcmp(x->workload, y->workload);

	if (!order)
		order = strcmp(x->load, y->load);
	if (!order)
		order = (x->message_bytes > y->message_bytes) - (x->message_bytes < y->message_bytes);
	if (!order)
		order = strcmp(x->place, y->place);
	return order ? order : strcmp(a->group, b->group);
}

static int compare_numbers(double x, double y)
{
	return (x > y) - (x < y);
}

static int compare_regimes(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;
	int order = compare_groups(x, y);

	return order ? order : compare_numbers(x->line_ns, y->line_ns);
}

/* How much an open load asks for; among equals nothing else. */
static int compare_loads(const struct record_cell *x, const struct record_cell *y)
{
	int order = compare_numbers((double)x->rate_percent, (double)y->rate_percent);

	if (!order)
		order = compare_numbers((double)x->rate_per_s, (double)y->rate_per_s);
	if (!order)
		order = compare_numbers((double)x->gap_ns, (double)y->gap_ns);
	return order ? order : compare_numbers((double)x->burst, (double)y->burst);
}

/* The quicker first, the unknown last. */
static int compare_results(const struct table_row *x, const struct table_row *y)
{
	const struct summary_value *a = x->primary ? &x->primary->p50_ns : &x->row->receiver_rate;
	const struct summary_value *b = y->primary ? &y->primary->p50_ns : &y->row->receiver_rate;

	if (!x->primary != !y->primary)
		return x->primary ? -1 : 1;
	if (a->known != b->known)
		return a->known ? -1 : 1;
	return x->primary ? compare_numbers(a->median, b->median) : compare_numbers(b->median, a->median);
}

static int compare_rows(const void *a, const void *b)
{
	const struct table_row *x = a, *y = b;
	bool x_floor = summary_is_floor(x->row->cell), y_floor = summary_is_floor(y->row->cell);
	int order = y->main_regime - x->main_regime;

	if (!order)
		order = compare_regimes(x, y);
	if (!order)
		order = x_floor - y_floor;
	if (!order)
		order = compare_loads(x->row->cell, y->row->cell);
	if (!order)
		order = compare_results(x, y);
	return order ? order
		     : (x->row->cell->index > y->row->cell->index) - (x->row->cell->index < y->row->cell->index);
}

bool table_groups_same(const struct table_row *a, const struct table_row *b)
{
	return compare_regimes(a, b) == 0;
}

/* A group's is the run's, where it has trials in that one; else its own most frequent one. rows are ordered by group and regime. */
static void mark_main_regimes(struct table_row *rows, size_t count, double run_line_ns)
{
	size_t first = 0; /* of the group */

	while (first < count) {
		size_t end = first, best = first, most = 0;

		while (end < count && compare_groups(&rows[first], &rows[end]) == 0) {
			size_t begin = end, trials = 0;

			for (; end < count && table_groups_same(&rows[begin], &rows[end]); end++)
				trials += rows[end].row->trials;
			if (trials && compare_numbers(rows[begin].line_ns, run_line_ns) == 0)
				trials = SIZE_MAX;
			if (trials > most) {
				most = trials;
				best = begin;
			}
		}
		for (size_t i = first; i < end; i++) {
			if (rows[i].row->trials ==
			    0) { /* a cell that failed has no regime: it stands with the others */
				rows[i].regime = rows[best].regime;
				rows[i].line_ns = rows[best].line_ns;
			}
			rows[i].main_regime = table_groups_same(&rows[best], &rows[i]);
		}
		first = end;
	}
}

long table_groups_make(struct table_row **rows, const struct summary *summary)
{
	size_t count = summary->row_count;

	*rows = calloc(count + 1, sizeof(**rows));
	if (!*rows)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct summary_row *row = &summary->rows[i];

		(*rows)[i] = (struct table_row){ .row = row,
						 .primary = primary_latency(row),
						 .open = is_open(row->cell),
						 .group = group_key(row->cell),
						 .regime = row->regime,
						 .line_ns = row->line_ns };
		if (!(*rows)[i].group) {
			table_groups_free(*rows, (long)i);
			return -ENOMEM;
		}
	}
	qsort(*rows, count, sizeof(**rows), compare_regimes);
	mark_main_regimes(*rows, count, summary->regime_count ? summary->regimes[summary->main_regime].line_ns : -1.0);
	qsort(*rows, count, sizeof(**rows), compare_rows);
	return (long)count;
}

void table_groups_free(struct table_row *rows, long count)
{
	for (long i = 0; i < count; i++)
		free(rows[i].group);
	free(rows);
}
