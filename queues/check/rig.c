#include "rig.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <string.h>

enum { POLLS_MAX = 1000000 }; /* seconds' worth */

static size_t size_clamp(size_t value, size_t least, size_t most)
{
	if (most && value > most)
		value = most;
	return value < least ? least : value;
}

bool rig_allows_capacity(const struct queue *queue, size_t capacity)
{
	const struct queue_traits *traits = &queue->traits;

	return traits->bounded && capacity >= traits->capacity_min &&
	       (!traits->capacity_max || capacity <= traits->capacity_max) &&
	       (!traits->capacity_power_of_two || !(capacity & (capacity - 1)));
}

bool rig_allows_size(const struct queue *queue, size_t message_bytes)
{
	return message_bytes >= queue->traits.message_min && message_bytes <= queue->traits.message_max;
}

struct queue_config rig_config(const struct queue *queue, size_t capacity, size_t message_bytes, size_t batch)
{
	const struct queue_traits *traits = &queue->traits;
	struct queue_config config = {.batch = batch, .producers = 1, .consumers = 1};

	config.message_bytes = size_clamp(message_bytes, traits->message_min, traits->message_max);
	if (traits->bounded)
		config.capacity = size_clamp(capacity, traits->capacity_min, traits->capacity_max);
	while (traits->capacity_power_of_two && config.capacity & (config.capacity - 1))
		config.capacity++;
	return config;
}

void rig_open(struct rig *rig, const struct queue *queue, struct verdict *verdict, struct queue_config config)
{
	int status;

	*rig = (struct rig){.queue = queue, .verdict = verdict, .memory = counted_memory(), .config = config};
	rig->config.memory = &rig->memory.memory;
	status = queue->create(&rig->config, &rig->instance);
	if (status == -ENOSYS || status == -EPERM)
		verdict_skip(verdict, "this machine does not offer what it rests on");
	if (status)
		verdict_fail(verdict, "create (capacity %zu, %zu bytes, batch %zu): expected 0, got %d", config.capacity,
			     config.message_bytes, config.batch, status);
	rig->producer = queue->producer(rig->instance, 0);
	rig->consumer = queue->consumer(rig->instance, 0);
}

void rig_close(struct rig *rig)
{
	struct counted_memory *memory = &rig->memory;
	size_t footprint = 0;
	int status = rig->queue->footprint(&rig->config, rig->outstanding_most, &footprint);

	rig->queue->destroy(rig->instance);
	if (memory->fault)
		verdict_fail(rig->verdict, "memory: it %s", memory->fault);
	if (memory->live_blocks)
		verdict_fail(rig->verdict, "destroy left %zu blocks of %zu bytes unreleased", memory->live_blocks,
			     memory->live_bytes);
	if (status || memory->peak_bytes > footprint)
		verdict_fail(rig->verdict,
			     "footprint (capacity %zu, %zu bytes, batch %zu, outstanding %" PRIu64 "): %zu bytes, status %d; it took %zu",
			     rig->config.capacity, rig->config.message_bytes, rig->config.batch, rig->outstanding_most,
			     footprint, status, memory->peak_bytes);
}

/* How many prewrite_span() must hand out at least (0 or 1), and at most. */
static void rig_expect_room(const struct rig *rig, size_t *least, size_t *most)
{
	const struct queue_traits *traits = &rig->queue->traits;
	uint64_t unflushed = rig->staged - rig->published_most;

	if (!traits->bounded && traits->in_place) {
		*least = 1;
		*most = SIZE_MAX;
	} else if (traits->in_place && traits->lossy) {
		/* what was flushed is in no one's way */
		*most = rig->config.capacity - (size_t)unflushed;
		*least = *most != 0;
	} else if (traits->in_place) {
		*most = rig->config.capacity - (size_t)(rig->staged - rig->released);
		*least = *most && (!traits->capacity_approximate || rig->staged == rig->emptied);
	} else {
		*most = rig->config.batch - (size_t)(unflushed < rig->config.batch ? unflushed : rig->config.batch);
		*least = rig->staged == rig->published_least;
	}
}

size_t rig_stage(struct rig *rig, size_t max)
{
	size_t stride = queue_stride(rig->config.message_bytes), least, most, n = SIZE_MAX;
	unsigned char *slots = rig->queue->prewrite_span(rig->producer, max, &n);

	rig_expect_room(rig, &least, &most);
	if (n < least || n > most || n > max)
		verdict_fail(rig->verdict,
			     "prewrite_span(%zu) after %" PRIu64 " staged, %" PRIu64 " released: expected %zu to %zu, got %zu", max,
			     rig->staged, rig->released, least, most < max ? most : max, n);
	if (n && (!slots || (uintptr_t)slots % 8))
		verdict_fail(rig->verdict, "prewrite_span: expected slots at a word's address, got %p", (void *)slots);
	for (size_t i = 0; i < n; i++)
		message_write(slots + i * stride, rig->config.message_bytes, ++rig->staged);
	if (rig->staged - rig->released > rig->outstanding_most)
		rig->outstanding_most = rig->staged - rig->released;
	return n;
}

