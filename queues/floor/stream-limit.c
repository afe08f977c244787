/* stream-limit: bytes from core to core in the leanest way there is between cores that share no cache; the floor under a stream's time
 * per message.
 *
 * Source: none.
 * Promise: as ring, at one batch size of its own choosing (16 KiB), for which nothing here is too dear.
 * How it works. A ring whose writer fills a stage that stays in its own cache, and copies it over in one go. Non-temporal stores take
 * lines without fetching what was in them. One release store publishes all; the reader reads in place.
 * Limits: a latency of many batches; not for use, only for comparison. Between cores that share a cache, stream-near is leaner.
 */
#include "stream.h"

#define STAGED_RING_COPY stream_copy
#include "spsc/staged_ring.h"

QUEUE_TABLE(stream_limit) = {
	.contract = QUEUE_CONTRACT,
	.name = "stream-limit",
	.summary = "the leanest transfer of bytes between far cores, 16 KiB at a time",
	.source = "none",
	.traits = {.role = QUEUE_FLOOR, RING_TRAITS, .own_batch_bytes = 16 << 10},
	STAGED_RING_OPERATIONS,
};
