/* ck-ring-spsc-64: ck-ring-spsc with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "ck-ring-spsc.c"
