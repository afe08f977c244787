#include "cell.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "endpoint.h"
#include "memory.h"
#include "peers.h"
#include "plugins.h"
#include "units.h"
#include "words.h"

const char *const workload_names[] = {"stream", "pingpong", "fanin", "fanout", "mesh", "pipeline", NULL};
const char *const load_names[] = {"saturate", "closed", "open", NULL};
const char *const arrival_names[] = {"constant", "poisson", "burst", NULL};
const char *const touch_names[] = {"all", "head", NULL};
const char *const point_names[] = {"intended", "write", "flush", "preread", "read", "handled", NULL};
const char *const memory_owner_names[] = {"producer", "consumer", "interleaved", NULL};
const char *const huge_pages_names[] = {"no", "try", "require", NULL};
const char *const stamp_mode_names[] = {"none", "batch", "message", NULL};

_Static_assert(STAMPS_NONE == 0 && STAMPS_EVERY == 3, "stamp_mode_names ends where STAMPS_EVERY begins");
_Static_assert(MEMORY_OF_PRODUCER == 0 && MEMORY_OF_NODE == 3, "memory_owner_names ends where MEMORY_OF_NODE begins");
_Static_assert(MEMORY_PAGES_ORDINARY == 0 && MEMORY_PAGES_REQUIRE_HUGE == 2, "huge_pages_names follows enum memory_pages");

bool cell_message_allowed(const struct queue *queue, uint64_t message_bytes)
{
	return message_bytes >= queue->traits.message_min && message_bytes <= queue->traits.message_max;
}

bool cell_capacity_allowed(const struct queue *queue, uint64_t capacity)
{
	const struct queue_traits *traits = &queue->traits;

	if (!traits->bounded)
		return capacity == 0;
	return capacity >= 1 && capacity >= traits->capacity_min &&
	       (!traits->capacity_max || capacity <= traits->capacity_max) &&
	       (!traits->capacity_power_of_two || !(capacity & (capacity - 1)));
}

bool cell_is_fan(const struct cell *cell)
{
	return cell->workload == WORKLOAD_FANIN || cell->workload == WORKLOAD_FANOUT || cell->workload == WORKLOAD_MESH;
}

unsigned cell_actors(const struct cell *cell)
{
	return cell->workload == WORKLOAD_PIPELINE ? cell->stages : cell->producers + cell->consumers;
}

unsigned cell_queues(const struct cell *cell)
{
	return cell->workload == WORKLOAD_PIPELINE ? cell->stages - 1 : cell->workload == WORKLOAD_PINGPONG ? 2 : 1;
}

unsigned cell_first_consumer(const struct cell *cell)
{
	return cell_is_fan(cell) ? cell->producers : 1;
}

bool cell_shares_cpu(const struct cell *cell, unsigned actor)
{
	for (unsigned i = 0; i < cell_actors(cell); i++)
		if (i != actor && cell->cpus[i] == cell->cpus[actor])
			return true;
	return false;
}

bool cell_is_unpinned(const struct cell *cell)
{
	return !strcmp(cell->place, CELL_UNPINNED);
}

bool cell_is_crowded(const struct cell *cell)
{
	for (unsigned i = 0; i < cell_actors(cell); i++)
		if (cell_shares_cpu(cell, i))
			return true;
	return false;
}

unsigned cell_line_partner(const struct cell *cell)
{
	unsigned first = cell_first_consumer(cell), actors = cell_actors(cell);

	for (unsigned i = 0; i < actors; i++) {
		unsigned actor = (first + i) % actors;

		if (cell->cpus[actor] != cell->cpus[0])
			return actor;
	}
	return first;
}

struct queue_config cell_queue_config(const struct cell *cell)
{
	return (struct queue_config){
		.message_bytes = cell->message_bytes,
		.capacity = cell->capacity,
		.batch = cell->batch,
		.producers = cell->producers,
		.consumers = cell->consumers,
	};
}

