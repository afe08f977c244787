/* The queues and what their traits say: a table, or JSON. */
#ifndef BENCH_LIST_QUEUES_H
#define BENCH_LIST_QUEUES_H

#include <jansson.h>
#include <stdio.h>

#include "queue.h"

/* All that the traits say, {name, summary, source, …}; a new reference. */
json_t *list_queue_json(const struct queue *queue);

/* A head and a line each; queues: ended by NULL. width: columns of the terminal, to which summaries are cut; 0: they are not. */
void list_queues_print(FILE *file, const struct queue *const *queues, unsigned width);

#endif
