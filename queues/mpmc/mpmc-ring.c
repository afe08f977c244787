/* mpmc-ring: a bounded ring for any number of writers and readers, a turn in each slot.
 *
 * Source: D. Vyukov's bounded MPMC queue, 2010; here a batch is claimed at once.
 * Promise: no operation waits for another; total order; never more than `capacity` published messages in it.
 *
 * How it works. Each slot carries a turn: 2 × position while it is free for the message of that position, one more when the message is
 * in it. A flush counts the slots in a row behind `tail` whose turn says free, claims them by one compare-exchange of `tail`, and
 * copies and publishes one after the other; a preread does the same with `head` and the slots whose turn says full. No side reads the
 * other's counter: the turns, which come along with the messages, tell all. (Vyukov's sequence is position and position + 1; doubled,
 * it also tells free from full where the capacity is 1.)
 *
 * Why it copies. A claimed slot holds up all that come behind it until it is published (released). Slots claimed when they are handed
 * out would do so for as long as their writer (reader) thinks; claimed inside of flush and preread they do for the time of a copy. And
 * so the turn can lie beside its message: one line moves where there would be two.
 *
 * Limits: a thread that loses its CPU amid a copy stops those behind it: readers find nothing, then writers no room.
 *
 * Who may call what beside whom: each endpoint is one thread's; else anything beside anything.
 */
#include "copy.h"
#include "stage.h"

struct cell {
	uint64_t turn;
	uint64_t message[];
};

struct mpmc_ring {
	uint64_t tail QUEUE_ALIGNED; /* producers': positions claimed to be written */
	uint64_t head QUEUE_ALIGNED; /* consumers': positions claimed to be read */
	/* constant */
	struct endpoint *endpoints QUEUE_ALIGNED; /* producers first */
	unsigned producers, consumers;
	unsigned char *cells;
	size_t capacity, cell_bytes;
	struct queue_memory *memory;
};

_Static_assert(offsetof(struct mpmc_ring, head) - offsetof(struct mpmc_ring, tail) == QUEUE_LINE_PAIR &&
	       offsetof(struct mpmc_ring, endpoints) - offsetof(struct mpmc_ring, head) == QUEUE_LINE_PAIR,
	       "each counter has a line pair of its own");

/* All of it is its thread's own. */
struct endpoint {
	struct stage stage;
	/* constant */
	size_t cell_stride;
	size_t mask; /* capacity − 1 */
	unsigned char *cells;
	struct mpmc_ring *ring;
} QUEUE_ALIGNED;

/* Beside a position's message: whose turn it is. */
enum { FREE, FULL };

static size_t mpmc_ring_cell_bytes(const struct queue_config *config)
{
	return sizeof(struct cell) + queue_stride(config->message_bytes);
}

static int mpmc_ring_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	size_t endpoints = config->producers + config->consumers, stages;

	(void)outstanding;
	if (queue_size(stage_room(config), queue_stride(config->message_bytes), sizeof(struct endpoint), &stages) ||
	    queue_size(endpoints, stages, sizeof(struct mpmc_ring), &stages))
		return -75; /* −EOVERFLOW */
	return queue_size(config->capacity, mpmc_ring_cell_bytes(config), stages, bytes);
}

static void mpmc_ring_destroy(void *instance)
{
	struct mpmc_ring *ring = (struct mpmc_ring *)instance;
	struct queue_memory *memory = ring->memory;
	size_t count = ring->producers + ring->consumers;

	for (size_t i = 0; ring->endpoints && i < count; i++)
		stage_close(&ring->endpoints[i].stage, memory);
	if (ring->cells)
		memory->release(memory, ring->cells, ring->capacity * ring->cell_bytes);
	if (ring->endpoints)
		memory->release(memory, ring->endpoints, count * sizeof(struct endpoint));
	memory->release(memory, ring, sizeof(*ring));
}

QUEUE_INLINE struct cell *mpmc_ring_cell(const struct endpoint *endpoint, uint64_t position)
{
	return (struct cell *)(void *)(endpoint->cells + (size_t)(position & endpoint->mask) * endpoint->cell_stride);
}

static int mpmc_ring_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	size_t count = config->producers + config->consumers, bytes;
	struct mpmc_ring *ring;
	bool complete;

	if (mpmc_ring_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	ring = (struct mpmc_ring *)memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	if (!ring)
		return -12; /* −ENOMEM */
	*ring = (struct mpmc_ring){.tail = config->counter_start, .head = config->counter_start,
				   .producers = config->producers, .consumers = config->consumers,
				   .capacity = config->capacity, .cell_bytes = mpmc_ring_cell_bytes(config), .memory = memory};
	ring->cells = (unsigned char *)memory->allocate(memory, ring->capacity * ring->cell_bytes, QUEUE_LINE_PAIR);
	ring->endpoints = (struct endpoint *)memory->allocate(memory, count * sizeof(struct endpoint), QUEUE_LINE_PAIR);
	complete = ring->cells && ring->endpoints;
	for (size_t i = 0; ring->endpoints && i < count; i++) {
		struct endpoint *endpoint = &ring->endpoints[i];

		*endpoint = (struct endpoint){.cell_stride = ring->cell_bytes, .mask = ring->capacity - 1, .cells = ring->cells,
					      .ring = ring};
		complete = stage_open(&endpoint->stage, config, stage_room(config)) && complete;
	}
	if (!complete) {
		mpmc_ring_destroy(ring);
		return -12;
	}
	for (uint64_t i = 0; i < config->capacity; i++) {
		uint64_t position = config->counter_start + i;

		mpmc_ring_cell(ring->endpoints, position)->turn = 2 * position + FREE;
	}
	*instance = ring;
	return 0;
}

