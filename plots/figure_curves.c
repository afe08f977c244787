/* Arrivals and departures of consecutive messages of one trial; the area between is the sum of their latencies. */
#include "figure_fill.h"
#include "number.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGES_LEAST = 8, MESSAGES_MOST = 2000, LATENCIES_WIDE = 40 };

static int rank(const struct record_trial *trial)
{
	const struct record_cell *cell = &trial->cell;

	if (strcmp(cell->workload, "stream") == 0 && strcmp(cell->load, "closed") == 0)
		return strcmp(cell->queue, "ypipe") == 0 ? 0 : 1;
	return 2;
}

/* Whether a trial is counted in the run's main regime. */
static bool is_main(const struct summary *summary, const struct record_trial *trial)
{
	for (size_t r = 0; r < summary->row_count; r++) {
		const struct summary_row *row = &summary->rows[r];

		if (!summary->regime_count || row->line_ns != summary->regimes[summary->main_regime].line_ns)
			continue;
		for (size_t m = 0; m < row->trials; m++)
			if (row->members[m] == trial)
				return true;
	}
	return false;
}

/* The first trial that has a slice: by rank, and of one rank those of the main regime first. Returns 1, 0 (none), or -errno. */
static int trial_choose(const struct record *record, const struct summary *summary, const struct record_trial **chosen,
			struct record_slice *slice, char *error_text)
{
	for (int wanted = 0; wanted <= 5; wanted++)
		for (size_t t = 0; t < record->trial_count; t++) {
			const struct record_trial *trial = &record->trials[t];
			int found;

			if (!trial->valid || trial->moved || rank(trial) != wanted / 2)
				continue;
			if (wanted % 2 == 0 && !is_main(summary, trial))
				continue;
			found = record_slice(record, trial, slice, error_text);
			if (found > 0 && slice->n == 0) {
				record_slice_free(slice);
				continue;
			}
			*chosen = trial;
			if (found)
				return found;
		}
	return 0;
}

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static double area_ns(const struct record_slice *slice, size_t n)
{
	double area = 0;

	for (size_t i = 0; i < n; i++)
		area += slice->to_ns[i] - slice->from_ns[i];
	return area;
}

/* As many messages as still show their latency: the time that they span is a few dozen latencies. */
static size_t messages_to_draw(const struct record_slice *slice)
{
	double wide = LATENCIES_WIDE * fabs(area_ns(slice, slice->n)) / (double)slice->n;
	size_t n = slice->n < MESSAGES_MOST ? slice->n : MESSAGES_MOST;

	while (n > MESSAGES_LEAST && slice->from_ns[n - 1] - slice->from_ns[0] > wide)
		n--;
	return n;
}

static void header_write(struct sheet *sheet, const struct record *record, const struct record_trial *trial)
{
	const char *model = json_string_value(json_object_get(json_object_get(record->run, "host"), "cpu_model"));
	const struct record_cell *cell = &trial->cell;
	char machine[SHEET_TEXT], queue[SHEET_TEXT], capacity[64] = "unbounded", window[64] = "",
						     line[64] = "line not measured", text[NUMBER_TEXT];

	if (cell->capacity)
		snprintf(capacity, sizeof(capacity), "%" PRIu64, cell->capacity);
	if (cell->window)
		snprintf(window, sizeof(window), ", window %" PRIu64, cell->window);
	if (trial->line_before_ns > 0)
		snprintf(line, sizeof(line), "line %s a round trip", number_time(text, trial->line_before_ns));
	sheet_clean(machine, sizeof(machine), model ? model : "unknown CPU", 60);
	sheet_clean(queue, sizeof(queue), cell->queue, SHEET_LABEL);
	sheet_head(sheet,
		   "%s | %s, %s | %s: %s, %s load%s, batch %" PRIu64 " | %" PRIu64 "-byte messages | capacity %s | "
										   "wait %s | "
		   "one trial, number %" PRIu64,
		   machine, cell->place, line, queue, cell->workload, cell->load, window, cell->batch,
		   cell->message_bytes, capacity, cell->wait, trial->id);
}

