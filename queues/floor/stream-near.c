/* stream-near: as stream-limit, for cores that share a cache.
 *
 * Source and promise: as stream-limit.
 * How it works: limit_ring.h. The processor's string copy takes lines without fetching what was in them, and leaves them in the cache.
 * Limits: as stream-limit, which is leaner where the cores are far apart.
 */
#define LIMIT_COPY stream_copy_string
#include "limit_ring.h"

QUEUE_TABLE(stream_near) = {
	.contract = QUEUE_CONTRACT,
	.name = "stream-near",
	.summary = "the leanest transfer of bytes between near cores, 16 KiB at a time",
	.source = "none",
	.traits = LIMIT_TRAITS,
	LIMIT_OPERATIONS,
};
