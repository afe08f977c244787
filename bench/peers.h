/* Peers: queues of others, built in where this build found them. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "target.h"

struct peer_entry {
	const char *name;
	const char *package, *version;  /* Debian's; the version when it was built, or why it was not */
	const struct target *target;    /* NULL: not built */
};

/* All that there could be, in the order of peers.def, ended by one without a name. */
extern const struct peer_entry peer_entries[];

/* The entry of that name, or NULL. */
const struct peer_entry *peer_find(const char *name);

/* Stands for all peers that were built, where queues are named. */
extern const char peers_word[];

/* Appends those that were built to a list of so many queues, which has room for `most` with the NULL at its end. Returns how many it has. */
size_t peers_add(const struct queue **queues, size_t count, size_t most);

/* Why it is not there, and how to have it. */
void peer_tell_absent(const struct peer_entry *entry, char *text, size_t size);

/* A queue of the list, or a peer that was built; or NULL. */
const struct queue *peer_find_queue(const char *name);

#endif