int cell_footprint(const struct cell *cell, size_t *bytes)
{
	struct queue_config config = cell_queue_config(cell);
	size_t outstanding = cell->window ? cell->window : CELL_WINDOW_UNBOUNDED;
	size_t one;
	int error;

	if (!cell->batch || !cell_message_allowed(cell->queue, cell->message_bytes) ||
	    !cell_capacity_allowed(cell->queue, cell->capacity))
		return -EINVAL;
	if (outstanding < cell->producers) /* each producer's share of the window is one message at least */
		outstanding = cell->producers;
	if (cell->queue->footprint)
		error = cell->queue->footprint(&config, outstanding, &one);
	else
		error = plugins_footprint(cell->queue, &config, outstanding, &one);
	if (error)
		return error;
	return queue_size(cell_queues(cell), one, 0, bytes);
}

double cell_backlog_ns(const struct cell *cell)
{
	double queued = cell->window ? (double)cell->window : (double)cell->capacity * cell_queues(cell);

	return queued * (double)cell->work_ns;
}

/* How many messages lie from one stamp to the next, at least. */
static uint64_t stamp_spacing(const struct cell *cell)
{
	uint64_t spacing = CELL_STAMP_SPACING, of_few = cell->messages / CELL_STAMPS_OF_FEW;

	if (cell->stamps != STAMPS_BATCH)
		return cell->stamps == STAMPS_EVERY ? cell->stamp_every : 1;
	if (cell->messages && spacing > of_few)
		spacing = of_few ? of_few : 1;
	return spacing;
}

/* The time from one stamp to the next that memory is made ready for; faulting more of it in costs more than it is worth. Where stamps come
 * faster, one in more messages is stamped, or, where each is to be, the trial ends early: a reading of the clock alone takes some 10 ns, so
 * not before half of its time. Of a pipeline and a ping-pong each message is stamped twice on its way through a thread. */
static uint64_t stamp_least_ns(const struct cell *cell)
{
	bool twice = cell->workload == WORKLOAD_PINGPONG || cell->workload == WORKLOAD_PIPELINE;
	uint64_t least_ns = cell->workload == WORKLOAD_PINGPONG ? 80 : 40, spacing_ns = stamp_spacing(cell) / 2;

	if (cell->stamps == STAMPS_MESSAGE)
		return twice ? 40 : 20;
	return spacing_ns > least_ns ? spacing_ns : least_ns;
}

bool cell_handles(const struct cell *cell)
{
	for (size_t i = 0; i < cell->latency_count; i++)
		if (cell->latencies[i].from == POINT_HANDLED || cell->latencies[i].to == POINT_HANDLED)
			return true;
	return cell->work_ns > 0;
}

/* How many messages a producer's schedule has in a trial at most; UINT64_MAX: that is not known beforehand. */
static uint64_t scheduled(const struct cell *cell)
{
	double ns = (double)cell->duration_ns + (double)cell->warm_up_ns, messages;

	if (cell->load != LOAD_OPEN || cell->rate_percent)
		return UINT64_MAX;
	messages = cell->gap_ns ? ns / (double)cell->gap_ns * (double)cell->burst : ns * 1e-9 * (double)cell->rate_per_s / cell->producers;
	/* Poisson arrivals are more at times: five standard deviations */
	messages += 5 * sqrt(messages) + (double)cell->burst + 16;
	return messages < 1e15 ? (uint64_t)messages : UINT64_MAX;
}

/* What one stamp takes at an endpoint: with `intended`, or `handled`. */
static size_t stamp_size(const struct cell *cell, bool consumer)
{
	bool outmost = consumer ? cell_handles(cell) : cell->load == LOAD_OPEN;

	return sizeof(struct stamp) + (outmost ? sizeof(uint64_t) : 0);
}

