/* adaptive that wants the stage at one count of messages and not at another, and is asked at each: it goes from either way of writing to the
 * other every few messages. */
#include "stream.h"

#define ADAPTIVE_BEGINS_BY_STAGE wants_stage(config->counter_start)
enum {
	ADAPTIVE_FLUSH_BYTES = 16, /* so that there are small ones */
	ADAPTIVE_SMALL = 2,
	ADAPTIVE_MESSAGES = 1,
	ADAPTIVE_BYTES = 1 << 20,
};

QUEUE_INLINE bool wants_stage(uint64_t counter)
{
	return counter * 0x9e3779b97f4a7c15u >> 63;
}

#ifndef ADAPTIVE_WANTS_STAGE /* a broken twin's */
#define ADAPTIVE_WANTS_STAGE(chooser, written, by_stage) wants_stage(written)
#endif
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) extern const struct queue adaptive_turns; const struct queue adaptive_turns
#include "spsc/adaptive.c"
