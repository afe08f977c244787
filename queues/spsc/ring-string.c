/* ring-string: a bounded queue for one writer and one reader that sends large batches by the processor's string copy.
 *
 * Source: none; the instrument is x86's `rep movsb`, which takes lines without fetching what was in them, once a copy is long enough.
 * Promise: no operation ever waits; order is kept; a batch that finds room becomes visible whole; never more than `capacity` messages
 * in it.
 *
 * How it works. As ring-nt, from which it differs in nothing but the copy of long runs. A string copy's stores are weakly ordered among
 * themselves, but none is seen after a later store: no fence is needed, and the lines stay in the writer's cache.
 *
 * Limits: one copy for each message. Short runs gain nothing: they are copied by ordinary stores. On machines other than x86-64, and under
 * ThreadSanitizer, which does not know the instruction, all are (stream.h).
 */
#include "stream.h"

/* From so many bytes on. */
enum { RING_STRING_BYTES = 2048 };

QUEUE_INLINE void ring_string_copy(unsigned char *to, const unsigned char *from, size_t words)
{
	if (words * 8 >= RING_STRING_BYTES)
		stream_copy_string(to, from, words);
	else
		copy_messages(to, from, words);
}

#define STAGED_RING_COPY ring_string_copy
#include "staged_ring.h"

QUEUE_TABLE(ring_string) = {
	.contract = QUEUE_CONTRACT,
	.name = "ring-string",
	.summary = "bounded ring, large batches sent by the processor's string copy",
	.source = "none",
	.traits = {.role = QUEUE_ORDINARY, RING_TRAITS},
	STAGED_RING_OPERATIONS,
};