uint64_t cell_stamp_room(const struct cell *cell, bool consumer)
{
	unsigned producers = cell_is_fan(cell) ? cell->producers : 1;
	size_t size = stamp_size(cell, false) > stamp_size(cell, true) ? stamp_size(cell, false) : stamp_size(cell, true);
	uint64_t room = CELL_STAMP_BYTES_MAX / size / producers; /* as much at both ends */
	uint64_t needed = cell->messages ? cell->messages / stamp_spacing(cell) :
					   cell->duration_ns / stamp_least_ns(cell) / producers;

	if (cell->stamps == STAMPS_NONE)
		return 0;
	if (!cell->messages && scheduled(cell) / stamp_spacing(cell) < needed)
		needed = scheduled(cell) / stamp_spacing(cell);
	/* more than is needed: the loops widen the distance at three quarters, but not where each message is stamped; and the first and the
	 * last */
	needed += (cell->stamps == STAMPS_MESSAGE ? 0 : needed / 3) + 2;
	return (needed < room ? needed : room) * (consumer ? producers : 1);
}

uint64_t cell_stamp_bytes(const struct cell *cell, bool consumer)
{
	return cell_stamp_room(cell, consumer) * stamp_size(cell, consumer);
}

uint64_t cell_stamp_bytes_all(const struct cell *cell)
{
	if (cell_is_fan(cell))
		return cell->producers * cell_stamp_bytes(cell, false) + cell->consumers * cell_stamp_bytes(cell, true);
	return cell_queues(cell) * (cell_stamp_bytes(cell, false) + cell_stamp_bytes(cell, true));
}

static json_t *json_count_or_null(uint64_t count)
{
	return count ? json_integer((json_int_t)count) : json_null();
}

static json_t *json_memory_node(const struct cell *cell)
{
	return cell->memory_owner == MEMORY_OF_NODE ? json_sprintf("%d", cell->memory_node)
						    : json_string(memory_owner_names[cell->memory_owner]);
}

static json_t *json_stamps(const struct cell *cell)
{
	return cell->stamps == STAMPS_EVERY ? json_sprintf("%" PRIu64, cell->stamp_every)
					    : json_string(stamp_mode_names[cell->stamps]);
}

static json_t *json_latencies(const struct cell *cell)
{
	json_t *latencies = json_array();

	for (size_t i = 0; i < cell->latency_count; i++)
		json_array_append_new(latencies, json_sprintf("%s:%s", point_names[cell->latencies[i].from],
							      point_names[cell->latencies[i].to]));
	return latencies;
}

static json_t *json_cpus(const struct cell *cell)
{
	json_t *cpus = json_array();

	/* a cell that is refused for its many actors has CPUs for none */
	for (unsigned i = 0; i < cell_actors(cell) && i < CELL_ACTORS_MAX; i++)
		json_array_append_new(cpus, json_integer(cell->cpus[i]));
	return cpus;
}

json_t *cell_to_json(const struct cell *cell)
{
	json_t *json = json_object();

	json_object_set_new(json, "queue", json_string(cell->queue->name));
	json_object_set_new(json, "workload", json_string(workload_names[cell->workload]));
	json_object_set_new(json, "load", json_string(load_names[cell->load]));
	json_object_set_new(json, "rate_per_s", json_count_or_null(cell->rate_per_s));
	json_object_set_new(json, "rate_percent", json_count_or_null(cell->rate_percent));
	json_object_set_new(json, "arrival", cell->load == LOAD_OPEN ? json_string(arrival_names[cell->arrival]) : json_null());
	json_object_set_new(json, "burst", json_count_or_null(cell->burst));
	json_object_set_new(json, "gap_ns", json_count_or_null(cell->gap_ns));
	json_object_set_new(json, "work_ns", json_integer((json_int_t)cell->work_ns));
	json_object_set_new(json, "think_ns", json_integer((json_int_t)cell->think_ns));
	json_object_set_new(json, "window", json_count_or_null(cell->window));
	json_object_set_new(json, "batch", json_integer((json_int_t)cell->batch));
	json_object_set_new(json, "message_bytes", json_integer((json_int_t)cell->message_bytes));
	json_object_set_new(json, "touch", json_string(touch_names[cell->touch]));
	json_object_set_new(json, "capacity", json_count_or_null(cell->capacity));
	json_object_set_new(json, "producers", json_integer(cell->producers));
	json_object_set_new(json, "consumers", json_integer(cell->consumers));
	json_object_set_new(json, "stages", json_count_or_null(cell->stages));
	json_object_set_new(json, "prewrite", json_boolean(cell->prewrite));
	json_object_set_new(json, "preread", json_boolean(cell->preread));
	json_object_set_new(json, "place", json_string(cell->place));
	json_object_set_new(json, "cpus", json_cpus(cell));
	json_object_set_new(json, "wait", json_string(wait_policy_names[cell->wait]));
	json_object_set_new(json, "memory_node", json_memory_node(cell));
	json_object_set_new(json, "huge_pages", json_string(huge_pages_names[cell->huge_pages]));
	json_object_set_new(json, "duration_ns", json_count_or_null(cell->duration_ns));
	json_object_set_new(json, "messages", json_count_or_null(cell->messages));
	json_object_set_new(json, "warm_up_ns", json_integer((json_int_t)cell->warm_up_ns));
	json_object_set_new(json, "stamps", json_stamps(cell));
	json_object_set_new(json, "latency", json_latencies(cell));
	return json;
}

