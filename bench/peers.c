#include "peers.h"

#include <stdio.h>
#include <string.h>

#include "list.h"

#define PEER_BUILT(symbol, name, package, version) extern const struct target target_##symbol;
#define PEER_ABSENT(symbol, name, package, why)
#include "peers_found.def"
#undef PEER_BUILT
#undef PEER_ABSENT

const struct peer_entry peer_entries[] = {
#define PEER_BUILT(symbol, name, package, version) {name, package, version, &target_##symbol},
#define PEER_ABSENT(symbol, name, package, why) {name, package, why, NULL},
#include "peers_found.def"
	{0},
};

const struct peer_entry *peer_find(const char *name)
{
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++)
		if (!strcmp(entry->name, name))
			return entry;
	return NULL;
}

const char peers_word[] = "peers";

size_t peers_add(const struct queue **queues, size_t count, size_t most)
{
	for (const struct peer_entry *entry = peer_entries; entry->name && count + 1 < most; entry++)
		if (entry->target)
			queues[count++] = entry->target->queue;
	queues[count] = NULL;
	return count;
}

void peer_tell_absent(const struct peer_entry *entry, char *text, size_t size)
{
	snprintf(text, size, "%s: a peer that was not built: %s (%s: make deps-peers)", entry->name, entry->version, entry->package);
}

const struct queue *peer_find_queue(const char *name)
{
	const struct queue *queue = queue_find(name);
	const struct peer_entry *entry = queue ? NULL : peer_find(name);

	return entry && entry->target ? entry->target->queue : queue;
}
