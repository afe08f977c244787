#include "plugin_load.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "form.h"
#include "queue_json.h"

__attribute__((format(printf, 2, 3))) static bool load_fail(char error[PLUGIN_TEXT], const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error, PLUGIN_TEXT, format, arguments);
	va_end(arguments);
	return false;
}

bool plugin_checksum(const char *path, uint64_t *checksum, uint64_t *bytes)
{
	FILE *file = fopen(path, "re");
	unsigned char part[65536];
	size_t length;
	bool good;

	*checksum = 0xcbf29ce484222325; /* FNV-1a (G. Fowler, L. Noll, P. Vo, 1991) */
	*bytes = 0;
	while (file && (length = fread(part, 1, sizeof(part), file))) {
		for (size_t i = 0; i < length; i++)
			*checksum = (*checksum ^ part[i]) * 0x100000001b3;
		*bytes += length;
	}
	good = file && !ferror(file);
	if (file)
		fclose(file);
	return good;
}

enum { CHECKSUM_TEXT = 24 };

static const char *checksum_text(char text[CHECKSUM_TEXT], uint64_t checksum)
{
	snprintf(text, CHECKSUM_TEXT, "%016llx", (unsigned long long)checksum);
	return text;
}

/* ---- whether it fits ---- */

static bool sizes_fit(const struct plugin *plugin)
{
	static const uint32_t sizes[] = PLUGIN_SIZES;

	_Static_assert(sizeof(sizes) == sizeof(plugin->sizes), "PLUGIN_SIZE_COUNT counts PLUGIN_SIZES");
	return !memcmp(sizes, plugin->sizes, sizeof(sizes));
}

static bool plugin_fits(const struct plugin *plugin, char error[PLUGIN_TEXT])
{
	char why[FORM_TEXT];

	if (memcmp(plugin->magic, PLUGIN_MAGIC, sizeof(plugin->magic)))
		return load_fail(error, "its %s is not what <twopoint/plugin.h> makes", PLUGIN_SYMBOL);
	if (plugin->abi != PLUGIN_ABI)
		return load_fail(error, "made for version %u of plug-ins, this program takes %u: compile it again", plugin->abi,
				 PLUGIN_ABI);
	if (!sizes_fit(plugin))
		return load_fail(error, "its structs are of other sizes than this program's: compile it again, without options that change "
					"their layout");
	if (plugin->headers != PLUGIN_HEADERS)
		return load_fail(error, "compiled with the headers of another twopoint: its loops may differ from this one's: compile it "
					"again");
	if (!plugin->target || !plugin->target->queue)
		return load_fail(error, "its %s leads to no queue", PLUGIN_SYMBOL);
	return (form_has_table(plugin->target->queue, why) && form_has_traits(&plugin->target->queue->traits, why)) ||
	       load_fail(error, "%s", why);
}

/* ---- loading ---- */

const struct plugin *plugin_load(const char *path, char error[PLUGIN_TEXT])
{
	size_t length = strlen(path);
	const struct plugin *plugin;
	const char *words;
	void *object;

	fflush(stdout);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		words = dlerror();
		if (!strncmp(words, path, length) && !strncmp(words + length, ": ", 2))
			words += length + 2;
		load_fail(error, "%s", words);
		return NULL;
	}
	plugin = (const struct plugin *)dlsym(object, PLUGIN_SYMBOL);
	if (!plugin) {
		load_fail(error, "exports no %s: it is to include <twopoint/plugin.h>", PLUGIN_SYMBOL);
		return NULL;
	}
	return plugin_fits(plugin, error) ? plugin : NULL;
}

