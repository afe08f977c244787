/* A trial's memory: the queues in their region, and the room for stamps. */
#include "trial_actor.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "target.h"

enum { PREFAULT_BYTES_MAX = 64 << 20 };

/* queue_memory as the region hands it out; the struct begins a struct trial's member, so it knows its trial. */
static struct memory_region *region_of(struct queue_memory *memory)
{
	return ((struct trial *)(void *)((char *)memory - offsetof(struct trial, memory)))->region;
}

static void *region_allocate(struct queue_memory *memory, size_t bytes, size_t alignment)
{
	return memory_allocate(region_of(memory), bytes, alignment);
}

static void region_release(struct queue_memory *memory, void *block, size_t bytes)
{
	memory_release(region_of(memory), block, bytes);
}

/* In the thread that owns the memory: the region and the queues in it. */
bool trial_open_queues(struct trial *trial, struct trial_actor *actor)
{
	const struct cell *cell = &trial->request->cell;
	struct queue_config config = cell_queue_config(cell);
	size_t pad = trial->request->seed % 64 * QUEUE_LINE_PAIR, bytes;
	struct memory_request request = {.node = cell->memory_owner == MEMORY_OF_NODE       ? cell->memory_node
						 : cell->memory_owner == MEMORY_INTERLEAVED ? MEMORY_NODES_INTERLEAVED
											    : MEMORY_NODE_HERE,
					 .pages = (enum memory_pages)cell->huge_pages, .lock = true};
	int status;

	if (cell_footprint(cell, &bytes))
		bytes = trial->request->memory_limit_bytes;
	/* beyond the queues' own: what alignment may take, and the seed's pad */
	request.limit_bytes = bytes + bytes / 8 + (1 << 20);
	request.prefault_bytes = bytes < PREFAULT_BYTES_MAX ? bytes : PREFAULT_BYTES_MAX;
	status = memory_open(&trial->region, &request, actor->error);
	if (status) {
		actor->environment_error = cell->huge_pages == MEMORY_PAGES_REQUIRE_HUGE || cell->memory_owner >= MEMORY_INTERLEAVED;
		return false;
	}
	trial->memory = (struct queue_memory){region_allocate, region_release};
	config.memory = &trial->memory;
	if (pad)
		memory_allocate(trial->region, pad, QUEUE_LINE_PAIR); /* kept: only there to move what follows */
	for (unsigned i = 0; i < trial->queue_count; i++) {
		status = trial->target->queue->create(&config, &trial->queues[i]);
		if (status) {
			snprintf(actor->error, sizeof(actor->error), "creating the queue failed: %s", strerror(-status));
			return false;
		}
	}
	return true;
}

/* In the actor's own thread, so that the memory is its own node's. */
bool trial_open_stamps(struct trial_actor *actor)
{
	struct trial_endpoint *ends[] = {&actor->out, &actor->in};
	const struct cell *cell = &actor->trial->request->cell;
	uint64_t every = ends[0]->used ? ends[0]->plan.stamp_every : ends[1]->plan.stamp_every;
	size_t bytes = 4096; /* and what alignment may take */
	/* huge pages fault in sooner: a ping-pong of 100 ms took 70 ms beyond its own time instead of 145 (a 2-CPU virtual machine) */
	struct memory_request request = {.node = -1, .pages = MEMORY_PAGES_TRY_HUGE};

	if (!every)
		return true;
	for (size_t i = 0; i < 2; i++)
		bytes += ends[i]->used ? cell_stamp_bytes(cell, i) + 2 * 128 : 0;
	request.limit_bytes = request.prefault_bytes = bytes;
	if (memory_open(&actor->stamps_memory, &request, actor->error))
		return false;
	for (size_t i = 0; i < 2; i++) {
		size_t room = cell_stamp_room(cell, i);
		struct stamps *stamps = &ends[i]->account.stamps;
		bool outmost = ends[i]->plan.arrivals || ends[i]->plan.handles;

		if (!ends[i]->used)
			continue;
		stamps->at = memory_allocate(actor->stamps_memory, room * sizeof(struct stamp), 128);
		if (outmost)
			stamps->outmost = memory_allocate(actor->stamps_memory, room * sizeof(uint64_t), 128);
		stamps->room = room;
		if (!stamps->at || (outmost && !stamps->outmost)) {
			snprintf(actor->error, sizeof(actor->error), "no memory for %zu stamps", room);
			return false;
		}
	}
	return true;
}
