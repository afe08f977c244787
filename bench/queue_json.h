/* What a queue says of itself, as JSON: it goes from the process that has loaded a plug-in to the one that plans. Both are this program. */
#ifndef BENCH_QUEUE_JSON_H
#define BENCH_QUEUE_JSON_H

#include <jansson.h>

#include "queue.h"

/* Name, summary, source, traits. A new reference; NULL: a text is not UTF-8. */
json_t *queue_to_json(const struct queue *queue);

/* The reverse: a table without operations, whose texts belong to json. False: json is not what queue_to_json() makes. */
bool queue_from_json(struct queue *queue, const json_t *json);

#endif
