#include "queue_json.h"

#include <stdio.h>
#include <string.h>

/* The traits go as they lie in memory, two digits a byte: one that comes anew needs no line here. */
json_t *queue_to_json(const struct queue *queue)
{
	const unsigned char *bytes = (const unsigned char *)&queue->traits;
	char traits[2 * sizeof(queue->traits) + 1];

	for (size_t i = 0; i < sizeof(queue->traits); i++)
		snprintf(traits + 2 * i, 3, "%02x", bytes[i]);
	return json_pack("{s:s, s:s, s:s, s:s}", "name", queue->name, "summary", queue->summary, "source", queue->source, "traits",
			 traits);
}

bool queue_from_json(struct queue *queue, const json_t *json)
{
	unsigned char *bytes = (unsigned char *)&queue->traits;
	const char *traits;

	*queue = (struct queue){.contract = QUEUE_CONTRACT};
	if (json_unpack((json_t *)json, "{s:s, s:s, s:s, s:s}", "name", &queue->name, "summary", &queue->summary, "source",
			&queue->source, "traits", &traits))
		return false;
	if (strlen(traits) != 2 * sizeof(queue->traits) || strspn(traits, "0123456789abcdef") != strlen(traits))
		return false;
	for (size_t i = 0; i < sizeof(queue->traits); i++)
		sscanf(traits + 2 * i, "%2hhx", &bytes[i]);
	return true;
}