static void *mpmc_ring_producer(void *instance, unsigned index)
{
	return &((struct mpmc_ring *)instance)->endpoints[index];
}

static void *mpmc_ring_consumer(void *instance, unsigned index)
{
	struct mpmc_ring *ring = (struct mpmc_ring *)instance;

	return &ring->endpoints[ring->producers + index];
}

/* Claims up to max positions in a row, from *counter on, whose turn has come. Returns how many; 0: not even the first one's has. */
QUEUE_INLINE size_t mpmc_ring_claim(const struct endpoint *endpoint, uint64_t *counter, uint64_t whose, size_t max,
				    uint64_t *position)
{
	/* relaxed: a stale value makes the first turn look late or the exchange fail; both lead to another look. */
	uint64_t at = load_relaxed(counter), turn = 0;
	size_t n;

	for (;;) {
		for (n = 0; n < max; n++) {
			/* T1 acquire: pairs with T0 in mpmc_ring_flush(): the message's contents. F1 acquire: pairs with F0 in
			 * mpmc_ring_preread(): the slot was read before it is written anew. */
			turn = load_acquire(&mpmc_ring_cell(endpoint, at + n)->turn);
			if (turn != 2 * (at + n) + whose)
				break;
		}
		if (n) {
			/* Only who claims a position moves its turn, and none was claimed while the counter stood still. The exchange
			 * orders nothing: T and F do. */
			if (compare_exchange_acq_rel(counter, &at, at + n)) {
				*position = at;
				return n;
			}
		} else {
			if ((int64_t)(turn - (2 * at + whose)) < 0)
				return 0;
			at = load_relaxed(counter); /* relaxed: as above; the turn seen is of a claim that came after `at` */
		}
	}
}

QUEUE_INLINE void *mpmc_ring_prewrite_span(void *producer, size_t max, size_t *n)
{
	return stage_prewrite_span(&((struct endpoint *)producer)->stage, max, n);
}

QUEUE_INLINE enum queue_flush mpmc_ring_flush(void *producer)
{
	struct endpoint *endpoint = (struct endpoint *)producer;
	struct stage *stage = &endpoint->stage;

	while (stage->staged) {
		uint64_t position = 0; /* set where n is not 0 */
		size_t n = mpmc_ring_claim(endpoint, &endpoint->ring->tail, FREE, stage->staged, &position), stride = stage->stride;
		const unsigned char *message = stage_first(stage);

		if (!n)
			return QUEUE_FULL;
		for (size_t i = 0; i < n; i++, message += stride) {
			struct cell *cell = mpmc_ring_cell(endpoint, position + i);

			copy_messages(cell->message, message, stride / 8);
			/* T0 release: pairs with T1 in mpmc_ring_claim(), called by a preread. */
			store_release(&cell->turn, 2 * (position + i) + FULL);
		}
		stage_shift(stage, n);
	}
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool mpmc_ring_preread(void *consumer)
{
	struct endpoint *endpoint = (struct endpoint *)consumer;
	struct stage *stage = &endpoint->stage;
	unsigned char *message = stage->messages;
	uint64_t position = 0; /* as above */
	size_t n, stride = stage->stride;

	if (stage->staged)
		return true;
	n = mpmc_ring_claim(endpoint, &endpoint->ring->head, FULL, stage->room, &position);
	for (size_t i = 0; i < n; i++, message += stride) {
		struct cell *cell = mpmc_ring_cell(endpoint, position + i);

		copy_messages(message, cell->message, stride / 8);
		/* F0 release: pairs with F1 in mpmc_ring_claim(), called by a flush. */
		store_release(&cell->turn, 2 * (position + i + endpoint->mask + 1) + FREE);
	}
	stage_fill(stage, n);
	return n;
}

QUEUE_INLINE const void *mpmc_ring_read_span(void *consumer, size_t max, size_t *n)
{
	return stage_read_span(&((struct endpoint *)consumer)->stage, max, n);
}

QUEUE_TABLE(mpmc_ring) = {
	.contract = QUEUE_CONTRACT,
	.name = "mpmc-ring",
	.summary = "bounded ring, a turn in each slot, a batch per compare-exchange",
	.source = "bounded MPMC queue, D. Vyukov, 2010; batched",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPMC, .bounded = true, .capacity_min = 1,
		.capacity_power_of_two = true,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	.footprint = mpmc_ring_footprint,
	.create = mpmc_ring_create,
	.destroy = mpmc_ring_destroy,
	.producer = mpmc_ring_producer,
	.consumer = mpmc_ring_consumer,
	.prewrite_span = mpmc_ring_prewrite_span,
	.flush = mpmc_ring_flush,
	.preread = mpmc_ring_preread,
	.read_span = mpmc_ring_read_span,
};
