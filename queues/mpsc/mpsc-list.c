/* mpsc-list: an unbounded list for many producers and one consumer, in place.
 *
 * Source: D. Vyukov, 2010: producers exchange the list's end, then link what was the end before to what they appended; the last node read
 * stays in the list as its sentinel.
 * Promise: a producer never waits and never fails but for memory, and publishes a batch by one exchange; one order for all; a batch becomes
 * visible whole.
 *
 * How it works. run_list.h has the runs and their memory. preread looks at the link behind what was read. Only if that is set does it load
 * the list's end, up to which it then takes note of everything: a consumer that waits polls a line that one producer will write.
 *
 * Limits: a producer that loses its CPU between its exchange and its link cuts the list: what others append behind it can't be read until
 * it runs again, and the queue looks empty. At batch 1 a message takes whole lines. Memory follows the longest queue each producer had.
 */
#include "run_list.h"

QUEUE_INLINE bool list_preread(void *consumer)
{
	struct run_reader *reader = (struct run_reader *)consumer;

	run_release(reader);
	if (!run_is_there(reader))
		return false;
	/* relaxed: only compared. It is not older than the run just seen, whose appending came before its link. */
	reader->noted = load_relaxed(&reader->list->newest);
	return true;
}

QUEUE_TABLE(mpsc_list) = {
	.contract = QUEUE_CONTRACT,
	.name = "mpsc-list",
	.summary = "unbounded list of runs, one exchange per flush, the consumer walks the links",
	.source = "D. Vyukov, 2010; a node is a batch",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPSC, .producers_max = 0, .consumers_max = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true,
	},
	.footprint = run_footprint,
	.create = run_create,
	.destroy = run_destroy,
	.producer = run_producer,
	.consumer = run_consumer,
	.prewrite_span = run_prewrite_span,
	.flush = run_flush,
	.preread = list_preread,
	.read_span = run_read_span,
};
