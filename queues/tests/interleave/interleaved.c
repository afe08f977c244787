/* One queue, to be interleaved. Compiled once per queue with TARGET_FILE, the queue's file. */
#include "interleave_atomic.h"

/* the twins of tests/ name their table themselves */
#define adaptive_staged interleaved_adaptive_staged
#define adaptive_turns interleaved_adaptive_turns
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) const struct queue interleaved_##symbol
#include TARGET_FILE
