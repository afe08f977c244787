/* adaptive with a reader that is far at one look and near at another, as its counter falls out, and each look is believed at once: it goes
 * from either way of writing to the other every few messages. */
#include "stream.h"

#define ADAPTIVE_BEGINS_FAR is_far(config->counter_start)
enum {
	ADAPTIVE_FLUSH_BYTES = 16, /* so that there are small ones */
	ADAPTIVE_ANSWERS = 1,
	ADAPTIVE_SMALL = 2,
	ADAPTIVE_MESSAGES = 1,
	ADAPTIVE_BYTES = 1 << 20,
};

QUEUE_INLINE bool is_far(uint64_t counter)
{
	return counter * 0x9e3779b97f4a7c15u >> 63;
}

QUEUE_INLINE uint64_t far_by_turns(const uint64_t *address, bool *far)
{
	uint64_t value = load_acquire(address); /* H1 acquire: as in spsc/adaptive.c */

	*far = is_far(value);
	return value;
}

#ifndef ADAPTIVE_LOOK /* a broken twin's */
#define ADAPTIVE_LOOK far_by_turns
#endif
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) extern const struct queue adaptive_turns; const struct queue adaptive_turns
#include "spsc/adaptive.c"
