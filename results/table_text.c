#include "table_text.h"

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
		snprintf(text, TABLE_TEXT, "[%s %s]", number_scaled(low, value->interval.low, unit),
			 number_scaled(high, value->interval.high, unit));
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
