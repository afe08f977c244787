/* ypipe: an unbounded queue for one writer and one reader, built for batches.
 *
 * Source: the pipe of ØMQ (Martin Sustrik, 2009): a chunked list with prewrite, flush and a reader that falls asleep.
 * Promise: prewrite, flush, preread and read never wait and never fail but for memory; order is kept; a batch becomes visible whole.
 *
 * How it works. Messages lie in linked chunks of 256 (or of 1 MiB, whichever is less). The writer fills slots that only it
 * knows, then publishes all of them by one exchange of `published`, the count of all messages flushed. The reader loads that count
 * and reads up to it. Per message there is no atomic operation. A reader that means to sleep sets the lowest bit of `published`, unless the
 * count has moved; the writer's next exchange finds the bit and so knows that somebody must be woken: once per sleep.
 * Chunks read to their end go back to the writer on a list, so that a steady flow allocates nothing.
 *
 * Differs from ØMQ's own: a load where that has a compare-and-swap in each preread (ypipe-packed has it); each field on a line
 * pair of its owner; all chunks are kept for reuse and not just one.
 *
 * Limits: 2^63 messages may be in it. Memory follows the longest queue there ever was, and is given back at the end.
 * Of 64-byte messages each is a line that goes over and comes back to be written anew, and that bounds all queues that fit into a core's
 * cache and hand out their slots in place. Near (AMD family 25, a line's round trip 86 ns, capacity or window 1,024, 10 trials each),
 * batches of 10, 32 and 256: 71, 96 and 104 M/s; ring 85, 98 and 103; lamport 85, 100 and 103; ypipe-packed 23, 26 and 26. Only ring-nt,
 * which copies from a stage, has 225 at batches of 256. A ring of 65,536, whose writer comes back to lines that have left the reader's cache
 * long ago, moves some 900 M/s at 32; this one reuses the chunks read last, so that a pipe that is hardly ever full stays small, and moves
 * 120. Reusing the oldest of 2 or 4 MiB of chunks: 150 and 190, now and then 800.
 */
#define YPIPE_SPARES 0
#include "ypipe_core.h"

QUEUE_TABLE(ypipe) = {
	.contract = QUEUE_CONTRACT,
	.name = "ypipe",
	.summary = "unbounded list of chunks, one exchange per flush, none per message",
	.source = "the pipe of ØMQ, M. Sustrik, 2009; padded, sleeps by request",
	.traits = {.role = QUEUE_ORDINARY, YPIPE_TRAITS},
	YPIPE_OPERATIONS,
};
