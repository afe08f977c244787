/* ypipe whose flush never says that the reader sleeps: the lost wake-up. */
#define QUEUE_TABLE(symbol) const struct queue broken_##symbol##_silent
#include "queue.h"

#define QUEUE_FLUSHED_READER_SLEEPS QUEUE_FLUSHED
#include "spsc/ypipe.c"
