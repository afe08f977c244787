/* stream-near: as stream-limit, for cores that share a cache.
 *
 * Source and promise: as stream-limit.
 * How it works. It is ring, in place and by ordinary stores, but deep: what the reader comes to has left the caches that are the writer's
 * alone, and lies in the one that they share. (On an AMD family 25 virtual machine with 1 MiB of a core's own, 64-byte messages: 0.18 G/s
 * through 1 MiB, 0.65 through 2 MiB, 1.1 through 8 MiB, 0.35 through 64 MiB; 8-byte messages: 1.5, 5.2, 8.5 G/s and not measured.)
 * Limits: as stream-limit, which is leaner where the cores are far apart. Where 8 MiB are more than the common cache holds, a ring of less
 * may move more.
 */
#include "spsc/ring_core.h"

QUEUE_TABLE(stream_near) = {
	.contract = QUEUE_CONTRACT,
	.name = "stream-near",
	.summary = "the leanest transfer of bytes between near cores, 16 KiB at a time, through 8 MiB",
	.source = "none",
	.traits = {.role = QUEUE_FLOOR, RING_TRAITS, .in_place = true, .own_batch_bytes = 16 << 10},
	RING_OPERATIONS,
};
