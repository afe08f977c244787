#include "export_parts.h"

#include <math.h>
#include <string.h>

/* A label's value or a line of help: backslash, newline and quote are escaped. */
static void label_write(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++)
		switch (*value) {
		case '\n':
			fputs("\\n", out);
			break;
		case '"':
		case '\\':
			putc('\\', out);
			/* fall through */
		default:
			putc(*value, out);
		}
	putc('"', out);
}

/* "{queue="ring",…,regime="r100"": without what is null, and without the closing brace. */
static void labels_write(FILE *out, const struct summary_row *row)
{
	putc('{', out);
	for (const struct export_parameter *parameter = export_parameters; parameter->name; parameter++) {
		char text[EXPORT_VALUE];

		if (!*export_value(text, json_object_get(row->cell->json, parameter->name)))
			continue;
		label_write(out, parameter->name, text);
		putc(',', out);
	}
	label_write(out, "regime", row->regime);
}

static void sample_write(FILE *out, const char *metric, const struct summary_row *row, const char *more, const char *statistic, double value)
{
	char text[NUMBER_TEXT];

	fputs(metric, out);
	labels_write(out, row);
	fprintf(out, "%s,statistic=\"%s\"} %s\n", more, statistic, number_plain(text, value));
}

/* The median, and its interval's ends where there is one. */
static void value_write(FILE *out, const char *metric, const struct summary_row *row, const char *more, const struct summary_value *value,
			double scale)
{
	if (!value->known)
		return;
	sample_write(out, metric, row, more, "median", value->median * scale);
	if (!value->interval.known)
		return;
	sample_write(out, metric, row, more, "low", value->interval.low * scale);
	sample_write(out, metric, row, more, "high", value->interval.high * scale);
}

static void family_write(FILE *out, const char *name, const char *unit, const char *help)
{
	fprintf(out, "# TYPE %s gauge\n", name);
	if (unit)
		fprintf(out, "# UNIT %s %s\n", name, unit);
	fprintf(out, "# HELP %s %s\n", name, help);
}

static void rates_write(FILE *out, const struct summary *summary)
{
	static const char metric[] = "twopoint_rate_messages_per_second";

	family_write(out, metric, "messages_per_second",
		     "Messages that passed a point: the median over trials, and the ends of its 95 % interval.");
	for (size_t i = 0; i < summary->row_count; i++) {
		value_write(out, metric, &summary->rows[i], ",point=\"write\"", &summary->rows[i].sender_rate, 1);
		value_write(out, metric, &summary->rows[i], ",point=\"read\"", &summary->rows[i].receiver_rate, 1);
	}
}

enum { LATENCY_LABELS = 200 };

static void latency_labels(char labels[LATENCY_LABELS], const struct summary_latency *latency, const char *quantile)
{
	snprintf(labels, LATENCY_LABELS, ",from=\"%.12s\",from_actor=\"%d\",to=\"%.12s\",to_actor=\"%d\",from_queue=\"%d\","
		 "to_queue=\"%d\",quantile=\"%s\"", latency->from_point, latency->from_actor, latency->to_point, latency->to_actor, latency->from_queue,
		 latency->to_queue, quantile);
}

/* Of the least and the percentiles the median of the trials; the greatest of all trials is no median. */
static void latency_write(FILE *out, const char *metric, const struct summary_row *row, const struct summary_latency *latency)
{
	const struct {
		const char *quantile;
		const struct summary_value *value;
	} values[] = { { "0", &latency->min_ns },      { "0.5", &latency->p50_ns },	{ "0.9", &latency->p90_ns },   { "0.99", &latency->p99_ns },
		       { "0.999", &latency->p99_9_ns }, { "0.9999", &latency->p99_99_ns } };

	char more[LATENCY_LABELS];

	if (latency->saturated)
		return;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		latency_labels(more, latency, values[i].quantile);
		value_write(out, metric, row, more, values[i].value, 1e-9);
	}
	if (latency->greatest_ns >= 0) {
		latency_labels(more, latency, "1");
		sample_write(out, metric, row, more, "greatest", latency->greatest_ns * 1e-9);
	}
}

static void latencies_write(FILE *out, const struct summary *summary)
{
	static const char metric[] = "twopoint_latency_seconds";

	family_write(out, metric, "seconds", "Time of a message between two points, by quantile: the median over trials, and the ends of its "
		     "95 % interval; of quantile 1 the greatest of all trials. Actor -1: all. What is saturated has none.");
	for (size_t i = 0; i < summary->row_count; i++)
		for (size_t l = 0; l < summary->rows[i].latency_count; l++)
			latency_write(out, metric, &summary->rows[i], &summary->rows[i].latency[l]);
}

static void trials_write(FILE *out, const struct summary *summary)
{
	family_write(out, "twopoint_trials", NULL, "Trials of a cell, by what became of them; disturbed ones are counted ones, too.");
	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];
		const struct {
			const char *state;
			size_t n;
		} states[] = { { "counted", row->trials }, { "disturbed", row->disturbed }, { "moved", row->moved },
			       { "invalid", row->invalid }, { "failed", row->failed } };

		for (size_t k = 0; k < sizeof(states) / sizeof(states[0]); k++) {
			fputs("twopoint_trials", out);
			labels_write(out, row);
			fprintf(out, ",state=\"%s\"} %zu\n", states[k].state, states[k].n);
		}
	}
}

int export_openmetrics(FILE *out, const struct record *record, const struct summary *summary, char *error)
{
	(void)record;
	(void)error;
	rates_write(out, summary);
	latencies_write(out, summary);
	trials_write(out, summary);
	family_write(out, "twopoint_fit", NULL, "The run's verdict: 1 where the machine was quiet enough for these numbers.");
	fprintf(out, "twopoint_fit{part=\"rates\"} %d\ntwopoint_fit{part=\"tails\"} %d\n", summary->rates.fit, summary->tails.fit);
	fputs("# EOF\n", out);
	return 0;
}
