#include "check_command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "build_facts.h"
#include "child.h"
#include "clock.h"
#include "conformance.h"
#include "histories.h"
#include "interrupt.h"
#include "peers.h"
#include "plugin_load.h"
#include "plugins.h"
#include "progress.h"
#include "stress.h"

/* Beyond any check: each has a watchdog of its own, of which this is only the watchdog. */
static const uint64_t LIMIT_NS = UINT64_C(1000000000) * 86400 * 365;

enum {
	CONFORMANCE_PATIENCE = 6, /* times the watchdog: a behaviour's check may run for a while before it ends */
	HANGS_MAX = 2,            /* a queue that hangs in them would do so in each: half an hour of silence */
};

/* ---- one queue, in a process of its own ---- */

static void count(json_t *result, const char *key, json_int_t more)
{
	json_object_set_new(result, key, json_integer(json_integer_value(json_object_get(result, key)) + more));
}

/* A failure as it is told: as soon as it is found, for the next check may take long. */
static void print_failure(const char *queue, const char *plugin, const char *check, const char *text, const char *again)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr); /* where a bar may stand */
	fprintf(stderr, "twopoint: %s: %s: %s\n", queue, check, text);
	if (*again)
		fprintf(stderr, "  again: twopoint check %s%s%s--queue %s %s\n", plugin ? "--plugin " : "", plugin ? plugin : "",
			plugin ? " " : "", queue, again);
	fflush(stderr);
}

/* again: the options that repeat it. */
static void add_verdict(json_t *result, const char *check, const struct verdict *verdict, const char *again)
{
	const json_t *told = json_object_get(result, "told");

	count(result, verdict->kind == VERDICT_PASSED ? "passed" : verdict->kind == VERDICT_FAILED ? "failed" : "not_applicable", 1);
	if (verdict->kind == VERDICT_FAILED && told)
		print_failure(json_string_value(json_object_get(told, "queue")), json_string_value(json_object_get(told, "plugin")), check,
			      verdict->text, again);
	if (verdict->kind == VERDICT_FAILED)
		json_array_append_new(json_object_get(result, "failures"), json_pack("{s:s, s:s, s:s}", "check", check, "text",
										     verdict->text, "again", again));
	if (verdict->kind == VERDICT_NOT_APPLICABLE)
		json_array_append_new(json_object_get(result, "skipped"),
				      json_pack("{s:s, s:s}", "check", check, "why", verdict->text));
}

/* What stands in for the checks from this one on. */
static void add_not_run(json_t *result, const struct conformance_check *check, const char *again)
{
	struct verdict verdict = {.kind = VERDICT_FAILED};
	unsigned left = 0;

	while (check[left].name)
		left++;
	if (!left)
		return;
	snprintf(verdict.text, sizeof(verdict.text), "%u more of them not run, since %d had to be ended", left, HANGS_MAX);
	add_verdict(result, "conformance", &verdict, again);
}

static void check_conformance(json_t *result, const struct queue *queue, const struct check_plan *plan)
{
	char seed[24], again[80];
	unsigned hangs = 0;

	snprintf(seed, sizeof(seed), "%" PRIu64, plan->seed);
	snprintf(again, sizeof(again), "--checks conformance --seed %s", seed);
	setenv("TWOPOINT_SEED", seed, 1);
	for (const struct conformance_check *check = conformance_checks; check->name; check++) {
		struct verdict verdict = conformance_run(queue, check, CONFORMANCE_PATIENCE * plan->watchdog_seconds);

		add_verdict(result, check->name, &verdict, again);
		hangs += verdict.hung;
		if (hangs == HANGS_MAX) {
			add_not_run(result, check + 1, again);
			break;
		}
	}
}

static void check_cases(json_t *result, const struct queue *queue, const struct check_plan *plan, const char *name,
			struct verdict (*run)(const struct check_case *drawn))
{
	unsigned cases = 0;
	struct verdict verdict = case_run_all(queue, plan, run, &cases);
	char again[120];

	snprintf(again, sizeof(again), "--checks %s --seed %" PRIu64 " --case %" PRIu64, name, plan->seed,
		 plan->only ? plan->only : cases);
	add_verdict(result, name, &verdict, again);
	count(result, "cases", verdict.kind == VERDICT_NOT_APPLICABLE ? 0 : cases);
}

