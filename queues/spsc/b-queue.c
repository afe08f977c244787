/* b-queue: a bounded queue for one writer and one reader without shared indices, whose sides look a batch ahead.
 *
 * Source: J. Wang, K. Zhang, X. Tang, B. Hua, "B-Queue: efficient and practical queuing for fast core-to-core communication", 2013.
 * Promise: as fastforward, but that room is found in lots (capacity_approximate): the writer may find none though some was read.
 *
 * How it works: slot_ring.h. Slots are emptied in order: where the slot `batch` ahead is empty, all before it are. So the writer looks
 * at one slot for `batch` messages, and keeps that far behind the reader. The reader looks at the slot `batch` ahead, too; where that
 * is empty it backtracks, by halves, until it finds a message or nothing: the last few are not waited for, and there is no deadlock.
 * As in the paper only the reader backtracks. Other than there, a preread goes on where it found some, for it must note all; and it
 * looks at each slot that it passed over, since a batch is published from its end (a message far ahead may belong to a flush that is
 * still under way). The paper's adaptive first distance is left out.
 *
 * Limits: as fastforward. batch: 64, at most a quarter of the capacity, a power of two; so many slots less one may look full to the
 * writer.
 */
#include "slot_ring.h"

enum { B_QUEUE_BATCH = 64 };

static size_t slot_ring_batch(size_t capacity)
{
	size_t batch = B_QUEUE_BATCH;

	while (batch > 1 && batch > capacity / 4)
		batch /= 2;
	return batch;
}

QUEUE_INLINE size_t slot_ring_room(struct slot_ring_writer *writer, size_t wanted)
{
	while (writer->known < wanted && writer->capacity - writer->known >= writer->batch) {
		size_t last = (writer->known + writer->batch - 1) * writer->stride;

		/* R1 acquire: pairs with R0 in slot_ring_preread(). */
		if (load_acquire(slot_ring_word(writer->slots, slot_ring_ahead(writer->place, last, writer->end))))
			break;
		writer->known += writer->batch;
	}
	if (writer->known < wanted)
		wanted = writer->known;
	writer->known -= wanted; /* they are filled now */
	return wanted;
}

/* How many of `distance` slots from `place` on hold a message, up to the first that does not. */
QUEUE_INLINE size_t b_queue_count(const struct slot_ring_reader *reader, size_t place, size_t distance)
{
	size_t n = 0;

	/* M1 acquire: pairs with M0 in slot_ring_flush(). */
	while (n < distance && load_acquire(slot_ring_word(reader->slots, place))) {
		place = slot_ring_ahead(place, reader->stride, reader->end);
		n++;
	}
	return n;
}

QUEUE_INLINE size_t slot_ring_note(const struct slot_ring_reader *reader, size_t most)
{
	size_t place = reader->next, distance = reader->batch, n = 0;

	while (distance) {
		size_t last = slot_ring_ahead(place, (distance - 1) * reader->stride, reader->end), found;

		/* relaxed: only tells where to look; those that are taken are looked at by acquire below. */
		if (most - n < distance || !load_relaxed(slot_ring_word(reader->slots, last))) {
			distance /= 2;
			continue;
		}
		found = b_queue_count(reader, place, distance);
		n += found;
		if (found < distance) /* of a flush under way */
			break;
		place = slot_ring_ahead(last, reader->stride, reader->end);
	}
	return n;
}

QUEUE_TABLE(b_queue) = {
	.contract = QUEUE_CONTRACT,
	.name = "b-queue",
	.summary = "bounded ring without shared indices, looks a batch ahead, backtracks",
	.source = "J. Wang, K. Zhang, X. Tang, B. Hua, 2013",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_SPSC, .producers_max = 1, .consumers_max = 1,
		.bounded = true, .capacity_min = 1, .capacity_approximate = true,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAIT_FREE, .order = QUEUE_ORDER_TOTAL,
		.batches = true,
	},
	SLOT_RING_OPERATIONS,
};
