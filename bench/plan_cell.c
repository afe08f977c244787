/* One cell of a plan: what was asked for, settled by what its queue, workload and load can have. */
#include "plan_parts.h"

#include <string.h>

/* A floor whose messages are one cache line's worth, whatever the others' are. */
static bool is_line(const struct queue *queue)
{
	return queue->traits.role == QUEUE_FLOOR && queue->traits.lossy;
}

static enum load cell_load(const struct cell *cell, uint64_t asked)
{
	if (asked != PLAN_UNASKED)
		return (enum load)asked;
	return cell->workload == WORKLOAD_PINGPONG ? LOAD_CLOSED : LOAD_SATURATE;
}

static uint64_t count_of(uint64_t asked, bool applies, uint64_t standard)
{
	return !applies ? 1 : asked == PLAN_UNASKED ? standard : asked;
}

static void cell_people(struct cell *cell, const uint64_t *asked)
{
	enum workload workload = cell->workload;

	cell->producers = (unsigned)count_of(asked[AXIS_PRODUCERS], workload == WORKLOAD_FANIN || workload == WORKLOAD_MESH, 2);
	cell->consumers = (unsigned)count_of(asked[AXIS_CONSUMERS], workload == WORKLOAD_FANOUT || workload == WORKLOAD_MESH, 2);
	cell->stages = workload == WORKLOAD_PIPELINE ? (unsigned)asked[AXIS_STAGES] : 0;
}

/* What can't make a difference is on. */
static void cell_switches(struct cell *cell, const uint64_t *asked)
{
	const struct queue_traits *traits = &cell->queue->traits;
	bool fixed = cell->workload == WORKLOAD_PINGPONG || traits->one_thread || traits->own_batch_bytes || traits->lossy;

	cell->prewrite = fixed || cell->batch == 1 || asked[AXIS_PREWRITE];
	cell->preread = fixed || asked[AXIS_PREREAD];
}

static uint64_t cell_batch(const struct cell *cell, uint64_t asked)
{
	const struct queue_traits *traits = &cell->queue->traits;
	uint64_t own = traits->own_batch_bytes / queue_stride(cell->message_bytes);

	if (cell->workload == WORKLOAD_PINGPONG || !traits->batches)
		return 1;
	if (traits->own_batch_bytes)
		return own ? own : 1;
	return asked;
}

/* Of a floor that chooses its batch: more than a core's own cache holds, less than a common one, and never less than 64 batches. */
static uint64_t own_capacity(const struct cell *cell)
{
	uint64_t messages = (UINT64_C(8) << 20) / queue_stride(cell->message_bytes), least = 64 * cell->batch;

	return messages > least ? messages : least;
}

/* The default gives way to what the queue can have at most and at least; what was asked for does not. */
static uint64_t cell_capacity(const struct cell *cell, uint64_t asked, bool given)
{
	const struct queue_traits *traits = &cell->queue->traits;

	if (!traits->bounded)
		return 0;
	if (traits->own_batch_bytes)
		return own_capacity(cell);
	if (traits->one_thread)
		return 2 * cell->batch; /* one being written while the last one is still held */
	if (is_line(cell->queue))
		return traits->capacity_max;
	if (!given && asked < traits->capacity_min)
		return traits->capacity_min;
	if (!given && traits->capacity_max && asked > traits->capacity_max)
		return traits->capacity_max;
	return asked;
}

/* A bounded queue needs none, but for a closed load: its capacity is its window. An unbounded one has one under an open load as well, for
 * it would take all memory there is where more is offered than it can take. */
static uint64_t cell_window(const struct cell *cell, uint64_t asked)
{
	if (cell->workload == WORKLOAD_PINGPONG)
		return 1;
	if (cell->load == LOAD_CLOSED)
		return asked == PLAN_UNASKED ? CELL_WINDOW_CLOSED : asked;
	if (cell->queue->traits.bounded)
		return 0;
	return asked == PLAN_UNASKED ? CELL_WINDOW_UNBOUNDED : asked;
}

/* asked: 0 auto, else 1 + the policy. A floor is waited for in the best way there is. */
static enum wait_policy cell_wait(const struct cell *cell, uint64_t asked)
{
	const struct queue_traits *traits = &cell->queue->traits;
	bool crowded = cell_is_crowded(cell), two = cell_actors(cell) == 2;

