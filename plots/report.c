#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare_parts.h"
#include "number.h"
#include "report_html.h"
#include "report_parts.h"
#include "table_rows.h"

/* ---- what the parts share ---- */

const struct summary_latency *report_latency(const struct table_row *row)
{
	return compare_primary_latency(row->row);
}

/* An open load that nobody kept up with has a rate alone, which is no answer to it. */
bool report_is_time(const struct table_row *row)
{
	return row->open || report_latency(row);
}

const struct summary_value *report_value(const struct table_row *row)
{
	const struct summary_latency *latency = report_latency(row);
	const struct summary_value *value = latency ? &latency->p50_ns : row->open ? NULL : &row->row->receiver_rate;

	return value && value->known ? value : NULL;
}

void report_value_say(FILE *out, const struct summary_value *value, bool time)
{
	char text[TABLE_TEXT], interval[TABLE_TEXT];

	if (!value || !value->known) {
		html_say(out, "–");
		return;
	}
	(time ? table_time_text : table_rate_text)(text, value);
	table_interval_text(interval, value, time ? number_time_unit(value->median) : number_rate_unit(value->median));
	html_say(out, "%s%s%s", text, value->interval.known ? " " : "", value->interval.known ? interval : "");
}

size_t report_group_length(const struct report_part *part, size_t first)
{
	size_t end = first + 1;

	while (end < part->row_count && table_groups_same(&part->rows[first], &part->rows[end]))
		end++;
	return end - first;
}

const char *report_place_words(const char *place)
{
	static const char *const words[][2] = {{"same-cpu", "one CPU for both"},
					       {"smt", "two threads of one core"},
					       {"same-l2", "two cores with a common L2 cache"},
					       {"same-l3", "two cores, each with caches of its own, with a common L3"},
					       {"same-node", "two cores without a common cache, on one NUMA node"},
					       {"same-package", "two cores of one package without a common cache, on different NUMA nodes"},
					       {"cross-package", "two packages, one NUMA node"},
					       {"cross-node", "two packages, two NUMA nodes"},
					       {"unpinned", "left to the scheduler"}};
	size_t length = strcspn(place, ":");

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i][0]) == length && !memcmp(place, words[i][0], length))
			return words[i][1];
	return "";
}

void report_group_title(FILE *out, const struct table_row *row)
{
	const struct record_cell *cell = row->row->cell;
	const char *place = report_place_words(cell->place);
	char cpus[TABLE_TEXT], number[NUMBER_TEXT];

	fputs("<b>", out);
	html_say(out, "%.24s, %ju-byte messages", cell->workload, (uintmax_t)cell->message_bytes);
	fputs("</b>, load ", out);
	html_term(out, "load", "%.24s%s%.16s", cell->load, cell->arrival ? " " : "", cell->arrival ? cell->arrival : "");
	if (cell->stages)
		html_say(out, ", %ju stages, ", (uintmax_t)cell->stages);
	else
		html_say(out, ", %ju producer%s, %ju consumer%s, ", (uintmax_t)cell->producers, cell->producers == 1 ? "" : "s",
			 (uintmax_t)cell->consumers, cell->consumers == 1 ? "" : "s");
	html_term(out, "placement", "%.24s", cell->place);
	table_cpus_text(cpus, json_object_get(cell->json, "cpus"));
	html_say(out, " (CPUs %s%s%s), ", cpus, *place ? ": " : "", place);
	html_term(out, "regime", "regime %.20s", row->regime);
	if (row->line_ns > 0)
		html_say(out, " (a line’s round trip %s)", number_time(number, row->line_ns));
	else
		html_say(out, " (the line was not measured)");
}

/* A parameter that a title or a table's columns tell. */
static bool is_told(const char *name)
{
	static const char *const told[] = {"queue", "batch", "capacity", "window", "wait", "workload", "load", "message_bytes", "place",
					   "cpus", "producers", "consumers", "stages", "arrival", "rate_per_s", "rate_percent", "burst",
					   "gap_ns"};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (!strcmp(name, told[i]))
			return true;
	return false;
}

