/* ring-nt: a bounded queue for one writer and one reader that sends large batches by non-temporal stores.
 *
 * Source: none; the instruments are x86's write-combining stores. That a line need not be fetched before it is overwritten whole is
 * what stream-limit shows.
 * Promise: no operation ever waits; order is kept; a batch that finds room becomes visible whole; never more than `capacity` messages
 * in it.
 *
 * How it works. It is `ring` behind a stage: the writer fills that, which stays in its own cache, and flush copies it into the slots: lines
 * that are written whole by non-temporal stores, which take no line from the reader's cache and leave none in the writer's; the rest, and
 * runs of fewer than STREAM_LARGE_BYTES, by ordinary ones. A fence, then the release of `tail`. The reader reads in place.
 *
 * Limits: one copy for each message. A gain is to be had only by flushes of some KiB, and between cores that share no cache; where
 * they share one, ordinary stores move as much or more. On machines other than x86-64, and under ThreadSanitizer, which does not know
 * these stores, all are ordinary (stream.h).
 */
#include "stream.h"

#define STAGED_RING_COPY stream_copy_large
#include "staged_ring.h"

QUEUE_TABLE(ring_nt) = {
	.contract = QUEUE_CONTRACT,
	.name = "ring-nt",
	.summary = "bounded ring, large batches sent as whole lines by non-temporal stores",
	.source = "none",
	.traits = {.role = QUEUE_ORDINARY, RING_TRAITS},
	STAGED_RING_OPERATIONS,
};