json_t *check_queue(const struct queue *queue, enum check_kind kind, const struct check_plan *plan, json_t *told)
{
	json_t *result = json_pack("{s:i, s:i, s:i, s:i, s:[], s:[], s:O*}", "passed", 0, "not_applicable", 0, "failed", 0, "cases", 0,
				   "failures", "skipped", "told", told);

	if (kind == CHECK_CONFORMANCE)
		check_conformance(result, queue, plan);
	else
		check_cases(result, queue, plan, check_names[kind], kind == CHECK_STRESS ? stress_run : histories_run);
	return result;
}

int check_queue_main(const char *request)
{
	json_t *json = json_loads(request, 0, NULL), *asked = json_object_get(json, "plugin"), *result;
	const char *name = json_string_value(json_object_get(json, "queue"));
	const struct queue *queue = name ? peer_find_queue(name) : NULL;
	json_int_t kind = 0, times = 0, seed = 0, only = 0, watchdog_seconds = 0;
	struct check_plan plan;
	FILE *out = stdout;

	if (!child_follow_parent())
		return 3;
	signal(SIGINT, SIG_IGN); /* the parent decides what an interrupt ends */
	if (json_is_object(asked)) {
		char error[PLUGIN_TEXT];
		const struct plugin *plugin = plugin_load_asked(asked, &out, error);

		if (!plugin) {
			fprintf(stderr, "twopoint check-queue: %s\n", error);
			json_decref(json);
			return 3;
		}
		queue = plugin->target->queue;
	}
	if (!queue || json_unpack(json, "{s:I, s:I, s:I, s:I, s:I}", "kind", &kind, "times", &times, "seed", &seed, "only", &only,
				  "watchdog_seconds", &watchdog_seconds)) {
		fprintf(stderr, "twopoint check-queue: not a request\n");
		json_decref(json);
		return 2;
	}
	plan = (struct check_plan){.times = (unsigned)times, .seed = (uint64_t)seed, .only = (uint64_t)only,
				   .watchdog_seconds = (unsigned)watchdog_seconds};
	result = check_queue(queue, (enum check_kind)kind, &plan, json_object_get(json, "told"));
	json_dumpf(result, out, JSON_COMPACT);
	fputc('\n', out);
	json_decref(result);
	json_decref(json);
	return fflush(out) ? 3 : 0;
}

/* ---- the command ---- */

/* A queue to be checked, known to this process by its name only. */
struct subject {
	char name[64];
	const char *plugin; /* its file as given, or NULL */
	json_t *request;    /* what its process needs to find it */
};

struct check {
	const struct options *options;
	struct plugins plugins;
	struct subject *subjects;
	size_t subject_count;
	bool kinds[CHECK_KINDS];
	struct progress progress;
	json_t *queues; /* the results, by subject */
	bool failed;    /* some check */
	int status;     /* that ends the command early, or 0 */
};

static json_t *failure(const char *check, const char *text)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:[{s:s, s:s, s:s}], s:[]}", "passed", 0, "not_applicable", 0, "failed", 1, "cases",
			 0, "failures", "check", check, "text", text, "again", "", "skipped");
}

/* What its process printed last, or a failure where it did not come to that, which is told here unless that is to be as JSON. */
static json_t *result_of(const struct child_result *child, const struct subject *subject, const char *check, bool silent)
{
	const char *line = child->output ? child->output : "", *end;
	json_t *result = NULL;
	char text[120];

	while ((end = strchr(line, '\n')) && end[1])
		line = end + 1;
	if (child->end == CHILD_FINISHED)
		result = json_loads(line, 0, NULL);
	if (result)
		return result;
	if (child->end == CHILD_CRASHED)
		snprintf(text, sizeof(text), "the process that checks it crashed: %s", strsignal(child->status));
	else if (child->end == CHILD_HUNG)
		snprintf(text, sizeof(text), "the process that checks it has said all, and does not end");
	else
		snprintf(text, sizeof(text), "the process that checks it ended with status %d and no result", child->status);
	if (!silent)
		print_failure(subject->name, subject->plugin, check, text, "");
	return failure(check, text);
}