enum queue_flush rig_flush(struct rig *rig)
{
	const struct queue_traits *traits = &rig->queue->traits;
	enum queue_flush flushed = rig->queue->flush(rig->producer);

	if (flushed == QUEUE_FULL) {
		/* what is sure to have room; an empty queue has some, however its capacity is counted */
		uint64_t room = traits->kernel_buffer ? 1 : rig->config.capacity, full = rig->released + room;

		if (traits->in_place || !traits->bounded ||
		    rig->staged <= (traits->capacity_approximate ? rig->emptied + 1 : full))
			verdict_fail(rig->verdict, "flush after %" PRIu64 " staged, %" PRIu64 " released: expected room, got QUEUE_FULL",
				     rig->staged, rig->released);
		/* what there was room for is published; but a queue with a batch of its own may want room for all of it, and one of
		 * approximate capacity need not see that there is room */
		if (!traits->own_batch_bytes && !traits->capacity_approximate && full > rig->published_least)
			rig->published_least = full;
		rig->published_most = rig->staged;
	} else {
		rig->published_least = rig->published_most = rig->staged;
	}
	return flushed;
}

bool rig_preread(struct rig *rig)
{
	bool some = rig->queue->preread(rig->consumer);

	/* what the kernel brings over may take its time */
	for (unsigned polls = 0; !some && rig->queue->traits.kernel_buffer && rig->published_least > rig->read && polls < POLLS_MAX;
	     polls++) {
		sched_yield();
		some = rig->queue->preread(rig->consumer);
	}
	rig->released = rig->read;
	rig->noted = rig->published_most;
	if (!some)
		rig->emptied = rig->read;
	if (some ? rig->published_most == rig->read : rig->published_least > rig->read)
		verdict_fail(rig->verdict, "preread after %" PRIu64 " flushed, %" PRIu64 " read: got %s", rig->published_least,
			     rig->read, some ? "something" : "nothing");
	return some;
}

size_t rig_read(struct rig *rig, size_t max)
{
	size_t stride = queue_stride(rig->config.message_bytes), n = SIZE_MAX;
	const unsigned char *slots = rig->queue->read_span(rig->consumer, max, &n);

	if (n > max || n > rig->noted - rig->read)
		verdict_fail(rig->verdict, "read_span(%zu) after %" PRIu64 " noted, %" PRIu64 " read: got %zu", max, rig->noted,
			     rig->read, n);
	if (n && (!slots || (uintptr_t)slots % 8))
		verdict_fail(rig->verdict, "read_span: expected slots at a word's address, got %p", (const void *)slots);
	for (size_t i = 0; i < n; i++) {
		/* of a lossy queue the newest */
		uint64_t expected = rig->queue->traits.lossy ? rig->noted : rig->read + 1;
		int64_t damage = message_find_damage(slots + i * stride, rig->config.message_bytes, expected);

		if (damage >= 0)
			verdict_fail(rig->verdict, "read_span: expected message %" PRIu64 ", got %" PRIu64 ", damaged from word %" PRId64,
				     expected, message_first(slots + i * stride), damage);
		rig->read = expected;
	}
	return n;
}

bool rig_push(struct rig *rig)
{
	return rig_stage(rig, 1) && rig_flush(rig) != QUEUE_FULL;
}

size_t rig_push_batch(struct rig *rig, size_t messages)
{
	size_t staged = 0, n;

	while (staged < messages && (n = rig_stage(rig, messages - staged)))
		staged += n;
	rig_flush(rig);
	return staged;
}

void rig_drain(struct rig *rig)
{
	do
		while (rig_preread(rig)) {
			uint64_t before = rig->read;

			while (rig_read(rig, SIZE_MAX))
				;
			if (rig->read == before)
				verdict_fail(rig->verdict, "read_span: preread found something, got nothing");
		}
	while (rig_flush(rig) == QUEUE_FULL || rig->published_least > rig->read);
}

static uint64_t message_word(uint64_t first, size_t index)
{
	return index ? (first + index) * 0x9e3779b97f4a7c15 : first;
}

void message_write(void *slot, size_t bytes, uint64_t first)
{
	size_t words = bytes / 8, rest = bytes % 8;
	uint64_t *word = slot, last = message_word(first, words);

	for (size_t i = 0; i < words; i++)
		word[i] = message_word(first, i);
	memcpy(word + words, &last, rest);
}

int64_t message_find_damage(const void *slot, size_t bytes, uint64_t first)
{
	size_t words = bytes / 8, rest = bytes % 8;
	const uint64_t *word = slot;
	uint64_t last = message_word(first, words);

	for (size_t i = 0; i < words; i++)
		if (word[i] != message_word(first, i))
			return (int64_t)i;
	return memcmp(word + words, &last, rest) ? (int64_t)words : -1;
}
