#include "target.h"

#include <string.h>

#include "peers.h"

#define QUEUE(symbol, file) extern const struct target target_##symbol;
#include "queues.def"
#undef QUEUE

static const struct target *const targets[] = {
#define QUEUE(symbol, file) &target_##symbol,
#include "queues.def"
#undef QUEUE
};

const struct target *target_find(const char *name)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strcmp(targets[i]->queue->name, name))
			return targets[i];
	return peer_find(name) ? peer_find(name)->target : NULL;
}
