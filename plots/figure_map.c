/* Which queue is ahead where: a tile for each batch size and capacity (of a ping-pong: message size and capacity), a map for each regime of
 * the line, since what wins depends on it. */
#include "chart.h"
#include "figure_fill.h"
#include "number.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE_MOST = 12, TILE_LINES = 4, TILE_WIDTH = 19, TEXT_WIDTH = TILE_WIDTH - 2, LEFT = 12 };

/* A regime in which few trials came about by chance has some of some queues: one or two tell nothing of who is ahead. */
enum { TRIALS_LEAST = 3 };

/* The tiles of a panel: its batches or sizes from left to right, its capacities downwards. */
struct map {
	const struct panel *panel;
	const struct summary_row **measured; /* what stands in such a panel of any regime: who is missing in this one is known by it */
	size_t measured_count;
	bool is_trip;
	double columns[SIDE_MOST], rows[SIDE_MOST];
	size_t column_count, row_count;
};

struct maps {
	struct panels panels;
	struct series series;
	struct map list[PANELS_MOST];
	char **keys;     /* an element a row of the summary: its panel's */
	size_t left_out; /* panels without two queues on two tiles */
	bool missing;    /* in some tile a queue has too few trials */
	size_t beyond;   /* columns and rows that find no room */
};

/* The best two of a tile; how many queues were measured there, in whatever regime, and how many of them have trials enough in this one. */
struct contest {
	const struct summary_row *best, *next;
	size_t measured, told;
};

static bool row_is_trip(const struct summary_row *row)
{
	return !strcmp(row->cell->workload, "pingpong");
}

static const struct summary_value *value_of(const struct summary_row *row)
{
	return row_is_trip(row) ? chart_round_trip(row) : &row->receiver_rate;
}

static double column_of(const struct summary_row *row)
{
	return (double)(row_is_trip(row) ? row->cell->message_bytes : row->cell->batch);
}

/* Of a ping-pong a queue without bound holds what is under way: it belongs to each capacity, and to none. */
static bool has_any_capacity(const struct summary_row *row)
{
	return !row->cell->capacity && (row_is_trip(row) || !row->cell->window);
}

/* ---- where the tiles lie ---- */

/* Adds a place to those that there are, in ascending order. Returns whether it has one. */
static bool side_add(double *side, size_t *count, double place)
{
	size_t at = 0;

	while (at < *count && side[at] < place)
		at++;
	if (at < *count && side[at] == place)
		return true;
	if (*count == SIDE_MOST)
		return false;
	memmove(&side[at + 1], &side[at], (*count - at) * sizeof(*side));
	side[at] = place;
	++*count;
	return true;
}

static int map_find_measured(struct map *map, char *const *keys, const struct summary *summary)
{
	const struct panel *panel = map->panel;

	map->measured = calloc(summary->row_count + 1, sizeof(*map->measured));
	for (size_t i = 0; map->measured && i < summary->row_count; i++) {
		const struct record_cell *cell = summary->rows[i].cell;

		if (!strcmp(keys[i], panel->key) && !strcmp(cell->place, panel->first->cell->place) &&
		    (!strcmp(cell->wait, "native") || !strcmp(cell->wait, panel->first->cell->wait)))
			map->measured[map->measured_count++] = &summary->rows[i];
	}
	return map->measured ? 0 : -ENOMEM;
}

static int map_make(struct maps *maps, struct map *map, const struct panel *panel, const struct summary *summary)
{
	free(map->measured); /* of the panel that had this place before */
	*map = (struct map){ .panel = panel, .is_trip = row_is_trip(panel->first) };
	for (size_t i = 0; i < panel->row_count; i++) {
		const struct summary_row *row = panel->rows[i];

		if (summary_is_floor(row->cell))
			continue;
		maps->beyond += !side_add(map->columns, &map->column_count, column_of(row));
		if (!has_any_capacity(row))
			maps->beyond += !side_add(map->rows, &map->row_count, chart_capacity(row));
	}
	if (!map->row_count)
		map->rows[map->row_count++] = 0; /* all without bound */
	return map_find_measured(map, maps->keys, summary);
}

/* ---- who is ahead ---- */

/* Whether a queue was measured at one batch alone, whatever the regime: it then stands beside any batch of the others. */
static bool has_one_batch(const struct map *map, const struct summary_row *row)
{
	for (size_t i = 0; i < map->measured_count; i++)
		if (!strcmp(map->measured[i]->cell->queue, row->cell->queue) && map->measured[i]->cell->batch != row->cell->batch)
			return false;
	return row->cell->batch == 1;
}

