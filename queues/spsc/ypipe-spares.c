/* ypipe-spares: ypipe that keeps eight chunks for reuse and gives the rest back.
 *
 * Source: the pipe of ØMQ (Martin Sustrik, 2009), whose one spare chunk is here a number of them.
 * Promise: as ypipe. A burst of up to 8 chunks (2048 messages of up to 4 KiB) into a queue that was emptied allocates nothing, once as
 * many chunks have come round; of a longer one, each chunk beyond is allocated, and released when it was read.
 *
 * How it works. As ypipe (its file tells), but for the way of the chunks: the reader puts each one that it has read to its end into the
 * next of eight places, the writer takes them out in the same order. A place that is NULL is empty; neither side looks at the other's
 * index. A chunk that finds no place is released by the reader.
 *
 * Between ypipe-packed (one spare: each burst beyond a chunk allocates) and ypipe (all are kept: memory follows the longest queue there
 * ever was).
 *
 * Limits: as ypipe; memory follows the present queue, and at most 8 chunks more.
 */
#define YPIPE_SPARES 8
#include "ypipe_core.h"

QUEUE_TABLE(ypipe_spares) = {
	.contract = QUEUE_CONTRACT,
	.name = "ypipe-spares",
	.summary = "ypipe that keeps eight chunks for reuse, and gives the rest back",
	.source = "the pipe of ØMQ, M. Sustrik, 2009; eight spare chunks",
	.traits = {.role = QUEUE_ORDINARY, YPIPE_TRAITS},
	YPIPE_OPERATIONS,
};
