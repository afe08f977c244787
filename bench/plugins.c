#include "plugins.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "build_facts.h"
#include "child.h"
#include "list.h"
#include "peers.h"
#include "plugin_load.h"
#include "queue_json.h"
#include "words.h"

enum { QUESTIONS_AT_ONCE = 1500 }; /* an argument of a command may have 128 KiB */

static const char tool_instructions[] = PLUGIN_INSTRUCTIONS;

__attribute__((format(printf, 5, 6)))
static int entry_fail(const struct plugin_entry *entry, int result, char *error, size_t size, const char *format, ...)
{
	int used = snprintf(error, size, "%s: ", entry->given);
	va_list arguments;

	if (used >= 0 && (size_t)used < size) {
		va_start(arguments, format);
		vsnprintf(error + used, size - (size_t)used, format, arguments);
		va_end(arguments);
	}
	return result;
}

/* ---- asking a child ---- */

/* The answer to the request, which it takes over. 0, or −errno with the reason. doing: "while it is loaded". */
static int entry_ask(const struct plugin_entry *entry, json_t *request, const char *doing, json_t **answer, char *error, size_t size)
{
	static const volatile sig_atomic_t never;
	char *text = json_dumps(request, JSON_COMPACT);
	struct child_result result = {0};
	const char *why;
	int status = text ? child_run("probe", text, PLUGINS_LOAD_S * 1000000000ull, &never, &result) : -ENOMEM;

	*answer = NULL;
	json_decref(request);
	free(text);
	if (status)
		return entry_fail(entry, status, error, size, "starting a process to load it failed: %s", strerror(-status));
	if (result.end == CHILD_HUNG)
		status = entry_fail(entry, -ENOEXEC, error, size, "hangs %s: ended after %d s", doing, PLUGINS_LOAD_S);
	else if (result.end == CHILD_CRASHED)
		status = entry_fail(entry, -ENOEXEC, error, size, "crashes %s: signal %d (%s)", doing, result.status,
				    strsignal(result.status));
	else if (!result.output || !(*answer = json_loads(result.output, 0, NULL)))
		status = entry_fail(entry, -ENOEXEC, error, size, "ends its process %s, with status %d", doing, result.status);
	else if ((why = json_string_value(json_object_get(*answer, "error"))))
		status = entry_fail(entry, -ENOEXEC, error, size, "%s", why);
	free(result.output);
	if (status) {
		json_decref(*answer);
		*answer = NULL;
	}
	return status;
}

/* ---- opening ---- */

static int entry_probe(const struct plugins *plugins, struct plugin_entry *entry, char *error, size_t size)
{
	static const char *const reserved[] = {"all", "auto", "none", peers_word, NULL}; /* words that options give a meaning */
	struct stat about;
	json_t *text;
	int status;

	entry->path = realpath(entry->given, NULL);
	if (!entry->path || stat(entry->path, &about))
		return entry_fail(entry, -errno, error, size, "%s", strerror(errno));
	if (!S_ISREG(about.st_mode))
		return entry_fail(entry, -EINVAL, error, size, "is no file");
	text = json_string(entry->path);
	if (!text)
		return entry_fail(entry, -EINVAL, error, size, "its path is not UTF-8");
	json_decref(text);
	status = entry_ask(entry, json_pack("{s:s}", "file", entry->path), "while it is loaded", &entry->facts, error, size);
	if (status)
		return status;
	if (!queue_from_json(&entry->queue, json_object_get(entry->facts, "queue")))
		return entry_fail(entry, -ENOEXEC, error, size, "its traits can't be read");
	if (reserved[words_find(reserved, entry->queue.name)])
		return entry_fail(entry, -EINVAL, error, size, "its queue is named '%s', which means something else where queues are named",
				  entry->queue.name);
	if (queue_find(entry->queue.name) || peer_find(entry->queue.name))
		return entry_fail(entry, -EEXIST, error, size, "its queue is named '%s' as a built-in one is", entry->queue.name);
	if (plugins_find(plugins, entry->queue.name))
		return entry_fail(entry, -EEXIST, error, size, "its queue is named '%s' as that of %s is", entry->queue.name,
				  plugins_entry(plugins_find(plugins, entry->queue.name))->given);
	return 0;
}