/* Runs one kind of check. NULL: interrupted, or check->status says why not. */
static json_t *run_kind(struct check *check, const struct subject *subject, enum check_kind kind)
{
	const struct options *options = check->options;
	json_t *request = json_deep_copy(subject->request), *result = NULL;
	uint64_t watchdog_seconds = (options->check.watchdog_ns + 999999999) / 1000000000;
	struct child_result child;
	char *text;
	int error;

	json_object_set_new(request, "kind", json_integer(kind));
	json_object_set_new(request, "times", json_integer((json_int_t)options->check.times));
	json_object_set_new(request, "seed", json_integer((json_int_t)options->check.seed));
	json_object_set_new(request, "only", json_integer((json_int_t)options->check.only));
	json_object_set_new(request, "watchdog_seconds", json_integer((json_int_t)watchdog_seconds));
	if (!options->json)
		json_object_set_new(request, "told", json_pack("{s:s, s:s?}", "queue", subject->name, "plugin", subject->plugin));
	text = json_dumps(request, JSON_COMPACT);
	error = child_run("check-queue", text, LIMIT_NS, &interrupted, &child);
	if (error) {
		progress_clear(&check->progress);
		fprintf(stderr, "twopoint: no process to check %s in: %s\n", subject->name, strerror(-error));
		check->status = 3;
	} else if (child.end == CHILD_INTERRUPTED) {
		check->status = 128 + interrupted;
	} else {
		result = result_of(&child, subject, check_names[kind], options->json);
	}
	if (!error)
		free(child.output);
	free(text);
	json_decref(request);
	return result;
}

static void add_result(json_t *queue, json_t *result, enum check_kind kind)
{
	static const char *const counted[] = {"passed", "not_applicable", "failed"};

	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		count(queue, counted[i], json_integer_value(json_object_get(result, counted[i])));
	if (kind != CHECK_CONFORMANCE)
		json_object_set(queue, kind == CHECK_STRESS ? "stress_cases" : "histories", json_object_get(result, "cases"));
	json_array_extend(json_object_get(queue, "failures"), json_object_get(result, "failures"));
	json_array_extend(json_object_get(queue, "skipped"), json_object_get(result, "skipped"));
}

static json_int_t number_at(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

/* A number, or a dash where that kind was not asked for. */
static const char *cell(char *text, size_t size, const json_t *queue, const char *key)
{
	if (json_is_null(json_object_get(queue, key)))
		return "-";
	snprintf(text, size, "%" JSON_INTEGER_FORMAT, number_at(queue, key));
	return text;
}

static void print_head(void)
{
	printf("%-20s %-7s %6s %14s %6s %6s %9s %7s\n", "queue", "verdict", "passed", "not applicable", "failed", "stress",
	       "histories", "seconds");
}

static void print_queue(const json_t *queue)
{
	const char *name = json_string_value(json_object_get(queue, "name"));
	char stress[24], histories[24];

	printf("%-20s %-7s %6" JSON_INTEGER_FORMAT " %14" JSON_INTEGER_FORMAT " %6" JSON_INTEGER_FORMAT " %6s %9s %7.1f\n", name,
	       json_string_value(json_object_get(queue, "verdict")), number_at(queue, "passed"),
	       number_at(queue, "not_applicable"), number_at(queue, "failed"), cell(stress, sizeof(stress), queue, "stress_cases"),
	       cell(histories, sizeof(histories), queue, "histories"), json_number_value(json_object_get(queue, "seconds")));
	fflush(stdout);
}

/* False: the command ends here; what the queue's other checks found is dropped. */
static bool check_subject(struct check *check, const struct subject *subject)
{
	uint64_t began_ns = clock_system_ns(CLOCK_MONOTONIC);
	json_t *queue = json_pack("{s:s, s:s, s:i, s:i, s:i, s:n, s:n, s:[], s:[]}", "name", subject->name, "verdict", "passed",
				  "passed", 0, "not_applicable", 0, "failed", 0, "stress_cases", "histories", "failures", "skipped");
	char headline[128];

	for (enum check_kind kind = 0; kind < CHECK_KINDS; kind++) {
		json_t *result = check->kinds[kind] ? run_kind(check, subject, kind) : NULL;

		if (check->status) {
			json_decref(queue);
			return false;
		}
		if (!result)
			continue;
		add_result(queue, result, kind);
		check->progress.uneven |= number_at(result, "failed") > 0;
		json_decref(result);
		snprintf(headline, sizeof(headline), "%s %s", subject->name, check_names[kind]);
		progress_step(&check->progress, headline);
	}
	if (number_at(queue, "failed")) {
		check->failed = true;
		json_object_set_new(queue, "verdict", json_string("failed"));
	}
	json_object_set_new(queue, "seconds", json_real((double)(clock_system_ns(CLOCK_MONOTONIC) - began_ns) / 1e9));
	if (!check->options->json) {
		progress_clear(&check->progress);
		print_queue(queue);
	}
	json_array_append_new(check->queues, queue);
	return true;
}

static void print_json(const struct check *check)
{
	const struct options *options = check->options;
	json_t *kinds = json_array(), *all;

	for (enum check_kind kind = 0; kind < CHECK_KINDS; kind++)
		if (check->kinds[kind])
			json_array_append_new(kinds, json_string(check_names[kind]));
	all = json_pack("{s:s, s:s, s:s, s:o, s:I, s:I, s:b, s:b, s:O}", "kind", "check", "version", build_version, "commit",
			build_commit, "checks", kinds, "times", (json_int_t)options->check.times, "seed",
			(json_int_t)options->check.seed, "complete", !check->status, "passed", !check->failed && !check->status,
			"queues", check->queues);
	json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(4));
	putchar('\n');
	json_decref(all);
}