	if (traits->one_thread)
		return WAIT_SPIN;
	if (traits->blocks_natively)
		return WAIT_NATIVE;
	if (asked && traits->role != QUEUE_FLOOR) /* many that spin on few CPUs would wait for each other's time slices */
		return asked - 1 == WAIT_SPIN && crowded && !two ? WAIT_YIELD : (enum wait_policy)(asked - 1);
	return !crowded ? WAIT_SPIN : two ? WAIT_YIELD : WAIT_PARK;
}

/* A position in words, or a number behind their end. Returns the position; that of the end for a number. */
static unsigned word_or_number(uint64_t asked, unsigned words, uint64_t *number)
{
	*number = asked > words ? asked - words : 0;
	return asked < words ? (unsigned)asked : words;
}

static void cell_memory(struct cell *cell, uint64_t asked, uint64_t huge_pages)
{
	uint64_t node;

	cell->memory_owner = (enum memory_owner)word_or_number(asked, MEMORY_OF_NODE, &node);
	cell->memory_node = (int)node;
	cell->huge_pages = (int)huge_pages;
}

static void cell_stamps(struct cell *cell, uint64_t asked, const struct pair_list *latencies)
{
	if (asked == PLAN_UNASKED)
		asked = cell->load == LOAD_SATURATE ? STAMPS_BATCH : STAMPS_MESSAGE;
	cell->stamps = (enum stamp_mode)word_or_number(asked, STAMPS_EVERY, &cell->stamp_every);
	if (cell->stamps != STAMPS_NONE) /* else there are no latencies */
		plan_settle_latencies(cell, latencies);
}

static void cell_end(struct cell *cell, const struct parameters *parameters)
{
	cell->messages = parameters->messages;
	cell->duration_ns = parameters->messages ? 0 : parameters->duration_ns;
	cell->warm_up_ns = parameters->warm_up_ns;
}

/* The cell of one value from each axis. What does not apply to its queue, workload and load takes the one value that it can
 * have; cells that become equal by that are merged later. */
void plan_settle_cell(struct cell *cell, const struct sweep *sweep, const uint64_t *asked)
{
	const struct parameters *parameters = &sweep->options->parameters;
	const struct seats *seats;

	memset(cell, 0, sizeof(*cell));
	cell->queue = sweep->queues[asked[AXIS_QUEUE]];
	cell->workload = (enum workload)asked[AXIS_WORKLOAD];
	cell_people(cell, asked);
	cell->load = cell_load(cell, asked[AXIS_LOAD]);
	plan_settle_load(cell, (struct load_asked){.rate = asked[AXIS_RATE], .arrival = asked[AXIS_ARRIVAL], .burst = asked[AXIS_BURST],
						   .gap_ns = asked[AXIS_GAP], .work_ns = asked[AXIS_WORK],
						   .think_ns = asked[AXIS_THINK]});
	cell->message_bytes = is_line(cell->queue) ? cell->queue->traits.message_max : asked[AXIS_MESSAGE_SIZE];
	cell->touch = is_line(cell->queue) ? TOUCH_ALL : (enum touch)asked[AXIS_TOUCH];
	cell->batch = cell_batch(cell, asked[AXIS_BATCH]);
	cell->capacity = cell_capacity(cell, asked[AXIS_CAPACITY], option_is_given(sweep->options, "capacity"));
	cell->window = cell_window(cell, asked[AXIS_WINDOW]);
	cell_switches(cell, asked);
	if (cell_actors(cell) > CELL_ACTORS_MAX)
		return; /* is refused */
	seats = plan_find_seats(sweep, asked, cell_actors(cell));
	memcpy(cell->place, seats->name, sizeof(cell->place));
	memcpy(cell->cpus, seats->cpus, sizeof(cell->cpus));
	cell->wait = cell_wait(cell, asked[AXIS_WAIT]);
	cell_memory(cell, asked[AXIS_MEMORY_NODE], parameters->huge_pages);
	cell_stamps(cell, asked[AXIS_STAMPS], &parameters->latencies);
	cell_end(cell, parameters);
}