static void entry_close(struct plugin_entry *entry)
{
	json_decref(entry->facts);
	json_decref(entry->questions);
	json_decref(entry->footprints);
	free(entry->given);
	free(entry->path);
	free(entry);
}

int plugins_open(struct plugins *plugins, const struct file_list *files, char *error, size_t size)
{
	*plugins = (struct plugins){0};
	for (size_t i = 0; i < files->count; i++) {
		struct plugin_entry *entry = calloc(1, sizeof(*entry));
		int status = -ENOMEM;

		if (entry)
			*entry = (struct plugin_entry){.given = strdup(files->paths[i]), .questions = json_object(),
						       .footprints = json_object()};
		if (entry && entry->given)
			status = entry_probe(plugins, entry, error, size);
		else
			snprintf(error, size, "out of memory");
		if (status) {
			if (entry)
				entry_close(entry);
			return status;
		}
		plugins->entries[plugins->count++] = entry;
	}
	return 0;
}

void plugins_close(struct plugins *plugins)
{
	for (size_t i = 0; i < plugins->count; i++)
		entry_close(plugins->entries[i]);
	plugins->count = 0;
}

const struct queue *plugins_find(const struct plugins *plugins, const char *name)
{
	for (size_t i = 0; plugins && i < plugins->count; i++)
		if (!strcmp(plugins->entries[i]->queue.name, name))
			return &plugins->entries[i]->queue;
	return NULL;
}

size_t plugins_all(const struct plugins *plugins, const struct queue *queues[QUEUES_MAX])
{
	size_t count = 0;

	for (size_t i = 0; queue_list[i] && count < QUEUES_MAX - 1; i++)
		queues[count++] = queue_list[i];
	for (size_t i = 0; plugins && i < plugins->count && count < QUEUES_MAX - 1; i++)
		queues[count++] = &plugins->entries[i]->queue;
	queues[count] = NULL;
	return count;
}

const struct queue *plugins_choose(const struct plugins *plugins, const char *name, char *error, size_t size)
{
	const struct queue *queues[QUEUES_MAX];
	const struct peer_entry *peer = peer_find(name);
	struct nearest nearest = nearest_begin(name);
	char suggestion[80];

	if (peer && !peer->target) {
		peer_tell_absent(peer, error, size);
		return NULL;
	}
	peers_add(queues, plugins_all(plugins, queues), QUEUES_MAX);
	for (size_t i = 0; queues[i]; i++) {
		if (!strcmp(queues[i]->name, name))
			return queues[i];
		nearest_offer(&nearest, queues[i]->name);
	}
	snprintf(error, size, "'%s' is no queue; see: twopoint list queues%s", name,
		 nearest_text(&nearest, suggestion, sizeof(suggestion)));
	return NULL;
}

const struct plugin_entry *plugins_entry(const struct queue *queue)
{
	/* operations are what a built-in one never lacks */
	return queue->footprint ? NULL : (const struct plugin_entry *)(const void *)queue;
}

/* ---- footprints ---- */

static char *question_text(const struct queue_config *config, size_t outstanding)
{
	char *text = NULL;

	return asprintf(&text, "[%zu,%zu,%zu,%u,%u,%zu]", config->message_bytes, config->capacity, config->batch, config->producers,
			config->consumers, outstanding) < 0 ? NULL : text;
}

int plugins_footprint(const struct queue *queue, const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	const struct plugin_entry *entry = plugins_entry(queue);
	char *question = question_text(config, outstanding);
	json_t *answer = question ? json_object_get(entry->footprints, question) : NULL;
	int status = -EAGAIN;

	if (answer) {
		*bytes = (size_t)json_integer_value(json_array_get(answer, 1));
		status = (int)json_integer_value(json_array_get(answer, 0));
	} else if (!question || json_object_set_new(entry->questions, question, json_null())) {
		status = -ENOMEM;
	}
	free(question);
	return status;
}

