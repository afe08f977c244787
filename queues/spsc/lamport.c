/* lamport: a bounded queue for one writer and one reader, in place; each look at the other side is a look at its counter.
 *
 * Source: L. Lamport, "Proving the correctness of multiprocess programs", 1977; "Specifying concurrent program modules", 1983.
 * Promise: as ring: no operation ever waits; order is kept; a batch becomes visible whole; never more than `capacity` messages in it.
 *
 * How it works. `tail` counts what was flushed and only the writer writes it, `head` what was released and only the reader writes it;
 * they run freely, and their difference says how full it is. It is the ring of `ring` but for one thing: each prewrite reads `head`, where
 * the writer of `ring` goes by its copy while that says that there is room. (A preread reads `tail` in both: it has to note all.) What
 * the copy saves is the difference between the two.
 *
 * Limits: the memory of all slots is taken at the start. A counter's line travels for nearly each look at it while both sides work.
 */
#define RING_COPIES 0
#include "ring_core.h"

QUEUE_TABLE(lamport) = {
	.contract = QUEUE_CONTRACT,
	.name = "lamport",
	.summary = "bounded ring, in place, two shared counters and no copies of them",
	.source = "L. Lamport, 1977; 1983",
	.traits = {.role = QUEUE_ORDINARY, RING_TRAITS, .in_place = true},
	RING_OPERATIONS,
};