/* Fields are taken one after the other; the first that is wrong is kept, what is taken after it is zero. */
struct taking {
	const json_t *json;
	char *error; /* CELL_TEXT bytes */
	size_t taken;
	bool failed;
};

__attribute__((format(printf, 3, 4)))
static void take_fail(struct taking *taking, const char *field, const char *format, ...)
{
	va_list arguments;
	int used;

	if (taking->failed)
		return;
	taking->failed = true;
	used = snprintf(taking->error, CELL_TEXT, "%s: ", field);
	va_start(arguments, format);
	vsnprintf(taking->error + used, CELL_TEXT - (size_t)used, format, arguments);
	va_end(arguments);
}

static const json_t *take_field(struct taking *taking, const char *field)
{
	const json_t *value = json_object_get(taking->json, field);

	taking->taken++;
	if (!value)
		take_fail(taking, field, "missing");
	return value;
}

static uint64_t take_count(struct taking *taking, const char *field, uint64_t least)
{
	const json_t *value = take_field(taking, field);
	json_int_t count = json_integer_value(value);

	if (!json_is_integer(value) || count < 0 || (uint64_t)count < least)
		take_fail(taking, field, "not a whole number of at least %" PRIu64, least);
	return taking->failed ? 0 : (uint64_t)count;
}

/* null is 0, and 0 is refused. */
static uint64_t take_count_or_null(struct taking *taking, const char *field)
{
	if (json_is_null(json_object_get(taking->json, field))) {
		taking->taken++;
		return 0;
	}
	return take_count(taking, field, 1);
}

static const char *take_text(struct taking *taking, const char *field)
{
	const char *text = json_string_value(take_field(taking, field));

	if (!text)
		take_fail(taking, field, "not a text");
	return text ? text : "";
}

static unsigned take_word(struct taking *taking, const char *field, const char *const *names)
{
	const char *text = take_text(taking, field);
	size_t found = words_find(names, text);

	if (!names[found])
		take_fail(taking, field, "unknown word '%s'", text);
	return taking->failed ? 0 : (unsigned)found;
}

/* A word, or else a number no less than least. Returns the word's position; that of the end for a number. */
static unsigned take_word_or_number(struct taking *taking, const char *field, const char *const *names, uint64_t least,
				    uint64_t *number)
{
	const char *text = take_text(taking, field);
	size_t found = words_find(names, text);

	*number = 0;
	if (!names[found] && (units_parse_integer(text, number) || *number < least || *number > INT64_MAX))
		take_fail(taking, field, "neither a known word nor a number: '%s'", text);
	return taking->failed ? 0 : (unsigned)found;
}

/* queue: one beside the built-in ones, or NULL */
static void take_queue(struct taking *taking, struct cell *cell, const struct queue *queue)
{
	const char *name = take_text(taking, "queue");

	cell->queue = queue && !strcmp(queue->name, name) ? queue : peer_find_queue(name);
	if (!cell->queue)
		take_fail(taking, "queue", "unknown queue '%s'", name);
}

static bool take_switch(struct taking *taking, const char *field)
{
	const json_t *value = take_field(taking, field);

	if (!json_is_boolean(value))
		take_fail(taking, field, "neither true nor false");
	return json_is_true(value);
}

