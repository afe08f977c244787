/* ring: a bounded queue for one writer and one reader, in place.
 *
 * Source: L. Lamport, 1977; each side keeps a copy of the other's index (E. Rigtorp, 2020); published in batches.
 * Promise: no operation ever waits; order is kept; a batch becomes visible whole; never more than `capacity` messages in it.
 *
 * How it works. `tail` counts what was flushed, `head` what was released; both run freely and are compared by unsigned difference, so that
 * any capacity will do. The writer reads the other's counter only when its copy says that there is no room; the reader with each preread,
 * which is to note all, and reads messages by its copy.
 *
 * Limits: the memory of all slots is taken at the start.
 */
#include "ring_core.h"

QUEUE_TABLE(ring) = {
	.contract = QUEUE_CONTRACT,
	.name = "ring",
	.summary = "bounded ring, in place, each side keeps a copy of the other's index",
	.source = "L. Lamport, 1977; cached indices: E. Rigtorp, 2020",
	.traits = {.role = QUEUE_ORDINARY, RING_TRAITS, .in_place = true},
	RING_OPERATIONS,
};
