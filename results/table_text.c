#include "table_text.h"

#include <stdlib.h>
#include <string.h>

const char *table_string_or_dash(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "-";
}

int table_queue_width(int width, const struct record_cell *cell)
{
	int length = (int)strnlen(cell->queue, TABLE_QUEUE_LETTERS);

	return length > width ? length : width;
}

void table_capacity_text(char text[TABLE_TEXT], const struct record_cell *cell)
{
	char capacity[NUMBER_TEXT], window[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s/%s", cell->capacity ? number_size(capacity, cell->capacity) : "none",
		 cell->window ? number_size(window, cell->window) : "none");
}

void table_cpus_text(char text[TABLE_TEXT], const json_t *cpus)
{
	const json_t *cpu;
	int length = 0;
	size_t i;

	text[0] = '\0';
	json_array_foreach(cpus, i, cpu) {
		length += snprintf(text + length, TABLE_TEXT - (size_t)length, "%s%" JSON_INTEGER_FORMAT,
				   i > 0 ? " " : "", json_integer_value(cpu));
		if (length > 30 && i + 1 < json_array_size(cpus)) {
			snprintf(text + length, TABLE_TEXT - (size_t)length, " and %zu more",
				 json_array_size(cpus) - i - 1);
			return;
		}
	}
}

static bool is_time(const char *name)
{
	size_t length = strlen(name);

	return length > 3 && strcmp(name + length - 3, "_ns") == 0;
}

/* Appends what a list's items are, with commas, or what one value is. */
static void add_value(char text[TABLE_TEXT], const json_t *value)
{
	size_t length = strlen(text), i;
	const json_t *item;
	char *dumped;

	if (json_is_string(value)) {
		snprintf(text + length, TABLE_TEXT - length, "%s", json_string_value(value));
	} else if (json_is_boolean(value)) {
		snprintf(text + length, TABLE_TEXT - length, "%s", json_is_true(value) ? "on" : "off");
	} else if (json_is_array(value)) {
		json_array_foreach(value, i, item) {
			snprintf(text + strlen(text), TABLE_TEXT - strlen(text), "%s", i > 0 ? "," : "");
			add_value(text, item);
		}
	} else {
		dumped = json_is_null(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
		snprintf(text + length, TABLE_TEXT - length, "%s", dumped ? dumped : "-");
		free(dumped);
	}
}

void table_value_text(char text[TABLE_TEXT], const char *name, const json_t *value)
{
	char number[NUMBER_TEXT];

	*text = '\0';
	if (is_time(name) && json_is_number(value))
		snprintf(text, TABLE_TEXT, "%s", number_time(number, json_number_value(value)));
	else
		add_value(text, value);
}

void table_parameter_text(char text[TABLE_TEXT], const char *name, const json_t *value)
{
	char shown[TABLE_TEXT];

	table_value_text(shown, name, value);
	snprintf(text, TABLE_TEXT, "%.*s %.*s", (int)(strlen(name) - (is_time(name) ? 3 : 0)), name, TABLE_TEXT - 48, shown);
}

void table_time_text(char text[TABLE_TEXT], const struct summary_value *value)
{
	char number[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s", value->known ? number_time(number, value->median) : "-");
}

void table_rate_text(char text[TABLE_TEXT], const struct summary_value *value)
{
	char number[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s", value->known ? number_rate(number, value->median) : "-");
}

void table_interval_text(char text[TABLE_TEXT], const struct summary_value *value, struct number_unit unit)
{
	char low[NUMBER_TEXT], high[NUMBER_TEXT];

	if (value->known && value->interval.known)
		snprintf(text, TABLE_TEXT, "[%s %s]", number_beside(low, value->interval.low, unit),
			 number_beside(high, value->interval.high, unit));
	else
		snprintf(text, TABLE_TEXT, "-");
}

void table_period_text(char text[TABLE_TEXT], const struct summary_value *rate)
{
	char number[NUMBER_TEXT];

	snprintf(text, TABLE_TEXT, "%s",
		 rate->known && rate->median > 0.0 ? number_decimal(number, 1e9 / rate->median) : "-");
}

struct left_out {
	size_t count;
	const char *why;
};

void table_trials_text(char text[TABLE_TEXT], char more[TABLE_TEXT], const struct summary_row *row)
{
	const struct left_out parts[] = { { row->invalid, "invalid" },
					  { row->failed, "failed" },
					  { row->moved, "moved" } };
	size_t sum = row->invalid + row->failed + row->moved;
	int length = 0;

	more[0] = '\0';
	snprintf(text, TABLE_TEXT, sum ? "%zu+%zu" : "%zu", row->trials, sum);
	for (size_t i = 0; i < 3; i++) {
		if (parts[i].count == 0)
			continue;
		if (parts[i].count == sum && sum < 100 && row->trials < 100)
			snprintf(text, TABLE_TEXT, "%zu+%zu %s", row->trials, sum, parts[i].why);
		else
			length += snprintf(more + length, TABLE_TEXT - (size_t)length, "%s%zu %s", length ? ", " : "",
					   parts[i].count, parts[i].why);
	}
}
