/* atomic-queue-64: atomic-queue with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "atomic-queue.cpp"
