/* stream-limit: bytes from core to core in the leanest way there is between cores that share no cache; the floor under a stream's time
 * per message.
 *
 * Source: none.
 * Promise: as ring, at one batch size of its own choosing (16 KiB), for which nothing here is too dear.
 * How it works: limit_ring.h. Non-temporal stores take lines without fetching what was in them.
 * Limits: a latency of many batches; not for use, only for comparison. Between cores that share a cache, stream-near is leaner.
 */
#define LIMIT_COPY stream_copy
#include "limit_ring.h"

QUEUE_TABLE(stream_limit) = {
	.contract = QUEUE_CONTRACT,
	.name = "stream-limit",
	.summary = "the leanest transfer of bytes between far cores, 16 KiB at a time",
	.source = "none",
	.traits = LIMIT_TRAITS,
	LIMIT_OPERATIONS,
};