static void notes_write(struct sheet *sheet, const struct record_trial *trial, const struct record_slice *slice,
			size_t n, bool reordered, size_t below_zero)
{
	double bound = 0;
	char text[NUMBER_TEXT];

	for (size_t l = 0; l < trial->latency_count; l++)
		if (!strcmp(trial->latencies[l].from_point, slice->from_point) &&
		    !strcmp(trial->latencies[l].to_point, slice->to_point) &&
		    trial->latencies[l].offset_half_width_ns > bound)
			bound = trial->latencies[l].offset_half_width_ns;
	sheet_note(sheet,
		   "Each strip is a message, as long as its latency from %s to %s. Drawn: the first %zu of the slice's "
		   "%zu "
		   "messages, from number %" PRIu64 " on.",
		   slice->from_point, slice->to_point, n, slice->n, slice->sequence[0]);
	if (bound > 0)
		sheet_note(sheet,
			   "The two ends have clocks of their own: departures may lie up to %s to either side.",
			   number_time(text, bound));
	if (below_zero)
		sheet_note(sheet,
			   "%zu messages seem to be read before they were written: the clocks' offset; their strips "
			   "count as "
			   "negative.",
			   below_zero);
	if (reordered)
		sheet_note(sheet, "Messages did not leave in the order of arrival; the departure curve is in the order "
				  "of leaving.");
}

/* Times count from the first message drawn. */
static int slice_write(struct sheet *sheet, const struct record_slice *slice, size_t n, bool *reordered,
		       size_t *below_zero, double *end_ns)
{
	double *departures = malloc(n * sizeof(*departures)), start = slice->from_ns[0];

	if (!departures)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		departures[i] = slice->to_ns[i];
		*reordered |= i && slice->to_ns[i] < slice->to_ns[i - 1];
		*below_zero += slice->to_ns[i] < slice->from_ns[i];
		*end_ns = fmax(*end_ns, fmax(slice->from_ns[i], slice->to_ns[i]) - start);
	}
	qsort(departures, n, sizeof(*departures), by_value);
	fprintf(sheet->data, "message\tarrival_ns\tdeparture_ns\tdeparture_sorted_ns\tsequence\n");
	for (size_t i = 0; i < n; i++)
		fprintf(sheet->data, "%zu\t%.1f\t%.1f\t%.1f\t%" PRIu64 "\n", i + 1, slice->from_ns[i] - start,
			slice->to_ns[i] - start, departures[i] - start, slice->sequence[i]);
	free(departures);
	return 0;
}

static void settings_write(struct sheet *sheet, const struct record_slice *slice, size_t n, double end_ns)
{
	double area = area_ns(slice, n), scale = end_ns < 5e3 ? 1 : end_ns < 5e6 ? 1e3 : 1e6;
	char label[SHEET_TEXT], sum[NUMBER_TEXT], mean[NUMBER_TEXT];

	snprintf(label, sizeof(label), "area = sum of latencies = %s, over %zu messages: mean latency %s", number_time(sum, area), n,
		 number_time(mean, area / (double)n));
	sheet->width = 110;
	sheet->height = 34;
	sheet_set_number(sheet, "plot_left", 11);
	sheet_set_number(sheet, "plot_right", 107);
	sheet_set_number(sheet, "legend_line", 29);
	sheet_set_numbers(sheet, "panel_top", (const double[]){ 1 }, 1);
	sheet_set_numbers(sheet, "panel_bottom", (const double[]){ 25 }, 1);
	sheet_set_number(sheet, "time_scale", scale);
	sheet_set_text(sheet, "time_unit", scale > 1e3 ? "ms" : scale > 1 ? "us" : "ns");
	sheet_set_text(sheet, "area_label", label);
	sheet_set_text(sheet, "from_label", slice->from_point);
	sheet_set_text(sheet, "to_label", slice->to_point);
	sheet_set_number(sheet, "x_high", (end_ns > 0 ? end_ns : 1) * 1.03 / scale);
	sheet_set_number(sheet, "y_high", (double)n * 1.05);
}

int figure_fill_curves(struct sheet *sheet, const struct record *record, const struct summary *summary)
{
	const struct record_trial *trial = NULL;
	struct record_slice slice;
	char error_text[RECORD_TEXT];
	bool reordered = false;
	size_t n, below_zero = 0;
	double end_ns = 0;
	int error = trial_choose(record, summary, &trial, &slice, error_text);

	if (error < 0) {
		sheet_complain(sheet, "%s", error_text);
		return error;
	}
	if (!error)
		return sheet_complain(sheet, "no valid trial has a slice of its messages' times");
	n = messages_to_draw(&slice);
	header_write(sheet, record, trial);
	error = slice_write(sheet, &slice, n, &reordered, &below_zero, &end_ns);
	if (!error) {
		settings_write(sheet, &slice, n, end_ns);
		notes_write(sheet, trial, &slice, n, reordered, below_zero);
	}
	record_slice_free(&slice);
	return error;
}
