/* tcp-batch: a TCP connection over loopback, one call per batch.
 *
 * Source: TCP, V. Cerf and R. Kahn, 1974.
 * Promise: one writer and one reader; order is kept.
 *
 * How it works. Messages are staged in the writer's buffer; flush sends them at once, and Nagle's algorithm is off.
 *
 * Limits: its capacity is the kernel's: it is asked for in bytes, of which each packet takes more than it holds.
 */
#define CHANNEL_BATCHES 1
#include "kernel/tcp_channel.h"

QUEUE_TABLE(tcp_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "tcp-batch",
	.summary = "TCP over loopback, a system call per batch",
	.source = "TCP, V. Cerf and R. Kahn, 1974",
	.traits = CHANNEL_TRAITS(QUEUE_SPSC, 1),
	CHANNEL_OPERATIONS,
};
