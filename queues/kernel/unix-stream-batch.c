/* unix-stream-batch: a socketpair(2) of type SOCK_STREAM, one call per batch.
 *
 * Source: 4.2BSD, 1983.
 * Promise: one writer and one reader; order is kept.
 *
 * How it works. Messages are staged in the writer's buffer; flush sends them at once.
 *
 * Limits: its capacity is the kernel's: it is asked for in bytes, of which each packet takes more than it holds.
 */
#define CHANNEL_BATCHES 1
#define CHANNEL_RECORDS 0
#define CHANNEL_MESSAGE_MAX QUEUE_MESSAGE_MAX
#define UNIX_TYPE SOCK_STREAM
#include "kernel/unix_channel.h"

QUEUE_TABLE(unix_stream_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "unix-stream-batch",
	.summary = "a socket pair of bytes, a system call per batch",
	.source = "4.2BSD, 1983",
	.traits = CHANNEL_TRAITS(QUEUE_SPSC, 1),
	CHANNEL_OPERATIONS,
};
