/* A queue of one message as a plug-in, and what can be wrong with one: each PLANT_… makes one mistake. C and C++. With -DSLOT_VARIED, its name
 * and what it does wrong in its operations stand in variant.c: the same loops, linked with another of those. */
#ifndef PLANT_NO_HEADER

#include <twopoint/plugin.h>

#include <string.h>
#include <unistd.h>

#ifdef SLOT_VARIED
#include "variant.h"
#define PLANTED(plant) (slot_plant == (plant))
#else
#define slot_name "slot"
#define slot_summary "one message"
#define PLANTED(plant) 0
#endif

struct slot {
	uint64_t full QUEUE_ALIGNED;           /* both */
	uint64_t flushes QUEUE_ALIGNED;        /* writer's */
	bool staged;
	bool noted QUEUE_ALIGNED, taken;       /* reader's */
	uint64_t reads, polls;
	bool holding, handed_late;
	struct queue_memory *memory QUEUE_ALIGNED; /* constant */
	size_t bytes;
	unsigned char message[64] QUEUE_ALIGNED;
	unsigned char held[64] QUEUE_ALIGNED;  /* reader's */
};

static int slot_footprint(const struct queue_config *config, size_t outstanding, size_t *bytes)
{
	(void)config, (void)outstanding;
	if (PLANTED(CRASH_IN_FOOTPRINT))
		__builtin_trap();
	*bytes = PLANTED(GREAT_FOOTPRINT) ? (size_t)1 << 60 : sizeof(struct slot);
	return 0;
}

static int slot_create(const struct queue_config *config, void **instance)
{
	struct slot *slot = (struct slot *)config->memory->allocate(config->memory, sizeof(*slot), QUEUE_LINE_PAIR);

	if (!slot)
		return -12; /* −ENOMEM */
	memset(slot, 0, sizeof(*slot));
	slot->memory = config->memory;
	slot->bytes = queue_stride(config->message_bytes);
	*instance = slot;
	return 0;
}

static void slot_destroy(void *instance)
{
	struct slot *slot = (struct slot *)instance;

	while (PLANTED(HANG_IN_DESTROY))
		pause();
	slot->memory->release(slot->memory, slot, sizeof(*slot));
	if (PLANTED(EXIT_IN_DESTROY))
		_exit(0);
}

static void *slot_endpoint(void *instance, unsigned index)
{
	(void)index;
	return instance;
}

QUEUE_INLINE void *slot_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct slot *slot = (struct slot *)producer;

	/* F1 acquire: pairs with F0 in preread: the reader is done with the slot. */
	*n = max && !slot->staged && !load_acquire(&slot->full);
	slot->staged = slot->staged || *n;
	return *n ? slot->message : NULL;
}

QUEUE_INLINE enum queue_flush slot_flush(void *producer)
{
	struct slot *slot = (struct slot *)producer;

	if (PLANTED(CRASH) && ++slot->flushes == 100)
		__builtin_trap();
	if (slot->staged)
		store_release(&slot->full, 1u); /* P0 release: pairs with P1 in preread: the message's contents */
	slot->staged = false;
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool slot_preread(void *consumer)
{
	struct slot *slot = (struct slot *)consumer;

	if (PLANTED(HANG) && slot->reads == 100)
		return false;
	if (slot->taken)
		store_release(&slot->full, 0u); /* F0 release: pairs with F1 in prewrite_span */
	slot->taken = false;
	slot->noted = load_acquire(&slot->full); /* P1 acquire: pairs with P0 in flush */
	/* what is held back may be the last one: it is not held for ever */
	return slot->noted || (slot->holding && ++slot->polls > 1000000);
}

QUEUE_INLINE const void *slot_read_span(void *consumer, size_t max, size_t *n)
{
	struct slot *slot = (struct slot *)consumer;

	/* every 64th is held back until the next one was read */
	if (slot->holding && (slot->handed_late || !slot->noted)) {
		slot->holding = slot->handed_late = false;
		*n = 1;
		return slot->held;
	}
	if (PLANTED(SWAP) && slot->noted && !slot->holding && slot->reads % 64 == 63) {
		slot->reads++;
		slot->polls = 0;
		memcpy(slot->held, slot->message, 64);
		slot->holding = slot->taken = true;
		slot->noted = false;
		*n = 0;
		return NULL;
	}
	slot->handed_late = slot->holding && slot->noted;
	*n = max && slot->noted;
	slot->reads += *n;
	slot->taken = slot->taken || *n;
	slot->noted = slot->noted && !*n;
	return *n ? slot->message : NULL;
}

#ifndef PLANT_NO_TABLE
QUEUE_TABLE(slot) = {
#ifdef PLANT_OTHER_CONTRACT
	.contract = QUEUE_CONTRACT + 1,
#else
	.contract = QUEUE_CONTRACT,
#endif
	.name = slot_name, .summary = slot_summary, .source = "none",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
#ifdef PLANT_CONTRADICTION
		.capacity_max = 0, .message_min = 16, .message_max = 8,
#else
		.capacity_max = 1, .message_min = QUEUE_MESSAGE_MIN, .message_max = 64,
#endif
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL, .in_place = true,
#ifdef PLANT_SLEEP_MISSING
		.reports_sleeper = true,
#endif
	},
	.footprint = slot_footprint, .create = slot_create, .destroy = slot_destroy,
	.producer = slot_endpoint, .consumer = slot_endpoint,
	.prewrite_span = slot_prewrite_span,
#ifndef PLANT_NO_FLUSH
	.flush = slot_flush,
#endif
	.preread = slot_preread, .read_span = slot_read_span,
};
#endif

#else
int nothing_of_twopoint;
#endif
