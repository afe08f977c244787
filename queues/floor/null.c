/* null: no queue at all; what is left is the harness's own cost.
 *
 * Source: none.
 * Promise: one thread writes a batch into a buffer and reads it out of the same one. Nothing is shared, published or transferred.
 * How it works. A ring without atomics or copies: the least that keeps the contract.
 * Both ends' costs fall on one thread here; of a real queue each end carries its own.
 * Limits: both endpoints must belong to one thread.
 */
#include "queue.h"

struct null_queue {
	/* messages so far; staged ≥ published ≥ noted ≥ read ≥ released ≥ staged − capacity */
	uint64_t staged, published, noted, read, released;
	unsigned char *write_slot, *read_slot; /* the next ones */
	unsigned char *slots, *end;
	size_t capacity, stride;
	struct queue_memory *memory;
};

static int null_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	return queue_size(config->capacity, queue_stride(config->message_bytes), sizeof(struct null_queue), bytes);
}

static void null_destroy(void *instance)
{
	struct null_queue *queue = instance;
	struct queue_memory *memory = queue->memory;

	memory->release(memory, queue->slots, queue->capacity * queue->stride);
	memory->release(memory, queue, sizeof(*queue));
}

static int null_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t stride = queue_stride(config->message_bytes);
	struct null_queue *queue;
	unsigned char *slots;
	uint64_t start = config->counter_start;
	size_t bytes;

	if (null_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	queue = memory->allocate(memory, sizeof(*queue), QUEUE_LINE_PAIR);
	slots = queue ? memory->allocate(memory, config->capacity * stride, QUEUE_LINE_PAIR) : NULL;
	if (!slots) {
		if (queue)
			memory->release(memory, queue, sizeof(*queue));
		return -12; /* −ENOMEM */
	}
	*queue = (struct null_queue){
		.staged = start, .published = start, .noted = start, .read = start, .released = start,
		.write_slot = slots, .read_slot = slots, .slots = slots, .end = slots + config->capacity * stride,
		.capacity = config->capacity, .stride = stride, .memory = memory,
	};
	*instance = queue;
	return 0;
}

static void *null_endpoint(void *instance, unsigned index)
{
	(void)index;
	return instance;
}

QUEUE_INLINE void *null_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct null_queue *queue = producer;
	size_t free = queue->capacity - (size_t)(queue->staged - queue->released);
	unsigned char *slot = queue->write_slot;

	*n = max < free ? max : free;
	if (queue_unlikely(*n * queue->stride > (size_t)(queue->end - slot)))
		*n = (size_t)(queue->end - slot) / queue->stride;
	queue->staged += *n;
	queue->write_slot = slot + *n * queue->stride;
	if (queue->write_slot == queue->end)
		queue->write_slot = queue->slots;
	return slot;
}

QUEUE_INLINE enum queue_flush null_flush(void *producer)
{
	struct null_queue *queue = producer;

	queue->published = queue->staged;
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool null_preread(void *consumer)
{
	struct null_queue *queue = consumer;

	queue->released = queue->read;
	queue->noted = queue->published;
	return queue->noted != queue->read;
}

QUEUE_INLINE const void *null_read_span(void *consumer, size_t max, size_t *n)
{
	struct null_queue *queue = consumer;
	size_t ready = (size_t)(queue->noted - queue->read);
	const unsigned char *slot = queue->read_slot;

	*n = max < ready ? max : ready;
	if (queue_unlikely(*n * queue->stride > (size_t)(queue->end - slot)))
		*n = (size_t)(queue->end - slot) / queue->stride;
	queue->read += *n;
	queue->read_slot += *n * queue->stride;
	if (queue->read_slot == queue->end)
		queue->read_slot = queue->slots;
	return slot;
}

QUEUE_TABLE(null) = {
	.contract = QUEUE_CONTRACT,
	.name = "null",
	.summary = "no transfer: the harness's own cost, both ends on one thread",
	.source = "none",
	.traits = {
		.role = QUEUE_FLOOR, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true, .one_thread = true,
	},
	.footprint = null_footprint,
	.create = null_create,
	.destroy = null_destroy,
	.producer = null_endpoint,
	.consumer = null_endpoint,
	.prewrite_span = null_prewrite_span,
	.flush = null_flush,
	.preread = null_preread,
	.read_span = null_read_span,
};
