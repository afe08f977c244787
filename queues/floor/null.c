/* null: no queue at all; what is left is the harness's own cost.
 *
 * Promise: one thread writes a batch into a buffer and reads it out of the same one. Nothing is shared, published or transferred.
 * How it works. A run of slots that is begun anew whenever it is empty, so that only as many lines are touched as a batch fills.
 * Both ends' costs fall on one thread here; of a real queue each end carries its own.
 * Limits: both endpoints must belong to one thread.
 */
#include "queue.h"

struct null_queue {
	size_t staged, published, noted, read; /* since the run was begun; staged ≥ published ≥ noted ≥ read */
	size_t capacity, stride;
	unsigned char *slots;
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
		.capacity = config->capacity, .stride = stride, .slots = slots, .memory = memory};
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
	unsigned char *slot = queue->slots + queue->staged * queue->stride;

	*n = queue->capacity - queue->staged;
	if (max < *n)
		*n = max;
	queue->staged += *n;
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

	if (queue->read == queue->staged)
		queue->staged = queue->published = queue->read = 0;
	queue->noted = queue->published;
	return queue->noted != queue->read;
}

QUEUE_INLINE const void *null_read_span(void *consumer, size_t max, size_t *n)
{
	struct null_queue *queue = consumer;
	const unsigned char *slot = queue->slots + queue->read * queue->stride;

	*n = queue->noted - queue->read;
	if (max < *n)
		*n = max;
	queue->read += *n;
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