static bool lies_at(const struct map *map, const struct summary_row *row, size_t column, size_t line)
{
	if (summary_is_floor(row->cell) || (!has_any_capacity(row) && chart_capacity(row) != map->rows[line]))
		return false;
	return column_of(row) == map->columns[column] || (!map->is_trip && has_one_batch(map, row));
}

static bool takes_part(const struct map *map, const struct summary_row *row, size_t column, size_t line)
{
	return (row->first || row->trials >= TRIALS_LEAST) && lies_at(map, row, column, line);
}

/* Queues among the rows that lie at a tile. */
static size_t queues_at(const struct map *map, const struct summary_row *const *rows, size_t count, size_t column, size_t line,
			bool (*counts)(const struct map *, const struct summary_row *, size_t, size_t))
{
	size_t queues = 0;

	for (size_t i = 0; i < count; i++) {
		bool again = !counts(map, rows[i], column, line);

		for (size_t k = 0; k < i && !again; k++)
			again = !strcmp(rows[k]->cell->queue, rows[i]->cell->queue) && counts(map, rows[k], column, line);
		queues += !again;
	}
	return queues;
}

static bool is_better(const struct map *map, const struct summary_row *row, const struct summary_row *than)
{
	double one, other;

	if (!than)
		return true;
	one = value_of(row)->median;
	other = value_of(than)->median;
	return map->is_trip ? one < other : one > other;
}

/* Of a queue that was measured in several ways (of waiting, or with several windows) the best counts. */
static struct contest contest_of(const struct map *map, size_t column, size_t line)
{
	struct contest contest = { NULL, NULL, 0, 0 };

	for (size_t pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < map->panel->row_count; i++) {
			const struct summary_row *row = map->panel->rows[i];

			if (!takes_part(map, row, column, line))
				continue;
			if (!pass && is_better(map, row, contest.best))
				contest.best = row;
			else if (pass && strcmp(row->cell->queue, contest.best->cell->queue) && is_better(map, row, contest.next))
				contest.next = row;
		}
	return contest;
}

/* How many times as good the best one is. */
static double lead_of(const struct map *map, const struct contest *contest)
{
	double best = value_of(contest->best)->median, next = value_of(contest->next)->median;

	return map->is_trip ? next / best : best / next;
}

/* Their intervals are known, and lie apart, and nobody is missing. */
static bool is_clear(const struct contest *contest)
{
	const struct interval *best = &value_of(contest->best)->interval, *next = &value_of(contest->next)->interval;

	return contest->told == contest->measured && best->known && next->known && (best->low > next->high || best->high < next->low);
}

static size_t contested_tiles(const struct map *map)
{
	size_t count = 0;

	for (size_t column = 0; column < map->column_count; column++)
		for (size_t line = 0; line < map->row_count; line++)
			count += contest_of(map, column, line).next != NULL;
	return count;
}

static int keys_make(struct maps *maps, const struct summary *summary)
{
	maps->keys = calloc(summary->row_count + 1, sizeof(*maps->keys));
	for (size_t i = 0; maps->keys && i < summary->row_count; i++) {
		maps->keys[i] = panels_key(summary->rows[i].cell, PANELS_BY_SETTING);
		if (!maps->keys[i])
			return -ENOMEM;
	}
	return maps->keys ? 0 : -ENOMEM;
}

static void maps_free(struct maps *maps, const struct summary *summary)
{
	for (size_t p = 0; p < PANELS_MOST; p++)
		free(maps->list[p].measured);
	for (size_t i = 0; maps->keys && i < summary->row_count; i++)
		free(maps->keys[i]);
	free(maps->keys);
	panels_free(&maps->panels);
	series_free(&maps->series);
	free(maps);
}

