/* fastforward: a bounded queue for one writer and one reader that share no index: a slot's own word tells whether it is empty.
 *
 * Source: J. Giacomoni, T. Moseley, M. Vachharajani, "FastForward for efficient pipeline parallelism", 2008.
 * Promise: no operation ever waits; order is kept; a batch that finds room becomes visible whole; never more than `capacity` messages
 * in it.
 *
 * How it works: slot_ring.h. The paper's slots hold a pointer, NULL where empty; here a message of any size, whose first word is never
 * 0. Each side looks at each slot before it uses it, and at nothing else of the other's.
 *
 * Limits: each message is copied once, from the writer's stage. Full or empty, the two work on the same line, which then goes to and
 * fro for each message: the paper has them keep apart ("temporal slipping"), which is a policy of the caller's and is not here. Slots
 * are emptied by the reader, so that it fetches each line for writing as well.
 */
#include "slot_ring.h"

static size_t slot_ring_batch(size_t capacity)
{
	(void)capacity;
	return 1;
}

QUEUE_INLINE size_t slot_ring_room(struct slot_ring_writer *writer, size_t wanted)
{
	size_t place = writer->place, n = 0;

	/* R1 acquire: pairs with R0 in slot_ring_preread(). */
	while (n < wanted && !load_acquire(slot_ring_word(writer->slots, place))) {
		place = slot_ring_ahead(place, writer->stride, writer->end);
		n++;
	}
	return n;
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

QUEUE_TABLE(fastforward) = {
	.contract = QUEUE_CONTRACT,
	.name = "fastforward",
	.summary = "bounded ring without shared indices: a slot's first word says whether it is empty",
	.source = "J. Giacomoni, T. Moseley, M. Vachharajani, 2008",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	SLOT_RING_OPERATIONS,
};
