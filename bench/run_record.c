/* The record of a run: where it is, and its lines as they are written. */
#include "run_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "machine.h"
#include "schema.h"

static bool folder_exists(const char *path)
{
	struct stat about;

	return !stat(path, &about) && S_ISDIR(about.st_mode);
}

bool run_choose_path(struct run *run)
{
	const char *folder;
	struct utsname host;
	struct stat about;
	char utc[24];
	int length;

	uname(&host);
	/* in the suite's own tree, where records are ignored by git; a fresh clone has no such folder yet */
	if (!run->settings->out && !stat("results/record.schema.json", &about))
		mkdir("results/runs", 0777); /* where it fails, the record goes here */
	folder = folder_exists("results/runs") ? "results/runs/" : "";
	if (run->settings->out)
		length = snprintf(run->path, sizeof(run->path), "%s", run->settings->out);
	else
		length = snprintf(run->path, sizeof(run->path), "%s%s-%.64s-%.64s.jsonl", folder,
				  machine_utc(utc, sizeof(utc), true), host.nodename, run->suites.name);
	if (length >= (int)sizeof(run->path))
		return run_fail(run, 3, "--out: %s", strerror(ENAMETOOLONG));
	/* the table and the verdict are made of the whole record, in the end: it must be something that can be read again */
	if (!stat(run->path, &about) && !S_ISREG(about.st_mode))
		return run_fail(run, 3, "--out: %s is no file", run->path);
	return true;
}

/* Runs that start within one second would have one name: those behind the first become NAME-2, NAME-3. */
int run_create_record(struct run *run, char *error)
{
	static const char ending[] = ".jsonl";
	enum { RUNS_MOST = 1000 };
	int status = record_create(&run->record, run->path, error);
	size_t stem = strlen(run->path) - (run->settings->out ? 0 : strlen(ending));

	for (unsigned n = 2; status == -EEXIST && !run->settings->out && n <= RUNS_MOST; n++) {
		if (snprintf(run->path + stem, sizeof(run->path) - stem, "-%u%s", n, ending) >= (int)(sizeof(run->path) - stem))
			return status;
		status = record_create(&run->record, run->path, error);
	}
	return status;
}

/* Told once: after a failed write nothing more is written, and each later try fails as well. */
bool run_fail_record(struct run *run, const char *error)
{
	if (!run->record_failed)
		run_fail(run, 3, "%s", error);
	run->record_failed = true;
	return false;
}

bool run_append_line(struct run *run, const json_t *line)
{
	char error[RECORD_TEXT];

	return (!record_append(run->record, line, error) && !record_sync(run->record, error)) || run_fail_record(run, error);
}

bool run_begin_record(struct run *run, int argc, char **argv)
{
	json_t *line = machine_to_json(run->topology, &run->clock, &run->limits), *command = json_array();
	json_t *head = json_object(), *value;
	char utc[24];
	const char *key;
	bool good;

	for (int i = 0; i < argc; i++) {
		json_t *word = json_string(argv[i]);

		json_array_append_new(command, word ? word : json_string("(not UTF-8)"));
	}
	json_object_set_new(head, "kind", json_string("run"));
	json_object_set_new(head, "schema", json_integer(RECORD_SCHEMA));
	json_object_foreach(line, key, value) json_object_set(head, key, value);
	json_object_set_new(head, "command", command);
	json_object_set_new(head, "suite", json_string(run->suites.name));
	json_object_set_new(head, "seed", json_integer((json_int_t)run->settings->seed));
	json_object_set_new(head, "started_utc", json_string(machine_utc(utc, sizeof(utc), false)));
	json_object_set_new(head, "plugins", plugins_to_json(&run->plugins));
	json_object_set_new(head, "plan", plan_to_json(&run->plan, run->settings));
	good = run_append_line(run, head);
	json_decref(line);
	json_decref(head);
	return good;
}

/* A histogram or a slice of the child's, with the trial's id put in. */
static bool append_detail(struct run *run, const char *line, size_t length, uint64_t id)
{
	const char *rest = memchr(line, ',', length);
	char error[RECORD_TEXT], *text = NULL;
	int written;
	bool good;

	if (!rest)
		return run_fail(run, 3, "a trial's process wrote a line that is none: %.60s", line);
	written = asprintf(&text, "%.*s,\"id\":%" PRIu64 "%.*s", (int)(rest - line), line, id, (int)(line + length - rest), rest);
	if (written < 0)
		return run_fail(run, 3, "no memory for a line of the record");
	good = !record_append_text(run->record, text, (size_t)written, error) || run_fail_record(run, error);
	free(text);
	return good;
}

/* Writes the trial's line and what follows it, and syncs. The id comes first: by it a reader knows a trial's line without
 * parsing it. */
bool run_record_trial(struct run *run, json_t *trial, uint64_t id, const char *details)
{
	json_t *line = json_pack("{s:s, s:I}", "kind", "trial", "id", (json_int_t)id);
	char error[RECORD_TEXT];
	bool good;

	json_object_update(line, trial);
	good = !record_append(run->record, line, error) || run_fail_record(run, error);
	json_decref(line);
	for (const char *end; good && details && (end = strchr(details, '\n')); details = end + 1)
		good = append_detail(run, details, (size_t)(end - details), id);
	return good && (!record_sync(run->record, error) || run_fail_record(run, error));
}