static int maps_collect(struct maps *maps, struct sheet *sheet, const struct summary *summary)
{
	static const struct panels_wish wishes[] = {
		{ PANELS_BY_SETTING, chart_has_rate, chart_reader_rate, "", .all_regimes = true },
		{ PANELS_BY_SETTING, chart_has_trip, chart_trip_ns, "", .all_regimes = true },
	};

	int error = keys_make(maps, summary);

	for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]) && error >= 0; i++)
		error = panels_make(&maps->panels, sheet, summary, &wishes[i]);
	if (error < 0)
		return error;
	for (size_t p = maps->panels.count; p-- > 0;) {
		if (map_make(maps, &maps->list[p], &maps->panels.list[p], summary))
			return -ENOMEM;
		if (contested_tiles(&maps->list[p]) < 2) {
			panels_remove(&maps->panels, p);
			maps->left_out++;
		}
	}
	if (!maps->panels.count)
		return panels_complain(&maps->panels, sheet, "no two queues were measured at two settings (--queue A,B --batch 1,32, or "
							     "--capacity, or of a pingpong --message-size)");
	maps->beyond = 0;
	for (size_t p = 0; p < maps->panels.count; p++) /* once more: panels have moved up */
		if (map_make(maps, &maps->list[p], &maps->panels.list[p], summary))
			return -ENOMEM;
	return 0;
}

/* ---- what is drawn ---- */

/* A colour mixed with white: what stands on it is black. */
static unsigned paled(double colour, double share)
{
	unsigned rgb = (unsigned)colour, pale = 0;

	for (unsigned shift = 0; shift <= 16; shift += 8)
		pale |= (unsigned)lround(255 - share * (255 - (rgb >> shift & 255))) << shift;
	return pale;
}

static void value_write(char text[NUMBER_TEXT], const struct map *map, double value)
{
	if (map->is_trip)
		number_time(text, value);
	else
		number_rate(text, value);
}

/* What fits into the rest of a tile's line, behind what is in it; wide letters take the room of several. */
static void name_add(const struct sheet *sheet, char line[SHEET_TEXT], const char *name)
{
	size_t used = strlen(line), letters = TEXT_WIDTH - sheet_length(line);

	do
		sheet_clean(line + used, SHEET_TEXT - used, name, letters);
	while (sheet_columns(sheet, line) > TILE_WIDTH && --letters > 3);
}

static int tile_write(struct maps *maps, struct sheet *sheet, const struct summary *summary, size_t at, size_t column, size_t line)
{
	const struct map *map = &maps->list[at];
	struct contest contest = contest_of(map, column, line);
	char name[SHEET_TEXT] = "", lead[SHEET_TEXT], value[NUMBER_TEXT + TILE_WIDTH];
	bool clear;
	long looks;

	if (!contest.best)
		return 0;
	contest.told = queues_at(map, map->panel->rows, map->panel->row_count, column, line, takes_part);
	contest.measured = queues_at(map, map->measured, map->measured_count, column, line, lies_at);
	clear = contest.next && is_clear(&contest);
	looks = series_add(&maps->series, summary, at, contest.best->cell, "", sheet->dumb);
	if (looks < 0)
		return (int)looks;
	name_add(sheet, name, contest.best->cell->queue);
	value_write(value, map, value_of(contest.best)->median);
	maps->missing |= contest.told < contest.measured;
	if (contest.told < contest.measured)
		snprintf(value + strlen(value), TILE_WIDTH, ", %zu of %zu", contest.told, contest.measured);
	if (contest.next) {
		double times = lead_of(map, &contest);

		snprintf(lead, sizeof(lead), times < 9.995 ? "%s%.2f x " : "%s%.0f x ", clear ? "" : "~", times);
		name_add(sheet, lead, contest.next->cell->queue);
	} else {
		snprintf(lead, sizeof(lead), "alone");
	}
	fprintf(sheet->data, "%zu\t%zu\t%zu\t%u\t%g\t%g\t%.6g\t%.6g\t%d\t", at + 1, column + 1, line + 1,
		paled(maps->series.colour[looks - 1], clear ? 0.55 : 0.18), map->columns[column], map->rows[line],
		value_of(contest.best)->median, contest.next ? value_of(contest.next)->median : NAN, clear);
	sheet_data_text(sheet, name);
	fputc('\t', sheet->data);
	sheet_data_text(sheet, lead);
	fputc('\t', sheet->data);
	sheet_data_text(sheet, value);
	fputc('\t', sheet->data);
	sheet_data_text(sheet, contest.best->cell->queue);
	fputc('\t', sheet->data);
	sheet_data_text(sheet, contest.next ? contest.next->cell->queue : "");
	fputc('\n', sheet->data);
	return 0;
}

static void tics_write(struct sheet *sheet, const char *name, const struct maps *maps, bool across)
{
	size_t count = 0;

	for (size_t p = 0; p < maps->panels.count; p++)
		count += across ? maps->list[p].column_count : maps->list[p].row_count;
	sheet_set_array(sheet, name, count);
	count = 0;
	for (size_t p = 0; p < maps->panels.count; p++) {
		const struct map *map = &maps->list[p];

		for (size_t i = 0; i < (across ? map->column_count : map->row_count); i++) {
			double place = across ? map->columns[i] : map->rows[i];
			char text[NUMBER_TEXT];

			sheet_set_element_text(sheet, name, ++count, place > 0 ? number_size(text, (uint64_t)place) : "any");
		}
	}
}