static void parameter_say(FILE *out, const char *separator, const char *name, const json_t *value)
{
	char text[TABLE_TEXT];

	table_parameter_text(text, name, value);
	for (size_t i = 0; text[i] && text[i] != ' '; i++)
		text[i] = text[i] == '_' ? '-' : text[i];
	html_say(out, "%s%s%s", separator, text, json_is_array(value) && !json_array_size(value) ? "none" : "");
}

static bool texts_same(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* Whether another group of that workload, load and size differs in the parameter. */
static bool sets_apart(const struct report_part *part, const struct table_row *row, const char *name, const json_t *value)
{
	const struct record_cell *cell = row->row->cell;

	for (size_t i = 0; i < part->row_count; i++) {
		const struct record_cell *other = part->rows[i].row->cell;

		if (!strcmp(other->workload, cell->workload) && !strcmp(other->load, cell->load) &&
		    texts_same(other->arrival, cell->arrival) && other->message_bytes == cell->message_bytes && !summary_is_floor(other) &&
		    !json_equal(json_object_get(other->json, name), (json_t *)value))
			return true;
	}
	return false;
}

void report_group_apart(const struct report_part *part, const struct table_row *row)
{
	const char *name;
	json_t *value;

	json_object_foreach(row->row->cell->json, name, value)
		if (!is_told(name) && !json_is_null(value) && sets_apart(part, row, name, value))
			parameter_say(part->out, "; ", name, value);
}

void report_group_parameters(FILE *out, const struct table_row *row)
{
	const char *name;
	json_t *value;
	size_t count = 0;

	fputs("<br><small>", out);
	json_object_foreach(row->row->cell->json, name, value)
		if (!is_told(name) && !json_is_null(value))
			parameter_say(out, count++ ? "; " : "", name, value);
	if (!strcmp(row->row->cell->load, "saturate"))
		fputs(". No latency: in a <a class=\"term\" href=\"#w-saturated\">saturated</a> queue a message’s time is the queue’s "
		      "depth over its rate", out);
	else if (row->open)
		fputs(". Response: from when a message was due (intended) to read; lag: from then to write; with all lateness", out);
	else if (row->primary)
		html_say(out, ". p50 to max: %s, from %.16s to %.16s", row->primary->round_trip ? "round trip" : "latency",
			 row->primary->from_point, row->primary->to_point);
	fputs("</small>", out);
}

const char *report_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void report_lines(FILE *out, const char *lines)
{
	if (!*lines)
		return;
	fputs("<ul>", out);
	while (*lines) {
		size_t length = strcspn(lines, "\n"), blank = strspn(lines, " ");

		blank = blank < length ? blank : length;
		fputs("<li>", out);
		html_say(out, "%.*s", (int)(length - blank), lines + blank);
		fputs("</li>", out);
		lines += length + (lines[length] == '\n');
	}
	fputs("</ul>", out);
}

/* ---- the page ---- */

static const char *text_named(const char *name)
{
	for (const struct report_text *text = report_texts; text->name; text++)
		if (!strcmp(text->name, name))
			return text->text;
	return "";
}

void report_begin(struct report *report, FILE *out, const char *const *paths, size_t count)
{
	*report = (struct report){.out = out, .count = count};
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
	      "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '", out);
	fputs(text_named("page.js.hash"), out);
	fputs("'; base-uri 'none'; form-action 'none'\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"viewport\" "
	      "content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n<title>", out);
	html_say(out, "twopoint: %s", report_file_name(paths[0]));
	if (count > 1)
		html_say(out, " and %zu more", count - 1);
	fputs("</title>\n<style>\n", out);
	fputs(text_named("page.css"), out);
	fputs("</style>\n</head>\n<body>\n<header class=\"top\"><b>twopoint</b> report <label class=\"theme\" hidden>colours <select>"
	      "<option value=\"\">as the system</option><option value=\"light\">light</option><option value=\"dark\">dark</option></select>"
	      "</label></header>\n", out);
	if (count > 1) {
		fputs("<nav class=\"records\" aria-label=\"records\"><ul>\n", out);
		for (size_t i = 0; i < count; i++) {
			fprintf(out, "<li><a href=\"#r%zu\">", i + 1);
			html_say(out, "%s", report_file_name(paths[i]));
			fputs("</a></li>\n", out);
		}
		fputs("</ul></nav>\n<p class=\"small\">Each record is shown by itself: numbers of different runs are not to be ranked "
		      "against each other by eye; <code>twopoint compare</code> does that.</p>\n", out);
	}
	fputs("<main>\n", out);
}

