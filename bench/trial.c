#include "trial_actor.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "fault.h"
#include "limits.h"
#include "plugin_load.h"
#include "raw.h"
#include "target.h"

/* A hang is ended by SIGTERM from the parent: tells what each end had come to. The handler runs in the main thread, which only waits. */
static struct trial *volatile hung_trial;

static void describe_hang(int signal_number)
{
	const struct trial *trial = hung_trial;
	char text[512] = "";

	(void)signal_number;
	for (unsigned i = 0; trial && i < trial->queue_count; i++) {
		if (trial->queues[i] && trial->target->queue->describe) {
			trial->target->queue->describe(trial->queues[i], text, sizeof(text));
			dprintf(STDERR_FILENO, "queue %u: %s\n", i, text);
		}
	}
	for (unsigned i = 0; trial && i < trial->actor_count; i++) {
		const struct trial_actor *actor = &trial->actors[i];

		dprintf(STDERR_FILENO, "actor %u on CPU %d: %s, %llu sleeps, %llu wake-ups sent\n", i, actor->cpu,
			actor->doing ? actor->doing : "not begun",
			actor->in.used ? (unsigned long long)actor->in.plan.shared->messages.sleeps : 0,
			actor->out.used ? (unsigned long long)actor->out.plan.shared->messages.wakes_sent : 0);
	}
	_exit(128 + SIGTERM);
}

