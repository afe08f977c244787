#include "headline.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "capacity.h"
#include "number.h"

static const char *text_at(const json_t *object, const char *end, const char *name)
{
	const char *text = json_string_value(json_object_get(json_object_get(object, end), name));

	return text ? text : "?";
}

/* The first latency that is the queue's, of one whose percentiles are known; the first of all is the whole way. */
static const json_t *first_latency(const struct cell *cell, const json_t *trial)
{
	const json_t *latency;
	size_t i;

	if (cell->load == LOAD_SATURATE)
		return NULL;
	json_array_foreach(json_object_get(trial, "latency"), i, latency)
		if (!json_is_string(json_object_get(latency, "tag")) && json_is_number(json_object_get(latency, "p50_ns")))
			return latency;
	return NULL;
}

static void write_number(const struct cell *cell, const json_t *trial, char *text, size_t size)
{
	const json_t *latency = first_latency(cell, trial);
	double rate = capacity_receivers_per_s(cell, trial);
	char number[NUMBER_TEXT];

	if (latency && cell->workload == WORKLOAD_PINGPONG)
		snprintf(text, size, "round trip p50 ");
	else if (latency)
		snprintf(text, size, "%s:%s p50 ", text_at(latency, "from", "point"), text_at(latency, "to", "point"));
	else if (rate > 0)
		snprintf(text, size, "%s read", number_rate(number, rate));
	else
		snprintf(text, size, "no rate");
	if (latency)
		snprintf(text + strlen(text), size - strlen(text), "%s",
			 number_time(number, json_number_value(json_object_get(latency, "p50_ns"))));
}

char *headline_write(const struct cell *cell, const json_t *trial, char text[HEADLINE_TEXT])
{
	const char *status = json_string_value(json_object_get(trial, "status"));
	char number[HEADLINE_TEXT / 2];

	if (status && strcmp(status, "ok"))
		snprintf(number, sizeof(number), "%s", status);
	else
		write_number(cell, trial, number, sizeof(number));
	snprintf(text, HEADLINE_TEXT, "%s: %s (%s, %" PRIu64 " B, batch %" PRIu64 ")", cell->queue->name, number,
		 workload_names[cell->workload], cell->message_bytes, cell->batch);
	return text;
}
