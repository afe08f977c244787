/* The list of all queues that were built in. */
#ifndef QUEUES_LIST_H
#define QUEUES_LIST_H

#include "queue.h"

/* The tables in the order of queues.def, ended by NULL. */
extern const struct queue *const queue_list[];

/* The queue of that name, or NULL. */
const struct queue *queue_find(const char *name);

#endif
