/* One small ring, right but for the bug that its table names: `bug` is a constant in each. */
#include "broken.h"

#include <unistd.h>

enum bug {
	NO_BUG, /* the ring itself must pass, or the others prove nothing */
	PUBLISHED_EARLY,    /* by prewrite, before the contents are written */
	ONE_TOO_MANY,       /* full at capacity + 1 */
	ONE_TOO_FEW,        /* full at capacity − 1, but at 1 */
	COUNTER_OF_8_BITS,
	COUNTER_OF_32_BITS, /* wraps at 2^32 and is compared as if it did not */
	READ_TWICE,         /* each 100th message */
	LAST_LOST,          /* of each batch of 3 */
	RELEASED_EARLY,     /* read_span releases what it hands out */
	RELAXED_PUBLICATION,
	RELAXED_RELEASE,
	LEAKS,              /* one block at the end */
	EXITS,              /* when it is flushed for the third time, as if all were well */
};

struct ring {
	uint64_t staged, flushed, read, noted; /* the first two the writer's, the others the reader's */
	uint64_t flushes;                      /* writer's */
	uint64_t tail QUEUE_ALIGNED;
	uint64_t head QUEUE_ALIGNED;
	uint64_t start; /* constant, as all that follows */
	size_t capacity, stride;
	unsigned char *slots;
	struct queue_memory *memory;
};

static int broken_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)outstanding;
	/* room for the slot too many: this bug is not to be found by its memory */
	return queue_size(config->capacity, queue_stride(config->message_bytes),
			  sizeof(struct ring) + queue_stride(config->message_bytes), bytes);
}

static size_t slots_bytes(const struct ring *ring)
{
	return (ring->capacity + 1) * ring->stride;
}

static int broken_create(const struct queue_config *config, void **instance)
{
	struct queue_memory *memory = config->memory;
	struct ring *ring;
	size_t bytes;

	if (broken_footprint(config, 0, &bytes))
		return -75; /* −EOVERFLOW */
	ring = memory->allocate(memory, sizeof(*ring), QUEUE_LINE_PAIR);
	if (!ring)
		return -12; /* −ENOMEM */
	*ring = (struct ring){.capacity = config->capacity, .stride = queue_stride(config->message_bytes), .memory = memory};
	ring->start = ring->staged = ring->flushed = ring->tail = config->counter_start;
	ring->read = ring->noted = ring->head = config->counter_start;
	ring->slots = memory->allocate(memory, slots_bytes(ring), QUEUE_LINE_PAIR);
	if (!ring->slots) {
		memory->release(memory, ring, sizeof(*ring));
		return -12;
	}
	*instance = ring;
	return 0;
}

static void leaking_destroy(void *instance)
{
	struct ring *ring = instance;

	ring->memory->release(ring->memory, ring, sizeof(*ring));
}

static void broken_destroy(void *instance)
{
	struct ring *ring = instance;

	ring->memory->release(ring->memory, ring->slots, slots_bytes(ring));
	leaking_destroy(instance);
}

static void exiting_destroy(void *instance)
{
	broken_destroy(instance);
	_exit(0);
}

/* by the status of a child that wrote its verdict */
static void failing_destroy(void *instance)
{
	broken_destroy(instance);
	_exit(3);
}

static void *broken_endpoint(void *instance, unsigned index)
{
	(void)index;
	return instance;
}

static uint64_t narrow(uint64_t counter, enum bug bug)
{
	return bug == COUNTER_OF_8_BITS ? (uint8_t)counter : bug == COUNTER_OF_32_BITS ? (uint32_t)counter : counter;
}

QUEUE_INLINE void *broken_prewrite_span(struct ring *ring, size_t max, size_t *n, enum bug bug)
{
	size_t capacity = ring->capacity + (bug == ONE_TOO_MANY) - (bug == ONE_TOO_FEW && ring->capacity > 1);
	/* R1 acquire: pairs with R0 in broken_release(). */
	uint64_t head = bug == RELAXED_RELEASE ? load_relaxed(&ring->head) : load_acquire(&ring->head);
	size_t slot = (size_t)((ring->staged - ring->start) % ring->capacity);
	size_t free = capacity - (size_t)(ring->staged - head);

	*n = max < free ? max : free;
	if (*n > ring->capacity - slot)
		*n = ring->capacity - slot;
	ring->staged += *n;
	if (bug == PUBLISHED_EARLY)
		store_release(&ring->tail, ring->staged); /* P0, too early */
	return ring->slots + slot * ring->stride;
}