/* How often messages are due. Of an open load exactly one thing says so; of others nothing does. */
static void take_schedule(struct taking *taking, struct cell *cell)
{
	bool open = cell->load == LOAD_OPEN, bursts;
	const json_t *arrival;

	cell->rate_per_s = take_count_or_null(taking, "rate_per_s");
	cell->rate_percent = take_count_or_null(taking, "rate_percent");
	if (open) {
		cell->arrival = take_word(taking, "arrival", arrival_names);
	} else {
		arrival = take_field(taking, "arrival");
		if (!json_is_null(arrival))
			take_fail(taking, "arrival", "not of this load");
	}
	cell->burst = take_count_or_null(taking, "burst");
	cell->gap_ns = take_count_or_null(taking, "gap_ns");
	bursts = open && cell->arrival == ARRIVAL_BURST;
	if (!cell->burst == bursts)
		take_fail(taking, "burst", "bursts have a number of messages, and nothing else has");
	if (!bursts && cell->gap_ns)
		take_fail(taking, "gap_ns", "only bursts have one");
	if ((cell->rate_per_s != 0) + (cell->rate_percent != 0) + (cell->gap_ns != 0) != open)
		take_fail(taking, "rate_per_s", "an open load has either this or rate_percent or gap_ns, others have none");
}

/* Who there is; what a workload does not have may not be there. */
static void take_actors(struct taking *taking, struct cell *cell)
{
	uint64_t producers = take_count(taking, "producers", 1), consumers = take_count(taking, "consumers", 1);
	uint64_t stages = take_count_or_null(taking, "stages");
	bool many_producers = cell->workload == WORKLOAD_FANIN || cell->workload == WORKLOAD_MESH;
	bool many_consumers = cell->workload == WORKLOAD_FANOUT || cell->workload == WORKLOAD_MESH;
	bool pipeline = cell->workload == WORKLOAD_PIPELINE;

	if (producers > (many_producers ? CELL_ACTORS_MAX - 1 : 1))
		take_fail(taking, "producers", "too many for this workload");
	if (consumers > (many_consumers ? CELL_ACTORS_MAX - 1 : 1) || producers + consumers > CELL_ACTORS_MAX)
		take_fail(taking, "consumers", "too many for this workload");
	if (pipeline ? stages < CELL_STAGES_MIN || stages > CELL_ACTORS_MAX : stages != 0)
		take_fail(taking, "stages", "not as many as this workload has");
	if (taking->failed)
		producers = consumers = 1, stages = CELL_STAGES_MIN;
	cell->producers = (unsigned)producers;
	cell->consumers = (unsigned)consumers;
	cell->stages = (unsigned)stages;
}

static void take_place(struct taking *taking, struct cell *cell)
{
	const json_t *cpus = take_field(taking, "cpus");

	if (snprintf(cell->place, sizeof(cell->place), "%s", take_text(taking, "place")) >= (int)sizeof(cell->place))
		take_fail(taking, "place", "too long");
	if (json_array_size(cpus) != cell_actors(cell))
		take_fail(taking, "cpus", "not an array of %u", cell_actors(cell));
	for (unsigned i = 0; i < cell_actors(cell); i++) {
		const json_t *cpu = json_array_get(cpus, i);
		json_int_t number = json_integer_value(cpu);

		if (!json_is_integer(cpu) || number < 0 || number > INT32_MAX)
			take_fail(taking, "cpus", "not the number of a CPU");
		else
			cell->cpus[i] = (int)number;
	}
}

static void take_memory_node(struct taking *taking, struct cell *cell)
{
	uint64_t node;

	cell->memory_owner = take_word_or_number(taking, "memory_node", memory_owner_names, 0, &node);
	if (node > INT32_MAX)
		take_fail(taking, "memory_node", "too great");
	else
		cell->memory_node = (int)node;
}

