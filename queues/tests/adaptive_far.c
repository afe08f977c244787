/* adaptive as it is where it found the reader far, and flushes large: it always writes by its stage. */
#define ADAPTIVE_ALWAYS_FAR 1
#define QUEUE_TABLE(symbol) extern const struct queue adaptive_far; const struct queue adaptive_far
#include "spsc/adaptive.c"