static void verdict_badge(FILE *out, const char *word, const char *what, bool fit)
{
	fprintf(out, "<li class=\"%s\">", fit ? "yes" : "no");
	html_term(out, word, "%s", what);
	fprintf(out, ": <b>%s</b></li>\n", fit ? "yes" : "no");
}

static void record_head(const struct report_part *part)
{
	static const char *const links[][2] = {{"fastest", "Which is fastest?"}, {"sure", "How sure?"}, {"floor", "The machine’s floor"},
					       {"disturbed", "What disturbed it?"}, {"repeat", "To repeat it"}, {"tables", "Tables"},
					       {"figures", "Figures"}, {"machine", "Machine"}};
	const json_t *run = part->record->run, *host = json_object_get(run, "host"), *tool = json_object_get(run, "tool");
	FILE *out = part->out;

	fprintf(out, "<section class=\"record\" id=\"r%zu\">\n<h2>", part->number);
	html_say(out, "%s", report_file_name(part->record->path));
	fputs("</h2>\n<p class=\"about\">", out);
	html_say(out, "Suite %.40s, %.40s, on %.60s, %" JSON_INTEGER_FORMAT " CPUs, kernel %.40s, hypervisor %.20s; %.20s %.20s (%.20s)",
		 table_string_or_dash(run, "suite"), table_string_or_dash(run, "started_utc"), table_string_or_dash(host, "cpu_model"),
		 json_integer_value(json_object_get(host, "cpus")), table_string_or_dash(host, "kernel"),
		 table_string_or_dash(host, "hypervisor"), table_string_or_dash(tool, "name"), table_string_or_dash(tool, "version"),
		 table_string_or_dash(tool, "commit"));
	fputs("</p>\n<ul class=\"badges\">\n", out);
	verdict_badge(out, "fit-rates", "Fit for rates and medians", part->summary->rates.fit);
	verdict_badge(out, "fit-tails", "Fit for tails", part->summary->tails.fit);
	fputs("</ul>\n<nav class=\"parts\" aria-label=\"parts of this record\"><ul>\n", out);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++)
		fprintf(out, "<li><a href=\"#r%zu-%s\">%s</a></li>\n", part->number, links[i][0], links[i][1]);
	fputs("<li><a href=\"#words\">Words</a></li>\n</ul></nav>\n", out);
}

static int parts_write(const struct report_part *part, char *message, size_t size)
{
	int error, judged;

	record_head(part);
	judged = part->contests ? report_headline(part) : -ENOMEM;
	report_verdict(part);
	report_floors(part);
	report_disturbances(part);
	report_repeat(part);
	report_tables(part);
	error = report_figures(part, message, size);
	report_machine(part);
	fputs("</section>\n", part->out);
	if (judged)
		snprintf(message, size, "no memory to compare its queues");
	return judged ? judged : error;
}

int report_add(struct report *report, struct compare_input input, const struct compare_settings *settings, char *message, size_t size)
{
	struct report_part part = {.out = report->out, .number = ++report->added, .record = input.record, .summary = input.summary,
				   .settings = settings, .contests = report_contests_make()};
	struct table_row *rows;
	long count = table_groups_make(&rows, input.summary);
	int error = (int)count;

	if (count < 0) {
		snprintf(message, size, "no memory for its tables");
	} else {
		part.rows = rows;
		part.row_count = (size_t)count;
		error = parts_write(&part, message, size);
		table_groups_free(rows, count);
	}
	report_contests_free(part.contests);
	return error;
}

void report_end(struct report *report)
{
	fputs("</main>\n<section id=\"words\">\n<h2>Words</h2>\n", report->out);
	fputs(text_named("words.html"), report->out);
	fputs("</section>\n<dialog id=\"word\"></dialog>\n<p id=\"pointed\" hidden></p>\n<script>", report->out);
	fputs(text_named("page.js"), report->out);
	fputs("</script>\n</body>\n</html>\n", report->out);
}
