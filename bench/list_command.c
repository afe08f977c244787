#include "list_command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare_command.h"
#include "figures.h"
#include "list_queues.h"
#include "machine.h"
#include "peers.h"
#include "placement.h"
#include "plugins.h"
#include "suite.h"

/* Collects [{name, text}, …] and prints it in the end. */
static void add(json_t *list, const char *name, const char *text)
{
	json_array_append_new(list, json_pack("{s:s, s:s}", "name", name, "summary", text));
}

static const char *const workload_texts[] = {
	"one producer, one consumer, one way",
	"two actors, two queues: each message waits for its answer",
	"several producers, one queue, one consumer",
	"one producer, one queue, several consumers",
	"several producers, one queue, several consumers",
	"each actor passes on what it reads from the one before it",
};

static const char *const point_texts[] = {
	"when the schedule of an open load wants the message to be written",
	"before the first attempt to put the message into the queue",
	"before its batch is published",
	"after the reader took note of it",
	"after the reader read and checked it",
	"after the reader's work on it",
};

static void print_json(const json_t *list)
{
	json_dumpf(list, stdout, JSON_INDENT(1));
	putchar('\n');
}

/* A line a package. */
static void tell_absent_peers(void)
{
	const struct peer_entry *before = NULL;

	fflush(stdout);
	for (const struct peer_entry *entry = peer_entries; entry->name; entry++) {
		if (entry->target)
			continue;
		if (!before)
			fprintf(stderr, "peers that were not built (make deps-peers installs what they need):");
		if (before && !strcmp(before->package, entry->package))
			fprintf(stderr, ", %s", entry->name);
		else
			fprintf(stderr, "\n  %s, %s: %s", entry->package, entry->version, entry->name);
		before = entry;
	}
	if (before)
		fputc('\n', stderr);
}

/* The queues are shown by more than their summaries. */
static int list_queues(const struct options *options)
{
	const struct queue *queues[QUEUES_MAX];
	struct plugins plugins;
	char error[OPTIONS_TEXT];
	json_t *list = json_array();
	int status = plugins_open(&plugins, &options->plugins, error, sizeof(error)) ? 3 : 0;

	peers_add(queues, plugins_all(&plugins, queues), QUEUES_MAX);
	if (status) {
		fprintf(stderr, "twopoint: --plugin: %s\n", error);
	} else if (options->json) {
		for (size_t i = 0; queues[i]; i++)
			json_array_append_new(list, list_queue_json(queues[i]));
		print_json(list);
	} else {
		list_queues_print(stdout, queues, compare_width());
		tell_absent_peers();
	}
	json_decref(list);
	plugins_close(&plugins);
	return status;
}

static void add_words(json_t *list, const char *const *names, const char *const *texts)
{
	for (size_t i = 0; names[i]; i++)
		add(list, names[i], texts[i]);
}

/* The first line of a suite is a comment: its name, a colon, what it asks. */
static void add_suites(json_t *list)
{
	for (const struct suite_text *suite = suite_texts; suite->name; suite++) {
		const char *text = suite->text + strspn(suite->text, "#; ");
		size_t name = strlen(suite->name);
		char line[256];

		if (!strncmp(text, suite->name, name) && !strncmp(text + name, ": ", 2))
			text += name + 2;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		add(list, suite->name, line);
	}
}

static int add_placements(json_t *list)
{
	struct topology *topology = machine_load_topology();
	struct placement *placements = NULL;
	long count;

	if (!topology)
		return 3;
	count = placement_list(topology, &placements);
	for (long i = 0; i < count; i++) {
		char text[TOPOLOGY_TEXT + 32];

		if (placements[i].present)
			snprintf(text, sizeof(text), "CPUs %d and %d", placements[i].cpus[0], placements[i].cpus[1]);
		else
			snprintf(text, sizeof(text), "absent: %s", placements[i].reason);
		add(list, placements[i].name, text);
	}
	add(list, CELL_UNPINNED, "the scheduler's choice, to see what pinning is for");
	free(placements);
	topology_free(topology);
	return 0;
}

static void add_figures(json_t *list)
{
	size_t count;
	const struct figure *figures = figure_list(&count);

	for (size_t i = 0; i < count; i++)
		add(list, figures[i].name, figures[i].question);
}

static void print_list(const json_t *list)
{
	const json_t *entry;
	size_t i;

	json_array_foreach(list, i, entry)
		printf("%-16s %s\n", json_string_value(json_object_get(entry, "name")),
		       json_string_value(json_object_get(entry, "summary")));
}

int list_what(const struct options *options, const char *what)
{
	json_t *list;
	int status = 0;

	if (!strcmp(what, "queues"))
		return list_queues(options);
	if (options->plugins.count) {
		fprintf(stderr, "twopoint: --plugin: '%s' is a queue; allowed: with list queues\n", options->plugins.paths[0]);
		return 2;
	}
	list = json_array();
	if (!strcmp(what, "workloads"))
		add_words(list, workload_names, workload_texts);
	else if (!strcmp(what, "points"))
		add_words(list, point_names, point_texts);
	else if (!strcmp(what, "suites"))
		add_suites(list);
	else if (!strcmp(what, "figures"))
		add_figures(list);
	else
		status = add_placements(list);
	if (!status && options->json)
		print_json(list);
	else if (!status)
		print_list(list);
	json_decref(list);
	return status;
}

int list_main(const struct options *options)
{
	return list_what(options, options->operands[0]);
}
