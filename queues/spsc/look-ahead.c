/* look-ahead: fastforward whose writer looks half a ring ahead, once in half a ring: for round trips.
 *
 * Source: J. Giacomoni, T. Moseley, M. Vachharajani, "FastForward for efficient pipeline parallelism", 2008; the look ahead as the
 * writer's of J. Wang, K. Zhang, X. Tang, B. Hua, "B-Queue: efficient and practical queuing for fast core-to-core communication", 2013.
 * Promise: as fastforward.
 *
 * How it works: slot_ring.h. Slots are emptied in order: where the slot half a ring ahead is empty, all before it are, and the writer asks
 * no more until they are used up. So it hands a message over by a store alone, where fastforward first reads the slot that it is going to
 * write: of a line that the reader emptied, and that has to travel for that look and again for the store. Where the far slot is not empty,
 * the next ones are looked at one by one, as there: what was released is room. (b-queue waits until its far slot is empty, and has its
 * reader look ahead as well, which costs a reader that is there first two lines more.)
 *
 * Limits: as fastforward. A ring that stays more than half full is looked at as fastforward does.
 */
#include "slot_ring.h"

static size_t slot_ring_batch(size_t capacity)
{
	return capacity > 1 ? capacity / 2 : 1;
}

/* Whether the slot so many behind the next one to be filled is empty. */
QUEUE_INLINE bool look_ahead_is_empty(const struct slot_ring_writer *writer, size_t slots)
{
	size_t place = slot_ring_ahead(writer->place, slots * writer->stride, writer->end);

	/* R1 acquire: pairs with R0 in slot_ring_preread(). */
	return !load_acquire(slot_ring_word(writer->slots, place));
}

QUEUE_INLINE size_t slot_ring_room(struct slot_ring_writer *writer, size_t wanted)
{
	if (queue_unlikely(writer->known < wanted) && writer->capacity - writer->known >= writer->batch &&
	    look_ahead_is_empty(writer, writer->known + writer->batch - 1))
		writer->known += writer->batch;
	while (queue_unlikely(writer->known < wanted) && look_ahead_is_empty(writer, writer->known))
		writer->known++;
	if (writer->known < wanted)
		wanted = writer->known;
	writer->known -= wanted; /* they are filled now */
	return wanted;
}

QUEUE_INLINE size_t slot_ring_note(const struct slot_ring_reader *reader, size_t most)
{
	size_t place = reader->next, n = 0;

	/* M1 acquire: pairs with M0 in slot_ring_flush(). */
	while (n < most && load_acquire(slot_ring_word(reader->slots, place))) {
		place = slot_ring_ahead(place, reader->stride, reader->end);
		n++;
	}
	return n;
}

QUEUE_TABLE(look_ahead) = {
	.contract = QUEUE_CONTRACT,
	.name = "look-ahead",
	.summary = "fastforward whose writer looks half a ring ahead: a message is handed over by a store alone",
	.source = "J. Giacomoni, T. Moseley, M. Vachharajani, 2008; J. Wang, K. Zhang, X. Tang, B. Hua, 2013",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	SLOT_RING_OPERATIONS,
};