static void maps_lay_out(const struct maps *maps, struct sheet *sheet)
{
	static const char *const arrays[] = { "map_top", "map_bottom", "map_right", "map_columns", "map_rows", "map_column", "map_row" };
	unsigned line = 0, width = panels_title_width(&maps->panels);
	size_t columns = 0, rows = 0;

	for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
		sheet_set_array(sheet, arrays[i], maps->panels.count);
	sheet_set_array(sheet, "map_title", maps->panels.count);
	sheet_set_array(sheet, "map_x_title", maps->panels.count);
	for (size_t p = 0; p < maps->panels.count; p++) {
		const struct map *map = &maps->list[p];
		unsigned right = LEFT + TILE_WIDTH * (unsigned)map->column_count, top = line + 2,
			 bottom = top + TILE_LINES * (unsigned)map->row_count;
		const double values[] = { top, bottom, right, (double)map->column_count, (double)map->row_count, (double)columns,
					  (double)rows };

		for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++)
			sheet_set_element(sheet, arrays[i], p + 1, values[i]);
		sheet_set_element_text(sheet, "map_title", p + 1, maps->panels.list[p].title);
		sheet_set_element_text(sheet, "map_x_title", p + 1, map->is_trip ? "message size, bytes" : "batch, messages");
		width = right > width ? right : width;
		columns += map->column_count;
		rows += map->row_count;
		line = bottom + 4;
	}
	sheet_set_number(sheet, "map_count", (double)maps->panels.count);
	sheet_set_number(sheet, "map_left", LEFT);
	tics_write(sheet, "map_column_name", maps, true);
	tics_write(sheet, "map_row_name", maps, false);
	sheet->width = width + 3 < 80 ? 80 : width + 3;
	sheet->height = line;
}

static void notes_write(const struct maps *maps, struct sheet *sheet)
{
	bool rates = false, trips = false;
	char count[NUMBER_TEXT];

	for (size_t p = 0; p < maps->panels.count; p++) {
		rates |= !maps->list[p].is_trip;
		trips |= maps->list[p].is_trip;
	}
	sheet_note(sheet, "In a tile: the best queue; by how many times it is ahead of the next, and who that is; %s.",
		   rates && trips ? "its messages per second at the reader, or the p50 of its round trip"
		   : rates        ? "its messages per second at the reader"
				  : "the p50 of its round trip");
	sheet_note(sheet, "Pale, and ~: the two are not told apart, for their 95 %% intervals overlap, or are not known (fewer than 6 "
			  "trials), or others are missing.");
	if (maps->missing)
		sheet_note(sheet, "2 of 8: so many of the queues that were measured there have %d trials or more in this regime; who would be "
				  "ahead of all is not known.", TRIALS_LEAST);
	if (maps->left_out)
		sheet_note(sheet, "%s without two queues at two settings %s left out.", number_of(count, maps->left_out, "map"),
			   number_is(maps->left_out));
	if (maps->beyond)
		sheet_note(sheet, "%s %s left out: a map has no more than %d columns and rows.", number_of(count, maps->beyond, "result"),
			   number_is(maps->beyond), SIDE_MOST);
}

int figure_fill_map(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	struct maps *maps = calloc(1, sizeof(*maps));
	int error;

	if (!maps)
		return -ENOMEM;
	error = maps_collect(maps, sheet, summary);
	if (error)
		goto done;
	panels_describe(&maps->panels, sheet, record, summary);
	fprintf(sheet->data, "map\tcolumn\trow\tcolour\tbatch_or_bytes\tcapacity\tbest_per_s_or_ns\tnext_per_s_or_ns\tclear\tbest\tlead\t"
			     "value\tbest_queue\tnext_queue\n");
	for (size_t p = 0; p < maps->panels.count; p++)
		for (size_t column = 0; column < maps->list[p].column_count; column++)
			for (size_t line = 0; line < maps->list[p].row_count && !error; line++)
				error = tile_write(maps, sheet, summary, p, column, line);
	maps_lay_out(maps, sheet);
	notes_write(maps, sheet);
	panels_note_stamps(sheet, summary);
done:
	maps_free(maps, summary);
	return error;
}
