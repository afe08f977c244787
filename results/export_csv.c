#include "export_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The pairs of points that some trial has, by the first such trial. */
struct columns {
	const struct record_latency **list;
	size_t count;
};

/* By what columns are named after: within a trial, actors and points tell latencies apart; queues are numbered by the workload. */
static bool same_points(const struct record_latency *a, const struct record_latency *b)
{
	return a->from_actor == b->from_actor && a->to_actor == b->to_actor && !strcmp(a->from_point, b->from_point) &&
	       !strcmp(a->to_point, b->to_point);
}

static int columns_find(struct columns *columns, const struct record *record)
{
	for (size_t t = 0; t < record->trial_count; t++)
		for (size_t l = 0; l < record->trials[t].latency_count; l++) {
			const struct record_latency *latency = &record->trials[t].latencies[l];
			const struct record_latency **grown;
			size_t i = 0;

			while (i < columns->count && !same_points(columns->list[i], latency))
				i++;
			if (i < columns->count)
				continue;
			grown = realloc(columns->list, (i + 1) * sizeof(*grown));
			if (!grown)
				return -ENOMEM;
			columns->list = grown;
			columns->list[columns->count++] = latency;
		}
	return 0;
}

/* ---- fields: each but the first begins with its comma ---- */

static void text_write(FILE *out, const char *text)
{
	bool quoted = text[strcspn(text, ",\"\r\n")] != '\0';

	if (quoted)
		putc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', out);
		putc(*text, out);
	}
	if (quoted)
		putc('"', out);
}

static void put_text(FILE *out, const char *text)
{
	putc(',', out);
	text_write(out, text);
}

static void put_flag(FILE *out, bool known, bool flag)
{
	put_text(out, !known ? "" : flag ? "true" : "false");
}

static void put_number(FILE *out, bool known, double value)
{
	char text[NUMBER_TEXT];

	put_text(out, known ? number_plain(text, value) : "");
}

/* < 0: null */
static void put_positive(FILE *out, double value)
{
	put_number(out, value >= 0, value);
}

/* ---- columns of one trial ---- */

struct number_column {
	const char *name;
	double (*of)(const struct record_trial *trial); /* < 0: null */
};

static double line_before(const struct record_trial *trial)
{
	return trial->line_before_ns;
}

static double line_after(const struct record_trial *trial)
{
	return trial->line_after_ns;
}

static double stall_share(const struct record_trial *trial)
{
	return trial->stall_share;
}

static double stamped_every(const struct record_trial *trial)
{
	return trial->stamp_every ? (double)trial->stamp_every : -1;
}

static double stamped_asked(const struct record_trial *trial)
{
	return trial->stamp_asked ? (double)trial->stamp_asked : -1;
}

static const struct number_column number_columns[] = {
	{ "line_before_ns", line_before },
	{ "line_after_ns", line_after },
	{ "write_rate_per_s", summary_trial_sender_rate },
	{ "read_rate_per_s", summary_trial_receiver_rate },
	{ "producers_jain", summary_trial_sender_jain },
	{ "consumers_jain", summary_trial_receiver_jain },
	{ "mean_batch_messages", summary_trial_mean_batch },
	{ "refused_per_message", summary_trial_refused_share },
	{ "empty_per_preread", summary_trial_empty_share },
	{ "cpu_ns_per_message", summary_trial_cpu_ns_per_message },
	{ "stall_share", stall_share },
	{ "offered_per_s", summary_trial_offered },
	{ "capacity_per_s", summary_trial_capacity },
	{ "reached_per_s", summary_trial_reached },
	{ "reached_share", summary_trial_reached_share },
	/* one message in so many: where the two differ, the cell's parameter `stamps` is not what its latencies are of */
	{ "stamps_every", stamped_every },
	{ "stamps_asked", stamped_asked },
};

enum { NUMBER_COLUMNS = sizeof(number_columns) / sizeof(number_columns[0]) };

static const char *const latency_fields[] = { "tag",	"count",  "below_zero", "beyond",    "offset_half_width_ns", "min_ns", "mean_ns",
					      "p50_ns", "p90_ns", "p99_ns",	"p99_9_ns", "p99_99_ns",	    "max_ns" };

enum { LATENCY_FIELDS = sizeof(latency_fields) / sizeof(latency_fields[0]) };

