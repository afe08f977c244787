/* One queue, to be interleaved. Compiled once per queue with TARGET_FILE, the queue's file. */
#include "interleave_atomic.h"

#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) const struct queue interleaved_##symbol
#include TARGET_FILE
