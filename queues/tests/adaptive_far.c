/* adaptive as it is where it finds the reader far, and flushes large: it always writes by its stage. */
#include "stream.h"

#define ADAPTIVE_BEGINS_FAR true
enum {
	ADAPTIVE_FLUSH_BYTES = 1,
	ADAPTIVE_ANSWERS = 1,
	ADAPTIVE_SMALL = 1,
	ADAPTIVE_MESSAGES = 1,
	ADAPTIVE_BYTES = 1 << 20,
};

QUEUE_INLINE uint64_t always_far(const uint64_t *address, bool *far)
{
	*far = true;
	return load_acquire(address); /* H1 acquire: as in spsc/adaptive.c */
}

#define ADAPTIVE_LOOK always_far
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) extern const struct queue adaptive_far; const struct queue adaptive_far
#include "spsc/adaptive.c"
