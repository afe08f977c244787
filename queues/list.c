#include "list.h"

#include <string.h>

#define QUEUE(symbol, file) extern const struct queue queue_##symbol;
#include "queues.def"
#undef QUEUE

const struct queue *const queue_list[] = {
#define QUEUE(symbol, file) &queue_##symbol,
#include "queues.def"
#undef QUEUE
	NULL,
};

const struct queue *queue_find(const char *name)
{
	for (size_t i = 0; queue_list[i]; i++)
		if (!strcmp(queue_list[i]->name, name))
			return queue_list[i];
	return NULL;
}
