/* Where a record was measured, and how to measure it again. */
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "replayed.h"
#include "report_html.h"
#include "report_parts.h"
#include "table_text.h"

/* ---- how to repeat it ---- */

/* Behind a blank, as a shell takes it. */
static void word_say(FILE *out, const char *word)
{
	struct replayed words = {0};
	char *text;

	replayed_add(&words, "%s", word);
	text = replayed_text(&words);
	html_say(out, " %s", text ? text : "?");
	free(text);
	replayed_free(&words);
}

/* This program, as the run was called, and a command for the record. */
static void command_say(const struct report_part *part, const char *verb)
{
	const char *program = json_string_value(json_array_get(json_object_get(part->record->run, "command"), 0));

	fputs("<code>", part->out);
	html_say(part->out, "%s %s", program ? program : "twopoint", verb);
	word_say(part->out, part->record->path);
}

/* Of what measures: another command's words repeat nothing. */
static void command_write(const struct report_part *part)
{
	const char *verb = json_string_value(json_array_get(json_object_get(part->record->run, "command"), 1));
	bool measures = verb && (!strcmp(verb, "run") || !strcmp(verb, "aa"));
	struct replayed command = {0};
	char *text = measures && !replayed_add_run(&command, part->record) ? replayed_text(&command) : NULL;

	if (text) {
		fputs("<p>On the same machine, with the same build; read it first, for it is what the record says:</p>\n", part->out);
		fputs("<pre class=\"command\"><code>", part->out);
		html_say(part->out, "%s", text);
		fputs("</code></pre>\n", part->out);
	} else {
		fputs("<p>The record does not tell a command that measures.</p>\n", part->out);
	}
	free(text);
	replayed_free(&command);
}

void report_repeat(const struct report_part *part)
{
	const json_t *plan = json_object_get(part->record->run, "plan");
	char took[NUMBER_TEXT];

	fprintf(part->out, "<h3 id=\"r%zu-repeat\">How can it be repeated?</h3>\n", part->number);
	command_write(part);
	fputs("<dl class=\"facts\">\n", part->out);
	html_fact(part->out, "seed", "What the seed fixes");
	fputs("the order of the trials and the random part of their memory’s layout. The names of the files that were written are left "
	      "out: nothing is overwritten.", part->out);
	html_fact_end(part->out);
	html_fact(part->out, NULL, "How long it takes");
	html_say(part->out, "%" JSON_INTEGER_FORMAT " cells of %" JSON_INTEGER_FORMAT " trials each; %s was estimated",
		 json_integer_value(json_object_get(plan, "cells")), json_integer_value(json_object_get(plan, "trials")),
		 json_is_number(json_object_get(plan, "estimated_s")) ?
			 number_time(took, 1e9 * json_number_value(json_object_get(plan, "estimated_s"))) : "nothing");
	html_fact_end(part->out);
	html_fact(part->out, NULL, "One cell alone");
	command_say(part, "replay");
	fputs(" --cell all</code> tells the command of each", part->out);
	html_fact_end(part->out);
	html_fact(part->out, "compare", "To compare the two");
	command_say(part, "compare");
	fputs(" NEW.jsonl</code>", part->out);
	html_fact_end(part->out);
	fputs("</dl>\n", part->out);
}

/* ---- machine ---- */

static void row_begin(FILE *out, const char *name)
{
	fputs("<tr><th scope=\"row\">", out);
	html_say(out, "%s", name);
	fputs("</th><td>", out);
}

/* "cpu_model" as "cpu model"; the unit goes with the value. */
static void name_plain(char text[TABLE_TEXT], const char *name)
{
	static const char *const units[] = {"_ns", "_bytes"};
	size_t length;

	snprintf(text, TABLE_TEXT, "%s", name);
	length = strlen(text);
	for (size_t i = 0; i < 2; i++) {
		size_t unit = strlen(units[i]);

		if (length > unit && !strcmp(text + length - unit, units[i]))
			text[length - unit] = 0;
	}
	for (char *at = text; (at = strchr(at, '_'));)
		*at = ' ';
}