bool latency_pair_parse(struct latency_pair *pair, const char *text)
{
	const char *colon = strchr(text, ':');
	char from[16];
	size_t first, second;

	if (!colon || colon - text >= (ptrdiff_t)sizeof(from))
		return false;
	snprintf(from, sizeof(from), "%.*s", (int)(colon - text), text);
	first = words_find(point_names, from);
	second = words_find(point_names, colon + 1);
	*pair = (struct latency_pair){(enum point)first, (enum point)second};
	return first < POINT_COUNT && second < POINT_COUNT;
}

static void take_latencies(struct taking *taking, struct cell *cell)
{
	const json_t *latencies = take_field(taking, "latency");

	if (!json_is_array(latencies) || json_array_size(latencies) > CELL_LATENCIES_MAX) {
		take_fail(taking, "latency", "not an array of at most %d", CELL_LATENCIES_MAX);
		return;
	}
	for (size_t i = 0; i < json_array_size(latencies); i++) {
		const char *text = json_string_value(json_array_get(latencies, i));
		struct latency_pair *pair = &cell->latencies[cell->latency_count++];

		if (!text || !latency_pair_parse(pair, text) || pair->from >= pair->to)
			take_fail(taking, "latency", "not a pair of points, the earlier first: '%s'", text ? text : "");
		else if (pair->from == POINT_INTENDED && cell->load != LOAD_OPEN)
			take_fail(taking, "latency", "%s: only an open load intends times", text);
	}
}

static void take_end(struct taking *taking, struct cell *cell)
{
	cell->duration_ns = take_count_or_null(taking, "duration_ns");
	cell->messages = take_count_or_null(taking, "messages");
	if (!cell->duration_ns == !cell->messages)
		take_fail(taking, "duration_ns", "either this or messages must be a number, and not both");
}

static void take_rules(struct taking *taking, const struct cell *cell)
{
	if (taking->failed)
		return;
	if (!cell_message_allowed(cell->queue, cell->message_bytes))
		take_fail(taking, "message_bytes", "%" PRIu64 " is beyond what %s takes", cell->message_bytes,
			  cell->queue->name);
	if (!cell_capacity_allowed(cell->queue, cell->capacity))
		take_fail(taking, "capacity", "%" PRIu64 " is not among what %s takes", cell->capacity, cell->queue->name);
}

int cell_of_queue_from_json(struct cell *cell, const json_t *json, const struct queue *queue, char error[CELL_TEXT])
{
	struct taking taking = {.json = json, .error = error};

	memset(cell, 0, sizeof(*cell));
	if (!json_is_object(json))
		take_fail(&taking, "cell", "not an object");
	take_queue(&taking, cell, queue);
	cell->workload = take_word(&taking, "workload", workload_names);
	cell->load = take_word(&taking, "load", load_names);
	take_schedule(&taking, cell);
	cell->work_ns = take_count(&taking, "work_ns", 0);
	cell->think_ns = take_count(&taking, "think_ns", 0);
	cell->window = take_count_or_null(&taking, "window");
	cell->batch = take_count(&taking, "batch", 1);
	cell->message_bytes = take_count(&taking, "message_bytes", 1);
	cell->touch = take_word(&taking, "touch", touch_names);
	cell->capacity = take_count_or_null(&taking, "capacity");
	take_actors(&taking, cell);
	cell->prewrite = take_switch(&taking, "prewrite");
	cell->preread = take_switch(&taking, "preread");
	take_place(&taking, cell);
	cell->wait = take_word(&taking, "wait", wait_policy_names);
	take_memory_node(&taking, cell);
	cell->huge_pages = (int)take_word(&taking, "huge_pages", huge_pages_names);
	take_end(&taking, cell);
	cell->warm_up_ns = take_count(&taking, "warm_up_ns", 0);
	cell->stamps = take_word_or_number(&taking, "stamps", stamp_mode_names, 2, &cell->stamp_every);
	take_latencies(&taking, cell);
	take_rules(&taking, cell);
	if (json_object_size(json) > taking.taken)
		take_fail(&taking, "cell", "has fields that are not known");
	return taking.failed ? -EINVAL : 0;
}

int cell_from_json(struct cell *cell, const json_t *json, char error[CELL_TEXT])
{
	return cell_of_queue_from_json(cell, json, NULL, error);
}
