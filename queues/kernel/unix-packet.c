/* unix-packet: a socketpair(2) of type SOCK_SEQPACKET, one call per message.
 *
 * Source: 4.2BSD, 1983; for AF_UNIX: Linux 2.6.4.
 * Promise: any number of writers and readers; order is kept.
 *
 * How it works. Messages are staged in the writer's buffer; flush sends each as a packet of its own.
 *
 * Limits: its capacity is the kernel's: it is asked for in bytes, of which each packet takes more than it holds.
 */
#define CHANNEL_BATCHES 0
#define CHANNEL_RECORDS 1
#define CHANNEL_MESSAGE_MAX 65536
#define UNIX_TYPE SOCK_SEQPACKET
#include "kernel/unix_channel.h"

QUEUE_TABLE(unix_packet) = {
	.contract = QUEUE_CONTRACT,
	.name = "unix-packet",
	.summary = "a socket pair of packets, a system call per message",
	.source = "4.2BSD, 1983; for AF_UNIX: Linux 2.6.4",
	.traits = CHANNEL_TRAITS(QUEUE_MPMC, 0),
	CHANNEL_OPERATIONS,
};