static bool add_subject(struct check *check, const struct queue *queue)
{
	const struct plugin_entry *entry = plugins_entry(queue);
	struct subject *subject = &check->subjects[check->subject_count++];

	snprintf(subject->name, sizeof(subject->name), "%s", queue->name);
	subject->plugin = entry ? entry->given : NULL;
	subject->request = json_pack("{s:s, s:o}", "queue", subject->name, "plugin", plugins_request(queue));
	return subject->request;
}

static bool add_peers(struct check *check)
{
	const struct queue *peers[QUEUES_MAX];
	size_t count = peers_add(peers, 0, QUEUES_MAX);

	if (!count) {
		fprintf(stderr, "twopoint: --queue: no peer was built: make deps-peers\n");
		check->status = 2;
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if (!add_subject(check, peers[i]))
			return false;
	return true;
}

/* The queues that the options name; without a name the plug-ins alone where there are some, or else each of the list. */
static bool list_subjects(struct check *check)
{
	const struct name_list *chosen = &check->options->check.queues;
	const struct queue *queues[QUEUES_MAX];
	char error[OPTIONS_TEXT];
	size_t count = plugins_all(&check->plugins, queues);
	size_t first = check->plugins.count ? count - check->plugins.count : 0;

	check->subjects = calloc(count + chosen->count * QUEUES_MAX, sizeof(*check->subjects));
	if (!check->subjects)
		return false;
	for (size_t i = 0; i < chosen->count; i++) {
		const struct queue *queue;

		if (!strcmp(chosen->names[i], peers_word)) {
			if (!add_peers(check))
				return false;
			continue;
		}
		queue = plugins_choose(&check->plugins, chosen->names[i], error, sizeof(error));

		if (!queue) {
			fprintf(stderr, "twopoint: --queue: %s\n", error);
			check->status = 2;
			return false;
		}
		if (!add_subject(check, queue))
			return false;
	}
	for (size_t i = first; !chosen->count && i < count; i++)
		if (!add_subject(check, queues[i]))
			return false;
	return true;
}

static void free_subjects(struct check *check)
{
	for (size_t i = 0; i < check->subject_count; i++)
		json_decref(check->subjects[i].request);
	free(check->subjects);
	plugins_close(&check->plugins);
	json_decref(check->queues);
}

static bool open_subjects(struct check *check)
{
	char error[OPTIONS_TEXT];

	check->status = 3;
	if (plugins_open(&check->plugins, &check->options->plugins, error, sizeof(error))) {
		fprintf(stderr, "twopoint: --plugin: %s\n", error);
		return false;
	}
	if (!list_subjects(check))
		return false;
	plugins_warn(&check->plugins, stderr);
	check->status = 0;
	return true;
}

int check_main(const struct options *options)
{
	struct check check = {.options = options, .queues = json_array()};
	size_t kinds = 0;

	for (enum check_kind kind = 0; kind < CHECK_KINDS; kind++) {
		check.kinds[kind] = !options->check.kinds.count;
		for (size_t i = 0; i < options->check.kinds.count; i++)
			check.kinds[kind] |= options->check.kinds.values[i] == kind;
		kinds += check.kinds[kind];
	}
	if (options->check.only && !check.kinds[CHECK_STRESS] && !check.kinds[CHECK_HISTORIES]) {
		fprintf(stderr, "twopoint: --case: only stress and histories have cases\n");
		json_decref(check.queues);
		return 2;
	}
	if (!open_subjects(&check)) {
		free_subjects(&check);
		return check.status;
	}
	interrupt_catch();
	progress_begin(&check.progress, options->run.quiet, check.subject_count * kinds, "checks");
	if (!options->json)
		print_head();
	for (size_t i = 0; i < check.subject_count; i++)
		if (!check_subject(&check, &check.subjects[i]))
			break;
	progress_clear(&check.progress);
	if (options->json)
		print_json(&check);
	free_subjects(&check);
	return check.status ? check.status : check.failed;
}