/* "23.54 GiB" */
static void bytes_text(char text[TABLE_TEXT], json_int_t bytes)
{
	static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
	char number[NUMBER_TEXT];
	double value = (double)bytes;
	size_t unit = 0;

	for (; value >= 1024 && unit < 4; unit++)
		value /= 1024;
	snprintf(text, TABLE_TEXT, "%s %s", unit ? number_decimal(number, value) : number_size(number, (uint64_t)bytes), units[unit]);
}

static bool is_bytes(const char *name)
{
	size_t length = strlen(name);

	return length > 6 && !strcmp(name + length - 6, "_bytes");
}

/* Each member of an object; of one that is null the note says why. */
static void object_rows(FILE *out, const json_t *object, const json_t *notes)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)object, name, value) {
		const char *note = json_string_value(json_object_get(notes, name));
		char text[TABLE_TEXT];

		if (json_is_object(value))
			continue;
		name_plain(text, name);
		row_begin(out, text);
		if (json_is_string(value)) { /* whole, however long */
			html_say(out, "%s", json_string_value(value));
		} else if (json_is_integer(value) && is_bytes(name)) {
			bytes_text(text, json_integer_value(value));
			html_say(out, "%s", text);
		} else {
			table_value_text(text, name, value);
			html_say(out, "%s", strcmp(text, "-") ? text : "–");
		}
		if (note)
			html_say(out, " (%s)", note);
		fputs("</td></tr>\n", out);
	}
}

static void object_table(FILE *out, const json_t *run, const char *member, const char *notes, const char *caption)
{
	const json_t *object = json_object_get(run, member);

	if (!json_object_size(object))
		return;
	fputs("<table class=\"plain\"><caption>", out);
	html_say(out, "%s", caption);
	fputs("</caption>\n<tbody>\n", out);
	object_rows(out, object, json_object_get(run, notes));
	fputs("</tbody></table>\n", out);
}

static void placements_table(FILE *out, const json_t *placements)
{
	const json_t *placement;
	char cpus[TABLE_TEXT];
	size_t i;

	if (!json_array_size(placements))
		return;
	fputs("<table class=\"plain\"><caption><a class=\"term\" href=\"#w-placement\">Placements</a></caption>\n<tbody>\n", out);
	json_array_foreach(placements, i, placement) {
		const char *name = table_string_or_dash(placement, "name");

		row_begin(out, name);
		table_cpus_text(cpus, json_object_get(placement, "cpus"));
		if (*cpus)
			html_say(out, "CPUs %s: %s", cpus, report_place_words(name));
		else
			html_say(out, "none: %s", table_string_or_dash(placement, "reason"));
		fputs("</td></tr>\n", out);
	}
	fputs("</tbody></table>\n", out);
}

void report_machine(const struct report_part *part)
{
	const json_t *run = part->record->run, *plugin;
	size_t i;

	fprintf(part->out, "<h3 id=\"r%zu-machine\">Machine and build</h3>\n<div class=\"columns\">\n", part->number);
	object_table(part->out, run, "host", "", "Host");
	object_table(part->out, run, "topology", "", "Topology");
	placements_table(part->out, json_object_get(run, "placements"));
	object_table(part->out, run, "clock", "", "Clock");
	object_table(part->out, run, "settings", "settings_notes", "Settings, as they were found");
	object_table(part->out, run, "limits", "", "Limits");
	object_table(part->out, run, "tool", "", "Tool");
	object_table(part->out, run, "build", "", "Build");
	json_array_foreach(json_object_get(run, "plugins"), i, plugin) {
		fputs("<table class=\"plain\"><caption>A queue that came as a shared object</caption>\n<tbody>\n", part->out);
		object_rows(part->out, plugin, NULL);
		fputs("</tbody></table>\n", part->out);
	}
	fputs("</div>\n", part->out);
}