/* Starts the actors and waits for all that were started. False: one could not be started. */
static bool run_actors(struct trial *trial)
{
	sigset_t hang, old;
	bool started = true;

	sigemptyset(&hang);
	sigaddset(&hang, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &hang, &old); /* actors inherit it: describe_hang() runs in the main thread */
	for (unsigned i = 0; i < trial->actor_count && started; i++) {
		struct trial_actor *actor = &trial->actors[i];
		int status = pthread_create(&actor->thread, NULL, trial_run_actor, actor);

		actor->started = started = !status;
		if (status) {
			snprintf(actor->error, sizeof(actor->error), "starting a thread failed: %s", strerror(status));
			actor->environment_error = true;
			trial_fail(trial);
		}
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (started)
		fault_sleep(trial->actors[0].thread, trial->actors[cell_first_consumer(&trial->request->cell)].thread,
			    trial->request->cell.warm_up_ns, trial->request->cell.duration_ns);
	for (unsigned i = 0; i < trial->actor_count; i++)
		if (trial->actors[i].started)
			pthread_join(trial->actors[i].thread, NULL);
	return started;
}

static int open_fan(struct trial *trial)
{
	const struct cell *cell = &trial->request->cell;

	if (!cell_is_fan(cell))
		return 0;
	trial->fan = aligned_alloc(QUEUE_LINE_PAIR, sizeof(*trial->fan));
	if (!trial->fan)
		return -ENOMEM;
	memset(trial->fan, 0, sizeof(*trial->fan));
	trial->fan->producers = cell->producers;
	trial->fan->consumers = cell->consumers;
	trial->fan->producers_left = cell->producers;
	trial->fan->consumers_left = cell->consumers;
	trial->fan->multicast = cell->queue->traits.multicast;
	return 0;
}

/* What a wake-up is taken to cost until the first one was seen: 5 us on bare metal, 50 us where a virtual CPU must be woken. */
enum { WAKE_EXPECTED_NS = 20000 };

static int open_shared(struct trial *trial)
{
	const struct cell *cell = &trial->request->cell;
	double ticks_per_ns = trial->request->clock.ticks_per_s / 1e9;
	unsigned queues = trial->queue_count;

	trial->shared = aligned_alloc(QUEUE_LINE_PAIR, queues * sizeof(*trial->shared));
	if (!trial->shared)
		return -ENOMEM;
	memset(trial->shared, 0, queues * sizeof(*trial->shared)); /* at once: close_all() looks at its descriptors */
	trial->exchange = aligned_alloc(QUEUE_LINE_PAIR, 2 * sizeof(*trial->exchange));
	if (!trial->exchange)
		return -ENOMEM;
	memset(trial->exchange, 0, 2 * sizeof(*trial->exchange));
	for (unsigned i = 0; i < queues; i++) {
		int status = wait_open_shared(&trial->shared[i].messages, cell->wait, cell->consumers);

		if (!status)
			status = wait_open_shared(&trial->shared[i].room, cell->wait, cell->producers);
		if (status)
			return status;
		wait_expect(&trial->shared[i].messages, (uint64_t)(WAKE_EXPECTED_NS * ticks_per_ns));
		wait_expect(&trial->shared[i].room, (uint64_t)(WAKE_EXPECTED_NS * ticks_per_ns));
	}
	return open_fan(trial);
}

static void close_all(struct trial *trial)
{
	for (unsigned i = 0; i < trial->queue_count; i++)
		if (trial->queues[i])
			trial->target->queue->destroy(trial->queues[i]);
	if (trial->region)
		memory_close(trial->region);
	for (unsigned i = 0; i < trial->actor_count; i++)
		if (trial->actors[i].stamps_memory)
			memory_close(trial->actors[i].stamps_memory);
	for (unsigned i = 0; trial->shared && i < trial->queue_count; i++) {
		wait_close(&trial->shared[i].messages);
		wait_close(&trial->shared[i].room);
	}
	free(trial->shared);
	free(trial->fan);
	free(trial->exchange);
}

/* The first actor's error; an environment's error first. */
static const struct trial_actor *failed_actor(const struct trial *trial)
{
	const struct trial_actor *failed = NULL;

	for (unsigned i = 0; i < trial->actor_count; i++)
		if (trial->actors[i].error[0] && (!failed || (trial->actors[i].environment_error && !failed->environment_error)))
			failed = &trial->actors[i];
	return failed;
}

static int report_failure(const struct trial *trial, const char *message, bool environment)
{
	json_t *line = json_pack("{s:s, s:s, s:b}", "kind", "failure", "why", message, "environment", environment);

	json_dumpf(line, trial->out, JSON_COMPACT);
	fputc('\n', trial->out);
	json_decref(line);
	return fflush(trial->out) ? 3 : environment ? 3 : 1;
}

static int run_trial(struct trial *trial)
{
	const struct trial_request *request = trial->request;
	const struct trial_actor *failed;
	char error[TRIAL_TEXT];
	int status;

	trial->queue_count = cell_queues(&request->cell);
	trial->actor_count = cell_actors(&request->cell);
	if (open_shared(trial))
		return report_failure(trial, "no memory or no eventfd for the trial", true);
	for (unsigned i = 0; i < trial->actor_count; i++) {
		trial->actors[i].trial = trial;
		trial->actors[i].index = i;
		trial->actors[i].cpu = request->cell.cpus[i];
	}
	trial_plan_endpoints(trial);
	hung_trial = trial;
	signal(SIGTERM, describe_hang);
	trial->throttled_before_ns = limits_throttled_ns("");
	trial->clock_before = clock_read_pair(request->clock.source);
	run_actors(trial);
	trial->clock_after = clock_read_pair(request->clock.source);
	trial->throttled_after_ns = limits_throttled_ns("");
	signal(SIGTERM, SIG_DFL);
	failed = failed_actor(trial);
	if (trial->failed)
		return report_failure(trial, failed ? failed->error : "unknown", failed && failed->environment_error);
	memory_facts(trial->region, &trial->memory_after);
	for (unsigned i = 0; i < trial->actor_count; i++) {
		if (trial->actors[i].in.used)
			fault_account(&trial->actors[i].in.account, request->clock.ticks_per_s);
		if (trial->actors[i].out.plan.arrivals)
			fault_schedule(&trial->actors[i].out.account);
	}
	status = raw_append(trial);
	if (status) {
		snprintf(error, sizeof(error), "%.160s: %s", request->raw, strerror(-status));
		return report_failure(trial, error, true);
	}
	trial_report(trial, trial->out);
	return fflush(trial->out) ? 3 : 0;
}

/* The plug-in that the request asks for, in `trial`, whose answer goes its own way from then on. False: it has said why. */
static bool open_plugin(struct trial *trial, const json_t *request, int *status)
{
	char error[PLUGIN_TEXT];
	const struct plugin *plugin = plugin_load_asked(request, &trial->out, error);

	if (plugin)
		trial->target = plugin->target;
	else
		*status = trial->out ? report_failure(trial, error, true) : 3;
	return plugin;
}

int trial_main(const char *text)
{
	struct trial_request request;
	struct trial trial = {.request = &request, .meeting = PTHREAD_MUTEX_INITIALIZER, .met = PTHREAD_COND_INITIALIZER,
			      .out = stdout};
	char error[CELL_TEXT];
	json_t *json = json_loads(text, 0, NULL), *plugin = json_object_get(json, "plugin");
	int status = 3;

	signal(SIGINT, SIG_IGN); /* the parent decides what an interrupt ends */
	if (!child_follow_parent() || (json_is_object(plugin) && !open_plugin(&trial, plugin, &status))) {
		json_decref(json);
		return status;
	}
	if (!json || trial_request_from_json(&request, json, trial.target ? trial.target->queue : NULL, error)) {
		fprintf(stderr, "twopoint trial: %s\n", json ? error : "the request is no JSON");
		json_decref(json);
		return 2;
	}
	request.clock.ticks_per_s = fault_ticks_per_s(request.clock.ticks_per_s);
	if (!trial.target)
		trial.target = target_find(request.cell.queue->name);
	status = run_trial(&trial);
	close_all(&trial);
	json_decref(json);
	return status;
}