QUEUE_INLINE enum queue_flush broken_flush(struct ring *ring, enum bug bug)
{
	uint64_t tail = ring->staged;

	if (tail == ring->flushed)
		return QUEUE_FLUSHED;
	if (bug == LAST_LOST && tail - ring->flushed == 3)
		ring->staged = --tail;
	ring->flushed = tail;
	if (bug == EXITS && ++ring->flushes == 3)
		_exit(0);
	/* P0 release: pairs with P1 in broken_preread(). */
	if (bug == RELAXED_PUBLICATION)
		store_relaxed(&ring->tail, tail);
	else
		store_release(&ring->tail, narrow(tail, bug));
	return QUEUE_FLUSHED;
}

QUEUE_INLINE void broken_release(struct ring *ring, enum bug bug)
{
	/* R0 release: pairs with R1 in broken_prewrite_span(). */
	if (bug == RELAXED_RELEASE)
		store_relaxed(&ring->head, ring->read);
	else
		store_release(&ring->head, ring->read);
}

QUEUE_INLINE bool broken_preread(struct ring *ring, enum bug bug)
{
	broken_release(ring, bug);
	/* P1 acquire: pairs with P0 in broken_flush(). */
	ring->noted = load_acquire(&ring->tail);
	return ring->noted != narrow(ring->read, bug);
}

QUEUE_INLINE const void *broken_read_span(struct ring *ring, size_t max, size_t *n, enum bug bug)
{
	size_t slot = (size_t)((ring->read - ring->start) % ring->capacity);
	size_t ready = (size_t)(ring->noted - narrow(ring->read, bug));

	*n = max < ready ? max : ready;
	if (*n > ring->capacity - slot)
		*n = ring->capacity - slot;
	ring->read += *n;
	if (bug == READ_TWICE && *n && ring->read % 100 == 0)
		ring->read--;
	if (bug == RELEASED_EARLY)
		broken_release(ring, bug);
	return ring->slots + slot * ring->stride;
}

#define BROKEN(symbol, its_bug, destroy_)                                                                              \
	static void *symbol##_prewrite_span(void *end, size_t max, size_t *n)                                          \
	{                                                                                                              \
		return broken_prewrite_span(end, max, n, its_bug);                                                     \
	}                                                                                                              \
	static enum queue_flush symbol##_flush(void *end)                                                              \
	{                                                                                                              \
		return broken_flush(end, its_bug);                                                                     \
	}                                                                                                              \
	static bool symbol##_preread(void *end)                                                                        \
	{                                                                                                              \
		return broken_preread(end, its_bug);                                                                   \
	}                                                                                                              \
	static const void *symbol##_read_span(void *end, size_t max, size_t *n)                                        \
	{                                                                                                              \
		return broken_read_span(end, max, n, its_bug);                                                         \
	}                                                                                                              \
	static const struct queue symbol = {                                                                           \
		.contract = QUEUE_CONTRACT,                                                                            \
		.name = "broken",                                                                                      \
		.summary = "a queue with a planted bug",                                                               \
		.source = "none",                                                                                      \
		.traits = {.shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1, .bounded = true,               \
			   .capacity_min = 1, .message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,      \
			   .batches = true, .in_place = true},                                                         \
		.footprint = broken_footprint, .create = broken_create, .destroy = destroy_,                           \
		.producer = broken_endpoint, .consumer = broken_endpoint,                                              \
		.prewrite_span = symbol##_prewrite_span, .flush = symbol##_flush,                                      \
		.preread = symbol##_preread, .read_span = symbol##_read_span,                                          \
	}