/* "write_0_to_read_1_p50_ns" */
static void put_latency_names(FILE *out, const struct record_latency *latency)
{
	char points[EXPORT_POINTS], name[EXPORT_POINTS + 32];

	export_points(points, latency->from_point, latency->from_actor, "_to_", latency->to_point, latency->to_actor);
	for (size_t i = 0; i < LATENCY_FIELDS; i++) {
		snprintf(name, sizeof(name), "%s_%s", points, latency_fields[i]);
		put_text(out, name);
	}
}

static void put_latency(FILE *out, const struct record_latency *latency)
{
	if (!latency) {
		for (size_t i = 0; i < LATENCY_FIELDS; i++)
			putc(',', out);
		return;
	}
	put_text(out, latency->tag ? latency->tag : "");
	put_number(out, true, (double)latency->count);
	put_number(out, true, (double)latency->below_zero);
	put_number(out, true, (double)latency->beyond);
	put_positive(out, latency->offset_half_width_ns);
	put_number(out, latency->min_known, latency->min_ns);
	put_positive(out, latency->mean_ns);
	put_number(out, latency->p50_ns >= 0 || latency->count >= SUMMARY_P50_SAMPLES, latency->p50_ns);
	put_positive(out, latency->p90_ns);
	put_positive(out, latency->p99_ns);
	put_positive(out, latency->p99_9_ns);
	put_positive(out, latency->p99_99_ns);
	put_positive(out, latency->max_ns);
}

static void head_write(FILE *out, const struct columns *columns)
{
	fputs("id,status,why,valid,moved,disturbed,regime_ns", out);
	for (const struct export_parameter *parameter = export_parameters; parameter->name; parameter++)
		put_text(out, parameter->name);
	for (size_t i = 0; i < NUMBER_COLUMNS; i++)
		put_text(out, number_columns[i].name);
	put_text(out, "rate_reached");
	put_text(out, "saturated");
	for (size_t i = 0; i < columns->count; i++)
		put_latency_names(out, columns->list[i]);
	fputs("\r\n", out);
}

/* row: NULL where the trial does not count. */
static void trial_write(FILE *out, const struct record_trial *trial, const struct summary_row *row, const struct columns *columns)
{
	fprintf(out, "%llu", (unsigned long long)trial->id);
	put_text(out, trial->status);
	put_text(out, trial->why ? trial->why : "");
	put_flag(out, true, trial->valid);
	put_flag(out, true, trial->moved);
	put_flag(out, true, trial->disturbed);
	put_positive(out, row ? row->line_ns : -1);
	for (const struct export_parameter *parameter = export_parameters; parameter->name; parameter++) {
		char text[EXPORT_VALUE];

		put_text(out, export_value(text, json_object_get(trial->cell.json, parameter->name)));
	}
	for (size_t i = 0; i < NUMBER_COLUMNS; i++)
		put_positive(out, number_columns[i].of(trial));
	put_flag(out, trial->is_open && trial->open.rate_reached_known, trial->open.rate_reached);
	put_flag(out, trial->is_open && trial->open.saturated_known, trial->open.saturated);
	for (size_t i = 0; i < columns->count; i++) {
		const struct record_latency *found = NULL;

		for (size_t l = 0; l < trial->latency_count && !found; l++)
			if (same_points(&trial->latencies[l], columns->list[i]))
				found = &trial->latencies[l];
		put_latency(out, found);
	}
	fputs("\r\n", out);
}

int export_csv(FILE *out, const struct record *record, const struct summary *summary, char *error)
{
	const struct summary_row **rows = calloc(record->trial_count + 1, sizeof(*rows)); /* by trial */
	struct columns columns = { 0 };
	int err = rows ? columns_find(&columns, record) : -ENOMEM;

	for (size_t r = 0; !err && r < summary->row_count; r++)
		for (size_t t = 0; t < summary->rows[r].trials; t++)
			rows[summary->rows[r].members[t] - record->trials] = &summary->rows[r];
	if (!err) {
		head_write(out, &columns);
		for (size_t t = 0; t < record->trial_count; t++)
			trial_write(out, &record->trials[t], rows[t], &columns);
	} else {
		snprintf(error, RECORD_TEXT, "%.300s: no memory to export it", record->path);
	}
	free(columns.list);
	free(rows);
	return err;
}