/* The next questions, as a list for the probe. */
static json_t *questions_take(const struct plugin_entry *entry, const char **keys, size_t *count)
{
	json_t *list = json_array(), *unused;
	const char *key;

	*count = 0;
	json_object_foreach(entry->questions, key, unused) {
		if (*count == QUESTIONS_AT_ONCE)
			break;
		json_array_append_new(list, json_loads(key, 0, NULL));
		keys[(*count)++] = key;
	}
	return list;
}

static int entry_ask_footprints(struct plugin_entry *entry, char *error, size_t size)
{
	const char *keys[QUESTIONS_AT_ONCE];
	size_t count;

	while (json_object_size(entry->questions)) {
		json_t *list = questions_take(entry, keys, &count), *answer, *footprints;
		int status = entry_ask(entry, json_pack("{s:s, s:o}", "file", entry->path, "footprints", list),
				       "when asked for its footprint", &answer, error, size);

		if (status)
			return status;
		footprints = json_object_get(answer, "footprints");
		if (json_array_size(footprints) != count) {
			json_decref(answer);
			return entry_fail(entry, -ENOEXEC, error, size, "its process answered %zu of %zu questions",
					  json_array_size(footprints), count);
		}
		for (size_t i = 0; i < count; i++) {
			json_object_set(entry->footprints, keys[i], json_array_get(footprints, i));
			json_object_del(entry->questions, keys[i]);
		}
		json_decref(answer);
	}
	return 0;
}

int plugins_ask_footprints(struct plugins *plugins, char *error, size_t size)
{
	int status = 0;

	for (size_t i = 0; plugins && !status && i < plugins->count; i++)
		status = entry_ask_footprints(plugins->entries[i], error, size);
	return status;
}

/* ---- what is told of them ---- */

static const char *fact_text(const struct plugin_entry *entry, const char *fact)
{
	const char *text = json_string_value(json_object_get(entry->facts, fact));

	return text ? text : "";
}

void plugins_warn(const struct plugins *plugins, FILE *file)
{
	for (size_t i = 0; i < plugins->count; i++) {
		const struct plugin_entry *entry = plugins->entries[i];
		const char *instructions = fact_text(entry, "instructions");

		if (!json_is_true(json_object_get(entry->facts, "optimised")))
			fprintf(file,
				"twopoint: warning: %s: compiled without optimisation by %s: it can't be compared with other queues; "
				"compile it with %s\n",
				entry->given, fact_text(entry, "compiler"), build_flags);
		else if (strcmp(instructions, tool_instructions))
			fprintf(file,
				"twopoint: warning: %s: compiled for other instructions (%s) than the built-in queues (%s): "
				"compile it with %s\n",
				entry->given, *instructions ? instructions : "the least",
				*tool_instructions ? tool_instructions : "the least", build_flags);
	}
}

json_t *plugins_to_json(const struct plugins *plugins)
{
	static const char *const facts[] = {"bytes", "modified_s", "checksum", "compiler", "instructions", "optimised"};
	json_t *list = json_array();

	for (size_t i = 0; i < plugins->count; i++) {
		const struct plugin_entry *entry = plugins->entries[i];
		json_t *path = json_string(entry->path);
		json_t *line = json_pack("{s:s, s:o}", "queue", entry->queue.name, "file", path ? path : json_string("(not UTF-8)"));

		for (size_t k = 0; k < sizeof(facts) / sizeof(*facts); k++)
			json_object_set(line, facts[k], json_object_get(entry->facts, facts[k]));
		json_array_append_new(list, line);
	}
	return list;
}

json_t *plugins_request(const struct queue *queue)
{
	const struct plugin_entry *entry = plugins_entry(queue);

	return entry ? json_pack("{s:s, s:s}", "file", entry->path, "checksum", fact_text(entry, "checksum")) : json_null();
}