BROKEN(no_bug, NO_BUG, broken_destroy);
BROKEN(published_early, PUBLISHED_EARLY, broken_destroy);
BROKEN(one_too_many, ONE_TOO_MANY, broken_destroy);
BROKEN(one_too_few, ONE_TOO_FEW, broken_destroy);
BROKEN(counter_of_8_bits, COUNTER_OF_8_BITS, broken_destroy);
BROKEN(counter_of_32_bits, COUNTER_OF_32_BITS, broken_destroy);
BROKEN(read_twice, READ_TWICE, broken_destroy);
BROKEN(last_lost, LAST_LOST, broken_destroy);
BROKEN(released_early, RELEASED_EARLY, broken_destroy);
BROKEN(relaxed_publication, RELAXED_PUBLICATION, broken_destroy);
BROKEN(relaxed_release, RELAXED_RELEASE, broken_destroy);
BROKEN(leaks, LEAKS, leaking_destroy);
BROKEN(exits, EXITS, broken_destroy);
BROKEN(exits_at_its_end, NO_BUG, exiting_destroy);
BROKEN(exits_with_status_3, NO_BUG, failing_destroy);

extern const struct queue broken_ypipe_silent, broken_ypipe_relaxed, broken_adaptive_hasty;
extern const struct queue broken_shared_no_bug, broken_shared_false_empty, broken_shared_taken_twice, broken_shared_inverted,
	broken_shared_copied_late, broken_shared_torn, broken_shared_rest_forgotten;
extern const struct queue broken_free_list_no_bug, broken_free_list_aba;
extern const struct queue exact_list;

enum {
	CONFORMANCE = BROKEN_BY_CONFORMANCE,
	STRESS = BROKEN_BY_STRESS,
	HISTORIES = BROKEN_BY_HISTORIES,
	THREAD_SANITIZER = BROKEN_BY_THREAD_SANITIZER,
};

const struct broken broken_list[] = {
	{"a ring without a bug", &no_bug, 0, NULL},
	{"published before the contents", &published_early, CONFORMANCE, NULL},
	{"full at capacity + 1", &one_too_many, CONFORMANCE, NULL},
	{"full at capacity - 1", &one_too_few, CONFORMANCE, NULL},
	{"a counter of 8 bits", &counter_of_8_bits, CONFORMANCE | STRESS, NULL},
	{"a counter of 32 bits", &counter_of_32_bits, CONFORMANCE | STRESS | HISTORIES, NULL},
	{"a message read twice", &read_twice, CONFORMANCE | STRESS | HISTORIES, NULL},
	{"the last of a batch lost", &last_lost, CONFORMANCE | STRESS | HISTORIES, "a value lost"},
	{"released while it is read", &released_early, CONFORMANCE, NULL},
	{"memory not given back", &leaks, CONFORMANCE | STRESS, NULL},
	{"it ends the process in flush", &exits, CONFORMANCE | STRESS | HISTORIES, "its process ended itself"},
	{"it ends the process in destroy", &exits_at_its_end, CONFORMANCE | STRESS | HISTORIES, "its process ended itself"},
	{"it ends the process by 3", &exits_with_status_3, CONFORMANCE | STRESS | HISTORIES, "its process ended itself"},
	{"no report of a sleeper", &broken_ypipe_silent, CONFORMANCE | STRESS, NULL},
	{"a relaxed publication", &relaxed_publication, THREAD_SANITIZER, NULL},
	{"a relaxed release", &relaxed_release, THREAD_SANITIZER, NULL},
	{"a relaxed exchange", &broken_ypipe_relaxed, THREAD_SANITIZER, NULL},
	{"the stage left before it is flushed", &broken_adaptive_hasty, CONFORMANCE, NULL},
	{"a locked ring without a bug", &broken_shared_no_bug, 0, NULL},
	{"a false empty", &broken_shared_false_empty, HISTORIES, "a false empty"},
	{"a message taken by two consumers", &broken_shared_taken_twice, STRESS | HISTORIES, "a value twice"},
	{"inverted order of two producers", &broken_shared_inverted, HISTORIES, "inverted order"},
	{"published, then copied", &broken_shared_copied_late, STRESS | HISTORIES, NULL},
	{"a torn message", &broken_shared_torn, STRESS | HISTORIES, NULL}, /* of one word: the old one, a second time */
	{"what was refused is lost at the end", &broken_shared_rest_forgotten, CONFORMANCE | STRESS, NULL},
	{"a free list without a bug", &broken_free_list_no_bug, 0, NULL},
	{"a free list with an ABA problem", &broken_free_list_aba, STRESS | HISTORIES, NULL},
	{"a list that takes what its footprint says to the byte", &exact_list, 0, NULL},
	{NULL, NULL, 0, NULL},
};