const struct plugin *plugin_load_asked(const json_t *request, FILE **out, char error[PLUGIN_TEXT])
{
	const char *path = json_string_value(json_object_get(request, "file"));
	const char *expected = json_string_value(json_object_get(request, "checksum"));
	char why[PLUGIN_TEXT], found[CHECKSUM_TEXT];
	const struct plugin *plugin = NULL;
	uint64_t checksum, bytes;

	*out = fdopen(dup(STDOUT_FILENO), "w");
	if (!*out || !path || !expected) {
		load_fail(error, "a plug-in's request lacks something");
		return NULL;
	}
	if (!plugin_checksum(path, &checksum, &bytes))
		load_fail(why, "%s", strerror(errno));
	else if (strcmp(checksum_text(found, checksum), expected))
		load_fail(why, "has changed since it was first looked at");
	else
		plugin = plugin_load(path, why);
	if (!plugin)
		load_fail(error, "%s: %s", path, why);
	return plugin;
}

/* ---- the probe ---- */

static json_t *answer_error(const char *why)
{
	json_t *text = json_string(why);

	return json_pack("{s:o}", "error", text ? text : json_string("(not UTF-8)"));
}

static json_t *answer_facts(const struct plugin *plugin, const char *path)
{
	json_t *queue = queue_to_json(plugin->target->queue), *answer;
	struct stat about = {0};
	uint64_t checksum, bytes;
	char text[CHECKSUM_TEXT];

	if (!queue)
		return answer_error("its texts are not UTF-8");
	stat(path, &about);
	if (!plugin_checksum(path, &checksum, &bytes)) {
		json_decref(queue);
		return answer_error(strerror(errno));
	}
	answer = json_pack("{s:o, s:I, s:I, s:s, s:s, s:s, s:b}", "queue", queue, "bytes", (json_int_t)bytes, "modified_s",
			   (json_int_t)about.st_mtim.tv_sec, "checksum", checksum_text(text, checksum), "compiler", plugin->compiler,
			   "instructions", plugin->instructions ? plugin->instructions : PLUGIN_INSTRUCTIONS, "optimised",
			   plugin->optimised);
	return answer ? answer : answer_error("what it says of its compiler is not UTF-8");
}

static json_t *answer_footprints(const struct queue *queue, const json_t *questions)
{
	json_t *answers = json_array(), *question;
	size_t i;

	json_array_foreach(questions, i, question) {
		json_int_t given[6];
		struct queue_config config;
		size_t bytes = 0;
		int status;

		for (size_t k = 0; k < 6; k++)
			given[k] = json_integer_value(json_array_get(question, k));
		config = (struct queue_config){
			.message_bytes = (size_t)given[0], .capacity = (size_t)given[1], .batch = (size_t)given[2],
			.producers = (unsigned)given[3], .consumers = (unsigned)given[4],
		};
		status = queue->footprint(&config, (size_t)given[5], &bytes);
		if (!status && bytes > INT64_MAX)
			status = -EOVERFLOW;
		json_array_append_new(answers, json_pack("[i, I]", status, (json_int_t)(status ? 0 : bytes)));
	}
	return json_pack("{s:o}", "footprints", answers);
}

int plugin_probe_main(const char *text)
{
	json_t *request = json_loads(text, 0, NULL), *questions = json_object_get(request, "footprints"), *answer;
	const char *path = json_string_value(json_object_get(request, "file"));
	const struct plugin *plugin;
	char error[PLUGIN_TEXT];
	FILE *out = fdopen(dup(STDOUT_FILENO), "w");

	if (!child_follow_parent() || !out)
		return 3;
	if (!path) {
		fprintf(stderr, "twopoint probe: the request names no file\n");
		return 2;
	}
	plugin = plugin_load(path, error);
	if (!plugin)
		answer = answer_error(error);
	else
		answer = questions ? answer_footprints(plugin->target->queue, questions) : answer_facts(plugin, path);
	json_dumpf(answer, out, JSON_COMPACT);
	fputc('\n', out);
	fflush(out);
	/* no destructors of the object's: it has been asked all that there is to ask */
	_exit(ferror(out) ? 3 : 0);
}
