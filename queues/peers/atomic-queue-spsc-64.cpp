/* atomic-queue-spsc-64: atomic-queue-spsc with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "atomic-queue-spsc.cpp"
