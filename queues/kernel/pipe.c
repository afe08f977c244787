/* pipe: a pipe of the kernel's, one write(2) and one read(2) per message.
 *
 * Source: pipe, D. Ritchie and K. Thompson, 1973.
 * Promise: one writer and one reader; order is kept.
 *
 * How it works. Messages are staged in the writer's buffer; flush writes them one by one.
 *
 * Limits: its capacity is the kernel's: it is asked for in bytes, and the kernel rounds it up to pages.
 */
#define CHANNEL_BATCHES 0
#include "kernel/pipe_channel.h"

QUEUE_TABLE(pipe) = {
	.contract = QUEUE_CONTRACT,
	.name = "pipe",
	.summary = "a pipe, a system call per message",
	.source = "pipe, D. Ritchie and K. Thompson, 1973",
	.traits = CHANNEL_TRAITS(QUEUE_SPSC, 1),
	CHANNEL_OPERATIONS,
};
