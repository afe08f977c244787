/* adaptive as it is where it finds the stage to be quicker, and flushes large: it always writes by its stage. */
#include "stream.h"

#define ADAPTIVE_BEGINS_BY_STAGE true
enum {
	ADAPTIVE_FLUSH_BYTES = 1,
	ADAPTIVE_SMALL = 1,
	ADAPTIVE_MESSAGES = 1,
	ADAPTIVE_BYTES = 1 << 20,
};

#define ADAPTIVE_WANTS_STAGE(chooser, written, by_stage) true
#undef QUEUE_TABLE
#define QUEUE_TABLE(symbol) extern const struct queue adaptive_staged; const struct queue adaptive_staged
#include "spsc/adaptive.c"
