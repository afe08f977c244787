/* All headers that a plug-in is made of, as C++: the loops first, the table of their queue after them. */
#define QUEUE_TABLE(symbol) const struct queue table::target_table

#include "queue.h"

#include "atomic.h"
#include "clock.h"
#include "copy.h"
#include "endpoint.h"
#include "message.h"
#include "stage.h"
#include "stream.h"
#include "wait.h"

namespace { namespace table { extern const struct queue target_table; } }
using table::target_table;

#include "loop_table.h"

extern const struct target target;
const struct target target = LOOP_TABLE;

/* One slot; this much of a queue is enough to be compiled. */
struct slot {
	uint64_t full QUEUE_ALIGNED;
	unsigned char bytes[24] QUEUE_ALIGNED;
};

QUEUE_INLINE void *slot_prewrite_span(void *producer, size_t max, size_t *n)
{
	struct slot *slot = (struct slot *)producer;

	*n = max && !load_acquire(&slot->full); /* F1 acquire: pairs with F0 in preread */
	return *n ? slot->bytes : NULL;
}

QUEUE_INLINE enum queue_flush slot_flush(void *producer)
{
	store_release(&((struct slot *)producer)->full, 1u); /* P0 release: pairs with P1 in preread */
	return QUEUE_FLUSHED;
}

QUEUE_INLINE bool slot_preread(void *consumer)
{
	struct slot *slot = (struct slot *)consumer;

	if (load_relaxed(&slot->full) == 2) /* relaxed: the reader itself wrote it */
		store_release(&slot->full, 0u); /* F0 release: pairs with F1 in prewrite_span */
	return load_acquire(&slot->full) == 1; /* P1 acquire: pairs with P0 in flush */
}

QUEUE_INLINE const void *slot_read_span(void *consumer, size_t max, size_t *n)
{
	struct slot *slot = (struct slot *)consumer;

	*n = max && load_relaxed(&slot->full) == 1; /* relaxed: preread came before */
	if (*n)
		store_relaxed(&slot->full, 2u); /* relaxed: the writer waits for 0 */
	return slot->bytes;
}

QUEUE_TABLE(slot) = {
	.contract = QUEUE_CONTRACT, .name = "slot", .summary = "one slot", .source = "none",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1, .capacity_max = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = 24,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL, .in_place = true,
	},
	.prewrite_span = slot_prewrite_span, .flush = slot_flush, .preread = slot_preread, .read_span = slot_read_span,
};
