#include "table_text.h"
#include "number.h"

const char *table_string_or_dash(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "-";
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
