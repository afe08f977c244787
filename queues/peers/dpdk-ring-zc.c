/* dpdk-ring-zc: DPDK's ring for one producer and one consumer, written and read in place ("zero copy", rte_ring_peek_zc.h): a producer
 * reserves a batch at once and finishes as many as it filled; a consumer takes all that is there, and gives back what it read when it looks
 * again. */
#include "dpdk_ring.h"

struct zc_endpoint {
	struct rte_ring *ring; /* constant */
	unsigned stride, most; /* constant: bytes of a message, messages of a reservation */
	unsigned char *at, *wrapped;
	unsigned left, left_wrapped; /* reserved and not handed out: from `at` on, then from `wrapped` on */
	unsigned handed;             /* handed out since the last finish */
} QUEUE_ALIGNED;

struct zc {
	struct rte_ring *ring;
	struct zc_endpoint ends[2]; /* the producer's, the consumer's */
	size_t bytes;
	struct queue_memory *memory;
};

static int zc_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	ssize_t size = dpdk_ring_bytes(config);

	(void)outstanding;
	if (size < 0)
		return -22; /* −EINVAL */
	return queue_size(1, (size_t)size, sizeof(struct zc), bytes);
}

static int zc_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct rte_ring *ring = dpdk_ring_open(config, RING_F_SP_ENQ | RING_F_SC_DEQ);
	struct zc *zc = ring ? memory->allocate(memory, sizeof(*zc), QUEUE_LINE_PAIR) : NULL;

	if (!zc) {
		if (ring)
			dpdk_ring_close(ring, config);
		return -12; /* −ENOMEM */
	}
	*zc = (struct zc){.ring = ring, .bytes = (size_t)dpdk_ring_bytes(config), .memory = memory};
	for (int i = 0; i < 2; i++)
		zc->ends[i] = (struct zc_endpoint){.ring = ring, .stride = (unsigned)queue_stride(config->message_bytes)};
	zc->ends[0].most = (unsigned)config->batch;
	zc->ends[1].most = (unsigned)config->capacity;
	*instance = zc;
	return 0;
}

static void zc_destroy(void *instance)
{
	struct zc *zc = instance;

	zc->memory->release(zc->memory, zc->ring, zc->bytes);
	zc->memory->release(zc->memory, zc, sizeof(*zc));
}

static void *zc_producer(void *instance, unsigned index)
{
	return &((struct zc *)instance)->ends[index];
}

static void *zc_consumer(void *instance, unsigned index)
{
	return &((struct zc *)instance)->ends[1 + index];
}

QUEUE_INLINE void zc_reserved(struct zc_endpoint *end, const struct rte_ring_zc_data *place, unsigned n)
{
	end->at = place->ptr1;
	end->wrapped = place->ptr2;
	end->left = place->n1;
	end->left_wrapped = n - end->left;
}

/* The next run of what is reserved. */
QUEUE_INLINE void *zc_hand_out(struct zc_endpoint *end, size_t max, size_t *n)
{
	unsigned char *slots;

	if (!end->left && end->left_wrapped) {
		end->at = end->wrapped;
		end->left = end->left_wrapped;
		end->left_wrapped = 0;
	}
	slots = end->at;
	*n = max < end->left ? max : end->left;
	end->at += *n * end->stride;
	end->left -= (unsigned)*n;
	end->handed += (unsigned)*n;
	return slots;
}

QUEUE_INLINE void *zc_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct zc_endpoint *end = producer;

	/* a batch is reserved at once: who stages more than that before he flushes reserves again */
	if (!end->left && !end->left_wrapped) {
		struct rte_ring_zc_data place = {0};

		zc_reserved(end, &place, rte_ring_enqueue_zc_burst_elem_start(end->ring, end->stride, end->most, &place, NULL));
	}
	return zc_hand_out(end, max, n);
}

QUEUE_INLINE enum queue_flush zc_flush(void *producer)
{
	struct zc_endpoint *end = producer;

	if (end->handed | end->left | end->left_wrapped)
		rte_ring_enqueue_zc_elem_finish(end->ring, end->handed);
	end->handed = end->left = end->left_wrapped = 0; /* what was reserved beyond is given back */
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool zc_preread(void *consumer)
{
	struct zc_endpoint *end = consumer;
	struct rte_ring_zc_data place = {0};

	/* also where nothing of what was taken was read: it is taken again */
	if (end->handed | end->left | end->left_wrapped)
		rte_ring_dequeue_zc_elem_finish(end->ring, end->handed);
	end->handed = 0;
	zc_reserved(end, &place, rte_ring_dequeue_zc_burst_elem_start(end->ring, end->stride, end->most, &place, NULL));
	return end->left != 0;
}

QUEUE_INLINE const void *zc_read_span(void *consumer, size_t max, size_t *n)
{
	return zc_hand_out(consumer, max, n);
}

QUEUE_TABLE(dpdk_ring_zc) = {
	.contract = QUEUE_CONTRACT,
	.name = "dpdk-ring-zc",
	.summary = "DPDK rte_ring, SP/SC, in place: …_zc_burst_elem_start, …_zc_elem_finish",
	.source = DPDK_RING_SOURCE,
	.traits = {DPDK_RING_TRAITS, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .progress = QUEUE_WAIT_FREE,
		   .in_place = true},
	.footprint = zc_footprint, .create = zc_create, .destroy = zc_destroy, .producer = zc_producer, .consumer = zc_consumer,
	.prewrite_span = zc_prewrite_span, .flush = zc_flush, .preread = zc_preread, .read_span = zc_read_span,
};
