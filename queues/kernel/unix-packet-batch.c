/* unix-packet-batch: a socketpair(2) of type SOCK_SEQPACKET, one call per batch.
 *
 * Source: 4.2BSD, 1983; sendmmsg(2), A. C. de Melo and A. Blanchard, 2009-2011.
 * Promise: any number of writers and readers; order is kept.
 *
 * How it works. Messages are staged in the writer's buffer; flush sends up to 1,024 packets by one sendmmsg(2); a reader takes a batch
 * of them by one recvmmsg(2).
 *
 * Limits: its capacity is the kernel's: it is asked for in bytes, of which each packet takes more than it holds.
 */
#define CHANNEL_BATCHES 1
#define CHANNEL_RECORDS 1
#define CHANNEL_MESSAGE_MAX 65536
#define UNIX_TYPE SOCK_SEQPACKET
#include "kernel/unix_channel.h"

QUEUE_TABLE(unix_packet_batch) = {
	.contract = QUEUE_CONTRACT,
	.name = "unix-packet-batch",
	.summary = "a socket pair of packets, a system call per batch",
	.source = "4.2BSD, 1983; sendmmsg(2), A. C. de Melo and A. Blanchard, 2009-2011",
	.traits = CHANNEL_TRAITS(QUEUE_MPMC, 0),
	CHANNEL_OPERATIONS,
};
