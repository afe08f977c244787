/* mpsc-splice: an unbounded list for many producers, which its one consumer takes away whole, in place.
 *
 * Source: wfcqueue of liburcu, M. Desnoyers and L. Jiangshan, 2012.
 * Promise: a producer never waits and never fails but for memory, and publishes a batch by one exchange; one order for all; a batch becomes
 * visible whole.
 *
 * How it works. run_list.h has the runs and their memory. The shared list begins at a sentinel that is never read. preread looks at the
 * sentinel's link. If that is set, it clears it, exchanges the list's end for the sentinel, and so has all that was in the list to
 * itself; that is appended to what it had before. While it reads, it shares with producers no more than links that they have still to set.
 *
 * Limits: as mpsc-list's: a producer that loses its CPU between its exchange and its link cuts the list; if it was the first after a
 * splice, the queue looks empty. A preread that finds something costs an exchange of the word that all producers exchange.
 */
#include "run_list.h"

static int splice_create(const struct queue_config *config, void **instance)
{
	int status = run_create(config, instance);

	if (!status) {
		struct run_list *list = (struct run_list *)*instance;

		list->reader.at = list->reader.noted = &list->spliced;
	}
	return status;
}

QUEUE_INLINE bool splice_preread(void *consumer)
{
	struct run_reader *reader = (struct run_reader *)consumer;
	struct run_list *list = reader->list;
	struct run *first;

	run_release(reader);
	/* L1 acquire: pairs with L0 in run_flush(). */
	first = load_acquire(&list->sentinel.next);
	if (first) {
		/* Nobody but the producer that finds the sentinel in `newest` sets this, and the next to find it does so after the
		 * exchange: E0 release, E1 acquire: pairs with itself in run_flush(); the last run's `next` was cleared before it is set
		 * here, later. */
		list->sentinel.next = NULL;
		reader->noted->next = first;
		reader->noted = exchange_acq_rel(&list->newest, &list->sentinel);
	}
	return run_is_there(reader);
}

QUEUE_TABLE(mpsc_splice) = {
	.contract = QUEUE_CONTRACT,
	.name = "mpsc-splice",
	.summary = "unbounded list of runs, one exchange per flush, the consumer takes all at once",
	.source = "wfcqueue of liburcu, M. Desnoyers and L. Jiangshan, 2012; a node is a batch",
	.traits = {
		.role = QUEUE_ORDINARY, .shape = QUEUE_MPSC, .producers_max = 0, .consumers_max = 1,
		.message_min = QUEUE_MESSAGE_MIN, .message_max = QUEUE_MESSAGE_MAX,
		.progress = QUEUE_WAITS_FOR_PREEMPTED, .order = QUEUE_ORDER_TOTAL,
		.batches = true, .in_place = true,
	},
	.footprint = run_footprint,
	.create = splice_create,
	.destroy = run_destroy,
	.producer = run_producer,
	.consumer = run_consumer,
	.prewrite_span = run_prewrite_span,
	.flush = run_flush,
	.preread = splice_preread,
	.read_span = run_read_span,
};
