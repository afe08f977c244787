/* pipe-batch: a pipe of the kernel's, one write(2) per batch.
 *
 * Source: pipe, D. Ritchie and K. Thompson, 1973.
 * Promise: one writer and one reader; order is kept.
 *
 * How it works. Messages are staged in the writer's buffer; flush writes them at once (they lie in a row: a writev(2) would have one
 * vector). A reader takes as much at once as a batch is.
 *
 * Limits: its capacity is the kernel's: it is asked for in bytes, and the kernel rounds it up to pages.
 */
#define CHANNEL_BATCHES 1
#include "kernel/pipe_channel.h"

QUEUE_TABLE(pipe_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "pipe-batch",
	.summary = "a pipe, a system call per batch",
	.source = "pipe, D. Ritchie and K. Thompson, 1973",
	.traits = CHANNEL_TRAITS(QUEUE_SPSC, 1),
	CHANNEL_OPERATIONS,
};
