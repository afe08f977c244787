/* Plug-ins from the outside: what the process that plans and records knows of them. It never loads one: a child does, and tells. */
#ifndef BENCH_PLUGINS_H
#define BENCH_PLUGINS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "queue.h"

enum {
	PLUGINS_MAX = 8,
	PLUGINS_PATH = 1024,
	QUEUES_MAX = 256,   /* built-in ones and plug-ins */
	PLUGINS_LOAD_S = 5, /* after which loading one is called a hang */
};

/* The files as asked for. */
struct file_list {
	size_t count;
	char paths[PLUGINS_MAX][PLUGINS_PATH];
};

struct plugin_entry {
	struct queue queue;    /* its table without operations; first, so that the entry is known by it */
	char *given, *path;    /* the file as asked for; its absolute path */
	json_t *facts;         /* the probe's answer, which the queue's texts belong to */
	json_t *questions;     /* footprints still to be asked for: question → null */
	json_t *footprints;    /* question → [status, bytes] */
};

struct plugins {
	struct plugin_entry *entries[PLUGINS_MAX];
	size_t count;
};

/* Asks each file what it is, in a process of its own. 0; or −errno (−ENOEXEC: not a plug-in that fits; −EEXIST: a name that is taken) with
 * file and reason in error. To be ended by plugins_close() in any case. */
int plugins_open(struct plugins *plugins, const struct file_list *files, char *error, size_t size);
void plugins_close(struct plugins *plugins);

/* In the following, plugins may be NULL: there are none. */

/* The plug-in's queue of that name, or NULL. */
const struct queue *plugins_find(const struct plugins *plugins, const char *name);
/* The queue of that name, built in or a plug-in's; NULL: there is none, with the nearest in error. */
const struct queue *plugins_choose(const struct plugins *plugins, const char *name, char *error, size_t size);
/* All built-in queues, then the plug-ins', ended by NULL. Returns their number, < QUEUES_MAX. */
size_t plugins_all(const struct plugins *plugins, const struct queue *queues[QUEUES_MAX]);
/* The entry that this table belongs to, or NULL: it is a built-in one. */
const struct plugin_entry *plugins_entry(const struct queue *queue);

/* footprint() of a queue without operations, as the plug-in answered it; −EAGAIN: it is not known yet, and noted to be asked for. */
int plugins_footprint(const struct queue *queue, const struct queue_config *config, size_t outstanding, size_t *bytes);
/* Asks all that was noted, one process a plug-in. 0, or −errno with file and reason in error. */
int plugins_ask_footprints(struct plugins *plugins, char *error, size_t size);

/* Tells of each that is not compiled as the built-in queues are. */
void plugins_warn(const struct plugins *plugins, FILE *file);

/* What the record's first line says of them. A new reference. */
json_t *plugins_to_json(const struct plugins *plugins);
/* What a process is told that is to load it: file and checksum. A new reference; null for a built-in queue. */
json_t *plugins_request(const struct queue *queue);

#endif
