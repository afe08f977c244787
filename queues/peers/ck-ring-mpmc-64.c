/* ck-ring-mpmc-64: ck-ring-mpmc with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "ck-ring-mpmc.c"
