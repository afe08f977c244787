/* boost-queue-64: boost-queue with messages of 64 bytes, a type of its own. */
#define PEER_BYTES 64
#include "boost-queue.cpp"
