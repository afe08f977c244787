#include "export_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A cell's parameters, but for lists. usual: as JSON; where a name need not tell it. */
const struct export_parameter export_parameters[] = {
	{ "workload", NULL, true },       { "queue", NULL, true },          { "load", "saturate", true },
	{ "rate_per_s", NULL, false },    { "rate_percent", NULL, false },  { "arrival", "constant", false },
	{ "burst", NULL, false },         { "gap_ns", NULL, false },        { "work_ns", "0", false },
	{ "think_ns", "0", false },       { "window", NULL, false },        { "batch", NULL, false },
	{ "message_bytes", NULL, false }, { "touch", "all", false },        { "capacity", NULL, false },
	{ "producers", "1", false },      { "consumers", "1", false },      { "stages", NULL, false },
	{ "prewrite", "true", false },    { "preread", "true", false },     { "place", NULL, true },
	{ "wait", NULL, true },           { "memory_node", "producer", false }, { "huge_pages", "no", false },
	{ "stamps", "batch", false },     { "duration_ns", NULL, false },   { "messages", NULL, false },
	{ "warm_up_ns", NULL, false },    { NULL, NULL, false },
};

/* Not told in names: how long was measured is nothing of what was. */
static bool is_length(const char *name)
{
	return !strcmp(name, "duration_ns") || !strcmp(name, "messages") || !strcmp(name, "warm_up_ns");
}

char *export_value(char text[EXPORT_VALUE], const json_t *value)
{
	if (json_is_string(value))
		snprintf(text, EXPORT_VALUE, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(text, EXPORT_VALUE, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		number_plain(text, json_real_value(value));
	else
		snprintf(text, EXPORT_VALUE, "%s", json_is_true(value) ? "true" : json_is_false(value) ? "false" : "");
	return text;
}

/* Regimes of two runs are the same within so much: edges of half an octave. A pair of runs on both sides of an edge is not found equal, which
 * is the safe side. */
static size_t line_name(char *text, size_t size, double line_ns)
{
	double step = line_ns > 0 ? floor(2 * log2(line_ns)) : NAN;

	if (isnan(step))
		return (size_t)snprintf(text, size, "line:unknown");
	return (size_t)snprintf(text, size, "line:%.0f-%.0fns", exp2(step / 2), exp2((step + 1) / 2));
}

static void row_name(char name[EXPORT_NAME], const struct summary_row *row)
{
	size_t at = 0;

	for (const struct export_parameter *parameter = export_parameters; parameter->name && at < EXPORT_NAME; parameter++) {
		char text[EXPORT_VALUE];

		export_value(text, json_object_get(row->cell->json, parameter->name));
		if (!*text || is_length(parameter->name) || (parameter->usual && !strcmp(text, parameter->usual)))
			continue;
		at += (size_t)snprintf(name + at, EXPORT_NAME - at, "%s%s%.60s/", parameter->alone ? "" : parameter->name,
				       parameter->alone ? "" : ":", text);
	}
	if (at < EXPORT_NAME)
		line_name(name + at, EXPORT_NAME - at, row->line_ns);
}

/* As it stands in tags and names of files. */
static char flat(char c)
{
	return c == '/' ? '_' : isalnum((unsigned char)c) || (c && strchr("._-", c)) ? c : '-';
}

/* Whether one of the names before it is the same, also as a tag. */
static bool is_taken(char (*names)[EXPORT_NAME], size_t i)
{
	for (size_t k = 0; k < i; k++) {
		size_t at = 0;

		while (names[i][at] && names[k][at] && flat(names[i][at]) == flat(names[k][at]))
			at++;
		if (names[i][at] == names[k][at])
			return true;
	}
	return false;
}

char (*export_names(const struct summary *summary))[EXPORT_NAME]
{
	char (*names)[EXPORT_NAME] = calloc(summary->row_count + 1, sizeof(*names));

	for (size_t i = 0; names && i < summary->row_count; i++) {
		size_t length;

		row_name(names[i], &summary->rows[i]);
		length = strnlen(names[i], EXPORT_NAME - 12); /* room for a number */
		names[i][length] = '\0';
		for (size_t number = 2; is_taken(names, i); number++)
			snprintf(names[i] + length, 12, "#%zu", number);
	}
	return names;
}

char *export_points(char text[EXPORT_POINTS], const char *from_point, int from_actor, const char *between, const char *to_point, int to_actor)
{
	char from[16] = "all", to[16] = "all";

	if (from_actor >= 0)
		snprintf(from, sizeof(from), "%d", from_actor);
	if (to_actor >= 0)
		snprintf(to, sizeof(to), "%d", to_actor);
	snprintf(text, EXPORT_POINTS, "%.12s_%s%s%.12s_%s", from_point, from, between, to_point, to);
	return text;
}

void export_distribution_name(char name[EXPORT_NAME + 64], const char *row_name, const struct summary_latency *latency)
{
	char points[EXPORT_POINTS];

	snprintf(name, EXPORT_NAME + 64, "%s_%s", row_name,
		 export_points(points, latency->from_point, latency->from_actor, "-", latency->to_point, latency->to_actor));
	for (char *c = name; *c; c++)
		*c = flat(*c);
}

bool export_has_distribution(const struct summary_row *row, const struct summary_latency *latency)
{
	if (latency->saturated)
		return false;
	for (size_t i = 0; i < row->trials; i++) {
		const struct record_latency *found = summary_trial_latency(row->members[i], latency);

		if (found && found->count && !summary_trial_fell_behind(row->members[i]))
			return true;
	}
	return false;
}

struct export_left_out export_left_out_count(const struct summary *summary)
{
	struct export_left_out left_out = { 0 };

	for (size_t i = 0; i < summary->row_count; i++) {
		const struct summary_row *row = &summary->rows[i];
		bool any = false;

		for (size_t l = 0; l < row->latency_count; l++) {
			left_out.saturated += row->latency[l].saturated;
			any |= export_has_distribution(row, &row->latency[l]);
		}
		for (size_t t = 0; any && t < row->trials; t++)
			left_out.behind += summary_trial_fell_behind(row->members[t]);
	}
	return left_out;
}
